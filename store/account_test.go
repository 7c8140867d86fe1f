package store_test

import (
	"samepage/store"
	"samepage/store/credential"
)

// accounts is the part of [world.everything] about accounts.
func (w *world) accounts() {
	carol := w.member(w.acme, "carola").UserID
	w.write(func(tx *store.Tx) error {
		for _, err := range []error{credential.EndLogin(tx, carol, []byte{1}), credential.EndLogins(tx, carol, nil),
			credential.SetPassword(tx, carol, "-"), credential.KeepPassword(tx, carol, "-"),
			credential.SetEmail(tx, carol, "carola@acme.example"),
			credential.CreatePasskey(tx, &credential.Account{UserID: carol}, "Key", []byte("c"), "{}"),
			credential.UsePasskey(tx, &credential.Passkey{ID: "k"}, "{}"), credential.RenamePasskey(tx, carol, "k", "Phone"),
			credential.RemovePasskey(tx, carol, "k"),
			credential.SpendNonce(tx, "s", tx.Now), credential.ConnectIdentity(tx, carol, "https://id.example", "s", "carola@acme.example"),
			credential.DisconnectIdentity(tx, carol, "https://id.example")} {
			if err != nil {
				return err
			}
		}
		return nil
	})
	w.read(func(tx *store.Tx) error {
		_, err1 := tx.UserEmail(carol)
		_, err2 := credential.FindAccount(tx, w.alice)
		_, err3 := credential.PasskeyByCredential(tx, []byte("c"))
		_, err4 := credential.FindIdentity(tx, "https://id.example", "s")
		for _, err := range []error{err1, err2, err3, err4} {
			if err != nil && store.CodeOf(err) != store.NotFound {
				return err
			}
		}
		return nil
	})
}
