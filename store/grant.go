package store

import (
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
)

// Grant is the part of a member's authority that a token carries. What it may do is never more than what its member may do
// at the moment of the request.
type Grant struct {
	Label   string      `db:"agent"` // the agent's
	Scopes  Set[Scope]  `db:"scopes"`
	Roles   Set[string] `db:"roles"`      // ids of the roles of its member that it may use; nil for all of them
	Kinds   Set[string] `db:"kinds"`      // kinds of nouns that it may touch; nil for all of them
	Asks    Set[string] `db:"asks"`       // names of the actions that wait for a person's approval
	Public  bool        `db:"public"`     // it may write where everybody reads
	Client  string      `db:"client"`     // of the OAuth client it was granted to; empty for a token made by hand
	Expires Time        `db:"expires_at"` // zero: never
	UsedAt  Time        `db:"used_at"`    // within [SeenEvery]
}

// Holds reports that a grant carries all that another does, for as long.
func (g *Grant) Holds(other *Grant) bool {
	return contains(g.Scopes, other.Scopes) &&
		(g.Roles == nil || other.Roles != nil && contains(g.Roles, other.Roles)) &&
		(g.Kinds == nil || other.Kinds != nil && contains(g.Kinds, other.Kinds)) && contains(other.Asks, g.Asks) &&
		(g.Public || !other.Public) &&
		(g.Expires.IsZero() || !other.Expires.IsZero() && !g.Expires.Before(other.Expires.Time))
}

// contains reports that all has each of some.
func contains[T ~string](all, some Set[T]) bool {
	return !slices.ContainsFunc(some, func(name T) bool { return !slices.Contains(all, name) })
}

// Rules are what an organization says about its members' agents.
type Rules struct {
	Ballots string `db:"agent_ballots" json:"agent_ballots"` // one of the Ballots constants
	// names of the actions that wait for a person, whatever the token
	Asks Set[string] `db:"agent_asks" json:"agent_asks,omitempty"`
}

// What becomes of agents' ballots.
const (
	BallotsAllowed = "allowed"
	BallotsAsk     = "ask"
	BallotsOff     = "off"
)

// GrantKinds are what a token can be restricted to acting on.
func GrantKinds() []string {
	names := []string{"studio", "cycle"}
	for _, k := range ItemKinds() {
		names = append(names, k.Name)
	}
	slices.Sort(names)
	return names
}

// Limited reports that a token acts which may not act on everything that its scopes allow.
func (a Actor) Limited() bool { return a.IsAgent() && (a.Grant.Kinds != nil || !a.Grant.Public) }

// Covers refuses what the token may not act on, although its member may: a noun of another kind, or what everybody reads.
// Makes is the kind of what would be made; empty if nothing of another kind is.
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

// Set is some names in one column: separated by spaces, NULL for nil.
type Set[T ~string] []T

// String is the names with spaces between them.
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
