package archive

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"samepage/store"
	"samepage/store/db"
)

// Undone is what a database lacks that was restored from a backup.
type Undone struct {
	Since   time.Time      // time of the last journal entry in the backup; zero if there is none
	Entries map[string]int // number of the journal entries that only the former database has, by action
	// Parted has the handles of organizations with a journal in the backup that is neither the beginning nor the
	// continuation of the former one. Their entries are not counted.
	Parted []string
}

// FindUndone compares the restored database of the data folder dir with the former database, now in the file aside,
// which is empty if there was none. If they cannot be compared, FindUndone returns an error and the time Since.
func FindUndone(ctx context.Context, dir, aside string) (*Undone, error) {
	u := &Undone{Entries: map[string]int{}}
	restored, err := db.OpenFile(filepath.Join(dir, store.FileName))
	if err != nil {
		return u, err
	}
	defer restored.Close()
	ends, err := journalEnds(ctx, restored)
	if err != nil {
		return u, err
	}
	for _, end := range ends {
		if end.At.After(u.Since) {
			u.Since = end.At.Time
		}
	}
	if aside == "" {
		return u, nil
	}
	if log, err := os.Stat(aside + "-wal"); err == nil && log.Size() > 0 {
		return u, fmt.Errorf("a part of the former one is still in its log, %s-wal", aside)
	}
	former, err := db.OpenFile(aside)
	if err != nil {
		return u, err
	}
	defer former.Close()
	formerEnds, err := journalEnds(ctx, former)
	if err != nil {
		return u, err
	}
	for id, was := range formerEnds {
		if err := u.add(ctx, restored, former, id, ends[id], was); err != nil {
			return u, err
		}
	}
	slices.Sort(u.Parted)
	return u, nil
}

// add compares the journals of an organization, whose last entries are is in the restored database and was in the
// former one.
func (u *Undone) add(ctx context.Context, restored, former *sqlx.DB, id string, is, was journalEnd) error {
	continued, err := hasEntry(ctx, former, id, is)
	if err != nil {
		return err
	}
	if !continued {
		contained, err := hasEntry(ctx, restored, id, was)
		if err == nil && !contained {
			u.Parted = append(u.Parted, was.Handle)
		}
		return err
	}
	var list []string
	err = former.SelectContext(ctx, &list, `SELECT action FROM journal WHERE org_id = ? AND seq > ?`, id, is.Seq)
	for _, action := range list {
		u.Entries[action]++
	}
	return err
}

// journalEnd is the last entry of an organization's journal. The zero value stands for an empty journal.
type journalEnd struct {
	ID     string     `db:"id"`
	Handle string     `db:"handle"`
	Seq    int64      `db:"seq"`
	Hash   []byte     `db:"hash"`
	At     store.Time `db:"at"`
}

// journalEnds returns the last entries of the journals by the ids of their organizations.
func journalEnds(ctx context.Context, file *sqlx.DB) (map[string]journalEnd, error) {
	var list []journalEnd
	err := file.SelectContext(ctx, &list, `SELECT o.id, o.handle, j.seq, j.hash, j.at FROM organizations o
		JOIN journal j ON j.org_id = o.id AND j.seq = o.journal_seq`)
	ends := make(map[string]journalEnd, len(list))
	for _, end := range list {
		ends[end.ID] = end
	}
	return ends, err
}

// hasEntry reports whether the journal of an organization has the entry, and so all that came before it. Every journal
// has the zero entry.
func hasEntry(ctx context.Context, file *sqlx.DB, orgID string, entry journalEnd) (bool, error) {
	if entry.Seq == 0 {
		return true, nil
	}
	var hashes [][]byte
	err := file.SelectContext(ctx, &hashes, `SELECT hash FROM journal WHERE org_id = ? AND seq = ?`, orgID, entry.Seq)
	return len(hashes) == 1 && bytes.Equal(hashes[0], entry.Hash), err
}
