package web

import (
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"samepage/actions/param"
	"samepage/views/page"
)

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 32<<10); return &b }}

// write answers with a page in one of its forms. An empty etag is made from the bytes; "-" leaves it out.
func (s *Site) write(w http.ResponseWriter, r *http.Request, status int, f form, p *page.Page, c *page.Context, etag string) {
	if c.Zone == nil {
		c.Zone = p.Zone
	}
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	body := (*buf)[:0]
	switch f {
	case formMarkdown:
		body = p.AppendMarkdown(body, c)
	case formJSON:
		body = appendJSON(body, p, c)
	default:
		body = p.AppendHTML(body, c)
	}
	*buf = body
	h := w.Header()
	h["Content-Type"] = contentTypes[f]
	h["Vary"] = varyAccept
	if h["Cache-Control"] == nil {
		h["Cache-Control"] = privateNoCache
	}
	if f == formMarkdown {
		h["X-Robots-Tag"] = noindex
		h["X-Markdown-Tokens"] = []string{strconv.Itoa(len(body) / 4)}
	}
	if status == http.StatusOK {
		h["Link"] = []string{`<` + c.Origin + markdownURL(p.URL) + `>; rel="alternate"; type="text/markdown", <` + c.Origin + p.URL + `>; rel="canonical"`}
	}
	switch etag {
	case "-":
	case "":
		sum := sha256.Sum256(body)
		etag = quoted(sum[:16])
		h["Etag"] = []string{etag}
		if status == http.StatusOK && etagMatches(r.Header.Get("If-None-Match"), etag) {
			notModified(w, etag)
			return
		}
	default:
		h["Etag"] = []string{etag}
		if r.Header.Get("If-None-Match") == "*" {
			notModified(w, etag)
			return
		}
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	w.Write(body)
}

// notModified answers that what the caller has is what there is. It has kept with it what is said of every page.
func notModified(w http.ResponseWriter, etag string) {
	h := w.Header()
	for name := range h {
		if name != "Set-Cookie" && !strings.HasPrefix(name, limitHeaders) {
			delete(h, name)
		}
	}
	h["Etag"], h["Vary"], h["Cache-Control"] = []string{etag}, varyAccept, privateNoCache
	w.WriteHeader(http.StatusNotModified)
}

var contentTypes = func() map[form][]string {
	m := map[form][]string{}
	for f, t := range formTypes {
		m[f] = []string{t}
	}
	return m
}()

// markdownURL is the URL of a page's markdown form.
func markdownURL(u string) string {
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
	Markdown string       `json:"markdown"`
	Data     any          `json:"data,omitempty"`
}

type jsonAction struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Doc         string          `json:"doc"`
	URL         string          `json:"url"`
	Destructive bool            `json:"destructive,omitempty"`
	Schema      json.RawMessage `json:"schema"`
}

// appendJSON appends the form of a page that is for programs.
func appendJSON(dst []byte, p *page.Page, c *page.Context) []byte {
	v := jsonPage{URL: c.Origin + p.URL, Title: p.Title, As: c.As, Audience: p.Audience, Version: p.Version, State: page.Plain(p.State, c),
		Next: p.Next, Actions: make([]jsonAction, len(p.Forms)), Markdown: string(p.AppendMarkdown(nil, c))}
	if p.Data != nil {
		v.Data = p.Data()
	}
	for i := range p.Forms {
		f := &p.Forms[i]
		v.Actions[i] = jsonAction{f.Name, f.Title, f.Doc, c.Origin + f.URL, f.Destructive, param.AppendSchema(nil, f.Fields)}
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // a view's Data that cannot be marshalled is a wrong declaration; tests build every page
	}
	return append(dst, text...)
}

func (s *Site) json(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	h := w.Header()
	h["Content-Type"] = contentTypes[formJSON]
	h["Vary"] = varyAccept
	if h["Cache-Control"] == nil {
		h["Cache-Control"] = privateNoCache
	}
	h["Content-Length"] = []string{strconv.Itoa(len(text))}
	w.WriteHeader(status)
	w.Write(text)
}
