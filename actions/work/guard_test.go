package work_test

import (
	"testing"
	"time"

	actions "samepage/actions/work"
	"samepage/store"
	"samepage/store/work"
)

// TestWhoMayStartTriggers asks for the action of a zone on a card of Alice's session. Only Alice may prompt the
// session's agent, because the agent acts for her. Every member may start a session in the worktree.
func TestWhoMayStartTriggers(t *testing.T) {
	person := func(id string) store.Actor {
		m := store.Member{ID: id, OrgID: "org", Handle: id}
		return store.Actor{UserID: id, Member: &m, Members: []store.Member{m}}
	}
	studio := &store.Studio{ID: "s", OrgID: "org", Visibility: "members", JoinedAt: store.At(time.Unix(1, 0))}
	session := &work.Session{MemberID: "alice", Member: "alice", Studio: studio}
	for _, c := range []struct {
		who, does string
		session   *work.Session
		want      store.Code // empty if the actor may start the action
	}{
		{"alice", actions.PromptSession.Name, session, ""},
		{"bob", actions.PromptSession.Name, session, store.Forbidden},
		{"bob", actions.PromptSession.Name, nil, ""}, // the action itself says that there is no session
		{"bob", actions.StartSession.Name, session, ""},
		{"bob", "", session, ""},
	} {
		v := &work.CardPage{OnIt: &work.Card{Zone: 1}, Target: &work.Target{Session: c.session},
			Board: &work.Board{Zones: []work.Zone{{N: 1, Trigger: work.Trigger{Does: c.does}}}}}
		err := actions.MayStart(person(c.who), v)
		if (err == nil) != (c.want == "") || err != nil && store.CodeOf(err) != c.want {
			t.Errorf("%s, %q: %v, want %q", c.who, c.does, err, c.want)
		}
	}
}
