package wire

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// smallest is the least size of a body that is compressed, in bytes. A smaller body fits into one packet anyway.
const smallest = 1 << 10

// padding is the text that gives a compressed body a random length. Each body has a random part of it.
const padding = "................................"

// Coding is a way to compress the body of an answer, by its name in HTTP (RFC 9110 §8.4.1).
type Coding string

// These are the codings of answers. Plain leaves the body as it is.
const (
	Plain  Coding = ""
	Gzip   Coding = "gzip"
	Zstd   Coding = "zstd"
	Brotli Coding = "br"
)

// pageCodings and FileCodings are the codings of pages and of static files, the best first.
var (
	pageCodings = []Coding{Zstd, Gzip}
	FileCodings = []Coding{Brotli, Gzip}
)

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

// pageEncoder compresses pages with Zstandard. It is safe for several goroutines. Few pages are longer than its window,
// so a larger window would hardly make pages shorter.
var pageEncoder = func() *zstd.Encoder {
	z, err := zstd.NewWriter(nil, zstd.WithWindowSize(128<<10), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err)
	}
	return z
}()

// send writes the status and the body of an answer, compressed if the request accepts that.
//
// An answer with [NoStore], such as one that shows a secret once, is never compressed. The compressed length of any
// other page could reveal the page's text to an attacker in the network that chooses a part of the text and has the
// page loaded many times (BREACH, 2013). That risk is small, because these pages contain no credentials and no token
// against forgery. In addition, browsers send no cookies with requests that other sites make in the background
// (SameSite), and padding of random length blurs the compressed length.
func send(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	coding := Plain
	if len(body) >= smallest && !slices.Equal(w.Header()["Cache-Control"], NoStore) {
		coding = CodingOf(r, pageCodings)
	}
	switch coding {
	case Gzip:
		d := deflaters.Get().(*deflater)
		defer deflaters.Put(d)
		d.out.Reset()
		d.zip.Reset(&d.out)
		d.zip.Comment = padding[:rand.IntN(len(padding))]
		d.zip.Write(body) // a write to a buffer never fails
		d.zip.Close()
		body = d.out.Bytes()
	case Zstd:
		buf := buffers.Get().(*[]byte)
		defer buffers.Put(buf)
		*buf = appendSkippable(pageEncoder.EncodeAll(body, (*buf)[:0]), padding[:rand.IntN(len(padding))])
		body = *buf
	}
	h := w.Header()
	if coding != Plain {
		h["Content-Encoding"] = []string{string(coding)}
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	w.Write(body)
}

// appendSkippable appends a frame that decoders of Zstandard skip (RFC 8878 §3.1.2).
func appendSkippable(to []byte, content string) []byte {
	const magic = 0x184D2A50
	to = binary.LittleEndian.AppendUint32(to, magic)
	to = binary.LittleEndian.AppendUint32(to, uint32(len(content)))
	return append(to, content...)
}

// CompressFile compresses a file that is sent many times to the smallest size, which is slow. With a coding other than
// [Gzip] and [Brotli] it returns the file as it is.
func CompressFile(file []byte, c Coding) []byte {
	var out bytes.Buffer
	var z io.WriteCloser
	switch c {
	case Gzip:
		var err error
		if z, err = gzip.NewWriterLevel(&out, gzip.BestCompression); err != nil {
			panic(err)
		}
	case Brotli:
		z = brotli.NewWriterLevel(&out, brotli.BestCompression)
	default:
		return file
	}
	z.Write(file) // a write to a buffer never fails
	z.Close()
	return out.Bytes()
}

// CodingOf returns the coding that the request prefers for its answer (RFC 9110 §12.5.3): one of offered, which lists
// the best coding first, or [Plain].
func CodingOf(r *http.Request, offered []Coding) Coding {
	liked := map[string]int{}
	for item := range strings.SplitSeq(strings.Join(r.Header["Accept-Encoding"], ","), ",") {
		name, params, _ := strings.Cut(item, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		liked[strings.TrimPrefix(name, "x-")] = quality(params)
	}
	best, most := Plain, 0
	for _, c := range offered {
		q, named := liked[string(c)]
		if !named && c == Gzip { // every client can unpack gzip
			q = liked["*"]
		}
		if q > most {
			best, most = c, q
		}
	}
	return best
}
