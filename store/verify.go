package store

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// sum returns the entry's hash, a SHA-256. Texts that can be erased enter only as their digests. Each field is preceded
// by its length, so that two different entries never have the same input.
func (e *Entry) sum() []byte {
	h := sha256.New()
	var n [8]byte
	field := func(b []byte) {
		binary.BigEndian.PutUint64(n[:], uint64(len(b)))
		h.Write(n[:])
		h.Write(b)
	}
	erasable := func(digest []byte, text string) string {
		if len(digest) == 0 {
			return text // an entry without a digest was hashed with the text itself
		}
		return string(digest)
	}
	field(e.Prev)
	field([]byte(strconv.FormatInt(e.Seq, 10)))
	field([]byte(strconv.FormatInt(e.At.UnixMilli(), 10)))
	for _, s := range []string{e.OrgID, e.MemberID, erasable(e.MemberDigest, e.Member), e.AgentID, e.Agent, e.TokenID,
		e.As, e.RoleID, erasable(e.RoleDigest, e.Role), e.StudioID, e.PrivateTo, e.Action, e.Kind, e.TargetID,
		erasable(e.URLDigest, e.URL), erasable(e.TitleDigest, e.Title), erasable(e.WhyDigest, e.Why), e.Request} {
		field([]byte(s))
	}
	field(e.BeforeDigest)
	field(e.AfterDigest)
	return h.Sum(nil)
}

// Damage is the error about a fault in a journal, at the entry with the number Seq.
type Damage struct {
	Org    string
	Seq    int64
	Reason string
}

func (d *Damage) Error() string {
	return fmt.Sprintf("The journal of %s is damaged at entry %d: %s.", d.Org, d.Seq, d.Reason)
}

// VerifyJournal verifies the hashes, the digests and the order of the entries of an organization's journal, and returns
// the number and the hash of its last entry. Each [Head] of this organization in the parameter noted must have the
// number and the hash of an entry. Members and agents must have the names that the journal recorded last. The error
// about a fault is a [*Damage].
func (tx *Tx) VerifyJournal(o *Organization, noted ...Head) (Head, error) {
	v := verification{o: o, members: map[string][]byte{}, agents: map[string]string{}}
	if err := tx.Get(&v.head, `SELECT journal_seq AS seq, journal_hash AS hash FROM organizations WHERE id = ?`,
		o.ID); err != nil {
		return Head{}, err
	}
	for _, h := range noted {
		if h.Org == o.Handle && h.Seq > 0 {
			v.noted = append(v.noted, h)
		}
	}
	const batch = 1000
	for {
		var list []Entry
		if err := tx.Select(&list, `SELECT `+entryColumns+`, j.role_digest, j.member_digest, j.url_digest, j.why_digest
			FROM journal j JOIN organizations o ON o.id = j.org_id WHERE j.org_id = ? AND j.seq > ?
			ORDER BY j.seq`+AtMost,
			o.ID, v.seq, batch); err != nil {
			return Head{}, err
		}
		for i := range list {
			if err := v.next(&list[i]); err != nil {
				return Head{}, err
			}
		}
		if len(list) < batch {
			break
		}
	}
	if err := v.end(); err != nil {
		return Head{}, err
	}
	return Head{Org: o.Handle, Seq: v.seq, Hash: v.hash}, tx.verifyNames(&v)
}

type verification struct {
	o       *Organization
	seq     int64
	hash    []byte
	noted   []Head
	head    Head              // the head in the organization's row
	members map[string][]byte // digest of the last record of each member, by member id; erasing a member keeps the digests
	agents  map[string]string // the last recorded label of each agent, by agent id
}

func (v *verification) damage(seq int64, format string, args ...any) error {
	return &Damage{Org: v.o.Handle, Seq: seq, Reason: fmt.Sprintf(format, args...)}
}

func (v *verification) next(e *Entry) error {
	switch {
	case e.Seq != v.seq+1:
		return v.damage(v.seq+1, "it is missing")
	case !bytes.Equal(e.Prev, v.hash):
		return v.damage(e.Seq, "it does not follow the entry before it")
	case !bytes.Equal(e.Hash, e.sum()):
		return v.damage(e.Seq, "it was changed after it was written")
	case len(e.TitleDigest) > 0 && !e.Erased() && !matches(&e.Title, e.TitleDigest):
		return v.damage(e.Seq, "the title in it was changed")
	case len(e.MemberDigest) > 0 && e.Member != "" && !matches(&e.Member, e.MemberDigest), len(e.URLDigest) > 0 &&
		e.URL != "" && !matches(&e.URL, e.URLDigest):
		return v.damage(e.Seq, "the member or the page in it was changed")
	case len(e.RoleDigest) > 0 && e.Role != "" && !matches(&e.Role, e.RoleDigest):
		return v.damage(e.Seq, "the role in it was changed")
	case len(e.WhyDigest) > 0 && e.Why != "" && !matches(&e.Why, e.WhyDigest):
		return v.damage(e.Seq, "the reason in it was changed")
	case !matches(e.Before, e.BeforeDigest), !matches(e.After, e.AfterDigest):
		return v.damage(e.Seq, "a record in it was changed")
	}
	for _, h := range v.noted {
		if h.Seq == e.Seq && !bytes.Equal(h.Hash, e.Hash) {
			return v.damage(e.Seq, "it is not the one that was noted down")
		}
	}
	if e.Kind == "member" && len(e.AfterDigest) > 0 {
		v.members[e.TargetID] = e.AfterDigest
	}
	if e.AgentID != "" {
		v.agents[e.AgentID] = e.Agent
	}
	v.seq, v.hash = e.Seq, e.Hash
	return nil
}

// matches reports whether a text has this digest. It returns true for a nil text, which means that the text was erased.
func matches(text *string, digest []byte) bool {
	if text == nil {
		return true
	}
	sum := sha256.Sum256([]byte(*text))
	return bytes.Equal(sum[:], digest)
}

func (v *verification) end() error {
	for _, h := range v.noted {
		if h.Seq > v.seq {
			return v.damage(v.seq+1, "it was cut off: entry %d was noted down", h.Seq)
		}
	}
	if v.seq != v.head.Seq || !bytes.Equal(v.hash, v.head.Hash) {
		return v.damage(v.seq, "the journal should end with entry %d", v.head.Seq)
	}
	return nil
}

// verifyNames compares the names of members with the names in the journal, because a changed name would attribute a
// member's texts to another person.
func (tx *Tx) verifyNames(v *verification) error {
	after := ""
	for {
		list, err := tx.members(``, v.o.ID, after, 1000)
		if err != nil {
			return err
		}
		for i := range list {
			m := &list[i]
			after = m.Handle
			want, ok := v.members[m.ID]
			if !ok {
				return v.damage(v.seq, "member @%s is in no entry", m.Handle)
			}
			_, have, err := digested(m.Record())
			if err != nil {
				return err
			}
			if !bytes.Equal(have, want) {
				return v.damage(v.seq, "member @%s was renamed without an entry", m.Handle)
			}
		}
		if len(list) < 1000 {
			return tx.verifyAgents(v)
		}
	}
}

func (tx *Tx) verifyAgents(v *verification) error {
	after := ""
	for {
		var list []Agent
		if err := tx.Select(&list, `SELECT id AS agent_id, label AS agent FROM agents WHERE org_id = ? AND id > ?
			ORDER BY id LIMIT 1000`, v.o.ID, after); err != nil {
			return err
		}
		for _, a := range list {
			after = a.ID
			if label, ok := v.agents[a.ID]; ok && label != a.Label {
				return v.damage(v.seq, "the agent %s was renamed without an entry", label)
			}
		}
		if len(list) < 1000 {
			return nil
		}
	}
}

// Mismatch is a page with data that differ from its stored counts or from the journal.
type Mismatch struct {
	URL    string
	Reason string // a clause that describes the difference
}

// String returns one line with the page and the difference.
func (m Mismatch) String() string { return m.URL + ": " + m.Reason }

// VerifyItems compares the items of an organization, without drafts and removed items, with the journal. The title and
// the text must be those of the latest entry that has them. Each comment must have an entry with its time and member.
// Erased texts are not compared.
func (tx *Tx) VerifyItems(o *Organization) (wrong []Mismatch, err error) {
	const batch = 500
	after := ""
	for {
		var list []struct {
			Item
			Handle string `db:"handle"`
			Rows   int    `db:"comment_rows"`
			Stray  int    `db:"stray"`
		}
		if err := tx.Select(&list, `SELECT i.id, i.kind, i.title, i.body, i.comments, s.handle,
			(SELECT count(*) FROM comments c WHERE c.item_id = i.id) AS comment_rows,
			(SELECT count(*) FROM comments c WHERE c.item_id = i.id AND NOT EXISTS (SELECT 1 FROM journal j
				WHERE j.org_id = c.org_id AND j.target_id = c.item_id AND j.at = c.at AND j.member_id = c.member_id)) AS stray
			FROM items i JOIN studios s ON s.id = i.studio_id
			WHERE i.org_id = ? AND i.id > ? AND i.opened_at IS NOT NULL AND i.removed_at IS NULL ORDER BY i.id`+AtMost,
			o.ID, after, batch); err != nil {
			return nil, err
		}
		for i := range list {
			x := &list[i]
			after = x.ID
			reason, err := tx.verifyTexts(o, &x.Item)
			switch {
			case err != nil:
				return nil, err
			case x.Rows != x.Comments:
				reason = fmt.Sprintf("it has %d comments, and %d are kept as their number", x.Rows, x.Comments)
			case x.Stray > 0:
				reason = fmt.Sprintf("the journal has no entry of %d of its comments", x.Stray)
			}
			if reason != "" {
				wrong = append(wrong, Mismatch{ItemURL(x.Handle, x.Kind, x.ID), reason})
			}
		}
		if len(list) < batch {
			return wrong, nil
		}
	}
}

// verifyTexts returns a clause about the difference between an item's texts and those in the journal, or "" if there is
// none. It compares the latest record of the whole item, which says whether the item is pinned. The record of a part,
// such as a card of a board, does not say so, but can have a title of its own.
func (tx *Tx) verifyTexts(o *Organization, i *Item) (string, error) {
	const batch = 100
	list := []Entry{{Seq: math.MaxInt64}}
	for more := true; more; more = len(list) == batch {
		before := list[len(list)-1].Seq
		list = nil
		if err := tx.Select(&list, `SELECT seq, after FROM journal WHERE org_id = ? AND target_id = ? AND kind = ?
			AND after IS NOT NULL AND seq < ? ORDER BY seq DESC`+AtMost, o.ID, i.ID, i.Kind, before, batch); err != nil {
			return "", err
		}
		for _, e := range list {
			var record struct {
				Question, Title *string
				Text            string
				Pinned          *bool
			}
			err := json.Unmarshal([]byte(*e.After), &record)
			title := cmp.Or(record.Question, record.Title)
			switch {
			case err != nil, title == nil, record.Pinned == nil:
				continue
			case *title != i.Title:
				return "its title is not the one in the journal", nil
			case record.Text != i.Body:
				return "its text is not the one in the journal", nil
			}
			return "", nil
		}
	}
	return "", nil
}
