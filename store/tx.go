package store

import (
	"slices"

	"samepage/store/db"
)

// Tx is a transaction with one clock. Nouns are read and written through its methods, and through functions that take one.
type Tx struct {
	*db.Tx

	store   *Store
	text    fullText      // nil where there is none
	marks   []mark        // documents that have changed
	changed []summaryMark // items that have changed
	topics  []Topic       // announced
}

// begin is a transaction of the engine as the nouns see it.
func (s *Store) begin(of *db.Tx) *Tx {
	of.Trace = s.spy
	return &Tx{Tx: of, store: s, text: s.text}
}

// Nested runs fn in a savepoint of its own: an error undoes the changes of fn and leaves the rest.
func (tx *Tx) Nested(fn func() error) error {
	marked, changed, announced := len(tx.marks), len(tx.changed), len(tx.topics)
	err := tx.Tx.Nested(fn)
	if err != nil {
		tx.marks, tx.changed, tx.topics = tx.marks[:marked], tx.changed[:changed], tx.topics[:announced]
	}
	return err
}

// Serialize makes this transaction the only one that writes in the organizations of the actor and in the one named, from now
// on until it ends, so that its reads stay true. Waited reports that another may have written there since it began, so that
// rows read before must be read again.
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
