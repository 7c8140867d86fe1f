package wire

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"samepage/actions/param"
	"samepage/views/page"
)

// These are shared values of headers. Code may assign them to a header but must never append to them.
var (
	VaryAccept     = []string{"Accept"}
	VaryPage       = []string{"Accept, Accept-Encoding"}
	PrivateNoCache = []string{"private, no-cache"}
	NoStore        = []string{"no-store"}
	NoIndex        = []string{"noindex"}
)

// BadFields is the message above a form with wrong fields.
const BadFields = "Some fields need attention. Nothing was changed."

// LimitHeaders is the prefix of the headers about the limit on requests.
const LimitHeaders = "X-Ratelimit-"

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 32<<10); return &b }}

// WritePage answers with a page in one of its formats. If the etag is empty, an ETag is computed from the body. If it
// is "-", the answer has no ETag.
func WritePage(w http.ResponseWriter, r *http.Request, status int, f Format, p *page.Page, c *page.Context,
	etag string) {
	c.Zone = cmp.Or(c.Zone, p.Zone)
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	body := (*buf)[:0]
	switch f {
	case Markdown:
		body = p.AppendMarkdown(body, c)
	case JSON:
		body = appendJSON(body, p, c)
	default:
		body = p.AppendHTML(body, c)
	}
	*buf = body
	h := w.Header()
	setCommonHeaders(h, f)
	if f == Markdown {
		h["X-Robots-Tag"] = NoIndex
		h["X-Markdown-Tokens"] = []string{strconv.Itoa(len(body) / 4)}
	}
	if status == http.StatusOK {
		h["Link"] = []string{`<` + c.Origin + MarkdownURL(p.URL) + `>; rel="alternate"; type="text/markdown", ` +
			`<` + c.Origin + p.URL + `>; rel="canonical"`}
		if f == HTML {
			h["Link"][0] += `, <` + c.Asset(page.StyleSheet) + `>; rel="preload"; as="style"`
		}
	}
	switch etag {
	case "-":
	case "":
		sum := sha256.Sum256(body)
		etag = ETag(sum[:16])
		h["Etag"] = []string{weak(etag)}
		if status == http.StatusOK && Matches(r.Header.Get("If-None-Match"), etag) {
			NotModified(w, etag)
			return
		}
	default:
		h["Etag"] = []string{weak(etag)}
		if r.Header.Get("If-None-Match") == "*" {
			NotModified(w, etag)
			return
		}
	}
	send(w, r, status, body)
}

// weak returns the ETag as a weak one, which the compressed page and the plain page may share (RFC 9110 §8.8.1).
func weak(etag string) string { return "W/" + etag }

// WriteJSON answers with a value as JSON.
func WriteJSON(w http.ResponseWriter, r *http.Request, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	setCommonHeaders(w.Header(), JSON)
	send(w, r, status, text)
}

func setCommonHeaders(h http.Header, f Format) {
	h["Content-Type"] = contentTypes[f]
	h["Vary"] = VaryPage
	if h["Cache-Control"] == nil {
		h["Cache-Control"] = PrivateNoCache
	}
}

// NotModified answers 304, without the headers that the caller has stored with its copy.
func NotModified(w http.ResponseWriter, etag string) {
	h := w.Header()
	for name := range h {
		if name != "Set-Cookie" && !strings.HasPrefix(name, LimitHeaders) {
			delete(h, name)
		}
	}
	h["Etag"], h["Vary"], h["Cache-Control"] = []string{weak(etag)}, VaryPage, PrivateNoCache
	w.WriteHeader(http.StatusNotModified)
}

// NotAcceptable answers 406, because the request accepts none of the formats of the page.
func NotAcceptable(w http.ResponseWriter) {
	h := w.Header()
	h["Vary"] = VaryAccept
	h["Content-Type"] = []string{"text/plain; charset=utf-8"}
	w.WriteHeader(http.StatusNotAcceptable)
	w.Write([]byte("This page comes as text/html, text/markdown and application/json. Accept one of them.\n"))
}

var contentTypes = func() map[Format][]string {
	m := map[Format][]string{}
	for f, t := range mediaTypes {
		m[f] = []string{t}
	}
	return m
}()

// Matches reports whether an If-None-Match header contains the ETag or an asterisk.
func Matches(header, etag string) bool {
	if header == "" {
		return false
	}
	for tag := range strings.SplitSeq(header, ",") {
		tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
		if tag == etag || tag == "*" {
			return true
		}
	}
	return false
}

// ETag returns the checksum in hexadecimal, in quotes.
func ETag(sum []byte) string {
	var room [2 + 2*sha256.Size]byte
	return string(append(hex.AppendEncode(append(room[:0], '"'), sum), '"'))
}

// MarkdownURL returns the URL of the Markdown format of the page at u.
func MarkdownURL(u string) string {
	path, query := u, ""
	for i := range len(u) {
		if u[i] == '?' {
			path, query = u[:i], u[i:]
			break
		}
	}
	if path == "/" {
		path = "/index"
	}
	return path + ".md" + query
}

type jsonPage struct {
	URL      string       `json:"url"`
	Title    string       `json:"title"`
	As       string       `json:"as,omitempty"`
	Audience string       `json:"audience,omitempty"`
	Version  string       `json:"version,omitempty"`
	State    string       `json:"state,omitempty"`
	Next     string       `json:"next,omitempty"`
	Actions  []jsonAction `json:"actions"`
	People   []jsonPerson `json:"for_people,omitempty"`
	Markdown string       `json:"markdown"`
	Data     any          `json:"data,omitempty"`
}

type jsonAction struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Doc         string          `json:"doc"`
	URL         string          `json:"url"`
	Destructive bool            `json:"destructive,omitempty"`
	Ballot      bool            `json:"ballot,omitempty"`
	Schema      json.RawMessage `json:"schema"`
}

// jsonPerson is an action that only a person may take, in an answer to an agent.
type jsonPerson struct {
	Title string `json:"title"`
	URL   string `json:"url"`
	Who   string `json:"who"`
}

func appendJSON(dst []byte, p *page.Page, c *page.Context) []byte {
	v := jsonPage{URL: c.Origin + p.URL, Title: p.Title, As: c.As, Audience: p.Audience, Version: p.Version,
		State: page.Plain(p.State, c),
		Next:  p.Next, Actions: make([]jsonAction, len(p.Forms)), Markdown: string(p.AppendMarkdown(nil, c))}
	if p.Data != nil {
		v.Data = p.Data()
	}
	for i := range p.Forms {
		f := &p.Forms[i]
		v.Actions[i] = jsonAction{f.Name, f.Title, f.Doc, c.Origin + f.URL, f.Destructive, f.Ballot,
			param.AppendSchema(nil, f.Fields)}
	}
	for _, h := range p.People {
		v.People = append(v.People, jsonPerson{h.Title, c.Address + h.URL, h.Who})
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // only a wrong declaration can cause this
	}
	return append(dst, text...)
}
