package store

// address runs every statement of a change of address.
func (w *world) address() {
	w.write(func(tx *Tx) error {
		user := w.alice.UserID
		email, err := tx.UserEmail(user)
		if err != nil {
			return err
		}
		if err := tx.RequestAddress(user, email, "alison@acme.example"); err != nil {
			return err
		}
		due, err := tx.DueMails(50)
		if err != nil {
			return err
		}
		for i := range due {
			if due[i].Kind == MailedAddressNotice {
				if err := tx.DropMail(&due[i]); err != nil {
					return err
				}
			}
			if due[i].Kind != MailedAddress {
				continue
			}
			if _, err := tx.RequestedAddress(due[i].SubjectID); err != nil {
				return err
			}
			secret, err := tx.OpenAddress(due[i].SubjectID)
			if err != nil {
				return err
			}
			if _, err := tx.ChangeAddress(secret); err != nil {
				return err
			}
			if err := tx.DropMail(&due[i]); err != nil {
				return err
			}
		}
		return tx.SetEmail(user, email)
	})
}

// reset runs every statement of a password reset.
func (w *world) reset() {
	w.write(func(tx *Tx) error {
		if err := tx.RequestReset("bob@acme.example", tx.Now); err != nil {
			return err
		}
		due, err := tx.DueMails(50)
		if err != nil {
			return err
		}
		for i := range due {
			if due[i].Kind != MailedReset {
				continue
			}
			secret, err := tx.OpenReset(due[i].SubjectID)
			if err == nil {
				_, err = tx.ResetPasswordByLink(secret, "-")
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
