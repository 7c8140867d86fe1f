package store

import (
	"database/sql/driver"
	"fmt"
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
		fields := strings.Fields(v)
		*s = make(Set[T], len(fields))
		for i, f := range fields {
			(*s)[i] = T(f)
		}
		return nil
	}
	return fmt.Errorf("names are text, not %T", v)
}
