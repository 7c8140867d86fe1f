package store

import (
	"cmp"
	"strconv"
	"strings"
	"time"
)

// SettleNotifications marks a person's notifications about an item as read, after an action of the person on the item.
func (tx *Tx) SettleNotifications(by Actor, itemID string) error {
	if by.IsAgent() || by.Member == nil || by.Member.Unread == 0 {
		return nil
	}
	return tx.ReadNotifications(by, itemID, "")
}

// UnreadOn returns the number of a person's unread notifications about an item, or, if itemID is empty, about the page
// with this address. It is 0 for an agent.
func (tx *Tx) UnreadOn(by Actor, itemID, url string) (n int, err error) {
	if by.IsAgent() || by.Member == nil || by.Member.Unread == 0 {
		return 0, nil
	}
	about, arg := unreadAbout(itemID, url)
	return n, tx.Get(&n, `SELECT count(*) FROM notifications WHERE member_id = ? AND `+about, by.Member.ID, arg)
}

// ReadNotifications marks as read all notifications that [Tx.UnreadOn] counts.
func (tx *Tx) ReadNotifications(by Actor, itemID, url string) error {
	about, arg := unreadAbout(itemID, url)
	return tx.mark(by.Member, `read_at = ?`, about, []any{At(tx.Now)}, arg)
}

// RefreshOwn loads a person's numbers of unread notifications and direct messages again, and the version of the pages
// that only this person sees.
func (tx *Tx) RefreshOwn(m *Member) error {
	return tx.Get(m, `SELECT unread, own_version + person_version AS own_version, direct_unread, person_version
		FROM members WHERE id = ?`, m.ID)
}

func unreadAbout(itemID, url string) (condition, arg string) {
	const unread = `read_at IS NULL AND dismissed_at IS NULL AND `
	if itemID != "" {
		return unread + `item_id = ?`, itemID
	}
	return unread + `item_id IS NULL AND url = ?`, url
}

// mark updates the notifications of a member that meet the condition, and the number of unread ones. The parameter set
// has SQL assignments, with the arguments args. The arguments in the parameter more belong to the condition.
func (tx *Tx) mark(m *Member, set, condition string, args []any, more ...any) error {
	some, err := tx.Changed(`UPDATE notifications SET `+set+`
		WHERE member_id = ? AND `+condition, append(append(args, m.ID), more...)...)
	if err != nil || !some {
		return err
	}
	if err := tx.Exec(`UPDATE members SET (unread, quiet_unread) = (SELECT count(*), count(CASE quiet WHEN 1 THEN 1 END)
		FROM notifications WHERE member_id = ? AND read_at IS NULL AND dismissed_at IS NULL) WHERE id = ?`, m.ID,
		m.ID); err != nil {
		return err
	}
	return tx.raise(ownVersion, m.ID)
}

// Notification tells a member about one event.
type Notification struct {
	MemberID    string `db:"member_id"`
	Seq         int64  `db:"seq"`
	Reason      Reason `db:"reason"`
	Actor       string `db:"actor"` // [Byline] of the event's author at the time of the event
	Did         string `db:"did"`
	Note        string `db:"note"`  // reason and remedy of a failure; empty for none
	URL         string `db:"url"`   // empty, like Title and Note, unless [NotedPage] holds
	Title       string `db:"title"` // the item's present title; other pages have the title at the time of the event
	At          Time   `db:"at"`
	ReadAt      Time   `db:"read_at"`
	DismissedAt Time   `db:"dismissed_at"`

	Comment int    `db:"comment"` // number of the comment that the notification is about; 0 for none
	Depth   int    `db:"depth"`   // length of the chain of agents' reactions up to the event; 0 for a person's event
	Quiet   bool   `db:"quiet"`   // agents skip the notification, because of its depth
	Kind    string `db:"kind"`    // kind of the item; empty if there is none
	// Text is the beginning of the comment, or of the item's text if that mentions the member. It is empty for other
	// notifications, and if the member may no longer read the text.
	Text string `db:"text"`

	// ItemState and Headline are set only if the notification is about the outcome of an item that the member may read.
	ItemState string `db:"item_state"`
	Headline  string `db:"headline"`

	// Studio is the handle of the studio of the item or of the page. It is empty if there is none, or if the member may
	// not see it now.
	Studio     string `db:"studio"`
	StudioName string `db:"studio_name"`

	Org string // handle of the organization
}

// NotificationStates returns the values that [Notification.State] can have.
func NotificationStates() []string { return []string{"unread", "read", "dismissed"} }

// State returns one of [NotificationStates].
func (n *Notification) State() string {
	switch {
	case !n.DismissedAt.IsZero():
		return "dismissed"
	case !n.ReadAt.IsZero():
		return "read"
	}
	return "unread"
}

// Key returns a key that is unique among the notifications of one user.
func (n *Notification) Key() string { return n.Org + "-" + strconv.FormatInt(n.Seq, 10) }

// Inbox is one page of the actor's notifications in all organizations, the newest first.
type Inbox struct {
	Show string // the state of the listed notifications, one of [NotificationStates]; empty for unread and read
	Listing[Notification]
	Direct []DirectTalk // conversations with unread direct messages; only on the first page, and empty for an agent
	Unread int
	Kept   time.Duration // the time for which notifications are kept

	members []Member
	agent   bool // the actor is an agent, for which quiet notifications are not unread
}

// Ref returns the inbox as the target of an action.
func (b *Inbox) Ref() Ref { return Ref{Kind: "inbox", URL: "/inbox", Title: "Inbox"} }

// Record returns nil, since the journal has no entries about an inbox.
func (b *Inbox) Record() any { return nil }

// Cursor returns the position after this notification in an inbox.
func (n *Notification) Cursor() Cursor {
	return Cursor{At: n.At.UnixMilli(), ID: n.Key()}
}

// toldText is an SQL expression for the text that a notification is about, if the member may still read it.
var toldText = `CASE WHEN i.removed_at IS NOT NULL OR NOT ` + toldStudio + ` THEN ''
	WHEN n.comment > 0 THEN coalesce(substr(c.text, 1, 10000), '')
	WHEN n.reason = 'mention' THEN coalesce(substr(i.body, 1, 20000), '') ELSE '' END`

// toldOutcome is the SQL condition that a notification is about the outcome of an item that the member may still read.
var toldOutcome = `n.reason = 'outcome' AND i.removed_at IS NULL AND i.closed_at IS NOT NULL
	AND ` + toldStudio

// toldStudio is the SQL condition that the member may still see the studio of the item or the page that a notification
// is about.
var toldStudio = visibleThrough("me", "s")

// NotedPage is the SQL condition that a notification (alias n) may still show the title and the address of its page.
// The member must see the studio (alias s) of the page, unless the page has no studio. The page of a studio itself is
// always shown, because the member has already been told the studio's name. The alias k is the journal entry of the
// notification.
var NotedPage = `(s.id IS NULL OR k.kind = 'studio' OR ` + VisibleTo("n.member_id", "s") + `)`

// FindInbox loads one page of the actor's notifications in the given state. The parameter after is empty or a [Cursor].
// FindInbox returns [Invalid] for an unknown state or cursor, and [Missing] for an anonymous actor and the scheduler.
func (tx *Tx) FindInbox(by Actor, show, after string) (*Inbox, error) {
	return tx.inbox(by, show, after, 30)
}

func (tx *Tx) inbox(by Actor, show, after string, limit int) (*Inbox, error) {
	if by.Anonymous() || by.System {
		return nil, Missing()
	}
	b := &Inbox{Show: show, Listing: Listing[Notification]{Limit: limit}, Unread: by.Unread(),
		Kept: tx.store.retention.Notifications, members: by.Members, agent: by.IsAgent()}
	c, err := ReadCursor(after, "/inbox")
	if err != nil || len(by.Members) == 0 {
		return b, err
	}
	if c.At == 0 {
		if b.Direct, err = tx.directNews(by); err != nil {
			return nil, err
		}
	}
	c.At = cmp.Or(c.At, 1<<62)
	seq, member := int64(0), ""
	if k := strings.LastIndexByte(c.ID, '-'); k > 0 {
		seq, _ = strconv.ParseInt(c.ID[k+1:], 10, 64) // 0 if it is not a number
		for i := range by.Members {
			if by.Members[i].Org == c.ID[:k] {
				member = by.Members[i].ID
			}
		}
	}
	unread, read := `n.read_at IS NULL`, `n.read_at IS NOT NULL`
	if b.agent {
		unread, read = unread+` AND n.quiet = 0`, `(n.read_at IS NOT NULL OR n.quiet = 1)`
	}
	condition, ok := map[string]string{"": `n.dismissed_at IS NULL`,
		"unread":    unread + ` AND n.dismissed_at IS NULL`,
		"read":      read + ` AND n.dismissed_at IS NULL`,
		"dismissed": `n.dismissed_at IS NOT NULL`}[show]
	if !ok {
		return nil, Errorf(Invalid, "An inbox shows %s, not %q.", strings.Join(NotificationStates(), ", "), show)
	}
	var arms []string
	var args []any
	for i := range by.Members {
		arms = append(arms, `SELECT *
			FROM (SELECT n.member_id, n.seq, n.reason, n.actor, n.did, n.note, n.url, n.title, n.at, n.read_at,
			n.dismissed_at, n.org_id, n.item_id, n.comment, n.depth, n.quiet FROM notifications n
			WHERE n.member_id = ? AND n.at <= ? AND (n.at < ? OR n.seq < ? OR n.seq = ? AND n.member_id > ?)
			AND `+condition+` ORDER BY n.at DESC, n.seq DESC`+AtMost+`) AS stretch`)
		args = append(args, by.Members[i].ID, c.At, c.At, seq, seq, member, b.Limit)
	}
	err = tx.Select(&b.List, `SELECT n.member_id, n.seq, n.reason, n.actor, n.did, n.at, n.read_at,
		CASE WHEN `+NotedPage+` THEN n.url ELSE '' END AS url, CASE WHEN `+NotedPage+` THEN coalesce(i.title, n.title) ELSE '' END AS title,
		CASE WHEN `+NotedPage+` THEN n.note ELSE '' END AS note,
		n.dismissed_at, n.comment, n.depth, n.quiet, coalesce(i.kind, '') AS kind, `+toldText+` AS text,
		CASE WHEN `+toldOutcome+` THEN i.state ELSE '' END AS item_state,
		CASE WHEN `+toldOutcome+` THEN i.headline ELSE '' END AS headline,
		CASE WHEN `+toldStudio+` THEN s.handle END AS studio, CASE WHEN `+toldStudio+` THEN s.name END AS studio_name
		FROM (`+strings.Join(arms, ` UNION ALL `)+`) AS n LEFT JOIN items i ON i.id = n.item_id
			LEFT JOIN journal k ON k.org_id = n.org_id AND k.seq = n.seq
			LEFT JOIN studios s ON s.id = coalesce(i.studio_id, k.studio_id)
			LEFT JOIN studio_members me ON me.studio_id = s.id AND me.member_id = n.member_id
			LEFT JOIN comments c ON c.item_id = n.item_id AND c.seq = n.comment AND c.removed_at IS NULL
			ORDER BY n.at DESC, n.seq DESC, n.member_id`+AtMost, append(args, b.Limit)...)
	for i := range b.List {
		n := &b.List[i]
		if n.Org = b.member(n.MemberID).Org; b.agent && n.Quiet && n.ReadAt.IsZero() {
			n.ReadAt = n.At
		}
	}
	return b, err
}

func (b *Inbox) member(id string) *Member {
	for i := range b.members {
		if b.members[i].ID == id {
			return &b.members[i]
		}
	}
	return &Member{}
}

// Markable reports whether the actor may change the state of a notification in the list. An agent may not change quiet
// ones, because they are for its member.
func (b *Inbox) Markable(n *Notification) bool { return !b.agent || !n.Quiet }

// MarkNotifications sets the state of notifications to read, unread or dismissed. It changes those in b.List with the
// given keys or, without keys, all notifications of the actor that are not dismissed. It changes only those that are
// [Inbox.Markable].
func (tx *Tx) MarkNotifications(b *Inbox, keys []string, state string) error {
	now := At(tx.Now)
	set, condition, args := `read_at = ?, dismissed_at = NULL`, `read_at IS NULL AND dismissed_at IS NULL`, []any{now}
	switch state {
	case "unread":
		set, args = `read_at = NULL, dismissed_at = NULL`, nil
		condition = `read_at IS NOT NULL AND dismissed_at IS NULL`
	case "dismissed":
		set, condition = `dismissed_at = ?`, `dismissed_at IS NULL`
	}
	if len(keys) == 0 {
		if b.agent {
			condition += ` AND quiet = 0`
		}
		for i := range b.members {
			if err := tx.mark(&b.members[i], set, condition, args); err != nil {
				return err
			}
		}
		return nil
	}
	for _, key := range keys {
		for i := range b.List {
			if n := &b.List[i]; n.Key() == key && b.Markable(n) {
				if err := tx.mark(b.member(n.MemberID), set, `seq = ?`, args, n.Seq); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
