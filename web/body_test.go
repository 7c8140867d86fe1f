package web_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"samepage/actions/param"
	"samepage/store/effort"
	"samepage/store/pgtest"
	"samepage/web/webtest"
)

const mostInAFile = 8 << 20

// unread is a body that must not be read. Reading it fails the test.
type unread struct{ t *testing.T }

func (b unread) Read([]byte) (int, error) {
	b.t.Error("the body is read")
	return 0, io.EOF
}

// upload returns a request that calls an action with this body. A negative size means that the request does not state
// its size.
func upload(page, action, media string, body io.Reader, size int64) *http.Request {
	r := httptest.NewRequest("POST", webtest.Origin+page+"/actions/"+action, body)
	r.ContentLength = size
	r.Header.Set("Content-Type", media)
	r.Header.Set("Accept", "application/json")
	return r
}

// TestRefusedBodiesAreNotRead checks that a refusal which does not depend on the body comes before any of the body is
// read.
func TestRefusedBodiesAreNotRead(t *testing.T) {
	w := webtest.New(t)
	talk := w.URL("talk")
	for _, c := range []struct {
		as, page, action string
		status           int
	}{
		{"anonymous", talk, "attach", 401}, {"anonymous", "/studios/team/d/0000000000", "attach", 401},
		{"anonymous", "/nowhere", "attach", 401},
		{"anonymous", talk, "fly", 401}, {"anonymous", "/studios/public", "import_decisions", 401},
		{"revoked", talk, "attach", 401}, {"expired", talk, "attach", 401},
		{"reader", talk, "attach", 403}, {"scribe", w.URL("team"), "import_decisions", 403},
		{"bob", "/studios/team/d/0000000000", "attach", 404},
		{"oscar", talk, "attach", 404}, {"carol", talk, "attach", 404}, {"bob", talk, "fly", 404},
		{"bob", "/nowhere", "attach", 404},
		{"mia", w.URL("attic open"), "attach", 409},
	} {
		for _, media := range []string{"application/json", "multipart/form-data; boundary=x", "text/xml"} {
			for _, size := range []int64{-1, mostInAFile} {
				if r := w.As(c.as).Do(upload(c.page, c.action, media, unread{t}, size)); r.Status != c.status {
					t.Errorf("%s to %s/actions/%s with %s: %d, want %d: %s", c.as, c.page, c.action, media, r.Status,
						c.status, r.Body)
				}
			}
		}
	}
	for _, size := range []int64{mostInAFile + 1<<20, 1 << 40} { // the request states that its body is too large
		if r := w.As("bob").Do(upload(talk, "attach", "application/json", unread{t}, size)); r.Status != 413 {
			t.Errorf("%d bytes: %d", size, r.Status)
		}
	}
	if r := w.As("bob").Do(upload(talk, "attach", "text/xml", unread{t}, 10)); r.Status != 415 {
		t.Errorf("XML: %d", r.Status)
	}
}

// TestCountedBeforeRead checks that a request above the limit is refused before its body is read, for an agent and for
// an address without valid credentials.
func TestCountedBeforeRead(t *testing.T) {
	w := webtest.New(t, limited)
	for as, most := range map[string]int{"scout": 10, "anonymous": 300, "revoked": 300} {
		n, _ := until(t, most, func() *webtest.Response {
			r := upload("/studios/team/d/0000000000", "attach", "application/json", unread{t}, -1)
			r.RemoteAddr = map[string]string{"scout": "192.0.2.1:1", "anonymous": "192.0.2.2:1",
				"revoked": "192.0.2.3:1"}[as]
			return w.As(as).Do(r)
		})
		if n != most {
			t.Errorf("%s was refused after %d, want %d", as, n, most)
		}
	}
}

// TestFirstRefusal sends requests with several errors. An error about the caller or the page is reported before one
// about the body.
func TestFirstRefusal(t *testing.T) {
	w := webtest.New(t)
	for _, c := range []struct {
		as, page, action string
		status           int
	}{
		{"anonymous", "talk", "comment", 401}, {"reader", "talk", "comment", 403}, {"carol", "talk", "comment", 404},
		{"bob", "talk", "fly", 404}, {"bob", "talk", "comment", 400},
	} {
		target := w.URL(c.page) + "/actions/" + c.action
		if r := requestBody(w.As(c.as), "POST", target, `{"params":`, jsonMedia,
			"Accept: application/json"); r.Status != c.status {
			t.Errorf("%s to %s: %d, want %d", c.as, c.action, r.Status, c.status)
		}
	}
}

// TestRepeatedAfterItIsNotOffered checks that a repeated call gets its first answer even if the page no longer offers
// the action.
func TestRepeatedAfterItIsNotOffered(t *testing.T) {
	w := webtest.New(t)
	page := filesOf(t, w, "talk")["Agenda.txt"]
	detach := func(key string, size int64) int {
		r := upload(page, "detach_file", "application/json", strings.NewReader("{}"), size)
		if key != "" {
			r.Header.Set("Idempotency-Key", key)
		}
		return w.As("bob").Do(r).Status
	}
	for i, c := range []struct {
		key          string
		size         int64
		status, json int
	}{{"k", 2, 200, 200}, {"k", 2, 200, 200}, {"k", -1, 200, 200}, {"", 2, 404, 404}, {"other", -1, 404, 404}} {
		if got := detach(c.key, c.size); got != c.status {
			t.Errorf("%d: %d, want %d", i, got, c.status)
		}
	}
}

// TestStrangersUpload sends many anonymous uploads at once and checks that their bytes do not stay in memory.
func TestStrangersUpload(t *testing.T) {
	w := webtest.New(t)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	var all sync.WaitGroup
	var requests []*http.Request // kept, so that their bodies are counted
	for i := range 60 {
		page := w.URL("talk")
		if i%2 == 0 {
			page = "/studios/team/d/0000000000"
		}
		r := upload(page, "attach", "multipart/form-data; boundary=x", unread{t}, mostInAFile)
		requests = append(requests, r)
		all.Go(func() {
			if r := w.As("anonymous").Do(r); r.Status != 401 {
				t.Errorf("%d", r.Status)
			}
		})
	}
	all.Wait()
	if after := heap(); after > before+4<<20 {
		t.Errorf("the heap grew from %d to %d KiB", before>>10, after>>10)
	}
	runtime.KeepAlive(requests)
}

// form returns a multipart form with one file. It does not copy the bytes of the file.
func form(name string, data []byte) (media string, body io.Reader, size int64) {
	var frame bytes.Buffer
	m := multipart.NewWriter(&frame)
	m.CreateFormFile("file", name)
	begin := bytes.Clone(frame.Bytes())
	m.Close()
	end := frame.Bytes()[len(begin):]
	body = io.MultiReader(bytes.NewReader(begin), bytes.NewReader(data), bytes.NewReader(end))
	return m.FormDataContentType(), body, int64(frame.Len() + len(data))
}

// incomplete returns the number of files in the data folder that have not arrived completely.
func incomplete(t *testing.T, w *webtest.World) (n int) {
	t.Helper()
	if err := filepath.WalkDir(filepath.Dir(w.Store.Path()), func(_ string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(e.Name(), ".part-") {
			n++
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestLargestUpload checks that the largest file arrives unchanged. A form does not hold the file in memory, and JSON
// holds three copies of it.
func TestLargestUpload(t *testing.T) {
	pgtest.Folder(t, "there the bytes go through memory to the database")
	w := webtest.New(t)
	binary := bytes.Repeat([]byte("\x00\xff\r\n--x\r\n"), mostInAFile/9+1)[:mostInAFile]
	text := bytes.Repeat([]byte("Words, words. "), mostInAFile/14+1)[:mostInAFile]
	media, body, size := form("binary", binary)
	inJSON := slices.Concat([]byte(`{"params":{"file":"`), text, []byte(`","name":"text"}}`))
	for _, c := range []struct {
		name    string
		data    []byte
		request *http.Request
		most    uint64 // limit of the bytes allocated
	}{
		{"binary", binary, upload(w.URL("talk"), "attach", media, body, size), 2 << 20},
		{"text", text, upload(w.URL("talk"), "attach", "application/json", bytes.NewReader(inJSON), int64(len(inJSON))),
			copies*mostInAFile + 2<<20},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := w.As("bob").Do(c.request)
		runtime.ReadMemStats(&after)
		if r.Status != 200 {
			t.Fatalf("%s: %d %s", c.name, r.Status, r.Body)
		}
		if n := after.TotalAlloc - before.TotalAlloc; effort.Racing {
			t.Log("left out: the limit of the memory allocated, because the race detector allocates too")
		} else if n > c.most {
			t.Errorf("%s: %d KiB of memory are allocated for %d KiB, want at most %d", c.name, n>>10,
				len(c.data)>>10, c.most>>10)
		}
		hash := sha256.Sum256(c.data)
		blob, err := w.Store.OpenBlob(hash[:], int64(len(c.data)))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got, err := io.ReadAll(blob)
		blob.Close()
		if err != nil || !bytes.Equal(got, c.data) {
			t.Errorf("%s: the bytes differ: %v", c.name, err)
		}
		if filesOf(t, w, "talk")[c.name] == "" {
			t.Errorf("%s is not on the page", c.name)
		}
	}
	if n := incomplete(t, w); n != 0 {
		t.Errorf("%d temporary files are left", n)
	}
}

// copies is the number of copies of a JSON body that are in memory at once.
const copies = 3

// TestAttachedAnyWay attaches the same bytes by a form, by JSON and by MCP, below and above the size at which JSON is
// written to a file. The stored bytes are equal.
func TestAttachedAnyWay(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	mcp := tools(w)
	const odd = "line\r\n\t\"quoted\" \\ ü 𝄞 "
	for i, data := range []string{"x", strings.Repeat(odd, 1000), strings.Repeat(odd, 20_000)} {
		for _, way := range []string{"form", "json", "mcp", "mcp, quoted"} {
			name := fmt.Sprint(way, " ", i)
			in := param.Input{"name": name, "file": data}
			switch way {
			case "form":
				in["file"] = param.Upload{Name: "x", Data: []byte(data)}
				w.As("bob").Post(w.URL("talk"), "attach", in)
			case "json":
				w.As("bob").PostJSON(w.URL("talk"), "attach", in)
			default:
				var params any = in
				if way != "mcp" {
					text, err := json.Marshal(in)
					if err != nil {
						t.Fatal(err)
					}
					params = string(text)
				}
				if i == 2 {
					continue // too large for a message of MCP
				}
				call := map[string]any{"url": w.URL("talk"), "action": "attach", "params": params}
				if text, isError, _ := use(t, mcp, w.Token("scribe"), "execute_action", call); isError {
					t.Error(text)
				}
			}
			if got := w.As("bob").Get(filesOf(t, w, "talk")[name]+"/download", "").Body; got != data {
				t.Errorf("%s: %d bytes came back of %d: %.100q", name, len(got), len(data), got)
			}
		}
	}
}

// TestRefusedUploadIsDropped sends files with calls that are refused, that are dry runs, or that are cut short. No
// temporary file is left.
func TestRefusedUploadIsDropped(t *testing.T) {
	pgtest.Folder(t, "it looks for files")
	w := webtest.New(t)
	data := []byte("dropped")
	hash := sha256.Sum256(data)
	const file = "--x\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\n\ndropped\n"
	name := func(text string) string {
		return "--x\nContent-Disposition: form-data; name=\"name\"\n\n" + text + "\n--x--\n"
	}
	for name, c := range map[string]struct {
		body   string
		status int
	}{
		"bad name":       {strings.Replace(file, "dropped", "refused", 1) + name(strings.Repeat("x", 200)), 422},
		"dry run":        {file + "--x\nContent-Disposition: form-data; name=\"_dry_run\"\n\n1\n--x--\n", 200},
		"twice":          {file + file + "--x--\n", 400},
		"not closed":     {file, 400},
		"in the middle":  {file[:len(file)-2], 400},
		"without a name": {file + "--x\nContent-Disposition: form-data\n\n1\n--x--\n", 400},
		"long beside":    {file + name(strings.Repeat("x", 256<<10+1)), 413},
		"many parts": {file + strings.Repeat("--x\nContent-Disposition: form-data; name=\"a\"\n\n\n", 1000) +
			"--x--\n", 400},
	} {
		body := strings.ReplaceAll(c.body, "\n", "\r\n")
		r := w.As("bob").Do(upload(w.URL("talk"), "attach", "multipart/form-data; boundary=x",
			strings.NewReader(body), int64(len(body))))
		if r.Status != c.status {
			t.Errorf("%s: %d, want %d: %s", name, r.Status, c.status, r.Body)
		}
		if blob, err := w.Store.OpenBlob(hash[:], int64(len(data))); err == nil {
			blob.Close()
			t.Errorf("%s: the file is kept", name)
		}
		if n := incomplete(t, w); n != 0 {
			t.Fatalf("%s: %d temporary files are left", name, n)
		}
	}
}

// TestLongReasons checks that a reason longer than the journal keeps is refused as a whole, and that one of the greatest
// length is kept as it is.
func TestLongReasons(t *testing.T) {
	w := webtest.New(t)
	page := w.URL("open single")
	n := comments(t, w, page)
	longest := strings.Repeat("ü", 499) + "."
	for _, send := range []func(why string) *webtest.Response{
		func(why string) *webtest.Response {
			return w.As("bob").JSON(page, "comment", webtest.Call{Params: param.Input{"text": "Yes."}, Why: why})
		},
		func(why string) *webtest.Response {
			return w.As("bob").Form(page, "comment", webtest.Call{Params: param.Input{"text": "Yes."}, Why: why,
				Accept: "application/json"})
		},
	} {
		if r := send(longest + "."); r.Status != 400 || !strings.Contains(r.Body,
			"longer than 500 characters: it has 501") {
			t.Errorf("a long reason: %d %s", r.Status, r.Body)
		}
		if got := comments(t, w, page); got != n {
			t.Errorf("%d comments, want %d", got, n)
		}
		if r := send(longest); r.Status >= 400 {
			t.Errorf("the longest reason: %d %s", r.Status, r.Body)
		}
		n = comments(t, w, page)
	}
	if body := w.As("alice").Get("/orgs/acme/journal?full=1", "application/json").Body; !strings.Contains(body,
		longest) {
		t.Errorf("the journal does not have the whole reason: %s", body)
	}
}
