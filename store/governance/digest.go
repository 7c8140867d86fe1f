package governance

import (
	"regexp"
	"strings"
	"time"

	"samepage/store"
)

// Digest is a summary of the messages and replies in a channel since a time, without removed ones.
type Digest struct {
	*Channel
	Since time.Time
	// FromUnheard means that Since is the time of the first message that the acting member has not read.
	FromUnheard bool
	Counts
	List    []Said // the latest messages, at most [MostDigested], oldest first
	Threads []Thread
}

// Counts has the numbers of messages and of their authors.
type Counts struct {
	Count  int `db:"count"`
	People int `db:"people"` // number of members who wrote without an agent
	Agents int `db:"agents"`
}

// Thread is a message from before a digest's time, with replies since that time.
type Thread struct {
	Message
	Fresh     int        `db:"fresh"` // number of replies since the digest's time
	LastReply store.Time `db:"last_reply"`
	LastBy    string     `db:"last_by"`
	LastWith  string     `db:"last_with"`
}

const (
	// MostDigested is the greatest number of messages in a digest.
	MostDigested = 100
	mostThreads  = 20
	// digestSpan is the length of a digest for a reader without unread messages.
	digestSpan = 7 * 24 * time.Hour
)

// DigestChannel loads a digest of a channel since a time. The zero time stands for the first message that the acting
// member has not read, or for [digestSpan] ago if there is none.
func DigestChannel(tx *store.Tx, by store.Actor, c *Channel, since time.Time) (*Digest, error) {
	d := &Digest{Channel: c, Since: since}
	if since.IsZero() {
		d.Since = tx.Now.Add(-digestSpan)
		if c.Unheard() > 0 {
			var first []store.Time // empty if no message has a number above c.Heard
			if err := tx.Select(&first, `SELECT i.created_at FROM messages g JOIN items i ON i.id = g.id
				WHERE g.studio_id = ? AND g.n > ? ORDER BY g.n LIMIT 1`, c.ID, c.Heard); err != nil {
				return nil, err
			}
			if len(first) > 0 {
				d.Since, d.FromUnheard = first[0].Time, true
			}
		}
	}
	at := store.At(d.Since)
	const said = ` i.studio_id = ? AND i.kind = 'message' AND i.removed_at IS NULL AND i.created_at `
	if err := tx.Get(&d.Counts, `SELECT count(*) AS count, count(DISTINCT CASE WHEN i.agent_id IS NULL THEN i.member_id END) AS people,
		count(DISTINCT i.agent_id) AS agents FROM items i WHERE`+said+`>= ?`, c.ID, at); err != nil {
		return nil, err
	}
	if err := tx.Select(&d.List, `SELECT * FROM (SELECT g.n, `+saidColumns+` FROM items i CROSS JOIN messages g`+saidJoins+`
		WHERE`+said+`>= ? AND g.id = i.id ORDER BY i.created_at DESC, g.n DESC`+store.AtMost+`) AS newest ORDER BY n`,
		c.ID, at, MostDigested); err != nil {
		return nil, err
	}
	if err := dressMessages(tx, by, c, d.List); err != nil {
		return nil, err
	}
	const fresh = ` FROM comments x WHERE x.item_id = i.id AND x.at >= ? AND x.removed_at IS NULL`
	err := tx.Select(&d.Threads, `SELECT g.n, i.id, i.studio_id, i.kind, i.title, i.member_id, m.handle AS member, i.agent_id,
		a.label AS agent, i.created_at, r.at AS last_reply, coalesce(rm.handle, '') AS last_by, coalesce(ra.label, '') AS last_with,
		(SELECT count(*)`+fresh+`) AS fresh
		FROM items i CROSS JOIN messages g JOIN members m ON m.id = i.member_id LEFT JOIN agents a ON a.id = i.agent_id
		JOIN comments r ON r.item_id = i.id AND r.seq = (SELECT max(x.seq)`+fresh+`)
		LEFT JOIN members rm ON rm.id = r.member_id LEFT JOIN agents ra ON ra.id = r.agent_id
		WHERE`+said+`< ? AND i.spoken = 1 AND i.replied_at >= ? AND g.id = i.id ORDER BY i.replied_at DESC, i.id`+store.AtMost,
		at, at, c.ID, at, at, mostThreads)
	for k := range d.Threads {
		d.Threads[k].Studio, d.Threads[k].Now = c.Studio, tx.Now
	}
	return d, err
}

// asks matches a line with a question mark at the end of a word, unless the line is a quotation.
var asks = regexp.MustCompile(`(?m)^[^>\n].*[^\s/=&]\?+(?:[\s)"'*_”’»!]|$)`)

// Question returns the last question on the first line with a question, as plain text. It returns "" if there is none.
func (s *Said) Question() string {
	line := asks.FindString(s.Body)
	if line == "" {
		return ""
	}
	line = line[:strings.LastIndexByte(line, '?')+1]
	for _, end := range []string{". ", "! ", "? "} {
		if at := strings.LastIndex(line, end); at >= 0 {
			line = line[at+len(end):]
		}
	}
	return MessageTitle(line, s.Title)
}

// Unanswered reports whether the message has a question, and neither a reply nor a reaction.
func (s *Said) Unanswered() bool {
	return s.Comments == 0 && len(s.Reactions) == 0 && asks.MatchString(s.Body)
}
