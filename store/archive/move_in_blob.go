package archive

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"

	"samepage/store"
	"samepage/store/blob"
)

// blob stores the bytes of an attached file. If the bytes do not match their hash, it records the damage instead.
func (m *mover) blob(row []any) error {
	name, _ := row[0].(string)
	hash, err := base64.StdEncoding.DecodeString(name)
	if err != nil || len(hash) != sha256.Size {
		return m.damaged("it names no SHA-256 of a file")
	}
	m.frame.Write([]byte(name))
	text, _ := row[1].(string)
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || blob.MustHash(data, hash) != nil {
		m.changed = true
		m.missing[string(hash)] = "its bytes in the file have changed"
		return nil
	}
	m.kept[string(hash)] = int64(len(data))
	return m.tx.Blobs().Keep(m.tx.Tx, hash, data)
}

// recoverHash extracts the hash of an attached file from a line that damage has made invalid JSON.
func (m *mover) recoverHash(text []byte, l *moveLine) bool {
	rest, ok := bytes.CutPrefix(text, []byte(`{"row":["`))
	n := base64.StdEncoding.EncodedLen(sha256.Size)
	if !m.blobs || m.lacks || !ok || len(rest) < n || !bytes.HasPrefix(rest[n:], []byte(`","`)) {
		return false
	}
	*l = moveLine{Row: []any{string(rest[:n]), nil}}
	return true
}

func (m *mover) noteMissing(row []any) error {
	name, _ := row[0].(string)
	reason, ok := row[1].(string)
	hash, err := base64.StdEncoding.DecodeString(name)
	if err != nil || !ok {
		return m.damaged("it names no SHA-256 of a file")
	}
	m.missing[string(hash)] = reason + ", and was so at the export"
	return nil
}

// checkFiles lists the attached files without imported bytes. If this installation has bytes with the same hash
// already, the imported file gets an unused hash instead. Otherwise an import could get the bytes of another
// organization by giving their hash.
func (m *mover) checkFiles(ctx context.Context) (*store.FileCheck, error) {
	var strange [][]byte
	found, err := store.CheckBlobs(ctx, m.tx.Select, m.own.org, func(hash []byte, size int64) (int64, error) {
		if have, ok := m.kept[string(hash)]; ok {
			return have, nil
		}
		reason, known := m.missing[string(hash)]
		if !known {
			reason = "it is not in the file of the export"
		}
		_, err := blob.Inspect(m.tx.Blobs(), m.tx.Tx, hash, size)
		switch _, absent := blob.AsFault(err); {
		case err != nil && !absent:
			return 0, err
		case err == nil:
			strange = append(strange, bytes.Clone(hash))
			reason += "; another organization here has bytes with that hash, which stay its own: attach the file anew"
		}
		return 0, &blob.Fault{Clause: reason}
	})
	for _, hash := range strange {
		nobodys := make([]byte, sha256.Size)
		rand.Read(nobodys) // never fails
		if err == nil {
			err = m.tx.Exec(`UPDATE files SET hash = ? WHERE org_id = ? AND hash = ?`, nobodys, m.own.org, hash)
		}
	}
	return found, err
}
