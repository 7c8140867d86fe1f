package web_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/store/blobtest"
	"samepage/store/pgtest"
	"samepage/web/webtest"
)

// filesOf returns the URLs of the files attached to an item, by the name of the file.
func filesOf(t *testing.T, w *webtest.World, name string) map[string]string {
	t.Helper()
	list := map[string]string{}
	body := w.As("alice").Get(w.URL(name), "text/markdown").Body
	for _, part := range strings.Split(body, "](")[1:] {
		url, _, _ := strings.Cut(part, ")")
		if i := strings.Index(url, "/files/"); i >= 0 {
			label := body[:strings.Index(body, "]("+url)]
			list[label[strings.LastIndexByte(label, '[')+1:]] = url[i:]
		}
	}
	return list
}

// TestFilesAreServed downloads files. Actors who may see the page get the bytes, with headers that keep a file from
// running as a script.
func TestFilesAreServed(t *testing.T) {
	w := webtest.New(t)
	files := filesOf(t, w, "talk")
	text, picture := files["Agenda.txt"], files["A dot"]
	if text == "" || picture == "" {
		t.Fatal(files)
	}
	for _, c := range []struct {
		who, url, disposition, kind string
		status                      int
	}{
		{"alice", text, "attachment; filename=Agenda.txt", "text/plain; charset=utf-8", 200},
		{"scribe", picture, `inline; filename="A dot"`, "image/png", 200},
		{"dave", picture, `inline; filename="A dot"`, "image/png", 200}, {"carol", text, "", "", 404},
		{"oscar", text, "", "", 404}, {"anonymous", text, "", "", 401},
		{"alice", "/files/0000000000", "", "", 404}, {"alice", "/files/x", "", "", 404},
	} {
		r := w.As(c.who).Get(c.url+"/download", "text/markdown")
		if r.Status != c.status || c.status == 200 &&
			(r.Header.Get("Content-Disposition") != c.disposition || r.Header.Get("Content-Type") != c.kind) {
			t.Errorf("%s gets %s: %d %q %q", c.who, c.url, r.Status, r.Header.Get("Content-Disposition"),
				r.Header.Get("Content-Type"))
		}
		if c.status == 200 && (r.Header.Get("Content-Security-Policy") != "sandbox; default-src 'none'" ||
			r.Header.Get("X-Content-Type-Options") != "nosniff") {
			t.Errorf("%s could run: %v", c.url, r.Header)
		}
	}
	if r := w.As("alice").Get(text+"/download", ""); r.Body != "1. Welcome\n2. *Anything* else?\n" {
		t.Errorf("the bytes are %q", r.Body)
	}
}

// TestWhatFilesAre checks that a file's type follows from its bytes and not from its name.
func TestWhatFilesAre(t *testing.T) {
	w := webtest.New(t)
	for name, c := range map[string]struct{ data, kind string }{
		"page.html":   {"<!DOCTYPE html><script>alert(1)</script>", "text/plain; charset=utf-8"},
		"picture.svg": {`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`, "text/plain; charset=utf-8"},
		"data.bin":    {"\x00\x01\x02", "application/octet-stream"}, "paper.pdf": {"%PDF-1.7 x", "application/pdf"},
	} {
		r := w.As("bob").Post(w.URL("talk"), "attach",
			param.Input{"file": param.Upload{Name: name, Data: []byte(c.data)}})
		if r.Status != http.StatusSeeOther {
			t.Fatal(name, r.Status, r.Body)
		}
		got := w.As("bob").Get(filesOf(t, w, "talk")[name]+"/download", "")
		if got.Header.Get("Content-Type") != c.kind || got.Body != c.data ||
			!strings.HasPrefix(got.Header.Get("Content-Disposition"), "attachment") {
			t.Errorf("%s is served as %s, %s", name, got.Header.Get("Content-Type"),
				got.Header.Get("Content-Disposition"))
		}
	}
}

// TestHiddenDownloadNames uploads files with characters that hide or reverse the ending of their names. The names are
// saved and shown with a replacement character instead.
func TestHiddenDownloadNames(t *testing.T) {
	w := webtest.New(t)
	for name, shown := range map[string]string{
		"gpj\u202eexe.txt": "gpj\ufffdexe.txt", "a\u200b\u2066b.txt": "a\ufffdb.txt", "code\u00ad.txt": "code\ufffd.txt",
	} {
		r := w.As("bob").Post(w.URL("talk"), "attach", param.Input{"file": param.Upload{Name: name,
			Data: []byte(name)}})
		if r.Status != http.StatusSeeOther {
			t.Fatal(name, r.Status, r.Body)
		}
		file := filesOf(t, w, "talk")[shown]
		if file == "" {
			t.Errorf("%q is not listed as %s: %v", name, shown, filesOf(t, w, "talk"))
			continue
		}
		head := w.As("bob").Get(file+"/download", "").Header.Get("Content-Disposition")
		if _, got, err := mime.ParseMediaType(head); err != nil || got["filename"] != shown {
			t.Errorf("%q is saved as %s: %v", name, head, err)
		}
	}
}

// TestDamagedDownloads damages stored files. A download never has wrong bytes, the answer and the file's page report
// the damage, and uploading the same bytes again repairs the file.
func TestDamagedDownloads(t *testing.T) {
	slow(t)
	pgtest.Folder(t, "it is about files")
	if blobtest.AsNobody(t) {
		return
	}
	w := webtest.New(t)
	attach := func() {
		t.Helper()
		r := w.As("bob").Post(w.URL("talk"), "attach",
			param.Input{"file": param.Upload{Name: "minutes.txt", Data: []byte(blobtest.Content)}})
		if r.Status != http.StatusSeeOther {
			t.Fatal(r.Status, r.Body)
		}
	}
	attach()
	file := filesOf(t, w, "talk")["minutes.txt"]
	path := blobtest.Path(filepath.Dir(w.Store.Path()), blobtest.Content)
	for _, d := range blobtest.Damages {
		if err := d.Do(path); err != nil {
			t.Fatal(err)
		}
		if d.Says != "" {
			r, shown := w.As("bob").Get(file+"/download", "text/markdown"), w.As("bob").Get(file, "text/markdown")
			if r.Status != 500 || !strings.Contains(r.Body, d.Says) {
				t.Errorf("%s: %d %s", d.Name, r.Status, r.Body)
			}
			if shown.Status != 200 || !strings.Contains(shown.Body, d.Says) || !strings.Contains(shown.Body, "detach_file") {
				t.Errorf("%s: the page is %d %s", d.Name, shown.Status, shown.Body)
			}
			attach()
		}
		if r := w.As("bob").Get(file+"/download", ""); r.Status != 200 || r.Body != blobtest.Content {
			t.Errorf("%s: healed, it is %d %q", d.Name, r.Status, r.Body)
		}
	}
}

// TestDetach detaches a file. The member who attached the file can do so, and another member of the studio cannot. A
// detached file is not found.
func TestDetach(t *testing.T) {
	w := webtest.New(t)
	id := strings.TrimPrefix(filesOf(t, w, "talk")["Agenda.txt"], "/files/")
	detach := func(who, file string) int {
		return w.As(who).JSON("/files/"+file, "detach_file", webtest.Call{}).Status
	}
	for who, want := range map[string]int{"dave": 403, "carol": 404} {
		if got := detach(who, id); got != want {
			t.Errorf("%s: %d", who, got)
		}
	}
	if got := detach("alice", "0000000000"); got != 404 {
		t.Errorf("a file that is not there: %d", got)
	}
	if got := detach("bob", id); got != 200 {
		t.Errorf("its owner: %d", got)
	}
	if r := w.As("bob").Get("/files/"+id+"/download", ""); r.Status != 404 {
		t.Errorf("it is still served: %d", r.Status)
	}
}

// TestRefusedFilesAreNotKept checks that a file sent with a refused action leaves nothing on the disk.
func TestRefusedFilesAreNotKept(t *testing.T) {
	w := webtest.New(t)
	for _, who := range []string{"carol", "anonymous", "reader"} {
		text := "kept by " + who
		w.As(who).JSON(w.URL("talk"), "attach", webtest.Call{Params: param.Input{"file": text}})
		hash := sha256.Sum256([]byte(text))
		if f, err := w.Store.OpenBlob(hash[:], int64(len(text))); err == nil {
			f.Close()
			t.Errorf("what %s sent is kept", who)
		}
	}
	r := w.As("bob").JSON(w.URL("talk"), "attach", webtest.Call{Params: param.Input{"file": ""}})
	var answer struct {
		Error struct{ Fields []struct{ Field string } }
	}
	if err := json.Unmarshal([]byte(r.Body), &answer); err != nil || r.Status != 422 ||
		fmt.Sprint(answer.Error.Fields) != "[{file}]" {
		t.Errorf("an empty file is answered %d %s", r.Status, r.Body)
	}
}
