package store

// These are the levels of notifications that a member may choose for a studio or an item. They have no effect on
// notifications with [ReasonKind.Always].
const (
	Followed = "following"
	Muted    = "muted"    // only mentions of the member, and notices with the member in [Notice.To]
	Silenced = "silenced" // no notifications; only for studios
)

// Reason is the cause of a notification.
type Reason string

// These are the reasons for a notification. If an event concerns a member for several reasons, the first of them in
// this list counts.
const (
	ReasonMention    Reason = "mention"
	ReasonAssignment Reason = "assignment"
	ReasonApproval   Reason = "approval"
	ReasonSecurity   Reason = "security"
	ReasonReply      Reason = "reply"
	ReasonOutcome    Reason = "outcome"
	ReasonDue        Reason = "due"
	ReasonMessage    Reason = "message"
	ReasonChange     Reason = "change"
)

// ReasonKind describes the notifications with one reason.
type ReasonKind struct {
	Reason Reason
	Title  string // heading of these notifications, such as "Mentions"
	Doc    string // the event, as a clause that can follow "when", such as "somebody names you with an @"
	Short  string // the reason in a few words, such as "names you"
	Always bool   // no member can turn notifications with this reason off
}

// reasons declares all reasons, the most personal first.
var reasons = []ReasonKind{
	{ReasonMention, "Mentions", "somebody names you with an @", "names you", false},
	{ReasonAssignment, "For you", "somebody gives you a role, adds you to a studio or hands you a duty", "is for you", false},
	{ReasonApproval, "Approvals", "an agent of yours waits for your answer", "asks you", true},
	{ReasonSecurity, "Security", "the owner pauses or stops an agent of yours, or a webhook of yours stops", "is about safety", true},
	{ReasonReply, "Replies", "somebody answers on a page that you follow", "you follow it", false},
	{ReasonOutcome, "Outcomes", "something is decided, done or answered", "an outcome", false},
	{ReasonDue, "Due soon", "a deadline is near or something waits for you", "waits for you", false},
	{ReasonMessage, "Messages", "somebody writes in a channel that you follow", "in a channel", false},
	{ReasonChange, "News", "something begins, changes or goes on in your studios", "in your studio", false},
}

// Reasons describes all reasons, the most personal first. Callers must not change the result.
func Reasons() []ReasonKind { return reasons }

// Kind returns the description of the reason, or that of [ReasonChange] if the reason is unknown.
func (r Reason) Kind() ReasonKind {
	for i := range reasons {
		if reasons[i].Reason == r {
			return reasons[i]
		}
	}
	return reasons[len(reasons)-1]
}

// Followed returns the item's id and the notification level that the actor chose for it.
func (i *Item) Followed() (id, level string) { return i.ID, i.Following }

// Followed returns the studio's id and the notification level that the actor chose for it.
func (s *Studio) Followed() (id, level string) { return s.ID, s.Following }

// Follow sets the notification level of the acting member for a studio or an item. An empty level restores the default.
func (tx *Tx) Follow(by Actor, subjectID, level string) error {
	if level == "" {
		return tx.Exec(`DELETE FROM follows WHERE subject_id = ? AND member_id = ?`, subjectID, by.MemberID())
	}
	return tx.Exec(`INSERT INTO follows (subject_id, member_id, org_id, level, at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (subject_id, member_id) DO UPDATE SET level = excluded.level, at = excluded.at`, subjectID,
		by.MemberID(), by.Member.OrgID, level, At(tx.Now))
}

// TouchOwn raises the version of the pages that only the acting member sees, so that open copies are refreshed.
func (tx *Tx) TouchOwn(by Actor) error { return tx.raise(ownVersion, by.MemberID()) }

// TouchOwnOf does for the member with this id the same as [Tx.TouchOwn].
func (tx *Tx) TouchOwnOf(memberID string) error { return tx.raise(ownVersion, memberID) }

// FollowSilently makes the acting member a follower of an item after an action on it, unless the member has
// chosen a level before.
func (tx *Tx) FollowSilently(by Actor, subjectID string) error {
	return tx.Exec(`INSERT INTO follows (subject_id, member_id, org_id, level, at) VALUES (?, ?, ?, 'following', ?)
		ON CONFLICT DO NOTHING`,
		subjectID, by.MemberID(), by.Member.OrgID, At(tx.Now))
}

// link replaces the stored links from a text of an item. The text is the item's body if seq is 0, and otherwise the
// comment with that number.
func (tx *Tx) link(i *Item, seq int, text string) error {
	was, err := tx.Changed(`DELETE FROM links WHERE from_id = ? AND seq = ?`, i.ID, seq)
	if err != nil {
		return err
	}
	to := Links(text)
	if len(to) == 0 && !was {
		return nil
	}
	for _, id := range to {
		if err := tx.Exec(`INSERT INTO links (to_id, from_id, seq, org_id) SELECT i.id, ?, ?, i.org_id FROM items i
			WHERE i.id = ? AND i.org_id = ? AND i.id <> ?
			ON CONFLICT DO NOTHING`, i.ID, seq, id, i.OrgID, i.ID); err != nil {
			return err
		}
		if err := tx.Exec(`UPDATE items SET linked = 1 WHERE id = ? AND org_id = ?`, id, i.OrgID); err != nil {
			return err
		}
	}
	return nil
}

// linking lists the items that link to an item and that the actor may see, newest first.
func (tx *Tx) linking(by Actor, i *Item, limit int) ([]Item, error) {
	return tx.itemsSeen(by.In(i.OrgID).MemberID(), `i.id IN (SELECT l.from_id FROM links l WHERE l.to_id = ?
		ORDER BY l.from_id LIMIT 200)
		ORDER BY i.created_at DESC`+AtMost, i.ID, limit)
}

// itemsSeen lists the items that a member may see and that meet a condition. The parameter me is the member's id, or
// empty for an outsider. The parameter rest is SQL: the condition, and the clauses after it.
func (tx *Tx) itemsSeen(me, rest string, args ...any) ([]Item, error) {
	var rows []struct {
		Item
		StudioHandle string `db:"studio_handle"`
	}
	err := tx.Select(&rows, `SELECT `+itemListColumns+`, s.handle AS studio_handle FROM`+itemFrom+`JOIN studios s
		ON s.id = i.studio_id
		LEFT JOIN studio_members me ON me.studio_id = s.id AND me.member_id = ?
		WHERE i.removed_at IS NULL AND`+itemVisible+`AND (s.visibility = 'public' OR ? <> '' AND `+visibleThrough("me", "s")+`)
		AND `+rest, append([]any{me, me, me}, args...)...)
	list := make([]Item, len(rows))
	for k := range rows {
		list[k] = rows[k].Item
		list[k].Studio, list[k].Now = &Studio{Handle: rows[k].StudioHandle}, tx.Now
	}
	return list, err
}
