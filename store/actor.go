package store

import (
	"slices"
	"time"
)

// Scope is a class of actions that a token permits. An actor without a token has every scope.
type Scope string

// These are the scopes. Every token has [ScopeRead].
const (
	ScopeRead       Scope = "read"
	ScopeWrite      Scope = "write"
	ScopeGovernance Scope = "governance"
	// ScopeRunner is the scope of the token of a runner, a program that works on git repositories. It gives access to
	// the runner's own page only. A member cannot give this scope to an agent.
	ScopeRunner Scope = "runner"
)

// Scopes lists every scope that a member can give to an agent, weakest first.
func Scopes() []Scope { return []Scope{ScopeRead, ScopeWrite, ScopeGovernance} }

// Actor is the author of a request: a person with a login, an agent with a token, the scheduler, or an anonymous
// visitor.
type Actor struct {
	UserID  string
	Member  *Member  // the user's membership in the organization of the page; nil for an outsider
	Members []Member // the user's memberships in all organizations; exactly one for a token

	Token string // id of the token; empty without a token
	Agent Agent
	Grant *Grant // nil without a token
	Rules *Rules // nil without a token

	Login  []byte    // hash of the login's secret; nil without a login
	Proved time.Time // when the person last proved their identity in this login
	Seen   time.Time // time of the last recorded use of the login or the token

	// ByConsent is the id of a studio if its consent permits the action: an accepted topic (a kind of item) of the
	// studio executes the action, or a topic tries it before that. It is empty for all other actions.
	ByConsent string
	// Unlimited switches off [Limits.InARow].
	Unlimited bool

	Why string // the reason that the caller gave for this call; empty while a page is read
	// As is the authority by which the actor takes the present action. The journal records it.
	As    Authority
	noted *Authority // the authority that guards recorded last ([Actor.Note]); nil without [Actor.Noting]

	System bool // the actor is the scheduler
}

// Agent is the software that uses a token on behalf of one member.
type Agent struct {
	ID    string `db:"agent_id"`
	Label string `db:"agent"`
}

// System returns the actor of the scheduler.
func System() Actor { return Actor{System: true} }

// InPerson returns the actor for a member who acts without an agent.
func (m *Member) InPerson() Actor {
	by := Actor{UserID: m.UserID, Members: []Member{*m}}
	by.Member = &by.Members[0]
	return by
}

// Anonymous reports whether the actor is a visitor without a login and without a token.
func (a Actor) Anonymous() bool { return a.UserID == "" && !a.System }

// IsAgent reports whether the actor is an agent with a token.
func (a Actor) IsAgent() bool { return a.Token != "" }

// seenEvery is the time after which another use of a login or a token is recorded.
const seenEvery = 10 * time.Minute

// Unseen reports whether the recorded last use of the actor's login or token is older than [seenEvery].
func (a Actor) Unseen(now time.Time) bool {
	return (a.Login != nil || a.IsAgent()) && now.Sub(a.Seen) > seenEvery
}

// In returns a copy of the actor with Member set to its membership in the organization, or to nil if it has none.
func (a Actor) In(orgID string) Actor {
	a.Member = nil
	for i := range a.Members {
		if a.Members[i].OrgID == orgID {
			a.Member = &a.Members[i]
		}
	}
	return a
}

// only returns a copy of the actor without its memberships outside the organization orgID. An actor without a
// membership in that organization keeps all memberships.
func (a Actor) only(orgID string) Actor {
	a = a.In(orgID)
	if a.Member != nil {
		a.Members = []Member{*a.Member}
	}
	return a
}

// MemberID returns the acting member's id. It is empty for the system and for outsiders.
func (a Actor) MemberID() string {
	if a.Member == nil {
		return ""
	}
	return a.Member.ID
}

// Unread returns the number of the actor's unread notifications in all organizations. For an agent, it leaves out those
// that [Member.QuietUnread] counts.
func (a Actor) Unread() (n int) {
	for i := range a.Members {
		if n += a.Members[i].Unread; a.IsAgent() {
			n -= a.Members[i].QuietUnread
		}
	}
	return n
}

// Is reports whether the acting member has the given id.
func (a Actor) Is(memberID string) bool { return memberID != "" && a.MemberID() == memberID }

// Has reports whether the actor may use the scope.
func (a Actor) Has(s Scope) bool {
	return !a.IsAgent() || s == ScopeRead || slices.Contains(a.Grant.Scopes, s)
}

// Runs reports whether the actor is a runner.
func (a Actor) Runs() bool { return a.IsAgent() && slices.Contains(a.Grant.Scopes, ScopeRunner) }

// Name returns the byline of the actor, for example "@bob". It is empty if there is none, as for an anonymous visitor.
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

// Key returns a string that identifies the token of a request, or the person if there is no token. All anonymous
// visitors share one key.
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

// orgID returns the organization's id for a token, and "" for a login, because a user may have several organizations.
func (a Actor) orgID() string {
	if a.IsAgent() && len(a.Members) > 0 {
		return a.Members[0].OrgID
	}
	return ""
}

// Byline returns "@bob" for a person, "Scribe, agent of @alice" for an agent, and "Samepage" for an empty
// handle.
func Byline(handle, agent string) string {
	if handle == "" {
		return "Samepage"
	}
	if agent == "" {
		return "@" + handle
	}
	return agent + ", agent of @" + handle
}
