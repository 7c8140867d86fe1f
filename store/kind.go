package store

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Kind declares one kind of item: all that the code for items asks of a kind. The file of a noun begins
// with its Kind.
type Kind struct {
	Name   string // as the journal, grants and filters have it
	Letter string // in URLs
	// States are the possible values of the State method and of Summary.State.
	States []string

	// Summary is a SELECT from the tables of the noun of the columns that an item's row keeps for lists, in
	// this order: the state, the number that have answered, the number that are asked, 1 if it is undecided,
	// the moment at which an event starts, and the moment at which everybody was done. It may name columns of items.
	// A column that the kind does not have is 0, or CAST(NULL AS BIGINT) for a moment.
	Summary string
	// Delete lists statements that delete an item's rows in other tables, referring tables first. Erase
	// lists statements that remove the item's texts from those rows. The argument of each is the item's id.
	Delete, Erase []string
	// Text is a SELECT of further texts by which search finds an item, each in a column named title. Each
	// argument is the id of the item. Empty: search reads the title and the body alone.
	Text string
	// Waits are the actions that an item of this kind waits for.
	Waits []Wait
	// Leave removes a leaving member from the items of a studio, such as a commitment that the member joined.
	// An empty studioID stands for all studios. It returns the ids of the changed items. Nil: members have
	// no part in the items of this kind.
	Leave func(tx *Tx, m *Member, studioID string) (changed []string, err error)
	// Decides reports that the digest counts a closed item of this kind as decided.
	Decides bool
	// Overdue reports that an item stays open after its deadline.
	Overdue bool
}

// Wait is one action that items wait for.
type Wait struct {
	For string // its name on a home page
	// From and Where complete a SELECT of the items i that wait for a member: the FROM clause, with the
	// members mm, and a condition. Its argument, after those of the member, is now plus Ahead.
	From, Where string
	Ahead       time.Duration
	// Due reports that the item's deadline is the one shown for the action.
	Due bool
}

// Summary has the columns of an item's row that lists show. The noun writes the headline; [Kind.Summary]
// computes the rest after every change.
type Summary struct {
	State     string `db:"state"`     // one of [Kind.States], as of the last change; a deadline may have passed since
	Answered  int    `db:"answered"`  // count of members that have answered
	Asked     int    `db:"asked"`     // count of members asked
	Undecided bool   `db:"undecided"` // closed, and waits for a deciding member
	Headline  string `db:"headline"`  // the outcome in one line; empty before the item is closed
}

const summaryColumns = `i.state, i.answered, i.asked, i.undecided, i.headline`

var kinds = map[string]*Kind{}

// DeclareKind declares a kind of item. It panics if the kind lacks a part, or if another has its name or letter.
func DeclareKind(k Kind) *Kind {
	switch {
	case k.Name == "" || k.Letter == "" || len(k.States) == 0:
		panic("kind " + k.Name + ": its name, its letter or its states are missing")
	case k.Summary == "" || len(k.Delete) == 0 || k.Erase == nil:
		panic("kind " + k.Name + ": its Summary, Delete or Erase is missing")
	}
	for _, w := range k.Waits {
		if w.For == "" || w.From == "" || w.Where == "" {
			panic("kind " + k.Name + ": a wait lacks its name, its items or its condition")
		}
	}
	for _, other := range kinds {
		if other.Name == k.Name || other.Letter == k.Letter {
			panic("kind " + k.Name + ": its name or letter is that of " + other.Name)
		}
	}
	kinds[k.Name] = &k
	return &k
}

// ItemKinds returns the declared kinds, sorted by name.
func ItemKinds() []*Kind {
	return slices.SortedFunc(maps.Values(kinds), func(a, b *Kind) int { return strings.Compare(a.Name, b.Name) })
}

// kindNames returns the quoted names of the kinds that have a property, for a SQL IN list.
func kindNames(has func(k *Kind) bool) string {
	names := []string{`''`}
	for _, k := range ItemKinds() {
		if has(k) {
			names = append(names, `'`+k.Name+`'`)
		}
	}
	return strings.Join(names, `, `)
}

// summarized are the columns of items that [Kind.Summary] computes: those of [Summary] except the headline,
// the start of an event, and the time at which all members had finished.
const summarized = `state, answered, asked, undecided, starts_at, settled_at`

// summarize marks an item. Its summary is recomputed when the transaction ends.
func (tx *Tx) summarize(kind, id string) {
	if m := (summaryMark{kind, id}); !slices.Contains(tx.changed, m) {
		tx.changed = append(tx.changed, m)
	}
}

type summaryMark struct{ kind, id string }

// summarizeChanged recomputes the summaries of the items that [Tx.summarize] marked.
func (tx *Tx) summarizeChanged() error {
	for _, m := range tx.changed {
		if err := tx.Exec(`UPDATE items SET (`+summarized+`) = (`+kinds[m.kind].Summary+`) WHERE id = ?`,
			m.id); err != nil {
			return err
		}
	}
	return nil
}

// SetHeadline stores the outcome of an item for lists.
func (tx *Tx) SetHeadline(i *Item, headline string) error {
	return tx.Exec(`UPDATE items SET headline = ? WHERE id = ?`, headline, i.ID)
}
