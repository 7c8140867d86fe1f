package governance

import (
	"cmp"
	"slices"
	"time"

	"samepage/store"
)

// ElectionKind declares elections as a kind of item. Its SQL cannot reveal secret nominations, because these are
// encrypted in the database.
var ElectionKind = store.DeclareKind(store.Kind{
	Name:   electionKind,
	Letter: "e",
	States: []string{ElectionDraft, Nominating, Discussing, Changing, Choosing, Elected, NoElection, Cancelled,
		store.Redacted},
	Summary: `SELECT CASE WHEN items.removed_at IS NOT NULL THEN 'redacted' WHEN items.opened_at IS NULL THEN 'draft'
			WHEN e.outcome <> '' THEN e.outcome ELSE e.phase END,
		CASE WHEN e.phase = 'consent' THEN c.answered ELSE e.nominations END,
		CASE WHEN e.phase = 'consent' THEN c.electorate ELSE 0 END,
		0, CAST(NULL AS BIGINT), CAST(NULL AS BIGINT)
		FROM elections e JOIN consents c ON c.id = e.id WHERE e.id = items.id`,
	Awaits: `SELECT CASE WHEN e.phase = 'consent' AND c.objections > 0 THEN '` + store.AwaitsObjection + `'
			WHEN e.phase = 'consent' AND c.ended_at IS NULL AND c.answered < c.electorate OR e.phase IN ('nomination',
				'change')
			THEN '` + store.AwaitsAnswers + `'
			ELSE '` + store.AwaitsChair + `' END FROM elections e JOIN consents c ON c.id = e.id WHERE e.id = items.id`,
	Delete: slices.Concat([]string{`DELETE FROM nominations WHERE election_id = ?`,
		`DELETE FROM elections WHERE id = ?`}, deleteConsent),
	Erase: []string{eraseResponses, `UPDATE nominations SET reason = '' WHERE election_id = ?`,
		`UPDATE elections SET reason = '', statement = '' WHERE id = ?`},
	Text: `SELECT reason AS title FROM nominations WHERE election_id = ?
		UNION ALL SELECT reason FROM responses WHERE item_id = ?
		UNION ALL SELECT reason || ' ' || statement FROM elections WHERE id = ?
		UNION ALL SELECT r.title FROM elections e JOIN roles r ON r.id = e.role_id WHERE e.id = ?`,
	Waits: []store.Wait{
		waitForResponse(WaitsForCandidate, `JOIN elections e ON e.id = i.id AND e.phase = 'consent'`),
		{
			For:  WaitsForNomination,
			From: store.OpenAround + `JOIN elections e ON e.id = i.id AND e.phase = 'nomination'`,
			Where: `(SELECT n.member_id FROM nominations n WHERE n.election_id = i.id AND n.member_id = mm.id) IS NULL
				AND (i.due_at IS NULL OR i.due_at + 0 > ?)`,
		},
	},
	Leave:   leaveElections,
	Overdue: true,
})

const electionKind = "election"

// These are the names of the actions that elections wait for, as in [store.Wait.For].
const (
	WaitsForNomination = "nomination"
	WaitsForCandidate  = "candidate"
)

// These are the states of an election, in addition to [store.Redacted]. The states nomination, discussion, change and
// consent are also its phases.
const (
	ElectionDraft = "draft"
	Nominating    = "nomination"
	Discussing    = "discussion"
	Changing      = "change"  // members may change their nominations
	Choosing      = "consent" // a round of consent on the candidate
	Elected       = "elected"
	NoElection    = "no_election"
	Cancelled     = "cancelled"
)

// Election fills a role, and begins without candidates. First, members nominate members in secret. Then the nominations
// are revealed and discussed, and members may change theirs. Finally, a nominee is proposed as the candidate, and the
// studio decides by consent.
type Election struct {
	store.Item
	Consent
	Phase       string     `db:"phase"`
	Term        int64      `db:"term"` // in milliseconds; 0 for a term without end
	Nominations int        `db:"nominations"`
	Lost        int        `db:"lost"`         // number of nominations that could not be decrypted
	CandidateID string     `db:"candidate_id"` // empty before the proposal
	Candidate   string     `db:"candidate"`    // handle
	CandidateIn bool       `db:"candidate_in"` // the candidate is in the studio
	ProposerID  string     `db:"proposer_id"`
	Proposer    string     `db:"proposer"` // handle
	ProposedAt  store.Time `db:"proposed_at"`
	Why         string     `db:"why"`     // reason for the proposal
	Outcome     string     `db:"outcome"` // state at the end of the election; empty before it
	Statement   string     `db:"statement"`

	Role struct {
		ID       string `db:"id"`
		Title    string `db:"title"`
		Holder   string `db:"holder"` // handle; empty for a vacant role
		Deleted  bool   `db:"deleted"`
		Mirrored bool   `db:"mirrored"`
	} `db:"role"`
	Own Nomination // the acting member's nomination; At is zero if there is none
	// Nominees and List are empty until the nominations are revealed. Nominees has all nominees, those with the most
	// nominations first. List has the nominations, at most mostNominations.
	Nominees []Nominee    `db:"-"`
	List     []Nomination `db:"-"`
}

// Nomination is a member's nomination of a member for the role, possibly of the same member.
type Nomination struct {
	MemberID string `db:"member_id"`
	Member   string `db:"member"`
	store.Agent
	Sealed []byte `db:"sealed"` // encrypted nominee and reason; empty once revealed
	// NomineeID, Nominee and Reason are empty while the nomination is sealed, unless the actor may read it.
	NomineeID string     `db:"nominee_id"`
	Nominee   string     `db:"nominee"` // handle
	Reason    string     `db:"reason"`
	NomineeIn bool       `db:"nominee_in"` // the nominee is in the studio
	First     string     `db:"first"`      // handle of the first nominee, if the nomination was changed
	At        store.Time `db:"at"`
}

const electionColumns = `e.phase, e.term, e.nominations, e.lost, e.candidate_id, cm.handle AS candidate,
	EXISTS (SELECT 1 FROM studio_members y WHERE y.studio_id = e.studio_id AND y.member_id = e.candidate_id) AS candidate_in,
	e.proposer_id, pm.handle AS proposer, e.proposed_at, e.reason AS why, e.outcome, e.statement,
	ro.id AS "role.id", ro.title AS "role.title", rh.handle AS "role.holder",
		ro.deleted_at IS NOT NULL AS "role.deleted",
	ro.source_id IS NOT NULL AS "role.mirrored",
	own.member_id AS "own.member_id", own.agent_id AS "own.agent_id", own.sealed AS "own.sealed", own.at AS "own.at",
	own.nominee_id AS "own.nominee_id", om.handle AS "own.nominee", own.reason AS "own.reason", ` + consentColumns

var electionFinder = store.NewFinder(electionColumns, `JOIN elections e ON e.id = i.id JOIN roles ro ON ro.id = e.role_id
	LEFT JOIN members rh ON rh.id = ro.holder_id LEFT JOIN members cm ON cm.id = e.candidate_id
	LEFT JOIN members pm ON pm.id = e.proposer_id
	LEFT JOIN nominations own ON own.election_id = i.id AND own.member_id = mm.id
	LEFT JOIN members om ON om.id = own.nominee_id `+consentJoins)

// State returns one of the states of [ElectionKind].
func (e *Election) State() string {
	switch {
	case e.Removed():
		return store.Redacted
	case e.Draft():
		return ElectionDraft
	case e.Outcome != "":
		return e.Outcome
	}
	return e.Phase
}

// Secret reports whether the nominations have not been revealed. It stays true if the election is cancelled before
// that.
func (e *Election) Secret() bool { return e.Phase == Nominating }

// Record returns the fields that the journal stores about an election. It gives only the number of secret nominations.
func (e *Election) Record() any {
	type nomination struct {
		Nominee string `json:"nominee"`
		Reason  string `json:"reason"`
	}
	var own *nomination
	if !e.Secret() && e.Own.Nominee != "" {
		own = &nomination{e.Own.Nominee, e.Own.Reason}
	}
	return struct {
		Title       string      `json:"title"`
		Text        string      `json:"text"`
		Role        string      `json:"role"`
		Term        string      `json:"term,omitempty"`
		Nominations int         `json:"nominations"`
		Own         *nomination `json:"own,omitempty"`
		Candidate   string      `json:"candidate,omitempty"`
		Why         string      `json:"why,omitempty"`
		Round       int         `json:"round,omitempty"`
		Ends        store.Time  `json:"ends,omitzero"`
		Quorum      int         `json:"quorum"`
		Electorate  int         `json:"electorate,omitempty"`
		Answered    int         `json:"answered,omitempty"`
		Objections  int         `json:"open_objections,omitempty"`
		Mine        any         `json:"mine,omitempty"`
		Statement   string      `json:"statement,omitempty"`
		Comments    int         `json:"comments"`
		Pinned      bool        `json:"pinned"`
		State       string      `json:"state"`
	}{e.Title, e.Body, e.Role.Title, termText(e.Term), e.Nominations, own, e.Candidate, e.Why, e.Round, e.DueAt,
		e.Quorum,
		e.Electorate, e.Answered, e.Objections, e.Mine.record(), e.Statement, e.Comments, e.Pinned, e.State()}
}

func termText(ms int64) string {
	if ms == 0 {
		return ""
	}
	return (time.Duration(ms) * time.Millisecond).String()
}

// FindElection finds an election in a studio. It returns [store.Missing] if there is none, if the actor may not see the
// studio, or if it is another member's draft.
func FindElection(tx *store.Tx, by store.Actor, studio, id string) (*Election, error) {
	var row struct {
		Election
		Home store.Studio `db:"home"`
	}
	if err := tx.Locate(electionFinder, by, &row, &row.Item, &row.Home, studio, id); err != nil {
		return nil, err
	}
	e := &row.Election
	if err := e.unsealOwn(tx, by); err != nil {
		return nil, err
	}
	if !e.Secret() {
		if err := e.findNominations(tx); err != nil {
			return nil, err
		}
	}
	return e, findObjections(tx, &e.Item, &e.Consent)
}

// mostNominations is the largest number of nominations on the page of an election.
const mostNominations = 500

func (e *Election) findNominations(tx *store.Tx) error {
	if err := tx.Select(&e.List, `SELECT n.member_id, m.handle AS member, n.agent_id, a.label AS agent,`+nomineeColumns+`,
		f.handle AS first, n.reason, n.at FROM nominations n
		JOIN members m ON m.id = n.member_id LEFT JOIN agents a ON a.id = n.agent_id
		JOIN members x ON x.id = n.nominee_id LEFT JOIN members f ON f.id = n.first_id
		WHERE n.election_id = ? ORDER BY x.handle, n.at, n.member_id`+store.AtMost, e.StudioID, e.ID, mostNominations); err != nil {
		return err
	}
	named := make([]Nominee, len(e.List))
	for i, n := range e.List {
		named[i] = Nominee{ID: n.NomineeID, Handle: n.Nominee, In: n.NomineeIn}
	}
	if len(e.List) == mostNominations { // there may be more
		named = nil
		if err := tx.Select(&named, `SELECT`+nomineeColumns+` FROM nominations n JOIN members x ON x.id = n.nominee_id
			WHERE n.election_id = ?`, e.StudioID, e.ID); err != nil {
			return err
		}
	}
	e.Nominees = counted(named)
	return nil
}

// nomineeColumns has the columns of a nominee (alias x) for a nomination (alias n). The argument is the id of the studio.
const nomineeColumns = ` n.nominee_id, x.handle AS nominee,
	EXISTS (SELECT 1 FROM studio_members y WHERE y.studio_id = ? AND y.member_id = n.nominee_id) AS nominee_in`

// Nominee is a nominated member with the number of nominations.
type Nominee struct {
	ID     string `db:"nominee_id"`
	Handle string `db:"nominee"`
	In     bool   `db:"nominee_in"` // the nominee is in the studio
	Count  int    `db:"-"`
}

// counted returns each nominee of the nominations once with their number, the largest first.
func counted(nominations []Nominee) []Nominee {
	of := map[Nominee]int{}
	for _, n := range nominations {
		of[n]++
	}
	var list []Nominee
	for n, count := range of {
		n.Count = count
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b Nominee) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Handle, b.Handle)) })
	return list
}

// Electable returns the nominees who are in the studio.
func (e *Election) Electable() (list []Nominee) {
	for _, n := range e.Nominees {
		if n.In {
			list = append(list, n)
		}
	}
	return list
}

// ElectionPage is an election with its responses and its discussion.
type ElectionPage struct {
	*Election
	Answers []Response // in the last round, if [Consent.Asking]; objections first
	Silent  []string   // handles of members without a response, at most [MostSilent]
	store.Discussion
}

// ShowElection loads the data for the election's page.
func ShowElection(tx *store.Tx, by store.Actor, e *Election) (*ElectionPage, error) {
	p := &ElectionPage{Election: e}
	var err error
	if p.Answers, err = showResponses(tx, &e.Item, &e.Consent); err != nil {
		return nil, err
	}
	if p.Silent, err = silent(tx, by, e); err != nil {
		return nil, err
	}
	p.Discussion, err = tx.ShowDiscussion(by, &e.Item)
	return p, err
}

// Awaited returns the ids of the members asked about the candidate without a response, at most 10,000. It returns nil
// in other phases, because they have no deadline.
func (e *Election) Awaited(tx *store.Tx) ([]string, error) {
	if e.Phase != Choosing {
		return nil, nil
	}
	return awaited(tx, &e.Item, &e.Consent)
}

// NewElection has the fields of an election that its author writes.
type NewElection struct {
	Role        *store.Role
	Title, Body string
	Term        time.Duration // 0 for a term without end
	ConsentRules
}
