package web_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/actions/governance"
	"samepage/store/effort"
	"samepage/web"
	"samepage/web/webtest"
)

// TestAuthorizationMatrix requests every page and every action as every actor: people and agents of two organizations
// in every relation, and agents with revoked and expired tokens. The expected answers follow from the declarations
// and from the rows of the database, which the test reads without the store. The declarations are the readers of a
// page, and an action's relations, scope, and flag for people only. Each cell of the matrix is one of: absent,
// unauthenticated, forbidden, not now, offered, read. An action that is not offered is refused with a reason, also on
// the page of its form, and changes nothing.
func TestAuthorizationMatrix(t *testing.T) {
	aboutContent(t)
	w := webtest.New(t)
	f := newFacts(t, w)
	urls := f.everywhere(t)
	before := w.Digests()
	var mu sync.Mutex
	cells, seen := 0, map[cell]int{}
	effort.LeftOut(t, "actions on all but some pages of each pattern that an actor cannot read")
	if !thorough {
		effort.LeftOut(t, "the forms of what is not listed, but for one of each pattern, action and actor")
	}
	t.Run("actors", func(t *testing.T) {
		for _, name := range w.Actors() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				m := matrix{t: t, f: f, c: w.As(name), who: f.identity(t, w, name), seen: map[cell]int{},
					formed: map[[3]string]bool{}, hidden: quota{}}
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
	// The table named calls logs the refused calls of agents.
	if changed := webtest.Changed(before, w.Digests(), "calls"); changed != nil {
		t.Errorf("refusals changed the tables %q", changed)
	}
	for _, c := range []cell{"absent", "unauthenticated", "forbidden", "not now", "offered", "read"} {
		if seen[c] < 100 {
			t.Errorf("only %d cells are %q: the matrix has lost its fixtures", seen[c], c)
		}
	}
	t.Logf("%d cells: %d pages × %d actors and what can be done there: %v", cells, len(urls), len(w.Actors()), seen)
}

// cell is the kind of answer to one request of an actor.
type cell string

// matrix is the part of the authorization matrix for one actor.
type matrix struct {
	t    *testing.T
	f    *facts
	c    *webtest.Client
	who  identity
	seen map[cell]int
	// formed is the set of requested forms of unlisted actions, by pattern, action and status of the page.
	formed map[[3]string]bool
	// hidden counts the actions that were tried on pages that the actor cannot read, by pattern, action and status.
	hidden quota
}

// identity holds the facts about an actor in the database.
type identity struct {
	name    string
	dead    bool // whether the token is revoked, paused or expired
	agent   bool
	scopes  []string
	kinds   []string // kinds that the token may act on; nil for all
	public  bool
	agentID string
	members map[string]string // IDs of members, by organization
}

// page requests one page and checks the status. A declared action may be listed only if the actor may take it, and must
// be refused if it is not listed. On pages that the actor cannot read, only some actions are tried.
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
	for i, d := range place.Actions {
		_, listed := p.action(d.Name)
		if want == http.StatusOK || m.hidden.left(place.Pattern, d.Name, strconv.Itoa(want)) {
			m.action(u, place, d, want, listed)
		}
		form := [3]string{place.Pattern, d.Name, strconv.Itoa(want)}
		// All forms of a page that the actor cannot read have the same answer, so one of them is enough.
		if want == http.StatusOK && !listed || want != http.StatusOK && i == 0 {
			if thorough || !m.formed[form] {
				m.form(u, d, want)
			}
			m.formed[form] = true
		}
	}
}

// form requests the page with the form of an action that is not listed.
func (m *matrix) form(u string, d action.Decl, read int) {
	r := m.c.Get(strings.TrimSuffix(u, "/")+"/actions/"+d.Name, "text/markdown")
	switch {
	case read != http.StatusOK && r.Status == http.StatusOK:
		m.t.Errorf("%s cannot read %s, and reads the page of its action %s", m.who.name, u, d.Name)
	case read == http.StatusOK && (r.Status != http.StatusOK || strings.Contains(r.Body, "## Actions") ||
		!strings.Contains(r.Body, "Not possible now")):
		m.t.Errorf("%s reads %s, and the page of its action %s, which is not listed, answers %d\n%s", m.who.name, u,
			d.Name, r.Status, r.Body)
	}
}

// personal lists actions that a guard may refuse for a reason that the declarations do not express.
var personal = map[string]string{
	actions.CreateOrganization.Name:   "only who owns an organization makes another",
	actions.AddMember.Name:            "where only its members see a studio, only who keeps it adds others",
	actions.RemoveFromStudio.Name:     "its secretary takes nobody out",
	"leave":                           "an agent gives up no role of its member",
	governance.CreatePolicy.Name:      "only who holds a role writes its policies",
	governance.EditPolicy.Name:        "only who holds its role changes a policy",
	governance.ChangePolicyOwner.Name: "only who holds its role gives a policy away",
	governance.RetirePolicy.Name:      "only who holds its role retires a policy",
	governance.ReinstatePolicy.Name:   "only who holds its role reinstates a policy",
	actions.CastVote.Name:             "who joined later is no voter; an agent's ballot never replaces a person's",
	actions.RetractVote.Name:          "an agent does not take back a person's ballot",
	actions.CastDecidingVote.Name:     "it is one named member's",
	actions.MarkDone.Name:             "only who joined a commitment marks it, and only its people a reminder",
	actions.MarkMissed.Name:           "only who joined marks it",
	actions.Withdraw.Name:             "only the agent that asked takes it back",
	governance.RuleInvalid.Name:       "only the referee rules, and not on their own proposal or objection",
	governance.Amend.Name:             "once people react or respond, only a person changes the proposal",
	governance.AddChange.Name:         "once people react or respond, only a person changes the proposal",
	governance.RemoveChange.Name:      "once people react or respond, only a person changes the proposal",
	governance.Respond.Name:           "an agent's response never replaces a person's",
	governance.RemoveReaction.Name:    "only who reacted takes it back",
	governance.MarkChannelRead.Name:   "only where something is new",
	governance.MarkIntegrated.Name:    "only who objected says so",
	governance.Nominate.Name:          "an agent's nomination never replaces a person's",
	governance.ChangeNomination.Name:  "only who has nominated, and an agent never for a person who did",
	governance.RespondToElection.Name: "an agent's response never replaces a person's",
	governance.UpdateElection.Name:    "once members nominate, only a person changes what is asked for",
	actions.RevokeLink:                "only who made a link and who keeps the studio revoke it",
	actions.ResumeAgent.Name:          "what the owner has paused, only the owner resumes",
	actions.AddOption.Name:            "before the first ballot only the proposer adds options, except by acceptance",
}

func (m *matrix) action(u string, place web.Place, d action.Decl, read int, listed bool) {
	may := read == http.StatusOK && m.f.may(m.who, place, u, d)
	if listed {
		if !may {
			m.t.Errorf("%s is offered %s on %s, which is for %s, scope %s", m.who.name, d.Name, u,
				d.AllowedFor, d.Scope)
		}
		m.seen["offered"]++
		return
	}
	r := m.c.PostJSON(u, d.Name, blindly(d))
	var answer struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal([]byte(r.Body), &answer); err != nil || answer.Error.Code == "" ||
		answer.Error.Message == "" {
		m.t.Errorf("%s does %s on %s, which is not listed, and is told no reason (%v): %s", m.who.name, d.Name,
			u, err, r.Body)
	}
	switch {
	case read != http.StatusOK && r.Status == read:
		m.seen[map[int]cell{401: "unauthenticated", 404: "absent"}[read]]++
	case read == http.StatusOK && m.who.name == "anonymous" && r.Status == http.StatusUnauthorized:
		m.seen["unauthenticated"]++
	case read == http.StatusOK && r.Status == http.StatusForbidden && (!may || personal[d.Name] != "" ||
		strings.Contains(answer.Error.Message, "to do it in a browser.")): // TestForPeople checks that the member may
		m.seen["forbidden"]++
	case read == http.StatusOK && r.Status == http.StatusConflict:
		m.seen["not now"]++
	default:
		m.t.Errorf("%s does %s on %s, which is not listed: %d %s; it is for %s, and so may: %v", m.who.name, d.Name,
			u, r.Status, answer.Error.Code, d.AllowedFor, may)
	}
}
