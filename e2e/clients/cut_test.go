package clients

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"samepage/store/effort"
	"samepage/store/pgtest"
)

// cutter is a proxy that cuts each connection after some time, even in the middle of a message.
type cutter struct {
	to    atomic.Value         // address of the server
	after func() time.Duration // returns the lifetime of a new connection; nil means no limit
	cuts  atomic.Int64
}

// serve returns the origin at which the proxy answers until the end of the test.
func (c *cutter) serve(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go c.carry(in.(*net.TCPConn))
		}
	}()
	return "http://" + l.Addr().String()
}

// carry forwards the bytes of one connection in both directions, until the proxy cuts it or one end closes it.
func (c *cutter) carry(in *net.TCPConn) {
	defer in.Close()
	out, err := net.Dial("tcp", c.to.Load().(string))
	if err != nil {
		return
	}
	defer out.Close()
	if c.after != nil {
		cut := time.AfterFunc(c.after(), func() {
			c.cuts.Add(1)
			in.SetLinger(0) // the runner sees a reset instead of a regular end
			in.Close()
			out.Close()
		})
		defer cut.Stop()
	}
	go func() {
		io.Copy(out, in)
		out.Close()
	}()
	io.Copy(in, out)
}

// TestRunnerBehindACuttingProxy lets runners with folders of their own reach the server through a proxy that cuts
// every connection: after 20 s, after 2 s, or at a random time within 3 s. Each prompt is answered in one turn,
// with everything that the agent says and with its commit. In each case the proxy must cut connections many times.
func TestRunnerBehindACuttingProxy(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the connection of a runner")
	always := func(d time.Duration) func() time.Duration { return func() time.Duration { return d } }
	for _, c := range []struct {
		name  string
		after func() time.Duration
		turns int
		parts int // the agent says something this many times in a turn, a second apart
		least int // the least number of cuts
	}{
		{"after 20 s", always(20 * time.Second), effort.Of(0, 1, 50), 45, effort.Of(0, 2, 100)},
		{"after 2 s", always(2 * time.Second), effort.Of(0, 4, 50), 5, effort.Of(0, 8, 100)},
		{"within 3 s", func() time.Duration { return rand.N(3 * time.Second) }, effort.Of(0, 4, 50), 5, effort.Of(0, 8, 100)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			effort.LeftOut(t, "all but %d turns of %d s, while connections are cut: %s", c.turns, c.parts, c.name)
			proxy := &cutter{after: c.after}
			behindProxy(t, w, proxy, c.turns, c.parts)
			n := proxy.cuts.Load()
			t.Logf("%d turns, while the proxy cut %d connections", c.turns, n)
			if n < int64(c.least) {
				t.Errorf("the proxy cut only %d connections, and not %d", n, c.least)
			}
		})
	}
}

// behindProxy lets an agent on a runner behind the proxy answer prompts. In each turn the agent says as many
// sentences as the parameter parts.
func behindProxy(t *testing.T, w *world, proxy *cutter, turns, parts int) {
	root := t.TempDir()
	source := shed(t, root)
	var script strings.Builder
	for i := range turns {
		if i > 0 {
			script.WriteString("turn\n")
		}
		fmt.Fprintf(&script, "navigate /whoami\nwrite %d.txt board\n", i+1)
		for k := range parts {
			fmt.Fprintf(&script, "sleep 1s\nsay Nail %d is in board %d.\n", k+1, i+1)
		}
	}
	path := filepath.Join(root, "script")
	if err := os.WriteFile(path, []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	alice := w.signIn("alice")
	runner := alice.does("/orgs/meadow/runners", "create_runner",
		map[string]any{"name": "Mill", "roots": []string{root}})
	proxy.to.Store(strings.TrimPrefix(w.url, "http://"))
	w.runsBehind(proxy.serve(t), runner.URL, runner.Secret, root)
	alice.hears(runner.URL, "Ready")
	repo := alice.does(runner.URL, "add_repo", map[string]any{"studio": "team", "name": "shed", "source": source}).URL
	alice.does("/orgs/meadow/manifests", "add_manifest", map[string]any{"key": "mason", "title": "Mason", "role": "coding",
		"mode": "ask", "asks": true, "argv": []string{w.bin, "agent-script", path}})
	alice.hears(repo, "Nail the boards")
	tree := alice.does(repo, "create_worktree", map[string]any{"name": "boards"}).URL
	alice.hears(tree, "0 ahead")
	session := alice.does(tree, "start_session", map[string]any{"agent": "mason", "prompt": "Nail board 1."}).URL
	for i := 1; i <= turns; i++ {
		turn, page := fmt.Sprintf("%s/turns/%d", session, i), ""
		for deadline := time.Now().Add(5 * time.Minute); !strings.Contains(page, "**Commit**"); time.Sleep(100 * time.Millisecond) {
			if page = alice.reads(turn+"?full=1", "text/markdown"); time.Now().After(deadline) {
				t.Fatalf("turn %d has no end:\n%s", i, page)
			}
		}
		for k := range parts {
			said := fmt.Sprintf("Nail %d is in board %d.", k+1, i)
			if n := strings.Count(page, said); n != 1 {
				t.Errorf("turn %d says %q %d times:\n%s", i, said, n, page)
			}
		}
		// The agent itself calls the server, and nothing repeats the call if the proxy cuts the connection meanwhile.
		if !strings.Contains(page, "\nDone.") || !strings.Contains(page, "navigate /whoami, ") {
			t.Errorf("turn %d:\n%s", i, page)
		}
		if i < turns {
			alice.does(session, "prompt_session", map[string]any{"prompt": fmt.Sprintf("Nail board %d.", i+1)})
		}
	}
	alice.hears(tree, fmt.Sprintf("%d ahead", turns))
	if status := w.get(fmt.Sprintf("%s/turns/%d", session, turns+1), "text/markdown", w.token("Scribe")).status; status != 404 {
		t.Errorf("there is a turn more: %d", status)
	}
}
