package web_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"samepage/actions/action"
	"samepage/actions/tally"
	"samepage/store"
	"samepage/store/effort"
	"samepage/store/governance"
	"samepage/store/pgtest"
	"samepage/web"
	"samepage/web/webtest"
)

// TestCrawl visits all pages as every actor, by following every link. Each action that a page lists can be taken, and
// reading changes nothing. TestAuthorizationMatrix checks that all other actions are refused.
func TestCrawl(t *testing.T) {
	slow(t)
	c := &census{offers: map[string]offer{}, reached: map[string]bool{}}
	t.Run("actors", func(t *testing.T) {
		for _, actor := range crawlers(t) {
			t.Run(actor, func(t *testing.T) {
				t.Parallel()
				c.visit(t, actor)
			})
		}
	})
	t.Run("commit", c.commitAll)
	w := webtest.New(t)
	for _, p := range w.Site.Places() {
		if !c.reached[p.Pattern] {
			t.Errorf("nobody reached a page of %s", p.Pattern)
		}
		for _, a := range p.Actions {
			if a.AllowedFor == store.Clock || a.AllowedFor == store.Runner {
				continue // only the scheduler or a runner may take it
			}
			if !slices.ContainsFunc(slices.Collect(maps.Keys(c.offers)), func(key string) bool {
				return strings.HasPrefix(key, a.Name+" ")
			}) {
				t.Errorf("nobody is ever offered %s", a.Name)
			}
		}
	}
	for _, m := range tally.Methods() {
		if _, ok := c.offers["cast_vote "+string(m)]; !ok && m != tally.Lottery && pgtest.Given() == "" {
			t.Errorf("nobody is ever offered cast_vote by %s", m)
		}
	}
	t.Logf("%d pages by %d actors, %d links; %d actions dry-run, %d committed", c.pages, c.actors,
		surveyed.Load(), c.dry, len(c.offers))
}

// crawlers returns the actors that crawl. On a database server, which is slower, and in a short run these are only a
// few actors. Each action is offered to at least one of them.
func crawlers(t *testing.T) []string {
	t.Helper()
	if pgtest.Given() == "" && thorough {
		return webtest.New(t).Actors()
	}
	few := []string{"alice", "bob", "clerk", "dave", "erin", "frank", "oscar"}
	if pgtest.Given() == "" {
		effort.LeftOut(t, "the other actors than %q", few)
		return few
	}
	t.Logf("left out on a server: the other actors than %q, all dry runs, all but one method for each action of "+
		"decisions, and all but two links to pages that are alike", few)
	return few
}

// census collects the results of the crawl. The actors crawl at the same time, each in its own world.
type census struct {
	mu                 sync.Mutex
	actors, pages, dry int
	offers             map[string]offer // by action and method; the first offer in the order of actors, fixtures and URLs
	reached            map[string]bool  // patterns of the pages that were reached
}

// offer is an action that a page has offered to an actor.
type offer struct {
	actor, fixture, url string
	decl                action.Decl
}

func (c *census) visit(t *testing.T, actor string) {
	visits := survey(t, actor)
	w := webtest.New(t)
	before := w.Digests()
	effort.LeftOut(t, "dry runs of an action on all but some pages of a pattern in the same state")
	k := &walker{t: t, w: w, c: w.As(actor)}
	fixtures := map[string]string{}
	for _, name := range w.Fixtures() {
		fixtures[w.URL(name)] = name
	}
	acted, tried, formed := map[string]bool{}, quota{}, quota{}
	dry := 0
	for _, v := range visits {
		path, _, _ := strings.Cut(v.url, "?")
		if acted[path] {
			continue
		}
		acted[path] = true
		for _, decl := range v.place.Actions {
			if listed, ok := v.page.action(decl.Name); ok {
				if pgtest.Given() == "" && tried.left(decl.Name, v.place.Pattern, v.page.State) {
					dry++
					k.rehearse(v, decl, listed, formed.left(decl.Name, v.place.Pattern))
				}
				c.offered(offer{actor, fixtures[path], path, decl}, v)
			}
		}
	}
	if changed := webtest.Changed(before, w.Digests()); changed != nil {
		t.Errorf("dry runs changed the tables %q", changed)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.actors++
	c.pages += len(pages(visits))
	c.dry += dry
	for _, v := range pages(visits) {
		c.reached[v.place.Pattern] = true
	}
}

// offered stores the first offer of each action. On decisions, it stores the first offer of each action for each
// method. On a database server the method does not matter, because the statements of an action are the same for
// all methods.
func (c *census) offered(o offer, v *visit) {
	var data struct{ Method string }
	if pgtest.Given() == "" {
		json.Unmarshal(v.page.Data, &data) // only decisions have a method
	}
	key := o.decl.Name + " " + data.Method
	c.mu.Lock()
	defer c.mu.Unlock()
	old, ok := c.offers[key]
	if !ok || cmp.Or(cmp.Compare(o.actor, old.actor), cmp.Compare(o.fixture, old.fixture), cmp.Compare(o.url, old.url)) < 0 {
		c.offers[key] = o
	}
}

// rehearse checks with dry runs that a listed action can be taken. The first dry run sends the required fields as a
// program does. If form is set, a second one sends the filled-in form as a browser does.
func (k *walker) rehearse(v *visit, decl action.Decl, listed jsonAction, form bool) {
	k.t.Helper()
	path, _, _ := strings.Cut(v.url, "?")
	in := required(k.t, decl, listed, v)
	if decl.Versioned { // an agent must have read what it changes
		k.c.Get(path, "application/json")
	}
	r := k.c.JSON(path, decl.Name, webtest.Call{Params: in, DryRun: true})
	if r.Status != http.StatusOK || !strings.Contains(r.Body, "Dry run") {
		k.t.Errorf("%s: %s is listed on %s, and is answered %d to %v\n%s", k.c.Name, decl.Name, v.url, r.Status,
			in, r.Body)
	}
	if !form {
		return
	}
	page := k.c.Get(strings.TrimPrefix(listed.URL, webtest.Origin), "text/html")
	if page.Status != http.StatusOK {
		k.t.Errorf("%s: the page of %s on %s answers %d", k.c.Name, decl.Name, v.url, page.Status)
		return
	}
	sent := submitted(k.t, page.Body, decl, in)
	r = k.c.Form(path, decl.Name, webtest.Call{Params: sent, DryRun: true})
	if r.Status != http.StatusSeeOther {
		k.t.Errorf("%s: the form of %s on %s, sent as it is (%v), is answered %d\n%s", k.c.Name,
			decl.Name, v.url, sent, r.Status, mainOf(r.Body))
	}
}

// TestEveryState checks that the fixtures cover every state that an item or another subject can have, and that no
// fixture is in any other state.
func TestEveryState(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	found := map[string]bool{}
	findStoredStates(t, w, found)
	findItemStates(w, found)
	findListedStates(t, w, found)
	all := map[string][]string{
		"notification":   store.NotificationStates(),
		"token":          store.TokenStates(),
		"preview_link":   store.PreviewLinkStates(),
		"invitation":     store.InvitationStates(),
		"studio":         store.StudioStates(),
		"role":           store.RoleStates(),
		"note that is a": {governance.Post, governance.Reminder, governance.Table},
	}
	for _, k := range store.ItemKinds() {
		all[k.Name] = k.States
		for state := range found {
			of, s, _ := strings.Cut(state, " ")
			if of == k.Name && !strings.HasPrefix(s, "that is a ") && !slices.Contains(k.States, s) {
				t.Errorf("a fixture is a %s, which is no state of that kind", state)
			}
		}
	}
	found["commitment "+store.Redacted] = true // a redacted commitment has the same page as a redacted note, which is found
	for noun, states := range all {
		for _, s := range states {
			if !found[noun+" "+s] {
				t.Errorf("no fixture is a %s in the state %s", noun, s)
			}
		}
	}
	for _, m := range tally.Methods() {
		if !found["method "+string(m)] {
			t.Errorf("no fixture is a decision by %s", m)
		}
	}
}

// findStoredStates adds the states of tokens, studios and preview links in the database.
func findStoredStates(t *testing.T, w *webtest.World, found map[string]bool) {
	t.Helper()
	err := w.Store.Read(t.Context(), func(tx *store.Tx) error {
		tokens, err := tx.AllTokens()
		if err != nil {
			return err
		}
		for i := range tokens {
			tokens[i].Now = tx.Now
			found["token "+tokens[i].State()] = true
		}
		studios, err := tx.Studios(store.System(), "", 100)
		if err != nil {
			return err
		}
		for i := range studios {
			found["studio "+studios[i].State()] = true
		}
		by, err := w.Site.Person(t.Context(), "acme", "alice")
		for _, name := range []string{"standups", "note post", "commons open"} {
			i, ierr := tx.FindItem(by, path.Base(w.URL(name)))
			if err = errors.Join(err, ierr, tx.FindPreviewLinks(by, i)); err != nil {
				return err
			}
			for _, l := range i.PreviewLinks {
				found["preview_link "+l.State()] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// findItemStates adds the states of items and roles on their pages.
func findItemStates(w *webtest.World, found map[string]bool) {
	for _, actor := range []string{"alice", "bob", "oscar"} {
		for _, name := range w.Fixtures() {
			var v struct {
				Data struct{ Method, Kind, State string }
			}
			r := w.As(actor).Get(w.URL(name), "application/json")
			if r.Status != http.StatusOK || json.Unmarshal([]byte(r.Body), &v) != nil {
				continue
			}
			at, _ := w.Site.PlaceOf(w.URL(name))
			if at.Pattern == "/studios/{studio}/roles/{id}" {
				found["role "+v.Data.State] = true
			}
			for _, k := range store.ItemKinds() {
				if at.Pattern == web.ItemPattern(k) {
					found[k.Name+" "+v.Data.State], found["method "+v.Data.Method], found["note that is a "+v.Data.Kind] = true, true, true
				}
			}
		}
	}
}

// findListedStates adds the states of notifications and invitations on the pages that list them.
func findListedStates(t *testing.T, w *webtest.World, found map[string]bool) {
	t.Helper()
	for _, show := range []string{"", "?show=dismissed"} {
		var v struct {
			Data struct{ Notifications []struct{ State string } }
		}
		if err := json.Unmarshal([]byte(w.As("alice").Get("/inbox"+show, "application/json").Body), &v); err != nil {
			t.Fatal(err)
		}
		for _, n := range v.Data.Notifications {
			found["notification "+n.State] = true
		}
	}
	var invited struct {
		Data struct{ Invitations []struct{ State string } }
	}
	if err := json.Unmarshal([]byte(w.As("alice").Get(w.URL("acme invitations"), "application/json").Body), &invited); err != nil {
		t.Fatal(err)
	}
	for _, i := range invited.Data.Invitations {
		found["invitation "+i.State] = true
	}
}
