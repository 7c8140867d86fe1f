package oauth

import (
	"context"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"samepage/store"
)

// fixture is a server of metadata documents on this machine, and a library that may fetch from it.
type fixture struct {
	*httptest.Server
	library *library
	now     time.Time
	asked   atomic.Int32
	header  string // Cache-Control header of the answers
}

const document200 = `{"client_id":"%s","client_name":"Robot","redirect_uris":["http://127.0.0.1/callback"],
	"token_endpoint_auth_method":"none","logo_uri":"https://evil.example/logo.png"}`

func newFixture(t *testing.T) *fixture {
	f := &fixture{now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)}
	f.Server = httptest.NewTLSServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.Close)
	roots := x509.NewCertPool()
	roots.AddCert(f.Certificate())
	f.library = newLibrary(Documents{On: true, Roots: roots,
		Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, func() time.Time { return f.now })
	return f
}

func (f *fixture) serve(w http.ResponseWriter, r *http.Request) {
	f.asked.Add(1)
	w.Header().Set("Content-Type", "application/json")
	if f.header != "" {
		w.Header().Set("Cache-Control", f.header)
	}
	own := f.URL + r.URL.Path
	say := func(format string) { fmt.Fprintf(w, format, own) }
	switch r.URL.Path {
	case "/good":
		say(document200)
	case "/plus":
		w.Header().Set("Content-Type", "application/oauth-client+json; charset=utf-8")
		say(document200)
	case "/mismatch":
		fmt.Fprintf(w, document200, f.URL+"/good")
	case "/redirect", "/moved":
		http.Redirect(w, r, "/good", map[string]int{"/redirect": 302, "/moved": 301}[r.URL.Path])
	case "/largest", "/larger":
		length := map[string]int{"/largest": maxDocument, "/larger": maxDocument + 1}[r.URL.Path]
		body := fmt.Sprintf(document200, own)
		fmt.Fprint(w, body, strings.Repeat(" ", length-len(body)))
	case "/huge":
		say(strings.Replace(document200, "Robot", strings.Repeat("x", maxDocument), 1))
	case "/endless":
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<10)); err != nil {
				return
			}
		}
	case "/slow":
		<-r.Context().Done()
	case "/drip":
		w.WriteHeader(200)
		for r.Context().Err() == nil {
			w.Write([]byte(" "))
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
			case <-time.After(50 * time.Millisecond):
			}
		}
	case "/html":
		w.Header().Set("Content-Type", "text/html")
		say(document200)
	case "/missing":
		w.WriteHeader(404)
		say(document200)
	case "/broken":
		w.Write([]byte(`{"client_id":`))
	case "/list":
		w.Write([]byte(`[]`))
	case "/nameless":
		say(`{"client_id":"%s","redirect_uris":["http://127.0.0.1/callback"]}`)
	case "/nowhere":
		say(`{"client_id":"%s","client_name":"Robot"}`)
	case "/script":
		say(`{"client_id":"%s","client_name":"Robot","redirect_uris":["javascript:alert(1)"]}`)
	case "/many":
		say(`{"client_id":"%s","client_name":"Robot","redirect_uris":["https://a.example/1"` +
			strings.Repeat(`,"https://a.example/1"`, 10) + `]}`)
	case "/secret":
		say(strings.Replace(document200, `"none"`, `"client_secret_post"`, 1))
	case "/kept":
		say(strings.Replace(document200, `"client_name"`, `"client_secret":"x","client_name"`, 1))
	case "/hidden":
		say(strings.Replace(document200, "Robot", "Rob\u202eot", 1))
	}
}

func TestDocuments(t *testing.T) {
	f := newFixture(t)
	for _, path := range []string{"/good", "/plus", "/largest"} {
		c, err := f.library.client(t.Context(), f.URL+path)
		if err != nil || c.ID != f.URL+path || c.Name != "Robot" || !c.Verified || len(c.Redirects) != 1 {
			t.Errorf("%s: %+v, %v", path, c, err)
		}
	}
	began := time.Now()
	for path, why := range map[string]string{
		"/mismatch": "not the address it is at", "/redirect": "302", "/moved": "301", "/huge": "longer than 5 KB",
		"/larger": "longer than 5 KB", "/endless": "longer than 5 KB", "/slow": "could not be fetched",
		"/drip": "could not be fetched in time",
		"/html": "text/html", "/missing": "404", "/broken": "not the JSON", "/list": "not the JSON",
		"/nameless": "client_name is missing", "/nowhere": "redirect_uris", "/script": "redirect_uris",
		"/many": "1 to 10", "/secret": "secret", "/kept": "secret", "/hidden": "visible",
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			if c, err := f.library.client(t.Context(), f.URL+path); err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("%+v, %v", c, err)
			}
		})
	}
	t.Cleanup(func() {
		if took := time.Since(began); took > 2*time.Minute {
			t.Errorf("it took %v", took)
		}
	})
}

// TestClientIDs checks which URLs can be the ID of a client.
func TestClientIDs(t *testing.T) {
	longest := "https://client.example/"
	longest += strings.Repeat("a", maxRedirect-len(longest))
	for _, id := range []string{"https://client.example/metadata.json", "https://client.example:8443/a/b",
		"https://client.example/a?v=1", longest} {
		if err := goodClientID(id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	for _, id := range []string{
		"", "client", "http://client.example/a", "https://client.example", "https://client.example/",
		"https://client.example/a#b", "https://client.example/a#", "https://user@client.example/a",
		"https://client.example/a/../b", "https://client.example/./a", "https://client.example/..",
		"HTTPS://client.example/a", "https:///a", "https:a", "file:///etc/passwd", "https://client.example/a b",
		longest + "a", "https://client.example/\x00",
		"https://client.example\\a", "gopher://client.example/a", "https://[::1/a",
	} {
		if err := goodClientID(id); err == nil {
			t.Errorf("%q is taken", id)
		}
	}
}

// TestAskedClients checks that a client with a metadata document is read from the document. A URL that cannot be the ID
// of a client is not fetched.
func TestAskedClients(t *testing.T) {
	w, f := newWorld(t), newFixture(t)
	w.documents = f.library
	q, err := w.ask(f.URL+"/good", "redirect_uri", "http://127.0.0.1/callback")
	if err != nil || q.Client.ID != f.URL+"/good" || q.Client.Name != "Robot" {
		t.Errorf("read as %+v: %v", q, err)
	}
	before := f.asked.Load()
	for path, c := range map[string]struct {
		why   string
		asked int32
	}{"/good#x": {"not one that a program can have for a name", 0}, "/broken": {"not the JSON", 1}} {
		_, err := w.ask(f.URL+path, "redirect_uri", "http://127.0.0.1/callback")
		if store.CodeOf(err) != store.Invalid || !strings.Contains(err.Error(), c.why) || f.asked.Load() != before+c.asked {
			t.Errorf("%s, asked %d times: %v", path, f.asked.Load()-before, err)
		}
		before = f.asked.Load()
	}
}

// TestCaching checks that a document is cached as long as its server allows, within limits.
func TestCaching(t *testing.T) {
	for header, life := range map[string]time.Duration{
		"": documentLife, "no-store": 0, "no-cache": 0, "public, max-age=60": time.Minute, "max-age=0": 0,
		"max-age=9999999": maxDocumentLife, "max-age=-5": 0, "max-age=x": documentLife,
		"max-age=99999999999999999999": documentLife,
	} {
		f := newFixture(t)
		f.header = header
		get := func() int32 {
			if _, err := f.library.client(t.Context(), f.URL+"/good"); err != nil {
				t.Fatal(err)
			}
			return f.asked.Load()
		}
		get()
		f.now = f.now.Add(life - time.Millisecond)
		if n := get(); life > 0 && n != 1 {
			t.Errorf("%q: asked %d times before %v", header, n, life)
		}
		f.now = f.now.Add(time.Millisecond)
		if n := get(); n < 2 {
			t.Errorf("%q: asked %d times after %v", header, n, life)
		}
	}
}

// TestFullCache checks that a full library forgets its documents when it fetches another one.
func TestFullCache(t *testing.T) {
	f := newFixture(t)
	get := func() {
		if _, err := f.library.client(t.Context(), f.URL+"/good"); err != nil {
			t.Fatal(err)
		}
	}
	for n := range maxDocuments - 1 {
		f.library.known[strconv.Itoa(n)] = document{}
	}
	get()
	if n := len(f.library.known); n != maxDocuments {
		t.Errorf("%d documents are kept, want %d", n, maxDocuments)
	}
	f.now = f.now.Add(maxDocumentLife)
	get()
	if n := len(f.library.known); n != 1 {
		t.Errorf("%d documents are kept after one more, want 1", n)
	}
}

// TestGuard fetches documents from private addresses, and from host names with private addresses. It expects that only
// addresses on the public internet are dialled.
func TestGuard(t *testing.T) {
	asked := make(chan struct{}, 100)
	private := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked <- struct{}{} }))
	defer private.Close()
	_, port, _ := net.SplitHostPort(private.Listener.Addr().String())
	refused := func(t *testing.T, l *library, id string) {
		t.Helper()
		_, _, err := l.get(t.Context(), id)
		if err == nil || !strings.Contains(err.Error(), "not on the public internet") {
			t.Errorf("%s: %v", id, err)
		}
	}
	closed := newLibrary(Documents{On: true}, time.Now)
	for _, host := range []string{
		"127.0.0.1", "127.0.0.1:" + port, "127.255.255.254", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]",
		"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "[fe80::1]", "[fd00::1]",
		"[fd00:ec2::254]", "100.64.0.1", "192.0.0.8", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
		"224.0.0.1", "240.0.0.1", "255.255.255.255", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[2001:db8::1]",
		"[::ffff:10.0.0.1]", "[::ffff:169.254.169.254]", "[100::1]", "[ff02::1]", "8.8.8.8:22", "8.8.8.8:80",
		"8.8.8.8:8443",
	} {
		refused(t, closed, "https://"+host+"/client.json")
	}
	// Some of these names have one private address, one has two, and one has another address at its second lookup.
	// However often a name is looked up, the address that is dialled decides.
	answers := map[string][][]string{
		"private.example.": {{"127.0.0.1"}},
		"both.example.":    {{"10.1.2.3", "127.0.0.1"}},
		"rebind.example.":  {{"10.9.9.9"}, {"127.0.0.1"}},
		"meta.example.":    {{"169.254.169.254"}},
		"six.example.":     {{"::1"}},
		"mapped.example.":  {{"::ffff:10.0.0.1"}},
	}
	resolver := fakeResolver(t, answers)
	named := newLibrary(Documents{On: true, resolver: resolver}, time.Now)
	for name := range answers {
		for range 3 {
			refused(t, named, "https://"+strings.TrimSuffix(name, ".")+"/client.json")
		}
	}
	refused(t, closed, "https://localhost:"+port+"/client.json")
	// An allowed prefix does not allow any other address.
	narrow := newLibrary(Documents{On: true, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.7/32")}}, time.Now)
	refused(t, narrow, "https://127.0.0.1:"+port+"/client.json")
	refused(t, narrow, "https://[::ffff:127.0.0.1]:"+port+"/client.json")
	if len(asked) > 0 {
		t.Errorf("%d requests came through", len(asked))
	}
}

// fakeResolver returns a resolver that asks a name server on this machine. Each time that a name is looked up, the
// server answers with the next addresses in the name's list.
func fakeResolver(t *testing.T, answers map[string][][]string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { conn.Close(); <-done })
	go func() {
		defer close(done)
		times := map[string]int{}
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			name := q.Name.String()
			list := answers[name]
			if len(list) > 0 {
				for _, text := range list[min(times[name], len(list)-1)] {
					h := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
					ip := netip.MustParseAddr(text)
					if ip.Is4() && q.Type == dnsmessage.TypeA {
						m.Answers = append(m.Answers,
							dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: ip.As4()}})
					} else if ip.Is6() && q.Type == dnsmessage.TypeAAAA {
						m.Answers = append(m.Answers,
							dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: ip.As16()}})
					}
				}
				if q.Type == dnsmessage.TypeA {
					times[name]++
				}
			}
			m.Response = true
			if out, err := m.Pack(); err == nil {
				conn.WriteTo(out, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// FuzzDocument reads arbitrary documents. A client that is accepted has a name and valid redirect addresses.
func FuzzDocument(f *testing.F) {
	const id = "https://client.example/a"
	f.Add([]byte(fmt.Sprintf(document200, id)))
	f.Add([]byte(`{"client_id":"https://client.example/a","client_name":"\u0000","redirect_uris":["https://x/"]}`))
	f.Add([]byte(`{"client_id":["https://client.example/a"]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		c, err := readDocument(id, body)
		if err != nil {
			return
		}
		if c.ID != id || strings.TrimSpace(c.Name) == "" || len([]rune(c.Name)) > maxName || len(c.Redirects) == 0 ||
			len(c.Redirects) > maxRedirects {
			t.Errorf("%+v", c)
		}
		for _, to := range c.Redirects {
			if !goodRedirect(to) || strings.ContainsAny(to, "\r\n \"<>\\") {
				t.Errorf("redirect %q", to)
			}
		}
	})
}

// FuzzRedirect checks that a redirect address which is accepted as a registered one has the same host and path.
func FuzzRedirect(f *testing.F) {
	for _, s := range []string{callback, "https://robot.example/back", "http://localhost:1/callback",
		"http://127.0.0.1@evil/", "http://[::1]:9/callback"} {
		f.Add(callback, s)
		f.Add(s, callback)
	}
	f.Fuzz(func(t *testing.T, registered, asked string) {
		if !goodRedirect(registered) || !goodRedirect(asked) || !sameRedirect(registered, asked) ||
			registered == asked {
			return
		}
		a, b := loopbackRedirect.FindStringSubmatch(registered), loopbackRedirect.FindStringSubmatch(asked)
		if a == nil || b == nil || a[1]+a[3] != b[1]+b[3] {
			t.Errorf("%q is taken for %q", asked, registered)
		}
	})
}

const callback = "http://127.0.0.1/callback"
