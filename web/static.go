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

// static serves the style sheet and the icons, compressed: they are half of a first visit. They
// change only with the program.
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
