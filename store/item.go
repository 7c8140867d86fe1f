package store

import (
	"cmp"
	"strconv"
	"strings"
	"time"
)

// Item has the fields that all kinds of items share. An item that was never opened is a draft, which only its author
// and the author's agents see.
type Item struct {
	ID        string `db:"id"`
	OrgID     string `db:"org_id"`
	StudioID  string `db:"studio_id"`
	Kind      string `db:"kind"` // name of the item's [Kind]
	Title     string `db:"title"`
	Body      string `db:"body"`
	MemberID  string `db:"member_id"` // id of the author
	Member    string `db:"member"`    // handle of the author
	Agent            // agent that wrote the item for the author; empty if there is none
	CreatedAt Time   `db:"created_at"`
	OpenedAt  Time   `db:"opened_at"`
	DueAt     Time   `db:"due_at"`    // zero if there is no deadline
	ClosedAt  Time   `db:"closed_at"` // equals OpenedAt for an item that needs no action
	ClosedBy  string `db:"closed_by"` // handle of the member that closed the item; empty if none did
	RemovedAt Time   `db:"removed_at"`
	RemovedBy string `db:"removed_by"` // handle of the member who removed the item
	Comments  int    `db:"comments"`   // number of comments, including removed ones
	Pinned    bool   `db:"pinned"`
	Linked    bool   `db:"linked"`      // true if an item links, or ever linked, to this item
	Files     int    `db:"files"`       // number of attached files
	Template  Time   `db:"template_at"` // when the item became a template; zero if it is not a template
	Reminded  Time   `db:"reminded_at"` // when the reminder of the deadline was sent; zero before
	Version   int64  `db:"version"`
	Versions  int    `db:"versions"`      // number of versions of the text; 0 if the text never changed
	Remarks   int    `db:"remarks"`       // number of comments, without removed ones
	MadeLinks int    `db:"preview_links"` // number of preview links, including revoked ones
	AgentRun  int    `db:"agent_run"`     // number of texts that agents have written since a person wrote one; see [Item.Texts]
	// AuthorGone means that the author has left the studio.
	AuthorGone bool   `db:"author_gone"`
	Following  string `db:"following"` // [Followed] or [Muted]; empty if the actor has chosen neither
	Summary

	PreviewLinks []PreviewLink // the preview links that the actor may revoke; set by [Tx.FindPreviewLinks]

	Studio *Studio // the studio as the actor may see it
	Now    time.Time
	url    string // cached result of URL
}

const itemListColumns = `i.id, i.org_id, i.studio_id, i.kind, i.title, i.member_id, m.handle AS member, i.agent_id,
	a.label AS agent, i.created_at, i.opened_at, i.due_at, i.closed_at, i.removed_at, i.comments, i.pinned, i.linked,
	i.files, i.template_at, i.reminded_at, i.version, ` + summaryColumns

const (
	itemFrom  = ` items i ` + itemJoins
	itemJoins = `JOIN members m ON m.id = i.member_id LEFT JOIN agents a ON a.id = i.agent_id `
)

// itemOwnColumns and itemOwnJoins load the fields that only the item's own page shows. In them, mm is the
// reading member.
const itemOwnColumns = `, i.body, i.preview_links, i.agent_run, i.versions, i.remarks, z.handle AS closed_by,
	r.handle AS removed_by, f.level AS following,
	NOT EXISTS (SELECT 1 FROM studio_members y WHERE y.studio_id = i.studio_id
	AND y.member_id = i.member_id) AS author_gone`

const itemOwnJoins = `LEFT JOIN members z ON z.id = i.closed_by LEFT JOIN members r ON r.id = i.removed_by
	LEFT JOIN follows f ON f.subject_id = i.id AND f.member_id = mm.id `

// itemVisible is the SQL condition that an item is not a draft, or that the member with the id in the argument is its
// author. In itemSeen, the member is mm.
const (
	itemVisible = ` (i.opened_at IS NOT NULL OR i.member_id = ?) `
	itemSeen    = ` (i.opened_at IS NOT NULL OR i.member_id = mm.id) `
)

// itemAfter and itemNewest are the condition and the order of a list of items, newest first, after a [Cursor].
const (
	itemAfter  = ` i.created_at <= ? AND (i.created_at < ? OR i.id > ?) `
	itemNewest = ` ORDER BY i.created_at DESC, i.id` + AtMost
)

// Cursor is a position in a list that is sorted by time. It has the time and the id of the row before the position.
type Cursor struct {
	At int64 // milliseconds since 1970
	ID string
}

// ReadCursor parses the output of [Cursor.String]. The empty string stands for the beginning of the list. For any other
// text it returns [Invalid], with the advice to start again at the URL in the parameter list.
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

// String returns the cursor as text for a URL.
func (c Cursor) String() string { return strconv.FormatInt(c.At, 10) + "-" + c.ID }

// Cursor returns the position after this item in a list.
func (i *Item) Cursor() Cursor { return Cursor{At: i.CreatedAt.UnixMilli(), ID: i.ID} }

// args appends the arguments of itemAfter to first.
func (c Cursor) args(first ...any) []any {
	c.At = cmp.Or(c.At, 1<<62)
	return append(first, c.At, c.At, c.ID)
}

// Common returns the item itself, also for a type that embeds Item.
func (i *Item) Common() *Item { return i }

// URL returns the path of the item's page.
func (i *Item) URL() string {
	if i.url == "" {
		i.url = ItemURL(i.Studio.Handle, i.Kind, i.ID)
	}
	return i.url
}

// ItemURL returns the path of the page of an item with this kind and id, in the studio with this handle.
func ItemURL(studio, kind, id string) string {
	k := kinds[kind]
	if k.Numbered == "" {
		return "/studios/" + studio + "/" + k.Letter + "/" + id
	}
	at := strings.LastIndexByte(id, '-')
	return NumberedURL(id[:at], k) + "/" + id[at+1:]
}

// Author returns the byline of the item's author or the author's agent.
func (i *Item) Author() string { return Byline(i.Member, i.Agent.Label) }

// Draft reports whether the item is a draft. Only its member and the agents of that member see it.
func (i *Item) Draft() bool { return i.OpenedAt.IsZero() }

// DraftReaders names all readers of the item while it is a draft.
func (i *Item) DraftReaders() string { return "@" + i.Member + " and @" + i.Member + "'s agents" }

// Due reports whether the deadline has passed, even if the item has been closed. The deadlines of items that are
// [Item.Stopped] do not pass.
func (i *Item) Due() bool { return !i.DueAt.IsZero() && !i.Now.Before(i.DueAt.Time) && !i.Stopped() }

// Stopped reports whether the item was open when its studio was archived. Nothing ends it any more.
func (i *Item) Stopped() bool {
	return !i.OpenedAt.IsZero() && i.ClosedAt.IsZero() && i.Studio != nil && !i.Studio.ArchivedAt.IsZero()
}

// Ref returns the item as the target of a journal entry.
func (i *Item) Ref() Ref {
	r := Ref{OrgID: i.OrgID, StudioID: i.StudioID, Kind: i.Kind, ID: i.ID, URL: i.URL(), Title: i.Title,
		Version: i.Version, Topic: itemVersion.of(i.ID), Public: i.Studio != nil && i.Studio.Visibility == "public",
		MemberID: i.MemberID}
	if i.Draft() {
		r.PrivateTo = i.MemberID
	}
	return r
}

// NewItem has the fields of an item to be added.
type NewItem struct {
	Kind, Title, Body string
	DueAt             time.Time
}

// InsertItem adds a draft by the actor to the studio and returns its id.
func (tx *Tx) InsertItem(by Actor, s *Studio, n NewItem) (string, error) {
	id, err := tx.newItemID(s, kinds[n.Kind])
	if err != nil {
		return "", err
	}
	err = tx.Exec(`INSERT INTO items (id, org_id, studio_id, kind, title, body, member_id, agent_id, created_at,
		due_at, spoken) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, s.OrgID, s.ID, n.Kind, n.Title, n.Body, by.MemberID(), Null(by.Agent.ID), At(tx.Now), At(n.DueAt),
		isSpoken(n.Kind))
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
	return id, tx.touchHome(n.Kind, s.ID)
}

// UpdateItem changes the text and the deadline of an item. The members are then reminded of the deadline again.
func (tx *Tx) UpdateItem(i *Item, title, body string, dueAt time.Time) error {
	tx.IndexItem(i.ID)
	if body != i.Body {
		if err := tx.link(i, 0, body); err != nil {
			return err
		}
	}
	if title != i.Title {
		if err := tx.touchHome(i.Kind, i.StudioID); err != nil {
			return err
		}
	}
	if err := tx.Exec(`UPDATE items SET title = ?, body = ?, due_at = ?, reminded_at = NULL WHERE id = ?`,
		title, body, At(dueAt), i.ID); err != nil {
		return err
	}
	return tx.TouchItem(i)
}

// IndexItem updates the search index for an item at the end of the transaction. It must be called in a transaction that
// changes the texts that [Kind.Text] selects.
func (tx *Tx) IndexItem(id string) { tx.index(itemDocument, id, 0) }

// TouchItem raises the version of an item, and its summary is computed again before the commit. It must be called in a
// transaction that changes the item or rows that belong to it.
func (tx *Tx) TouchItem(i *Item) error {
	tx.summarize(i.Kind, i.ID)
	return tx.raiseItem(i)
}

// OpenItem sets the opening time of an item to now, so that the studio can see a draft.
func (tx *Tx) OpenItem(i *Item) error {
	tx.IndexItem(i.ID)
	if err := tx.touchHome(i.Kind, i.StudioID); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE items SET opened_at = ? WHERE id = ?`, At(tx.Now), i.ID); err != nil {
		return err
	}
	return tx.TouchItem(i)
}

// CloseItem closes an item. The time of closing is the deadline if it has passed, and otherwise now.
func (tx *Tx) CloseItem(by Actor, i *Item) error {
	tx.IndexItem(i.ID)
	if err := tx.touchHome(i.Kind, i.StudioID); err != nil {
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

const isOpen = ` i.opened_at IS NOT NULL AND i.closed_at IS NULL `

func (tx *Tx) openOf(s *Studio, kind string, after Cursor, limit int) ([]Item, error) {
	var list []Item
	// The "|| ''" keeps the SQLite planner from using the index of all items of the kind, which is long.
	err := tx.Select(&list, `SELECT `+itemListColumns+` FROM`+itemFrom+`WHERE i.studio_id = ?
		AND i.kind || '' = ? AND`+isOpen+`AND`+itemAfter+itemNewest, append(after.args(s.ID, kind), limit)...)
	return tx.inStudio(s, list), err
}

func (tx *Tx) countOpen(s *Studio) (map[string]int, error) {
	var list []struct {
		Kind string `db:"kind"`
		N    int    `db:"n"`
	}
	err := tx.Select(&list, `SELECT i.kind, count(*) AS n FROM items i WHERE i.studio_id = ? AND`+isOpen+`
		GROUP BY i.kind`, s.ID)
	counts := map[string]int{}
	for _, k := range list {
		counts[k.Kind] = k.N
	}
	return counts, err
}

// Items lists the items of one kind in a studio that the actor may see, newest first, after the cursor.
func (tx *Tx) Items(by Actor, s *Studio, kind string, after Cursor, limit int) ([]Item, error) {
	list, err := All[Item](tx, `SELECT `+itemListColumns+` FROM`+itemFrom+`WHERE i.studio_id = ?
		AND i.kind = ? AND`+itemAfter+`AND`+itemVisible+itemNewest,
		append(after.args(s.ID, kind), by.In(s.OrgID).MemberID(), limit)...)
	return tx.inStudio(s, list), err
}

// openItems lists the open items of a studio. Items with a deadline come first, sorted by deadline. The others follow,
// newest first.
func (tx *Tx) openItems(s *Studio, limit int) ([]Item, error) {
	// The "+ 0" keeps the SQLite planner from using the index of all deadlines. The index of open items is much
	// shorter.
	const open = `SELECT i.id FROM items i WHERE i.studio_id = ? AND` + isOpen + `AND i.due_at`
	list, err := All[Item](tx, `SELECT `+itemListColumns+` FROM`+itemFrom+`WHERE i.id IN (SELECT id
		FROM (`+open+` + 0 IS NOT NULL ORDER BY i.due_at, i.created_at DESC, i.id`+AtMost+`) sub
		UNION SELECT id FROM (`+open+` IS NULL ORDER BY i.created_at DESC`+AtMost+`) sub)
			ORDER BY i.due_at IS NULL, i.due_at, i.created_at DESC, i.id`+AtMost,
		s.ID, limit, s.ID, limit, limit)
	return tx.inStudio(s, list), err
}

// inStudio sets the studio and the present time in each item.
func (tx *Tx) inStudio(s *Studio, list []Item) []Item {
	for i := range list {
		list[i].Studio, list[i].Now = s, tx.Now
	}
	return list
}

// SoonItems lists the paths of open items of a kind that are due within [DueSoon] and have had no reminder.
func (tx *Tx) SoonItems(kind string, limit int) ([]string, error) {
	return tx.itemsByDeadline(kind, `i.due_at > ? AND i.due_at <= ? AND i.reminded_at IS NULL`,
		[]any{At(tx.Now), At(tx.Now.Add(DueSoon))}, limit)
}

// MustBeSoon returns [Conflict] unless the item is due within [DueSoon] and the reminder has still to be sent.
func (i *Item) MustBeSoon() error {
	if i.Draft() || !i.ClosedAt.IsZero() || i.DueAt.IsZero() || i.Due() || i.DueAt.Sub(i.Now) > DueSoon ||
		!i.Reminded.IsZero() {
		return Errorf(Conflict, "There is nothing to remind of.")
	}
	return i.Studio.MustBeActive()
}

// RecordReminder records that members were reminded of the item's deadline.
func (tx *Tx) RecordReminder(i *Item) error {
	return tx.Exec(`UPDATE items SET reminded_at = ? WHERE id = ?`, At(tx.Now), i.ID)
}

// DueItems lists the paths of items of a kind that are open although their deadline has passed.
func (tx *Tx) DueItems(kind string, limit int) ([]string, error) {
	return tx.itemsByDeadline(kind, `i.due_at <= ?`, []any{At(tx.Now)}, limit)
}

// itemsByDeadline lists the paths of open items of a kind that meet the condition, the earliest deadline first.
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

// ItemsByPrefix lists up to ten items of a kind in a studio with an id that begins with the prefix, if the actor may
// see them. The concatenations keep the SQLite planner from using the index of the studio. A studio may have many
// items, but few ids share a prefix.
func (tx *Tx) ItemsByPrefix(by Actor, s *Studio, kind, prefix string) ([]Item, error) {
	list, err := All[Item](tx, `SELECT `+itemListColumns+` FROM`+itemFrom+`WHERE i.id >= ? AND i.id < ?
		AND i.studio_id || '' = ? AND i.kind || '' = ? AND`+itemVisible+
		`ORDER BY i.id LIMIT 10`, prefix, prefix+"~", s.ID, kind, by.In(s.OrgID).MemberID())
	return tx.inStudio(s, list), err
}

// FindItem finds an item of any kind by its id. It returns [Missing] if there is none or the actor may not see it.
func (tx *Tx) FindItem(by Actor, id string) (*Item, error) {
	var row struct {
		Item
		Home Studio `db:"home"`
	}
	err := tx.Locate(itemFinder, by, &row, &row.Item, &row.Home, "", id)
	return &row.Item, err
}

var itemFinder = NewFinder("", "")

// Stamp formats a time for use in a sentence, in the time zone of the organization.
func (i *Item) Stamp(t Time) string {
	return t.In(Location(i.Studio.Zone)).Format("Mon 2 Jan 2006 15:04 MST")
}

// MustBeChairedBy returns [Forbidden] unless the actor is the author, the studio's leader or secretary, or the
// organization's owner.
func (i *Item) MustBeChairedBy(by Actor) error {
	if by.Wrote(i.MemberID) || i.Studio.KeptBy(by) {
		return nil
	}
	return Errorf(Forbidden,
		"Only @%s, the studio's leader or secretary and the organization's owner can do this.", i.Member)
}
