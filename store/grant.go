package store

import (
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
)

// Grant is the part of a member's authority that a token has. A token never may do more than its member may
// at the time of the request.
type Grant struct {
	Label   string      `db:"agent"` // label of the agent
	Scopes  Set[Scope]  `db:"scopes"`
	Roles   Set[string] `db:"roles"`      // ids of the member's roles that it may use; nil for all
	Kinds   Set[string] `db:"kinds"`      // kinds that it may act on; nil for all
	Asks    Set[string] `db:"asks"`       // names of actions that need an approval
	Public  bool        `db:"public"`     // it may write on public pages
	Client  string      `db:"client"`     // OAuth client; empty for a token made by hand
	Expires Time        `db:"expires_at"` // zero: never
	UsedAt  Time        `db:"used_at"`    // the last use, accurate to [SeenEvery]
}

// Holds reports that a grant includes all of another, for as long.
func (g *Grant) Holds(other *Grant) bool {
	return contains(g.Scopes, other.Scopes) &&
		(g.Roles == nil || other.Roles != nil && contains(g.Roles, other.Roles)) &&
		(g.Kinds == nil || other.Kinds != nil && contains(g.Kinds, other.Kinds)) && contains(other.Asks, g.Asks) &&
		(g.Public || !other.Public) &&
		(g.Expires.IsZero() || !other.Expires.IsZero() && !g.Expires.Before(other.Expires.Time))
}

// contains reports that all has each element of some.
func contains[T ~string](all, some Set[T]) bool {
	return !slices.ContainsFunc(some, func(name T) bool { return !slices.Contains(all, name) })
}

// Rules are an organization's rules for agents.
type Rules struct {
	Ballots string `db:"agent_ballots" json:"agent_ballots"` // one of the Ballots constants
	// Asks has the names of actions that need an approval with any token.
	Asks Set[string] `db:"agent_asks" json:"agent_asks,omitempty"`
}

// The rules on ballots by agents.
const (
	BallotsAllowed = "allowed"
	BallotsAsk     = "ask"
	BallotsOff     = "off"
)

// GrantKinds returns the kinds to which a token can be restricted.
func GrantKinds() []string {
	names := []string{"studio", "cycle"}
	for _, k := range ItemKinds() {
		names = append(names, k.Name)
	}
	slices.Sort(names)
	return names
}

// Limited reports that the actor is a token restricted to some kinds or to pages that are not public.
func (a Actor) Limited() bool { return a.IsAgent() && (a.Grant.Kinds != nil || !a.Grant.Public) }

// Covers refuses an action that the token's grant excludes: on another kind, or on a public page. Makes is
// the kind of the item that the action would make; empty for none.
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

// Set is a set of names in one column: separated by spaces, NULL for nil.
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
