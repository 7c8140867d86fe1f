package forge_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"samepage/actions/effect/runner/forge"
	"samepage/actions/effect/runner/forge/forgetest"
)

// garden makes a git repository with the branches main and beds, and returns its path.
func garden(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"commit", "-q", "--allow-empty", "-m", "Begin"},
		{"switch", "-q", "-c", "beds"}, {"commit", "-q", "--allow-empty", "-m", "Dig"}, {"switch", "-q", "main"}} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=a@x",
			"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=a@x")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %s", args, out)
		}
	}
	return dir
}

// TestGitHub opens, changes and merges a pull request. It opens an issue twice with the same key, and expects one
// issue.
func TestGitHub(t *testing.T) {
	server := forgetest.New(t, garden(t))
	f, ok := forge.Of(server.Source, []forge.Account{server.Account()})
	if !ok {
		t.Fatal("no account covers the repository")
	}
	ctx := t.Context()
	if q, err := f.Find(ctx, "beds"); q != nil || err != nil {
		t.Fatal(q, err)
	}
	made, err := f.Open(ctx, forge.New{Title: "Dig", Text: "Deep.", Branch: "beds", Base: "main"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Open(ctx, forge.New{Title: "Dig", Branch: "beds", Base: "main"}); !errors.Is(err, forge.ErrRefused) ||
		!strings.Contains(err.Error(), "Validation Failed; A pull request already exists for acme:beds.") {
		t.Errorf("the same again: %v", err)
	}
	if q, err := f.Find(ctx, "beds"); err != nil || q == nil || q.N != made.N {
		t.Errorf("it finds %v, %v", q, err)
	}
	if q, err := f.Change(ctx, made.N, forge.Change{State: forge.Closed}); err != nil || q.State != forge.Closed || q.Commit != "" {
		t.Errorf("closed: %v, %v", q, err)
	}
	if _, err := f.Change(ctx, made.N, forge.Change{State: forge.Open}); err != nil {
		t.Error(err)
	}
	if _, err := f.Merge(ctx, made.N, forge.Merge{Head: strings.Repeat("1", 40), Title: "x"}); !errors.Is(err, forge.ErrMoved) {
		t.Errorf("another head: %v", err)
	}
	commit, err := f.Merge(ctx, made.N, forge.Merge{Head: made.Head, Title: "Dig it"})
	if err != nil || commit != server.Git("rev-parse", "main") {
		t.Errorf("merged as %s, %v", commit, err)
	}
	if q, err := f.Pull(ctx, made.N); err != nil || q.State != forge.Merged || q.Commit != commit || q.By != "octocat" {
		t.Errorf("merged: %v, %v", q, err)
	}
	if _, err := f.Pull(ctx, 9); err == nil || !strings.Contains(err.Error(), "no such thing, or the token may not see it") {
		t.Errorf("no such one: %v", err)
	}
	var last forge.Made
	for range 2 { // the second call stands for a job that is repeated because its report was lost
		i, err := f.OpenIssue(ctx, "k1", forge.Issue{Title: "Weeds"})
		if err != nil {
			t.Fatal(err)
		}
		last = *i
	}
	if other, err := f.OpenIssue(ctx, "k2", forge.Issue{Title: "Weeds"}); err != nil || other.N == last.N {
		t.Errorf("another one of that title: %v, %v", other, err)
	}
	if got := server.Titles(); !slices.Equal(got, []string{"Dig (closed)", "Weeds", "Weeds"}) {
		t.Errorf("there are %q", got)
	}
}

// TestRefusals checks the errors of failed requests. An error must not contain the token, and the error of a rate
// limit must have the time at which the limit ends. A redirect to another address must not be followed.
func TestRefusals(t *testing.T) {
	elsewhere := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a request with %q went elsewhere", r.Header.Get("Authorization"))
	}))
	defer elsewhere.Close()
	for _, c := range []struct {
		answer  func(w http.ResponseWriter)
		want    string
		refused bool
	}{
		{func(w http.ResponseWriter) {
			w.Header().Set("Location", elsewhere.URL)
			w.WriteHeader(http.StatusMovedPermanently)
		}, "has another address by now", true},
		{func(w http.ResponseWriter) {
			w.Header().Set("X-Ratelimit-Remaining", "0")
			w.Header().Set("X-Ratelimit-Reset", "1764151200")
			w.WriteHeader(http.StatusForbidden)
		}, "the limit of requests is reached until 10:00 UTC", false},
		{func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) }, "it answers 502: Bad Gateway", false},
		{func(w http.ResponseWriter) { w.Write([]byte("<html>")) }, "something that cannot be read", false},
		{func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusUnprocessableEntity)
			w.Write([]byte(`{"message":"No","errors":["one",{"message":"two"},{"code":"x"},3]}`))
		}, "No; one; two", true},
		{func(w http.ResponseWriter) { w.Write(make([]byte, 9<<20)) }, "more than 8388608 bytes", false},
	} {
		server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { c.answer(w) }))
		account := forge.Account{Root: server.URL, Token: "secret", Client: server.Client()}
		f, _ := forge.Of(server.URL+"/acme/garden", []forge.Account{account})
		_, err := f.Pull(t.Context(), 1)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") ||
			errors.Is(err, forge.ErrRefused) != c.refused {
			t.Errorf("%q: %v", c.want, err)
		}
		server.Close()
	}
}

// TestChecks checks how check runs of apps and commit statuses of other programs are combined.
func TestChecks(t *testing.T) {
	for _, c := range []struct{ runs, statuses, want string }{
		{``, ``, ""},
		{`{"name":"a","status":"completed","conclusion":"neutral"}`, ``, "passed"},
		{``, `{"context":"s","state":"success"}`, "passed"},
		{`{"name":"a","status":"queued","conclusion":null}`, `{"context":"s","state":"success"}`, "waiting a"},
		{`{"name":"a","status":"completed","conclusion":"success"}`, `{"context":"s","state":"pending"}`, "waiting s"},
		{`{"name":"a","status":"in_progress"}`, `{"context":"s","state":"error"}`, "failed s"},
		{`{"name":"a","status":"completed","conclusion":"timed_out"},{"name":"b","status":"completed","conclusion":"success"}`,
			``, "failed a"},
	} {
		server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/check-runs") {
				w.Write([]byte(`{"total_count":0,"check_runs":[` + c.runs + `]}`))
				return
			}
			w.Write([]byte(`{"state":"pending","statuses":[` + c.statuses + `]}`))
		}))
		f, _ := forge.Of(server.URL+"/acme/garden", []forge.Account{{Root: server.URL, Client: server.Client()}})
		got, err := f.Checks(t.Context(), strings.Repeat("1", 40))
		if text := strings.TrimSpace(got.State + " " + strings.Join(got.Names, " ")); err != nil || text != c.want {
			t.Errorf("%s %s: %q %v, want %q", c.runs, c.statuses, text, err, c.want)
		}
		server.Close()
	}
}

// TestAccounts checks which flags are valid accounts, and which account covers a repository.
func TestAccounts(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := file("good", "ghp_x\n", 0o600)
	for flag, want := range map[string]string{
		"https://github.com/acme=" + good:                                      "",
		"https://github.com/acme/=" + good:                                     "",
		"http://github.com=" + good:                                            "is no account",
		"https://github.com":                                                   "is no account",
		"https://github.com=" + filepath.Join(dir, "none"):                     "no such file",
		"https://github.com=" + file("open", "ghp_x", 0o644):                   "chmod 600",
		"https://github.com=" + file("empty", " \n", 0o600):                    "has no token",
		"https://github.com=" + file("two", "a\nb\n", 0o600):                   "has no token",
		"https://github.com=" + file("long", strings.Repeat("x", 2000), 0o600): "has no token",
	} {
		a, err := forge.ReadAccount(flag)
		if want == "" && (err != nil || a.Token != "ghp_x" || a.Root != "https://github.com/acme") ||
			want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v %v", flag, a.Root, err)
		}
	}
	accounts := []forge.Account{{Root: "https://github.com"}, {Root: "https://github.com/acme"}}
	for source, want := range map[string]string{"https://github.com/acme/garden.git": "https://github.com/acme",
		"https://github.com/acmeevil/garden": "https://github.com", "https://github.com.evil.example/acme/garden": "",
		"/srv/git/garden": "", "": ""} {
		if a, _ := forge.AccountOf(source, accounts); a.Root != want {
			t.Errorf("%q is covered by %q, want %q", source, a.Root, want)
		}
	}
}
