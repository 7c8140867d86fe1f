package store

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"samepage/store/blob"
	"samepage/store/db"
)

// MaxFiles limits the number of files of one item. MaxFileSpace limits the bytes of all files of one organization.
const (
	MaxFiles     = 50
	MaxFileSpace = 2 << 30
)

// File is a file attached to an item.
type File struct {
	ID       string `db:"id"`
	OrgID    string `db:"org_id"`
	ItemID   string `db:"item_id"`
	Name     string `db:"name"`
	Type     string `db:"type"` // media type, detected from the bytes of the file
	Size     int64  `db:"size"` // in bytes
	Hash     []byte `db:"hash"` // SHA-256 of the bytes
	MemberID string `db:"member_id"`
	Member   string `db:"member"` // handle of the member who attached the file
	Agent
	At Time `db:"at"`
}

const fileSelect = `SELECT x.id, x.org_id, x.item_id, x.name, x.type, x.size, x.hash, x.member_id,
	m.handle AS member, x.agent_id, a.label AS agent,
	x.at FROM files x JOIN members m ON m.id = x.member_id LEFT JOIN agents a ON a.id = x.agent_id `

// URL returns the path of the file's page.
func (f *File) URL() string { return "/files/" + f.ID }

// Download returns the path from which the bytes of the file are downloaded.
func (f *File) Download() string { return f.URL() + "/download" }

// Inline reports whether a browser may show the file in a page, because it is an image that cannot contain scripts.
func (f *File) Inline() bool {
	switch f.Type {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// Plain reports whether the file is text, which a page can quote.
func (f *File) Plain() bool { return strings.HasPrefix(f.Type, "text/plain") }

// MediaType detects the type of a file from its bytes. The type is application/octet-stream unless the file is UTF-8
// text, an image, a PDF or a ZIP file, because a browser might execute other files.
func MediaType(file io.Reader) (string, error) {
	r := bufio.NewReaderSize(file, 32<<10)
	head, err := r.Peek(512) // DetectContentType reads at most 512 bytes
	if err != nil && err != io.EOF {
		return "", err
	}
	kind := http.DetectContentType(head)
	switch {
	case strings.HasPrefix(kind, "text/"):
		text, err := validText(r)
		if err != nil || text {
			return "text/plain; charset=utf-8", err
		}
	case strings.HasPrefix(kind, "image/"), kind == "application/pdf", kind == "application/zip":
		return kind, nil
	}
	return "application/octet-stream", nil
}

func validText(r *bufio.Reader) (bool, error) {
	for {
		chunk, err := r.Peek(r.Size())
		if err != nil && err != io.EOF {
			return false, err
		}
		for i := 1; err == nil && i < utf8.UTFMax; i++ { // the end of the buffer may split a character
			if last := chunk[len(chunk)-i:]; utf8.RuneStart(last[0]) {
				if !utf8.FullRune(last) {
					chunk = chunk[:len(chunk)-i]
				}
				break
			}
		}
		if !utf8.Valid(chunk) {
			return false, nil
		}
		if err == io.EOF {
			return true, nil
		}
		r.Discard(len(chunk))
	}
}

// BlobName makes a valid name for an attached file from the file name that a client sent. The result has at most 120
// bytes.
func BlobName(s string) string {
	s = path.Base(strings.ReplaceAll(strings.TrimSpace(s), `\`, "/"))
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '"' || r == utf8.RuneError {
			return -1
		}
		return r
	}, s)
	for len(s) > 120 {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	if s == "" || s == "." || s == "/" || s == ".." {
		return "file"
	}
	return s
}

// MustTakeFiles returns [Conflict] if the item was removed or has [MaxFiles] files, or if its studio is archived. It
// returns [Forbidden] if the actor is not in the studio.
func (i *Item) MustTakeFiles() error {
	if err := i.Studio.MustBeJoined(); err != nil {
		return err
	}
	if i.Removed() {
		return Errorf(Conflict, "This page was removed.")
	}
	if i.Files >= MaxFiles {
		return Errorf(Conflict, "This page has %d files, the most there may be. Detach one first.", i.Files)
	}
	return nil
}

// AttachFile attaches a file to an item. [Store.KeepBlob] or [Store.KeepFile] must have stored the bytes before.
// AttachFile returns [Conflict] if the files of the organization would exceed [MaxFileSpace].
func (tx *Tx) AttachFile(by Actor, i *Item, f File) error {
	var used int64
	if err := tx.Get(&used, `SELECT file_bytes FROM organizations WHERE id = ?`, i.OrgID); err != nil {
		return err
	}
	if used+f.Size > MaxFileSpace {
		return Errorf(Conflict,
			"The files of this organization take %d MiB, all the room there is. Detach some first.", used>>20)
	}
	if err := tx.Exec(`INSERT INTO files (id, org_id, item_id, name, type, size, hash, member_id, agent_id, at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		NewID(), i.OrgID, i.ID, BlobName(f.Name), f.Type, f.Size, f.Hash, by.MemberID(), Null(by.Agent.ID),
		At(tx.Now)); err != nil {
		return err
	}
	return tx.countFiles(i, 1, f.Size)
}

// DetachFile removes a file from its item. It does nothing if the file was removed before.
func (tx *Tx) DetachFile(f *FilePage) error {
	gone, err := tx.Changed(`DELETE FROM files WHERE id = ? AND item_id = ?`, f.File.ID, f.Item.ID)
	if err != nil || !gone {
		return err
	}
	return tx.countFiles(f.Item, -1, -f.File.Size)
}

func (tx *Tx) countFiles(i *Item, n int, bytes int64) error {
	if err := tx.Exec(`UPDATE organizations SET file_bytes = file_bytes + ? WHERE id = ?`, bytes, i.OrgID); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE items SET files = files + ? WHERE id = ?`, n, i.ID); err != nil {
		return err
	}
	return tx.raiseItem(i)
}

// AttachedFiles lists the files of an item, at most 50, in the order of attachment.
func (tx *Tx) AttachedFiles(i *Item) ([]File, error) {
	return All[File](tx, fileSelect+`WHERE x.item_id = ? ORDER BY x.at, x.id LIMIT 50`, i.ID)
}

// FilePage is an attached file with its item and, for a text file, the text.
type FilePage struct {
	*Item
	File   *File
	Text   string
	Cut    bool   // the file is longer than Text
	Broken string // describes the damage if the bytes of a text file are missing or damaged; otherwise empty
}

// Record returns the fields that the journal stores about a file.
func (f *FilePage) Record() any {
	return struct {
		File   string `json:"file"`
		Size   int64  `json:"size"`
		SHA256 string `json:"sha256"`
	}{f.File.Name, f.File.Size, hex.EncodeToString(f.File.Hash)}
}

// mostQuoted is the greatest number of bytes of a text file that a page quotes.
const mostQuoted = 64 << 10

// FindFile finds a file by its id. It returns [Missing] if there is none or if the actor may not see its item.
func (tx *Tx) FindFile(by Actor, id string) (*FilePage, error) {
	var f File
	if err := tx.Get(&f, fileSelect+`WHERE x.id = ?`, id); err != nil {
		return nil, err
	}
	i, err := tx.FindItem(by, f.ItemID)
	if err != nil {
		return nil, err
	}
	return &FilePage{Item: i, File: &f}, nil
}

// ShowFile loads the text of a text file, cut to [mostQuoted] bytes.
func (tx *Tx) ShowFile(_ Actor, p *FilePage) (*FilePage, error) {
	if !p.File.Plain() {
		return p, nil
	}
	r, err := tx.store.openBlob(tx.Tx, p.File.Hash, p.File.Size)
	if fault, broken := blob.AsFault(err); broken { // the page is still shown, so that the file can be detached
		p.Broken = fault.Told().Error()
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, mostQuoted))
	p.Text, p.Cut = strings.ToValidUTF8(string(text), ""), p.File.Size > mostQuoted
	return p, err
}

// Blobs returns the store of the bytes of attached files.
func (s *Store) Blobs() blob.Store { return s.blobs }

// Blobs returns the store of the bytes of attached files.
func (tx *Tx) Blobs() blob.Store { return tx.store.blobs }

// KeepBlob stores data and returns its SHA-256 hash. It returns [Unavailable] if the data cannot be written.
func (s *Store) KeepBlob(data []byte) ([]byte, error) {
	sum := sha256.Sum256(data)
	return sum[:], s.blobs.Keep(nil, sum[:], data)
}

// Receive copies r to a temporary file, which the caller must [blob.Drop] in the end. It returns the size in bytes and
// the SHA-256 hash of the file.
func (s *Store) Receive(r io.Reader) (f *os.File, size int64, hash []byte, err error) {
	return blob.Receive(s.blobs, r)
}

// KeepFile stores a file from [Store.Receive] under its hash. It returns [Unavailable] if the file cannot be stored.
func (s *Store) KeepFile(f *os.File, hash []byte) error { return s.blobs.KeepPart(f, hash) }

// OpenBlob opens the bytes with the given hash and size. If the bytes are missing or damaged, the error has a sentence
// for the reader of the file's page.
func (s *Store) OpenBlob(hash []byte, size int64) (blob.Reader, error) {
	return s.openBlob(nil, hash, size)
}

func (s *Store) openBlob(tx *db.Tx, hash []byte, size int64) (blob.Reader, error) {
	r, err := blob.OpenWhole(s.blobs, tx, hash, size)
	if fault, ok := blob.AsFault(err); ok {
		return nil, fmt.Errorf("%w: blob %x: %w", fault.Told(), hash, fault)
	}
	return r, err
}

// SweepBlobs deletes blobs and temporary files that are older than [blob.OrphanAge] and that no attached file uses. It
// returns their number.
func (s *Store) SweepBlobs(ctx context.Context) (removed int, err error) { return s.blobs.Sweep(ctx) }
