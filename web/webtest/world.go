// Package webtest gives tests one small world of named fixtures, on a real database. The world has two organizations,
// their people and agents, studios of every visibility, and decisions in every state. The actions that make it are its
// story, which is divided into chapters.
//
// Alice owns Acme, and Oscar owns Globex. Bob and Erin are members of Acme's studio Team. Carol is a member of Acme but
// not of Team. Dave joined Team after most of its decisions had opened. Mia is a member of both organizations. Frank
// was removed from Acme and is a member of no organization. Scribe is an agent of Alice, Scout and Reader are agents of
// Bob, Owl is an agent of Oscar, and Clerk is an agent of Erin.
package webtest

import (
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jmoiron/sqlx"

	"samepage/store"
	"samepage/store/db"
	"samepage/store/keyfile"
	"samepage/store/pgtest"
	"samepage/web"
)

// Origin is the scheme and host of the world's site.
const Origin = "https://samepage.example"

// Start is the time on the clock at the beginning of every test, a Friday.
var Start = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

// World is a copy of the world that belongs to one test.
type World struct {
	Store *store.Store
	Site  *web.Site
	Clock *Clock
	fixtures
	entries *sync.Map // URLs of journal entries, by action
	t       testing.TB
	where   string   // folder of the database, or its address on a server
	keys    string   // path of the key file of the world that this one was moved from; otherwise empty
	past    *sqlx.DB // nil before the first call of [World.Database]
	tables  []db.TableSchema
	cookie  string // name of the login cookie
}

// fixtures are the parts of the world that all its copies share.
type fixtures struct {
	urls    map[string]string // URLs of pages, by fixture
	secrets map[string]secret // by the name of the actor
	names   map[string]string // names of fixtures, by ID
	// receipts holds the receipt for the last anonymous ballot, by the URL of the decision.
	receipts map[string]string
	// secretsOf holds the secrets of invitations and the tokens of runners, by name.
	secretsOf map[string]string
	// linksTo holds links with a preview, by name.
	linksTo map[string]string
}

// secret holds the credentials of an actor, none for the anonymous one.
type secret struct{ login, token, user string }

// New returns a copy of the whole world for a test. The site is at [Origin] and has no rate limits, unless a change
// sets them.
func New(t testing.TB, change ...func(*web.Config)) *World {
	t.Helper()
	return of(t, "", change...)
}

// Of returns a small world for a test: the people, their agents and studios, and one chapter of the story, such as
// "note".
func Of(t testing.TB, chapter string) *World {
	t.Helper()
	return of(t, chapter)
}

func of(t testing.TB, chapter string, change ...func(*web.Config)) *World {
	t.Helper()
	made, err := first(chapter)
	if err != nil {
		t.Fatalf("make the world: %v", err)
	}
	w := &World{t: t, Clock: &Clock{now: Start}, fixtures: made.fixtures, entries: &sync.Map{}, cookie: "samepage"}
	w.where = made.copy(t)
	if w.Store, err = store.Open(t.Context(), w.where, store.Options{Clock: w.Clock.Now, Keys: pgtest.Keys(w.where)}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Store.Close() })
	config := web.Config{Origin: Origin, Version: "test", Unlimited: true,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
	for _, c := range change {
		c(&config)
	}
	if strings.HasPrefix(config.Origin, "https://") {
		w.cookie = "__Host-samepage"
	}
	if w.Site, err = web.New(t.Context(), w.Store, config); err != nil {
		t.Fatal(err)
	}
	return w
}

// URL returns the path of the page of a fixture. Examples of names are "standups" for a decision, "team" for a studio,
// "acme organization" for an organization, and "@bob" or "@mia globex" for a member of Acme or Globex. "entry
// cast_vote" is an entry of Acme's journal with this action: the first by an agent if there is one, or else the first.
func (w *World) URL(name string) string {
	if action, ok := strings.CutPrefix(name, "entry "); ok {
		return w.entry(action)
	}
	u, ok := w.urls[name]
	if !ok {
		w.t.Helper()
		w.t.Fatalf("there is no fixture %q; there are %q", name, w.Fixtures())
	}
	return u
}

// entry returns the URL of a journal entry with an action. It remembers the URL, because a fuzz target may not query
// the database.
func (w *World) entry(action string) string {
	if u, ok := w.entries.Load(action); ok {
		return u.(string)
	}
	var seq int
	w.Query(&seq, `SELECT j.seq FROM journal j JOIN organizations o ON o.id = j.org_id
		WHERE o.handle = 'acme' AND j.action = ? ORDER BY j.agent = '', j.seq LIMIT 1`, action)
	u := fmt.Sprint("/orgs/acme/journal/", seq)
	w.entries.Store(action, u)
	return u
}

// Fixtures returns the names of all fixtures that have a page.
func (w *World) Fixtures() []string { return slices.Sorted(maps.Keys(w.urls)) }

// Actors returns the names of all actors. "anonymous" has no credentials, and the tokens of "revoked", "expired" and
// "paused" are not valid.
func (w *World) Actors() []string { return slices.Sorted(maps.Keys(w.secrets)) }

// Token returns the secret of an agent's token.
func (w *World) Token(name string) string {
	w.t.Helper()
	return w.given("token", w.secrets[name].token, name)
}

// Receipt returns the receipt for an anonymous ballot on the decision at this URL, or the empty string.
func (w *World) Receipt(url string) string { return w.receipts[url] }

// Invitation returns the URL of the invitation with this name. Anybody may accept "acme link" and "globex link". Only
// the invited person may accept "acme gina" and "acme frank". "acme hugo" has expired, "acme ines" was declined, "acme
// jan" was revoked, and "acme kim" was accepted.
func (w *World) Invitation(name string) string {
	w.t.Helper()
	return store.InvitationPath(w.given("invitation", w.secretsOf[name], name))
}

// Secret returns the token of the runner with this name: "runner mill" or "runner barn".
func (w *World) Secret(name string) string {
	w.t.Helper()
	return w.given("runner", w.secretsOf[name], name)
}

// Link returns the link with a preview that has this name, such as "link to standups".
func (w *World) Link(name string) string {
	w.t.Helper()
	return w.given("link", w.linksTo[name], name)
}

// given returns the value of a fixture. It ends the test if the value is empty.
func (w *World) given(kind, value, name string) string {
	if value == "" {
		w.t.Helper()
		w.t.Fatalf("there is no %s %q", kind, name)
	}
	return value
}

// Stable replaces random IDs in the text by the names of fixtures.
func (w *World) Stable(text string) string {
	list := make([]string, 0, 2*len(w.names))
	for id, name := range w.names {
		list = append(list, id, name)
	}
	return strings.NewReplacer(list...).Replace(text)
}

// Clock is a clock that moves only when a method moves it.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now returns the time on the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set moves the clock to the time t.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}

// Advance moves the clock forward by d.
func (c *Clock) Advance(d time.Duration) { c.Set(c.Now().Add(d)) }

// made is a finished world, which all tests of a process copy.
type made struct {
	fixtures
	files fstest.MapFS // files of the data folder, if the database is in a folder
	where string       // address of the database, if it is on a server
}

// Where returns a place for an empty database: a folder or, if the tests were given a database server, the address of a
// new database.
func Where(t testing.TB) string {
	if pgtest.Given() != "" {
		return pgtest.Database(t)
	}
	return t.TempDir()
}

// copy copies the world's database and returns the place of the copy.
func (m *made) copy(t testing.TB) string {
	t.Helper()
	if m.where != "" {
		return pgtest.Copy(t, m.where)
	}
	dir := t.TempDir()
	err := os.CopyFS(dir, m.files)
	if err == nil {
		// CopyFS makes the file readable to other users, but the keys must not be readable to them.
		err = os.Chmod(filepath.Join(dir, keyfile.Name), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// first returns the world of a chapter, which the first call makes.
func first(chapter string) (*made, error) {
	once, _ := worlds.LoadOrStore(chapter, sync.OnceValues(func() (*made, error) { return makeWorld(chapter) }))
	return once.(func() (*made, error))()
}

var worlds sync.Map // functions that return a world, by chapter

func makeWorld(chapter string) (*made, error) {
	if pgtest.Given() != "" {
		where, err := pgtest.Make("")
		if err != nil {
			return nil, err
		}
		f, err := tell(where, chapter, func(*store.Store) {})
		return &made{fixtures: f, where: where}, err
	}
	dir, err := os.MkdirTemp("", "webtest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	f, err := tell(dir, chapter, func(*store.Store) {})
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(filepath.Join(dir, store.FileName+"-wal")); err == nil && info.Size() > 0 {
		return nil, fmt.Errorf("the database was closed with %d bytes in its log", info.Size())
	}
	files := fstest.MapFS{}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		files[name] = &fstest.MapFile{Data: data, Mode: 0o600}
		return err
	})
	return &made{fixtures: f, files: files}, err
}
