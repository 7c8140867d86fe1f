package clients

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"samepage/store/pgtest"
)

// binary builds the product once for all tests and returns the path of the program.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "samepage")
	cmd := exec.Command("go", "build", "-tags", "sqlite_fts5", "-o", path, "samepage/cmd/samepage")
	cmd.Stderr = os.Stderr
	return path, cmd.Run()
})

var scratch string

func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == recordInput {
		if runRecorded(os.Args[2:]) != nil {
			os.Exit(1)
		}
		return
	}
	var err error
	if scratch, err = os.MkdirTemp("", "samepage-e2e-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	if original.database != "" {
		if err := pgtest.Drop(original.database); err != nil {
			panic(err)
		}
	}
	os.Exit(code)
}

// world is a demo workspace for one test, and the server that serves it.
type world struct {
	t    *testing.T
	bin  string
	data string // the folder of its database; empty if a PostgreSQL server has the database
	at   string // the environment variable with the address of its database
	keys string // the environment variable with the file of its keys
	url  string
	// setup is the link for the first person of an empty installation; empty if a person can sign in already.
	setup string
	demo  struct {
		Logins []struct{ Email, Password, Member string }
		Tokens []struct{ Label, Member, Token string }
	}
	server  *exec.Cmd // the most recently started server
	log     *record   // the output of the most recently started server
	secrets []string  // secrets made during the test, in addition to the demo's
}

// newWorld creates a demo workspace and serves it on a free port until the end of the test.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := unserved(t)
	w.serve()
	return w
}

// original is the demo workspace that [unserved] copies. A server takes seconds to make one.
var original struct {
	folder   string // has the file "keys" if the workspace is in a database on a server, otherwise all files
	database string // URL of the database on a server
	says     []byte // output of the command demo
}

// makeOriginal makes [original] once for all tests.
var makeOriginal = sync.OnceValue(func() (err error) {
	bin, err := binary()
	if err != nil {
		return err
	}
	original.folder = filepath.Join(scratch, "demo")
	if err := os.Mkdir(original.folder, 0o700); err != nil {
		return err
	}
	cmd := exec.Command(bin, "demo", "--json")
	cmd.Env = append(os.Environ(), "SAMEPAGE_DATA="+original.folder, "SAMEPAGE_KEYS=")
	if pgtest.Given() != "" {
		if original.database, err = pgtest.Make(""); err != nil {
			return err
		}
		cmd.Env = append(os.Environ(), "SAMEPAGE_DATABASE="+original.database,
			"SAMEPAGE_KEYS="+filepath.Join(original.folder, "keys"))
	}
	if original.says, err = cmd.Output(); err != nil {
		return fmt.Errorf("samepage demo: %w\n%s", err, stderrOf(err))
	}
	return nil
})

// copyFiles copies the files of [original] to a folder.
func copyFiles(to string) error {
	files, err := os.ReadDir(original.folder)
	if err != nil {
		return err
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(original.folder, f.Name()))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, f.Name()), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// unserved copies a demo workspace without serving it. The copy is in a new folder, or in a new database if the tests
// have a PostgreSQL server.
func unserved(t *testing.T) *world {
	t.Helper()
	story(t)
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, bin: bin, keys: "SAMEPAGE_KEYS="}
	if err := makeOriginal(); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if pgtest.Given() != "" {
		w.at = "SAMEPAGE_DATABASE=" + pgtest.Copy(t, original.database)
		w.keys += filepath.Join(folder, "keys")
	} else {
		w.data = folder
		w.at = "SAMEPAGE_DATA=" + w.data
	}
	if err := errors.Join(copyFiles(folder), json.Unmarshal(original.says, &w.demo)); err != nil {
		t.Fatal(err)
	}
	return w
}

// run runs a command of the product and returns its output. It fails the test if the command fails.
func (w *world) run(args ...string) string {
	w.t.Helper()
	cmd := exec.Command(w.bin, args...)
	cmd.Env = append(os.Environ(), w.at, w.keys)
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("samepage %s: %v\n%s", strings.Join(args, " "), err, stderrOf(err))
	}
	return string(out)
}

func stderrOf(err error) string {
	if e, ok := err.(*exec.ExitError); ok {
		return string(e.Stderr)
	}
	return ""
}

var setUpAt = regexp.MustCompile(`Set the workspace up at (http://\S+)`)

var served = regexp.MustCompile(`serves (http://\S+)`)

// serve serves the workspace on a free port. Each argument is a flag, which begins with "--", or an environment
// variable.
func (w *world) serve(more ...string) {
	w.t.Helper()
	cmd := exec.Command(w.bin, "serve", "--listen", "127.0.0.1:0", "--limits=false")
	cmd.Env = append(os.Environ(), w.at, w.keys)
	for _, m := range more {
		if strings.HasPrefix(m, "--") {
			cmd.Args = append(cmd.Args, m)
		} else {
			cmd.Env = append(cmd.Env, m)
		}
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	log := &record{}
	w.server, w.log, cmd.Stderr = cmd, log, log
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		end(w.t, cmd)
		w.keepsSecrets(log)
	})
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if m := setUpAt.FindStringSubmatch(line); m != nil {
			w.setup = m[1]
		}
		if m := served.FindStringSubmatch(line); m != nil {
			w.url = m[1]
			go io.Copy(log, lines)
			return
		}
		if err != nil {
			w.t.Fatal("the server stopped before it served")
		}
	}
}

// token returns the token of the demo's agent with the given label.
func (w *world) token(label string) string {
	w.t.Helper()
	for _, t := range w.demo.Tokens {
		if t.Label == label {
			return t.Token
		}
	}
	w.t.Fatalf("the demo has no agent %s", label)
	return ""
}

// newToken creates an agent with a token, with the command line and while the server runs.
func (w *world) newToken(member, label string) string {
	w.t.Helper()
	secret := strings.TrimSpace(w.run("token", "create", "--member", member, "--label", label))
	w.secrets = append(w.secrets, secret)
	return secret
}

// got is an answer over HTTP.
type got struct {
	status int
	header http.Header
	body   string
}

// get reads a page over HTTP as an agent, or as an anonymous reader if the token is empty.
func (w *world) get(path, accept, token string) got {
	w.t.Helper()
	header := http.Header{"Accept": {accept}}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	return w.ask(path, header)
}

// asPerson returns a header with the browser's login cookie.
func (w *world) asPerson(b *browser) http.Header { return http.Header{"Cookie": {b.cookies(w.url)}} }

func (w *world) ask(path string, header http.Header) got {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.url+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header = header
	client := http.Client{Timeout: 30 * time.Second}
	resp, err := client.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return got{resp.StatusCode, resp.Header, string(body)}
}
