package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"samepage/store"
	"samepage/store/archive"
	"samepage/store/db"
	"samepage/store/governance"
	"samepage/store/pgtest"
)

// newServerWorld returns a world on a server. It skips the test if the tests were given no server.
func newServerWorld(t testing.TB) *world {
	t.Helper()
	if pgtest.Given() == "" {
		t.Skip("left out: there is no PostgreSQL. go run ./e2e/all starts one.")
	}
	return newWorld(t)
}

// node opens the world's database as another process would.
func (w *world) node() *world {
	w.t.Helper()
	n := *w
	n.open()
	w.t.Cleanup(func() { n.Store.Close() })
	return &n
}

// kill ends the connections to the database that are in the given state, as a failing network or a restart of the
// server does. It returns their number.
func (w *world) kill(state string) (ended int) {
	w.t.Helper()
	conn, err := pgx.Connect(w.t.Context(), w.dir)
	if err != nil {
		w.t.Fatal(err)
	}
	defer conn.Close(w.t.Context())
	if err := conn.QueryRow(w.t.Context(), `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid()
		AND state = $1`, state).Scan(&ended); err != nil {
		w.t.Fatal(err)
	}
	return ended
}

// TestNodesAppendToOneChain lets four nodes with eight writers each vote in two organizations. The organizations'
// journals must be valid, and every ballot must be counted.
func TestNodesAppendToOneChain(t *testing.T) {
	w := newServerWorld(t)
	lab := w.studio("lab", "organization", w.oscar)
	rockets := w.decision(w.oscar, lab, "Which rocket?", "Red", "Blue")
	var voters []store.Actor
	for i := range 8 {
		by := w.member(w.acme, fmt.Sprintf("voter-%d", i))
		w.write(func(tx *store.Tx) error { return tx.JoinStudio(by.Member, w.team) })
		voters = append(voters, by)
	}
	const each = 10
	var wg sync.WaitGroup
	for range 4 {
		n := w.node()
		for i := range voters {
			wg.Go(func() {
				for range each {
					by, studio, d := voters[i], "team", w.standups
					if i == 0 {
						by, studio, d = w.oscar, "lab", rockets
					}
					if err := n.Write(context.Background(), func(tx *store.Tx) error {
						if _, err := tx.Serialize(by, ""); err != nil {
							return err
						}
						return castJournalled(tx, by, studio, d.ID, "[1]")
					}); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	wg.Wait()
	for org, want := range map[string]int64{"acme": int64(w.head("acme")) + 0, "globex": int64(w.head("globex"))} {
		if head, err := w.verify(org); err != nil || head.Seq != want {
			t.Errorf("%s: %v, %v", org, head, err)
		}
	}
	if n := w.head("acme"); n != 5+8+4*7*each {
		t.Errorf("the journal of acme has %d entries", n)
	}
	w.read(func(tx *store.Tx) error {
		d, err := governance.FindDecision(tx, w.alice, "team", w.standups.ID)
		if err == nil && d.Ballots != 7 {
			t.Errorf("%d ballots are counted, 7 have voted", d.Ballots)
		}
		return err
	})
}

func (w *world) head(org string) (n int) {
	w.read(func(tx *store.Tx) error {
		return tx.Get(&n, `SELECT journal_seq FROM organizations WHERE handle = ?`, org)
	})
	return n
}

// TestSerialize expects a transaction that gets a lock to read the rows that the previous holder of the lock has
// written.
func TestSerialize(t *testing.T) {
	w := newServerWorld(t)
	other := w.node()
	holding, release, second := make(chan struct{}), make(chan struct{}), make(chan error)
	first := make(chan error)
	go func() {
		first <- w.Write(t.Context(), func(tx *store.Tx) error {
			waited, err := tx.Serialize(w.alice, "")
			if !waited || err != nil {
				t.Error(waited, err)
			}
			if waited, err = tx.Serialize(w.alice, w.acme.ID); waited || err != nil {
				t.Error("held already:", waited, err)
			}
			close(holding)
			<-release
			return tx.RenameMember(w.bob.Member, "bob", "Robert", "")
		})
	}()
	<-holding
	begun := make(chan struct{})
	go func() {
		second <- other.Write(t.Context(), func(tx *store.Tx) error {
			before, err := tx.Member(w.bob.MemberID())
			close(begun)
			if err != nil || before.Name != "Bob" {
				t.Errorf("%+v, %v", before, err)
			}
			if _, err := tx.Serialize(w.bob, ""); err != nil {
				return err
			}
			after, err := tx.Member(w.bob.MemberID())
			if err != nil || after.Name != "Robert" {
				t.Errorf("%+v, %v", after, err)
			}
			return err
		})
	}()
	<-begun
	// Writers of another organization do not wait.
	if err := other.Write(t.Context(),
		func(tx *store.Tx) error { _, err := tx.Serialize(w.oscar, ""); return err }); err != nil {
		t.Error(err)
	}
	close(release)
	if err := errors.Join(<-first, <-second); err != nil {
		t.Error(err)
	}
	// A lock taken in an undone savepoint is released, and can be taken again.
	w.write(func(tx *store.Tx) error {
		tx.Nested(func() error { tx.Serialize(w.alice, ""); return errors.New("undone") })
		if waited, err := tx.Serialize(w.alice, ""); !waited || err != nil {
			t.Error("after it was undone:", waited, err)
		}
		return nil
	})
}

// TestRunningIntoOthers expects a write to run again after a collision or a deadlock.
func TestRunningIntoOthers(t *testing.T) {
	w := newServerWorld(t)
	other := w.node()
	var wg sync.WaitGroup
	for _, n := range []*world{w, other} {
		for range 8 {
			wg.Go(func() {
				if err := n.Write(t.Context(), func(tx *store.Tx) error {
					_, err := tx.Instance("made once", func() []byte { return []byte(store.NewID()) })
					return err
				}); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
	// Two writes wait for each other.
	var tries sync.Map
	meet := make(chan struct{}, 2)
	for i, pair := range [][2]string{{"alice", "bob"}, {"bob", "alice"}} {
		wg.Go(func() {
			if err := w.Write(t.Context(), func(tx *store.Tx) error {
				_, again := tries.LoadOrStore(i, true)
				for j, handle := range pair {
					if err := tx.Exec(`UPDATE members SET name = ? WHERE handle = ? AND org_id = ?`,
						fmt.Sprint("Writer ", i), handle, w.acme.ID); err != nil {
						return err
					}
					if j == 0 && !again {
						meet <- struct{}{}
						for len(meet) < 2 {
							time.Sleep(time.Millisecond)
						}
					}
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// TestLostConnections expects a write to run again if its connection breaks before the commit. If the connection breaks
// during the commit, the error must say that the outcome is unknown.
func TestLostConnections(t *testing.T) {
	w := newServerWorld(t)
	runs := 0
	w.write(func(tx *store.Tx) error {
		if runs++; runs == 1 {
			if w.kill("idle in transaction") == 0 {
				t.Error("nothing to end")
			}
		}
		return keep("again")(tx)
	})
	if runs != 2 {
		t.Errorf("it was run %d times", runs)
	}
	w.kill("idle") // all idle connections in the pools
	w.write(keep("after"))
	if got := w.kept(); !slices.Equal(got, []string{"after", "again"}) {
		t.Errorf("kept %s", got)
	}
	runs = 0
	w.write(func(tx *store.Tx) error { // a write that takes the broken connection for a missing row runs again, too
		if runs++; runs == 1 {
			w.kill("idle in transaction")
		}
		if err := keep("mistaken")(tx); err != nil {
			return store.Missing()
		}
		return nil
	})
	if got := w.kept(); runs != 2 || !slices.Contains(got, "mistaken") {
		t.Errorf("it was run %d times, and kept %s", runs, got)
	}
	// The server never gets the commit, but the client cannot know that.
	err := w.Write(t.Context(), func(tx *store.Tx) error {
		if err := keep("uncertain")(tx); err != nil {
			return err
		}
		return db.Sever(tx.Tx)
	})
	if store.CodeOf(err) != store.Uncertain || !strings.Contains(err.Error(), "may have been done") {
		t.Error(err)
	}
	// After such a write, the next call of CheckWrite tries a write, and the call after it does not.
	probes := 0
	for range 2 {
		if err := w.DB.CheckWrite(t.Context(), func(tx *db.Tx) error {
			probes++
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
	if probes != 1 {
		t.Errorf("%d writes were tried after an uncertain one", probes)
	}
	if err := w.Read(t.Context(), func(tx *store.Tx) error {
		w.kill("idle in transaction")
		_, err := tx.FindStudio(w.alice, "team")
		return err
	}); store.CodeOf(err) != store.Unavailable || !strings.Contains(err.Error(), "cannot be reached") {
		t.Error("a read:", err)
	}
	w.write(keep("and on"))
}

// TestADroppedErrorIsNoSuccess expects an error from a write that ignores the error of a statement, because the server
// undoes the whole write.
func TestADroppedErrorIsNoSuccess(t *testing.T) {
	w := newServerWorld(t)
	w.write(keep("a"))
	runs := 0
	err := w.Write(t.Context(), func(tx *store.Tx) error {
		runs++
		keep("b")(tx)
		keep("a")(tx)
		return nil
	})
	if err == nil || runs != 1 {
		t.Errorf("%v after %d runs", err, runs)
	}
	w.write(func(tx *store.Tx) error { // an error in an undone savepoint does no harm
		tx.Nested(func() error { return keep("a")(tx) })
		return keep("c")(tx)
	})
	if got := w.kept(); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("kept %s", got)
	}
}

// TestNodesHearOfChanges expects watchers to hear of a change: in the same process at once, and in another process
// soon, even after the other process has lost its connection.
func TestNodesHearOfChanges(t *testing.T) {
	w := newServerWorld(t)
	other := w.node()
	here, there := make(chan []store.Topic, 1000), make(chan []store.Topic, 1000)
	defer w.Watch(func(topics []store.Topic) { here <- topics })()
	defer other.Watch(func(topics []store.Topic) { there <- topics })()
	voted := []store.Topic{store.EntryTopic.Of(w.standups.StudioID), store.ItemVersion.Of(w.standups.ID),
		store.JournalTopic.Of(w.acme.ID)}
	// A message that is sent before the other node listens is lost, so told sends several.
	told := func() {
		t.Helper()
		for n := 0; n < 100; n++ {
			if err := w.vote(w.bob, w.standups, fmt.Sprint(n)); err != nil {
				t.Fatal(err)
			}
			select {
			case got := <-there:
				if slices.Equal(got, voted) {
					return
				}
			case <-time.After(100 * time.Millisecond):
			}
		}
		t.Fatal("it does not listen")
	}
	if err := w.vote(w.bob, w.standups, "[1]"); err != nil {
		t.Fatal(err)
	}
	if got := <-here; !slices.Equal(got, voted) {
		t.Errorf("heard of %q, want %q", got, voted)
	}
	told()
	for len(here) > 0 {
		<-here
	}
	w.write(keep("not in a journal"))
	failing := errors.New("undone")
	w.Write(t.Context(), func(tx *store.Tx) error {
		castJournalled(tx, w.bob, "team", w.standups.ID, "[2]")
		return failing
	})
	if len(here) > 0 {
		t.Errorf("heard of %q, and nothing has changed", <-here)
	}
	for len(there) > 0 {
		<-there
	}
	w.kill("idle") // the listening connection is idle too, and is opened again
	told()
}

// TestWhatWasMovedIsPlannedFor expects the server to have statistics about the imported rows after an import.
func TestWhatWasMovedIsPlannedFor(t *testing.T) {
	w := newServerWorld(t)
	to := empty(t, pgtest.Database(t))
	if _, _, err := archive.Import(t.Context(), to.Store, strings.NewReader(w.export("acme"))); err != nil {
		t.Fatal(err)
	}
	to.read(func(tx *store.Tx) error {
		for _, table := range []string{"items", "journal", "documents", "search"} {
			var rows, known int
			err := errors.Join(tx.Get(&rows, `SELECT count(*) FROM `+table), tx.Get(&known, `SELECT reltuples::bigint
				FROM pg_class WHERE oid = to_regclass(?)`, table))
			if err != nil || known != rows || rows == 0 {
				t.Errorf("%s has %d rows, and the server knows of %d, %v", table, rows, known, err)
			}
		}
		return nil
	})
}
