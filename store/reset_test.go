package store

// reset runs every statement of setting another password by mail.
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
				_, err = tx.Reset(secret, "-")
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
