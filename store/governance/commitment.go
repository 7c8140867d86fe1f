package governance

import (
	"time"

	"samepage/store"
)

// CommitmentKind declares commitments as a kind of item.
var CommitmentKind = store.DeclareKind(store.Kind{
	Name:   "commitment",
	Letter: "c",
	States: []string{CommitmentDraft, CommitmentOpen, CommitmentBound, CommitmentFull, CommitmentClosed,
		CommitmentFailed, CommitmentDone,
		CommitmentMissed, store.Redacted},
	Summary: `SELECT CASE WHEN items.removed_at IS NOT NULL THEN 'redacted' WHEN items.opened_at IS NULL THEN 'draft'
			WHEN c.settled_at IS NOT NULL AND c.missed > 0 THEN 'missed' WHEN c.settled_at IS NOT NULL THEN 'done'
			WHEN items.closed_at IS NOT NULL
			AND c.bound_at IS NULL THEN 'failed' WHEN items.closed_at IS NOT NULL THEN 'closed'
			WHEN c.capacity > 0 AND c.joined >= c.capacity THEN 'full' WHEN c.bound_at IS NOT NULL THEN 'bound'
			ELSE 'open' END, CASE WHEN c.settled_at IS NOT NULL THEN c.done ELSE c.joined END,
		CASE WHEN c.settled_at IS NOT NULL THEN c.joined ELSE c.critical_mass END,
		0, c.starts_at, c.settled_at FROM commitments c WHERE c.id = items.id`,
	Awaits: `SELECT CASE WHEN c.bound_at IS NULL THEN '` + store.AwaitsAnswers + `'
			WHEN items.due_at IS NULL THEN '` + store.AwaitsChair + `' ELSE '` + store.AwaitsClock + `' END
		FROM commitments c WHERE c.id = items.id`,
	Delete: []string{`DELETE FROM participants WHERE commitment_id = ?`, `DELETE FROM commitments WHERE id = ?`},
	Erase: []string{`UPDATE participants SET note = '' WHERE commitment_id = ?`,
		`UPDATE commitments SET place = '' WHERE id = ?`},
	Text: `SELECT place AS title FROM commitments WHERE id = ? AND place <> ''`,
	Waits: []store.Wait{{
		For: store.WaitsForMark,
		From: ` FROM members mm JOIN participants p ON p.member_id = mm.id AND p.mark = '' AND p.gone_at IS NULL
			JOIN commitments c ON c.id = p.commitment_id AND c.bound_at IS NOT NULL JOIN items i ON i.id = c.id`,
		Where: `(c.starts_at IS NULL OR c.starts_at <= ?)`,
	}},
	Pledges: `SELECT p.commitment_id FROM participants p WHERE p.member_id = ? AND p.mark = '' AND p.gone_at IS NULL`,
	Leave:   leaveCommitments,
})

// Commitment is a joint task or an event that members volunteer for. It becomes binding for its participants when their
// number reaches the critical mass.
type Commitment struct {
	store.Item
	CriticalMass int        `db:"critical_mass"`
	Limit        int        `db:"capacity"` // greatest number of participants; 0 for any number
	Place        string     `db:"place"`
	StartsAt     store.Time `db:"starts_at"` // start of an event; zero for a task
	EndsAt       store.Time `db:"ends_at"`
	Joined       int        `db:"joined"`
	Done         int        `db:"done"`       // number of participants with the mark "done"
	Missed       int        `db:"missed"`     // number of participants with the mark "missed"
	Gone         int        `db:"gone"`       // number of participants who left the studio without a mark
	RevisedAt    store.Time `db:"revised_at"` // time of the creation or the last [UpdateCommitment]
	BoundAt      store.Time `db:"bound_at"`
	// SettledAt is the time at which every participant had given a mark or left the studio, if there was a mark.
	SettledAt store.Time `db:"settled_at"`

	Mine Participant // the acting member; JoinedAt is zero if the member has not joined
}

// Participant is a member who has joined a commitment.
type Participant struct {
	MemberID    string     `db:"member_id"`
	Member      string     `db:"member"` // handle
	store.Agent            // the agent that joined for the member; empty if the member joined in person
	JoinedAt    store.Time `db:"joined_at"`
	Mark        string     `db:"mark"` // "done", "missed", or empty
	Note        string     `db:"note"`
	MarkedAt    store.Time `db:"marked_at"`
	GoneAt      store.Time `db:"gone_at"` // when the member left the studio without a mark
}

const commitmentColumns = `c.critical_mass, c.capacity, c.place, c.starts_at, c.ends_at, c.joined, c.done, c.missed,
	c.gone, c.revised_at, c.bound_at, c.settled_at,
	p.joined_at AS "mine.joined_at", p.mark AS "mine.mark", p.note AS "mine.note", p.gone_at AS "mine.gone_at"`

// These are the states of a commitment, in addition to [store.Redacted].
const (
	CommitmentDraft  = "draft"
	CommitmentOpen   = "open"
	CommitmentBound  = "bound"  // binding, and members can still join
	CommitmentFull   = "full"   // binding, and all places are taken
	CommitmentClosed = "closed" // binding, and joining has ended
	CommitmentFailed = "failed" // joining ended below the critical mass
	CommitmentDone   = "done"   // settled, and no mark is "missed"
	CommitmentMissed = "missed" // settled, and at least one mark is "missed"
)

// State returns one of the states of [CommitmentKind]. Joining counts as ended after the deadline, even if the
// scheduler has not closed the commitment yet.
func (c *Commitment) State() string { return c.state(c.Over()) }

func (c *Commitment) state(over bool) string {
	switch {
	case c.Removed():
		return store.Redacted
	case c.Draft():
		return CommitmentDraft
	case !c.SettledAt.IsZero() && c.Missed > 0:
		return CommitmentMissed
	case !c.SettledAt.IsZero():
		return CommitmentDone
	case over && !c.Bound():
		return CommitmentFailed
	case over:
		return CommitmentClosed
	case c.Limit > 0 && c.Joined >= c.Limit:
		return CommitmentFull
	case c.Bound():
		return CommitmentBound
	}
	return CommitmentOpen
}

// Over reports whether the commitment is closed or its deadline has passed.
func (c *Commitment) Over() bool { return !c.ClosedAt.IsZero() || !c.Draft() && c.Due() }

// EndedAt returns the time at which joining ended, or zero before that.
func (c *Commitment) EndedAt() store.Time {
	switch {
	case !c.ClosedAt.IsZero():
		return c.ClosedAt
	case c.Over():
		return c.DueAt
	}
	return store.Time{}
}

// Bound reports whether the commitment is binding.
func (c *Commitment) Bound() bool { return !c.BoundAt.IsZero() }

// Event reports whether the commitment has a start time.
func (c *Commitment) Event() bool { return !c.StartsAt.IsZero() }

// Missing returns the number of further participants that the critical mass needs.
func (c *Commitment) Missing() int { return max(c.CriticalMass-c.Joined, 0) }

// In reports whether the acting member has joined.
func (c *Commitment) In() bool { return !c.Mine.JoinedAt.IsZero() }

// Record returns the fields that the journal stores about a commitment. The recorded state ignores the deadline,
// because the journal records only the effects of actions.
func (c *Commitment) Record() any {
	type mine struct {
		Mark string `json:"mark,omitempty"`
		Note string `json:"note,omitempty"`
	}
	var own *mine
	if c.In() {
		own = &mine{c.Mine.Mark, c.Mine.Note}
	}
	return struct {
		Title        string     `json:"title"`
		Text         string     `json:"text,omitempty"`
		CriticalMass int        `json:"critical_mass"`
		Limit        int        `json:"limit,omitempty"`
		Closes       store.Time `json:"closes,omitzero"`
		Starts       store.Time `json:"starts,omitzero"`
		Ends         store.Time `json:"ends,omitzero"`
		Place        string     `json:"place,omitempty"`
		Joined       int        `json:"joined"`
		Done         int        `json:"done"`
		Missed       int        `json:"missed"`
		Mine         *mine      `json:"mine,omitempty"`
		Comments     int        `json:"comments"`
		Pinned       bool       `json:"pinned"`
		State        string     `json:"state"`
	}{c.Title, c.Body, c.CriticalMass, c.Limit, c.DueAt, c.StartsAt, c.EndsAt, c.Place, c.Joined, c.Done, c.Missed,
		own, c.Comments, c.Pinned,
		c.state(!c.ClosedAt.IsZero())}
}

// FindCommitment finds a commitment in a studio. It returns [store.Missing] if there is none, if the actor may not see
// the studio, or if it is another member's draft.
func FindCommitment(tx *store.Tx, by store.Actor, studio, id string) (*Commitment, error) {
	var row struct {
		Commitment
		Home store.Studio `db:"home"`
	}
	err := tx.Locate(commitmentFinder, by, &row, &row.Item, &row.Home, studio, id)
	return &row.Commitment, err
}

var commitmentFinder = store.NewFinder(commitmentColumns, `JOIN commitments c ON c.id = i.id
	LEFT JOIN participants p ON p.commitment_id = i.id AND p.member_id = mm.id `)

// CommitmentPage is a commitment with its first participants and its discussion.
type CommitmentPage struct {
	*Commitment
	store.Discussion
	First []Participant // at most 25, in the order in which they joined
}

// ShowCommitment loads the data for the commitment's page.
func ShowCommitment(tx *store.Tx, by store.Actor, c *Commitment) (*CommitmentPage, error) {
	p := &CommitmentPage{Commitment: c}
	var err error
	if c.Joined > 0 {
		if p.First, err = Participants(tx, c, store.Cursor{}, 25); err != nil {
			return nil, err
		}
	}
	p.Discussion, err = tx.ShowDiscussion(by, &c.Item)
	return p, err
}

// Participants lists participants of a commitment after the cursor, in the order in which they joined.
func Participants(tx *store.Tx, c *Commitment, after store.Cursor, limit int) ([]Participant, error) {
	return store.All[Participant](tx, `SELECT p.member_id, m.handle AS member, p.agent_id, a.label AS agent, p.joined_at,
		p.mark, p.note, p.marked_at, p.gone_at
		FROM participants p JOIN members m ON m.id = p.member_id LEFT JOIN agents a ON a.id = p.agent_id
		WHERE p.commitment_id = ? AND p.joined_at >= ? AND (p.joined_at > ? OR p.member_id > ?)
		ORDER BY p.joined_at, p.member_id`+store.AtMost,
		c.ID, after.At, after.At, after.ID, limit)
}

// Awaited returns the ids of the studio's members who have not joined, at most 10,000. It returns nil for a binding
// commitment.
func (c *Commitment) Awaited(tx *store.Tx) ([]string, error) {
	if c.Bound() {
		return nil, nil
	}
	list := []string{}
	err := tx.Select(&list, `SELECT x.member_id FROM studio_members x WHERE x.studio_id = ?
		AND NOT EXISTS (SELECT 1 FROM participants p WHERE p.commitment_id = ? AND p.member_id = x.member_id)
		ORDER BY x.member_id LIMIT 10000`, c.StudioID, c.ID)
	return list, err
}

// ParticipantsPage is one page of a commitment's participants.
type ParticipantsPage struct {
	*Commitment
	store.Listing[Participant]
}

// ShowParticipants loads one page of participants. The parameter `after` is empty or the text of a [store.Cursor].
func ShowParticipants(tx *store.Tx, _ store.Actor, c *Commitment, after string) (*ParticipantsPage, error) {
	at, err := store.ReadCursor(after, c.URL()+"/participants")
	if err != nil {
		return nil, err
	}
	const limit = 50
	list, err := Participants(tx, c, at, limit)
	return &ParticipantsPage{c, store.Listing[Participant]{List: list, Limit: limit}}, err
}

// Cursor returns the position after this participant in the list.
func (p *Participant) Cursor() store.Cursor {
	return store.Cursor{At: p.JoinedAt.UnixMilli(), ID: p.MemberID}
}

// NewCommitment has the fields of a commitment that its author writes.
type NewCommitment struct {
	Title, Body, Place         string
	CriticalMass, Limit        int
	ClosesAt, StartsAt, EndsAt time.Time
}
