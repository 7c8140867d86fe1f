package store

import (
	"strings"
	"unicode"
)

// PlainLabel returns the label of an agent that comes closest to a program's name for itself.
func PlainLabel(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || !inLabel(r) })
	return strings.Join(words, " ")
}

func inLabel(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || r == ' ' || r == '-'
}

// mustBeLabel refuses a label that readers could take for a member, a role or the product, or that looks like a byline:
// [Invalid].
func (tx *Tx) mustBeLabel(m *Member, label string) error {
	if strings.ContainsFunc(label, func(r rune) bool { return !inLabel(r) }) || look(label) == "" {
		return Errorf(Invalid, "The name of an agent has letters, digits, spaces and hyphens only, such as Scribe. Choose another.")
	}
	taken := []string{"samepage", "system", "scheduler"}
	var names []string
	if err := tx.Select(&names, `SELECT handle FROM members WHERE org_id = ? AND erased_at IS NULL
		UNION SELECT name FROM members WHERE org_id = ? AND erased_at IS NULL
		UNION SELECT title FROM roles WHERE org_id = ? AND deleted_at IS NULL`, m.OrgID, m.OrgID, m.OrgID); err != nil {
		return err
	}
	for _, name := range append(taken, names...) {
		if look(name) == look(label) {
			return Errorf(Invalid, "An agent cannot be named like a member, a role or the product. Choose another name, such as Scribe.")
		}
	}
	return nil
}

// alike has letters and digits that look like Latin ones.
var alike = strings.NewReplacer("0", "o", "1", "l", "i", "l", "rn", "m", "vv", "w",
	"а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "х", "x", "у", "y", "і", "l", "ј", "j", "ѕ", "s", "к", "k", "м", "m", "т", "t",
	"α", "a", "ο", "o", "ρ", "p", "ι", "l", "κ", "k", "ν", "v", "υ", "u")

// look returns a key that is equal for names that look alike: without case, spaces, hyphens and accents that are marks.
func look(name string) string {
	return alike.Replace(strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return r
	}, strings.ToLower(name)))
}
