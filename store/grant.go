package store

import (
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
)

// Grant is the part of a member's authority that a token has. A token never permits more than its member may do at the
// time of the request.
type Grant struct {
	Label   string      `db:"agent"` // label of the agent
	Scopes  Set[Scope]  `db:"scopes"`
	Roles   Set[string] `db:"roles"`      // ids of the roles of the member that the token may use; nil for all
	Kinds   Set[string] `db:"kinds"`      // kinds of pages that the token may act on, see [GrantKinds]; nil for all
	Asks    Set[string] `db:"asks"`       // actions, and effects such as opens:decision, that need an approval
	Public  bool        `db:"public"`     // the token may write on pages that everybody can read
	Client  string      `db:"client"`     // id of the OAuth client; empty for a token made by hand
	Turn    bool        `db:"-"`          // made for one turn, the answer to a prompt; set only for [Tx.CreateToken]
	BegunBy string      `db:"-"`          // id of the token that began the chain of prompts, or empty; set like Turn
	Expires Time        `db:"expires_at"` // zero if the token never expires
	UsedAt  Time        `db:"used_at"`    // time of the last recorded use; zero for none
}

// Holds reports whether the grant g permits everything that the other grant permits, and does not expire earlier.
func (g *Grant) Holds(other *Grant) bool {
	return contains(g.Scopes, other.Scopes) &&
		(g.Roles == nil || other.Roles != nil && contains(g.Roles, other.Roles)) &&
		(g.Kinds == nil || other.Kinds != nil && contains(g.Kinds, other.Kinds)) && contains(other.Asks, g.Asks) &&
		(g.Public || !other.Public) &&
		(g.Expires.IsZero() || !other.Expires.IsZero() && !g.Expires.Before(other.Expires.Time))
}

func contains[T ~string](all, some Set[T]) bool {
	return !slices.ContainsFunc(some, func(name T) bool { return !slices.Contains(all, name) })
}

// Rules are an organization's rules for the agents of its members.
type Rules struct {
	Ballots string `db:"agent_ballots" json:"agent_ballots"` // one of the Ballots constants
	// Asks has the names of actions and of effects that need an approval with every token, like [Grant.Asks].
	Asks Set[string] `db:"agent_asks" json:"agent_asks,omitempty"`
}

// These are the rules on ballots by agents. An agent may cast a ballot freely, with an approval, or not at all.
const (
	BallotsAllowed = "allowed"
	BallotsAsk     = "ask"
	BallotsOff     = "off"
)

// grantable has the kinds to which a token can be restricted, besides the kinds of items.
var grantable = []string{"studio", "cycle"}

// DeclareGrantKind adds a kind to which a token can be restricted, and returns its name.
func DeclareGrantKind(name string) string {
	grantable = append(grantable, name)
	return name
}

// GrantKinds returns the names of the kinds to which a token can be restricted, sorted.
func GrantKinds() []string {
	names := slices.Clone(grantable)
	for _, k := range ItemKinds() {
		names = append(names, k.Name)
	}
	slices.Sort(names)
	return names
}

// Limited reports whether the actor is an agent with a token that is restricted to some kinds or to non-public pages.
func (a Actor) Limited() bool { return a.IsAgent() && (a.Grant.Kinds != nil || !a.Grant.Public) }

// Covers returns [Forbidden] if the grant of an agent's token excludes an action on the page r, because of its kind or
// because the page is public. If makes is not empty, it is the kind of the item that the action creates, and counts
// instead of the kind of the page.
func (a Actor) Covers(r Ref, makes string) error {
	kind := r.Kind
	if makes != "" {
		kind = makes
	}
	switch g := a.Grant; {
	case g.Kinds != nil && !slices.Contains(g.Kinds, kind) && slices.Contains(GrantKinds(), kind):
		return Errorf(Forbidden, "This token does not act on the kind %s. Ask @%s for a token that does.", kind,
			a.Members[0].Handle)
	case r.Public && !g.Public:
		return Errorf(Forbidden,
			"Everybody can read this page, and this token does not write where everybody reads. Ask @%s for a "+
				"token that does.", a.Members[0].Handle)
	}
	return nil
}

// Set is a set of names that is stored in one column, separated by spaces. A nil Set is stored as NULL.
type Set[T ~string] []T

// String returns the names, separated by spaces.
func (s Set[T]) String() string {
	var b strings.Builder
	for i, name := range s {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(string(name))
	}
	return b.String()
}

// Value implements [driver.Valuer].
func (s Set[T]) Value() (driver.Value, error) {
	if s == nil {
		return nil, nil
	}
	return s.String(), nil
}

// Scan implements [database/sql.Scanner].
func (s *Set[T]) Scan(v any) error {
	*s = nil
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		*s = make(Set[T], 0, 3)
		for rest := v; rest != ""; {
			var name string
			if name, rest, _ = strings.Cut(rest, " "); name != "" {
				*s = append(*s, T(name))
			}
		}
		return nil
	}
	return fmt.Errorf("names are text, not %T", v)
}

// Errand is the page of the work that an agent was started for.
type Errand struct {
	Title, URL string
	Note       string // the end of a sentence that begins with Title, including the punctuation before it
}

// findErrand is set by [DeclareErrands].
var findErrand func(tx *Tx, by Actor, token string) (*Errand, error)

// DeclareErrands sets the function that finds the errand of an agent. The parameter token is the id of the agent's
// token. The function returns nil if there is no errand, or the actor may not see its page. DeclareErrands returns
// true, so that a variable's declaration can call it.
func DeclareErrands(find func(tx *Tx, by Actor, token string) (*Errand, error)) bool {
	findErrand = find
	return true
}

// FindErrand finds the work that the actor was started for, or returns nil if this installation did not start the
// actor.
func (tx *Tx) FindErrand(by Actor) (*Errand, error) {
	if !by.IsAgent() || by.Grant.Expires.IsZero() {
		return nil, nil
	}
	return tx.ErrandOf(by, by.Token)
}

// ErrandOf finds the work of the agent that has the token with this id. It returns nil if this installation did not
// start the agent, or the actor may not see the work.
func (tx *Tx) ErrandOf(by Actor, token string) (*Errand, error) {
	if findErrand == nil {
		return nil, nil
	}
	return findErrand(tx, by, token)
}
