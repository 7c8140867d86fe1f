package actions_test

import (
	"strings"
	"testing"
	"time"

	"samepage/actions"
	"samepage/store"
	"samepage/store/credential"
	"samepage/store/governance"
	"samepage/store/notice"
)

// TestGuardsOfOddCases checks guards in states that the random stories of the other tests rarely reach.
func TestGuardsOfOddCases(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	past := store.At(now.Add(-time.Hour))
	person := func(id string) store.Actor {
		return store.Actor{UserID: "user " + id, Member: &store.Member{ID: id, OrgID: "org", Handle: id}}
	}
	author, other := person("author"), person("other")
	studio := func(change func(*store.Studio)) *store.Studio {
		s := &store.Studio{ID: "s", OrgID: "org", Name: "Team", People: 2, Visibility: "members",
			JoinedAt: past, Now: now}
		change(s)
		return s
	}
	joined := studio(func(*store.Studio) {})
	outside := studio(func(s *store.Studio) { s.JoinedAt = store.Time{} })
	archived := studio(func(s *store.Studio) { s.ArchivedAt = past })
	file := func(s *store.Studio, by string) *store.FilePage {
		return &store.FilePage{Item: &store.Item{Studio: s, OrgID: "org", MemberID: "author"},
			File: &store.File{MemberID: by}}
	}
	decision := func(s *store.Studio) *governance.Decision {
		return &governance.Decision{Item: store.Item{Studio: s, OrgID: "org", MemberID: "author",
			OpenedAt: past, DueAt: past, Now: now}}
	}
	identity, passkey := []credential.Identity{{Issuer: "https://id.example"}}, []credential.Passkey{{ID: "p"}}
	account := func(password string, keys []credential.Passkey) *credential.Account {
		return &credential.Account{UserID: author.UserID, Password: password, Passkeys: keys, Identities: identity}
	}
	leave := func(s *store.Studio) error { return s.MustLetGo(other) }
	for _, c := range []struct {
		name string
		err  error
		want store.Code // empty if the action is allowed
	}{
		{"who attached a file detaches it", actions.Detach.Allowed(other, file(joined, "other")), ""},
		{"the page's author detaches it", actions.Detach.Allowed(author, file(joined, "other")), ""},
		{"another member does not", actions.Detach.Allowed(other, file(joined, "author")), store.Forbidden},
		{"nor the author from outside", actions.Detach.Allowed(author, file(outside, "author")), store.Forbidden},
		{"nor from an archived studio", actions.Detach.Allowed(author, file(archived, "author")), store.Conflict},
		{"nor what another attached there", actions.Detach.Allowed(author, file(archived, "other")), store.Conflict},

		{"a password is left", actions.Disconnect.Allowed(author, account("hash", nil)), ""},
		{"a passkey is left", actions.Disconnect.Allowed(author, account("", passkey)), ""},
		{"nothing is left to sign in with", actions.Disconnect.Allowed(author, account("", nil)), store.Conflict},

		{"the last passkey beside a password", actions.RemovePasskey.Allowed(author, account("hash", passkey)), ""},
		{"one of two passkeys", actions.RemovePasskey.Allowed(author, account("", append(passkey, passkey...))), ""},
		{"the last passkey without a password", actions.RemovePasskey.Allowed(author, account("", passkey)), store.Conflict},

		{"the author closes what is due", decision(joined).MustBeClosableBy(author), ""},
		{"another member does not", decision(joined).MustBeClosableBy(other), store.Forbidden},
		{"nor the author from outside", decision(outside).MustBeClosableBy(author), store.Forbidden},

		{"one of two members leaves", leave(joined), ""},
		{"the last member does not leave", leave(studio(func(s *store.Studio) { s.People = 1 })), store.Conflict},
		{"the last member of an open studio leaves", leave(studio(func(s *store.Studio) {
			s.People, s.Visibility = 1, "organization"
		})), ""},
	} {
		if got := codeOf(c.err); got != c.want {
			t.Errorf("%s: %v", c.name, c.err)
		}
	}
}

// TestGuardsOfOwnWebhooks checks in which states a person may use the webhook for their notifications.
func TestGuardsOfOwnWebhooks(t *testing.T) {
	alice := store.Actor{UserID: "alice", Member: &store.Member{ID: "alice", OrgID: "org", Handle: "alice"}}
	settings := func(w *notice.Webhook) *notice.Notifications {
		n := &notice.Notifications{Webhook: w}
		n.UserID = alice.UserID
		return n
	}
	own := func(change func(*governance.OwnWebhook)) *governance.OwnWebhook {
		w := &governance.OwnWebhook{UserID: alice.UserID, Endpoint: governance.Endpoint{MemberID: "alice", Deliveries: 1}}
		change(w)
		return w
	}
	active := own(func(*governance.OwnWebhook) {})
	fresh := own(func(w *governance.OwnWebhook) { w.Deliveries = 0 })
	alone := own(func(w *governance.OwnWebhook) { w.MemberID = "" })
	paused := own(func(w *governance.OwnWebhook) { w.PausedAt = store.At(time.Unix(1, 0)) })
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"a first webhook", actions.SetWebhook.Allowed(alice, settings(nil)), ""},
		{"a second one", actions.SetWebhook.Allowed(alice, settings(&notice.Webhook{})), "You have a webhook"},
		{"a test", actions.SendOwnTest.Allowed(alice, active), ""},
		{"a test of nothing", actions.SendOwnTest.Allowed(alice, alone), "You are in no organization"},
		{"a test in a pause", actions.SendOwnTest.Allowed(alice, paused), "The webhook is paused"},
		{"an event again", actions.RedeliverOwn.Allowed(alice, active), ""},
		{"no event again", actions.RedeliverOwn.Allowed(alice, fresh), "Nothing was sent yet"},
		{"an event again in a pause", actions.RedeliverOwn.Allowed(alice, paused), "The webhook is paused"},
		{"a pause", actions.PauseOwnWebhook.Allowed(alice, active), ""},
		{"the end of none", actions.ResumeOwnWebhook.Allowed(alice, active), "The webhook is active"},
	} {
		if (c.err == nil) != (c.want == "") || c.err != nil && !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, c.err, c.want)
		}
	}
}

// TestATieWaitsForItsCaster expects the reference of a tied decision to name the member with the casting vote. All
// other references name the author.
func TestATieWaitsForItsCaster(t *testing.T) {
	at := store.At(time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC))
	for _, c := range []struct{ outcome, caster, want string }{
		{governance.DecisionTie, "caster", "caster"},
		{governance.DecisionTie, "", "author"},
		{governance.DecisionResult, "caster", "author"},
	} {
		d := &governance.Decision{Outcome: c.outcome, CasterID: c.caster, Item: store.Item{
			Studio: &store.Studio{}, Kind: "decision", MemberID: "author", OpenedAt: at, ClosedAt: at}}
		if got := d.Ref().MemberID; got != c.want {
			t.Errorf("%s with the caster %q waits for %q, want %q", c.outcome, c.caster, got, c.want)
		}
	}
}

func codeOf(err error) store.Code {
	if err == nil {
		return ""
	}
	return store.CodeOf(err)
}
