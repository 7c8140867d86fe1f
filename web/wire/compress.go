package wire

import (
	"bytes"
	"compress/gzip"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// smallest is the size from which a body is compressed, in bytes. A smaller one fits into one packet anyway.
const smallest = 1 << 10

// padding fills the comments of compressed bodies. See compress.
const padding = "................................"

// deflater compresses one body after another.
type deflater struct {
	zip *gzip.Writer
	out bytes.Buffer
}

var deflaters = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err)
	}
	return &deflater{zip: z}
}}

// send writes the status and the body of an answer, compressed if the request accepts that.
//
// An answer that shows a secret once is never compressed. The compressed length of any other page could tell a person
// in the network about the page's text, if that person also chose a part of the text and had the page loaded many times
// (BREACH, 2013). No page has credentials or a token against forgery, cookies are not sent with requests that other
// sites make in the background (SameSite), and a comment of random length blurs the length.
func send(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	h := w.Header()
	if len(body) >= smallest && !slices.Equal(h["Cache-Control"], NoStore) && AcceptsGzip(r) {
		d := deflaters.Get().(*deflater)
		defer deflaters.Put(d)
		d.out.Reset()
		d.zip.Reset(&d.out)
		d.zip.Comment = padding[:rand.IntN(len(padding))]
		d.zip.Write(body) // never fails, like the buffer
		d.zip.Close()
		body = d.out.Bytes()
		h["Content-Encoding"] = gzipped
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	w.Write(body)
}

// AcceptsGzip reports whether the answer to a request may be compressed with gzip (RFC 9110 §12.5.3).
func AcceptsGzip(r *http.Request) bool {
	best, given := 0, false
	for item := range strings.SplitSeq(strings.Join(r.Header["Accept-Encoding"], ","), ",") {
		coding, params, _ := strings.Cut(item, ";")
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "gzip", "x-gzip":
			best, given = quality(params), true
		case "*":
			if !given {
				best = quality(params)
			}
		}
	}
	return best > 0
}

var gzipped = []string{"gzip"}
