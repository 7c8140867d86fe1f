package web_test

import (
	"net/http/httptest"
	"net/netip"
	"testing"

	"samepage/store"
	"samepage/web"
	"samepage/web/webtest"
)

// TestHostOfThePeer sends requests with many Host headers. A site without a configured origin answers only
// requests from this machine to a loopback name. A site with an origin answers everybody at the origin's host, and
// requests from this machine at a loopback name, too.
func TestHostOfThePeer(t *testing.T) {
	aboutContent(t)
	st, err := store.Open(t.Context(), t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	newSite := func(c web.Config) *web.Site {
		s, err := web.New(t.Context(), st, c)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	local := newSite(web.Config{})
	behind := newSite(web.Config{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	public := newSite(web.Config{Origin: webtest.Origin})
	name := webtest.Origin[len("https://"):]
	for _, c := range []struct {
		site                       *web.Site
		from, host, forwarded, say string
		status                     int
	}{
		{local, "127.0.0.1:4711", "localhost:8080", "", "a peer on this machine", 200},
		{local, "[::1]:4711", "[::1]:8080", "", "a peer on this machine by IPv6", 200},
		{local, "192.0.2.1:4711", "localhost:8080", "", "a stranger with a loopback name", 403},
		{local, "192.0.2.1:4711", "127.0.0.1", "127.0.0.1", "a stranger with a forged client", 403},
		{local, "[2001:db8::1]:4711", "", "", "a stranger without a name", 403},
		{local, "127.0.0.1:4711", "evil.example", "", "a rebound name", 403},
		{behind, "127.0.0.1:4711", "localhost:8080", "192.0.2.1", "a stranger behind a local proxy", 403},
		{public, "192.0.2.1:4711", name, "", "a stranger", 200},
		{public, "192.0.2.1:4711", "localhost:8080", "", "a stranger with a loopback name, with an origin", 403},
		{public, "127.0.0.1:4711", "localhost:8080", "", "a peer on this machine, with an origin", 200},
	} {
		r := httptest.NewRequest("GET", "/login", nil)
		r.RemoteAddr, r.Host = c.from, c.host
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		w := httptest.NewRecorder()
		if c.site.ServeHTTP(w, r); w.Code != c.status {
			t.Errorf("%s is answered %d, not %d", c.say, w.Code, c.status)
		}
	}
}
