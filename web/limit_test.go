package web_test

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/store/pgtest"
	"samepage/web"
	"samepage/web/webtest"
)

func limited(c *web.Config) { c.Unlimited = false }

// until calls the function ask until its answer is 429, but not more than most+1 times. It returns the number of other
// answers, and the seconds to wait.
func until(t *testing.T, most int, ask func() *webtest.Response) (answered, wait int) {
	t.Helper()
	for answered = 0; answered <= most; answered++ {
		if r := ask(); r.Status == 429 {
			wait, err := strconv.Atoi(r.Header.Get("Retry-After"))
			if err != nil || !strings.Contains(r.Body, "nothing was done. Wait") ||
				r.Header.Get("X-RateLimit-Remaining") != "0" {
				t.Errorf("Retry-After %q: %s", r.Header.Get("Retry-After"), r.Body)
			}
			return answered, wait
		}
	}
	return answered, 0
}

// TestLimits reads, takes actions and searches up to the limits of a token. Each is counted separately, and
// separately for each token. Requests are admitted again after the time that the refusal stated.
func TestLimits(t *testing.T) {
	w := webtest.New(t, limited)
	read := func(who, path string) func() *webtest.Response {
		return func() *webtest.Response { return w.As(who).Get(path, "text/markdown") }
	}
	act := func() *webtest.Response {
		return w.As("scout").JSON(w.URL("talk"), "comment", webtest.Call{Params: param.Input{"text": "Again."}})
	}
	first := w.As("scout").Get("/whoami", "")
	if h := first.Header; h.Get("X-RateLimit-Limit") != "60" || h.Get("X-RateLimit-Remaining") != "59" ||
		h.Get("X-RateLimit-Reset") != "60" {
		t.Errorf("headers: %v", h)
	}
	for i, r := range []*webtest.Response{w.As("scribe").JSON(w.URL("talk"), "comment",
		webtest.Call{Params: param.Input{"text": "Once."}}),
		w.As("scribe").JSON(w.URL("talk"), "comment", webtest.Call{})} {
		if h := r.Header; h.Get("X-RateLimit-Limit") != "10" || h.Get("X-RateLimit-Remaining") != strconv.Itoa(9-i) {
			t.Errorf("headers of an action, %d: %v", r.Status, h)
		}
	}
	if who := w.As("scout").Get("/whoami", "text/markdown").Body; !strings.Contains(who,
		"**Reads left**: 58 of 60 a minute") || !strings.Contains(who, "**Actions left**: 10 of 10 a minute") {
		t.Error(who)
	}
	for _, c := range []struct {
		what string
		ask  func() *webtest.Response
		want int
	}{{"reads", read("scout", "/studios/team"), 58}, {"actions", act, 10},
		{"searches", read("scout", "/search?q=plants"), 20}, {"another's reads", read("scribe", "/"), 60}} {
		if n, wait := until(t, 100, c.ask); n != c.want || wait != 60 {
			t.Errorf("%s: refused after %d, told to wait %d s; want %d and 60", c.what, n, wait, c.want)
		}
	}
	w.Clock.Advance(60 * time.Second) // a new minute, but the previous minute still counts in full
	if n, _ := until(t, 100, act); n != 0 {
		t.Errorf("%d actions at the start of the next minute", n)
	}
	w.Clock.Advance(30 * time.Second)
	if n, _ := until(t, 100, act); n != 5 {
		t.Errorf("%d actions half a minute later, want 5", n)
	}
	w.Clock.Advance(2 * time.Minute)
	if n, _ := until(t, 100, act); n != 10 {
		t.Errorf("%d actions two minutes later, want 10", n)
	}
}

// TestLimitsAreSet changes the limits of an organization. The new limits apply to the next request.
func TestLimitsAreSet(t *testing.T) {
	w := webtest.New(t, limited)
	all := param.Input{}
	for _, of := range []string{"token", "member", "organization"} {
		for i, use := range []string{"reads", "actions", "searches"} {
			all[of+"_"+use] = map[string]int{"token": 0, "member": 7, "organization": 30}[of] + i
		}
	}
	if r := w.As("alice").JSON("/orgs/acme/settings", "update_limits", webtest.Call{Params: all}); r.Status != 200 {
		t.Fatal(r.Status, r.Body)
	}
	ask := func(who string) func() *webtest.Response {
		return func() *webtest.Response { return w.As(who).Get("/whoami", "text/markdown") }
	}
	if n, _ := until(t, 50, ask("scribe")); n != 7 {
		t.Errorf("alice's agent read %d times, want 7", n)
	}
	if n, _ := until(t, 50, ask("alice")); n != 0 {
		t.Errorf("then alice read %d times: her agent's reads are hers", n)
	}
	total := 7
	for _, who := range []string{"bob", "erin", "carol", "dave"} {
		n, _ := until(t, 50, ask(who))
		total += n
	}
	if total != 30 {
		t.Errorf("all together read %d times, want 30", total)
	}
	if n, _ := until(t, 50, ask("oscar")); n < 50 {
		t.Errorf("another organization was refused after %d", n)
	}
}

// TestAddresses checks that X-Forwarded-For is believed only from trusted proxies, and that anonymous requests are
// limited by address.
func TestAddresses(t *testing.T) {
	slow(t)
	w := webtest.New(t, limited, func(c *web.Config) {
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128"),
			netip.MustParsePrefix("192.0.2.1/32")}
	})
	for _, c := range []struct{ remote, forwarded, want string }{
		{"203.0.113.7:5000", "", "203.0.113.7"},
		{"203.0.113.7:5000", "198.51.100.1", "203.0.113.7"}, // the header is forged
		{"10.1.2.3:5000", "198.51.100.1", "198.51.100.1"},
		{"10.1.2.3:5000", "192.0.2.66, 198.51.100.1, 10.9.9.9", "198.51.100.1"}, // the first entry is forged
		{"10.1.2.3:5000", "198.51.100.1, rubbish", "10.1.2.3"},
		{"10.1.2.3:5000", "", "10.1.2.3"},
		{"[::1]:5000", "::ffff:198.51.100.1", "198.51.100.1"},
	} {
		if got := w.Site.Address(c.remote, c.forwarded); got != c.want {
			t.Errorf("%s, forwarded for %q, is %s, want %s", c.remote, c.forwarded, got, c.want)
		}
	}
	stranger := func(from string) func() *webtest.Response {
		return func() *webtest.Response {
			c := w.As("anonymous")
			c.Header.Set("X-Forwarded-For", from)
			return c.Get("/studios/plaza", "text/markdown")
		}
	}
	w.Clock.Advance(time.Hour)
	for i := range 2 {
		from := fmt.Sprintf("198.51.100.%d", i+1)
		if n, _ := until(t, 400, stranger(from)); n != 300 {
			t.Errorf("%s read %d pages, want 300", from, n)
		}
	}
}

// TestLimitsOfServers counts the requests that two servers on one database admit. After the servers have exchanged
// their counts, both together admit as many requests as a single server would.
func TestLimitsOfServers(t *testing.T) {
	if pgtest.Given() == "" {
		t.Skip("on a server only: a file has one server")
	}
	w := webtest.New(t, limited)
	nodes := []*webtest.World{w, w.Node(limited)}
	n := 0
	for range 20 {
		for _, node := range nodes {
			for range 3 {
				if r := node.As("scout").Get("/whoami", "text/markdown"); r.Status == 200 {
					n++
				}
			}
			if err := node.Site.ShareLimits(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n < 60 || n > 63 {
		t.Errorf("two servers let through %d reads, want 60, or what was asked before they told each other", n)
	}
}
