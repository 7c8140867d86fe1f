package store

// accounts calls every method of Tx about accounts.
func (w *world) accounts() {
	carol := w.member(w.acme, "carola").UserID
	w.write(func(tx *Tx) error {
		for _, err := range []error{tx.EndLogin(carol, []byte{1}), tx.EndLogins(carol, nil),
			tx.SetPassword(carol, "-"), tx.SetEmail(carol, "carola@acme.example"),
			tx.CreatePasskey(&Account{UserID: carol}, "Key", []byte("c"), "{}"),
			tx.UsePasskey(&Passkey{ID: "k"}, "{}"), tx.RenamePasskey(carol, "k", "Phone"),
			tx.RemovePasskey(carol, "k"),
			tx.SpendNonce("s", tx.Now), tx.ConnectIdentity(carol, "https://id.example", "s", "carola@acme.example"),
			tx.DisconnectIdentity(carol, "https://id.example")} {
			if err != nil {
				return err
			}
		}
		return nil
	})
	w.read(func(tx *Tx) error {
		_, err1 := tx.UserEmail(carol)
		_, err2 := tx.FindAccount(w.alice)
		_, err3 := tx.PasskeyByCredential([]byte("c"))
		_, err4 := tx.FindIdentity("https://id.example", "s")
		for _, err := range []error{err1, err2, err3, err4} {
			if err != nil && CodeOf(err) != NotFound {
				return err
			}
		}
		return nil
	})
}
