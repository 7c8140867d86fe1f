package store_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"samepage/store"
	"samepage/store/credential"
	"samepage/store/db"
	"samepage/store/effort"
	"samepage/store/governance"
	"samepage/store/pgtest"
	"samepage/store/shm"
)

func TestMain(m *testing.M) {
	shm.Use()
	slog.SetDefault(slog.New(slog.DiscardHandler)) // the tests cause panics and many log lines intentionally
	goleak.VerifyTestMain(m)
}

// fewerHistories limits the number of histories of a random test to n, on a server and under the race detector.
// Each history takes many times as long there. Runs in files without the race detector make all histories.
func fewerHistories(t *testing.T, n int) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	if !effort.Racing && pgtest.Given() == "" || checks.Value.String() != checks.DefValue {
		return
	}
	t.Logf("left out: all but %d of %s histories, which run in files without the race detector", n, checks.DefValue)
	checks.Value.Set(strconv.Itoa(n))
	t.Cleanup(func() { checks.Value.Set(checks.DefValue) })
}

// clock is a clock that changes only when advance is called.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// friday is the time at which the world of every test begins.
var friday = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// world has the fixtures of every test. In the organization Acme are Alice, who owns it, Bob, and Alice's agent
// Scribe. The studio Team of Acme has the decision about stand-ups. Oscar is in another organization, Globex.
type world struct {
	*store.Store
	t     testing.TB
	clock *clock
	dir   string // the data folder, or the URL of a database on a server

	acme, globex              *store.Organization
	alice, bob, scribe, oscar store.Actor
	nobody                    store.Actor
	secret                    string // the secret of Scribe's token
	team                      *store.Studio
	standups                  *governance.Decision
}

func newWorld(t testing.TB) *world {
	t.Helper()
	return newWorldAt(t, newWhere(t))
}

// newWhere returns the address of an empty database. It is a folder, or a database on the server if the tests
// were given one.
func newWhere(t testing.TB) string {
	t.Helper()
	if pgtest.Given() == "" {
		return t.TempDir()
	}
	of, err := migrated()
	if err != nil {
		t.Fatal(err)
	}
	return pgtest.Copy(t, of)
}

// migrated creates a migrated database without rows on the server. Tests copy it, because a copy takes a tenth
// of the time of the migrations.
var migrated = sync.OnceValues(func() (where string, err error) {
	if where, err = pgtest.Make(""); err != nil {
		return "", err
	}
	s, err := store.Open(context.Background(), where, store.Options{})
	if err != nil {
		return "", err
	}
	return where, s.Close()
})

// newWorldAt adds the fixtures to an empty database.
func newWorldAt(t testing.TB, where string) *world {
	t.Helper()
	w := &world{t: t, clock: &clock{now: friday}, dir: where}
	w.open()
	t.Cleanup(func() { w.Store.Close() })
	w.write(func(tx *store.Tx) error {
		acme, alice, err := tx.CreateOrganization("acme", "Acme", "Europe/Berlin",
			store.NewMember{Handle: "alice", Name: "Alice", Email: "alice@acme.example", PasswordHash: "-"})
		if err != nil {
			return err
		}
		globex, oscar, err := tx.CreateOrganization("globex", "Globex", "UTC",
			store.NewMember{Handle: "oscar", Name: "Oscar", Email: "oscar@globex.example", PasswordHash: "-"})
		if err != nil {
			return err
		}
		bob, err := tx.CreateMember(acme.ID, "bob", "Bob", "bob@acme.example", "-")
		if err != nil {
			return err
		}
		if _, w.secret, err = tx.CreateToken(alice, store.Grant{Label: "Scribe", Scopes: store.Scopes()}); err != nil {
			return err
		}
		w.alice, w.bob, w.oscar = w.login(tx, alice), w.login(tx, bob), w.login(tx, oscar)
		if w.scribe, err = tx.ActorByToken(w.secret); err != nil {
			return err
		}
		for _, by := range []store.Actor{w.alice, w.bob, w.oscar} {
			if _, err := tx.Journal(by,
				store.Change{Action: "join", Target: by.Member.Ref(), After: by.Member.Record()}); err != nil {
				return err
			}
		}
		w.acme, w.globex = acme, globex
		return nil
	})
	w.team = w.studio("team", "organization", w.alice, w.bob)
	w.standups = w.decision(w.alice, w.team, "When do we have stand-ups?", "Mornings", "At noon", "Never")
	return w
}

// newFileWorld returns a world whose database is an SQLite file. It skips the test if the tests use a PostgreSQL
// server; see [pgtest.Given].
func newFileWorld(t testing.TB) *world {
	t.Helper()
	pgtest.Folder(t, "it is about the file")
	return newWorld(t)
}

func (w *world) onServer() bool { return store.OnServer(w.dir) }

// byteZero returns the literal of one zero byte in the SQL dialect of the database.
func (w *world) byteZero() string {
	if w.onServer() {
		return `'\x00'::bytea`
	}
	return "x'00'"
}

// file returns access to the database file, for tests of the layer below the store.
func (w *world) file() db.Probe { return db.ProbeOf(w.Store.DB) }

func (w *world) open() {
	w.t.Helper()
	s, err := store.Open(w.t.Context(), w.dir, store.Options{Clock: w.clock.Now})
	if err != nil {
		w.t.Fatal(err)
	}
	w.Store = s
}

// reopen closes the store and opens it again.
func (w *world) reopen() {
	w.t.Helper()
	if err := w.Store.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.open()
}

func (w *world) login(tx *store.Tx, m *store.Member) store.Actor {
	secret, err := credential.CreateLogin(tx, m.UserID, credential.Browser{}, tx.Now)
	if err != nil {
		w.t.Error(err)
	}
	by, err := credential.ActorByLogin(tx, secret)
	if err != nil {
		w.t.Error(err)
	}
	return by
}

// write runs fn in a write transaction and fails the test on an error.
func (w *world) write(fn func(tx *store.Tx) error) {
	w.t.Helper()
	if err := w.Write(context.Background(), fn); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(fn func(tx *store.Tx) error) {
	w.t.Helper()
	if err := w.Read(context.Background(), fn); err != nil {
		w.t.Fatal(err)
	}
}

// raw runs a statement without the methods of the store, so that nothing is journalled or indexed.
func (w *world) raw(query string, args ...any) {
	w.t.Helper()
	w.write(func(tx *store.Tx) error { return tx.Exec(query, args...) })
}

// member adds a member to an organization of the world.
func (w *world) member(o *store.Organization, handle string) store.Actor {
	w.t.Helper()
	var by store.Actor
	w.write(func(tx *store.Tx) error {
		m, err := tx.CreateMember(o.ID, handle, handle, handle+"@"+o.Handle+".example", "-")
		if err != nil {
			return err
		}
		by = w.login(tx, m)
		_, err = tx.Journal(by, store.Change{Action: "join", Target: m.Ref(), After: m.Record()})
		return err
	})
	return by
}

// studio creates a studio in the organization of its first member, who is also its creator.
func (w *world) studio(handle, visibility string, members ...store.Actor) *store.Studio {
	w.t.Helper()
	var s *store.Studio
	w.write(func(tx *store.Tx) (err error) {
		by := members[0]
		if s, err = tx.CreateStudio(by,
			store.NewStudio{OrgID: by.Member.OrgID, Handle: handle, Name: handle, Visibility: visibility,
				Tempo: "weekly"}); err != nil {
			return err
		}
		for _, m := range members[1:] {
			if err := tx.JoinStudio(m.Member, s); err != nil {
				return err
			}
		}
		if s, err = tx.FindStudio(by, handle); err != nil {
			return err
		}
		_, err = tx.Journal(by, store.Change{Action: "create_studio", Target: s.Ref(), After: s.Record()})
		return err
	})
	return s
}

// draft creates a decision that is not open.
func (w *world) draft(by store.Actor, s *store.Studio, question string, options ...string) *governance.Decision {
	w.t.Helper()
	var d *governance.Decision
	w.write(func(tx *store.Tx) (err error) {
		list := make([]governance.NewOption, len(options))
		for i, title := range options {
			list[i].Title = title
		}
		d, err = governance.CreateDecision(tx, by, s,
			governance.NewDecision{Question: question, Body: "Please *answer*.", Method: "acceptance", Rules: `{"quorum":0}`,
				Results: "shown", Reasons: "optional", Options: list})
		if err != nil {
			return err
		}
		_, err = tx.Journal(by, store.Change{Action: "start_decision", Target: d.Ref(), After: d.Record()})
		return err
	})
	return d
}

// decision creates an open decision.
func (w *world) decision(by store.Actor, s *store.Studio, question string, options ...string) *governance.Decision {
	w.t.Helper()
	d := w.draft(by, s, question, options...)
	w.write(func(tx *store.Tx) (err error) {
		before := d.Record()
		if err = governance.OpenDecision(tx, d); err != nil {
			return err
		}
		if d, err = governance.FindDecision(tx, by, s.Handle, d.ID); err != nil {
			return err
		}
		_, err = tx.Journal(by, store.Change{Action: "open_decision", Target: d.Ref(), Before: before,
			After: d.Record()})
		return err
	})
	return d
}

// vote casts a ballot as the action does, in one transaction: it finds the decision, stores the ballot, finds
// the decision again, and journals the change.
func (w *world) vote(by store.Actor, d *governance.Decision, marks string) error {
	return w.Write(context.Background(),
		func(tx *store.Tx) error { return castJournalled(tx, by, d.Studio.Handle, d.ID, marks) })
}

func castJournalled(tx *store.Tx, by store.Actor, studio, id, marks string) error {
	d, err := governance.FindDecision(tx, by, studio, id)
	if err != nil {
		return err
	}
	before := d.Record()
	if err := governance.CastBallot(tx, by, d, marks, "", fmt.Sprintf(`{"last":%q}`, marks)); err != nil {
		return err
	}
	if d, err = governance.FindDecision(tx, by, studio, id); err != nil {
		return err
	}
	_, err = tx.Journal(by, store.Change{Action: "cast_vote", Target: d.Ref(), Before: before, After: d.Record()})
	return err
}

// verify verifies the journal of an organization.
func (w *world) verify(org string, noted ...store.Head) (head store.Head, err error) {
	rerr := w.Read(context.Background(), func(tx *store.Tx) error {
		o, ferr := tx.FindOrganization(store.System(), org)
		if ferr != nil {
			return ferr
		}
		head, err = tx.VerifyJournal(o, noted...)
		return nil
	})
	if rerr != nil {
		w.t.Fatal(rerr)
	}
	return head, err
}

func keep(key string) func(tx *store.Tx) error {
	return func(tx *store.Tx) error {
		return tx.Exec(`INSERT INTO instance (key, value) VALUES (?, ?)`, key, []byte{0})
	}
}

func (w *world) kept() (keys []string) {
	w.read(func(tx *store.Tx) error {
		return tx.Select(&keys, `SELECT key FROM instance WHERE key <> 'heads' ORDER BY key`)
	})
	return keys
}
