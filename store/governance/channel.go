package governance

import (
	"slices"
	"strconv"

	"samepage/store"
)

// Channel is the conversation of a studio.
type Channel struct {
	Level string // notification level that the actor chose; empty for the default
	*store.Studio
}

// URL returns the path of the channel's page.
func (c *Channel) URL() string { return c.Studio.URL() + "/channel" }

// Ref returns the channel's page as a target for the journal.
func (c *Channel) Ref() store.Ref {
	r := c.Studio.Ref()
	r.URL, r.Title, r.Version, r.Topic = c.URL(), "Channel of "+c.Name, c.TalkVersion, store.TalkTopic(c.ID)
	r.Kind = MessageKind.Name // a token that is restricted to messages may act on their channel
	return r
}

// Record returns nil, because a channel has no fields that change.
func (c *Channel) Record() any { return nil }

// Followed returns the id under which members follow the channel, and the actor's notification level.
func (c *Channel) Followed() (id, level string) { return store.TalkSubject(c.ID), c.Level }

// MustBeUnheard returns [store.Conflict] if the acting member has read all messages, and an error for an actor outside
// the studio.
func (c *Channel) MustBeUnheard() error {
	if !c.Joined() {
		return c.MustBeJoined()
	}
	if c.Unheard() == 0 {
		return store.Errorf(store.Conflict, "You have read this channel.")
	}
	return nil
}

// FindChannel finds the channel of a studio. It returns [store.Missing] if the actor may not see the studio or there is
// none.
func FindChannel(tx *store.Tx, by store.Actor, studio string) (*Channel, error) {
	s, level, err := tx.FindTalk(by, studio)
	return &Channel{Level: level, Studio: s}, err
}

// Said is a message as a channel shows it.
type Said struct {
	Message
	LastReply store.Time `db:"last_reply"` // zero if the message has no replies
	LastBy    string     `db:"last_by"`    // handle
	LastWith  string     `db:"last_with"`  // label of the agent that wrote the last reply; empty for none

	// Replies are the last replies, oldest first. [ShowChannel] loads them for members of the organization in person.
	Replies []store.Reply
}

// saidColumns and saidJoins load messages as [Said]. In the SQL, g is the message and i is its item.
const (
	saidColumns = `g.why, i.id, i.org_id, i.studio_id, i.kind, i.title, i.body, i.member_id,
		m.handle AS member, i.agent_id, a.label AS agent, i.created_at, i.opened_at, i.removed_at, r.handle AS removed_by,
		i.comments, i.remarks, i.versions, i.files, i.pinned, c.at AS last_reply, coalesce(cm.handle, '') AS last_by,
		coalesce(ca.label, '') AS last_with`
	saidJoins = ` JOIN members m ON m.id = i.member_id LEFT JOIN agents a ON a.id = i.agent_id
		LEFT JOIN members r ON r.id = i.removed_by LEFT JOIN comments c ON c.item_id = i.id AND c.seq = i.comments
		LEFT JOIN members cm ON cm.id = c.member_id LEFT JOIN agents ca ON ca.id = c.agent_id`
)

// ChannelPage is one page of a channel, with the oldest message first.
type ChannelPage struct {
	*Channel
	List    []Said
	Newest  bool                // the page has the newest messages
	More    bool                // older messages exist
	Members []store.Member      // at most 12; nil for readers outside the organization
	Agents  []store.MemberAgent // agents of these members; nil if the reader is an agent or outside the organization
}

const repliesShown = 3

const channelShown = 20

// ShowChannel loads the latest messages with numbers below the parameter `before`. If `before` is not the number of a
// message, it loads the newest messages.
func ShowChannel(tx *store.Tx, by store.Actor, c *Channel, before string) (*ChannelPage, error) {
	n, err := strconv.Atoi(before)
	p := &ChannelPage{Channel: c, Newest: err != nil || n <= 0 || n > c.Said}
	if p.Newest {
		n = c.Said + 1
	}
	if err := tx.Select(&p.List, `SELECT g.n, `+saidColumns+` FROM messages g CROSS JOIN items i`+saidJoins+`
		WHERE g.studio_id = ? AND g.n < ? AND i.id = g.id ORDER BY g.n DESC`+store.AtMost, c.ID, n, channelShown); err != nil {
		return nil, err
	}
	slices.Reverse(p.List)
	p.More = len(p.List) > 0 && p.List[0].N > 1
	if err := dressMessages(tx, by, c, p.List); err != nil || by.In(c.OrgID).Member == nil {
		return p, err
	}
	if p.Members, err = tx.StudioMembers(c.Studio, "", 12); err != nil || by.IsAgent() {
		return p, err
	}
	if p.Agents, err = tx.AgentsOf(p.Members); err != nil {
		return p, err
	}
	return p, addReplies(tx, p.List)
}

func addReplies(tx *store.Tx, list []Said) error {
	at := map[string]int{}
	var ids []string
	for i := range list {
		if m := &list[i]; m.Comments > 0 && !m.Removed() {
			at[m.ID], ids = i, append(ids, m.ID)
		}
	}
	replies, err := tx.LastReplies(ids, repliesShown)
	for i := range replies {
		m := &list[at[replies[i].On]]
		m.Replies = append(m.Replies, replies[i])
	}
	return err
}

// dressMessages loads the reactions to messages and the items that the messages link to.
func dressMessages(tx *store.Tx, by store.Actor, c *Channel, list []Said) error {
	ids := make([]string, 0, len(list))
	for i := range list {
		list[i].Studio, list[i].Now = c.Studio, tx.Now
		if !list[i].Removed() {
			ids = append(ids, list[i].ID)
		}
	}
	reactions, err := messageReactions(tx, by, c.OrgID, ids)
	if err != nil {
		return err
	}
	carried, err := tx.CarriedBy(by, c.OrgID, ids)
	if err != nil {
		return err
	}
	for i := range list {
		list[i].Reactions = reactions[list[i].ID]
		for _, x := range carried {
			if x.From == list[i].ID {
				list[i].Carries = append(list[i].Carries, x)
			}
		}
	}
	return nil
}

// HearChannel records that the acting member has read all messages of the channel.
func HearChannel(tx *store.Tx, by store.Actor, c *Channel) error {
	return tx.HearTalk(by, c.Studio, c.Said)
}
