package store

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"samepage/store/db"
	"samepage/store/keyfile"
)

// crockford is Crockford's base32 alphabet in lower case, which lacks i, l, o and u.
const crockford = "0123456789abcdefghjkmnpqrstvwxyz"

// IDLength is the number of characters of an id from [NewID]. PrefixLength is the length of the shortest prefix that
// may stand for an id.
const (
	IDLength     = 10
	PrefixLength = 4
)

// NewID returns a random id of [IDLength] characters with 50 random bits.
func NewID() string { return RandomText(IDLength) }

// RandomText returns n random characters of Crockford's base32 alphabet, with 5 random bits each.
func RandomText(n int) string {
	b := make([]byte, n)
	rand.Read(b) // crypto/rand never returns an error; it ends the process instead
	for i := range b {
		b[i] = crockford[b[i]&31]
	}
	return string(b)
}

// IsIDPrefix reports whether s has the form of an id from [NewID], or of a prefix of one with at least [PrefixLength]
// characters.
func IsIDPrefix(s string) bool {
	if len(s) < PrefixLength || len(s) > IDLength {
		return false
	}
	for i := range len(s) {
		if strings.IndexByte(crockford, s[i]) < 0 {
			return false
		}
	}
	return true
}

// NumberedURL returns the path of the list of all items of a numbered kind (see [Kind.Numbered]) in the organization
// with this handle.
func NumberedURL(org string, k *Kind) string { return "/orgs/" + org + "/" + k.Numbered }

// NumberedID returns the id of an item of a numbered kind; see [Kind.Numbered]. The id contains the organization's
// handle, which never changes.
func NumberedID(org, number string) string { return org + "-" + number }

// newItemID returns a random id, or for a numbered kind the id with the next number. A number is never used again.
func (tx *Tx) newItemID(s *Studio, k *Kind) (string, error) {
	if k.Numbered == "" {
		return NewID(), nil
	}
	n, err := All[int](tx, `INSERT INTO numbers (org_id, kind, last) VALUES (?, ?, 1)
		ON CONFLICT (org_id, kind) DO UPDATE SET last = numbers.last + 1 RETURNING last`, s.OrgID, k.Name)
	if err != nil {
		return "", err
	}
	return NumberedID(s.Org, strconv.Itoa(n[0])), nil
}

// Time is a point in time as the database stores it, in milliseconds.
type Time = db.Time

// At returns t in UTC, to the millisecond.
func At(t time.Time) Time { return db.At(t) }

// ActionURL returns the path of an action of a page, or the path of the page's list of actions if name is empty.
func ActionURL(page, name string) string {
	page, query, _ := strings.Cut(page, "?")
	if page == "/" {
		page = ""
	}
	page += "/actions"
	if name != "" {
		page += "/" + name
	}
	if query != "" {
		page += "?" + query
	}
	return page
}

// UseKeys sets the keys that [Tx.Seal] and [Tx.Unseal] use.
func (s *Store) UseKeys(k *keyfile.Keys) { s.sealing.Store(k) }

// UseOutgoing sets the function that [Tx.OutgoingProblem] calls.
func (s *Store) UseOutgoing(problem func(*url.URL) string) { s.outgoing.Store(&problem) }

// OutgoingProblem says in words that can follow "It" why the server never sends anything to the host of the URL, or
// returns "" if it may send to the host.
func (tx *Tx) OutgoingProblem(u *url.URL) string {
	if problem := tx.store.outgoing.Load(); problem != nil {
		return (*problem)(u)
	}
	return ""
}

// sealBlock is the block size in bytes to which [Tx.Seal] pads a text, to hide its length.
const sealBlock = 512

// Seal encrypts a text with the keys of the installation, which are not in the database. [Tx.Unseal] needs the same
// purpose and name. Seal returns [Unavailable] if the store has no keys.
func (tx *Tx) Seal(purpose, name, text string) ([]byte, error) {
	k := tx.store.sealing.Load()
	if k == nil {
		return nil, Errorf(Unavailable, "The keys of this installation are not loaded. The server has them.")
	}
	plain := make([]byte, (len(text)/sealBlock+1)*sealBlock)
	copy(plain, text)
	plain[len(text)] = sealEnd
	return k.Seal(purpose, name, plain), nil
}

// keyed returns a digest of b that depends on the keys of the installation. It panics if the store has no keys.
func (tx *Tx) keyed(purpose string, b []byte) []byte {
	h := hmac.New(sha256.New, tx.store.sealing.Load().Derive(purpose+" digest"))
	h.Write(b)
	return h.Sum(nil)
}

// sealEnd is the byte between a text and the zeros of its padding.
const sealEnd = 1

// ErrUnsealed is returned by [Tx.Unseal] if the installation's present keys cannot decrypt the text.
var ErrUnsealed = errors.New("the keys of this installation are others")

// Unseal decrypts the output of [Tx.Seal]. It returns [ErrUnsealed] if the keys were replaced or are not loaded, and if
// sealed is damaged or has another purpose or name.
func (tx *Tx) Unseal(purpose, name string, sealed []byte) (string, error) {
	k := tx.store.sealing.Load()
	if k == nil {
		return "", ErrUnsealed
	}
	plain, err := k.Open(purpose, name, sealed)
	if err != nil {
		return "", ErrUnsealed
	}
	end := len(plain) - 1
	for end >= 0 && plain[end] != sealEnd {
		end--
	}
	return string(plain[:max(end, 0)]), nil
}
