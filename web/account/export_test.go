package account

import (
	"samepage/store"
	"samepage/store/notice"
)

// The tests are in package account_test, because they use package web, which imports account. The names below give the
// tests access to unexported parts of account.

var MustBeSetupToken = mustBeSetupToken

func (s *Server) MayTell(tx *store.Tx, by store.Actor, m *store.Mail) ([]notice.Told, error) {
	return s.mayTell(tx, by, m)
}
