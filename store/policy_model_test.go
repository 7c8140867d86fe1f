package store_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"samepage/store"
	"samepage/store/effort"
	"samepage/store/governance"
)

// policyModel is the expected state of a policy.
type policyModel struct {
	title, owner string // owner is the id of a role
	versions     int
	retired      bool
}

// policyRun is one run of random actions on policies in a transaction, with the expected policies.
type policyRun struct {
	w        *world
	tx       *store.Tx
	people   []store.Actor
	roles    map[string]string // role id → handle of its studio; without deleted roles
	order    []string          // ids of all roles, in the order of their creation
	leaders  map[string]string // studio handle → id of the leader's role
	parent   map[string]string // studio → the studio above
	archived map[string]bool
	holder   map[string]string // role id → id of its holder; empty for a vacant role
	list     []policyModel     // the policy with number n is at n-1
	made     int
}

// TestPolicyModel calls random actions on policies, on the roles that own them and on the studios of those roles, by
// members with and without the right to do so. After each action it compares all policies with a model. Numbers count
// up from 1, a retired policy stays as it is, and every policy stays readable.
func TestPolicyModel(t *testing.T) {
	effort.Slow(t)
	w := newWorld(t)
	people := []store.Actor{w.alice, w.bob, w.member(w.acme, "carol")}
	steps := 0
	checkModel(t, &steps, func(t *rapid.T) {
		w.undone(t, func(tx *store.Tx) error {
			x := &policyRun{w: w, tx: tx, people: people, roles: map[string]string{}, leaders: map[string]string{},
				parent: map[string]string{}, archived: map[string]bool{}, holder: map[string]string{}}
			x.begin(t)
			actions := map[string]func(*rapid.T){"create": x.create, "edit": x.edit, "give": x.give, "retire": x.retire,
				"reinstate": x.reinstate, "delete role": x.deleteRole, "seat": x.seat, "archive": x.archive}
			actions[""] = func(t *rapid.T) { x.check(t); steps++ }
			t.Repeat(actions)
			return nil
		})
	})
}

// begin makes two studios, one below the other, with roles.
func (x *policyRun) begin(t *rapid.T) {
	above := ""
	for _, handle := range []string{"upper", "lower"} {
		s, err := x.tx.CreateStudio(x.w.alice, store.NewStudio{OrgID: x.w.acme.ID, Handle: handle, Name: handle, ParentID: above,
			Visibility: "organization", Tempo: "weekly"})
		must(t, s, err)
		x.parent[s.Handle], above = "", s.ID
		if s, err = x.tx.FindStudio(x.w.alice, handle); err == nil && s.Parent != "" {
			x.parent[s.Handle] = s.Parent
		}
		leader, err := x.tx.LeaderOf(must(t, s, err))
		must(t, leader, err)
		x.roles[leader.ID], x.leaders[handle], x.holder[leader.ID] = handle, leader.ID, leader.HolderID
		x.order = append(x.order, leader.ID)
		for _, title := range []string{"One", "Two"} {
			r, err := x.tx.CreateRole(x.w.alice, s, store.NewRole{Kind: store.PlainRole, Title: title},
				store.Seat{MemberID: x.w.bob.MemberID()})
			must(t, r, err)
			x.roles[r.ID], x.holder[r.ID] = handle, x.w.bob.MemberID()
			x.order = append(x.order, r.ID)
		}
	}
}

// role returns a random role that was not deleted, or nil if there is none.
func (x *policyRun) role(t *rapid.T) *store.Role {
	there := slices.DeleteFunc(slices.Clone(x.order), func(id string) bool { return x.roles[id] == "" })
	if len(there) == 0 {
		return nil
	}
	r, err := x.tx.RoleByID(x.w.alice, there[rapid.IntRange(0, len(there)-1).Draw(t, "role")])
	return must(t, r, err)
}

func (x *policyRun) who(t *rapid.T) store.Actor {
	return x.people[rapid.IntRange(0, len(x.people)-1).Draw(t, "who")]
}

// policy returns a random policy and its model, or nil if there is none.
func (x *policyRun) policy(t *rapid.T, by store.Actor) (*governance.Policy, *policyModel) {
	if len(x.list) == 0 {
		return nil, nil
	}
	n := rapid.IntRange(1, len(x.list)).Draw(t, "number")
	p, err := governance.FindPolicy(x.tx, by, "acme", store.NumberedID("acme", fmt.Sprint(n)))
	return must(t, p, err), &x.list[n-1]
}

// orphaned reports whether, in the model, no member can change the policies of a role, because the role is vacant or
// lost. The result lost reports the second case: the role was deleted or its studio was archived.
func (x *policyRun) orphaned(role string) (orphaned, lost bool) {
	studio, there := x.roles[role]
	lost = !there || x.archived[studio]
	return lost || x.holder[role] == "", lost
}

// mayEdit reports whether the model lets a member edit a policy.
func (x *policyRun) mayEdit(m *policyModel, by store.Actor) bool {
	orphaned, _ := x.orphaned(m.owner)
	return !m.retired && !orphaned && by.Is(x.holder[m.owner])
}

// agree fails the test if the guard and the model differ. It returns the parameter may.
func agree(t *rapid.T, what string, guard error, may bool) bool {
	if (guard == nil) != may {
		t.Fatalf("%s: the model says %v, the guard %v", what, may, guard)
	}
	return may
}

func (x *policyRun) create(t *rapid.T) {
	r, by := x.role(t), x.who(t)
	if r == nil {
		return
	}
	v, err := governance.FindStudioPolicies(x.tx, by, r.Studio.Handle)
	may := !x.archived[r.Studio.Handle] && by.Is(x.holder[r.ID])
	if must(t, v, err).MustWrite(by) == nil != slices.ContainsFunc(v.Mine(by), func(store.Role) bool { return !x.archived[v.Handle] }) {
		t.Fatal("who holds a role cannot write its policies")
	}
	if listed := slices.ContainsFunc(v.Mine(by), func(m store.Role) bool { return m.ID == r.ID }); listed != may && !x.archived[v.Handle] {
		t.Fatalf("the role is offered: %v, and the model says %v", listed, may)
	}
	if !may {
		return
	}
	x.made++
	title := fmt.Sprint("Policy ", x.made)
	p, err := governance.CreatePolicy(x.tx, by, r, governance.NewPolicy{Title: title, Body: "As it was."})
	if must(t, p, err).Number != len(x.list)+1 {
		t.Fatalf("policy %d got the number %d", len(x.list)+1, p.Number)
	}
	x.list = append(x.list, policyModel{title: title, owner: r.ID, versions: 1})
}

func (x *policyRun) edit(t *rapid.T) {
	by := x.who(t)
	p, m := x.policy(t, by)
	if p == nil || !agree(t, "edit", p.MustBeEditableBy(by), x.mayEdit(m, by)) {
		return
	}
	x.made++
	m.title, m.versions = fmt.Sprint("Policy ", x.made), m.versions+1
	must(t, true, governance.EditPolicy(x.tx, by, p, governance.NewPolicy{Title: m.title, Body: p.Body}, "Why not."))
}

func (x *policyRun) give(t *rapid.T) {
	by, r := x.who(t), x.role(t)
	p, m := x.policy(t, by)
	if p == nil || r == nil {
		return
	}
	orphaned, _ := x.orphaned(m.owner)
	holds := x.holder[m.owner] != "" && by.Is(x.holder[m.owner])
	may := x.mayEdit(m, by) || orphaned && (by.Member.Owner || holds)
	if !agree(t, "give", p.MustBeGivenBy(by), may) || x.archived[r.Studio.Handle] {
		return
	}
	must(t, true, governance.GivePolicy(x.tx, p, r))
	m.owner = r.ID
}

func (x *policyRun) retire(t *rapid.T) {
	by := x.who(t)
	p, m := x.policy(t, by)
	if p != nil && agree(t, "retire", p.MustBeEditableBy(by), x.mayEdit(m, by)) {
		m.retired = true
		must(t, true, governance.RetirePolicy(x.tx, by, p))
	}
}

func (x *policyRun) reinstate(t *rapid.T) {
	by := x.who(t)
	p, m := x.policy(t, by)
	if p == nil {
		return
	}
	orphaned, _ := x.orphaned(m.owner)
	if agree(t, "reinstate", p.MustBeReinstatedBy(by), m.retired && !orphaned && by.Is(x.holder[m.owner])) {
		m.retired = false
		must(t, true, governance.ReinstatePolicy(x.tx, p))
	}
}

// deleteRole deletes a role. Its policies go to the leader's role of the role's studio. If that studio has no such
// role, they go to the leader's role of the nearest studio above with one. Archived studios do not count.
func (x *policyRun) deleteRole(t *rapid.T) {
	r := x.role(t)
	if r == nil || x.archived[r.Studio.Handle] {
		return
	}
	_, handed, err := x.tx.DeleteRole(x.w.alice, r)
	must(t, true, err)
	delete(x.roles, r.ID)
	x.holder[r.ID] = ""
	heir := ""
	for s := r.Studio.Handle; s != "" && heir == ""; s = x.parent[s] {
		if id := x.leaders[s]; !x.archived[s] && x.roles[id] != "" {
			heir = id
		}
	}
	owned := 0
	for i := range x.list {
		if m := &x.list[i]; m.owner == r.ID {
			owned++
			if heir != "" {
				m.owner = heir
			}
		}
	}
	if len(handed) != owned {
		t.Fatalf("the role owned %d policies, and %d are handed over", owned, len(handed))
	}
}

// seat gives a role to a member, or makes it vacant.
func (x *policyRun) seat(t *rapid.T) {
	r := x.role(t)
	if r == nil || x.archived[r.Studio.Handle] {
		return
	}
	id := ""
	if n := rapid.IntRange(0, len(x.people)).Draw(t, "holder"); n > 0 {
		id = x.people[n-1].MemberID()
	}
	_, err := x.tx.AssignRole(r, store.Seat{MemberID: id})
	must(t, true, err)
	x.holder[r.ID] = id
}

func (x *policyRun) archive(t *rapid.T) {
	s := rapid.SampledFrom([]string{"upper", "lower"}).Draw(t, "studio")
	if x.archived[s] || rapid.IntRange(0, 3).Draw(t, "seldom") > 0 {
		return
	}
	st, err := x.tx.FindStudio(x.w.alice, s)
	must(t, true, x.tx.ArchiveStudio(x.w.alice, must(t, st, err)))
	x.archived[s] = true
}

// check compares all policies, as Carol reads them, with the model.
func (x *policyRun) check(t *rapid.T) {
	carol := x.people[2]
	for i := range x.list {
		m := &x.list[i]
		p, err := governance.FindPolicy(x.tx, carol, "acme", store.NumberedID("acme", fmt.Sprint(i+1)))
		if must(t, p, err).Title != m.title || p.Owner.ID != m.owner || max(p.Versions, 1) != m.versions ||
			(p.State() == governance.PolicyRetired) != m.retired || p.URL() != fmt.Sprint("/orgs/acme/policies/", i+1) {
			t.Fatalf("policy %d is %q of %s, %s with %d versions; the model says %+v", i+1, p.Title, p.Owner.ID, p.State(),
				p.Versions, *m)
		}
	}
	active, retired := 0, 0
	for _, m := range x.list {
		if m.retired {
			retired++
		} else {
			active++
		}
	}
	v, err := governance.ShowPolicies(x.tx, carol, x.w.acme, governance.PolicyQuery{})
	if must(t, v, err).Active != active || v.Retired != retired || len(v.List) != min(active, v.Limit) {
		t.Fatalf("the list has %d and %d, the model %d and %d", v.Active, v.Retired, active, retired)
	}
}
