package store

import (
	"slices"
	"time"
)

// Scope is a class of actions that a token permits. A login has all scopes.
type Scope string

// The scopes. Reading needs [ScopeRead]; each action declares its own scope.
const (
	ScopeRead       Scope = "read"
	ScopeWrite      Scope = "write"
	ScopeGovernance Scope = "governance"
)

// Scopes lists every scope, weakest first.
func Scopes() []Scope { return []Scope{ScopeRead, ScopeWrite, ScopeGovernance} }

// Actor is the author of a request: a person with a login, an agent with a token, the system, or an anonymous visitor.
type Actor struct {
	UserID  string
	Member  *Member  // the member in the organization of the page; nil for outsiders
	Members []Member // the memberships in all organizations; exactly one for a token

	Token string // id of the token; empty for a person
	Agent Agent
	Grant *Grant // the grant of the token; nil for a person
	Rules *Rules // the organization's rules for agents; nil for a person

	Login  []byte    // hash of the login's secret; nil without a login
	Proved time.Time // when the person last proved their identity in this login
	Seen   time.Time // the last recorded use of the login or the token

	System bool // the scheduler, which is no member and only closes due items
}

// Agent acts for exactly one member, its sponsor, under a label.
type Agent struct {
	ID    string `db:"agent_id"`
	Label string `db:"agent"`
}

// System returns the actor of the scheduler.
func System() Actor { return Actor{System: true} }

// InPerson returns the actor of a member, without an agent.
func (m *Member) InPerson() Actor {
	by := Actor{UserID: m.UserID, Members: []Member{*m}}
	by.Member = &by.Members[0]
	return by
}

// Anonymous reports that the actor is an anonymous visitor.
func (a Actor) Anonymous() bool { return a.UserID == "" && !a.System }

// IsAgent reports that the actor is an agent with a token.
func (a Actor) IsAgent() bool { return a.Token != "" }

// SeenEvery is the accuracy of the recorded last use of a login or a token.
const SeenEvery = 10 * time.Minute

// Unseen reports that the recorded use of the actor's login or token is too old.
func (a Actor) Unseen(now time.Time) bool {
	return (a.Login != nil || a.IsAgent()) && now.Sub(a.Seen) > SeenEvery
}

// In returns the actor as the member of the organization orgID, or as an outsider there.
func (a Actor) In(orgID string) Actor {
	a.Member = nil
	for i := range a.Members {
		if a.Members[i].OrgID == orgID {
			a.Member = &a.Members[i]
		}
	}
	return a
}

// only returns the actor with its membership in this organization alone.
func (a Actor) only(orgID string) Actor {
	a = a.In(orgID)
	if a.Member != nil {
		a.Members = []Member{*a.Member}
	}
	return a
}

// MemberID returns the acting member's id; empty for the system and for outsiders.
func (a Actor) MemberID() string {
	if a.Member == nil {
		return ""
	}
	return a.Member.ID
}

// Unread returns the number of the actor's unread notifications in all organizations.
func (a Actor) Unread() (n int) {
	for i := range a.Members {
		n += a.Members[i].Unread
	}
	return n
}

// Is reports that the acting member has this id.
func (a Actor) Is(memberID string) bool { return memberID != "" && a.MemberID() == memberID }

// Has reports that the actor has the scope.
func (a Actor) Has(s Scope) bool {
	return !a.IsAgent() || s == ScopeRead || slices.Contains(a.Grant.Scopes, s)
}

// Name returns the actor's byline.
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

// Key returns a stable key: the same for every request of one person or one token.
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

// orgID returns the organization of a token; empty for a login.
func (a Actor) orgID() string {
	if a.IsAgent() && len(a.Members) > 0 {
		return a.Members[0].OrgID
	}
	return ""
}

// Byline returns "@bob" for a person and "Scribe, agent of @alice" for an agent.
func Byline(handle, agent string) string {
	if handle == "" {
		return "Samepage"
	}
	if agent == "" {
		return "@" + handle
	}
	return agent + ", agent of @" + handle
}
