package governance

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"samepage/store"
)

// MessageKind declares messages as a kind of item.
var MessageKind = store.DeclareKind(store.Kind{
	Name:   "message",
	Letter: "m",
	Spoken: true,
	States: []string{MessagePosted, store.Deleted, store.Redacted},
	Summary: `SELECT CASE WHEN items.removed_at IS NOT NULL AND items.removed_by = items.member_id THEN 'deleted'
			WHEN items.removed_at IS NOT NULL THEN 'redacted' ELSE 'posted' END,
		0, 0, 0, CAST(NULL AS BIGINT), CAST(NULL AS BIGINT) FROM messages g WHERE g.id = items.id`,
	Delete: []string{`DELETE FROM reactions WHERE message_id = ?`, `DELETE FROM messages WHERE id = ?`},
	Erase:  []string{`DELETE FROM reactions WHERE message_id = ?`, `UPDATE messages SET why = '' WHERE id = ?`},
})

// MessagePosted is the state of a message that was not removed.
const MessagePosted = "posted"

// Message is a message in the channel of a studio. Its replies are its comments. Its title comes from [MessageTitle],
// or is the title of the item that it links to.
type Message struct {
	store.Item
	N   int    `db:"n"`   // number of the message within the channel, from 1
	Why string `db:"why"` // reason that the posting agent gave

	Reactions []MessageReaction `db:"-"`
	Carries   []store.Carried   `db:"-"` // the items that the message links to and that the actor may see
}

// MessageReaction is an emoji with which members reacted to a message.
type MessageReaction struct {
	MessageID string `db:"message_id"`
	Emoji     string `db:"emoji"`
	N         int    `db:"n"`    // number of members
	Mine      bool   `db:"mine"` // the acting member reacted with this emoji
}

var messageFinder = store.NewFinder(`g.n, g.why`, `JOIN messages g ON g.id = i.id `)

// State returns one of the states of [MessageKind].
func (m *Message) State() string {
	if m.Removed() {
		return m.Removal()
	}
	return MessagePosted
}

// Record returns the fields that the journal stores about a message.
func (m *Message) Record() any {
	reactions := map[string]int{}
	for _, r := range m.Reactions {
		reactions[r.Emoji] = r.N
	}
	return struct {
		Title     string         `json:"title"`
		Text      string         `json:"text"`
		Reactions map[string]int `json:"reactions,omitempty"`
		Replies   int            `json:"replies"`
		Pinned    bool           `json:"pinned"`
		State     string         `json:"state"`
	}{m.Title, m.Body, reactions, m.Comments, m.Pinned, m.State()}
}

// FindMessage finds a message in a studio. It returns [store.Missing] if there is none or the actor may not see the
// studio.
func FindMessage(tx *store.Tx, by store.Actor, studio, id string) (*Message, error) {
	var row struct {
		Message
		Home store.Studio `db:"home"`
	}
	if err := tx.Locate(messageFinder, by, &row, &row.Item, &row.Home, studio, id); err != nil {
		return nil, err
	}
	m := &row.Message
	list, err := messageReactions(tx, by, m.OrgID, []string{m.ID})
	m.Reactions = list[m.ID]
	return m, err
}

// MessagePage is a message with its latest version and its discussion.
type MessagePage struct {
	*Message
	Latest *Version // nil if the text was never changed
	store.Discussion
}

// ShowMessage loads the data for the message's page.
func ShowMessage(tx *store.Tx, by store.Actor, m *Message) (*MessagePage, error) {
	p := &MessagePage{Message: m}
	var err error
	if p.Latest, err = latestVersion(tx, &m.Item); err != nil {
		return nil, err
	}
	if m.Carries, err = tx.CarriedBy(by, m.OrgID, []string{m.ID}); err != nil {
		return nil, err
	}
	p.Discussion, err = tx.ShowDiscussion(by, &m.Item)
	return p, err
}

// messageReactions returns the reactions to messages of one organization, by message id, in the order in which they
// were first used.
func messageReactions(tx *store.Tx, by store.Actor, orgID string, ids []string) (map[string][]MessageReaction, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	args := []any{by.In(orgID).MemberID()}
	for _, id := range ids {
		args = append(args, id)
	}
	list, err := store.All[MessageReaction](tx, `SELECT x.message_id, x.emoji, count(*) AS n,
			max(CASE WHEN x.member_id = ? THEN 1 ELSE 0 END) AS mine
		FROM reactions x WHERE x.message_id IN (`+store.Placeholders(len(ids))+`) GROUP BY x.message_id, x.emoji
		ORDER BY x.message_id, min(x.at), x.emoji`, args...)
	of := map[string][]MessageReaction{}
	for _, r := range list {
		of[r.MessageID] = append(of[r.MessageID], r)
	}
	return of, err
}

// messageTitle is the greatest length of a title in characters.
const messageTitle = 80

var (
	markupStart = regexp.MustCompile("^[\\s>#*+~`|_-]+(\\[[ xX]\\]\\s*)?")
	markupLink  = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	markupMark  = regexp.MustCompile("[*`~]+")
)

// MessageTitle returns the first line of the text that has a letter, a number or a character such as an emoji, as
// plain text and cut to [messageTitle] characters. If there is no such line, it returns the parameter `without`.
func MessageTitle(text, without string) string {
	for line := range strings.Lines(text) {
		line = markupMark.ReplaceAllString(markupLink.ReplaceAllString(markupStart.ReplaceAllString(line, ""), "$1"), "")
		line = strings.Join(strings.Fields(line), " ")
		if !strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || r > 0x2000 }) {
			continue
		}
		if utf8.RuneCountInString(line) <= messageTitle {
			return line
		}
		cut := string([]rune(line)[:messageTitle-1])
		if at := strings.LastIndexByte(cut, ' '); at > len(cut)/2 {
			cut = cut[:at]
		}
		return strings.TrimRight(cut, " ,;:.–-") + "…"
	}
	return without
}
