package runner_test

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"samepage/actions/effect/runner"
	"samepage/actions/param"
	"samepage/actions/work"
	"samepage/web/webtest"
)

// shed makes a git repository with one commit and the branches trunk and aside. It returns the folder that contains
// the repository, and the path of the repository.
func shed(t testing.TB) (root, path string) {
	t.Helper()
	root = t.TempDir()
	path = filepath.Join(root, "shed")
	for _, args := range [][]string{{"init", "-q", "-b", "trunk", path},
		{"-C", path, "commit", "-q", "--allow-empty", "-m", "Nail the boards"},
		{"-C", path, "branch", "aside"}} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=a@x",
			"GIT_COMMITTER_NAME=Ann",
			"GIT_COMMITTER_EMAIL=a@x")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("left out: git %v: %s", err, out)
		}
	}
	return root, path
}

var verbs = runner.Verbs{Announce: work.AnnounceRunner.Name, Claim: work.ClaimJob.Name, Renew: work.RenewJob.Name,
	Finish: work.FinishJob.Name, ReportPull: work.ReportPull.Name, ReportEnvironment: work.ReportEnvironment.Name,
	ClaimTurn: work.ClaimTurn.Name, RenewTurn: work.RenewTurn.Name, ReportTurn: work.ReportTurn.Name,
	Ask:        work.AskPermission.Name,
	FinishTurn: work.FinishTurn.Name}

// start runs the runner Mill of the fixtures until the test ends, or until the returned function is called.
func start(t testing.TB, w *webtest.World, site http.Handler, data string, roots ...string) func() {
	t.Helper()
	return startWith(t, w, runner.Config{Site: site, Data: data, Roots: roots})
}

// startWith is like start, but takes a configuration, in which it sets the fields that are the same in all tests.
func startWith(t testing.TB, w *webtest.World, c runner.Config) func() {
	t.Helper()
	c.Verbs, c.Origin, c.Page, c.Token = verbs, webtest.Origin, w.URL("runner mill"), w.Secret("runner mill")
	c.Agents, c.CheckTime, c.Version, c.Log = true, 5*time.Second, "test", slog.New(slog.NewTextHandler(t.Output(), nil))
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := runner.Run(ctx, c); err != nil {
			t.Error(err)
		}
	})
	stop := func() { cancel(); running.Wait() }
	t.Cleanup(stop)
	return stop
}

// becomes waits until Alice sees the text on the page, and returns the page in markdown.
func becomes(t testing.TB, w *webtest.World, url, text string) string {
	t.Helper()
	body := ""
	for range 2400 {
		if body = w.As("alice").Get(url, "text/markdown").Body; strings.Contains(body, text) {
			return body
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatalf("%s never says %q:\n%s", url, text, body)
	return ""
}

// TestARunnerFetches checks that a runner fetches a new repository, and that the repository's page shows the commits.
// Another fetch must bring new commits. A repository outside of the runner's own roots must be refused with a reason.
func TestARunnerFetches(t *testing.T) {
	root, path := shed(t)
	w := webtest.Of(t, "work")
	mill := w.URL("runner mill")
	post := func(url, action string, in param.Input) string {
		t.Helper()
		r := w.As("alice").Post(url, action, in)
		if r.Status != http.StatusSeeOther {
			t.Fatalf("%s: %d %s", action, r.Status, r.Body)
		}
		return r.Location()
	}
	post(mill, "update_runner", param.Input{"roots": root + "\n/srv/git"})
	repo := post(mill, "add_repo", param.Input{"studio": "team", "name": "shed", "source": path})
	start(t, w, w.Site, t.TempDir(), root)
	page := becomes(t, w, repo, "Nail the boards")
	for _, text := range []string{"2 branches, fetched", "`trunk`", "`aside`", "| Ann |"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page of the repository lacks %q:\n%s", text, page)
		}
	}
	cmd := exec.CommandContext(t.Context(), "git", "-C", path, "-c", "user.name=Bea", "-c", "user.email=b@x",
		"commit", "-q", "--allow-empty", "-m",
		"Paint the door")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	post(repo, "fetch_repo", nil)
	becomes(t, w, repo, "Paint the door")
	outside := post(mill, "add_repo", param.Input{"studio": "team", "name": "outside", "source": "/srv/git/x"})
	becomes(t, w, outside, "does not exist below an allowed root")
	elsewhere := t.TempDir()
	post(mill, "update_runner", param.Input{"roots": root + "\n/srv/git\n" + elsewhere})
	post(mill, "add_repo", param.Input{"studio": "team", "name": "elsewhere", "source": elsewhere})
	becomes(t, w, w.URL("team")+"/repos/elsewhere",
		"below an allowed root with which the program of the runner was started")
	becomes(t, w, mill, "was not started with it, and refuses it")
}

// TestARunnerDoesNothingElse checks that the token of a runner permits only to read the runner's own page, and to
// take the actions of a runner there.
func TestARunnerDoesNothingElse(t *testing.T) {
	w := webtest.Of(t, "work")
	token := w.Secret("runner mill")
	send := func(method, url, body string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, webtest.Origin+url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Accept", "application/json")
		r.Header.Set("Content-Type", "application/json")
		rec := &answer{header: http.Header{}}
		w.Site.ServeHTTP(rec, r)
		return rec.status, rec.body.String()
	}
	if status, body := send("GET", w.URL("runner mill"), ""); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	for _, name := range w.Fixtures() {
		url := w.URL(name)
		if url == w.URL("runner mill") {
			continue
		}
		if status, body := send("GET", url, ""); status != 404 || strings.Contains(body, "Team") ||
			strings.Contains(body, "Acme") {
			t.Errorf("a runner reads %s: %d %s", url, status, body)
		}
	}
	for _, url := range []string{"/", "/inbox", "/search?q=beds", "/whoami", "/studios", "/studios/team/repos",
		"/orgs/acme/runners", "/help",
		"/approvals", "/settings/tokens"} {
		if status, body := send("GET", url, ""); status != 404 {
			t.Errorf("a runner reads %s: %d %s", url, status, body)
		}
	}
	for url, action := range map[string]string{w.URL("runner mill"): "add_repo",
		w.URL("runner barn"): "announce_runner",
		w.URL("repo garden"): "fetch_repo", w.URL("team"): "create_note"} {
		if status, body := send("POST", url+"/actions/"+action, `{"params":{}}`); status != 404 && status != 403 {
			t.Errorf("a runner does %s on %s: %d %s", action, url, status, body)
		}
	}
	for _, action := range []string{"announce_runner", "claim_job", "renew_job", "finish_job"} {
		for _, who := range []string{"alice", "scribe"} {
			if r := w.As(who).PostJSON(w.URL("runner mill"), action, param.Input{"program": "x", "job": "x",
				"claim": "1"}); r.Status != 403 {
				t.Errorf("%s does %s: %d %s", who, action, r.Status, r.Body)
			}
		}
	}
}

// TestClaims checks that only one of 20 simultaneous claims of a job succeeds. A report under an earlier claim must
// be refused, and a repeated report must be accepted. A job must fail after five expired claims.
func TestClaims(t *testing.T) {
	w := webtest.Of(t, "work")
	mill := w.URL("runner mill")
	var id string
	w.Query(&id, `SELECT j.id FROM jobs j JOIN repos p ON p.id = j.repo_id WHERE p.name = 'meadow'`)
	act := func(action, params string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "POST", webtest.Origin+mill+"/actions/"+action,
			strings.NewReader(`{"params":`+params+`}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+w.Secret("runner mill"))
		r.Header.Set("Accept", "application/json")
		r.Header.Set("Content-Type", "application/json")
		rec := &answer{header: http.Header{}}
		w.Site.ServeHTTP(rec, r)
		return rec.status
	}
	var wins sync.Map
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if act("claim_job", `{"job":"`+id+`","claim":0}`) == 200 {
				wins.Store(i, true)
			}
		})
	}
	all.Wait()
	n := 0
	wins.Range(func(any, any) bool { n++; return true })
	if n != 1 {
		t.Errorf("%d of 20 claims succeeded", n)
	}
	want := func(status int, action, params string) {
		t.Helper()
		if got := act(action, params); got != status {
			t.Errorf("%s %s answers %d, want %d", action, params, got, status)
		}
	}
	claim := func(n string) string { return `{"job":"` + id + `","claim":` + n + `}` }
	want(200, "renew_job", claim("1"))
	want(409, "claim_job", claim("1"))
	w.Clock.Advance(31 * time.Second)
	want(200, "claim_job", claim("1"))
	want(409, "renew_job", claim("1"))
	late := `{"job":"` + id + `","claim":1,"problem":"late"}`
	want(409, "finish_job", late)
	done := strings.Replace(late, `"claim":1`, `"claim":2`, 1)
	entries := func() (n int) {
		w.Query(&n, `SELECT count(*) FROM journal WHERE action = 'finish_job'`)
		return n
	}
	before := entries()
	want(200, "finish_job", done)
	reported := entries()
	want(200, "finish_job", done)
	if n := entries(); n != reported || n == before {
		t.Errorf("finish_job has %d journal entries, %d after a report, and %d after its repetition", before,
			reported, n)
	}
	want(409, "finish_job", late)
	want(409, "claim_job", claim("2"))
	if r := w.As("alice").Get(w.URL("repo meadow"), "text/markdown"); !strings.Contains(r.Body, "failed: late") {
		t.Error(r.Body)
	}
	w.As("alice").Post(w.URL("repo meadow"), "fetch_repo", nil)
	w.Query(&id, `SELECT j.id FROM jobs j JOIN repos p ON p.id = j.repo_id WHERE p.name = 'meadow' AND j.ended_at IS NULL`)
	for i := range 5 {
		want(200, "claim_job", claim(string(rune('0'+i))))
		w.Clock.Advance(31 * time.Second)
	}
	want(409, "claim_job", claim("5"))
	if r := w.As("alice").Get(w.URL("repo meadow"), "text/markdown"); !strings.Contains(r.Body, "went away 5 times") ||
		!strings.Contains(r.Body, "fetch_repo") {
		t.Error(r.Body)
	}
	w.As("alice").Post(mill, "stop_runner", nil)
	want(409, "claim_job", claim("0"))
}

// TestAStoppedServer checks that a runner continues its work when the server is available again.
func TestAStoppedServer(t *testing.T) {
	root, path := shed(t)
	w := webtest.Of(t, "work")
	var mu sync.Mutex
	away := 3
	site := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		mu.Lock()
		away--
		gone := away >= 0
		mu.Unlock()
		if gone {
			rw.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Site.ServeHTTP(rw, r)
	})
	w.As("alice").Post(w.URL("runner mill"), "update_runner", param.Input{"roots": root})
	r := w.As("alice").Post(w.URL("runner mill"), "add_repo", param.Input{"studio": "team", "name": "shed",
		"source": path})
	start(t, w, site, t.TempDir(), root)
	becomes(t, w, r.Location(), "Nail the boards")
	w.VerifyJournal()
}

// answer is an http.ResponseWriter that keeps the answer.
type answer struct {
	header http.Header
	status int
	body   strings.Builder
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}
