package store

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Kind is one kind of item: everything that the machinery for all items asks of it. A noun's file begins with its Kind.
type Kind struct {
	Name   string // in the journal, in grants and in filters
	Letter string // in URLs
	// States are the words that its State method and Summary.State may be.
	States []string

	// Summary selects from the tables of the noun the columns of [summarized], in their order. It may name those of items.
	Summary string
	// Delete are the statements that delete the rows beside an item, the farthest first, and Erase those that take its words out
	// of them. The argument of each is the item's id.
	Delete, Erase []string
	// Text selects, as title, more text by which an item is found. Every argument is its id; empty if there is none.
	Text string
	// Waits are the actions that an item of this kind waits for.
	Waits []Wait
	// Leave ends what a member has in the items of a studio, or of all studios for the empty id, when they leave it. Nil if they
	// have nothing there that ends.
	Leave func(tx *Tx, m *Member, studioID string) error
	// Decides reports that an item that closes was decided, which a digest counts apart.
	Decides bool
	// Overdue reports that an item is still open when its time has come.
	Overdue bool
}

// Wait is one action that items wait for.
type Wait struct {
	For string // its name on a home page
	// Items completes a SELECT of the items i that wait for a member: a FROM clause, with the members mm, and a condition. Its own
	// argument, behind those of the member, is the moment Ahead of now.
	From, Where string
	Ahead       time.Duration
	// Due reports that the item's time is that by which it waits.
	Due bool
}

// Summary is the part of an item's row that lists show. The noun writes the headline; [Kind.Summary] gives the rest, after every
// change.
type Summary struct {
	State     string `db:"state"`     // one of [Kind.States]; a clock may have moved the item on since
	Answered  int    `db:"answered"`  // members who have done what it asks for
	Asked     int    `db:"asked"`     // members it asks; 0 where it asks none
	Undecided bool   `db:"undecided"` // closed, and yet it waits for somebody's word
	Headline  string `db:"headline"`  // its outcome in a line; empty before there is one
}

const summaryColumns = `i.state, i.answered, i.asked, i.undecided, i.headline`

var kinds = map[string]*Kind{}

// DeclareKind declares a kind of item. It panics if the kind lacks a part, or if another has its name or letter.
func DeclareKind(k Kind) *Kind {
	switch {
	case k.Name == "" || k.Letter == "" || len(k.States) == 0:
		panic("kind " + k.Name + ": its name, its letter or its states are missing")
	case k.Summary == "" || len(k.Delete) == 0 || k.Erase == nil:
		panic("kind " + k.Name + ": say what lists show of it, how it is deleted and how it is erased")
	}
	for _, other := range kinds {
		if other.Name == k.Name || other.Letter == k.Letter {
			panic("kind " + k.Name + ": its name or letter is that of " + other.Name)
		}
	}
	kinds[k.Name] = &k
	return &k
}

// ItemKinds are the kinds of items that are declared, by name.
func ItemKinds() []*Kind {
	return slices.SortedFunc(maps.Values(kinds), func(a, b *Kind) int { return strings.Compare(a.Name, b.Name) })
}

// kindNames lists the names of the kinds for which is holds, as SQL takes them in IN.
func kindNames(is func(k *Kind) bool) string {
	names := []string{`''`}
	for _, k := range ItemKinds() {
		if is(k) {
			names = append(names, `'`+k.Name+`'`)
		}
	}
	return strings.Join(names, `, `)
}

// summarized are the columns of an item's row that its noun has summarized there after every change: those of [Summary] but the
// headline, the moment at which an event starts, and the one at which all was done.
const summarized = `state, answered, asked, undecided, starts_at, settled_at`

// summarize has the summary of an item written when the transaction ends.
func (tx *Tx) summarize(kind, id string) {
	if m := (summaryMark{kind, id}); !slices.Contains(tx.changed, m) {
		tx.changed = append(tx.changed, m)
	}
}

type summaryMark struct{ kind, id string }

// summarizeChanged writes the summaries that [Tx.summarize] asked for.
func (tx *Tx) summarizeChanged() error {
	for _, m := range tx.changed {
		if err := tx.Exec(`UPDATE items SET (`+summarized+`) = (`+kinds[m.kind].Summary+`) WHERE id = ?`,
			m.id); err != nil {
			return err
		}
	}
	return nil
}

// setHeadline keeps the outcome of an item, under which lists show it.
func (tx *Tx) setHeadline(i *Item, headline string) error {
	return tx.Exec(`UPDATE items SET headline = ? WHERE id = ?`, headline, i.ID)
}
