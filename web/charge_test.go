package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"samepage/web/webtest"
)

// uncounted holds the routes that count against no limit, each with the reason.
var uncounted = map[string]string{
	"/healthz":    "supervisors ask often, and nothing is looked up",
	"/readyz":     "supervisors ask often, and one row is looked up",
	"/robots.txt": "written from memory",
	"/llms.txt":   "written from memory",
	"/static/*":   "read from memory, and kept by browsers",

	"/avatars/{name}": "made from the address alone, and kept by browsers",
}

var placeholder = regexp.MustCompile(`\{[^}]*\}|\*`)

// spentWorld returns a world in which spentAddress and the token of Scribe have used up their limits. The function
// ask sends a request as an actor from an address, and returns the status. The argument headers has pairs of a
// name and a value.
func spentWorld(t *testing.T) (w *webtest.World, ask func(as, from, method, path string, headers ...string) int) {
	w = webtest.New(t, limited)
	ask = func(as, from, method, path string, headers ...string) int {
		r := httptest.NewRequest(method, webtest.Origin+path, strings.NewReader(""))
		r.RemoteAddr = from + ":1"
		for j := 0; j < len(headers); j += 2 {
			r.Header.Set(headers[j], headers[j+1])
		}
		return w.As(as).Do(r).Status
	}
	spend := func(most int, again func() int) {
		t.Helper()
		for range most {
			if again() == http.StatusTooManyRequests {
				return
			}
		}
		t.Fatalf("no limit after %d requests", most)
	}
	spend(400, func() int { return ask("anonymous", spentAddress, "GET", "/whoami") })
	spend(100, func() int { return ask("scribe", freshAddress, "GET", "/whoami") })
	spend(40, func() int { return ask("scribe", freshAddress, "GET", "/search?q=x") })
	spend(40, func() int { return ask("scribe", freshAddress, "POST", "/studios/team/actions/join") })
	return w, ask
}

const (
	spentAddress = "203.0.113.50"
	freshAddress = "203.0.113.51"
)

// TestEveryRouteCounts requests every route after the limits are used up. An address is refused at each route, with a
// wrong token or none, and a token is refused at each page, file and action.
func TestEveryRouteCounts(t *testing.T) {
	aboutContent(t)
	w, ask := spentWorld(t)
	wrong := []string{"Authorization", "Bearer sp_wrong"}
	refused := 0
	must := func(what string, status int) {
		t.Helper()
		refused++
		if status != http.StatusTooManyRequests {
			t.Errorf("%s is not counted: %d", what, status)
		}
	}
	err := chi.Walk(w.Site.Fixed(), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		path := placeholder.ReplaceAllString(route, "x")
		status := ask("anonymous", spentAddress, method, path)
		if uncounted[route] != "" {
			if status == http.StatusTooManyRequests {
				t.Errorf("%s counts: take it from the list of uncounted routes", route)
			}
			return nil
		}
		must(method+" "+route, status)
		must(method+" "+route+" with a wrong token", ask("anonymous", spentAddress, method, path, wrong...))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range w.Site.Places() {
		path := placeholder.ReplaceAllString(p.Pattern, "x")
		must("GET "+p.Pattern, ask("anonymous", spentAddress, "GET", path))
		must("GET "+p.Pattern+" with a wrong token", ask("anonymous", spentAddress, "GET", path, wrong...))
		must("GET "+p.Pattern+" as a picture", ask("anonymous", spentAddress, "GET", path, "Accept", "image/png"))
		must("GET "+p.Pattern+" with a spent token", ask("scribe", freshAddress, "GET", path))
		act := strings.TrimSuffix(path, "/") + "/actions/comment"
		must("POST "+act, ask("anonymous", spentAddress, "POST", act))
		must("POST "+act+" with a wrong token", ask("anonymous", spentAddress, "POST", act, wrong...))
		must("POST "+act+" with a spent token", ask("scribe", freshAddress, "POST", act))
		must("PUT "+p.Pattern, ask("anonymous", spentAddress, "PUT", path))
	}
	for what, status := range map[string]int{
		"a path that nothing has":          ask("anonymous", spentAddress, "GET", "/nothing/here"),
		"the same with a spent token":      ask("scribe", freshAddress, "GET", "/nothing/here"),
		"a path that is not canonical":     ask("anonymous", spentAddress, "GET", "/studios/%2e%2e/x"),
		"a request from another site":      ask("anonymous", spentAddress, "POST", "/login", "Sec-Fetch-Site", "cross-site"),
		"an action of a page with .md":     ask("anonymous", spentAddress, "POST", "/studios/team.md/actions/join"),
		"the file of a page, spent token":  ask("scribe", freshAddress, "GET", w.URL("commitment event")+".ics"),
		"a download with a spent token":    ask("scribe", freshAddress, "GET", "/files/x/download"),
		"a page's preview for other sites": ask("anonymous", spentAddress, "GET", "/oembed?url="+webtest.Origin+"/studios/team"),
	} {
		must(what, status)
	}
	for address, status := range map[string]int{spentAddress: http.StatusTooManyRequests, freshAddress: http.StatusUnauthorized} {
		for _, token := range []string{"", "Bearer sp_wrong"} {
			r := httptest.NewRequest("POST", webtest.Origin+"/mcp", strings.NewReader("{}"))
			r.RemoteAddr = address + ":1"
			r.Header.Set("Authorization", token)
			rec := httptest.NewRecorder()
			if tools(w).ServeHTTP(rec, r); rec.Code != status {
				t.Errorf("/mcp with the token %q: %d, want %d", token, rec.Code, status)
			}
		}
	}
	t.Logf("%d requests refused", refused)
}

// TestEveryMessageCounts sends messages of many kinds to the MCP endpoint. Each message counts as a read, also in a
// batch.
func TestEveryMessageCounts(t *testing.T) {
	message := func(id int, method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
	}
	list := message(1, "tools/list", "{}")
	for name, c := range map[string]struct {
		body string
		each int // number of reads that one request counts as
		mean string
	}{
		"a list of tools":  {list, 1, "2025-06-18"},
		"a ping":           {message(1, "ping", "{}"), 1, "2025-06-18"},
		"an unknown tool":  {message(1, "tools/call", `{"name":"nothing","arguments":{}}`), 1, "2025-06-18"},
		"a wrong argument": {message(1, "tools/call", `{"name":"navigate","arguments":{"url":7}}`), 1, "2025-06-18"},
		"a page":           {message(1, "tools/call", `{"name":"navigate","arguments":{"url":"/whoami"}}`), 1, "2025-06-18"},
		"a batch":          {"[" + list + "," + message(2, "ping", "{}") + "," + message(3, "tools/list", "{}") + "]", 3, "2025-03-26"},
		"no message":       {"{", 1, "2025-06-18"},
		"too long a batch": {"[" + strings.Repeat(list+",", 30) + list + "]", 1, "2025-03-26"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := webtest.New(t, limited)
			r := httptest.NewRequest("POST", webtest.Origin+"/mcp", strings.NewReader(c.body))
			r.RemoteAddr = freshAddress + ":1"
			for key, value := range map[string]string{"Authorization": "Bearer " + w.Token("scribe"),
				"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
				"Mcp-Protocol-Version": c.mean} {
				r.Header.Set(key, value)
			}
			rec := httptest.NewRecorder()
			tools(w).ServeHTTP(rec, r)
			left := w.As("scribe").Get("/whoami", "").Header.Get("X-RateLimit-Remaining")
			if want := fmt.Sprint(60 - 1 - c.each); left != want {
				t.Errorf("%s reads are left, not %s: %d %.300s", left, want, rec.Code, rec.Body)
			}
		})
	}
}
