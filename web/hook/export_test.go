package hook

import (
	"time"

	"samepage/store"
	"samepage/store/governance"
	"samepage/store/notice"
)

// MayTell gives the tests, which are in package hook_test because package web imports hook, access to mayTell.
func (s *Sender) MayTell(tx *store.Tx, w *governance.OwnWebhook, d *governance.Delivery) (*notice.Told, string, error) {
	return s.mayTell(tx, w, d)
}

// Narrow lets the sender send to one webhook at a time, each for a turn of this length.
func (s *Sender) Narrow(turn time.Duration) { s.places, s.turn = make(chan struct{}, 1), turn }
