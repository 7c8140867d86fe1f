package store_test

import (
	"samepage/store"
	"samepage/store/credential"
)

// address is the part of [world.everything] about changes of an email address.
func (w *world) address() {
	w.write(func(tx *store.Tx) error {
		user := w.alice.UserID
		email, err := tx.UserEmail(user)
		if err != nil {
			return err
		}
		if err := credential.RequestAddress(tx, user, email, "alison@acme.example"); err != nil {
			return err
		}
		due, err := tx.DueMails(50)
		if err != nil {
			return err
		}
		for i := range due {
			if due[i].Kind == credential.MailedAddressNotice {
				if err := tx.DropMail(&due[i]); err != nil {
					return err
				}
			}
			if due[i].Kind != credential.MailedAddress {
				continue
			}
			if _, err := credential.RequestedAddress(tx, due[i].SubjectID); err != nil {
				return err
			}
			secret, err := credential.OpenAddress(tx, due[i].SubjectID)
			if err != nil {
				return err
			}
			if _, err := credential.ChangeAddress(tx, secret); err != nil {
				return err
			}
			if err := tx.DropMail(&due[i]); err != nil {
				return err
			}
		}
		return credential.SetEmail(tx, user, email)
	})
}

// reset is the part of [world.everything] about password resets.
func (w *world) reset() {
	w.write(func(tx *store.Tx) error {
		if err := credential.RequestReset(tx, "bob@acme.example", tx.Now); err != nil {
			return err
		}
		due, err := tx.DueMails(50)
		if err != nil {
			return err
		}
		for i := range due {
			if due[i].Kind != credential.MailedReset {
				continue
			}
			secret, err := credential.OpenReset(tx, due[i].SubjectID)
			if err == nil {
				_, err = credential.ResetPasswordByLink(tx, secret, "-")
			}
			if err == nil {
				err = tx.DropMail(&due[i])
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}
