package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5/middleware"

	"samepage/web/wire"
)

//go:embed static
var staticFiles embed.FS

// assets has the address of each static file by its path. The address has a checksum of the file, so that browsers can
// keep the file for good.
var assets = func() map[string]string {
	m := map[string]string{}
	err := fs.WalkDir(staticFiles, "static", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := staticFiles.ReadFile(path)
		sum := sha256.Sum256(data)
		m["/"+path] = "/" + path + "?v=" + hex.EncodeToString(sum[:6])
		return err
	})
	if err != nil {
		panic(err)
	}
	return m
}()

// These are the values of Cache-Control for static files: under an address with the checksum of the file, and under any
// other address.
const (
	keptForGood = "public, max-age=31536000, immutable"
	keptAnHour  = "public, max-age=3600"
)

// static returns the handler of the style sheet, the scripts and the icons. They are compressed, because they are half
// of what a first visit transfers. They change only with a new version of the program.
func static() http.HandlerFunc {
	files, err := fs.Sub(staticFiles, "static")
	if err != nil {
		panic(err)
	}
	serve := http.StripPrefix("/static", http.FileServerFS(files))
	compress := middleware.Compress(5)(serve)
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/") {
			http.NotFound(w, r)
			return
		}
		address := assets[r.URL.Path]
		path, version, _ := strings.Cut(address, "?v=")
		w.Header().Set("Cache-Control", keptAnHour)
		if path != "" {
			w.Header().Set("Etag", `W/"`+version+`"`)
			if r.URL.RawQuery == "v="+version {
				w.Header().Set("Cache-Control", keptForGood)
			}
		}
		if wire.AcceptsGzip(r) {
			compress.ServeHTTP(w, r)
			return
		}
		serve.ServeHTTP(w, r)
	}
}
