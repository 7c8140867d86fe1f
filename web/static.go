package web

import (
	"embed"
	"io/fs"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5/middleware"
)

//go:embed static
var staticFiles embed.FS

// static returns the handler of the style sheet, the scripts and the icons. They are compressed, because they are half
// of what a first visit transfers. They change only with a new version of the program.
func static() http.HandlerFunc {
	files, err := fs.Sub(staticFiles, "static")
	if err != nil {
		panic(err)
	}
	serve := http.StripPrefix("/static", http.FileServerFS(files))
	return middleware.Compress(5)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/") {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Cache-Control", "public, max-age=3600")
		serve.ServeHTTP(w, r)
	})).ServeHTTP
}
