package store

import (
	"slices"

	"samepage/store/db"
)

// Tx is a transaction with one clock. Its methods read and write the nouns.
type Tx struct {
	*db.Tx

	store   *Store
	text    fullText      // nil in a build without full-text search
	marks   []mark        // documents that have changed
	changed []summaryMark // items to be summarized at the end
	topics  []Topic       // topics to announce after the commit
}

// begin wraps a transaction of package db.
func (s *Store) begin(of *db.Tx) *Tx {
	of.Trace = s.spy
	return &Tx{Tx: of, store: s, text: s.text}
}

// Nested runs fn in a savepoint: an error undoes the changes of fn alone.
func (tx *Tx) Nested(fn func() error) error {
	marked, changed, announced := len(tx.marks), len(tx.changed), len(tx.topics)
	err := tx.Tx.Nested(fn)
	if err != nil {
		tx.marks, tx.changed, tx.topics = tx.marks[:marked], tx.changed[:changed], tx.topics[:announced]
	}
	return err
}

// Serialize locks the organizations of the actor and the named one until the transaction ends, so that no
// other transaction writes there and later reads stay valid. Waited reports that another transaction may
// have written since this one began, so that rows must be read again.
func (tx *Tx) Serialize(by Actor, orgID string) (waited bool, err error) {
	ids := make([]string, 0, len(by.Members)+1)
	for _, m := range by.Members {
		ids = append(ids, m.OrgID)
	}
	if orgID != "" {
		ids = append(ids, orgID)
	}
	return tx.Tx.Serialize(slices.Compact(ids)...)
}
