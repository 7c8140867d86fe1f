package web

import (
	"mime"
	"net/http"

	"github.com/go-chi/chi/v5"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
	"samepage/views/page"
	"samepage/web/wire"
)

func fileRoutes() []*BoundRoute {
	return []*BoundRoute{
		Route[*store.FilePage, *store.FilePage]{
			Pattern: "/files/{file}",
			Find:    ByArg("file", (*store.Tx).FindFile),
			Show:    Whole((*store.Tx).ShowFile),
			View:    views.File,
			Actions: []*action.Spec[*store.FilePage]{actions.Detach},
		}.Close(),
	}
}

// download answers with the bytes of a file that is attached to an item which the actor may see. Browsers display
// pictures and save other files. The directive sandbox of the Content-Security-Policy keeps the file from running
// scripts.
func (s *Site) download(w http.ResponseWriter, r *http.Request) {
	var f *store.File
	reader := s.reader(r)
	err := s.store.Read(r.Context(), func(tx *store.Tx) error {
		by, err := reader(tx)
		if err != nil {
			return err
		}
		p, err := tx.FindFile(by, chi.URLParam(r, "file"))
		if err == nil {
			f = p.File
		}
		return err
	})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	blob, err := s.store.OpenBlob(f.Hash, f.Size)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer blob.Close()
	h := w.Header()
	h.Set("Content-Type", f.Type)
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	disposition := "attachment"
	if f.Inline() {
		disposition = "inline"
	}
	h.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": page.Visible(f.Name)}))
	h["Cache-Control"] = wire.PrivateNoCache
	h.Set("Etag", wire.ETag(f.Hash))
	http.ServeContent(w, r, "", f.At.Time, blob)
}
