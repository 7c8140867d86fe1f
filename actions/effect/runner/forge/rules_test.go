package forge_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"samepage/actions/effect/runner/forge"
	"samepage/actions/effect/runner/forge/forgetest"
)

// TestTheServerRejectsWhatGitHubRejects sends requests with a missing or wrong header, field or value. The test server
// must answer each as GitHub's documentation says, so that it is a check of our client.
func TestTheServerRejectsWhatGitHubRejects(t *testing.T) {
	server := forgetest.New(t, garden(t))
	account := server.Account()
	api := strings.TrimSuffix(account.Root, "/acme") + "/api/v3/repos/acme/shed/"
	good := map[string]string{"User-Agent": "x", "Accept": "application/vnd.github+json",
		"X-GitHub-Api-Version": "2022-11-28", "Authorization": "Bearer " + forgetest.Token}
	opens, long, ones := `{"title":"x","head":"beds","base":"main"}`, strings.Repeat("x", 257), strings.Repeat("1", 40)
	for _, c := range []struct {
		method, path, body, header, value string
		status                            int
		says                              string
	}{
		{"GET", "pulls", "", "", "", 200, "[]"},
		{"GET", "pulls", "", "User-Agent", "", 403, "User-Agent"},
		{"GET", "pulls", "", "X-GitHub-Api-Version", "", 400, "version"},
		{"GET", "pulls", "", "X-GitHub-Api-Version", "2021-01-01", 400, "version"},
		{"GET", "pulls", "", "Accept", "text/html", 415, "Must accept"},
		{"GET", "pulls", "", "Authorization", "Bearer other", 401, "Bad credentials"},
		{"GET", "pulls/7", "", "", "", 404, "Not Found"},
		{"POST", "pulls", "{", "", "", 400, "Problems parsing JSON"},
		{"POST", "pulls", "[]", "", "", 400, "JSON object"},
		{"POST", "pulls", `{"head":"beds","base":"main"}`, "", "", 422, `"code":"missing_field","field":"title"`},
		{"POST", "pulls", `{"title":1,"head":"beds","base":"main"}`, "", "", 422, "is not a string"},
		{"POST", "pulls", `{"title":"x","head":"beds","base":"main","draft":"yes"}`, "", "", 422, "is not a boolean"},
		{"POST", "pulls", `{"title":"x","head":"beds","base":"main","text":"y"}`, "", "", 422, "not a permitted key"},
		{"POST", "pulls", `{"title":"` + long + `","head":"beds","base":"main"}`, "", "", 422, "256 characters"},
		{"POST", "pulls", `{"title":"x","head":"weeds","base":"main"}`, "", "", 422, "No commits between"},
		{"POST", "pulls", opens, "", "", 201, `"number":1`},
		{"POST", "pulls", opens, "", "", 422, "A pull request already exists for acme:beds."},
		{"PATCH", "pulls/1", `{"state":"merged"}`, "", "", 422, `"code":"invalid","field":"state"`},
		{"PUT", "pulls/1/merge", `{"merge_method":"octopus"}`, "", "", 422, `"field":"merge_method"`},
		{"PUT", "pulls/1/merge", `{"sha":"` + ones + `"}`, "", "", 409, "Head branch was modified"},
		{"POST", "issues", `{"title":"","body":"x"}`, "", "", 422, `"resource":"Issue"`},
		{"GET", "issues", `{}`, "", "", 400, "has no body"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, api+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range good {
			r.Header.Set(name, value)
		}
		if c.header != "" {
			r.Header.Set(c.header, c.value)
		}
		answer, err := account.Client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != c.status || !strings.Contains(string(body), c.says) {
			t.Errorf("%s %s %s with %s %q: %d %s, and not %d with %q", c.method, c.path, c.body, c.header, c.value,
				answer.StatusCode, body, c.status, c.says)
		}
	}
}

// TestWhatOurClientMakesOfIt checks the client at the limits of GitHub, at a repository that was renamed or that its
// token may not see, and at an invalid field.
func TestWhatOurClientMakesOfIt(t *testing.T) {
	const second = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
	const limit = "the limit of requests is reached until "
	once := func(status int, message string, headers ...string) func(*forgetest.Server) {
		set := map[string]string{}
		for pair := range slices.Chunk(headers, 2) {
			set[pair[0]] = pair[1]
		}
		return func(s *forgetest.Server) { s.Answer(1, status, set, message) }
	}
	in := func(d time.Duration) string { return fmt.Sprint(time.Now().Add(d).Unix()) }
	for _, c := range []struct {
		about   string
		set     func(s *forgetest.Server)
		says    string
		refused bool
		waits   time.Duration
	}{
		{"a secondary limit with a time", once(403, second, "Retry-After", "90"), limit, false, 90 * time.Second},
		{"a secondary limit without a time", once(403, second), limit, false, time.Minute},
		{"too many requests", once(429, "Slow down."), limit, false, time.Minute},
		{"the primary limit", once(403, "API rate limit exceeded", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset",
			in(20*time.Minute)), limit, false, 20 * time.Minute},
		{"a limit of a year", once(429, second, "Retry-After", "31536000"), limit, false, time.Hour},
		{"a token without the right", once(403, "Resource not accessible by personal access token",
			"X-RateLimit-Remaining", "4999"), "403: Resource not accessible", true, 0},
		{"a renamed repository", (*forgetest.Server).Rename, "another address by now: https://", true, 0},
		{"a private repository", (*forgetest.Server).Hide, "no such thing, or the token may not see it", true, 0},
	} {
		server := forgetest.New(t, garden(t))
		f, _ := forge.Of(server.Source, []forge.Account{server.Account()})
		c.set(server)
		_, err := f.Find(t.Context(), "beds")
		if err == nil || !strings.Contains(err.Error(), c.says) || errors.Is(err, forge.ErrRefused) != c.refused {
			t.Errorf("%s: %v", c.about, err)
		}
		waits := time.Duration(0)
		if until := forge.Until(err); !until.IsZero() {
			waits = time.Until(until)
		}
		if waits > c.waits || waits < c.waits-10*time.Second {
			t.Errorf("%s: it waits %s, and not %s", c.about, waits, c.waits)
		}
	}
	server := forgetest.New(t, garden(t))
	f, _ := forge.Of(server.Source, []forge.Account{server.Account()})
	if _, err := f.Open(t.Context(), forge.New{Branch: "beds", Base: "main"}); err == nil ||
		!strings.Contains(err.Error(), "422: Validation Failed; title: missing field") {
		t.Errorf("a pull request without a title: %v", err)
	}
}

// TestLongLists checks that the client reads the further pages of a list, of which one has at most 100 entries, up to a
// limit, and that it does not take its token elsewhere for them.
func TestLongLists(t *testing.T) {
	server := forgetest.New(t, garden(t))
	f, _ := forge.Of(server.Source, []forge.Account{server.Account()})
	first, err := f.OpenIssue(t.Context(), "first", forge.Issue{Title: "First"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 150 {
		if _, err := f.OpenIssue(t.Context(), fmt.Sprint("key", i, "."), forge.Issue{Title: "More"}); err != nil {
			t.Fatal(err)
		}
	}
	again, err := f.OpenIssue(t.Context(), "first", forge.Issue{Title: "First"})
	if err != nil || again.N != first.N {
		t.Errorf("an issue on the second page was opened again: %v, %v", again, err)
	}
	for n, want := range map[int]string{230: "passed", 501: "waiting more, which are not read"} {
		runs := map[string]string{}
		for i := range n {
			runs[fmt.Sprint("check ", i)] = "success"
		}
		commit := strings.Repeat(fmt.Sprint(n%10), 40)
		server.Check(commit, runs)
		got, err := f.Checks(t.Context(), commit)
		if text := strings.TrimSpace(got.State + " " + strings.Join(got.Names, " ")); err != nil || text != want {
			t.Errorf("%d checks: %q, %v", n, text, err)
		}
	}
	elsewhere := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a request with %q went elsewhere", r.Header.Get("Authorization"))
	}))
	defer elsewhere.Close()
	evil := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "<"+elsewhere.URL+`/api/v3/x?page=2>; rel="next"`)
		w.Write([]byte("{}"))
	}))
	defer evil.Close()
	f, _ = forge.Of(evil.URL+"/acme/garden", []forge.Account{{Root: evil.URL, Client: evil.Client()}})
	_, err = f.Checks(t.Context(), strings.Repeat("1", 40))
	if err == nil || !strings.Contains(err.Error(), "elsewhere") {
		t.Errorf("a next page elsewhere: %v", err)
	}
}
