package store

import (
	"strconv"
	"strings"
	"time"
)

// Item has the fields that all kinds of items share: decisions, notes and commitments. An item that was
// never opened is a draft; only its author sees it.
type Item struct {
	ID        string `db:"id"`
	OrgID     string `db:"org_id"`
	StudioID  string `db:"studio_id"`
	Kind      string `db:"kind"` // the name of its [Kind]
	Title     string `db:"title"`
	Body      string `db:"body"`
	MemberID  string `db:"member_id"` // the author
	Member    string `db:"member"`    // the author's handle
	Agent            // the author's agent; empty if the author worked alone
	CreatedAt Time   `db:"created_at"`
	OpenedAt  Time   `db:"opened_at"`
	DueAt     Time   `db:"due_at"`    // the deadline; zero for none
	ClosedAt  Time   `db:"closed_at"` // for an item that asks for nothing, the same as OpenedAt
	ClosedBy  string `db:"closed_by"` // handle; empty if the deadline closed it
	RemovedAt Time   `db:"removed_at"`
	RemovedBy string `db:"removed_by"` // handle
	Comments  int    `db:"comments"`   // count, removed ones included
	Pinned    bool   `db:"pinned"`
	Linked    bool   `db:"linked"`      // another item may link to it
	Files     int    `db:"files"`       // count of attached files
	Template  Time   `db:"template_at"` // when it first became a template
	Reminded  Time   `db:"reminded_at"`
	Version   int64  `db:"version"`
	Versions  int    `db:"versions"`      // count of versions of its text; 0 if the text never changed
	Remarks   int    `db:"remarks"`       // count of comments, removed ones excluded
	MadeLinks int    `db:"preview_links"` // count, revoked ones included
	// AuthorGone reports that the author is no longer in the studio.
	AuthorGone bool   `db:"author_gone"`
	Following  string `db:"following"` // [Followed] or [Muted], if the actor chose one
	Summary

	PreviewLinks []PreviewLink // those that the actor may revoke

	Studio *Studio // as the actor sees it
	Now    time.Time
	url    string // cached by URL
}

const itemListColumns = `i.id, i.org_id, i.studio_id, i.kind, i.title, i.member_id, m.handle AS member, i.agent_id,
	a.label AS agent, i.created_at, i.opened_at, i.due_at, i.closed_at, i.removed_at, i.comments, i.pinned, i.linked,
	i.files, i.template_at, i.reminded_at, i.version, ` + summaryColumns

const (
	itemFrom  = ` items i ` + itemJoins
	itemJoins = `JOIN members m ON m.id = i.member_id LEFT JOIN agents a ON a.id = i.agent_id `
)

// itemOwnColumns and itemOwnJoins load the fields that only an item's own page shows; mm is the member that reads.
const itemOwnColumns = `, i.body, i.preview_links, i.versions, i.remarks, z.handle AS closed_by,
	r.handle AS removed_by, f.level AS following,
	NOT EXISTS (SELECT 1 FROM studio_members y WHERE y.studio_id = i.studio_id
	AND y.member_id = i.member_id) AS author_gone`

const itemOwnJoins = `LEFT JOIN members z ON z.id = i.closed_by LEFT JOIN members r ON r.id = i.removed_by
	LEFT JOIN follows f ON f.subject_id = i.id AND f.member_id = mm.id `

// itemVisible hides a draft from all but its author. The argument is the id of the member that reads.
// itemSeen does the same where mm is the member that reads.
const (
	itemVisible = ` (i.opened_at IS NOT NULL OR i.member_id = ?) `
	itemSeen    = ` (i.opened_at IS NOT NULL OR i.member_id = mm.id) `
)

// itemAfter and itemNewest list items newest first, from a [Cursor] on.
const (
	itemAfter  = ` i.created_at <= ? AND (i.created_at < ? OR i.id > ?) `
	itemNewest = ` ORDER BY i.created_at DESC, i.id` + AtMost
)

// Cursor is a position in a list of items: the creation time and the id of the item before it. The zero
// Cursor is the beginning.
type Cursor struct {
	At int64 // milliseconds since 1970
	ID string
}

// ReadCursor parses the output of [Cursor.String]; the empty string is the beginning. Other text:
// [Invalid], with list as the URL to start again at.
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

// String formats the cursor for a URL.
func (c Cursor) String() string { return strconv.FormatInt(c.At, 10) + "-" + c.ID }

// Cursor returns the position after this item.
func (i *Item) Cursor() Cursor { return Cursor{At: i.CreatedAt.UnixMilli(), ID: i.ID} }

// args returns the first arguments followed by those of itemAfter.
func (c Cursor) args(first ...any) []any {
	if c.At == 0 {
		c.At = 1 << 62
	}
	return append(first, c.At, c.At, c.ID)
}

// Common returns the item itself, for code that treats all kinds alike.
func (i *Item) Common() *Item { return i }

// URL returns the path of the item's page.
func (i *Item) URL() string {
	if i.url == "" {
		i.url = ItemURL(i.Studio.Handle, i.Kind, i.ID)
	}
	return i.url
}

// ItemURL returns the path of the page of an item with this studio handle, kind and id.
func ItemURL(studio, kind, id string) string {
	return "/studios/" + studio + "/" + kinds[kind].Letter + "/" + id
}

// Author returns the byline: the author's handle and, if there is one, the agent's label.
func (i *Item) Author() string { return Byline(i.Member, i.Agent.Label) }

// Draft reports that the item is a draft, which only its author sees.
func (i *Item) Draft() bool { return i.OpenedAt.IsZero() }

// Due reports that the deadline has passed, whether or not the item was closed since.
func (i *Item) Due() bool { return !i.DueAt.IsZero() && !i.Now.Before(i.DueAt.Time) }

// Ref returns the item as the target of a journal entry. The entry of a draft is private to its author.
func (i *Item) Ref() Ref {
	r := Ref{OrgID: i.OrgID, StudioID: i.StudioID, Kind: i.Kind, ID: i.ID, URL: i.URL(), Title: i.Title,
		Version: i.Version, Topic: itemVersion.of(i.ID), Public: i.Studio != nil && i.Studio.Visibility == "public",
		MemberID: i.MemberID}
	if i.Draft() {
		r.PrivateTo = i.MemberID
	}
	return r
}

// NewItem holds the fields of an item to be inserted.
type NewItem struct {
	Kind, Title, Body string
	DueAt             time.Time
}

// InsertItem adds a draft by the actor to the studio and returns its id.
func (tx *Tx) InsertItem(by Actor, s *Studio, n NewItem) (string, error) {
	id := NewID()
	err := tx.Exec(`INSERT INTO items (id, org_id, studio_id, kind, title, body, member_id, agent_id, created_at,
		due_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, s.OrgID, s.ID, n.Kind, n.Title, n.Body, by.MemberID(), Null(by.Agent.ID), At(tx.Now), At(n.DueAt))
	if err != nil {
		return "", err
	}
	if err := tx.link(&Item{ID: id, OrgID: s.OrgID}, 0, n.Body); err != nil {
		return "", err
	}
	if err := tx.FollowSilently(by, id); err != nil {
		return "", err
	}
	tx.IndexItem(id)
	tx.summarize(n.Kind, id)
	return id, tx.TouchStudio(s.ID)
}

// UpdateItem changes the text and the deadline of an item. The members it waits for get a new reminder.
func (tx *Tx) UpdateItem(i *Item, title, body string, dueAt time.Time) error {
	tx.IndexItem(i.ID)
	if body != i.Body {
		if err := tx.link(i, 0, body); err != nil {
			return err
		}
	}
	if title != i.Title {
		if err := tx.TouchStudio(i.StudioID); err != nil {
			return err
		}
	}
	if err := tx.Exec(`UPDATE items SET title = ?, body = ?, due_at = ?, reminded_at = NULL WHERE id = ?`,
		title, body, At(dueAt), i.ID); err != nil {
		return err
	}
	return tx.TouchItem(i)
}

// IndexItem has an item found by its present words, after a change of those that [Kind.Text] selects.
func (tx *Tx) IndexItem(id string) { tx.index(itemDocument, id, 0) }

// TouchItem raises the version of an item and recomputes its summary, after a change of the item or of its
// rows in other tables.
func (tx *Tx) TouchItem(i *Item) error {
	tx.summarize(i.Kind, i.ID)
	return tx.raise(itemVersion, i.ID)
}

// OpenItem shows a draft to the studio.
func (tx *Tx) OpenItem(i *Item) error {
	tx.IndexItem(i.ID)
	if err := tx.TouchStudio(i.StudioID); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE items SET opened_at = ? WHERE id = ?`, At(tx.Now), i.ID); err != nil {
		return err
	}
	return tx.TouchItem(i)
}

// CloseItem closes an item: as of its deadline if that has passed, else as of now.
func (tx *Tx) CloseItem(by Actor, i *Item) error {
	tx.IndexItem(i.ID)
	if err := tx.TouchStudio(i.StudioID); err != nil {
		return err
	}
	at := tx.Now
	if i.Due() {
		at = i.DueAt.Time
	}
	if err := tx.Exec(`UPDATE items SET closed_at = ?, closed_by = ? WHERE id = ?`,
		At(at), Null(by.MemberID()), i.ID); err != nil {
		return err
	}
	return tx.TouchItem(i)
}

// Items lists the items of a kind in a studio that the actor may see, newest first, from the cursor on.
func (tx *Tx) Items(by Actor, s *Studio, kind string, after Cursor, limit int) ([]Item, error) {
	var list []Item
	err := tx.Select(&list, `SELECT `+itemListColumns+` FROM`+itemFrom+`WHERE i.studio_id = ?
		AND i.kind = ? AND`+itemAfter+`AND`+itemVisible+itemNewest,
		append(after.args(s.ID, kind), by.In(s.OrgID).MemberID(), limit)...)
	return tx.at(s, list), err
}

// latestItems lists the items last made in a studio that the actor may see, newest first.
func (tx *Tx) latestItems(by Actor, s *Studio, limit int) ([]Item, error) {
	var list []Item
	err := tx.Select(&list, `SELECT `+itemListColumns+` FROM`+itemFrom+`WHERE i.studio_id = ? AND`+itemVisible+
		itemNewest, s.ID, by.In(s.OrgID).MemberID(), limit)
	return tx.at(s, list), err
}

// openItems lists the open items of a studio: first those with a deadline, earliest first, then the others,
// newest first.
func (tx *Tx) openItems(s *Studio, limit int) ([]Item, error) {
	// Few items are open. The "+ 0" keeps the SQLite planner from walking the index of all deadlines.
	const open = `SELECT i.id FROM items i WHERE i.studio_id = ? AND i.opened_at IS NOT NULL AND i.closed_at IS NULL
		AND i.due_at`
	var list []Item
	err := tx.Select(&list, `SELECT `+itemListColumns+` FROM`+itemFrom+`WHERE i.id IN (SELECT id
		FROM (`+open+` + 0 IS NOT NULL ORDER BY i.due_at`+AtMost+`) sub
		UNION SELECT id FROM (`+open+` IS NULL ORDER BY i.created_at DESC`+AtMost+`) sub)
			ORDER BY i.due_at IS NULL, i.due_at, i.created_at DESC`+AtMost,
		s.ID, limit, s.ID, limit, limit)
	return tx.at(s, list), err
}

// at sets the studio and the current time of each item.
func (tx *Tx) at(s *Studio, list []Item) []Item {
	for i := range list {
		list[i].Studio, list[i].Now = s, tx.Now
	}
	return list
}

// ItemsPage is one page of a studio's items of one kind.
type ItemsPage struct {
	*Studio
	Kind  string
	List  []Item
	Limit int
}

// ShowItems loads one page of a studio's items of one kind, which is at the URL list; after is empty or a
// [Cursor].
func (tx *Tx) ShowItems(by Actor, s *Studio, kind, list, after string) (*ItemsPage, error) {
	c, err := ReadCursor(after, list)
	if err != nil {
		return nil, err
	}
	p := &ItemsPage{Studio: s, Kind: kind, Limit: 50}
	p.List, err = tx.Items(by, s, kind, c, p.Limit)
	return p, err
}

// SoonItems lists the paths of items of a kind that are due within [DueSoon] and have had no reminder.
func (tx *Tx) SoonItems(kind string, limit int) ([]string, error) {
	return tx.itemsByDeadline(kind, `i.due_at > ? AND i.due_at <= ? AND i.reminded_at IS NULL`,
		[]any{At(tx.Now), At(tx.Now.Add(DueSoon))}, limit)
}

// MustBeSoon refuses a reminder for an item that is not due within [DueSoon] or has had its reminder:
// [Conflict].
func (i *Item) MustBeSoon() error {
	if i.Draft() || !i.ClosedAt.IsZero() || i.DueAt.IsZero() || i.Due() || i.DueAt.Sub(i.Now) > DueSoon ||
		!i.Reminded.IsZero() {
		return Errorf(Conflict, "There is nothing to remind of.")
	}
	return i.Studio.MustBeActive()
}

// RecordReminder records that the members an item waits for were reminded of its deadline.
func (tx *Tx) RecordReminder(i *Item) error {
	return tx.Exec(`UPDATE items SET reminded_at = ? WHERE id = ?`, At(tx.Now), i.ID)
}

// DueItems lists the paths of open items of a kind past their deadline.
func (tx *Tx) DueItems(kind string, limit int) ([]string, error) {
	return tx.itemsByDeadline(kind, `i.due_at <= ?`, []any{At(tx.Now)}, limit)
}

// itemsByDeadline lists the paths of open items of a kind that have a deadline and meet the condition, earliest
// deadline first.
func (tx *Tx) itemsByDeadline(kind, condition string, args []any, limit int) ([]string, error) {
	var list []struct {
		ID     string `db:"id"`
		Studio string `db:"studio"`
	}
	err := tx.Select(&list, `SELECT i.id, s.handle AS studio FROM items i JOIN studios s ON s.id = i.studio_id
		WHERE i.opened_at IS NOT NULL AND i.closed_at IS NULL AND i.due_at IS NOT NULL AND `+condition+` AND i.kind = ?
			AND s.archived_at IS NULL ORDER BY i.due_at`+AtMost,
		append(args, kind, limit)...)
	urls := make([]string, len(list))
	for i, d := range list {
		urls[i] = ItemURL(d.Studio, kind, d.ID)
	}
	return urls, err
}

// ItemsByPrefix lists at most ten items of a studio and kind by a prefix of their ids. Few ids share a
// prefix and a studio may be large, so a concatenation keeps the SQLite planner from the studio's index.
func (tx *Tx) ItemsByPrefix(by Actor, s *Studio, kind, prefix string) ([]Item, error) {
	var list []Item
	err := tx.Select(&list, `SELECT `+itemListColumns+` FROM`+itemFrom+`WHERE i.id >= ? AND i.id < ?
		AND i.studio_id || '' = ? AND i.kind || '' = ? AND`+itemVisible+
		`ORDER BY i.id LIMIT 10`, prefix, prefix+"~", s.ID, kind, by.In(s.OrgID).MemberID())
	return tx.at(s, list), err
}

// FindItem finds an item of any kind that the actor may see. Other items give [Missing].
func (tx *Tx) FindItem(by Actor, id string) (*Item, error) {
	var row struct {
		Item
		Home Studio `db:"home"`
	}
	err := tx.Locate(itemFinder, by, &row, &row.Item, &row.Home, "", id)
	return &row.Item, err
}

var itemFinder = NewFinder("", "")

// Stamp formats a time for a sentence, in the organization's time zone.
func (i *Item) Stamp(t Time) string {
	return t.In(Location(i.Studio.Zone)).Format("Mon 2 Jan 2006 15:04 MST")
}

// MustBeChairedBy refuses actors other than the author, the studio's leader and secretary and the
// organization's owner, with [Forbidden].
func (i *Item) MustBeChairedBy(by Actor) error {
	if by.Is(i.MemberID) || i.Studio.KeptBy(by) {
		return nil
	}
	return Errorf(Forbidden,
		"Only @%s, the studio's leader or secretary and the organization's owner can do this.", i.Member)
}
