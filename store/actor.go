package store

import (
	"slices"
	"time"
)

// Scope is what a token may be used for. A login carries all of them.
type Scope string

// The scopes. Reading needs no more than [ScopeRead]; each action declares the one it needs.
const (
	ScopeRead       Scope = "read"
	ScopeWrite      Scope = "write"
	ScopeGovernance Scope = "governance"
)

// Scopes lists every scope, weakest first.
func Scopes() []Scope { return []Scope{ScopeRead, ScopeWrite, ScopeGovernance} }

// Actor is who asks: a person with a login, an agent with a token, the system, or nobody.
type Actor struct {
	UserID  string
	Member  *Member  // in the organization of the page at hand; nil for outsiders
	Members []Member // in every organization; exactly one for a token

	Token string // id of the token; empty for a person
	Agent Agent
	Grant *Grant // what the token carries; nil for a person, who needs none
	Rules *Rules // of the organization, for agents; nil for a person

	Login  []byte    // hash of the login's secret; nil for whoever has none
	Proved time.Time // when the login last proved whom it belongs to
	Seen   time.Time // when it was last written down that the login or the token is used

	System bool // the scheduler: no member, no other powers than closing what is due
}

// Agent acts for exactly one member, its sponsor, under a label.
type Agent struct {
	ID    string `db:"agent_id"`
	Label string `db:"agent"`
}

// System is the scheduler.
func System() Actor { return Actor{System: true} }

// InPerson returns the actor of a member without an agent.
func (m *Member) InPerson() Actor {
	by := Actor{UserID: m.UserID, Members: []Member{*m}}
	by.Member = &by.Members[0]
	return by
}

// Anonymous reports that nobody is signed in.
func (a Actor) Anonymous() bool { return a.UserID == "" && !a.System }

// IsAgent reports that a token acts.
func (a Actor) IsAgent() bool { return a.Token != "" }

// Unseen reports that it is time to write down again that the actor's login or token is used.
func (a Actor) Unseen(now time.Time) bool {
	return (a.Login != nil || a.IsAgent()) && now.Sub(a.Seen) > SeenEvery
}

// In is the actor on a page of the organization orgID: that member, or nobody there.
func (a Actor) In(orgID string) Actor {
	a.Member = nil
	for i := range a.Members {
		if a.Members[i].OrgID == orgID {
			a.Member = &a.Members[i]
		}
	}
	return a
}

// only is the actor in one organization and no other.
func (a Actor) only(orgID string) Actor {
	a = a.In(orgID)
	if a.Member != nil {
		a.Members = []Member{*a.Member}
	}
	return a
}

// MemberID is the acting member's id, empty for the system and for outsiders.
func (a Actor) MemberID() string {
	if a.Member == nil {
		return ""
	}
	return a.Member.ID
}

// Unread is how many notifications the actor has not read, in all of their organizations.
func (a Actor) Unread() (n int) {
	for i := range a.Members {
		n += a.Members[i].Unread
	}
	return n
}

// Is reports whether the acting member is the one with this id.
func (a Actor) Is(memberID string) bool { return memberID != "" && a.MemberID() == memberID }

// Has reports whether the actor carries the scope.
func (a Actor) Has(s Scope) bool {
	return !a.IsAgent() || s == ScopeRead || slices.Contains(a.Grant.Scopes, s)
}

// Name is how the actor is named in every byline.
func (a Actor) Name() string {
	switch {
	case a.System:
		return "Samepage"
	case a.Member != nil:
		return Byline(a.Member.Handle, a.Agent.Label)
	case len(a.Members) > 0:
		return Byline(a.Members[0].Handle, a.Agent.Label)
	}
	return ""
}

// Key names the actor stably: the same person or the same token has the same key.
func (a Actor) Key() string {
	switch {
	case a.Token != "":
		return "token:" + a.Token
	case a.UserID != "":
		return "user:" + a.UserID
	case a.System:
		return "system"
	}
	return "anonymous"
}

// orgID restricts a token to its one organization; empty for a login.
func (a Actor) orgID() string {
	if a.IsAgent() && len(a.Members) > 0 {
		return a.Members[0].OrgID
	}
	return ""
}

// Byline names a person "@bob" and an agent "Scribe, agent of @alice".
func Byline(handle, agent string) string {
	if handle == "" {
		return "Samepage"
	}
	if agent == "" {
		return "@" + handle
	}
	return agent + ", agent of @" + handle
}
