// Package forgetest provides a test server that serves a git repository over HTTPS, and implements the parts of
// GitHub's REST API that package forge uses, as GitHub documents them.
package forgetest

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"samepage/actions/effect/runner/forge"
)

// Token is the only token that the server accepts.
const Token = "ghp_forTests"

// Server is a running test server with one repository, acme/shed.
type Server struct {
	Source string // URL of the repository
	CA     string // file with the server's certificate
	t      testing.TB
	bare   string
	site   *httptest.Server

	mu     sync.Mutex
	pulls  []*pull
	issues []*issue
	checks map[string][]any // check runs, by commit
	fail   *failure         // answer to the next merge
	calls  []string         // methods and paths of the API requests

	busy       int // requests that still get busyAnswer
	busyAnswer func(w http.ResponseWriter) (int, any)
	renamed    bool
	hidden     bool
}

type failure struct {
	status int
	body   string
}

type pull struct {
	Number   int            `json:"number"`
	URL      string         `json:"html_url"`
	Title    string         `json:"title"`
	Body     string         `json:"body"`
	State    string         `json:"state"`
	Merged   bool           `json:"merged"`
	Commit   *string        `json:"merge_commit_sha"`
	MergedBy map[string]any `json:"merged_by"`
	Head     side           `json:"head"`
	Base     side           `json:"base"`
}

type side struct {
	Ref string `json:"ref"`
	SHA string `json:"sha"`
}

type issue struct {
	Number int    `json:"number"`
	URL    string `json:"html_url"`
	Title  string `json:"title"`
	Body   string `json:"body"`
}

// New starts a server with a bare clone of the repository at the given path. The server stops at the end of the test.
func New(t testing.TB, from string) *Server {
	t.Helper()
	dir := t.TempDir()
	s := &Server{t: t, bare: filepath.Join(dir, "acme", "shed.git"), CA: filepath.Join(dir, "ca.pem"),
		checks: map[string][]any{}}
	s.git("clone", "-q", "--bare", from, s.bare)
	s.git("-C", s.bare, "config", "http.receivepack", "true")
	out, err := exec.CommandContext(t.Context(), "git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	backend := &cgi.Handler{Path: filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"),
		Env: []string{"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_GLOBAL=/dev/null",
			"GIT_CONFIG_NOSYSTEM=1"}}
	mux := http.NewServeMux()
	mux.HandleFunc("/acme/shed.git/", func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != Token {
			w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		backend.ServeHTTP(w, r)
	})
	mux.HandleFunc("/api/v3/repos/acme/shed/", s.api)
	s.site = httptest.NewTLSServer(mux)
	t.Cleanup(s.site.Close)
	s.Source = s.site.URL + "/acme/shed.git"
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.site.Certificate().Raw})
	if err := os.WriteFile(s.CA, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// Account returns an account with access to the repository.
func (s *Server) Account() forge.Account {
	return forge.Account{Root: s.site.URL + "/acme", Token: Token, Client: s.site.Client(), CA: s.CA}
}

func (s *Server) git(args ...string) string {
	s.t.Helper()
	out, err := s.try(args...)
	if err != nil {
		s.t.Fatalf("git %v: %v %s", args, err, out)
	}
	return out
}

func (s *Server) try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=GitHub", "GIT_AUTHOR_EMAIL=g@x",
		"GIT_COMMITTER_NAME=GitHub", "GIT_COMMITTER_EMAIL=g@x")
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// Git runs git in the server's repository and returns its output.
func (s *Server) Git(args ...string) string {
	s.t.Helper()
	return s.git(append([]string{"-C", s.bare}, args...)...)
}

// Commit adds a commit with one file to a branch of the server's repository, and returns its hash.
func (s *Server) Commit(branch, file, text string) string {
	s.t.Helper()
	dir := filepath.Join(s.t.TempDir(), "work")
	s.git("clone", "-q", "--branch", branch, s.bare, dir)
	if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.git("-C", dir, "add", ".")
	s.git("-C", dir, "commit", "-q", "-m", "Add "+file)
	s.git("-C", dir, "push", "-q", "origin", branch)
	return s.Git("rev-parse", branch)
}

// Check sets the check runs of a commit, with their conclusions by name. An empty conclusion means in progress.
func (s *Server) Check(commit string, runs map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []any{}
	for name, conclusion := range runs {
		run := map[string]any{"name": name, "status": "completed", "conclusion": conclusion}
		if conclusion == "" {
			run["status"], run["conclusion"] = "in_progress", nil
		}
		list = append(list, run)
	}
	s.checks[commit] = list
}

// FailMerge makes the next merge fail with an HTTP status and a message.
func (s *Server) FailMerge(status int, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := json.Marshal(map[string]string{"message": message})
	if err != nil {
		s.t.Fatal(err)
	}
	s.fail = &failure{status, string(body)}
}

// Press merges pull request n as a person does in a browser, or closes it if the second argument is "close".
func (s *Server) Press(n int, what string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pulls[n-1]
	if what == "close" {
		p.State = "closed"
		return
	}
	if status, said := s.merge(p, false, "Merge it", p.Head.SHA); status != http.StatusOK {
		s.t.Fatalf("%d %v", status, said)
	}
}

// Titles returns the titles of the pull requests with their states, and then the titles of the issues.
func (s *Server) Titles() (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pulls {
		list = append(list, p.Title+" ("+p.State+")")
	}
	for _, i := range s.issues {
		list = append(list, i.Title)
	}
	return list
}

// Calls returns the methods and paths of all requests to the API.
func (s *Server) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.calls...)
}

func (s *Server) api(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := strings.TrimPrefix(r.URL.Path, "/api/v3/repos/acme/shed/")
	s.calls = append(s.calls, r.Method+" "+path)
	status, body := header(r)
	switch {
	case status != 0:
	case s.busy > 0:
		s.busy--
		status, body = s.busyAnswer(w)
	case s.hidden:
		status, body = http.StatusNotFound, says("Not Found")
	case s.renamed:
		at := "https://" + r.Host + "/api/v3/repositories/1296269/" + path
		w.Header().Set("Location", at)
		status, body = http.StatusMovedPermanently, map[string]any{"message": "Moved Permanently", "url": at,
			"documentation_url": docs}
	default:
		status, body = s.answer(w, r, path)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		s.t.Error(err)
	}
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, path string) (status int, body any) {
	status, body = http.StatusNotFound, says("Not Found")
	part := strings.Split(path, "/")
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return http.StatusBadRequest, says(err.Error())
	}
	if bad, said := check(r.Method, path, raw); bad != 0 {
		return bad, said
	}
	var p *pull
	if len(part) > 1 && part[0] == "pulls" {
		n, err := strconv.Atoi(part[1])
		if err != nil || n < 1 || n > len(s.pulls) {
			return status, body
		}
		p = s.pulls[n-1]
		if p.State == "open" {
			p.Head.SHA = s.head(p.Head.Ref)
		}
	}
	var in struct {
		Title, Body, Head, Base, State, SHA string
		Method                              string `json:"merge_method"`
		CommitTitle                         string `json:"commit_title"`
	}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &in); err != nil {
			return http.StatusBadRequest, says("Problems parsing JSON")
		}
	}
	switch {
	case path == "pulls" && r.Method == http.MethodPost:
		return s.open(in.Title, in.Body, in.Head, in.Base)
	case path == "pulls":
		list := []*pull{}
		for _, p := range s.pulls {
			if p.State == "open" && "acme:"+p.Head.Ref == r.URL.Query().Get("head") {
				list = append(list, p)
			}
		}
		return http.StatusOK, paged(w, r, list)
	case p != nil && len(part) == 2 && r.Method == http.MethodPatch:
		for _, set := range []struct {
			to *string
			is string
		}{{&p.Title, in.Title}, {&p.Body, in.Body}, {&p.State, in.State}} {
			if set.is != "" {
				*set.to = set.is
			}
		}
		return http.StatusOK, p
	case p != nil && len(part) == 2:
		return http.StatusOK, p
	case p != nil && part[2] == "merge" && r.Method == http.MethodPut:
		if f := s.fail; f != nil {
			s.fail = nil
			return f.status, json.RawMessage(f.body)
		}
		return s.merge(p, in.Method == "squash", in.CommitTitle, in.SHA)
	case part[0] == "commits" && len(part) == 3 && part[2] == "check-runs":
		list := s.checks[part[1]]
		return http.StatusOK, map[string]any{"total_count": len(list), "check_runs": paged(w, r, list)}
	case part[0] == "commits" && len(part) == 3 && part[2] == "status":
		return http.StatusOK, map[string]any{"state": "pending", "statuses": []any{}, "total_count": 0}
	case path == "issues" && r.Method == http.MethodPost:
		n := 1000 + len(s.issues)
		i := &issue{n, s.page("issues", n), in.Title, in.Body}
		s.issues = append(s.issues, i)
		return http.StatusCreated, i
	case path == "issues":
		list := slices.Clone(s.issues)
		if r.URL.Query().Get("direction") != "asc" {
			slices.Reverse(list)
		}
		return http.StatusOK, paged(w, r, list)
	}
	return status, body
}

func (s *Server) page(kind string, n int) string {
	return fmt.Sprintf("%s/acme/shed/%s/%d", s.site.URL, kind, n)
}

func (s *Server) head(branch string) string {
	out, err := s.try("-C", s.bare, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch)
	if err != nil {
		return ""
	}
	return out
}

func (s *Server) open(title, text, head, base string) (int, any) {
	refuse := func(message string) (int, any) {
		return http.StatusUnprocessableEntity, map[string]any{"message": "Validation Failed",
			"errors": []any{map[string]string{"resource": "PullRequest", "code": "custom", "message": message}}}
	}
	for _, p := range s.pulls {
		if p.State == "open" && p.Head.Ref == head {
			return refuse("A pull request already exists for acme:" + head + ".")
		}
	}
	if s.head(head) == "" || s.head(base) == "" {
		return refuse("No commits between " + base + " and " + head)
	}
	n := len(s.pulls) + 1
	p := &pull{Number: n, URL: s.page("pull", n), Title: title, Body: text, State: "open",
		Head: side{head, s.head(head)}, Base: side{base, s.head(base)}}
	s.pulls = append(s.pulls, p)
	return http.StatusCreated, p
}

// merge merges a pull request as GitHub does. The caller must hold s.mu.
func (s *Server) merge(p *pull, squash bool, title, sha string) (int, any) {
	if now := s.head(p.Head.Ref); sha != now {
		return http.StatusConflict, map[string]string{"message": "Head branch was modified. Review and try the merge again."}
	}
	base := s.head(p.Base.Ref)
	tree, err := s.try("-C", s.bare, "merge-tree", "--write-tree", base, sha)
	if err != nil {
		return http.StatusMethodNotAllowed, map[string]string{"message": "Pull Request is not mergeable"}
	}
	args := []string{"-C", s.bare, "commit-tree", tree, "-m", title, "-p", base}
	if !squash {
		args = append(args, "-p", sha)
	}
	commit, err := s.try(args...)
	if err != nil {
		return http.StatusInternalServerError, map[string]string{"message": commit}
	}
	if out, err := s.try("-C", s.bare, "update-ref", "refs/heads/"+p.Base.Ref, commit, base); err != nil {
		return http.StatusInternalServerError, map[string]string{"message": out}
	}
	p.State, p.Merged, p.Commit, p.MergedBy = "closed", true, &commit, map[string]any{"login": "octocat"}
	return http.StatusOK, map[string]any{"sha": commit, "merged": true, "message": "Pull Request successfully merged"}
}
