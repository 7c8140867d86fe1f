package store

// This file is about the conversation of a studio, which consists of spoken items, such as messages. The items are
// numbered in the order in which they were made.

// TalkSubject returns the subject id of a studio's conversation, which a member can follow or mute.
func TalkSubject(studioID string) string { return "talk:" + studioID }

// TalkTopic returns the topic that is announced when the version of a studio's conversation rises.
func TalkTopic(studioID string) Topic { return talkVersion.of(studioID) }

// FindTalk finds a studio by its handle, with the notification level that the actor chose for its conversation. It
// returns [Missing] as [Tx.FindStudio] does.
func (tx *Tx) FindTalk(by Actor, handle string) (s *Studio, level string, err error) {
	query := `SELECT ` + studioOwnColumns + `, tf.level AS talk_following FROM` + studioFrom + studioOwnJoins + `
		LEFT JOIN follows tf ON tf.subject_id = 'talk:' || s.id AND tf.member_id = mm.id WHERE s.handle = ? AND` + by.visible()
	var row struct {
		Studio
		Level string `db:"talk_following"`
	}
	row.Studio.Now = tx.Now
	err = tx.GetLocked(&row, &row.OrgID, query, by.studioArgs(handle)...)
	return &row.Studio, row.Level, err
}

// Carried is an item that the text of a spoken item links to. From is the id of the spoken item.
type Carried struct {
	From string `db:"from_id"`
	Item
	StudioHandle string `db:"studio_handle"`
}

// mostCarried is the greatest number of linked items that a page of a conversation shows.
const mostCarried = 60

// CarriedBy lists up to [mostCarried] items that the texts of spoken items link to and that the actor may see. The
// spoken items have the given ids and must all be in the same organization.
func (tx *Tx) CarriedBy(by Actor, orgID string, ids []string) ([]Carried, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	me := by.In(orgID).MemberID()
	args := []any{me}
	for _, id := range ids {
		args = append(args, id)
	}
	list, err := All[Carried](tx, `SELECT l.from_id, `+itemListColumns+`, s.handle AS studio_handle FROM links l CROSS JOIN`+itemFrom+`
		JOIN studios s ON s.id = i.studio_id LEFT JOIN studio_members me ON me.studio_id = s.id AND me.member_id = ?
		WHERE l.from_id IN (`+Placeholders(len(ids))+`) AND l.seq = 0 AND i.id = l.to_id AND i.removed_at IS NULL
		AND`+itemVisible+`AND (s.visibility = 'public' OR ? <> '' AND `+visibleThrough("me", "s")+`)
		ORDER BY l.from_id, i.created_at, i.id`+AtMost, append(args, me, me, mostCarried)...)
	for k := range list {
		list[k].Studio, list[k].Now = &Studio{Handle: list[k].StudioHandle}, tx.Now
	}
	return list, err
}

// TouchTalk raises the version of a studio's conversation.
func (tx *Tx) TouchTalk(studioID string) error { return tx.raise(talkVersion, studioID) }

// Unheard returns the number of spoken items that the actor's member has not read. It is 0 outside the studio.
func (s *Studio) Unheard() int {
	if !s.Joined() {
		return 0
	}
	return max(s.Said-s.Heard, 0)
}

// Say gives a new spoken item its number in the studio's conversation, and opens and closes the item, so that it is
// never among the open items. If the actor is a person, the conversation up to the item then counts as read by the
// person.
func (tx *Tx) Say(by Actor, s *Studio, id string) (n int, err error) {
	if err := tx.Get(&n, `UPDATE studios SET said = said + 1 WHERE id = ? RETURNING said`, s.ID); err != nil {
		return 0, err
	}
	if !by.IsAgent() {
		if err := tx.hear(by, s, n); err != nil {
			return 0, err
		}
	}
	if err := tx.runTalk(by, s.ID); err != nil {
		return 0, err
	}
	return n, tx.Exec(`UPDATE items SET opened_at = created_at, closed_at = created_at, agent_run = ? WHERE id = ?`,
		agents(by), id)
}

// HearTalk records that the acting member has read the studio's conversation up to the item with this number. It marks
// the member's notifications about items of the conversation as read, but not those about comments.
func (tx *Tx) HearTalk(by Actor, s *Studio, n int) error {
	if err := tx.hear(by, s, n); err != nil {
		return err
	}
	if err := tx.mark(by.In(s.OrgID).Member, `read_at = ?`, `read_at IS NULL AND dismissed_at IS NULL AND comment = 0
		AND EXISTS (SELECT 1 FROM items i WHERE i.id = notifications.item_id AND i.studio_id = ? AND i.spoken = 1)`,
		[]any{At(tx.Now)}, s.ID); err != nil {
		return err
	}
	return tx.raise(ownVersion, by.In(s.OrgID).MemberID())
}

func (tx *Tx) hear(by Actor, s *Studio, n int) error {
	return tx.Exec(`UPDATE studio_members SET heard = ? WHERE studio_id = ? AND member_id = ? AND heard < ?`,
		n, s.ID, by.In(s.OrgID).MemberID(), n)
}

// touchHome raises the version of the studio, or for a spoken kind of item the version of the studio's conversation.
func (tx *Tx) touchHome(kind, studioID string) error {
	if isSpoken(kind) {
		return tx.raise(talkVersion, studioID)
	}
	return tx.TouchStudio(studioID)
}

// Texts returns the singular and plural of the noun for the texts that AgentRun counts: the comments on an item, or a
// message of a studio's conversation with its replies.
func (i *Item) Texts() (one, many string) {
	if isSpoken(i.Kind) {
		return "message in this thread", "messages in this thread"
	}
	return "comment here", "comments here"
}

func isSpoken(kind string) bool {
	k := kinds[kind]
	return k != nil && k.Spoken
}

// raiseItem raises the version of an item, and of the conversations that show the item.
func (tx *Tx) raiseItem(i *Item) error {
	if err := tx.raise(itemVersion, i.ID); err != nil {
		return err
	}
	if isSpoken(i.Kind) {
		if err := tx.raise(talkVersion, i.StudioID); err != nil {
			return err
		}
	}
	if !i.Linked {
		return nil
	}
	return tx.raiseAll(talkVersion, `id IN (SELECT f.studio_id FROM links l JOIN items f ON f.id = l.from_id
		AND f.spoken = 1 WHERE l.to_id = ? AND l.seq = 0)`, i.ID)
}
