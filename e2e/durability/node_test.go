//go:build linux

package durability

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"samepage/store/effort"
	"samepage/store/pgtest"
)

// cluster is a PostgreSQL server for one test, with the demo workspace in its database.
type cluster struct {
	*pgtest.Server
	env []string // the environment variable with the address of the database
}

var databases atomic.Int64

// onServer starts a PostgreSQL server and moves the workspace to it.
func onServer(t *testing.T, w *world) *cluster {
	t.Helper()
	s, err := pgtest.Start()
	if errors.Is(err, pgtest.ErrNone) && !effort.All() {
		t.Skip("left out: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop() })
	where, err := s.Database(fmt.Sprint("nodes_", databases.Add(1)))
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{s, []string{"SAMEPAGE_DATABASE=" + where, "SAMEPAGE_KEYS=" + filepath.Join(t.TempDir(), "keys")}}
	file := filepath.Join(t.TempDir(), "meadow")
	must(t, "export", "--data", w.folder(t), "--org", "meadow", file)
	must(t, "import", "organization", "--database", where, file)
	return c
}

// serve starts one node, which is a Samepage server on the shared database.
func (c *cluster) serve(t *testing.T) *server {
	t.Helper()
	s := serve(t, t.TempDir(), c.env...)
	if s.url == "" {
		t.Fatalf("the node does not serve:\n%s", s.output)
	}
	return s
}

// inspect exports the organization from the server, imports it into a data folder, and checks that folder. All
// acknowledged actions must be there.
func (c *cluster) inspect(t *testing.T, l *ledger) {
	t.Helper()
	c.inspectFor(t, l, nil)
}

// inspectFor does the same as inspect, but only the actions in the list sure must be there.
func (c *cluster) inspectFor(t *testing.T, l *ledger, sure []*act) {
	t.Helper()
	where := strings.TrimPrefix(c.env[0], "SAMEPAGE_DATABASE=")
	must(t, "doctor", "--database", where)
	dir := t.TempDir()
	file := filepath.Join(dir, "meadow")
	must(t, "export", "--database", where, "--org", "meadow", file)
	must(t, "import", "organization", "--data", filepath.Join(dir, "data"), file)
	f, _, wrong := inspect(t, filepath.Join(dir, "data"), "")
	if wrong = append(wrong, l.check(f, sure)...); len(wrong) > 0 {
		t.Fatalf("-seed %d:\n%s", *seed, strings.Join(wrong[:min(len(wrong), 20)], "\n"))
	}
}

// TestNodes lets writers act on three nodes with one database. One node is killed under load, and one is paused for a
// long time. The third node continues, and gets the unanswered actions again.
func TestNodes(t *testing.T) {
	t.Parallel()
	w := seeded(t)
	c := onServer(t, w)
	t.Logf("-seed %d", *seed)
	// The database server ends an idle transaction after 3 s, and the wait for a lock after 15 s
	// (store/db/postgres.go). A lease ends after 15 s (store/db/postgres_lease.go).
	pause := effort.Of(7*time.Second, 20*time.Second, 20*time.Second)
	if !effort.All() {
		effort.LeftOut(t, "all pauses but one of %s", pause)
	}
	l := newLedger(w, rand.New(rand.NewPCG(*seed, 14)))
	killed, paused, steady := c.serve(t), c.serve(t), c.serve(t)
	paused.client.Timeout = pause + hangs
	first, second := l.write(t.Context(), killed, 8, 0), l.write(t.Context(), paused, 8, 0)
	third := l.write(t.Context(), steady, 8, 0)
	l.reach(t, 100)
	paused.cmd.Process.Signal(syscall.SIGSTOP)
	killed.end(syscall.SIGKILL)
	first.Wait()
	begun := time.Now()
	l.reach(t, 100)
	waited := time.Since(begun)
	time.Sleep(max(0, pause-time.Since(begun)))
	paused.cmd.Process.Signal(syscall.SIGCONT)
	l.reach(t, 50)
	second.stop()
	third.stop()
	retried := len(l.those(unknown))
	l.retry(steady)
	if n := len(l.those(unknown)); n > 0 {
		t.Errorf("%d actions have no answer", n)
	}
	for _, a := range l.those(refused) {
		if !strings.HasPrefix(a.answer, "503 ") {
			t.Errorf("%s is refused with %s", a.name, a.answer)
			break
		}
	}
	paused.alive()
	steady.alive()
	n := len(l.those(acknowledged))
	t.Logf("%d actions acknowledged, %d asked for again, %d refused; with one node killed and one "+
		"standing still, the third took %v for 100", n, retried, len(l.those(refused)), waited.Round(time.Millisecond))
	again := len(l.those(refused))
	l.again(steady)
	if left := len(l.those(refused)); left > 0 {
		t.Errorf("%d of %d refused actions are refused again", left, again)
	}
	c.inspect(t, l)
}

// TestServerCrash crashes the database server several times while writers act on two nodes. The
// nodes must recover by themselves.
func TestServerCrash(t *testing.T) {
	t.Parallel()
	w := seeded(t)
	c := onServer(t, w)
	t.Logf("-seed %d", *seed)
	l := newLedger(w, rand.New(rand.NewPCG(*seed, 15)))
	nodes := []*server{c.serve(t), c.serve(t)}
	rounds := count(t, *rounds, 2, 4, 20)
	retried, refusals := 0, 0
	for range rounds {
		var crews []*crew
		for _, s := range nodes {
			crews = append(crews, l.write(t.Context(), s, 8, 10*time.Millisecond))
		}
		l.reach(t, 50)
		if err := c.Crash(); err != nil {
			t.Fatal(err)
		}
		for _, group := range crews {
			group.stop()
		}
		for _, s := range nodes {
			s.alive()
		}
		retried, refusals = retried+len(l.those(unknown)), refusals+len(l.those(refused))
		l.retry(nodes[0])
		l.again(nodes[1])
	}
	if n := len(l.those(unknown)) + len(l.those(refused)); n > 0 {
		t.Errorf("%d actions do not go through after all", n)
	}
	c.inspect(t, l)
	t.Logf("%d crashes: %d actions acknowledged, %d asked for again, %d refused at first", rounds,
		len(l.those(acknowledged)), retried, refusals)
}
