package store_test

import (
	"testing"
	"time"

	"samepage/store"
)

// TestGuardsOfRoles asks the guards of a role in each of its states and checks their errors.
func TestGuardsOfRoles(t *testing.T) {
	by := acting("alice")
	role := func(s *store.Studio, changes ...func(*store.Role)) *store.Role {
		r := &store.Role{ID: "r", Kind: store.Leader, Title: "Lead", HolderID: "bob", Holder: "bob", Studio: s,
			Now: friday}
		for _, change := range changes {
			change(r)
		}
		return r
	}
	in, out, past := team(""), team("", outside), team("", archived)
	deleted := func(r *store.Role) { r.DeletedAt = before }
	vacant := func(r *store.Role) { r.HolderID = "" }
	mirrored := func(r *store.Role) { r.SourceID = "up" }
	plain := func(r *store.Role) { r.Kind = store.PlainRole }
	above := func(r *store.Role) { r.Studio.Parent, r.Above = "up", []store.Role{{ID: "up"}} }
	ends := func(d time.Duration) func(*store.Role) {
		return func(r *store.Role) { r.EndsAt = store.At(friday.Add(d)) }
	}
	told := func(r *store.Role) { r.ToldAt, r.WarnedAt = before, before }
	const nothing, remind = "nothing to tell", "nothing to remind of"
	checkSaid(t, []said{
		{"a member changes it", role(in).MustBeChangeableBy(by), ""},
		{"an outsider does not", role(out).MustBeChangeableBy(by), notJoined},
		{"nobody changes what was deleted", role(in, deleted).MustBeChangeableBy(by), "was deleted"},
		{"a member assigns it", role(in).MustBeAssignableBy(by), ""},
		{"an outsider does not assign", role(out).MustBeAssignableBy(by), notJoined},
		{"nobody assigns a mirror", role(in, mirrored).MustBeAssignableBy(by), "is changed there"},
		{"a member frees it", role(in).MustBeHeldFor(by), ""},
		{"an outsider does not free it", role(out).MustBeHeldFor(by), notJoined},
		{"a vacant role", role(in, vacant).MustBeHeldFor(by), "vacant already"},

		{"a leader mirrors", role(team(""), above).MustMirror(), ""},
		{"a mirror of a mirror", role(team(""), above, mirrored).MustMirror(), "mirrors another already"},
		{"another role", role(team(""), above, plain).MustMirror(), "Only the leader"},
		{"no studio above", role(team("")).MustMirror(), "no studio above"},
		{"no role above", role(team("", func(s *store.Studio) { s.Parent = "up" })).MustMirror(), "has no roles"},

		{"a term that is over", role(in, ends(0)).MustBeOver(), ""},
		{"a term without an end", role(in).MustBeOver(), nothing},
		{"a term that goes on", role(in, ends(time.Second)).MustBeOver(), nothing},
		{"the term of nobody", role(in, ends(0), vacant).MustBeOver(), nothing},
		{"the term of a mirror", role(in, ends(0), mirrored).MustBeOver(), nothing},
		{"a term that was told", role(in, ends(0), told).MustBeOver(), nothing},
		{"a term in the past", role(past, ends(0)).MustBeOver(), isArchived},

		{"a term that ends soon", role(in, ends(store.TermSoon)).MustEndSoon(), ""},
		{"a term that ends later", role(in, ends(store.TermSoon+time.Second)).MustEndSoon(), remind},
		{"a term that has ended", role(in, ends(0)).MustEndSoon(), remind},
		{"a term that does not end", role(in).MustEndSoon(), remind},
		{"a vacancy that ends soon", role(in, ends(time.Hour), vacant).MustEndSoon(), remind},
		{"a mirror that ends soon", role(in, ends(time.Hour), mirrored).MustEndSoon(), remind},
		{"a reminder that was sent", role(in, ends(time.Hour), told).MustEndSoon(), remind},
		{"a reminder of the past", role(past, ends(time.Hour)).MustEndSoon(), isArchived},
	})
}

// TestGuardsOfMembers asks the guards of members, owners, agents, invitations, approvals and direct talks and checks
// their errors.
func TestGuardsOfMembers(t *testing.T) {
	bob := func(changes ...func(*store.Member)) *store.Member {
		m := &store.Member{ID: "bob", OrgID: "org", Org: "acme", OrgName: "Acme", Handle: "bob"}
		for _, change := range changes {
			change(m)
		}
		return m
	}
	ended := func(m *store.Member) { m.EndedAt = before }
	erased := func(m *store.Member) { m.ErasedAt = before }
	owner := func(m *store.Member) { m.Owner = true }
	const owners = "Only the organization's owner can do this"
	founder := owning()
	founder.Members = []store.Member{{ID: "x"}, *founder.Member}
	second := store.Actor{Members: []store.Member{{ID: "x"}}}
	agent := &store.AgentPage{MemberID: "bob", OwnerID: "owner", Member: "bob", OrgName: "Acme"}
	invited := func(changes ...func(*store.Invitation)) *store.Invitations {
		i := store.Invitation{InvitedBy: "bob", ExpiresAt: after, Now: friday}
		for _, change := range changes {
			change(&i)
		}
		return &store.Invitations{Organization: &store.Organization{Owner: "owner"},
			Listing: store.Listing[store.Invitation]{List: []store.Invitation{i, {ExpiresAt: before, Now: friday}}}}
	}
	revoked := func(i *store.Invitation) { i.RevokedAt = before }
	held := &store.Approval{MemberID: "bob", Member: "bob", OwnerID: "owner", OrgName: "Acme", ExpiresAt: after,
		Now: friday}
	talk := &store.DirectTalk{Handle: "bob"}
	over := &store.DirectTalk{Handle: "bob", Ended: before, Mine: make([]store.DirectMessage, 1)}
	checkSaid(t, []said{
		{"bob leaves", bob().MustBeLeavableBy(acting("bob")), ""},
		{"another does not leave for him", bob().MustBeLeavableBy(acting("alice")), "Only @bob"},
		{"nobody leaves twice", bob(ended).MustBeLeavableBy(acting("bob")), "no member any more"},
		{"the owner does not leave", bob(owner).MustBeLeavableBy(acting("bob")), "You own Acme"},
		{"the owner removes bob", bob().MustBeRemovableBy(owning()), ""},
		{"a member does not", bob().MustBeRemovableBy(acting("alice")), owners},
		{"nobody does not", bob().MustBeRemovableBy(store.Actor{}), owners},
		{"not twice", bob(ended).MustBeRemovableBy(owning()), "no member any more"},
		{"nor themselves", bob(owner).MustBeRemovableBy(owning()), "You own Acme"},
		{"the owner erases a former member", bob(ended).MustBeErasableBy(owning()), ""},
		{"a member erases nobody", bob(ended).MustBeErasableBy(acting("alice")), owners},
		{"nobody erases nobody", bob(ended).MustBeErasableBy(store.Actor{}), owners},
		{"a present member is not erased", bob().MustBeErasableBy(owning()), "is a member"},
		{"nor twice", bob(ended, erased).MustBeErasableBy(owning()), "erased already"},

		{"an owner founds", (&store.OrganizationsPage{}).MustBeFounder(founder), ""},
		{"a member founds nothing", (&store.OrganizationsPage{}).MustBeFounder(second),
			"Only the owner of an organization"},
		{"an owner where the operator founds",
			(&store.OrganizationsPage{ByOperator: true}).MustBeFounder(founder), "Only the operator"},
		{"the owner of it", (&store.Organization{OwnerID: "bob", Owner: "bob"}).MustBeOwnedBy(acting("bob")), ""},
		{"the owner of another", (&store.Organization{OwnerID: "bob", Owner: "bob"}).MustBeOwnedBy(owning()),
			"Only the owner, @bob"},

		{"an agent's member rules it", agent.MustBeRuledBy(acting("bob")), ""},
		{"and the owner", agent.MustBeRuledBy(owning()), ""},
		{"and nobody else", agent.MustBeRuledBy(acting("alice")), "Only @bob"},

		{"who invited revokes", invited().MustBeRevocableBy(acting("bob")), ""},
		{"and the owner", invited().MustBeRevocableBy(owning()), ""},
		{"and nobody else", invited().MustBeRevocableBy(acting("alice")), "Only the owner, @owner, and the member"},
		{"what is pending", invited(revoked).MustBeRevocableBy(owning()), "No invitation is pending"},

		{"an agent's member answers for it", held.MustBeAnswerableBy(acting("bob")), ""},
		{"and the owner in their place", held.MustBeAnswerableBy(owning()), ""},
		{"and no other member", held.MustBeAnswerableBy(acting("alice")), "Only @bob or the owner"},
		{"and no agent", held.MustBeAnswerableBy(scribeOf("bob")), "in person"},

		{"a talk", talk.MustBeOpen(), ""},
		{"a talk with one who left", over.MustBeOpen(), "has left"},
		{"a talk with a message of mine", over.MustHaveMine(), ""},
		{"a talk without", talk.MustHaveMine(), "No message here is yours"},
	})
}
