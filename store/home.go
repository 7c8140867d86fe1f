package store

import (
	"strconv"
	"strings"
	"sync"
	"time"
)

// HomePage has the data of the actor's home page.
type HomePage struct {
	First   []Beginning // organizations that the actor owns, with first steps that are not done; nil for an agent
	Waiting []Waiting
	Asked   []Approval    // pending approvals that the actor may answer or, if the actor is an agent, has asked for
	Wanted  []Request     // requests, other than approvals, that the actor may answer
	More    bool          // more items, approvals or requests wait than the page shows
	Agents  []AgentAtHome // the actor's agents with a token in force or paused; nil for an agent
	Unread  []Notification
	Studios []Studio
	Counts  map[string]StudioCount // by studio id; for an agent, only of studios with open items
	Live    map[string][]LiveCount // work of the [Live] kinds that runs or waits, by studio id; nil for an agent
}

// StudioCount has the number of a studio's open items. For a person, it also has the numbers of items decided and made
// in the studio's present cycle, up to [MostCounted].
type StudioCount struct {
	ID      string `db:"studio_id"`
	Open    int    `db:"open"`
	Decided int    `db:"decided"`
	Made    int    `db:"made"`
}

// Waiting is an item that waits for an action of the actor, with the name of its studio.
type Waiting struct {
	Item
	For          string `db:"what"` // the action that the item waits for, see [Wait.For]
	StudioHandle string `db:"studio_handle"`
	StudioName   string `db:"studio_name"`
	ByDue        bool   // the deadline of the item is also the deadline of the action
}

// These are the actions that items wait for.
const (
	WaitsForVote     = "vote"
	WaitsForMark     = "mark" // a participant has to report whether the promised part of a commitment was done
	WaitsForReminder = "reminder"
)

func itemWaits() (list []Wait) {
	for _, k := range ItemKinds() {
		list = append(list, k.Waits...)
	}
	return list
}

const (
	mostWaiting = 20
	mostAsked   = 10
)

// ShowHome loads the actor's home page. It returns [Missing] for an anonymous actor.
func (tx *Tx) ShowHome(by Actor) (*HomePage, error) {
	if by.Anonymous() {
		return nil, Missing()
	}
	p := &HomePage{}
	var err error
	if p.Waiting, err = tx.WaitingItems(by, mostWaiting+1); err != nil {
		return nil, err
	}
	if p.Asked, err = tx.approvals(by, false, Cursor{}, mostAsked+1); err != nil {
		return nil, err
	}
	if p.Wanted, err = tx.requests(by, mostAsked+1); err != nil {
		return nil, err
	}
	p.More = len(p.Waiting) > mostWaiting || len(p.Asked) > mostAsked && !by.IsAgent() || len(p.Wanted) > mostAsked
	p.Waiting = p.Waiting[:min(len(p.Waiting), mostWaiting)]
	p.Asked = p.Asked[:min(len(p.Asked), mostAsked)]
	p.Wanted = p.Wanted[:min(len(p.Wanted), mostAsked)]
	if !by.IsAgent() {
		if p.Agents, err = tx.agentsAtHome(by, 10); err != nil {
			return nil, err
		}
		if p.First, err = tx.beginnings(by); err != nil {
			return nil, err
		}
	}
	if by.Unread() > 0 {
		b, err := tx.inbox(by, "unread", "", 12)
		if err != nil {
			return nil, err
		}
		p.Unread = b.List
	}
	if p.Studios, err = tx.MyStudios(by, 50); err != nil {
		return nil, err
	}
	if p.Live, err = tx.liveIn(by, p.Studios, false); err != nil {
		return nil, err
	}
	p.Counts, err = tx.countIn(by, p.Studios)
	return p, err
}

func (tx *Tx) countIn(by Actor, studios []Studio) (map[string]StudioCount, error) {
	counts := make(map[string]StudioCount, len(studios))
	if len(studios) == 0 {
		return counts, nil
	}
	args := make([]any, 0, 3*len(studios)+2)
	query := `SELECT studio_id, count(*) AS open FROM items WHERE studio_id IN (` + Placeholders(len(studios)) + `)
		AND opened_at IS NOT NULL AND closed_at IS NULL GROUP BY studio_id`
	if by.IsAgent() {
		for i := range studios {
			args = append(args, studios[i].ID)
		}
	} else {
		for i := range studios {
			studios[i].Now = tx.Now
			c := studios[i].Cycle()
			args = append(args, studios[i].ID, At(c.Start), At(c.End))
		}
		query, args = countedQuery(len(studios)), append(args, MostCounted, MostCounted)
	}
	var rows []StudioCount
	err := tx.Select(&rows, query, args...)
	for _, row := range rows {
		counts[row.ID] = row
	}
	return counts, err
}

// countedQuery returns the statement for the counts of n studios on a person's home page. The arguments are each
// studio's id with the start and the end of its present cycle, and then the limits of the counts decided and made.
func countedQuery(n int) string {
	const one = `SELECT CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT)`
	return `WITH c (id, a, z) AS (` + one + strings.Repeat(` UNION ALL `+one, n-1) + countedIn()
}

var countedIn = sync.OnceValue(func() string {
	count := func(from string) string { return `(SELECT count(*) FROM (SELECT 1` + from + AtMost + `) AS x)` }
	cycle := within{"c.id", "c.a", "c.z"}
	return `) SELECT c.id AS studio_id, (SELECT count(*) FROM items i WHERE i.studio_id = c.id AND i.opened_at IS NOT NULL
		AND i.closed_at IS NULL) AS open, ` +
		count(cycle.closed()+`AND i.kind || '' IN (`+kindNames(func(k *Kind) bool { return k.Decides })+`)`) + ` AS decided, ` +
		count(cycle.opened()) + ` AS made FROM c`
})

// These clauses begin a query for the items that wait for the actor. OpenAround joins the memberships mm with the open
// items i in their studios, and isMine selects the memberships of the actor.
const (
	// Conditions that follow OpenAround write i.kind || '' and i.due_at + 0. These expressions keep the SQLite planner
	// from using two long indexes, that of all items of a kind and that of all deadlines. The index of open items is
	// much shorter.
	OpenAround = ` FROM members mm JOIN studio_members me ON me.member_id = mm.id
		JOIN studios s ON s.id = me.studio_id AND s.archived_at IS NULL
		JOIN items i ON i.studio_id = s.id AND i.opened_at IS NOT NULL AND i.closed_at IS NULL `
	isMine = ` WHERE mm.user_id = ? AND (? = '' OR mm.org_id = ?) AND mm.ended_at IS NULL `
)

const waitingOrder = ` ORDER BY i.due_at IS NULL, i.due_at, i.created_at DESC` + AtMost

// waitingIDs returns a query for the ids of the items that wait for an actor, each with the name of the action.
var waitingIDs = sync.OnceValue(func() string {
	var stretches []string
	for n, w := range itemWaits() {
		stretches = append(stretches, `SELECT * FROM (SELECT '`+w.For+`' AS what, i.id`+w.From+isMine+`
			AND `+w.Where+waitingOrder+
			`) AS stretch`+strconv.Itoa(n))
	}
	return strings.Join(stretches, ` UNION ALL `)
})

// waitingArgs returns the arguments of [waitingIDs]. The limit applies to each part of the query.
func (tx *Tx) waitingArgs(by Actor, limit int) (args []any) {
	for _, w := range itemWaits() {
		args = append(args, by.studioArgs(At(tx.Now.Add(w.Ahead)), limit)...)
	}
	return args
}

// WaitingItems lists the items in the actor's studios that wait for the actor, sorted by deadline. Items without a
// deadline come last.
func (tx *Tx) WaitingItems(by Actor, limit int) ([]Waiting, error) {
	due := map[string]bool{}
	for _, w := range itemWaits() {
		due[w.For] = w.Due
	}
	list, err := All[Waiting](tx, `SELECT `+itemListColumns+`, w.what, s.handle AS studio_handle, s.name AS studio_name
		FROM (`+waitingIDs()+`) AS w CROSS JOIN`+itemFrom+`JOIN studios s ON s.id = i.studio_id
		WHERE i.id = w.id`+waitingOrder, append(tx.waitingArgs(by, limit), limit)...)
	for i := range list {
		list[i].Studio, list[i].Now = &Studio{Handle: list[i].StudioHandle}, tx.Now
		list[i].ByDue = due[list[i].For]
	}
	return list, err
}

// Beginning tells which first steps in an organization are done.
type Beginning struct {
	Org     string `db:"org"` // handle of the organization, and also of its general studio
	OrgName string `db:"org_name"`
	Unnamed bool   `db:"unnamed"` // the name of the organization is still its handle
	Alone   bool   `db:"alone"`   // the organization has one member and no pending invitation
	Agents  bool   `db:"agents"`  // the organization has or had a token of an agent, not only of a runner
	Notes   bool   `db:"notes"`   // the organization has a note
}

func (tx *Tx) beginnings(by Actor) (list []Beginning, err error) {
	for i := range by.Members {
		if by.Members[i].Owner {
			err = tx.Select(&list, `SELECT *
				FROM (SELECT o.handle AS org, o.name AS org_name, o.name = o.handle AS unnamed,
				s.people = 1 AND NOT EXISTS (SELECT 1 FROM invitations i
				WHERE i.org_id = o.id AND i.accepted_at IS NULL AND i.declined_at IS NULL AND i.revoked_at IS NULL
				AND i.expires_at > ?) AS alone,
				EXISTS (SELECT 1 FROM tokens t JOIN agents a ON a.id = t.agent_id LEFT JOIN oauth_grants g ON g.token_id = t.id
				WHERE t.org_id = o.id AND a.runs = 0 AND (g.token_id IS NULL OR g.redeemed_at IS NOT NULL)) AS agents,
				EXISTS (SELECT 1 FROM notes n WHERE n.org_id = o.id) AS notes
				FROM members m CROSS JOIN organizations o CROSS JOIN studios s
				WHERE o.id = m.org_id AND o.owner_id = m.id AND s.org_id = o.id AND s.general = 1 AND m.user_id = ?
				AND m.ended_at IS NULL ORDER BY m.joined_at, m.id) AS w WHERE unnamed OR alone OR NOT agents
				OR NOT notes`, At(tx.Now), by.UserID)
			return list, err
		}
	}
	return nil, nil
}

// Surroundings has the data for a person's navigation.
type Surroundings struct {
	Waiting int       // number of items that wait for the actor; at most 99
	Asked   int       // number of pending approvals that the actor may answer; at most 99
	Wanted  []Request // requests, other than approvals, that the actor may answer; at most 99
	Studios []Studio
	News    map[string]bool // by studio id: true if the actor has unread notifications about items of the studio
	Agents  []Companion
}

// Companion is an agent of the actor, with a token that is in force or paused.
type Companion struct {
	Org string `db:"org"` // handle of the organization
	Agent
	Waits bool `db:"waits"` // the agent waits for an approval
}

const mostInNavigation = 99

// ShowSurroundings loads the navigation of a person.
func (tx *Tx) ShowSurroundings(by Actor) (s *Surroundings, err error) {
	s = &Surroundings{News: map[string]bool{}}
	if err := tx.Get(&s.Waiting, `SELECT count(*) FROM (SELECT 1 FROM (`+waitingIDs()+`) AS w`+AtMost+`) AS sub`,
		append(tx.waitingArgs(by, mostInNavigation), mostInNavigation)...); err != nil {
		return nil, err
	}
	asked, args := tx.approvalIDs(by, false, Cursor{}, mostInNavigation)
	if err := tx.Get(&s.Asked, `SELECT count(*) FROM (SELECT 1 FROM (`+asked+`) AS a`+AtMost+`) AS sub`,
		append(args, mostInNavigation)...); err != nil {
		return nil, err
	}
	if s.Wanted, err = tx.requests(by, mostInNavigation); err != nil {
		return nil, err
	}
	if s.Studios, err = tx.MyStudios(by, 100); err != nil {
		return nil, err
	}
	var news []string
	if by.Unread() > 0 {
		if err := tx.Select(&news, `SELECT DISTINCT i.studio_id FROM members mm
			JOIN notifications n ON n.member_id = mm.id JOIN items i ON i.id = n.item_id
			WHERE mm.user_id = ? AND mm.ended_at IS NULL AND n.read_at IS NULL AND n.dismissed_at IS NULL`,
			by.UserID); err != nil {
			return nil, err
		}
	}
	for _, id := range news {
		s.News[id] = true
	}
	err = tx.Select(&s.Agents, `SELECT o.handle AS org, a.id AS agent_id, a.label AS agent,
		EXISTS (SELECT 1 FROM approvals p WHERE p.agent_id = a.id AND p.settled_at IS NULL
			AND p.expires_at > ?) AS waits
		FROM members mm JOIN agents a ON a.member_id = mm.id JOIN organizations o ON o.id = a.org_id
		WHERE mm.user_id = ? AND mm.ended_at IS NULL AND EXISTS (SELECT 1 FROM tokens t WHERE t.agent_id = a.id
			AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ?))
		ORDER BY a.label, a.id`+AtMost, At(tx.Now), by.UserID, At(tx.Now), 20)
	return s, err
}

// BriefingSpan is the length of the past period that a briefing covers.
const BriefingSpan = 7 * 24 * time.Hour

// Briefing has the facts that a member or an agent needs before acting in an organization.
type Briefing struct {
	*Organization
	Roles   []Role
	Owned   []Item     // the items that these roles own, such as policies
	Waiting []Waiting  // items that wait for the actor, sorted as in [Tx.WaitingItems]
	Asked   []Approval // pending approvals, as in [HomePage.Asked]
	Wanted  []Request  // requests, other than approvals, that the actor may answer
	Decided []Item     // items of the actor's studios that were closed within [BriefingSpan], the latest first
	Begun   []Item     // open items of the actor's studios that were opened within [BriefingSpan], the latest first
}

const mostBriefed = 12

// ShowBriefing loads a briefing for the actor.
func (tx *Tx) ShowBriefing(by Actor, o *Organization) (*Briefing, error) {
	by = by.only(o.ID)
	b := &Briefing{Organization: o}
	var err error
	if b.Roles, err = tx.rolesWhere(by, `r.holder_id = ?`, `s.handle, r.title, r.id`, mostBriefed, by.MemberID()); err != nil {
		return nil, err
	}
	ids := make([]string, len(b.Roles))
	for i := range b.Roles {
		ids[i] = b.Roles[i].ID
	}
	if b.Owned, err = tx.ownedBy(by.In(o.ID), ids...); err != nil {
		return nil, err
	}
	all, err := tx.WaitingItems(by, 2*mostBriefed)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].OrgID == o.ID && len(b.Waiting) < mostBriefed { // a person may be in other organizations too
			b.Waiting = append(b.Waiting, all[i])
		}
	}
	if b.Asked, err = tx.approvals(by, false, Cursor{}, mostBriefed); err != nil {
		return nil, err
	}
	if b.Wanted, err = tx.requests(by, mostBriefed); err != nil {
		return nil, err
	}
	since := At(tx.Now.Add(-BriefingSpan))
	if b.Decided, err = tx.briefed(by, `i.closed_at >= ? AND i.closed_at > i.opened_at`, `i.closed_at`, since); err != nil {
		return nil, err
	}
	b.Begun, err = tx.briefed(by, `i.opened_at >= ? AND i.closed_at IS NULL`, `i.opened_at`, since)
	return b, err
}

// briefed lists items in the actor's studios. The parameter order is the column by which the items are sorted, latest
// first. The parameter since is the argument of the SQL condition.
func (tx *Tx) briefed(by Actor, condition, order string, since Time) (list []Item, err error) {
	var rows []struct {
		Item
		Place string `db:"place"` // handle of the item's studio
	}
	err = tx.Select(&rows, `SELECT `+itemListColumns+`, s.handle AS place FROM studio_members me
		JOIN studios s ON s.id = me.studio_id CROSS JOIN`+itemFrom+`WHERE i.studio_id = s.id AND me.member_id = ?
		AND i.opened_at IS NOT NULL AND i.removed_at IS NULL AND `+condition+` ORDER BY `+order+` DESC, i.id`+AtMost,
		by.MemberID(), since, mostBriefed)
	for i := range rows {
		rows[i].Studio, rows[i].Now = &Studio{Handle: rows[i].Place}, tx.Now
		list = append(list, rows[i].Item)
	}
	return list, err
}
