// Package webtest is one small world of named fixtures that everybody knows, on a real database,
// made through the ordinary write path: two organizations, their people and agents, studios of
// every kind and decisions in every state.
//
// Acme is Alice's. Bob and Erin are in its studio Team; Carol is in Acme and not in Team; Dave
// joined Team after most of its decisions had opened; Mia is in Acme and in Globex, which is
// Oscar's; Frank was in Acme and is nowhere now. Scribe is Alice's agent, Scout and Reader are
// Bob's, Owl is Oscar's.
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

// Origin is where the world's site says it is.
const Origin = "https://samepage.example"

// Start is when every test's world begins: a Friday.
var Start = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

// World is a copy of the world that belongs to one test.
type World struct {
	Store *store.Store
	Site  *web.Site
	Clock *Clock
	fixtures
	entries *sync.Map // addresses of entries of the journal, by action
	t       testing.TB
	where   string   // the folder of the database, or its address
	keys    string   // the path of the keys, if they are those of another world
	past    *sqlx.DB // once it was asked for, see Database
	tables  []db.TableSchema
	cookie  string // the name of the one that signs in
}

// fixtures are the parts that all copies of the world share.
type fixtures struct {
	urls    map[string]string // of pages, by the names of the fixtures
	secrets map[string]secret // of actors, by name
	names   map[string]string // of ids
	// receipts are those of anonymous ballots, by the pages of their decisions: the last of each.
	receipts map[string]string
	// secretsOf are those that open invitations, by name.
	secretsOf map[string]string
	// linksTo are links with a preview, by name.
	linksTo map[string]string
}

// secret holds the credentials of an actor; it is empty for an anonymous one.
type secret struct{ login, token, user string }

// New copies the world for a test. The site answers at [Origin], as often as it is asked, unless change says otherwise.
func New(t testing.TB, change ...func(*web.Config)) *World {
	t.Helper()
	return of(t, "", change...)
}

// Of copies a small world: the people, their agents and studios, and one chapter of the story, such as "note".
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

// URL is the root-relative address of the fixture with this name: a decision such as "standups", a
// studio such as "team", an organization such as "acme organization", a member such as "@bob" (of
// Globex: "@mia globex"). "entry cast_vote" is an entry of Acme's journal with this action: the first one of an
// agent, or else the first one.
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

// entry finds the entry of an action once, since a fuzz target may not query the database.
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

// Fixtures are the names of everything that has a page.
func (w *World) Fixtures() []string { return slices.Sorted(maps.Keys(w.urls)) }

// Actors returns the names of all actors, among them "anonymous", a "revoked" and an "expired"
// token.
func (w *World) Actors() []string { return slices.Sorted(maps.Keys(w.secrets)) }

// Token is the secret of an agent's token.
func (w *World) Token(name string) string {
	s, ok := w.secrets[name]
	if !ok || s.token == "" {
		w.t.Helper()
		w.t.Fatalf("%q is no agent", name)
	}
	return s.token
}

// Receipt is one of an anonymous ballot that was cast on the decision at this address; empty if there is none.
func (w *World) Receipt(url string) string { return w.receipts[url] }

// Invitation returns the URL of the invitation with this name. Anybody may use "acme link" and
// "globex link"; "acme gina" and "acme frank" are for one person each. "acme hugo", "acme ines",
// "acme jan" and "acme kim" are expired, declined, revoked and accepted.
func (w *World) Invitation(name string) string {
	secret, ok := w.secretsOf[name]
	if !ok {
		w.t.Helper()
		w.t.Fatalf("there is no invitation %q", name)
	}
	return store.InvitationPath(secret)
}

// Link is the link with a preview that has this name: "link to standups", "link to note", "link to
// commitment", "link revoked" and "link lapsed".
func (w *World) Link(name string) string {
	u, ok := w.linksTo[name]
	if !ok {
		w.t.Helper()
		w.t.Fatalf("there is no link %q", name)
	}
	return u
}

// Stable puts the names of fixtures in place of their ids, which are random.
func (w *World) Stable(text string) string {
	list := make([]string, 0, 2*len(w.names))
	for id, name := range w.names {
		list = append(list, id, name)
	}
	return strings.NewReplacer(list...).Replace(text)
}

// Clock is a clock that moves only when told to.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now is the time on the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set moves the clock to a time.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}

// Advance moves the clock on.
func (c *Clock) Advance(d time.Duration) { c.Set(c.Now().Add(d)) }

// made is the world as it was made, once for all tests of a process.
type made struct {
	fixtures
	files fstest.MapFS // of its data folder
	where string       // on a server
}

// Where makes an empty database for a test: a folder, or the address of one on the server that tests were given.
func Where(t testing.TB) string {
	if pgtest.Given() != "" {
		return pgtest.Database(t)
	}
	return t.TempDir()
}

// copy makes a copy of the world's database.
func (m *made) copy(t testing.TB) string {
	t.Helper()
	if m.where != "" {
		return pgtest.Copy(t, m.where)
	}
	dir := t.TempDir()
	err := os.CopyFS(dir, m.files)
	if err == nil {
		err = os.Chmod(filepath.Join(dir, keyfile.Name), 0o600) // CopyFS makes it readable to others
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// first returns the world of a chapter, which is made once.
func first(chapter string) (*made, error) {
	once, _ := worlds.LoadOrStore(chapter, sync.OnceValues(func() (*made, error) { return makeWorld(chapter) }))
	return once.(func() (*made, error))()
}

var worlds sync.Map // of functions that return the world, by chapter

func makeWorld(chapter string) (*made, error) {
	if pgtest.Given() != "" {
		where, err := pgtest.Make("")
		if err != nil {
			return nil, err
		}
		f, err := tell(where, chapter)
		return &made{fixtures: f, where: where}, err
	}
	dir, err := os.MkdirTemp("", "webtest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	f, err := tell(dir, chapter)
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
