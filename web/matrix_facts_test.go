package web_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"samepage/actions/action"
	"samepage/store"
	"samepage/store/governance"
	"samepage/web"
	"samepage/web/webtest"
)

// facts are the rows of the database that decide the rights of actors.
type facts struct {
	w        *webtest.World
	db       *sqlx.DB
	studios  map[string]studioRow // by handle
	inStudio map[[2]string]bool   // studio and member
	keepers  map[[2]string]bool   // studio and member; the members who lead the studio
	items    map[string]itemRow   // by id
	files    map[string][2]string // item and attaching member of each file, by the ID of the file
	owners   map[string]string    // IDs of the owners, by the ID of the organization
	orgs     map[string]string    // IDs of organizations, by handle
	handles  map[[2]string]string // IDs of members, by organization and handle
}

type studioRow struct {
	ID, Handle, Visibility string
	OrgID                  string `db:"org_id"`
}

type itemRow struct {
	ID       string
	StudioID string `db:"studio_id"`
	MemberID string `db:"member_id"`
	Draft    bool
}

func newFacts(t *testing.T, w *webtest.World) *facts {
	f := &facts{w: w, db: w.Database(), studios: map[string]studioRow{}, inStudio: map[[2]string]bool{},
		keepers: map[[2]string]bool{}, items: map[string]itemRow{}, files: map[string][2]string{},
		owners: map[string]string{}, orgs: map[string]string{}, handles: map[[2]string]string{}}
	var studios []studioRow
	var items []itemRow
	var pairs []struct{ A, B, C string }
	get := func(to any, query string) {
		t.Helper()
		if err := f.db.Select(to, query); err != nil {
			t.Fatal(err)
		}
	}
	get(&studios, `SELECT id, handle, visibility, org_id FROM studios`)
	for _, s := range studios {
		f.studios[s.Handle] = s
	}
	get(&items, `SELECT id, studio_id, member_id, opened_at IS NULL AS draft FROM items`)
	for _, i := range items {
		f.items[i.ID] = i
	}
	var sessions []itemRow
	get(&sessions, `SELECT id, studio_id, member_id, false AS draft FROM sessions`)
	for _, i := range sessions {
		f.items[i.ID] = i
	}
	var pulls []itemRow
	get(&pulls, `SELECT h.handle || '/pulls/' || p.n AS id, p.studio_id, p.member_id, false AS draft
		FROM pulls p JOIN studios h ON h.id = p.studio_id`)
	for _, i := range pulls {
		f.items[i.ID] = i
	}
	var reviews []itemRow
	get(&reviews, `SELECT v.id, v.studio_id, s.member_id, false AS draft FROM reviews v JOIN sessions s ON s.id = v.session_id`)
	for _, i := range reviews {
		f.items[i.ID] = i
	}
	get(&pairs, `SELECT studio_id AS a, member_id AS b, '' AS c FROM studio_members`)
	for _, p := range pairs {
		f.inStudio[[2]string{p.A, p.B}] = true
	}
	pairs = nil
	get(&pairs, `SELECT studio_id AS a, holder_id AS b, '' AS c FROM roles
		WHERE kind IN ('leader', 'secretary') AND holder_id IS NOT NULL`)
	for _, p := range pairs {
		f.keepers[[2]string{p.A, p.B}] = true
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

// identity returns the facts about an actor of the world.
func (f *facts) identity(t *testing.T, w *webtest.World, name string) identity {
	who := identity{name: name, members: map[string]string{}}
	if name == "anonymous" {
		return who
	}
	var rows []struct{ OrgID, ID string }
	var user string
	for _, domain := range []string{"acme", "globex"} {
		// Each user has an address in only one of these domains.
		f.db.Get(&user, f.db.Rebind(`SELECT id FROM users WHERE email = ?`), name+"@"+domain+".example")
	}
	if user != "" {
		if err := f.db.Select(&rows, f.db.Rebind(
			`SELECT org_id AS orgid, id FROM members WHERE user_id = ? AND ended_at IS NULL`), user); err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			who.members[r.OrgID] = r.ID
		}
		return who
	}
	var token struct {
		OrgID, MemberID, Scopes, AgentID string
		Kinds                            *string
		Ended, Public                    bool
	}
	err := f.db.Get(&token, f.db.Rebind(
		`SELECT org_id AS orgid, member_id AS memberid, scopes, kinds, agent_id AS agentid, public = 1 AS public,
		revoked_at IS NOT NULL OR paused_at IS NOT NULL OR coalesce(expires_at <= ?, false) AS ended
		FROM tokens WHERE hash = ?`),
		store.At(w.Clock.Now()), store.SecretHash(w.Token(name)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	who.agent, who.dead, who.scopes = true, token.Ended, strings.Fields(token.Scopes)
	who.members[token.OrgID], who.agentID, who.public = token.MemberID, token.AgentID, token.Public
	if token.Kinds != nil {
		who.kinds = strings.Fields(*token.Kinds)
	}
	return who
}

// everywhere returns the URLs of all pages that any actor can reach.
func (f *facts) everywhere(t *testing.T) []string {
	found := map[string]bool{}
	for _, name := range []string{"alice", "bob", "carol", "erin", "mia", "oscar", "scout", "anonymous"} {
		for _, v := range pages(survey(t, name)) {
			path, _, _ := strings.Cut(v.url, "?")
			found[path] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// readable reports whether an actor may read a page, according to the declared readers of the page.
func (f *facts) readable(who identity, place web.Place, u string) bool {
	switch place.Readers {
	case web.ForEveryone:
		return true
	case web.ForSignedIn:
		// A person without a membership has no page of tokens.
		return who.name != "anonymous" && (len(who.members) > 0 || place.Pattern != "/settings/tokens")
	case web.ForInviters: // in both organizations only the owner may invite
		org := f.orgs[strings.Split(u, "/")[2]]
		member, in := who.members[org]
		return in && f.owners[org] == member
	case web.ForOwner:
		org := f.orgs[strings.Split(u, "/")[2]]
		member, in := who.members[org]
		return in && !who.agent && f.owners[org] == member
	case web.ForPeople:
		part := strings.Split(u, "/")
		_, in := who.members[f.orgs[part[2]]]
		return in && !who.agent && (len(part) < 5 || part[4] != who.name)
	case web.ForPerson:
		if place.Pattern == governance.OwnWebhookURL { // only a person with a webhook has its page
			var n int
			f.db.Get(&n, f.db.Rebind(`SELECT count(*) FROM own_webhooks w JOIN members m ON m.user_id = w.user_id
				WHERE m.handle = ?`), who.name)
			return n > 0 && !who.agent
		}
		return who.name != "anonymous" && !who.agent
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
		visible := s.Visibility == "public" ||
			in && (s.Visibility == "organization" || f.inStudio[[2]string{s.ID, member}])
		return visible && (!item.Draft || in && member == item.MemberID)
	}
	if place.Readers == web.ForParties {
		a := f.approval(u)
		member, in := who.members[a.OrgID]
		switch {
		case !in:
			return false
		case who.agent:
			return who.agentID == a.AgentID
		}
		return member == a.MemberID || member == f.owners[a.OrgID] && !a.Private &&
			(a.Visibility != "members" || f.inStudio[[2]string{a.StudioID, member}])
	}
	panic(fmt.Sprintf("%s is for %q, of which the matrix knows nothing", place.Pattern, place.Readers))
}

// hides reports whether a page would show the ballots of a vote whose results are still hidden from the member.
func (f *facts) hides(item itemRow, member string, place web.Place) bool {
	if !strings.HasSuffix(place.Pattern, "/ballots") && !strings.HasSuffix(place.Pattern, "/count") {
		return false
	}
	var v struct {
		Results       string
		Closed, Voted bool
	}
	if err := f.db.Get(&v, f.db.Rebind(
		`SELECT d.results, i.closed_at IS NOT NULL OR coalesce(i.due_at <= ?, false) AS closed,
		b.voter IS NOT NULL AS voted FROM decisions d JOIN items i ON i.id = d.id
		LEFT JOIN ballots b ON b.decision_id = d.id AND b.voter = ? WHERE d.id = ?`), store.At(f.w.Clock.Now()),
		member, item.ID); err != nil {
		return true
	}
	return !v.Closed && (v.Results == "after_closing" || v.Results == "after_voting" && !v.Voted)
}

func (f *facts) entryReadable(org, member, u string) bool {
	var e struct{ Private, Visibility, StudioID string }
	if err := f.db.Get(&e, f.db.Rebind(
		`SELECT private_to AS private, coalesce(s.visibility, '') AS visibility, studio_id AS studioid FROM journal j
		LEFT JOIN studios s ON s.id = j.studio_id WHERE j.org_id = ? AND j.seq = CAST(? AS INTEGER)`), org,
		u[strings.LastIndexByte(u, '/')+1:]); err != nil {
		return false
	}
	return (e.Private == "" || e.Private == member) &&
		(e.Visibility != "members" || f.inStudio[[2]string{e.StudioID, member}])
}

// about returns the studio and the item that a URL belongs to. The item is zero if the URL belongs to no item.
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
	if inPolicy(u) {
		return f.studios[part[2]], f.items[part[2]+"-"+part[4]]
	}
	if len(part) > 4 {
		item = f.items[part[4]]
	}
	if len(part) > 4 && part[3] == "pulls" { // pull requests are numbered within their studio
		item = f.items[strings.Join(part[2:5], "/")]
	}
	return f.studios[part[2]], item
}

// inPolicy reports whether a page is a policy's or is below one. Policies belong to the general studio.
func inPolicy(u string) bool {
	part := strings.Split(u, "/")
	return len(part) > 4 && part[1] == "orgs" && part[3] == "policies"
}

// may reports whether an actor may take an action, according to its declaration and the actor's relation to the page.
func (f *facts) may(who identity, place web.Place, u string, d action.Decl) bool {
	if who.agent && (d.HumanOnly || d.Scope != store.ScopeRead && !slices.Contains(who.scopes, string(d.Scope))) {
		return false
	}
	if who.agent && !f.covers(who, u, d) {
		return false
	}
	return d.AllowedFor&f.standing(who, place, u) != 0
}

// covers reports whether an agent's token may act on this kind of subject, and on public pages if the page is public.
func (f *facts) covers(who identity, u string, d action.Decl) bool {
	part := strings.Split(u, "/")
	if inPolicy(u) {
		return who.kinds == nil || slices.Contains(who.kinds, "policy")
	}
	if part[1] != "studios" && part[1] != "files" {
		return true
	}
	kind := "studio"
	if part[1] == "files" {
		kind = "file"
	} else if len(part) > 4 {
		kind = map[string]string{"d": "decision", "n": "note", "c": "commitment", "t": "topic", "e": "election",
			"cycles": "cycle", "repos": "repo", "worktrees": "worktree", "sessions": "session", "reviews": "review", "pulls": "pull",
			"manifests": "manifest", "m": "message", "channel": "message"}[part[3]]
	}
	if made := d.Made(); made != "" {
		kind = made
	}
	s, _ := f.about(u)
	return (who.kinds == nil || kind == "file" || slices.Contains(who.kinds, kind)) &&
		(who.public || s.Visibility != "public")
}

// approval returns the row of an approval.
func (f *facts) approval(u string) (a struct {
	OrgID, MemberID, AgentID, StudioID, Visibility string
	Private                                        bool
}) {
	f.db.Get(&a, f.db.Rebind(
		`SELECT a.org_id AS orgid, a.member_id AS memberid, a.agent_id AS agentid,
		coalesce(a.studio_id, '') AS studioid, coalesce(s.visibility, '') AS visibility,
		a.private = 1 AS private FROM approvals a LEFT JOIN studios s ON s.id = a.studio_id WHERE a.id = ?`),
		u[strings.LastIndexByte(u, '/')+1:])
	return a
}

// standing returns the relation of the actor to a page.
func (f *facts) standing(who identity, place web.Place, u string) (is store.Relation) {
	set := func(s store.Relation, yes bool) {
		if yes {
			is |= s
		}
	}
	readers := place.Readers
	if inPolicy(u) {
		readers = web.ForStudio
	}
	switch readers {
	case web.ForPeople:
		set(store.Self, true)
	case web.ForSignedIn, web.ForPerson:
		set(store.Self, len(who.members) > 0)
	case web.ForOrganization, web.ForInviters, web.ForOwner:
		org := f.orgs[strings.Split(u, "/")[2]]
		member, in := who.members[org]
		set(store.InOrganization, in)
		set(store.Owner, in && f.owners[org] == member)
		if part := strings.Split(u, "/"); len(part) == 5 && part[3] == "members" {
			set(store.Self, in && f.handles[[2]string{org, part[4]}] == member)
		} else if len(part) == 5 && part[3] == "agents" {
			var of string
			f.db.Get(&of, f.db.Rebind(`SELECT member_id FROM agents WHERE id = ?`), part[4])
			set(store.Self, in && of == member)
		}
	case web.ForParties:
		a := f.approval(u)
		member, in := who.members[a.OrgID]
		set(store.InOrganization, in)
		set(store.Owner, in && f.owners[a.OrgID] == member)
		set(store.Self, in && a.MemberID == member)
	case web.ForStudio, web.ForColleagues:
		s, item := f.about(u)
		member, in := who.members[s.OrgID]
		if !in {
			return 0
		}
		keeper, inside := f.keepers[[2]string{s.ID, member}] || member == f.owners[s.OrgID],
			f.inStudio[[2]string{s.ID, member}]
		author := inside && (member == item.MemberID || place.Pattern == "/files/{file}" &&
			member == f.files[strings.Split(u, "/")[2]][1])
		set(store.InOrganization, true)
		set(store.Owner, member == f.owners[s.OrgID])
		set(store.Keeper, keeper)
		set(store.InStudio, inside)
		set(store.Author, author)
		set(store.Chair, inside && item.ID != "" && (keeper || member == item.MemberID))
	}
	return is
}
