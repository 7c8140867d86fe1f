package web_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jmoiron/sqlx"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/web"
	"samepage/web/webtest"
)

// TestAuthorizationMatrix asks for every page and every action of the site map as everybody there is: people and agents of
// two organizations, of every standing, and those whose tokens have ended. What is expected follows from the declarations
// (who may read a page, whom an action is for, its scope, whether it is for people only) and from the rows of the database,
// read past the store. A cell is one of: not there, not for them, not now, offered.
func TestAuthorizationMatrix(t *testing.T) {
	aboutContent(t)
	w := webtest.New(t)
	f := newFacts(t, w)
	urls := f.everywhere(t)
	var mu sync.Mutex
	cells, seen := 0, map[cell]int{}
	t.Run("actors", func(t *testing.T) {
		for _, name := range w.Actors() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				m := matrix{t: t, f: f, c: w.As(name), who: f.identity(t, w, name), seen: map[cell]int{}}
				for _, u := range urls {
					m.page(u)
				}
				mu.Lock()
				defer mu.Unlock()
				for c, n := range m.seen {
					seen[c] += n
					cells += n
				}
			})
		}
	})
	for _, c := range []cell{"absent", "unauthenticated", "forbidden", "not now", "offered", "read"} {
		if seen[c] < 100 {
			t.Errorf("only %d cells are %q: the matrix has lost its fixtures", seen[c], c)
		}
	}
	t.Logf("%d cells: %d pages × %d actors and what can be done there: %v", cells, len(urls), len(w.Actors()), seen)
}

// cell is what somebody meets.
type cell string

// matrix is the part of one actor.
type matrix struct {
	t    *testing.T
	f    *facts
	c    *webtest.Client
	who  identity
	seen map[cell]int
}

// identity is who somebody is, as the database has it.
type identity struct {
	name    string
	dead    bool // the token has ended
	agent   bool
	scopes  []string
	members map[string]string // ids, by organization
}

// page asks for one page and for all that can be done there.
func (m *matrix) page(u string) {
	place, ok := m.f.w.Site.PlaceOf(u)
	if !ok {
		m.t.Fatalf("%s is on no route", u)
	}
	r := m.c.Get(u, "application/json")
	var p jsonPage
	json.Unmarshal([]byte(r.Body), &p)
	want := http.StatusOK
	switch readable := m.f.readable(m.who, place, u); {
	case m.who.dead:
		want = http.StatusUnauthorized
	case !readable && m.who.name == "anonymous":
		want = http.StatusUnauthorized
	case !readable:
		want = http.StatusNotFound
	}
	if r.Status != want {
		m.t.Errorf("%s reads %s: %d, want %d (%s)", m.who.name, u, r.Status, want, place.Readers)
		return
	}
	m.seen[map[int]cell{200: "read", 401: "unauthenticated", 404: "absent"}[want]]++
	for _, d := range place.Actions {
		_, listed := p.action(d.Name)
		m.action(u, place, d, want, listed)
	}
}

// personal are the actions that the guard may refuse to some of those whom they are for, because of what these have done
// themselves, with the reason.
var personal = map[string]string{
	actions.CastVote.Name:         "who joined later is no voter; an agent's ballot never replaces a person's",
	actions.RetractVote.Name:      "an agent does not take back a person's ballot",
	actions.CastDecidingVote.Name: "it is one named member's",
	actions.MarkDone.Name:         "only who joined a commitment marks it, and only its people a reminder",
	actions.MarkMissed.Name:       "only who joined marks it",
	actions.AddOption.Name:        "before the first ballot only the proposer adds options, except by acceptance",
}

func (m *matrix) action(u string, place web.Place, d action.Decl, read int, listed bool) {
	may := read == http.StatusOK && m.f.may(m.who, place, u, d)
	if listed {
		if !may {
			m.t.Errorf("%s is offered %s on %s, which is for %s, scope %s", m.who.name, d.Name, u, d.Who, d.Scope)
		}
		m.seen["offered"]++
		return
	}
	r := m.c.JSON(u, d.Name, webtest.Call{Params: blindly(d), DryRun: true})
	var answer struct{ Error struct{ Code string } }
	json.Unmarshal([]byte(r.Body), &answer)
	switch {
	case read != http.StatusOK && r.Status == read:
		m.seen[map[int]cell{401: "unauthenticated", 404: "absent"}[read]]++
	case read == http.StatusOK && m.who.name == "anonymous" && r.Status == http.StatusUnauthorized:
		m.seen["unauthenticated"]++
	case read == http.StatusOK && r.Status == http.StatusForbidden && (!may || personal[d.Name] != ""):
		m.seen["forbidden"]++
	case read == http.StatusOK && r.Status == http.StatusConflict:
		m.seen["not now"]++
	default:
		m.t.Errorf("%s does %s on %s, which is not listed: %d %s; it is for %s, and so may: %v", m.who.name, d.Name, u, r.Status, answer.Error.Code, d.Who, may)
	}
}

// facts are the rows that authority follows from.
type facts struct {
	w        *webtest.World
	db       *sqlx.DB
	studios  map[string]studioRow // by handle
	inStudio map[[2]string]bool   // studio and member
	items    map[string]itemRow   // by id
	files    map[string][2]string // item and member, by id
	owners   map[string]string    // members, by organization
	orgs     map[string]string    // ids, by handle
	handles  map[[2]string]string // members, by organization and handle
}

type studioRow struct {
	ID, Handle, Visibility string
	OrgID                  string `db:"org_id"`
	CreatedBy              string `db:"created_by"`
}

type itemRow struct {
	ID       string
	StudioID string `db:"studio_id"`
	MemberID string `db:"member_id"`
	Draft    bool
}

func newFacts(t *testing.T, w *webtest.World) *facts {
	f := &facts{w: w, db: w.Database(), studios: map[string]studioRow{}, inStudio: map[[2]string]bool{}, items: map[string]itemRow{}, files: map[string][2]string{},
		owners: map[string]string{}, orgs: map[string]string{}, handles: map[[2]string]string{}}
	t.Cleanup(func() { f.db.Close() })
	var studios []studioRow
	var items []itemRow
	var pairs []struct{ A, B, C string }
	get := func(to any, query string) {
		t.Helper()
		if err := f.db.Select(to, query); err != nil {
			t.Fatal(err)
		}
	}
	get(&studios, `SELECT id, handle, visibility, org_id, created_by FROM studios`)
	for _, s := range studios {
		f.studios[s.Handle] = s
	}
	get(&items, `SELECT id, studio_id, member_id, opened_at IS NULL AS draft FROM items`)
	for _, i := range items {
		f.items[i.ID] = i
	}
	get(&pairs, `SELECT studio_id AS a, member_id AS b, '' AS c FROM studio_members`)
	for _, p := range pairs {
		f.inStudio[[2]string{p.A, p.B}] = true
	}
	pairs = nil
	get(&pairs, `SELECT id AS a, item_id AS b, member_id AS c FROM files`)
	for _, p := range pairs {
		f.files[p.A] = [2]string{p.B, p.C}
	}
	pairs = nil
	get(&pairs, `SELECT id AS a, handle AS b, owner_id AS c FROM organizations`)
	for _, p := range pairs {
		f.orgs[p.B], f.owners[p.A] = p.A, p.C
	}
	pairs = nil
	get(&pairs, `SELECT org_id AS a, handle AS b, id AS c FROM members`)
	for _, p := range pairs {
		f.handles[[2]string{p.A, p.B}] = p.C
	}
	return f
}

// identity finds who an actor of the world is.
func (f *facts) identity(t *testing.T, w *webtest.World, name string) identity {
	who := identity{name: name, members: map[string]string{}}
	if name == "anonymous" {
		return who
	}
	var rows []struct{ OrgID, ID string }
	var user string
	for _, domain := range []string{"acme", "globex"} {
		f.db.Get(&user, f.db.Rebind(`SELECT id FROM users WHERE email = ?`), name+"@"+domain+".example") // nobody has both
	}
	if user != "" {
		if err := f.db.Select(&rows, f.db.Rebind(`SELECT org_id AS orgid, id FROM members WHERE user_id = ?`), user); err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			who.members[r.OrgID] = r.ID
		}
		return who
	}
	var token struct {
		OrgID, MemberID, Scopes string
		Ended                   bool
	}
	err := f.db.Get(&token, f.db.Rebind(`SELECT org_id AS orgid, member_id AS memberid, scopes, revoked_at IS NOT NULL OR coalesce(expires_at <= ?, false) AS ended FROM tokens WHERE hash = ?`),
		store.At(w.Clock.Now()), store.SecretHash(w.Token(name)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	who.agent, who.dead, who.scopes = true, token.Ended, strings.Fields(token.Scopes)
	who.members[token.OrgID] = token.MemberID
	return who
}

// everywhere are the addresses of all pages that anybody reaches.
func (f *facts) everywhere(t *testing.T) []string {
	found := map[string]bool{}
	for _, name := range []string{"alice", "bob", "carol", "erin", "mia", "oscar", "scout", "anonymous"} {
		for _, v := range walk(t, f.w, name).pages() {
			path, _, _ := strings.Cut(v.url, "?")
			found[path] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// readable says whether somebody may read a page, by whom it is declared to be for.
func (f *facts) readable(who identity, place web.Place, u string) bool {
	switch place.Readers {
	case web.ForEveryone:
		return true
	case web.ForWhom:
		return who.name != "anonymous"
	case web.ForOrganization:
		org := f.orgs[strings.Split(u, "/")[2]]
		member, in := who.members[org]
		if in && place.Pattern == "/orgs/{org}/journal/{seq}" {
			return f.entryReadable(org, member, u)
		}
		return in
	case web.ForStudio, web.ForColleagues:
		s, item := f.about(u)
		member, in := who.members[s.OrgID]
		if place.Readers == web.ForColleagues && !in || f.hides(item, member, place) {
			return false
		}
		visible := s.Visibility == "public" || in && (s.Visibility == "organization" || f.inStudio[[2]string{s.ID, member}])
		return visible && (!item.Draft || in && member == item.MemberID)
	}
	panic(fmt.Sprintf("%s is for %q, of which the matrix knows nothing", place.Pattern, place.Readers))
}

// hides says whether a page shows the ballots of a vote whose results somebody may not see yet.
func (f *facts) hides(item itemRow, member string, place web.Place) bool {
	if !strings.HasSuffix(place.Pattern, "/ballots") && !strings.HasSuffix(place.Pattern, "/count") {
		return false
	}
	var v struct {
		Results       string
		Closed, Voted bool
	}
	if err := f.db.Get(&v, f.db.Rebind(`SELECT d.results, i.closed_at IS NOT NULL OR coalesce(i.due_at <= ?, false) AS closed, b.voter IS NOT NULL AS voted FROM decisions d JOIN items i ON i.id = d.id
		LEFT JOIN ballots b ON b.decision_id = d.id AND b.voter = ? WHERE d.id = ?`), store.At(f.w.Clock.Now()), member, item.ID); err != nil {
		return true
	}
	return !v.Closed && (v.Results == "after_closing" || v.Results == "after_voting" && !v.Voted)
}

func (f *facts) entryReadable(org, member, u string) bool {
	var e struct{ Private, Visibility, StudioID string }
	if err := f.db.Get(&e, f.db.Rebind(`SELECT private_to AS private, coalesce(s.visibility, '') AS visibility, studio_id AS studioid FROM journal j
		LEFT JOIN studios s ON s.id = j.studio_id WHERE j.org_id = ? AND j.seq = CAST(? AS INTEGER)`), org, u[strings.LastIndexByte(u, '/')+1:]); err != nil {
		return false
	}
	return (e.Private == "" || e.Private == member) && (e.Visibility != "members" || f.inStudio[[2]string{e.StudioID, member}])
}

// about are the studio and the item that an address is under; without an item, that is zero.
func (f *facts) about(u string) (studioRow, itemRow) {
	part := strings.Split(u, "/")
	var item itemRow
	if part[1] == "files" {
		item = f.items[f.files[part[2]][0]]
		for _, s := range f.studios {
			if s.ID == item.StudioID {
				return s, item
			}
		}
	}
	if len(part) > 4 {
		item = f.items[part[4]]
	}
	return f.studios[part[2]], item
}

// may says whether an action is for somebody, by its declaration and what they are to the page.
func (f *facts) may(who identity, place web.Place, u string, d action.Decl) bool {
	if who.agent && (d.HumanOnly || d.Scope != store.ScopeRead && !slices.Contains(who.scopes, string(d.Scope))) {
		return false
	}
	return d.Who&f.standing(who, place, u) != 0
}

// standing is what somebody is to a page.
func (f *facts) standing(who identity, place web.Place, u string) (is store.Standing) {
	set := func(s store.Standing, yes bool) {
		if yes {
			is |= s
		}
	}
	switch place.Readers {
	case web.ForWhom:
		set(store.Self, len(who.members) > 0)
	case web.ForOrganization:
		org := f.orgs[strings.Split(u, "/")[2]]
		member, in := who.members[org]
		set(store.InOrganization, in)
		set(store.Owner, in && f.owners[org] == member)
		if part := strings.Split(u, "/"); len(part) == 5 && part[3] == "members" {
			set(store.Self, in && f.handles[[2]string{org, part[4]}] == member)
		}
	case web.ForStudio, web.ForColleagues:
		s, item := f.about(u)
		member, in := who.members[s.OrgID]
		if !in {
			return 0
		}
		keeper, inside := member == s.CreatedBy || member == f.owners[s.OrgID], f.inStudio[[2]string{s.ID, member}]
		author := inside && (member == item.MemberID || place.Pattern == "/files/{file}" && member == f.files[strings.Split(u, "/")[2]][1])
		set(store.InOrganization, true)
		set(store.Owner, member == f.owners[s.OrgID])
		set(store.Keeper, keeper)
		set(store.InStudio, inside)
		set(store.Author, author)
		set(store.Chair, inside && item.ID != "" && (keeper || member == item.MemberID))
	}
	return is
}
