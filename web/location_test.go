package web

import (
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"samepage/store"
	"samepage/web/wire"
)

// emptySite returns a site on an empty database, for tests without the world.
func emptySite(t testing.TB, c Config) *Site {
	t.Helper()
	st, err := store.Open(t.Context(), t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	c.Log = slog.New(slog.DiscardHandler)
	s, err := New(t.Context(), st, c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const ours = "https://Samepage.example"

var long = strings.Repeat("x", wire.MaxURL)

// readings lists texts that a caller may send as a URL, with the canonical path that they mean. The path is empty if
// the text is refused.
var readings = []struct{ raw, want string }{
	// These are canonical.
	{"/", "/"},
	{"/whoami", "/whoami"},
	{"/studios/team", "/studios/team"},
	{"/studios/team/d/k3v9x0a2mq", "/studios/team/d/k3v9x0a2mq"},
	{"/orgs/acme/journal/verify", "/orgs/acme/journal/verify"},
	{"/orgs/acme/members/alice", "/orgs/acme/members/alice"},
	// These are other spellings of canonical paths.
	{"/Studios/TEAM", "/studios/team"},
	{"/studios/team/", "/studios/team"},
	{"/studios/te%61m", "/studios/team"},
	{"/%73tudios/team", "/studios/team"},
	{"  /studios/team\n", "/studios/team"},
	{"/studios/team#c12", "/studios/team"},
	{"/studios/team?#x?y", "/studios/team"},
	{"/studios/team.md", "/studios/team"},
	{"/studios/team.MD", "/studios/team"},
	{"/index.md", "/"},
	{"/index.md?x=1", "/"},
	// These are URLs of actions.
	{"/actions", "/actions"},
	{"/studios/actions", "/studios/actions"},
	{"/studios/team/actions", "/studios/team/actions"},
	{"/studios/team/actions/", "/studios/team/actions"},
	{"/studios/team/actions/join", "/studios/team/actions/join"},
	{"/studios/team/actions/Join/", "/studios/team/actions/join"},
	{"/studios/team/actions/create_decision?question=A+b&x=1",
		"/studios/team/actions/create_decision?question=A+b&x=1"},
	{"/studios/team/actions/join.md", "/studios/team/actions/join"},
	{"/studios/team/actions/a/b", ""},
	{"/studios/team/actions/actions/a", ""},
	{"/nowhere/actions/join", ""},
	// Declared query keys are kept, in one order, and all others are dropped.
	{"/studios?after=team", "/studios?after=team"},
	{"/studios?utm_source=x&after=team&wait=3", "/studios?after=team"},
	{"/whoami?after=team", "/whoami"},
	{"/orgs/acme/journal?studio=team&by=agent", "/orgs/acme/journal?by=agent&studio=team"},
	{"/studios?After=team", "/studios"},
	{"/studios?after=%2F%2Fevil.example", "/studios?after=%2F%2Fevil.example"},
	{"/studios?after=a;b=c", ""},
	{"/studios?after=%zz", ""},
	{"/studios?after=a%0d%0aSet-Cookie:x", "/studios?after=a%0D%0ASet-Cookie%3Ax"},
	// These are complete URLs on this origin, which people paste.
	{"https://samepage.example", "/"},
	{"https://samepage.example/", "/"},
	{"https://samepage.example?x=1", "/"},
	{"https://samepage.example#x", "/"},
	{"https://samepage.example/studios/team", "/studios/team"},
	{"HTTPS://SAMEPAGE.EXAMPLE/studios/team", "/studios/team"},
	{"https://samepage.example/studios/team.md#x", "/studios/team"},
	// These are on other origins.
	{"https://samepage.example:443/", ""},
	{"https://samepage.example:8443/whoami", ""},
	{"http://samepage.example/whoami", ""},
	{"https://samepage.example.evil.example/whoami", ""},
	{"https://samepage.examplewhoami", ""},
	{"https://evil.example/whoami", ""},
	{"https://alice@samepage.example/whoami", ""},
	{"https://samepage.example@evil.example/whoami", ""},
	{"https://samepage.example:pw@evil.example/whoami", ""},
	{"https:samepage.example/whoami", ""},
	{"https:/samepage.example/whoami", ""},
	{"https:///samepage.example/whoami", ""},
	{"https://samepage.example\\whoami", ""},
	{"https://samepage.example//evil.example", ""},
	{"https://samepage.example/\\evil.example", ""},
	{"//samepage.example/whoami", ""},
	{"//evil.example/whoami", ""},
	{"///evil.example/whoami", ""},
	{"/\\evil.example", ""},
	{"\\\\evil.example", ""},
	{"\\/evil.example", ""},
	{"/\t/evil.example", ""},
	{"/\n/evil.example", ""},
	{"\t//evil.example", ""},
	{"/.//evil.example", ""},
	{"/%2f/evil.example", ""},
	{"/%2Fevil.example", ""},
	{"/%5cevil.example", ""},
	{"/%09/evil.example", ""},
	{"javascript:alert(1)", ""},
	{"JavaScript:alert(1)", ""},
	{"java\tscript:alert(1)", ""},
	{"data:text/html,<script>", ""},
	{"file:///etc/passwd", ""},
	{"mailto:a@b.example", ""},
	// These paths can be read in two ways.
	{"/studios//team", ""},
	{"//", ""},
	{"/studios/./team", ""},
	{"/studios/../orgs/acme", ""},
	{"/studios/..", ""},
	{"/.", ""},
	{"/..", ""},
	{"/studios/%2e%2e/orgs", ""},
	{"/studios/.%2E/orgs", ""},
	{"/studios/team%2fd", ""},
	{"/studios/team%2Fd", ""},
	{"/studios/team%5cd", ""},
	{"/studios/team%5Cd", ""},
	{"/studios/team%00", ""},
	{"/studios/team%252fd", ""},
	{"/studios/team%255cd", ""},
	{"/studios/team%2500", ""},
	{"/studios/team%25252f", ""},
	{"/studios/team%3fx=1", ""},
	{"/studios/team%23x", ""},
	{"/studios/te%0aam", ""},
	{"/studios/te am", ""},
	{"/studios/te%20am", ""},
	{"/studios/te\x7fam", ""},
	{"/studios/te\x00am", ""},
	{"/studios/téam", ""},
	{"/studios/t%C3%A9am", ""},
	{"/studios/te\xffam", ""},
	{"/studios/te%ffam", ""},
	{"/studios/te\u202eam", ""},
	{"/studios/ｔeam", ""},
	{"/studios\\team", ""},
	{"/studios/te%", ""},
	{"/studios/te%g1am", ""},
	{"/studios/<b>", ""},
	{"/studios/%22onload=%22", ""},
	// These are not pages of the site.
	{"", ""},
	{"   ", ""},
	{"whoami", ""},
	{"studios/team", ""},
	{"?after=team", ""},
	{"#x", ""},
	{"/nowhere", ""},
	{"/index", ""},
	{"/.md", ""},
	{"/login", ""},
	{"/logout", ""},
	{"/setup?token=x", ""},
	{"/static/app.css", ""},
	{"/mcp", ""},
	{"/studios/team/d", ""},
	{"/studios/" + long, ""},
	{"/" + long, ""},
	{"https://samepage.example/whoami?x=" + long, ""},
	{"/studios?after=" + strings.Repeat("é", 700), ""},
}

func TestResolve(t *testing.T) {
	s := emptySite(t, Config{Origin: "https://samepage.example"})
	if err := s.store.Write(t.Context(), func(tx *store.Tx) error { // before, no form signs anybody in
		_, err := tx.CreateUser("alice@acme.example", "")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, c := range readings {
		at, err := s.resolve(c.raw, ours)
		got := ""
		if err == nil {
			got = at.url()
		}
		if got != c.want {
			t.Errorf("%.80q is read as %q, want %q (%v)", c.raw, got, c.want, err)
		}
		if err != nil && (store.CodeOf(err) != store.Invalid && store.CodeOf(err) != store.NotFound ||
			err.Error() == "") {
			t.Errorf("%.80q is refused with %v", c.raw, err)
		}
		next := nextAfterLogin(t, s, c.raw)
		if want := c.want; want == "" && next != "/" || want != "" && next != want {
			t.Errorf("next=%.80q leads to %q", c.raw, next)
		}
		if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
			t.Errorf("next=%.80q leads off the site: %q", c.raw, next)
		}
	}
	t.Logf("%d readings", len(readings))
}

var loginAction = regexp.MustCompile(`action="(/login[^"]*)"`)

// nextAfterLogin returns the URL to which signing in redirects, from the form at /login?next=raw. It returns "/" if the
// form names no URL, or if the query is so long that it is refused.
func nextAfterLogin(t *testing.T, s *Site, raw string) string {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", "https://samepage.example/login?next="+url.QueryEscape(raw), nil))
	form := loginAction.FindStringSubmatch(w.Body.String())
	switch {
	case w.Code == http.StatusBadRequest && len(url.QueryEscape(raw)) > wire.MaxURL-len("next="):
		return "/"
	case len(form) == 0:
		t.Fatalf("next=%.80q: %d, no form", raw, w.Code)
	}
	action, err := url.Parse(html.UnescapeString(form[1]))
	if err != nil {
		t.Fatal(err)
	}
	if next := action.Query().Get("next"); next != "" {
		return next
	}
	return "/"
}

// TestResolveByHost resolves URLs on a site without a configured origin. The origin of the site is then the host
// of the request, and URLs with another scheme, host or port are refused.
func TestResolveByHost(t *testing.T) {
	s := emptySite(t, Config{})
	r := httptest.NewRequest("GET", "http://localhost:8080/", nil)
	for raw, want := range map[string]string{
		"http://localhost:8080/whoami": "/whoami", "http://LOCALHOST:8080": "/", "/whoami": "/whoami",
		"http://localhost/whoami": "", "http://127.0.0.1:8080/whoami": "", "https://localhost:8080/whoami": "",
		"http://localhost:80801/whoami": "",
	} {
		if got, err := s.Resolve(raw, r); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", raw, got, err)
		}
	}
}

// TestCanonicalAddress requests many paths over HTTP. Each is answered at this path, is redirected permanently to its
// canonical path, or is refused. No path is redirected twice.
func TestCanonicalAddress(t *testing.T) {
	s := emptySite(t, Config{Origin: "https://samepage.example"})
	for _, c := range []struct {
		path     string
		status   int
		location string
	}{
		{"/help", 200, ""}, {"/help.md", 200, ""}, {"/whoami?x=1", 200, ""}, {"/help/agents", 200, ""},
		{"/static/app.css", 200, ""},
		{"/Help", 308, "/help"}, {"/help/", 308, "/help"}, {"/HELP.MD", 308, "/help.md"},
		{"/help/?full=1", 308, "/help?full=1"}, {"/Help?Full=A%2fB", 308, "/help?Full=A%2fB"},
		{"/h%65lp", 308, "/help"}, {"/%68%65%6C%70", 308, "/help"}, {"/help/%61gents", 308, "/help/agents"},
		{"/help%2emd", 308, "/help.md"},
		{"/studios/te%61m", 308, "/studios/team"}, {"/studios/a%21b", 308, "/studios/a!b"},
		{"/studios/a%27b", 308, "/studios/a'b"}, {"/Login/?next=/x", 308, "/login?next=/x"},
		{"//help", 400, ""}, {"//evil.example/help", 400, ""}, {"/help//", 400, ""}, {"/./help", 400, ""},
		{"/help/..", 400, ""}, {"/help/../orgs", 400, ""},
		{"/%2e/help", 400, ""}, {"/help%2Fagents", 400, ""}, {"/help%2fagents", 400, ""},
		{"/%2fevil.example", 400, ""}, {"/help%5Cx", 400, ""}, {"/help%00", 400, ""},
		{"/help%252f", 400, ""}, {"/help%0d%0aX:1", 400, ""}, {"/help%20", 400, ""}, {"/help%7f", 400, ""},
		{"/h%C3%A9lp", 400, ""}, {"/help%3fx", 400, ""},
		{"/help%23x", 400, ""}, {"/help%22", 400, ""}, {"/" + long, 400, ""}, {"/help?x=" + long, 400, ""},
		{"/", 303, "/login?next=%2F"},
		{"/Studios/../login", 400, ""}, {"/studios/team;a=b", 303, "/login?next=%2Fstudios%2Fteam%3Ba%3Db"},
	} {
		r := httptest.NewRequest("GET", "https://samepage.example/", nil)
		u, err := url.ParseRequestURI("https://samepage.example" + c.path)
		if err != nil {
			t.Fatalf("%q: %v", c.path, err)
		}
		r.URL, r.RequestURI = &url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery}, c.path
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		location := w.Header().Get("Location")
		if w.Code != c.status || location != c.location {
			t.Errorf("%.80q: %d %q, want %d %q", c.path, w.Code, location, c.status, c.location)
		}
		if c.status == http.StatusPermanentRedirect {
			again := httptest.NewRecorder()
			s.ServeHTTP(again, httptest.NewRequest("GET", "https://samepage.example"+location, nil))
			if again.Code == http.StatusPermanentRedirect || again.Code == http.StatusBadRequest {
				t.Errorf("%q redirects to %q, which answers %d %q", c.path, location, again.Code,
					again.Header().Get("Location"))
			}
			if w.Header().Get("Vary") != "Accept" {
				t.Errorf("%q: Vary %q", c.path, w.Header().Get("Vary"))
			}
		}
	}
}

func FuzzResolve(f *testing.F) {
	for _, c := range readings {
		f.Add(c.raw)
	}
	s := emptySite(f, Config{Origin: "https://samepage.example"})
	f.Fuzz(func(t *testing.T, raw string) {
		at, err := s.resolve(raw, ours)
		if err != nil {
			return
		}
		u := at.url()
		path, _, _ := strings.Cut(u, "?")
		if !strings.HasPrefix(u, "/") || strings.HasPrefix(u, "//") || strings.HasPrefix(u, "/\\") ||
			strings.ContainsAny(u, "\\ \r\n\t\x00#") || path != strings.ToLower(path) {
			t.Fatalf("%q is read as %q", raw, u)
		}
		if place, ok := s.PlaceOf(path); !ok || place.Pattern != at.route.pattern {
			t.Fatalf("%q is read as %q, which is no page", raw, u)
		}
		again, err := s.resolve(u, ours)
		if err != nil || again.url() != u {
			t.Fatalf("%q is read as %q, and that as %v, %v", raw, u, again, err)
		}
		parsed, err := url.Parse(u)
		if err != nil || parsed.Host != "" || parsed.Scheme != "" || parsed.Path != path {
			t.Fatalf("%q is read as %q, which others read as %#v", raw, u, parsed)
		}
	})
}
