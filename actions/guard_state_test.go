package actions_test

import (
	"strings"
	"testing"
	"time"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/actions/governance"
	"samepage/store"
	"samepage/store/credential"
	decisions "samepage/store/governance"
	"samepage/store/notice"
)

// named returns the action with this name from a list. It fails the test if there is none.
func named[S action.Subject](t *testing.T, list []*action.Spec[S], name string) *action.Spec[S] {
	t.Helper()
	for _, a := range list {
		if a.Name == name {
			return a
		}
	}
	t.Fatalf("there is no action %s", name)
	return nil
}

// TestGuardsInEachState checks which actions are allowed in which state of their subject. Each row has a part of the
// expected refusal, or "" if the action is allowed.
func TestGuardsInEachState(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	past := store.At(now.Add(-time.Hour))
	person := func(id string) store.Actor {
		return store.Actor{UserID: "user " + id, Member: &store.Member{ID: id, OrgID: "org", OrgName: "Acme",
			Handle: id}}
	}
	alice, bob, nobody, clock := person("alice"), person("bob"), store.Actor{}, store.System()
	owner, stranger := person("owner"), store.Actor{UserID: "stranger"}
	owner.Member.Owner = true
	scribe := person("alice")
	scribe.Token, scribe.Agent, scribe.Rules = "token", store.Agent{ID: "scribe", Label: "Scribe"},
		&store.Rules{Ballots: store.BallotsOff}
	scribe.Grant = &store.Grant{Scopes: store.Set[store.Scope]{store.ScopeRead, store.ScopeWrite}}
	reader := scribe
	reader.Grant = &store.Grant{Scopes: store.Set[store.Scope]{store.ScopeRead}}
	studio := func(changes ...func(*store.Studio)) *store.Studio {
		s := &store.Studio{ID: "s", OrgID: "org", Org: "acme", Handle: "team", Name: "Team", People: 2,
			Visibility: "members",
			Tempo:      "weekly", Zone: "UTC", JoinedAt: past, Now: now}
		for _, change := range changes {
			change(s)
		}
		return s
	}
	outside := func(s *store.Studio) { s.JoinedAt = store.Time{} }
	archived := func(s *store.Studio) { s.ArchivedAt = past }
	general := func(s *store.Studio) { s.General = true }
	listed := func(s *store.Studio) { s.Visibility = "organization" }
	leads := func(s *store.Studio) {
		if err := s.Mine.Scan("leader r1 - 0"); err != nil {
			t.Fatal(err)
		}
	}
	loud := func(s *store.Studio) { s.AgentRun = store.DefaultLimits().InARow }
	decision := func(change func(*decisions.Decision)) *decisions.Decision {
		d := &decisions.Decision{Method: "single", Options: 2, Item: store.Item{ID: "d", OrgID: "org",
			Kind: "decision", MemberID: "alice",
			Member: "alice", Studio: studio(), Now: now}}
		change(d)
		return d
	}
	note := func(body string, changes ...func(*decisions.Note)) *decisions.Note {
		n := &decisions.Note{Type: "note", Item: store.Item{ID: "n", OrgID: "org", Kind: "note",
			MemberID: "alice", Member: "alice",
			Studio: studio(), OpenedAt: past, Now: now, Body: body}}
		for _, change := range changes {
			change(n)
		}
		return n
	}
	draft := func(n *decisions.Note) { n.OpenedAt = store.Time{} }
	timed := func(d time.Duration) func(*decisions.Note) {
		return func(n *decisions.Note) { n.DueAt = store.At(now.Add(d)) }
	}
	inStudio := func(s *store.Studio) func(*decisions.Note) { return func(n *decisions.Note) { n.Studio = s } }
	links := func(made int, own ...store.Time) func(*decisions.Note) {
		return func(n *decisions.Note) {
			n.MadeLinks = made
			for _, revoked := range own {
				n.PreviewLinks = append(n.PreviewLinks, store.PreviewLink{ID: "l", RevokedAt: revoked})
			}
		}
	}
	role := func(s *store.Studio, changes ...func(*store.Role)) *store.Role {
		r := &store.Role{ID: "r", OrgID: "org", Kind: "none", Title: "Cook", HolderID: "bob", Studio: s, Now: now}
		for _, change := range changes {
			change(r)
		}
		return r
	}
	mirror := func(r *store.Role) { r.SourceID = "up" }
	deleted := func(r *store.Role) { r.DeletedAt = past }
	ends := func(d time.Duration) func(*store.Role) {
		return func(r *store.Role) { r.EndsAt = store.At(now.Add(d)) }
	}
	inbox := func(unread int, states ...store.Time) *store.Inbox {
		b := &store.Inbox{Unread: unread}
		for _, read := range states {
			b.List = append(b.List, store.Notification{ReadAt: read})
		}
		return b
	}
	cycle := func(weeks int) *store.Cycle {
		return &store.Cycle{Span: store.SpanAt("weekly", now.AddDate(0, 0, 7*weeks), time.UTC),
			Studio: studio(), Now: now}
	}
	agent := func(by string, owner bool) *store.AgentPage {
		return &store.AgentPage{OrgID: "org", MemberID: "alice", OwnerID: "owner", Member: "alice",
			OrgName: "Acme", Paused: 1,
			Tokens: []store.Token{{PausedAt: past, PausedBy: by, Now: now}}}
	}
	account := func(password string, ids int) *credential.Account {
		return &credential.Account{UserID: alice.UserID, Password: password, Passkeys: make([]credential.Passkey, 1),
			Identities: make([]credential.Identity, ids)}
	}
	told := func(n notice.Notifications) *notice.Notifications {
		n.UserID = alice.UserID
		return &n
	}
	open := func(d *decisions.Decision) { d.OpenedAt = past }
	options := func(n int) func(*decisions.Decision) { return func(d *decisions.Decision) { d.Options = n } }
	due := func(at time.Duration) func(*decisions.Decision) {
		return func(d *decisions.Decision) { d.DueAt = store.At(now.Add(at)) }
	}
	opened := func(change func(*decisions.Decision)) func(*decisions.Decision) {
		return func(d *decisions.Decision) { change(d); open(d) }
	}
	method := func(m string, n int) func(*decisions.Decision) {
		return func(d *decisions.Decision) { d.Method, d.Options = m, n }
	}
	choice := func(n int) func(*decisions.Decision) {
		return func(d *decisions.Decision) {
			for i := range n {
				d.Choice = append(d.Choice, decisions.Option{N: i + 1, Title: "A"})
			}
		}
	}
	consent := person("alice")
	consent.Member.Governance = store.GovernanceConsent
	accepted := consent
	accepted.ByConsent = "s"
	comment, remind := named(t, actions.CommonNote, actions.Comment), named(t, actions.CommonNote, actions.Remind)
	revoke := named(t, actions.CommonNote, actions.RevokeLink)
	const notJoined, isArchived, cook = "Only members of Team", "Team is archived", "was deleted"
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"join twice", actions.Join.Allowed(alice, studio()), "You are in Team already"},
		{"join", actions.Join.Allowed(alice, studio(outside)), ""},
		{"join the past", actions.Join.Allowed(alice, studio(outside, archived)), isArchived},
		{"join as nobody", actions.Join.Allowed(nobody, studio(outside)), "Sign in"},
		{"join as a stranger", actions.Join.Allowed(stranger, studio(outside)), "Only members of this organization"},
		{"join as a reader", actions.Join.Allowed(reader, studio(outside)), "does not carry the scope write"},
		{"join as the scheduler", actions.Join.Allowed(clock, studio(outside)), "The scheduler does not do this"},
		{"leave", actions.Leave.Allowed(alice, studio()), ""},
		{"an agent leaves what it could join again", actions.Leave.Allowed(scribe, studio(listed)), ""},
		{"and nothing else", actions.Leave.Allowed(scribe, studio()), "Only a person can leave"},
		{"show a studio", actions.ChangeVisibility.Allowed(alice, studio(leads)), ""},
		{"not as a member", actions.ChangeVisibility.Allowed(alice, studio()), "Only the leader and the secretary"},
		{"not as an agent", actions.ChangeVisibility.Allowed(scribe, studio(leads)),
			"Only a person can do this. Ask @alice"},
		{"nor for a member", actions.ChangeVisibility.Allowed(scribe, studio()),
			"Only a person can do this. @alice may not either"},
		{"not the general one", actions.ChangeVisibility.Allowed(owner, studio(general)),
			"Everyone in the organization is in"},
		{"say", governance.PostMessage.Allowed(alice, studio()), ""},
		{"say from outside", governance.PostMessage.Allowed(alice, studio(outside)), notJoined},
		{"say as one agent too many", governance.PostMessage.Allowed(scribe, studio(loud)), "in a row"},

		{"a structure by consent", actions.UpdateRole.Allowed(consent, role(studio())), "takes an accepted topic"},
		{"by an accepted topic", actions.UpdateRole.Allowed(accepted, role(studio())), ""},
		{"by any member elsewhere", actions.UpdateRole.Allowed(alice, role(studio())), ""},
		{"what needs no consent", actions.Join.Allowed(consent, studio(outside)), ""},
		{"change a role from outside", actions.UpdateRole.Allowed(alice, role(studio(outside))), notJoined},
		{"change a mirror", actions.UpdateRole.Allowed(alice, role(studio(), mirror)), "is changed there"},
		{"mirror from outside", actions.MirrorRole.Allowed(alice, role(studio(outside))), notJoined},
		{"mirror a role that leads nothing", actions.MirrorRole.Allowed(alice, role(studio())), "Only the leader"},
		{"end a mirror", actions.StopMirroring.Allowed(alice, role(studio(), mirror)), ""},
		{"end no mirror", actions.StopMirroring.Allowed(alice, role(studio())), "mirrors no other"},
		{"end a mirror from outside", actions.StopMirroring.Allowed(alice, role(studio(outside), mirror)), notJoined},
		{"a term ends", actions.TermEnds.Allowed(clock, role(studio(), ends(time.Hour))), ""},
		{"who says so", actions.TermEnds.Allowed(alice, role(studio(), ends(time.Hour))), "Only the scheduler reminds"},
		{"a term is over", actions.TellTermOver.Allowed(clock, role(studio(), ends(0))), ""},
		{"who tells it", actions.TellTermOver.Allowed(alice, role(studio(), ends(0))), "Only the scheduler tells"},
		{"elect", governance.ElectRole.Allowed(alice, role(studio())), ""},
		{"elect from outside", governance.ElectRole.Allowed(alice, role(studio(outside))), notJoined},
		{"elect to a deleted role", governance.ElectRole.Allowed(alice, role(studio(), deleted)), cook},
		{"elect to a mirror", governance.ElectRole.Allowed(alice, role(studio(), mirror)), "is changed there"},
		{"elect somebody in a studio", governance.CreateElection.Allowed(alice, studio()), ""},

		{"sum up", actions.SendDigest.Allowed(clock, cycle(-1)), ""},
		{"sum up as a member", actions.SendDigest.Allowed(alice, cycle(-1)), "Only the scheduler sums up"},
		{"sum up too early", actions.SendDigest.Allowed(clock, cycle(0)), "Only the last cycle"},
		{"resume what the member paused", actions.ResumeAgent.Allowed(alice, agent("alice", false)), ""},
		{"not what the owner paused", actions.ResumeAgent.Allowed(alice, agent("owner", true)),
			"The owner of Acme paused it"},
		{"the owner does", actions.ResumeAgent.Allowed(owner, agent("alice", false)), ""},
		{"no other member", actions.ResumeAgent.Allowed(bob, agent("alice", false)), "Only @alice, for whom it acts"},
		{"limits", actions.UpdateLimits.Allowed(owner, &store.Organization{ID: "org", OwnerID: "owner"}), ""},
		{"limits of others", actions.UpdateLimits.Allowed(alice, &store.Organization{ID: "org",
			OwnerID: "owner"}), "Only the owner"},
		{"a profile", actions.UpdateProfile.Allowed(alice, alice.Member), ""},
		{"another's profile", actions.UpdateProfile.Allowed(bob, alice.Member), "Only @alice"},
		{"no provider", actions.Disconnect.Allowed(alice, account("hash", 0)), "connected to no other"},
		{"end a password", actions.RemovePassword.Allowed(alice, account("hash", 0)), ""},
		{"end no password", actions.RemovePassword.Allowed(alice, account("", 0)), "You have no password"},
		{"no passkey", actions.RemovePasskey.Allowed(alice, &credential.Account{UserID: alice.UserID,
			Password: "hash"}), "no passkey"},

		{"quiet hours end", actions.EndQuietHours.Allowed(alice, told(notice.Notifications{QuietTo: 60})), ""},
		{"none end", actions.EndQuietHours.Allowed(alice, told(notice.Notifications{})), "no quiet hours"},
		{"a digest ends", actions.EndDigest.Allowed(alice, told(notice.Notifications{Digest: notice.Daily})), ""},
		{"no digest ends", actions.EndDigest.Allowed(alice,
			told(notice.Notifications{Digest: notice.NoDigest})), "no digest"},
		{"studios tell less", actions.ChooseStudioNotifications.Allowed(alice,
			told(notice.Notifications{Studios: make([]store.Studio, 1)})), ""},
		{"no studio does", actions.ChooseStudioNotifications.Allowed(alice, told(notice.Notifications{})),
			"in no studio"},
		{"one is read", actions.MarkRead.Allowed(alice, inbox(1, store.Time{})), ""},
		{"not twice", actions.MarkRead.Allowed(alice, inbox(1, past)), "no such notification"},
		{"all are read", actions.MarkAllRead.Allowed(alice, inbox(1)), ""},
		{"those of the page", actions.DismissAll.Allowed(alice, inbox(0, past)), ""},
		{"nothing is", actions.MarkAllRead.Allowed(alice, inbox(0)), "nothing left"},

		{"open a vote", actions.OpenDecision.Allowed(alice, decision(options(2))), ""},
		{"another's", actions.OpenDecision.Allowed(bob, decision(options(2))), "Only @alice can change this draft"},
		{"on one option", actions.OpenDecision.Allowed(alice, decision(options(1))), "at least two options"},
		{"on what members add", actions.OpenDecision.Allowed(alice, decision(method("acceptance", 0))), ""},
		{"after its deadline", actions.OpenDecision.Allowed(alice, decision(due(0))), "The deadline of this draft"},
		{"before its deadline", actions.OpenDecision.Allowed(alice, decision(due(time.Second))), ""},
		{"take an option out", actions.RemoveOption.Allowed(alice, decision(choice(2))), ""},
		{"take none out", actions.RemoveOption.Allowed(alice, decision(choice(0))), "no option to remove"},
		{"take one out later", actions.RemoveOption.Allowed(alice, decision(open)), "has been opened"},
		{"import into a draft", actions.ImportBallots.Allowed(alice, decision(method("schulze", 1))), "is a draft"},
		{"import ranks", actions.ImportBallots.Allowed(alice, decision(opened(method("schulze", 1)))), ""},
		{"import points", actions.ImportBallots.Allowed(alice, decision(opened(method("star", 1)))), ""},
		{"import what files have not", actions.ImportBallots.Allowed(alice, decision(opened(method("single", 1)))),
			"takes neither"},
		{"import for nothing", actions.ImportBallots.Allowed(alice, decision(opened(method("star", 0)))),
			"takes neither"},
		{"import as another", actions.ImportBallots.Allowed(bob, decision(opened(method("star", 1)))), "can do this"},
		{"an agent's ballot", actions.CastVote.Allowed(scribe, decision(open)), "agents do not vote"},
		{"a member's", actions.CastVote.Allowed(alice, decision(open)), ""},

		{"publish", actions.PublishNote.Allowed(alice, note("", draft)), ""},
		{"publish another's", actions.PublishNote.Allowed(bob, note("", draft)), "Only @alice"},
		{"publish too late", actions.PublishNote.Allowed(alice, note("", draft, timed(0))), "has passed"},
		{"tick", actions.TickBox.Allowed(alice, note("- [ ] one")), ""},
		{"tick twice", actions.TickBox.Allowed(alice, note("- [x] one")), "no such box"},
		{"tick another's", actions.TickBox.Allowed(bob, note("- [ ] one")), "can do this"},
		{"untick", actions.UntickBox.Allowed(alice, note("- [x] one")), ""},
		{"comment", comment.Allowed(bob, note("")), ""},
		{"comment from outside", comment.Allowed(bob, note("", inStudio(studio(outside)))), notJoined},
		{"comment as one agent too many", comment.Allowed(scribe, note("",
			func(n *decisions.Note) { n.AgentRun = 9 })), "in a row"},
		{"remind", remind.Allowed(clock, note("", timed(time.Hour))), ""},
		{"remind as a member", remind.Allowed(alice, note("", timed(time.Hour))), "Only the scheduler reminds"},
		{"duplicate", named(t, actions.CommonNote, "duplicate").Allowed(alice, note("")), ""},
		{"duplicate what was removed", named(t, actions.CommonNote, "duplicate").Allowed(alice,
			note("", func(n *decisions.Note) { n.RemovedAt = past })), "was removed"},
		{"revoke a link", revoke.Allowed(alice, note("", links(1, store.Time{}))), ""},
		{"revoke in the past", revoke.Allowed(alice, note("", links(1, store.Time{}),
			inStudio(studio(archived)))), isArchived},
		{"revoke no link", revoke.Allowed(alice, note("")), "no link with a preview that you"},
		{"revoke what is revoked", revoke.Allowed(alice, note("", links(1, past))), "no link with a preview that you"},
		{"revoke another's", revoke.Allowed(alice, note("", links(2, past))), "You made none"},
		{"revoke one beside another's", revoke.Allowed(alice, note("", links(2, store.Time{}))), ""},
		{"follow", named(t, actions.CommonNote, actions.Follow).Allowed(alice, note("")), ""},
		{"follow twice", named(t, actions.CommonNote, actions.Follow).Allowed(alice, note("", func(n *decisions.Note) {
			n.Following = store.Followed
		})), "already"},
	} {
		if (c.err == nil) != (c.want == "") || c.err != nil && !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, c.err, c.want)
		}
	}
}
