package db

import (
	"bytes"
	"os"
	"testing"
	"time"
)

// TestDeletedRowsLeaveTheLog deletes a row with [Tx.Scrub], while a read prevents that the log is emptied. After the
// read, and without a further write, no file has the row.
func TestDeletedRowsLeaveTheLog(t *testing.T) {
	w := newFileWorld(t)
	secret := []byte("the ballot of a voter")
	has := func() bool {
		log, err := os.ReadFile(w.Path() + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(w.Path())
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(log, secret) || bytes.Contains(data, secret)
	}
	w.write(func(tx *Tx) error {
		return tx.Exec(`INSERT INTO instance (key, value) VALUES ('ballot', ?)`, secret)
	})
	w.read(func(tx *Tx) error {
		if err := look(tx); err != nil {
			return err
		}
		w.write(func(tx *Tx) error {
			tx.Scrub()
			return tx.Exec(`DELETE FROM instance WHERE key = 'ballot'`)
		})
		if !has() {
			t.Error("the test shows nothing: the log is empty during a read")
		}
		return nil
	})
	for end := time.Now().Add(30 * time.Second); has(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the deleted row is still in a file")
		}
	}
}
