package store

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Kind declares one kind of item, such as decisions.
type Kind struct {
	Name   string // name in the journal, in grants and in filters, such as "decision"
	Letter string // the part of an item's URL that stands for the kind, such as "d" for a decision
	// Numbered is set for a kind with items that belong to the whole organization. It is the last part of the path of
	// their list, such as "policies" in /orgs/acme/policies. The items are numbered in the order of their creation, so
	// the third policy has the path /orgs/acme/policies/3. Letter is empty.
	Numbered string
	// States are the states that an item of the kind can have; see [Summary].
	States []string

	// Summary is a SELECT of the columns that an item's row stores for lists, in the order of [summarized]. These are
	// [Summary.State], [Summary.Answered], [Summary.Asked], [Summary.Undecided] as 0 or 1, the start of an event, and
	// the time at which a commitment was settled: its last participant gave a mark (done or missed) or left. A column
	// that the kind does not have is 0, or CAST(NULL AS BIGINT) for a time.
	Summary string
	// Awaits is a SELECT of the thing that an open item waits for, one of [Awaited]. If Awaits is empty, open items
	// wait for [AwaitsDoing].
	Awaits string
	// Delete has the statements that delete an item's rows in other tables, in an order that foreign keys permit. Erase
	// has the statements that remove the item's texts from those rows. The argument of each statement is the item's id.
	Delete, Erase []string
	// Text is a SELECT of additional texts by which search finds an item, in a column named title. Each of its
	// arguments is the item's id.
	Text  string
	Waits []Wait
	// Pledges is a SELECT of the ids of the items that a member has joined, without those marked as done or missed. Its
	// argument is the member's id. Pledges is empty for kinds that members do not join.
	Pledges string
	// Leave removes a leaving member from the items of a studio, or of all studios if studioID is empty. It returns the
	// ids of the changed items. Leave is nil if members have no part in the items of this kind.
	Leave func(tx *Tx, m *Member, studioID string) (changed []string, err error)
	// Owned is a SELECT of the ids of the items that a role owns, with an ORDER BY clause. Its argument is the role's
	// id. HandOver gives the items of a deleted role to another role, or leaves them with the deleted one if to is nil.
	// Both fields are empty if roles own no items of this kind.
	Owned    string
	HandOver func(tx *Tx, from, to *Role) ([]Handed, error)
	// Spoken is true for kinds of a studio's conversation, such as messages. A studio's lists of items leave them out.
	Spoken bool
	// Standing is set for kinds of items that a studio works with for long, such as boards. It is the state of the
	// items that the studio's page lists at its side.
	Standing string
	// Decides means that closed items of this kind count as decided in a digest.
	Decides bool
	// Overdue means that items of this kind stay open after their deadline.
	Overdue bool
}

// Wait declares one action that items of a kind wait for.
type Wait struct {
	For string // the name of the action on the home page
	// From and Where are the FROM clause and the condition of a SELECT of the items (alias i) that wait for an action
	// of a member (alias mm). The arguments of the SELECT are those of the condition that selects the member, followed
	// by the present time plus Ahead.
	From, Where string
	Ahead       time.Duration
	// Due means that the item's deadline is shown as the deadline of the action.
	Due bool
}

// Summary has the columns of an item's row that exist for lists. [Kind.Summary] and [Kind.Awaits] compute them after
// every change, except the headline.
type Summary struct {
	State string `db:"state"` // one of [Kind.States], at the time of the last change
	// Answered is the number of members that voted, responded, joined or confirmed. Of the participants in a settled
	// commitment, only those with the mark "done" count.
	Answered int `db:"answered"`
	// Asked is the number of members that are asked or, for an open commitment, needed. With [Kind.Standing], it is the
	// number of the item's parts, such as cards.
	Asked     int    `db:"asked"`
	Undecided bool   `db:"undecided"` // the item is closed and waits for a casting vote
	Headline  string `db:"headline"`  // the outcome in one line; empty while the item is open
	Awaits    string `db:"awaits"`    // what an open item waits for, one of [Awaited]; empty if it is not open
}

const summaryColumns = `i.state, i.answered, i.asked, i.undecided, i.headline, i.awaits`

var kinds = map[string]*Kind{}

// DeclareKind registers a kind of item. It panics if a part of the kind is missing, or if another kind has the same
// Name, or the same Letter and Numbered.
func DeclareKind(k Kind) *Kind {
	switch {
	case k.Name == "" || k.Letter == "" && k.Numbered == "" || len(k.States) == 0:
		panic("kind " + k.Name + ": its name, its letter or its states are missing")
	case k.Summary == "" || len(k.Delete) == 0 || k.Erase == nil:
		panic("kind " + k.Name + ": its Summary, Delete or Erase is missing")
	case (k.Owned == "") != (k.HandOver == nil):
		panic("kind " + k.Name + ": Owned or HandOver is missing")
	}
	for _, w := range k.Waits {
		if w.For == "" || w.From == "" || w.Where == "" {
			panic("kind " + k.Name + ": a wait lacks its name, its items or its condition")
		}
	}
	for _, other := range kinds {
		if other.Name == k.Name || other.Letter == k.Letter && other.Numbered == k.Numbered {
			panic("kind " + k.Name + ": its name or address is that of " + other.Name)
		}
	}
	kinds[k.Name] = &k
	return &k
}

// ItemKinds returns all kinds of items, sorted by name.
func ItemKinds() []*Kind {
	return slices.SortedFunc(maps.Values(kinds), func(a, b *Kind) int { return strings.Compare(a.Name, b.Name) })
}

// kindNames returns the quoted names of the kinds that meet the condition, for an SQL IN list. An empty name comes
// first, so that the list is never empty.
func kindNames(has func(k *Kind) bool) string {
	names := []string{`''`}
	for _, k := range ItemKinds() {
		if has(k) {
			names = append(names, `'`+k.Name+`'`)
		}
	}
	return strings.Join(names, `, `)
}

// summarized lists the columns of an item's row that [Kind.Summary] computes, in the order of its SELECT.
const summarized = `state, answered, asked, undecided, starts_at, settled_at`

// awaited returns the SQL expression for the column awaits, which is empty unless the item is open.
func (k *Kind) awaited() string {
	what := `'` + AwaitsDoing + `'`
	if k.Awaits != "" {
		what = `(` + k.Awaits + `)`
	}
	return `CASE WHEN items.opened_at IS NULL OR items.closed_at IS NOT NULL THEN '' ELSE ` + what + ` END`
}

// summarize makes the transaction compute the item's summary again before the commit.
func (tx *Tx) summarize(kind, id string) {
	if m := (summaryMark{kind, id}); !slices.Contains(tx.changed, m) {
		tx.changed = append(tx.changed, m)
	}
}

type summaryMark struct{ kind, id string }

func (tx *Tx) summarizeChanged() error {
	for _, m := range tx.changed {
		k := kinds[m.kind]
		if err := tx.Exec(`UPDATE items SET (`+summarized+`) = (`+k.Summary+`), awaits = `+k.awaited()+` WHERE id = ?`,
			m.id); err != nil {
			return err
		}
	}
	return nil
}

// SetHeadline stores the outcome of an item in one line, which lists show.
func (tx *Tx) SetHeadline(i *Item, headline string) error {
	return tx.Exec(`UPDATE items SET headline = ? WHERE id = ?`, headline, i.ID)
}
