package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"samepage/web"
	"samepage/web/webtest"
)

// TestSecurityHeaders checks that every kind of answer has the security headers.
func TestSecurityHeaders(t *testing.T) {
	w := webtest.New(t)
	for _, c := range []struct {
		as, method, target string
		status             int
		headers            []string
	}{
		{"alice", "GET", "/", 200, nil}, {"alice", "GET", "/nowhere", 404, nil},
		{"alice", "GET", "/help//", 400, nil}, {"alice", "GET", "/Help", 308, nil},
		{"alice", "GET", "/help.md", 200, nil}, {"alice", "DELETE", "/help", 405, nil},
		{"alice", "GET", "/help", 406, []string{"Accept: image/png"}},
		{"alice", "POST", "/studios/team/actions/leave", 403, []string{"Sec-Fetch-Site: cross-site"}},
		{"alice", "GET", "/help", 403, []string{"Host: evil.example"}},
		{"anonymous", "GET", "/", 303, nil}, {"anonymous", "GET", "/", 401, []string{"Accept: text/markdown"}},
		{"anonymous", "GET", "/login", 200, nil},
		{"anonymous", "GET", "/static/app.css", 200, nil}, {"anonymous", "GET", "/static/icon.svg", 200, nil},
		{"anonymous", "GET", "/static/none.js", 404, nil},
		{"anonymous", "GET", "/static/", 308, nil}, {"anonymous", "GET", "/healthz", 200, nil},
		{"anonymous", "GET", "/llms.txt", 200, nil}, {"anonymous", "GET", "/sitemap.xml", 200, nil},
	} {
		r := request(w.As(c.as), c.method, c.target, c.headers...)
		if r.Status != c.status {
			t.Errorf("%s %s %s: %d, want %d", c.as, c.method, c.target, r.Status, c.status)
		}
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
				"font-src 'self'; connect-src 'self'; " +
				"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
				"require-trusted-types-for 'script'; trusted-types 'none'",
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin", "Strict-Transport-Security": "max-age=63072000",
		} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s %s: %s is %q", c.method, c.target, name, got)
			}
		}
		if strings.Contains(r.Body, "unsafe-inline") || r.Header.Get("Server") != "" {
			t.Errorf("%s %s says too much", c.method, c.target)
		}
	}
	plain := webtest.New(t, func(c *web.Config) { c.Origin = "http://samepage.example" })
	if h := request(plain.As("alice"), "GET", "/").Header; h.Get("Strict-Transport-Security") != "" ||
		h.Get("Content-Security-Policy") == "" {
		t.Errorf("over HTTP: %v", h)
	}
}

// TestMarkdownHeaders checks the headers of the Markdown format: its length and the URLs of both formats.
func TestMarkdownHeaders(t *testing.T) {
	w := webtest.New(t)
	team := w.URL("team")
	for _, c := range []struct{ target, accept, canonical string }{
		{team + ".md", "", team}, {team + ".md", "text/html", team}, {team + ".md", "application/json", team},
		{team, "text/markdown", team}, {"/index.md", "", "/"},
		{"/", "text/markdown", "/"}, {"/studios.md?after=a", "", "/studios?after=a"},
		{team + "/actions.md", "", team + "/actions"}, {"/help/agents.md", "", "/help/agents"},
	} {
		r := request(w.As("bob"), "GET", c.target, "Accept: "+c.accept)
		if r.Status != 200 || r.Header.Get("Content-Type") != "text/markdown; charset=utf-8" ||
			!strings.HasPrefix(r.Body, "---\nurl: \"") {
			t.Errorf("%s: %d %s\n%.200s", c.target, r.Status, r.Header.Get("Content-Type"), r.Body)
			continue
		}
		path, query, _ := strings.Cut(c.canonical, "?")
		if path == "/" {
			path = "/index"
		}
		if query != "" {
			query = "?" + query
		}
		link := `<` + webtest.Origin + path + ".md" + query + `>; rel="alternate"; type="text/markdown", <` +
			webtest.Origin + c.canonical + `>; rel="canonical"`
		if got := r.Header.Get("Link"); got != link {
			t.Errorf("%s: Link: %s, want %s", c.target, got, link)
		}
		if n, err := strconv.Atoi(r.Header.Get("X-Markdown-Tokens")); err != nil || n != len(r.Body)/4 {
			t.Errorf("%s: %s tokens for %d bytes", c.target, r.Header.Get("X-Markdown-Tokens"), len(r.Body))
		}
		if r.Header.Get("X-Robots-Tag") != "noindex" {
			t.Errorf("%s: X-Robots-Tag %q", c.target, r.Header.Get("X-Robots-Tag"))
		}
		if alternate := request(w.As("bob"), "GET", path+".md"+query, "Accept: image/png"); alternate.Body != r.Body {
			t.Errorf("%s and its alternate differ", c.target)
		}
	}
	html := request(w.As("bob"), "GET", team)
	if html.Header.Get("X-Robots-Tag") != "" || html.Header.Get("X-Markdown-Tokens") != "" ||
		!strings.Contains(html.Header.Get("Link"), team+".md>") {
		t.Errorf("HTML: %v", html.Header)
	}
	for _, target := range []string{"/.md", "/nowhere.md", "/healthz.md/x", team + ".md.md", "/login.md.md"} {
		if r := request(w.As("bob"), "GET", target); r.Status != 404 {
			t.Errorf("%s: %d", target, r.Status)
		}
	}
	if r := request(w.As("bob"), "POST", team+".md/actions/leave"); r.Status != 404 {
		t.Errorf("a form sent to .md: %d", r.Status)
	}
}

// handedOut matches the parts of a page that always contain the origin: the site, and the links for people.
var handedOut = regexp.MustCompile(`(site: \\?"|\*\*For people\*\*: )(\\"|[^\\\n"])*`)

// TestLinksOfMarkdown checks that links in Markdown have the scheme and host, unless the request prefers relative
// links. The links include those in errors and in answers to actions.
func TestLinksOfMarkdown(t *testing.T) {
	w := webtest.New(t)
	scribe := w.As("scribe")
	for target, status := range map[string]int{w.URL("team"): 200, "/": 200, "/studios/nowhere": 404,
		w.URL("team") + "/actions/nothing": 404, "/studios/team//": 400} {
		for prefer, absolute := range map[string]bool{"": true, "relative-links": false, "respond-async": true} {
			r := request(scribe, "GET", target, "Accept: text/markdown", "Prefer: "+prefer)
			if r.Status != status || strings.Contains(handedOut.ReplaceAllString(r.Body, ""), webtest.Origin) != absolute ||
				strings.Contains(r.Body, "](/") == absolute {
				t.Errorf("%s, Prefer: %s: %d\n%s", target, prefer, r.Status, r.Body)
			}
		}
	}
	for _, body := range []string{`{"params":{"text":"Hello"}}`, `{"params":{"txt":"Hello"}}`,
		`{"if_version":1}`, `{`} {
		r := requestBody(scribe, "POST", w.URL("standups")+"/actions/comment", body, "Content-Type: application/json",
			"Prefer: relative-links")
		if strings.Contains(handedOut.ReplaceAllString(r.Body, ""), webtest.Origin) {
			t.Errorf("%s: %s", body, r.Body)
		}
	}
}

func TestHost(t *testing.T) {
	w := webtest.New(t)
	terminal := webtest.New(t, func(c *web.Config) { c.Origin = "" })
	port := webtest.New(t, func(c *web.Config) { c.Origin = "https://samepage.example:8443" })
	for _, c := range []struct {
		w    *webtest.World
		host string
		ok   bool
	}{
		{w, "samepage.example", true}, {w, "SamePage.Example", true}, {w, "localhost", true},
		{w, "localhost:8080", true}, {w, "127.0.0.1:1", true}, {w, "[::1]:8080", true},
		{w, "[::1]", true}, {w, "samepage.example:8443", false}, {w, "samepage.example.evil.example", false},
		{w, "evil.example", false}, {w, "evil.example:80", false},
		{w, "127.0.0.1.evil.example", false}, {w, "localhost.evil.example", false}, {w, "10.0.0.1", false},
		{w, "0.0.0.0", false}, {w, "[::]", false},
		{w, "169.254.169.254", false}, {w, "2130706433", false}, {w, "evil.example:127.0.0.1", false},
		{w, "localhost@evil.example", false},
		{terminal, "localhost:8080", true}, {terminal, "127.0.0.1:8080", true}, {terminal, "samepage.example", false},
		{terminal, "evil.example", false},
		{port, "samepage.example:8443", true}, {port, "samepage.example", false},
	} {
		q := httptest.NewRequest("GET", webtest.Origin+"/help", nil)
		q.Host, q.RemoteAddr = c.host, "127.0.0.1:4711"
		r := c.w.As("anonymous").Do(q)
		if ok := r.Status == 200; ok != c.ok || !ok && (r.Status != 403 || !strings.Contains(r.Body, "--origin")) {
			t.Errorf("Host: %s: %d", c.host, r.Status)
		}
		if strings.Contains(r.Body, "evil.example") && c.w != terminal {
			t.Errorf("Host: %s: its name is in the answer", c.host)
		}
	}
}

// TestCrossSite sends requests from a page of another site to every route that changes something. Each is refused,
// and nothing changes.
func TestCrossSite(t *testing.T) {
	aboutContent(t)
	w := webtest.New(t)
	targets := []string{"/login", "/logout", "/setup"}
	for _, p := range w.Site.Places() {
		path := w.Example(p.Pattern)
		for _, a := range p.Actions {
			targets = append(targets, strings.TrimSuffix(path, "/")+"/actions/"+a.Name)
		}
	}
	before := w.Digests()
	for _, target := range targets {
		for _, site := range [][]string{
			{"Sec-Fetch-Site: cross-site"}, {"Sec-Fetch-Site: same-site"},
			{"Sec-Fetch-Site: cross-site", "Origin: https://samepage.example"},
			{"Origin: https://evil.example"}, {"Origin: null"}, {"Origin: https://samepage.example.evil.example"},
			{"Origin: https://evil.example", "Authorization: Bearer x"},
		} {
			headers := append([]string{"Content-Type: application/x-www-form-urlencoded"}, site...)
			if r := requestBody(w.As("alice"), "POST", target, "text=x&name=y", headers...); r.Status != 403 ||
				!strings.Contains(r.Body, "another site") {
				t.Errorf("POST %s with %v: %d", target, site, r.Status)
			}
		}
	}
	if changed := webtest.Changed(before, w.Digests()); len(changed) > 0 {
		t.Errorf("changed: %v", changed)
	}
	for _, site := range [][]string{{"Sec-Fetch-Site: same-origin", "Origin: https://samepage.example"},
		{"Sec-Fetch-Site: none"}, {"Origin: https://samepage.example"}, nil} {
		headers := append([]string{"Content-Type: application/x-www-form-urlencoded"}, site...)
		if r := requestBody(w.As("alice"), "POST", w.URL("standups")+"/actions/comment", "text=x",
			headers...); r.Status != 303 {
			t.Errorf("with %v: %d", site, r.Status)
		}
	}
	if r := request(w.As("alice"), "GET", "/", "Sec-Fetch-Site: cross-site"); r.Status != 200 {
		t.Errorf("a link from elsewhere: %d", r.Status)
	}
	t.Logf("%d routes", len(targets))
}

// TestHead checks over a real connection that HEAD gives every kind of answer as GET does, without the body.
func TestHead(t *testing.T) {
	w := webtest.New(t, func(c *web.Config) { c.Origin = "" })
	server := httptest.NewServer(w.Site)
	defer server.Close()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	ask := func(method, path, accept, token string) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", accept)
		r.Header.Set("Accept-Encoding", "identity") // otherwise the client asks for gzip with GET, but not with HEAD
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil || method == "HEAD" && len(body) > 0 {
			t.Errorf("%s %s: %d bytes, %v", method, path, len(body), err)
		}
		return res
	}
	for _, accept := range []string{"text/html", "text/markdown", "application/json", "image/png"} {
		for _, path := range []string{"/", w.URL("team"), w.URL("standups"), w.URL("standups") + ".md",
			w.URL("standups") + "/actions", "/nowhere", "/studios/lab", "/Help", "/help//",
			"/login", "/static/app.css", "/healthz", "/logout", w.URL("standups")[:len("/studios/team/d/")+4]} {
			for _, token := range []string{"", w.Token("scout")} {
				get, head := ask("GET", path, accept, token), ask("HEAD", path, accept, token)
				if get.StatusCode != head.StatusCode {
					t.Errorf("%s: GET %d, HEAD %d", path, get.StatusCode, head.StatusCode)
				}
				for name := range get.Header {
					if a, b := get.Header.Get(name), head.Header.Get(name); a != b && name != "Date" && name != "X-Request-Id" &&
						(b != "" || get.StatusCode != http.StatusPermanentRedirect) {
						t.Errorf("%s: %s is %q for GET and %q for HEAD", path, name, a, b)
					}
				}
				if get.ContentLength != head.ContentLength && get.StatusCode != http.StatusPermanentRedirect {
					t.Errorf("%s: length %d for GET and %d for HEAD", path, get.ContentLength, head.ContentLength)
				}
			}
		}
	}
}
