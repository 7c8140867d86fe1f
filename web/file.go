package web

import (
	"crypto/sha256"
	"net/http"
	"strconv"
	"strings"

	"samepage/actions/action"
	"samepage/store"
	"samepage/web/wire"
)

// file declares a file, such as a calendar, in which other programs can read the subject of a page. The URL of the file
// is that of the page with a suffix.
type file[S action.Subject] struct {
	suffix string // such as .ics
	media  string
	// write appends the content of the file to dst. The argument origin is the scheme and host for links. The error is
	// [store.Missing] if the subject has no file.
	write func(dst []byte, s S, origin string) ([]byte, error)
}

// boundFile is a file without its type parameter.
type boundFile struct {
	suffix, media string
	write         func(dst []byte, s action.Subject, origin string) ([]byte, error)
}

func (f file[S]) close() *boundFile {
	if f.write == nil {
		return nil
	}
	return &boundFile{f.suffix, f.media, func(dst []byte, s action.Subject, origin string) ([]byte, error) {
		return f.write(dst, s.(S), origin)
	}}
}

// file returns the handler that answers with the file of a page. The actor must be allowed to see the page.
func (s *Site) file(f *boundFile) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		at, ok := s.locate(strings.TrimSuffix(r.URL.Path, f.suffix), nil)
		if !ok {
			s.refuse(w, r, store.Missing())
			return
		}
		var body []byte
		reader := s.reader(r)
		err := s.store.Read(r.Context(), func(tx *store.Tx) error {
			defer s.observe(at, tx)
			by, err := reader(tx)
			if err != nil {
				return err
			}
			subject, err := at.route.find(tx, by, at)
			if err != nil {
				return err
			}
			body, err = f.write(nil, subject, s.origin(r))
			return err
		})
		if err != nil {
			s.failAt(w, r, at, err)
			return
		}
		sum := sha256.Sum256(body)
		etag := wire.ETag(sum[:16])
		h := w.Header()
		h["Etag"], h["Cache-Control"] = []string{etag}, wire.PrivateNoCache
		if wire.Matches(r.Header.Get("If-None-Match"), etag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		h["Content-Type"], h["X-Robots-Tag"] = []string{f.media}, wire.NoIndex
		h["Content-Length"] = []string{strconv.Itoa(len(body))}
		h["Link"] = []string{`<` + s.origin(r) + at.path + `>; rel="canonical"`}
		w.Write(body)
	}
}
