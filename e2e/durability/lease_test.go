//go:build linux

package durability

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"samepage/store/effort"
)

// TestNodesCloseOnce runs three nodes until votes become due. At a random moment while the nodes close the votes, one
// node is killed and one is paused. Each vote must be closed once, and each member must be notified once.
func TestNodesCloseOnce(t *testing.T) {
	t.Parallel()
	const votes = 40
	w := seeded(t)
	c := onServer(t, w)
	t.Logf("-seed %d", *seed)
	r := rand.New(rand.NewPCG(*seed, 21))
	rounds, begun := count(t, *rounds, 1, 3, 20), time.Now()
	for round := range rounds {
		killed, paused, steady := c.serve(t), c.serve(t), c.serve(t)
		for i := range votes {
			status, body := steady.post(&act{id: fmt.Sprintf("due-%d-%d", round, i), url: "/studios/team", name: "create_decision",
				token: w.tokens[i%len(w.tokens)], params: map[string]any{"question": fmt.Sprintf("Is %d of %d due?", i, round),
					"method": "approval", "options": []string{"Yes", "No"}}})
			if status != http.StatusOK {
				t.Fatal(status, body)
			}
		}
		due := `SELECT id FROM items WHERE title LIKE 'Is % due?' AND closed_at IS NULL`
		c.query(t, `UPDATE items SET due_at = 1000 WHERE id IN (`+due+`) RETURNING id`)
		moment := votes - 1 - r.IntN(votes/2)
		until(t, "no vote is closed", func() bool { return len(c.query(t, due)) <= moment })
		killed.end(syscall.SIGKILL)
		paused.cmd.Process.Signal(syscall.SIGSTOP)
		time.Sleep(4 * time.Second)
		until(t, "votes stay open", func() bool { return len(c.query(t, due)) == 0 })
		paused.cmd.Process.Signal(syscall.SIGCONT)
		time.Sleep(6 * time.Second) // time for the paused node to finish its list of due votes and to look again
		paused.alive()
		steady.alive()
		paused.end(syscall.SIGTERM)
		steady.end(syscall.SIGTERM)
	}
	for what, statement := range map[string]string{
		"closed twice": `SELECT target_id FROM journal WHERE action = 'close_decision' AND title LIKE 'Is % due?'
			GROUP BY target_id HAVING count(*) > 1`,
		"closed without an entry": `SELECT id FROM items WHERE title LIKE 'Is % due?' AND NOT EXISTS (SELECT 1 FROM journal
			WHERE target_id = items.id AND action = 'close_decision')`,
		"told twice": `SELECT member_id || ' ' || item_id FROM notifications WHERE item_id IN (SELECT id FROM items
			WHERE title LIKE 'Is % due?') GROUP BY member_id, item_id, reason, did HAVING count(*) > 1`,
	} {
		if list := c.query(t, statement); len(list) > 0 {
			t.Errorf("%s: %q", what, list)
		}
	}
	c.inspect(t, newLedger(w, r))
	t.Logf("%d nodes killed and %d paused while they closed votes, in %v: %d votes closed, each once", rounds, rounds,
		time.Since(begun).Round(time.Second), rounds*votes)
}

// TestNodesDump takes dumps with the database server's own tool while 16 writers act on two nodes, one of which is
// killed. Each dump, restored to another database, must be complete and have every action that was acknowledged
// before the dump began.
func TestNodesDump(t *testing.T) {
	t.Parallel()
	w := seeded(t)
	c := onServer(t, w)
	dump, err := postgresProgram("pg_dump")
	if err != nil {
		t.Skip("left out: ", err)
	}
	restore, err := postgresProgram("pg_restore")
	if err != nil {
		t.Skip("left out: ", err)
	}
	t.Logf("-seed %d", *seed)
	l := newLedger(w, rand.New(rand.NewPCG(*seed, 22)))
	where := strings.TrimPrefix(c.env[0], "SAMEPAGE_DATABASE=")
	killed, steady := c.serve(t), c.serve(t)
	first, second := l.write(t.Context(), killed, 8, 10*time.Millisecond), l.write(t.Context(), steady, 8,
		10*time.Millisecond)
	dumps := effort.Of(2, 4, 10)
	var promised [][]*act
	var into []string
	for i := range dumps {
		l.reach(t, 40)
		if i == dumps/2 {
			killed.end(syscall.SIGKILL)
			first.Wait()
			l.retry(steady)
		}
		promised = append(promised, l.those(acknowledged))
		file := filepath.Join(t.TempDir(), "dump")
		to, err := c.Database(fmt.Sprint("dump_", databases.Add(1)))
		if err != nil {
			t.Fatal(err)
		}
		for _, cmd := range []*exec.Cmd{exec.Command(dump, "--format=custom", "--file="+file, where),
			exec.Command(restore, "--clean", "--if-exists", "--no-owner", "--dbname="+to, file)} {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
			}
		}
		into = append(into, to)
	}
	second.stop()
	l.retry(steady)
	l.again(steady)
	if n := len(l.those(unknown)) + len(l.those(refused)); n > 0 {
		t.Errorf("%d actions have no effect", n)
	}
	for i, sure := range promised {
		copied := &cluster{c.Server, []string{"SAMEPAGE_DATABASE=" + into[i], c.env[1]}}
		copied.inspectFor(t, l, sure)
	}
	c.inspect(t, l)
	t.Logf("%d dumps while 16 writers acted on two nodes, one of them killed: %d actions acknowledged, all that were promised "+
		"to a dump are in it, once", dumps, len(l.those(acknowledged)))
}

// postgresProgram returns the path of a program of the newest PostgreSQL that Debian's packages have installed, or
// else of the PostgreSQL in PATH.
func postgresProgram(name string) (string, error) {
	list, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if err == nil && len(list) > 0 {
		return list[len(list)-1], nil
	}
	path, lerr := exec.LookPath(name)
	return path, errors.Join(err, lerr)
}
