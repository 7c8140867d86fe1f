package runner_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"samepage/actions/effect/runner"
	"samepage/actions/param"
)

// serve runs an HTTP server on the port in the environment variable PORT. The server answers with the given text.
// After a request for /fall, its health check fails. A request for /end ends the process.
func serve(text string) {
	fmt.Println("serving", text, os.Getenv("PORT"), os.Getenv("PORT2") != "", os.Getenv("PORT3") != "")
	mux := http.NewServeMux()
	broken := false
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/fall":
			broken = true
		case "/end":
			fmt.Fprintln(os.Stderr, "the end")
			os.Exit(3)
		case "/healthz":
			if broken {
				w.WriteHeader(http.StatusInternalServerError)
			}
		}
		fmt.Fprint(w, text)
	})
	fmt.Println(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), mux))
	os.Exit(1)
}

// ask sends a request to the environment of a worktree, and returns its answer.
func (y *yard) ask(tree, path string) string {
	y.t.Helper()
	page := y.As("bob").Get(tree, "text/markdown").Body
	_, address, _ := strings.Cut(page, "`http://127.0.0.1:")
	address, _, _ = strings.Cut(address, "`")
	answer, err := http.Get("http://127.0.0.1:" + address + path)
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	var text [100]byte
	n, _ := answer.Body.Read(text[:])
	return string(text[:n])
}

// then waits until the runner has finished all jobs of the environment, and takes an action. The page can show the
// effect of a job before the job is finished, because the runner also reports the state of environments outside of
// jobs.
func (y *yard) then(who, tree, action string) {
	y.t.Helper()
	for range 400 {
		if !strings.Contains(y.As(who).Get(tree, "text/markdown").Body, "The runner Mill is to ") {
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	y.do(who, tree, action, nil)
}

// TestAnEnvironment tells the story of a worktree's environment. The folder is set up with copied files, which never
// get into a commit. A server is started in the folder, fails its health check, is stopped, ends by itself, and ends
// with the runner.
func TestAnEnvironment(t *testing.T) {
	y := newYard(t)
	y.write(filepath.Join(y.source, ".env"), "KEY=secret\n")
	y.refused("bob", y.repo, "set_environment", nil, "owner")
	y.refused("scribe", y.repo, "set_environment", nil, "person")
	for _, bad := range []string{"/etc/passwd", "../x", "a/../../x", ".git/config", "a/.GIT/config", "*.env", "!a", "."} {
		y.refused("alice", y.repo, "set_environment", param.Input{"copies": []any{bad}}, "is no file of the source")
	}
	y.refused("alice", y.repo, "set_environment", param.Input{"health": "healthz"}, "is no path")
	y.refused("alice", y.repo, "set_environment", param.Input{"start": []any{"npm start"}}, "the program alone")
	y.do("alice", y.repo, "set_environment", param.Input{"copies": []any{".env"}, "ports": "2", "health": "/healthz",
		"setup": []any{"sh", "-c", "grep -c KEY .env; echo ready > made.txt"}, "start": []any{os.Args[0], "serve", "the shed"}})
	says(t, y.World, y.repo, "**Copied into new folders**: `.env`", "ready once it answers `/healthz`, with 2 ports")

	tree := y.worktree("paint")
	page := becomes(t, y.World, tree, "**Setup**: Passed")
	for _, text := range []string{"It ended with the code 0.", "Output of the setup", "**Environment**: not started"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q:\n%s", text, page)
		}
	}
	becomes(t, y.World, tree, "[made.txt](")
	dir := y.folder("paint")
	if text, err := os.ReadFile(filepath.Join(dir, ".env")); err != nil || string(text) != "KEY=secret\n" {
		t.Errorf("the copy is %q, %v", text, err)
	}
	s := y.done("bob", tree, "one", "write door.txt red\\n")
	files := y.git(dir, "ls-tree", "-r", "--name-only", "HEAD")
	if strings.Contains(files, ".env") || !strings.Contains(files, "made.txt") {
		t.Errorf("the commit has %q", files)
	}
	if got := y.git(dir, "status", "--porcelain"); strings.Contains(got, ".env") {
		t.Errorf("git in the folder sees %q", got)
	}

	y.refused("bob", tree, "stop_environment", nil, "does not run")
	y.then("scribe", tree, "start_environment")
	becomes(t, y.World, tree, "on the machine of the runner.")
	if got := y.ask(tree, "/"); got != "the shed" {
		t.Errorf("it answers %q", got)
	}
	y.refused("bob", tree, "start_environment", nil, "runs on the port")
	y.do("bob", s, "prompt_session", param.Input{"prompt": "An agent works beside it."})
	y.ask(tree, "/fall")
	y.then("bob", tree, "look_at_environment")
	page = becomes(t, y.World, tree, ": It does not answer on the port")
	if !strings.Contains(page, "serving the shed") || !strings.Contains(page, "true false") {
		t.Errorf("its output is not there:\n%s", page)
	}
	y.then("bob", tree, "stop_environment")
	becomes(t, y.World, tree, ": It was stopped.")
	y.then("bob", tree, "start_environment")
	becomes(t, y.World, tree, "on the machine of the runner.")
	y.ask(tree, "/end")
	page = becomes(t, y.World, tree, ": It ended with the code 3.")
	if !strings.Contains(page, "the end") {
		t.Errorf("its error output is not there:\n%s", page)
	}

	y.then("bob", tree, "start_environment")
	becomes(t, y.World, tree, "on the machine of the runner.")
	y.stop() // the program ends with the runner
	if got := y.ask(tree, "/"); !strings.Contains(got, "refused") {
		t.Errorf("it still answers %q", got)
	}
	y.stop = startWith(t, y.World, runner.Config{Site: y.Site, Data: y.data, Roots: []string{y.root}})
	becomes(t, y.World, tree, ": The runner was started again")
	y.then("bob", tree, "start_environment")
	becomes(t, y.World, tree, "on the machine of the runner.")
	y.do("bob", tree, "archive_worktree", param.Input{"typed": "paint"})
	becomes(t, y.World, tree, "Archived")
	if page := y.As("bob").Get(tree, "text/markdown").Body; strings.Contains(page, "Running") {
		t.Errorf("the environment of an archived worktree:\n%s", page)
	}
}

// TestAnEnvironmentThatFails checks that the page names the failure: a missing file, a setup that fails, a program
// that ends at once, or a program that does not exist. The member who asked for the setup or the start is notified that
// the program failed.
func TestAnEnvironmentThatFails(t *testing.T) {
	y := newYard(t)
	y.do("alice", y.repo, "set_environment", param.Input{"copies": []any{"none.env"}})
	tree := y.worktree("paint")
	becomes(t, y.World, tree, "the file none.env of the source")
	y.do("alice", y.repo, "set_environment", param.Input{"setup": []any{"sh", "-c", "echo no >&2; exit 4"},
		"start": []any{"sh", "-c", "echo gone; exit 5"}, "copies": []any{}})
	y.then("bob", tree, "setup_worktree")
	page := becomes(t, y.World, tree, "**Setup**: Failed: It ended with the code 4.")
	if !strings.Contains(page, "Error output:") {
		t.Errorf("its output is not there:\n%s", page)
	}
	y.then("bob", tree, "start_environment")
	becomes(t, y.World, tree, ": It ended with the code 5.")
	inbox := y.As("bob").Get("/inbox?full=1", "text/markdown").Body
	for _, told := range []string{"It ended with the code 4. Members of Team can set it up again (setup_worktree).",
		"/paint) | Mill, agent of @alice could not start the environment,", "It ended with the code 5. Members of Team can try it again."} {
		if n := strings.Count(inbox, told); n != 1 {
			t.Errorf("Bob, who asked for both, is told %q %d times:\n%s", told, n, inbox)
		}
	}
	y.do("alice", y.repo, "set_environment", param.Input{"start": []any{"no-such-program"}, "setup": []any{}})
	y.then("bob", tree, "start_environment")
	becomes(t, y.World, tree, "there is no program no-such-program in PATH")
	y.refused("bob", tree, "setup_worktree", nil, "has no setup")
	y.do("alice", y.repo, "set_environment", param.Input{"start": []any{}})
	y.refused("bob", tree, "start_environment", nil, "has no program to start")
}
