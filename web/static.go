package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"sync"
	"time"

	"samepage/web/wire"
)

//go:embed static
var staticFiles embed.FS

// asset is a static file: the style sheet, a script or an icon.
type asset struct {
	version string                               // checksum of the file
	bodies  map[wire.Coding]func() (body []byte) // the file in each coding, compressed at the first request
}

var staticAssets = func() map[string]asset {
	m := map[string]asset{}
	err := fs.WalkDir(staticFiles, "static", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := staticFiles.ReadFile(path)
		sum := sha256.Sum256(data)
		a := asset{hex.EncodeToString(sum[:6]), map[wire.Coding]func() []byte{}}
		for _, c := range append([]wire.Coding{wire.Plain}, wire.FileCodings...) {
			a.bodies[c] = sync.OnceValue(func() []byte { return wire.CompressFile(data, c) })
		}
		m["/"+path] = a
		return err
	})
	if err != nil {
		panic(err)
	}
	return m
}()

// assets maps the path of each static file to its address, which has a checksum of the file, so that browsers can keep
// the file for good.
var assets = func() map[string]string {
	m := map[string]string{}
	for path, a := range staticAssets {
		m[path] = path + "?v=" + a.version
	}
	return m
}()

// These are the values of Cache-Control for static files: under the address with the checksum, and under any other.
const (
	keptForGood = "public, max-age=31536000, immutable"
	keptAnHour  = "public, max-age=3600"
)

// static answers with a static file, compressed if it is no PNG and the client accepts that.
func static(w http.ResponseWriter, r *http.Request) {
	a, ok := staticAssets[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", keptAnHour)
	if r.URL.RawQuery == "v="+a.version {
		h.Set("Cache-Control", keptForGood)
	}
	h.Set("Etag", `W/"`+a.version+`"`)
	h.Set("Vary", "Accept-Encoding")
	coding := wire.CodingOf(r, wire.FileCodings)
	if path.Ext(r.URL.Path) == ".png" { // PNG is compressed already
		coding = wire.Plain
	}
	if coding != wire.Plain {
		h.Set("Content-Encoding", string(coding))
	}
	http.ServeContent(w, r, r.URL.Path, time.Time{}, bytes.NewReader(a.bodies[coding]()))
}
