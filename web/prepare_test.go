package web_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/blob"
	"samepage/store/pgtest"
	"samepage/web/webtest"
)

// onRead calls do before the first read.
type onRead struct {
	io.Reader
	do func()
}

func (r *onRead) Read(p []byte) (int, error) {
	if r.do != nil {
		r.do()
		r.do = nil
	}
	return r.Reader.Read(p)
}

// TestActionOfferedOnlyInItsTransaction attaches files to a page that has too many files while the bytes would be
// stored, and fewer again when the file is attached. No file may be attached without its bytes.
func TestActionOfferedOnlyInItsTransaction(t *testing.T) {
	w := webtest.New(t)
	var org string
	w.Query(&org, `SELECT org_id FROM items WHERE title = ?`, "How do we talk?")
	count := func(change string) func(tx *store.Tx) error {
		return func(tx *store.Tx) error {
			if _, err := tx.Tx.Serialize(org); err != nil {
				return err
			}
			return tx.Exec(`UPDATE items SET files = files `+change+` WHERE title = ?`, "How do we talk?")
		}
	}
	refused := false
	for i := 1; i <= 10; i++ {
		name := fmt.Sprint("file ", i)
		media, body, size := form(name, []byte(name))
		ended := make(chan error, 1)
		full := func() {
			if err := w.Store.Write(t.Context(), count("+ 50")); err != nil {
				t.Error(err)
			}
			locked := make(chan bool)
			go func() {
				ended <- w.Store.Write(context.Background(), func(tx *store.Tx) error {
					err := count("- 50")(tx)
					close(locked)
					time.Sleep(time.Duration(i) * 50 * time.Millisecond) // in this time the upload gets to its transaction
					return err
				})
			}()
			<-locked
		}
		r := w.As("bob").Do(upload(w.URL("talk"), "attach", media, &onRead{body, full}, size))
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if check, err := w.Store.CheckFiles(t.Context()); err != nil || len(check.Broken) > 0 {
			t.Fatalf("after %d %s: %v, files without their bytes: %v", r.Status, r.Body, err, check.Broken)
		}
		attached := filesOf(t, w, "talk")[name] != ""
		if attached != (r.Status == http.StatusOK) {
			t.Fatalf("attached is %v after %d %s", attached, r.Status, r.Body)
		}
		if refused = r.Status == http.StatusServiceUnavailable; refused {
			again, body, size := form(name, []byte(name))
			if r := w.As("bob").Do(upload(w.URL("talk"), "attach", again, body, size)); r.Status != http.StatusOK {
				t.Errorf("sent again: %d %s", r.Status, r.Body)
			}
			break
		}
	}
	if !refused {
		t.Error("no upload was refused")
	}
}

// TestADryRunOfAnApprovalKeepsNoFile holds an attachment, and removes its bytes, as a sweep does after a day. It
// approves the attachment first in a dry run. Only the approval stores the bytes.
func TestADryRunOfAnApprovalKeepsNoFile(t *testing.T) {
	pgtest.Folder(t, "it removes a file from the folder")
	w := webtest.New(t)
	data := []byte("A list of cakes.")
	sum := sha256.Sum256(data)
	kept := func() bool {
		f, err := w.Store.OpenBlob(sum[:], int64(len(data)))
		if err == nil {
			f.Close()
		}
		return err == nil
	}
	if r := w.As("alice").PostJSON(w.URL("acme organization")+"/settings", actions.UpdateSettings.Name,
		param.Input{"agent_asks": []any{"attach"}}); r.Status != http.StatusOK {
		t.Fatal(r.Body)
	}
	url := held(t, w, "clerk", w.URL("talk"), "attach",
		webtest.Call{Params: param.Input{"file": param.Upload{Name: "Cakes.txt", Data: data}}})
	if err := os.Remove(blob.Path(filepath.Dir(w.Store.Path()), sum[:])); err != nil {
		t.Fatal(err)
	}
	for _, dry := range []bool{true, false} {
		if r := w.As("erin").JSON(url, "approve_request", webtest.Call{DryRun: dry}); r.Status != http.StatusOK {
			t.Fatalf("dry run %v: %d %s", dry, r.Status, r.Body)
		}
		if kept() == dry {
			t.Errorf("dry run %v: the bytes are stored: %v", dry, kept())
		}
	}
}
