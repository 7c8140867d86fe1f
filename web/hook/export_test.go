package hook

import (
	"samepage/store"
	"samepage/store/governance"
	"samepage/store/notice"
)

// MayTell gives the tests, which are in package hook_test because package web imports hook, access to mayTell.
func (s *Sender) MayTell(tx *store.Tx, w *governance.OwnWebhook, d *governance.Delivery) (*notice.Told, string, error) {
	return s.mayTell(tx, w, d)
}
