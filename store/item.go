package store

import (
	"strconv"
	"strings"
	"time"
)

// Item is what everything has in common that somebody puts into a studio: a decision, a note, a commitment. One that was never
// opened is a draft, which only its author sees.
type Item struct {
	ID        string `db:"id"`
	OrgID     string `db:"org_id"`
	StudioID  string `db:"studio_id"`
	Kind      string `db:"kind"` // decision, note or commitment
	Title     string `db:"title"`
	Body      string `db:"body"`
	MemberID  string `db:"member_id"` // the author
	Member    string `db:"member"`    // the author's handle
	Agent            // under which the author made it
	CreatedAt Time   `db:"created_at"`
	OpenedAt  Time   `db:"opened_at"`
	DueAt     Time   `db:"due_at"`    // when the clock asks for something
	ClosedAt  Time   `db:"closed_at"` // when it ended; of one that asks for nothing, when it was opened
	ClosedBy  string `db:"closed_by"` // handle; empty when the clock closed it
	RemovedAt Time   `db:"removed_at"`
	RemovedBy string `db:"removed_by"` // handle
	Comments  int    `db:"comments"`   // how many there are, removed ones included
	Pinned    bool   `db:"pinned"`
	Linked    bool   `db:"linked"`      // another item may link to it
	Files     int    `db:"files"`       // attached
	Template  Time   `db:"template_at"` // when others were first offered to start from it
	Reminded  Time   `db:"reminded_at"`
	Version   int64  `db:"version"`
	Versions  int    `db:"versions"`      // how many there are of what it says; 0 if that was never changed
	Remarks   int    `db:"remarks"`       // comments that still have their words
	MadeLinks int    `db:"preview_links"` // with a preview, revoked ones included
	// AuthorGone reports that the author is no longer in the studio.
	AuthorGone bool   `db:"author_gone"`
	Following  string `db:"following"` // [Followed] or [Muted], if the actor chose one
	Summary

	PreviewLinks []PreviewLink // that the actor may revoke

	Studio *Studio // as the actor sees it
	Now    time.Time
	url    string // once it was asked for
}

const itemListColumns = `i.id, i.org_id, i.studio_id, i.kind, i.title, i.member_id, m.handle AS member, i.agent_id,
	a.label AS agent,
	i.created_at, i.opened_at, i.due_at, i.closed_at, i.removed_at, i.comments, i.pinned, i.linked, i.files,
	i.template_at, i.reminded_at, i.version, ` + summaryColumns

const (
	itemFrom  = ` items i ` + itemJoins
	itemJoins = `JOIN members m ON m.id = i.member_id LEFT JOIN agents a ON a.id = i.agent_id `
)

// itemOwnColumns, with itemOwnJoins, are what only an item's own page needs; mm is the member who looks.
const itemOwnColumns = `, i.body, i.preview_links, i.versions, i.remarks, z.handle AS closed_by,
	r.handle AS removed_by, f.level AS following,
	NOT EXISTS (SELECT 1 FROM studio_members y WHERE y.studio_id = i.studio_id
	AND y.member_id = i.member_id) AS author_gone`

const itemOwnJoins = `LEFT JOIN members z ON z.id = i.closed_by LEFT JOIN members r ON r.id = i.removed_by
	LEFT JOIN follows f ON f.subject_id = i.id AND f.member_id = mm.id `

// itemVisible hides a draft from all but its author, the argument; itemSeen does so where mm is the member who looks.
const (
	itemVisible = ` (i.opened_at IS NOT NULL OR i.member_id = ?) `
	itemSeen    = ` (i.opened_at IS NOT NULL OR i.member_id = mm.id) `
)

// itemAfter and itemNewest walk a list from a [Cursor] on, newest first.
const (
	itemAfter  = ` i.created_at <= ? AND (i.created_at < ? OR i.id > ?) `
	itemNewest = ` ORDER BY i.created_at DESC, i.id` + atMost
)

// Cursor is where a list of items goes on: after the one made then with this id. The zero Cursor is the beginning.
type Cursor struct {
	At int64 // milliseconds since 1970
	ID string
}

// ReadCursor reads what [Cursor.String] wrote; the empty string is the beginning. Anything else: [Invalid].
func ReadCursor(s, list string) (Cursor, error) {
	if s == "" {
		return Cursor{}, nil
	}
	at, id, ok := strings.Cut(s, "-")
	n, err := strconv.ParseInt(at, 10, 64)
	if !ok || err != nil || n <= 0 {
		return Cursor{}, Errorf(Invalid, "This list cannot go on from %q. Start it again at %s.", s, list)
	}
	return Cursor{At: n, ID: id}, nil
}

// String writes the cursor as a URL carries it.
func (c Cursor) String() string { return strconv.FormatInt(c.At, 10) + "-" + c.ID }

// Cursor is where a list goes on after this item.
func (i *Item) Cursor() Cursor { return Cursor{At: i.CreatedAt.UnixMilli(), ID: i.ID} }

// args are the arguments of itemAfter behind those that come first.
func (c Cursor) args(first ...any) []any {
	if c.At == 0 {
		c.At = 1 << 62
	}
	return append(first, c.At, c.At, c.ID)
}

// Common is the item itself, for what is done alike to all kinds.
func (i *Item) Common() *Item { return i }

// URL is the item's page.
func (i *Item) URL() string {
	if i.url == "" {
		i.url = ItemURL(i.Studio.Handle, i.Kind, i.ID)
	}
	return i.url
}

// ItemURL is the page of an item of a kind in a studio.
func ItemURL(studio, kind, id string) string {
	return "/studios/" + studio + "/" + kinds[kind].Letter + "/" + id
}

// Author names who made it.
func (i *Item) Author() string { return Byline(i.Member, i.Agent.Label) }

// Draft reports that only its author sees it.
func (i *Item) Draft() bool { return i.OpenedAt.IsZero() }

// Due reports that its time has come, whether or not anybody has recorded it.
func (i *Item) Due() bool { return !i.DueAt.IsZero() && !i.Now.Before(i.DueAt.Time) }

// Ref names the item for the journal. A draft is its author's own.
func (i *Item) Ref() Ref {
	r := Ref{OrgID: i.OrgID, StudioID: i.StudioID, Kind: i.Kind, ID: i.ID, URL: i.URL(), Title: i.Title,
		Version: i.Version, Topic: itemVersion.of(i.ID), Public: i.Studio != nil && i.Studio.Visibility == "public"}
	if i.Draft() {
		r.PrivateTo = i.MemberID
	}
	return r
}

// NewItem is an item to be made.
type NewItem struct {
	Kind, Title, Body string
	DueAt             time.Time
}

// insertItem makes a draft in the studio, by the actor, and returns its id.
func (tx *Tx) insertItem(by Actor, s *Studio, n NewItem) (string, error) {
	id := NewID()
	err := tx.Exec(`INSERT INTO items (id, org_id, studio_id, kind, title, body, member_id, agent_id, created_at,
		due_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, s.OrgID, s.ID, n.Kind, n.Title, n.Body, by.MemberID(), null(by.Agent.ID), At(tx.Now), At(n.DueAt))
	if err != nil {
		return "", err
	}
	if err := tx.link(&Item{ID: id, OrgID: s.OrgID}, 0, n.Body); err != nil {
		return "", err
	}
	if err := tx.followSilently(by, id); err != nil {
		return "", err
	}
	tx.index(itemDocument, id, 0)
	tx.summarize(n.Kind, id)
	return id, tx.touchStudio(s.ID)
}

// updateItem changes what an item says and when it is due. Those whom it waits for are reminded anew.
func (tx *Tx) updateItem(i *Item, title, body string, dueAt time.Time) error {
	tx.index(itemDocument, i.ID, 0)
	if body != i.Body {
		if err := tx.link(i, 0, body); err != nil {
			return err
		}
	}
	if title != i.Title {
		if err := tx.touchStudio(i.StudioID); err != nil {
			return err
		}
	}
	if err := tx.Exec(`UPDATE items SET title = ?, body = ?, due_at = ?, reminded_at = NULL WHERE id = ?`,
		title, body, At(dueAt), i.ID); err != nil {
		return err
	}
	return tx.touchItem(i)
}

// touchItem raises the version of an item and has its summary written anew, after a change of it or of what is under it.
func (tx *Tx) touchItem(i *Item) error {
	tx.summarize(i.Kind, i.ID)
	return tx.raise(itemVersion, i.ID)
}

// openItem shows a draft to the studio.
func (tx *Tx) openItem(i *Item) error {
	tx.index(itemDocument, i.ID, 0)
	if err := tx.touchStudio(i.StudioID); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE items SET opened_at = ? WHERE id = ?`, At(tx.Now), i.ID); err != nil {
		return err
	}
	return tx.touchItem(i)
}

// closeItem ends an item: when it was due if that has passed, else now.
func (tx *Tx) closeItem(by Actor, i *Item) error {
	tx.index(itemDocument, i.ID, 0)
	if err := tx.touchStudio(i.StudioID); err != nil {
		return err
	}
	at := tx.Now
	if i.Due() {
		at = i.DueAt.Time
	}
	if err := tx.Exec(`UPDATE items SET closed_at = ?, closed_by = ? WHERE id = ?`,
		At(at), null(by.MemberID()), i.ID); err != nil {
		return err
	}
	return tx.touchItem(i)
}

// Items lists the items of a kind in a studio that the actor may see, newest first, from the cursor on.
func (tx *Tx) Items(by Actor, s *Studio, kind string, after Cursor, limit int) ([]Item, error) {
	var list []Item
	err := tx.Select(&list, `SELECT `+itemListColumns+` FROM`+itemFrom+`WHERE i.studio_id = ?
		AND i.kind = ? AND`+itemAfter+`AND`+itemVisible+itemNewest,
		append(after.args(s.ID, kind), by.In(s.OrgID).MemberID(), limit)...)
	return tx.at(s, list), err
}

// latestItems lists what was put into a studio lately and the actor may see, newest first.
func (tx *Tx) latestItems(by Actor, s *Studio, limit int) ([]Item, error) {
	var list []Item
	err := tx.Select(&list, `SELECT `+itemListColumns+` FROM`+itemFrom+`WHERE i.studio_id = ? AND`+itemVisible+
		itemNewest, s.ID, by.In(s.OrgID).MemberID(), limit)
	return tx.at(s, list), err
}

// openItems lists what is open in a studio: first what is due, then what has no time, newest first.
func (tx *Tx) openItems(s *Studio, limit int) ([]Item, error) {
	// What is open is little; the zero keeps the planner from going through all that was ever due.
	const open = `SELECT i.id FROM items i WHERE i.studio_id = ? AND i.opened_at IS NOT NULL AND i.closed_at IS NULL
		AND i.due_at`
	var list []Item
	err := tx.Select(&list, `SELECT `+itemListColumns+` FROM`+itemFrom+`WHERE i.id IN (SELECT id
		FROM (`+open+` + 0 IS NOT NULL ORDER BY i.due_at`+atMost+`) sub
		UNION SELECT id FROM (`+open+` IS NULL ORDER BY i.created_at DESC`+atMost+`) sub)
			ORDER BY i.due_at IS NULL, i.due_at, i.created_at DESC`+atMost,
		s.ID, limit, s.ID, limit, limit)
	return tx.at(s, list), err
}

// at places items in the studio they are of, and in time.
func (tx *Tx) at(s *Studio, list []Item) []Item {
	for i := range list {
		list[i].Studio, list[i].Now = s, tx.Now
	}
	return list
}

// ItemsPage is a stretch of a studio's items of one kind.
type ItemsPage struct {
	*Studio
	Kind  string
	List  []Item
	Limit int
}

// ShowItems loads a stretch of a studio's items of one kind; after is empty or a [Cursor].
func (tx *Tx) ShowItems(by Actor, s *Studio, kind, after string) (*ItemsPage, error) {
	c, err := ReadCursor(after, s.URL())
	if err != nil {
		return nil, err
	}
	p := &ItemsPage{Studio: s, Kind: kind, Limit: 50}
	p.List, err = tx.Items(by, s, kind, c, p.Limit)
	return p, err
}

// SoonItems lists the pages of items of a kind that are due within [DueSoon] and of which nobody was reminded yet.
func (tx *Tx) SoonItems(kind string, limit int) ([]string, error) {
	return tx.clocked(kind, `i.due_at > ? AND i.due_at <= ? AND i.reminded_at IS NULL`,
		[]any{At(tx.Now), At(tx.Now.Add(DueSoon))}, limit)
}

// MustBeSoon refuses to remind of what is not due soon, or a second time.
func (i *Item) MustBeSoon() error {
	if i.Draft() || !i.ClosedAt.IsZero() || i.DueAt.IsZero() || i.Due() || i.DueAt.Sub(i.Now) > DueSoon ||
		!i.Reminded.IsZero() {
		return Errorf(Conflict, "There is nothing to remind of.")
	}
	return i.Studio.MustBeActive()
}

// Remind notes that those whom an item waits for are told that it is due soon.
func (tx *Tx) Remind(i *Item) error {
	return tx.Exec(`UPDATE items SET reminded_at = ? WHERE id = ?`, At(tx.Now), i.ID)
}

// DueItems lists the pages of items of a kind whose time has come and that nobody has closed yet.
func (tx *Tx) DueItems(kind string, limit int) ([]string, error) {
	return tx.clocked(kind, `i.due_at <= ?`, []any{At(tx.Now)}, limit)
}

// clocked lists the pages of open items of a kind by when they are due.
func (tx *Tx) clocked(kind, which string, args []any, limit int) ([]string, error) {
	var list []struct {
		ID     string `db:"id"`
		Studio string `db:"studio"`
	}
	err := tx.Select(&list, `SELECT i.id, s.handle AS studio FROM items i JOIN studios s ON s.id = i.studio_id
		WHERE i.opened_at IS NOT NULL AND i.closed_at IS NULL AND i.due_at IS NOT NULL AND `+which+` AND i.kind = ?
			AND s.archived_at IS NULL ORDER BY i.due_at`+atMost,
		append(args, kind, limit)...)
	urls := make([]string, len(list))
	for i, d := range list {
		urls[i] = ItemURL(d.Studio, kind, d.ID)
	}
	return urls, err
}

// ItemsByPrefix lists the items of a studio and kind whose id begins with the prefix: at most ten. (Prefixes are rare, studios
// large: the empty string keeps the planner from going through the studio.)
func (tx *Tx) ItemsByPrefix(by Actor, s *Studio, kind, prefix string) ([]Item, error) {
	var list []Item
	err := tx.Select(&list, `SELECT `+itemListColumns+` FROM`+itemFrom+`WHERE i.id >= ? AND i.id < ?
		AND i.studio_id || '' = ? AND i.kind || '' = ? AND`+itemVisible+
		`ORDER BY i.id LIMIT 10`, prefix, prefix+"~", s.ID, kind, by.In(s.OrgID).MemberID())
	return tx.at(s, list), err
}

// FindItem finds an item of any kind that the actor may see. Any other: [Missing].
func (tx *Tx) FindItem(by Actor, id string) (*Item, error) {
	var row struct {
		Item
		Home Studio `db:"home"`
	}
	err := tx.locate(itemFinder, by, &row, &row.Item, &row.Home, "", id)
	return &row.Item, err
}

var itemFinder = newFinder(itemListColumns+itemOwnColumns, "")

// stamp writes a moment as the page does, in the organization's time zone.
func (i *Item) stamp(t Time) string {
	return t.In(Location(i.Studio.Zone)).Format("Mon 2 Jan 2006 15:04 MST")
}

// MustBeChairedBy refuses all but the author, the studio's leader and secretary and the organization's owner.
func (i *Item) MustBeChairedBy(by Actor) error {
	if by.Is(i.MemberID) || i.Studio.KeptBy(by) {
		return nil
	}
	return Errorf(Forbidden,
		"Only @%s, the studio's leader or secretary and the organization's owner can do this.", i.Member)
}
