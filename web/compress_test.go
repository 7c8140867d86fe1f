package web_test

import (
	"compress/gzip"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestCompression asks for pages with and without compression. The text is the same, and so is its ETag.
func TestCompression(t *testing.T) {
	aboutContent(t)
	w := webtest.New(t)
	bob := w.As("bob")
	for _, accept := range []string{"text/html", "text/markdown", "application/json"} {
		for _, target := range []string{"/help/agents", w.URL("standups"), w.URL("team")} {
			bob.Get(target, "text/html") // marks Bob's notifications of the page as read, so that the page stays the same
			plain := request(bob, "GET", target, "Accept: "+accept)
			tag := plain.Header.Get("Etag")
			for encoding, coding := range map[string]string{"gzip": "gzip", "gzip, deflate, br, zstd": "zstd", "*": "gzip",
				"GZIP;q=0.5, br": "gzip", "x-gzip": "gzip", "br": "", "": "", "identity": "", "gzip;q=0": "",
				"*;q=1, gzip;q=0": "", "gzip;q=0, *": "", "xgzip": "", "zstd": "zstd", "zstd;q=0, gzip": "gzip",
				"zstd;q=0.4, gzip;q=0.5": "gzip", "zstd;q=0.5, *": "gzip", "gzip;q=0.1, ZSTD": "zstd"} {
				r := request(bob, "GET", target, "Accept: "+accept, "Accept-Encoding: "+encoding)
				body := unpacked(t, r)
				if r.Status != 200 || body != plain.Body || r.Header.Get("Content-Encoding") != coding ||
					r.Header.Get("Vary") != "Accept, Accept-Encoding" || r.Header.Get("Etag") != tag {
					t.Errorf("%s as %s, Accept-Encoding: %s: %d, %d bytes %v", target, accept, encoding, r.Status,
						len(body), r.Header)
				}
				again := request(bob, "GET", target, "Accept: "+accept, "Accept-Encoding: "+encoding,
					"If-None-Match: "+tag)
				if again.Status != 304 || again.Body != "" || again.Header.Get("Content-Encoding") != "" {
					t.Errorf("%s as %s, Accept-Encoding: %s, again: %d", target, accept, encoding, again.Status)
				}
			}
		}
	}
	// The length of a compressed page varies at random, to hide the length of its text.
	for _, coding := range []string{"gzip", "zstd"} {
		lengths := map[int]bool{}
		for range 30 {
			lengths[len(request(bob, "GET", w.URL("standups"), "Accept-Encoding: "+coding).Body)] = true
		}
		if len(lengths) < 5 {
			t.Errorf("30 answers with %s have the lengths %v", coding, lengths)
		}
	}
}

// TestNoCompression checks that small answers and answers that show a secret are not compressed.
func TestNoCompression(t *testing.T) {
	w := webtest.New(t)
	if r := request(w.As("bob"), "GET", "/nowhere", "Accept: application/json", "Accept-Encoding: gzip"); r.Status != 404 ||
		len(r.Body) > 1024 || r.Header.Get("Content-Encoding") != "" {
		t.Errorf("a small answer: %d %v", r.Status, r.Header)
	}
	alice := w.As("alice")
	alice.Header.Set("Accept-Encoding", "gzip")
	for _, accept := range []string{"text/html", "text/markdown", "application/json"} {
		r := alice.Form("/settings/tokens", "create_token", webtest.Call{Accept: accept, Params: param.Input{
			"label": "Zip " + accept[5:7], "scopes": []any{"read"}}})
		if r.Status != 200 || !strings.Contains(r.Body, "sp_") || r.Header.Get("Content-Encoding") != "" {
			t.Errorf("a secret as %s: %d %v\n%.300s", accept, r.Status, r.Header, r.Body)
		}
	}
}

// unpacked returns the text of an answer, decompressed if it is compressed.
func unpacked(t *testing.T, r *webtest.Response) string {
	t.Helper()
	var from io.Reader = strings.NewReader(r.Body)
	var err error
	switch r.Header.Get("Content-Encoding") {
	case "gzip":
		from, err = gzip.NewReader(from)
	case "zstd":
		from, err = zstd.NewReader(from)
	case "br":
		from = brotli.NewReader(from)
	}
	if err != nil {
		t.Errorf("%v: %.80q", err, r.Body)
		return ""
	}
	text, err := io.ReadAll(from)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

var assetAddress = regexp.MustCompile(`"(/static/[a-z.]+\?v=[0-9a-f]{12})[#"]`)

// TestStaticFiles reads the files to which a page refers. The address of a file contains a hash of the contents,
// so browsers keep the file for good.
func TestStaticFiles(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	page := request(w.As("bob"), "GET", w.URL("standups"))
	found := map[string]bool{}
	for _, m := range assetAddress.FindAllStringSubmatch(page.Body, -1) {
		found[m[1]] = true
	}
	if plain := regexp.MustCompile(`"/static/[a-z.]+["#]`).FindString(page.Body); len(found) < 4 || plain != "" {
		t.Errorf("the page refers to %v and %s", found, plain)
	}
	for address := range found {
		r := request(w.As("anonymous"), "GET", address, "Accept-Encoding: gzip")
		small := request(w.As("anonymous"), "GET", address, "Accept-Encoding: gzip, br, zstd")
		if r.Status != 200 || r.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s: %d %v", address, r.Status, r.Header)
		}
		if again := request(w.As("anonymous"), "GET", address, "If-None-Match: "+r.Header.Get("Etag")); again.Status != 304 {
			t.Errorf("%s again: %d", address, again.Status)
		}
		if strings.HasSuffix(address[:strings.IndexByte(address, '?')], ".png") {
			continue
		}
		path := address[:strings.IndexByte(address, '?')]
		if plain := request(w.As("anonymous"), "GET", path); plain.Body != unpacked(t, r) || plain.Body != unpacked(t, small) ||
			len(small.Body) >= len(r.Body) && len(plain.Body) > 1000 || plain.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %d bytes, %d with gzip, %d with br, or another text", address, len(plain.Body), len(r.Body),
				len(small.Body))
		}
		for _, other := range []string{path, path + "?v=000000000000", path + "?v=", address + "&x=1"} {
			if r := request(w.As("anonymous"), "GET", other); r.Header.Get("Cache-Control") != "public, max-age=3600" {
				t.Errorf("%s: %s", other, r.Header.Get("Cache-Control"))
			}
		}
	}
	style := regexp.MustCompile(`<(/static/app\.css\?v=[0-9a-f]{12})>; rel="preload"; as="style"`).
		FindStringSubmatch(page.Header.Get("Link"))
	if style == nil || !found[style[1]] {
		t.Errorf("Link: %s", page.Header.Get("Link"))
	}
	if r := request(w.As("anonymous"), "GET", "/static/none.js?v=1"); r.Status != 404 ||
		strings.Contains(r.Header.Get("Cache-Control"), "max-age") {
		t.Errorf("a missing file: %d %v", r.Status, r.Header)
	}
}
