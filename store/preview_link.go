package store

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
)

// What a link to a page of a studio shows where it is pasted.
const (
	PreviewOff   = "off"   // what it shows of a page that does not exist
	PreviewTitle = "title" // what the page is called
	PreviewCard  = "card"  // also how it stands, and a picture
)

// Previews is what links to the studio's pages show to whom may see it: to everybody if the studio is public, else to whoever
// has a key. Until somebody chooses, nothing gets out of a studio that only its members see.
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

// Previews is what a link to the item shows. A draft is its author's, and what was removed is gone.
func (i *Item) Previews() string {
	if i.Draft() || i.Removed() {
		return PreviewOff
	}
	return i.Studio.Previews()
}

// Previews is what a link to the cycle shows.
func (c *Cycle) Previews() string { return c.Studio.Previews() }

// SetPreviews chooses what links into a studio show.
func (tx *Tx) SetPreviews(s *Studio, level string) error {
	if err := tx.Exec(`UPDATE studios SET previews = ? WHERE id = ?`, level, s.ID); err != nil {
		return err
	}
	return tx.touchStudio(s.ID)
}

// maxPreviewLinks is how many links with a preview an item may have in use.
const maxPreviewLinks = 20

// PreviewLink is a link to an item that shows its preview to whoever has it. It never opens the page.
type PreviewLink struct {
	ID        string `db:"id"`
	OrgID     string `db:"org_id"`
	MemberID  string `db:"member_id"`
	Member    string `db:"member"` // handle of who made it
	CreatedAt Time   `db:"created_at"`
	RevokedAt Time   `db:"revoked_at"`
	RevokedBy string `db:"revoked_by"` // handle
	Gone      bool   `db:"gone"`       // who made it is no longer in the studio

	Item *Item
}

// PreviewLinkStates are the states of a link with a preview.
func PreviewLinkStates() []string { return []string{"in_use", "lapsed", "revoked"} }

// State is one of [PreviewLinkStates]: one lapses when who made it leaves the studio.
func (l *PreviewLink) State() string {
	switch {
	case !l.RevokedAt.IsZero():
		return "revoked"
	case l.Gone:
		return "lapsed"
	}
	return "in_use"
}

// Ref names the link for the journal. It says nothing of the item, whose words may go.
func (l *PreviewLink) Ref() Ref {
	return Ref{OrgID: l.OrgID, StudioID: l.Item.StudioID, Kind: "preview_link", ID: l.ID, URL: l.Item.URL(),
		Title: "Link with a preview"}
}

// Record is what the journal keeps of a link: neither its key nor anybody's name.
func (l *PreviewLink) Record() any {
	return struct {
		State string `json:"state"`
	}{l.State()}
}

// Relation is what the actor is to the link: what they are to its item.
func (l *PreviewLink) Relation(by Actor) Relation { return l.Item.Relation(by) }

// MustBeLinkable refuses to make a link with a preview where it would show nothing, or nothing more than the page's address.
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
		return Errorf(Conflict, "There are %d links with a preview to this page. Revoke one first.", maxPreviewLinks)
	}
	return nil
}

// FindPreviewLinks loads those links of an item that the actor may revoke: who made one, the studio's leader and secretary and the
// organization's owner may. First come those that are not revoked, newest first. Agents may revoke none.
func (tx *Tx) FindPreviewLinks(by Actor, i *Item) error {
	by = by.In(i.OrgID)
	if i.MadeLinks == 0 || by.Member == nil || by.IsAgent() {
		return nil
	}
	which, args := `l.item_id = ?`, []any{i.ID}
	if !i.Studio.KeptBy(by) {
		which, args = which+` AND l.member_id = ?`, append(args, by.MemberID())
	}
	err := tx.Select(&i.PreviewLinks, `SELECT `+previewLinkColumns+` FROM`+previewLinkFrom+`WHERE `+which+`
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

// CreatePreviewLink makes a link to an item and returns it with its key, which is shown once.
func (tx *Tx) CreatePreviewLink(by Actor, i *Item) (*PreviewLink, string, error) {
	secret, err := tx.Instance("secret", nil)
	if err != nil {
		return nil, "", err
	}
	nonce := randomText(nonceLength)
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

// RevokePreviewLink takes a link back: from now on it shows what one without a key shows. One that is revoked: [Missing].
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
	return tx.touchItem(l.Item)
}

// Unlocks reports whether a key is that of a link to the item which is in use.
func (tx *Tx) Unlocks(i *Item, key string) (bool, error) {
	var n int
	err := tx.Get(&n, `SELECT count(*) FROM preview_links l JOIN studio_members y ON y.studio_id = ?
		AND y.member_id = l.member_id
		WHERE l.hash = ? AND l.item_id = ? AND l.revoked_at IS NULL`, i.StudioID, SecretHash(key), i.ID)
	return n > 0, err
}

// A key is random text and its signature by the installation. The signature alone opens nothing: it keeps keys that were made up,
// altered or made for another item from costing a query.
const (
	nonceLength     = 20 // 100 bits
	signatureLength = 16 // 80 bits
)

// SignedPreviewKey reports whether a key was made by the installation with this secret for the item with this id.
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

// PreviewKey is the name of a link's key in a page's address.
const PreviewKey = "card"

// PreviewURL is a link to a page with the key that unlocks its preview.
func PreviewURL(page, key string) string { return page + "?" + PreviewKey + "=" + key }
