package store

import "time"

// CommitmentKind is the kind of item that a [Commitment] is.
var CommitmentKind = DeclareKind(Kind{
	Name:   "commitment",
	Letter: "c",
	States: []string{CommitmentDraft, CommitmentOpen, CommitmentBound, CommitmentFull, CommitmentClosed,
		CommitmentFailed, CommitmentDone,
		CommitmentMissed},
	Summary: `SELECT CASE WHEN items.removed_at IS NOT NULL THEN 'redacted' WHEN items.opened_at IS NULL THEN 'draft'
			WHEN c.settled_at IS NOT NULL AND c.missed > 0 THEN 'missed' WHEN c.settled_at IS NOT NULL THEN 'done'
			WHEN items.closed_at IS NOT NULL
			AND c.bound_at IS NULL THEN 'failed' WHEN items.closed_at IS NOT NULL THEN 'closed'
			WHEN c.capacity > 0 AND c.joined >= c.capacity THEN 'full' WHEN c.bound_at IS NOT NULL THEN 'bound'
			ELSE 'open' END,
		c.joined, c.critical_mass, 0, c.starts_at, c.settled_at FROM commitments c WHERE c.id = items.id`,
	Delete: []string{`DELETE FROM participants WHERE commitment_id = ?`, `DELETE FROM commitments WHERE id = ?`},
	Erase: []string{`UPDATE participants SET note = '' WHERE commitment_id = ?`,
		`UPDATE commitments SET place = '' WHERE id = ?`},
	Text: `SELECT place AS title FROM commitments WHERE id = ? AND place <> ''`,
	Waits: []Wait{{
		For: WaitsForMark,
		From: ` FROM members mm JOIN participants p ON p.member_id = mm.id AND p.mark = '' AND p.gone_at IS NULL
			JOIN commitments c ON c.id = p.commitment_id AND c.bound_at IS NOT NULL JOIN items i ON i.id = c.id`,
		Where: `(c.starts_at IS NULL OR c.starts_at <= ?)`,
	}},
	Leave: leaveCommitments,
})

// Commitment is something that people do together, or an event they come to: it binds those who joined once they are as many
// as its critical mass, and nobody before. It is due when joining ends.
type Commitment struct {
	Item
	CriticalMass int    `db:"critical_mass"`
	Limit        int    `db:"capacity"` // how many can join at most; 0 is any number
	Place        string `db:"place"`
	StartsAt     Time   `db:"starts_at"` // of an event; zero for what has no time
	EndsAt       Time   `db:"ends_at"`
	Joined       int    `db:"joined"`
	Done         int    `db:"done"`       // how many of those say that they did it
	Missed       int    `db:"missed"`     // and how many that they did not
	Gone         int    `db:"gone"`       // and how many left the studio before they said so
	RevisedAt    Time   `db:"revised_at"` // when somebody last changed what it says
	BoundAt      Time   `db:"bound_at"`   // when the critical mass was reached
	SettledAt    Time   `db:"settled_at"` // when everyone who joined, but for who is gone, had said whether they did it

	Mine Participant // the actor's own place in it; JoinedAt is zero if they are not in it
}

// Participant is somebody who joined a commitment.
type Participant struct {
	MemberID string `db:"member_id"`
	Member   string `db:"member"` // handle
	Agent           // which joined for the member
	JoinedAt Time   `db:"joined_at"`
	Mark     string `db:"mark"` // done, missed, or empty
	Note     string `db:"note"`
	MarkedAt Time   `db:"marked_at"`
	GoneAt   Time   `db:"gone_at"` // when they left the studio without a mark
}

const commitmentColumns = `, c.critical_mass, c.capacity, c.place, c.starts_at, c.ends_at, c.joined, c.done, c.missed,
	c.gone, c.revised_at, c.bound_at, c.settled_at,
	p.joined_at AS "mine.joined_at", p.mark AS "mine.mark", p.note AS "mine.note", p.gone_at AS "mine.gone_at"`

// commitmentFrom joins a commitment and the place in it of the member that is its argument.
const (
	commitmentFrom   = itemFrom + participantJoins + `? `
	participantJoins = `JOIN commitments c ON c.id = i.id LEFT JOIN participants p ON p.commitment_id = i.id
		AND p.member_id = `
)

// The states of a commitment. Open is one that binds nobody yet; failed one that never did.
const (
	CommitmentDraft  = "draft"
	CommitmentOpen   = "open"
	CommitmentBound  = "bound"  // and more may join
	CommitmentFull   = "full"   // bound, and all places are taken
	CommitmentClosed = "closed" // bound, and joining has ended
	CommitmentFailed = "failed" // joining ended below the critical mass
	CommitmentDone   = "done"   // everyone who joined says that they did it
	CommitmentMissed = "missed" // everyone has said so, and somebody did not
)

// CommitmentStates are the states of a commitment.
func CommitmentStates() []string { return CommitmentKind.States }

// State is one of [CommitmentStates], at the time it was loaded: one whose deadline has passed is over, whether or not
// anybody has recorded it.
func (c *Commitment) State() string { return c.state(c.Over()) }

func (c *Commitment) state(over bool) string {
	switch {
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

// Over reports that nobody can join any more, because it was closed or its deadline has passed.
func (c *Commitment) Over() bool { return !c.ClosedAt.IsZero() || !c.Draft() && c.Due() }

// EndedAt is when joining ended; zero while it has not.
func (c *Commitment) EndedAt() Time {
	switch {
	case !c.ClosedAt.IsZero():
		return c.ClosedAt
	case c.Over():
		return c.DueAt
	}
	return Time{}
}

// Bound reports that those who joined were enough, so that it counts.
func (c *Commitment) Bound() bool { return !c.BoundAt.IsZero() }

// Event reports that it has a time, and so an entry in calendars.
func (c *Commitment) Event() bool { return !c.StartsAt.IsZero() }

// Missing is how many more must join before it binds.
func (c *Commitment) Missing() int { return max(c.CriticalMass-c.Joined, 0) }

// In reports whether the actor who loaded it has joined.
func (c *Commitment) In() bool { return !c.Mine.JoinedAt.IsZero() }

// Record is what the journal keeps of a commitment, with the actor's own part in it. Being due is not a change that anybody made.
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
		Title        string `json:"title"`
		Text         string `json:"text,omitempty"`
		CriticalMass int    `json:"critical_mass"`
		Limit        int    `json:"limit,omitempty"`
		Closes       Time   `json:"closes,omitzero"`
		Starts       Time   `json:"starts,omitzero"`
		Ends         Time   `json:"ends,omitzero"`
		Place        string `json:"place,omitempty"`
		Joined       int    `json:"joined"`
		Done         int    `json:"done"`
		Missed       int    `json:"missed"`
		Mine         *mine  `json:"mine,omitempty"`
		Comments     int    `json:"comments"`
		Pinned       bool   `json:"pinned"`
		State        string `json:"state"`
	}{c.Title, c.Body, c.CriticalMass, c.Limit, c.DueAt, c.StartsAt, c.EndsAt, c.Place, c.Joined, c.Done, c.Missed,
		own, c.Comments, c.Pinned,
		c.state(!c.ClosedAt.IsZero())}
}

// FindCommitment finds a commitment of a studio the actor may see, with the actor's place in it. A draft of somebody else,
// and any other: [Missing].
func (tx *Tx) FindCommitment(by Actor, studio, id string) (*Commitment, error) {
	var row struct {
		Commitment
		Home Studio `db:"home"`
	}
	err := tx.locate(commitmentFinder, by, &row, &row.Item, &row.Home, studio, id)
	return &row.Commitment, err
}

var commitmentFinder = newFinder(itemListColumns+itemOwnColumns+commitmentColumns, participantJoins+`mm.id `)

// CommitmentPage is a commitment with what its page shows.
type CommitmentPage struct {
	*Commitment
	Discussion
	First []Participant // in the order in which they joined
}

// ShowCommitment loads the rest of what a commitment's page shows.
func (tx *Tx) ShowCommitment(by Actor, c *Commitment) (*CommitmentPage, error) {
	p := &CommitmentPage{Commitment: c}
	var err error
	if c.Joined > 0 {
		if p.First, err = tx.Participants(c, Cursor{}, 25); err != nil {
			return nil, err
		}
	}
	p.Discussion, err = tx.ShowDiscussion(by, &c.Item)
	return p, err
}

// Participants lists who joined a commitment, in the order in which they did, from the cursor on.
func (tx *Tx) Participants(c *Commitment, after Cursor, limit int) ([]Participant, error) {
	var list []Participant
	err := tx.Select(&list, `SELECT p.member_id, m.handle AS member, p.agent_id, a.label AS agent, p.joined_at,
		p.mark, p.note, p.marked_at, p.gone_at
		FROM participants p JOIN members m ON m.id = p.member_id LEFT JOIN agents a ON a.id = p.agent_id
		WHERE p.commitment_id = ? AND p.joined_at >= ? AND (p.joined_at > ? OR p.member_id > ?)
		ORDER BY p.joined_at, p.member_id`+atMost,
		c.ID, after.At, after.At, after.ID, limit)
	return list, err
}

// Awaited are the members of the studio who have not joined a commitment that still takes people to bind; nil once it is
// bound, which concerns those who follow it.
func (c *Commitment) Awaited(tx *Tx) ([]string, error) {
	if c.Bound() {
		return nil, nil
	}
	list := []string{}
	err := tx.Select(&list, `SELECT x.member_id FROM studio_members x WHERE x.studio_id = ?
		AND NOT EXISTS (SELECT 1 FROM participants p WHERE p.commitment_id = ? AND p.member_id = x.member_id)
		ORDER BY x.member_id LIMIT 10000`, c.StudioID, c.ID)
	return list, err
}

// ParticipantsPage is a stretch of those who joined a commitment.
type ParticipantsPage struct {
	*Commitment
	List  []Participant
	Limit int
}

// ShowParticipants loads a stretch of those who joined; after is empty or a [Cursor].
func (tx *Tx) ShowParticipants(_ Actor, c *Commitment, after string) (*ParticipantsPage, error) {
	at, err := ReadCursor(after, c.URL()+"/participants")
	if err != nil {
		return nil, err
	}
	p := &ParticipantsPage{Commitment: c, Limit: 50}
	p.List, err = tx.Participants(c, at, p.Limit)
	return p, err
}

// Cursor is where a list of participants goes on after this one.
func (p *Participant) Cursor() Cursor { return Cursor{At: p.JoinedAt.UnixMilli(), ID: p.MemberID} }

// CommitmentsPage is a stretch of a studio's commitments.
type CommitmentsPage struct {
	*Studio
	List  []Commitment
	Limit int
}

// ShowCommitments loads a stretch of a studio's commitments, newest first; after is empty or a [Cursor].
func (tx *Tx) ShowCommitments(by Actor, s *Studio, after string) (*CommitmentsPage, error) {
	at, err := ReadCursor(after, s.URL()+"/commitments")
	if err != nil {
		return nil, err
	}
	p := &CommitmentsPage{Studio: s, Limit: 50}
	me := by.In(s.OrgID).MemberID()
	err = tx.Select(&p.List, `SELECT `+itemListColumns+commitmentColumns+` FROM`+commitmentFrom+
		`WHERE i.studio_id = ? AND i.kind = 'commitment' AND`+itemAfter+`AND`+itemVisible+itemNewest,
		append(at.args(me, s.ID), me, p.Limit)...)
	for i := range p.List {
		p.List[i].Studio, p.List[i].Now = s, tx.Now
	}
	return p, err
}

// NewCommitment is what a commitment says.
type NewCommitment struct {
	Title, Body, Place         string
	CriticalMass, Limit        int
	ClosesAt, StartsAt, EndsAt time.Time
}
