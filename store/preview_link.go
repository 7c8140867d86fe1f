package store

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
)

// These are the preview levels. A preview is the short text and picture that other programs, such as chat programs,
// show for a link to a page.
const (
	PreviewOff   = "off"   // the preview is empty
	PreviewTitle = "title" // the preview shows the title
	PreviewCard  = "card"  // the preview shows the title, the state and a picture
)

// Previews returns the preview level of links to the studio's pages. For a public studio the level applies to all
// links, and otherwise only to links with the key of a [PreviewLink].
func (s *Studio) Previews() string {
	switch {
	case s.State() == "archived":
		return PreviewOff
	case s.PreviewSet != "":
		return s.PreviewSet
	case s.Visibility == "members":
		return PreviewOff
	}
	return PreviewCard
}

// Previews returns the preview level of links to the item. It is [PreviewOff] for a draft and for a removed
// item.
func (i *Item) Previews() string {
	if i.Draft() || i.Removed() {
		return PreviewOff
	}
	return i.Studio.Previews()
}

// Previews returns the preview level of links to the cycle.
func (c *Cycle) Previews() string { return c.Studio.Previews() }

// SetPreviews sets the preview level of a studio.
func (tx *Tx) SetPreviews(s *Studio, level string) error {
	if err := tx.Exec(`UPDATE studios SET previews = ? WHERE id = ?`, level, s.ID); err != nil {
		return err
	}
	return tx.TouchStudio(s.ID)
}

// maxPreviewLinks is the greatest number of links in use to one item. Only links that the acting member may revoke are
// counted.
const maxPreviewLinks = 20

// PreviewLink is a link to an item with a secret key. The key makes the preview of the item visible to anyone, but does
// not give access to the page.
type PreviewLink struct {
	ID        string `db:"id"`
	OrgID     string `db:"org_id"`
	MemberID  string `db:"member_id"`
	Member    string `db:"member"` // handle of the author
	CreatedAt Time   `db:"created_at"`
	RevokedAt Time   `db:"revoked_at"`
	RevokedBy string `db:"revoked_by"` // handle of the member who revoked the link
	Gone      bool   `db:"gone"`       // the author has left the studio

	Item *Item
}

// PreviewLinkStates returns the possible states of a preview link.
func PreviewLinkStates() []string { return []string{"in_use", "lapsed", "revoked"} }

// State returns one of [PreviewLinkStates]. A link lapses when its author leaves the studio.
func (l *PreviewLink) State() string {
	switch {
	case !l.RevokedAt.IsZero():
		return "revoked"
	case l.Gone:
		return "lapsed"
	}
	return "in_use"
}

// Ref returns the link as the target of a journal entry. The Ref contains no texts of the item, because these may be
// erased later.
func (l *PreviewLink) Ref() Ref {
	return Ref{OrgID: l.OrgID, StudioID: l.Item.StudioID, Kind: "preview_link", ID: l.ID, URL: l.Item.URL(),
		Title: "Link with a preview"}
}

// Record returns the fields that the journal stores about a link, without the key and names of members.
func (l *PreviewLink) Record() any {
	return struct {
		State string `json:"state"`
	}{l.State()}
}

// Relation returns the actor's relations to the link's item.
func (l *PreviewLink) Relation(by Actor) Relation { return l.Item.Relation(by) }

// RevocableBy reports whether the actor may revoke the link.
func (l *PreviewLink) RevocableBy(by Actor) bool {
	return by.Wrote(l.MemberID) || l.Item.Studio.KeptBy(by)
}

// MustBeLinkable returns [Conflict] if the item has no preview, if even a link without a key shows the preview, or if
// the item has [maxPreviewLinks] links in use that the actor may revoke. It also returns the errors of
// [Studio.MustBeJoined].
func (i *Item) MustBeLinkable() error {
	if err := i.Studio.MustBeJoined(); err != nil {
		return err
	}
	inUse := 0
	for k := range i.PreviewLinks {
		if i.PreviewLinks[k].State() == "in_use" {
			inUse++
		}
	}
	switch {
	case i.Draft():
		return Errorf(Conflict, "This is a draft. Publish it first.")
	case i.Previews() == PreviewOff:
		return Errorf(Conflict,
			"Links into %s show nothing. Its leader, its secretary and the organization's owner can change that.",
			i.Studio.Name)
	case i.Studio.Visibility == "public":
		return Errorf(Conflict, "Anyone can see this page, so its address shows a preview as it is.")
	case inUse >= maxPreviewLinks:
		return Errorf(Conflict, "You may revoke %d links with a preview to this page already. Revoke one first.", maxPreviewLinks)
	}
	return nil
}

// FindPreviewLinks loads up to 50 of the item's links that the actor made or, as a keeper of the studio, may revoke,
// newest first, with the revoked links at the end. It loads none for an agent.
func (tx *Tx) FindPreviewLinks(by Actor, i *Item) error {
	by = by.In(i.OrgID)
	if i.MadeLinks == 0 || by.Member == nil || by.IsAgent() {
		return nil
	}
	condition, args := `l.item_id = ?`, []any{i.ID}
	if !i.Studio.KeptBy(by) {
		condition, args = condition+` AND l.member_id = ?`, append(args, by.MemberID())
	}
	err := tx.Select(&i.PreviewLinks, `SELECT `+previewLinkColumns+` FROM`+previewLinkFrom+`WHERE `+condition+`
		ORDER BY l.revoked_at IS NOT NULL, l.created_at DESC, l.id LIMIT 50`, args...)
	for k := range i.PreviewLinks {
		i.PreviewLinks[k].Item = i
	}
	return err
}

const (
	previewLinkColumns = `l.id, l.org_id, l.member_id, m.handle AS member, l.created_at, l.revoked_at,
		r.handle AS revoked_by,
	NOT EXISTS (SELECT 1 FROM studio_members y WHERE y.studio_id = i.studio_id AND y.member_id = l.member_id) AS gone`
	previewLinkFrom = ` preview_links l JOIN items i ON i.id = l.item_id JOIN members m ON m.id = l.member_id
		LEFT JOIN members r ON r.id = l.revoked_by `
)

func (tx *Tx) previewLink(i *Item, id string) (*PreviewLink, error) {
	l := PreviewLink{Item: i}
	err := tx.Get(&l, `SELECT `+previewLinkColumns+` FROM`+previewLinkFrom+`WHERE l.id = ?`, id)
	return &l, err
}

// CreatePreviewLink adds a link to an item. It returns the link with its key, which cannot be read again later.
func (tx *Tx) CreatePreviewLink(by Actor, i *Item) (*PreviewLink, string, error) {
	secret, err := tx.Instance(PreviewSecret, nil)
	if err != nil {
		return nil, "", err
	}
	nonce := RandomText(nonceLength)
	key := nonce + signPreview(secret, i.ID, nonce)
	id := NewID()
	if err := tx.Exec(`INSERT INTO preview_links (id, org_id, item_id, hash, member_id, created_at)
		VALUES (?, ?, ?, ?, ?, ?)`,
		id, i.OrgID, i.ID, SecretHash(key), by.MemberID(), At(tx.Now)); err != nil {
		return nil, "", err
	}
	if err := tx.Exec(`UPDATE items SET preview_links = preview_links + 1 WHERE id = ?`, i.ID); err != nil {
		return nil, "", err
	}
	if err := tx.raise(itemVersion, i.ID); err != nil {
		return nil, "", err
	}
	l, err := tx.previewLink(i, id)
	return l, key, err
}

// RevokePreviewLink revokes a link, which from then on shows only as much as a link without a key. It returns [Missing]
// if the link was revoked before.
func (tx *Tx) RevokePreviewLink(by Actor, l *PreviewLink) error {
	ok, err := tx.Changed(`UPDATE preview_links SET revoked_at = ?, revoked_by = ?
		WHERE id = ? AND revoked_at IS NULL`, At(tx.Now), by.MemberID(), l.ID)
	switch {
	case err != nil:
		return err
	case !ok:
		return Missing()
	}
	fresh, err := tx.previewLink(l.Item, l.ID)
	if err != nil {
		return err
	}
	*l = *fresh
	return tx.TouchItem(l.Item)
}

// Unlocks reports whether the key belongs to a link to the item and the link is in use.
func (tx *Tx) Unlocks(i *Item, key string) (bool, error) {
	var n int
	err := tx.Get(&n, `SELECT count(*) FROM preview_links l JOIN studio_members y ON y.studio_id = ?
		AND y.member_id = l.member_id
		WHERE l.hash = ? AND l.item_id = ? AND l.revoked_at IS NULL`, i.StudioID, SecretHash(key), i.ID)
	return n > 0, err
}

// A key is a random nonce followed by a signature of the installation. The database decides whether a key is valid. The
// signature only saves a query for keys that were forged, altered or made for another item. Therefore the secret of the
// signatures may be stored in the database, and links stay valid when the keys of the installation are replaced.
const (
	PreviewSecret = "previews" // the name under which the installation stores the secret of the signatures

	nonceLength     = 20 // in characters, which have 100 bits
	signatureLength = 16 // in characters, which have 80 bits
)

// SignedPreviewKey reports whether the key was made for the item with this id by the installation with this secret.
func SignedPreviewKey(secret []byte, itemID, key string) bool {
	return len(key) == nonceLength+signatureLength && hmac.Equal([]byte(key[nonceLength:]),
		[]byte(signPreview(secret, itemID, key[:nonceLength])))
}

var signatureText = base32.NewEncoding(crockford).WithPadding(base32.NoPadding)

func signPreview(secret []byte, itemID, nonce string) string {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("preview\x00" + itemID + "\x00" + nonce))
	return signatureText.EncodeToString(h.Sum(nil))[:signatureLength]
}

// PreviewKey is the name of the URL parameter that contains the key of a preview link.
const PreviewKey = "card"

// PreviewURL returns the URL of a page with the key of a preview link.
func PreviewURL(page, key string) string { return page + "?" + PreviewKey + "=" + key }
