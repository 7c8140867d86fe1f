package governance

import "samepage/store"

// PostMessage posts a message in the channel of a studio. The parameter `why` is an agent's reason, or empty. The
// parameter `title` is the title of the linked item if the text is only a link, and otherwise empty.
func PostMessage(tx *store.Tx, by store.Actor, s *store.Studio, text, why, title string) (*Message, error) {
	if title == "" {
		title = MessageTitle(text, "Message")
	}
	id, err := tx.InsertItem(by, s, store.NewItem{Kind: MessageKind.Name, Title: title, Body: text})
	if err != nil {
		return nil, err
	}
	n, err := tx.Say(by, s, id)
	if err != nil {
		return nil, err
	}
	if err := tx.Exec(`INSERT INTO messages (id, org_id, studio_id, n, why) VALUES (?, ?, ?, ?, ?)`,
		id, s.OrgID, s.ID, n, why); err != nil {
		return nil, err
	}
	return FindMessage(tx, by, s.Handle, id)
}

// EditMessage changes the text of a message. The earlier text is kept as a version.
func EditMessage(tx *store.Tx, by store.Actor, m *Message, text string) error {
	title := MessageTitle(text, m.Title)
	if err := Revise(tx, by, &m.Item, Words{Title: m.Title, Body: m.Body}, Words{Title: title, Body: text}); err != nil {
		return err
	}
	return tx.UpdateItem(&m.Item, title, text, m.DueAt.Time)
}

// AddReaction adds the acting member's reaction to a message. It adds no second reaction with the same emoji.
func AddReaction(tx *store.Tx, by store.Actor, m *Message, emoji string) error {
	if err := tx.Exec(`INSERT INTO reactions (message_id, emoji, member_id, org_id, agent_id, at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`,
		m.ID, emoji, by.MemberID(), m.OrgID, store.Null(by.Agent.ID), store.At(tx.Now)); err != nil {
		return err
	}
	return tx.TouchItem(&m.Item)
}

// RemoveReaction removes the acting member's reaction from a message, if there is one.
func RemoveReaction(tx *store.Tx, by store.Actor, m *Message, emoji string) error {
	if err := tx.Exec(`DELETE FROM reactions WHERE message_id = ? AND emoji = ? AND member_id = ?`,
		m.ID, emoji, by.MemberID()); err != nil {
		return err
	}
	return tx.TouchItem(&m.Item)
}
