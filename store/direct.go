package store

import "slices"

// This file is about direct messages between two members of an organization. Direct messages are for people only:
// agents cannot read them, and the journal, search, notifications and exports leave them out.

// DirectTalk is the conversation of the acting member with another member. Messages are numbered from 1.
type DirectTalk struct {
	OrgID   string `db:"org_id"`
	LowID   string `db:"low_id"`  // the smaller of the ids of the two members
	HighID  string `db:"high_id"` // the greater of these ids
	Said    int    `db:"said"`    // number of messages, including deleted ones
	Heard   int    `db:"heard"`   // number of the last message that the acting member has read
	SaidAt  Time   `db:"said_at"` // time of the last message; zero before the first
	Version int64  `db:"version"`

	Org    string `db:"org"`      // handle of the organization
	Handle string `db:"handle"`   // handle of the other member
	Name   string `db:"name"`     // name of the other member
	Ended  Time   `db:"ended_at"` // when the membership of the other member ended; zero if it has not
	Zone   string `db:"zone"`

	MyID string          // id of the acting member
	Mine []DirectMessage // latest messages of the acting member, without deleted ones, at most [mineOffered]
}

// DirectMessage is one message of a [DirectTalk].
type DirectMessage struct {
	N         int    `db:"n"`
	MemberID  string `db:"member_id"` // id of the author
	Member    string `db:"member"`    // handle of the author
	Text      string `db:"text"`
	At        Time   `db:"at"`
	EditedAt  Time   `db:"edited_at"`
	RemovedAt Time   `db:"removed_at"`
}

// DirectURL returns the path of the acting member's conversation with a member.
func DirectURL(org, handle string) string { return "/orgs/" + org + "/dm/" + handle }

// URL returns the path of the conversation's page.
func (d *DirectTalk) URL() string { return DirectURL(d.Org, d.Handle) }

// Unheard returns the number of messages that the acting member has not read.
func (d *DirectTalk) Unheard() int { return max(d.Said-d.Heard, 0) }

// Ref returns the conversation as the target of an action.
func (d *DirectTalk) Ref() Ref {
	return Ref{OrgID: d.OrgID, Kind: "direct", URL: d.URL(), Title: "@" + d.Handle, Version: d.Version,
		Topic: directTopic.of(d.LowID + d.HighID), PrivateTo: d.MyID, MemberID: d.MyID}
}

// Record returns nil, since the journal has no entries about direct messages.
func (d *DirectTalk) Record() any { return nil }

// Relation returns the actor's relations to the conversation, which are none for agents and for other members.
func (d *DirectTalk) Relation(by Actor) Relation {
	if by.IsAgent() || !by.In(d.OrgID).Is(d.MyID) {
		return 0
	}
	return InOrganization | Self
}

// MustBeOpen returns [Conflict] if the other member has left.
func (d *DirectTalk) MustBeOpen() error {
	if !d.Ended.IsZero() {
		return Errorf(Conflict, "@%s has left, so nobody would read it.", d.Handle)
	}
	return nil
}

// MustHaveMine returns [Conflict] unless the conversation has a message of the acting member that is not deleted.
func (d *DirectTalk) MustHaveMine() error {
	if len(d.Mine) == 0 {
		return Errorf(Conflict, "No message here is yours.")
	}
	return nil
}

// FindDirectTalk finds the conversation of the acting member with another member, even if neither has written yet. It
// returns [Missing] for every agent, for outsiders, for an unknown handle, and for the acting member's own handle.
func (tx *Tx) FindDirectTalk(by Actor, org, handle string) (*DirectTalk, error) {
	if by.IsAgent() || by.Anonymous() || by.System {
		return nil, Missing()
	}
	m, err := tx.FindMember(by, org, handle)
	if err != nil {
		return nil, err
	}
	me := by.In(m.OrgID).MemberID()
	if me == "" || me == m.ID {
		return nil, Missing()
	}
	d := &DirectTalk{OrgID: m.OrgID, LowID: min(me, m.ID), HighID: max(me, m.ID), Version: 1}
	err = tx.Get(d, `SELECT said, CASE low_id WHEN ? THEN low_heard ELSE high_heard END AS heard, said_at, said + changes + 1 AS version
		FROM direct_talks WHERE low_id = ? AND high_id = ?`, me, d.LowID, d.HighID)
	if err != nil && CodeOf(err) != NotFound {
		return nil, err
	}
	d.Org, d.Handle, d.Name, d.Ended, d.MyID, d.Zone = m.Org, m.Handle, m.Name, m.EndedAt, me, m.Zone
	if d.Said == 0 {
		return d, nil
	}
	return d, tx.Select(&d.Mine, directQuery+`AND d.member_id = ? AND d.removed_at IS NULL ORDER BY d.n DESC`+AtMost,
		d.LowID, d.HighID, 1<<62, me, mineOffered)
}

// mineOffered is the number of the acting member's latest messages that can be edited and deleted.
const mineOffered = 20

const directQuery = `SELECT d.n, d.member_id, m.handle AS member, d.text, d.at, d.edited_at, d.removed_at
	FROM direct_messages d JOIN members m ON m.id = d.member_id WHERE d.low_id = ? AND d.high_id = ? AND d.n < ? `

// DirectPage is a page of a conversation, with the oldest message first.
type DirectPage struct {
	*DirectTalk
	List   []DirectMessage
	Newest bool // the page has the newest messages
	More   bool // there are older messages
}

// directShown is the number of messages on a page of a conversation.
const directShown = 30

// ShowDirectTalk loads the latest messages with numbers below before, or the newest messages if before is not positive.
func (tx *Tx) ShowDirectTalk(_ Actor, d *DirectTalk, before int) (*DirectPage, error) {
	p := &DirectPage{DirectTalk: d, Newest: before <= 0 || before > d.Said}
	if p.Newest {
		before = d.Said + 1
	}
	err := tx.Select(&p.List, directQuery+`ORDER BY d.n DESC`+AtMost, d.LowID, d.HighID, before, directShown)
	slices.Reverse(p.List)
	p.More = len(p.List) > 0 && p.List[0].N > 1
	return p, err
}

// SendDirectMessage adds a message to a conversation, and records that the acting member has read the conversation.
func (tx *Tx) SendDirectMessage(d *DirectTalk, text string) error {
	now := At(tx.Now)
	var n int
	if err := tx.Get(&n, `INSERT INTO direct_talks (low_id, high_id, org_id, said, said_at) VALUES (?, ?, ?, 1, ?)
		ON CONFLICT (low_id, high_id) DO UPDATE SET said = direct_talks.said + 1, said_at = excluded.said_at
		RETURNING said`, d.LowID, d.HighID, d.OrgID, now); err != nil {
		return err
	}
	if err := tx.Exec(`INSERT INTO direct_messages (low_id, high_id, n, org_id, member_id, text, at)
		VALUES (?, ?, ?, ?, ?, ?, ?)`, d.LowID, d.HighID, n, d.OrgID, d.MyID, text, now); err != nil {
		return err
	}
	tx.announce(directTopic.of(d.LowID + d.HighID))
	if err := tx.hearDirect(d, n); err != nil {
		return err
	}
	other := d.LowID
	if other == d.MyID {
		other = d.HighID
	}
	return tx.countDirect(other)
}

// EditDirectMessage changes the text of message n if the acting member wrote it and has not deleted it.
func (tx *Tx) EditDirectMessage(d *DirectTalk, n int, text string) error {
	if err := tx.Exec(`UPDATE direct_messages SET text = ?, edited_at = ? WHERE low_id = ? AND high_id = ? AND n = ?
		AND member_id = ? AND removed_at IS NULL`, text, At(tx.Now), d.LowID, d.HighID, n, d.MyID); err != nil {
		return err
	}
	return tx.touchDirect(d)
}

// DeleteDirectMessage deletes the text of message n. It leaves a message of the other member as it is.
func (tx *Tx) DeleteDirectMessage(d *DirectTalk, n int) error {
	if err := tx.Exec(`UPDATE direct_messages SET text = '', removed_at = ? WHERE low_id = ? AND high_id = ? AND n = ?
		AND member_id = ?`, At(tx.Now), d.LowID, d.HighID, n, d.MyID); err != nil {
		return err
	}
	return tx.touchDirect(d)
}

func (tx *Tx) touchDirect(d *DirectTalk) error {
	tx.announce(directTopic.of(d.LowID + d.HighID))
	return tx.Exec(`UPDATE direct_talks SET changes = changes + 1 WHERE low_id = ? AND high_id = ?`, d.LowID, d.HighID)
}

// HearDirect records that the acting member has read the whole conversation.
func (tx *Tx) HearDirect(d *DirectTalk) error { return tx.hearDirect(d, d.Said) }

func (tx *Tx) hearDirect(d *DirectTalk, n int) error {
	column := `low_heard`
	if d.MyID == d.HighID {
		column = `high_heard`
	}
	if err := tx.Exec(`UPDATE direct_talks SET `+column+` = ? WHERE low_id = ? AND high_id = ?`, n, d.LowID, d.HighID); err != nil {
		return err
	}
	return tx.countDirect(d.MyID)
}

// countDirect stores the number of direct messages that a member has not read.
func (tx *Tx) countDirect(memberID string) error {
	if err := tx.raise(personVersion, memberID); err != nil {
		return err
	}
	return tx.Exec(`UPDATE members SET direct_unread =
		coalesce((SELECT sum(said - low_heard) FROM direct_talks WHERE low_id = members.id), 0) +
		coalesce((SELECT sum(said - high_heard) FROM direct_talks WHERE high_id = members.id), 0) WHERE id = ?`, memberID)
}

// DirectTalks has the conversations of the acting member in an organization, the latest first.
type DirectTalks struct {
	Member *Member // the acting member
	List   []DirectTalk
}

// URL returns the path of the list of conversations.
func (l *DirectTalks) URL() string { return "/orgs/" + l.Member.Org + "/dm" }

// Ref returns the list as the target of an action.
func (l *DirectTalks) Ref() Ref {
	return Ref{OrgID: l.Member.OrgID, Kind: "direct", URL: l.URL(), Title: "Direct messages", PrivateTo: l.Member.ID, MemberID: l.Member.ID}
}

// Record returns nil, since the journal has no entries about direct messages.
func (l *DirectTalks) Record() any { return nil }

// Relation returns the actor's relations to the list, which are none for agents and for other members.
func (l *DirectTalks) Relation(by Actor) Relation {
	if by.IsAgent() || !by.In(l.Member.OrgID).Is(l.Member.ID) {
		return 0
	}
	return InOrganization | Self
}

// FindDirectTalks lists the latest 100 conversations of the acting member in an organization. It returns [Missing] for
// every agent and for outsiders.
func (tx *Tx) FindDirectTalks(by Actor, org string) (*DirectTalks, error) {
	if by.IsAgent() || by.Anonymous() || by.System {
		return nil, Missing()
	}
	for i := range by.Members {
		if m := &by.Members[i]; m.Org == org {
			list, err := tx.directTalks(m.ID, false, 100)
			return &DirectTalks{m, list}, err
		}
	}
	return nil, Missing()
}

func (tx *Tx) directTalks(memberID string, unread bool, limit int) (list []DirectTalk, err error) {
	arm := func(mine, other, heard string) string {
		condition := ``
		if unread {
			condition = ` AND d.said > d.` + heard
		}
		return `SELECT * FROM (SELECT d.org_id, d.low_id, d.high_id, d.said, d.` + heard + ` AS heard, d.said_at,
			d.` + other + ` AS other_id FROM direct_talks d WHERE d.` + mine + ` = ?` + condition + `
			ORDER BY d.said_at DESC` + AtMost + `) AS stretch` + mine
	}
	low, high := arm(`low_id`, `high_id`, `low_heard`), arm(`high_id`, `low_id`, `high_heard`)
	err = tx.Select(&list, `SELECT w.org_id, w.low_id, w.high_id, w.said, w.heard, w.said_at, o.handle AS org, o.zone,
		m.handle, m.name, m.ended_at FROM (`+low+` UNION ALL `+high+`) AS w
		JOIN members m ON m.id = w.other_id JOIN organizations o ON o.id = w.org_id ORDER BY w.said_at DESC, w.other_id`+AtMost,
		memberID, limit, memberID, limit, limit)
	for i := range list {
		list[i].MyID = memberID
	}
	return list, err
}

// directNews lists a person's conversations that have unread messages. It is empty for an agent.
func (tx *Tx) directNews(by Actor) (list []DirectTalk, err error) {
	for i := range by.Members {
		if m := &by.Members[i]; !by.IsAgent() && m.DirectUnread > 0 {
			some, err := tx.directTalks(m.ID, true, 20)
			if err != nil {
				return nil, err
			}
			list = append(list, some...)
		}
	}
	return list, nil
}
