package store

import (
	"strconv"
	"strings"
	"sync"
)

// HomePage is what waits for somebody, what they have not read, and where they are.
type HomePage struct {
	First   []Beginning // what is left to do in the organizations that a person owns
	Waiting []Waiting
	Asked   []Approval     // what agents asked for and a person must answer
	Agents  []AgentAtHome  // a person's own that can act
	Unread  []Notification // the newest
	Studios []Studio
}

// Waiting is an item that waits for somebody, with where it is and what it waits for.
type Waiting struct {
	Item
	For          string `db:"what"` // one of [WaitingFor]
	StudioHandle string `db:"studio_handle"`
	StudioName   string `db:"studio_name"`
	ByDue        bool   // its time is that by which it waits
}

// What items wait for.
const (
	WaitsForVote     = "vote"
	WaitsForMark     = "mark" // that somebody says whether they kept a commitment
	WaitsForReminder = "reminder"
)

// WaitingFor lists what items wait for.
func WaitingFor() (list []string) {
	for _, w := range itemWaits() {
		list = append(list, w.For)
	}
	return list
}

func itemWaits() (list []Wait) {
	for _, k := range ItemKinds() {
		list = append(list, k.Waits...)
	}
	return list
}

// ShowHome loads the actor's home. Nobody signed in: [Missing].
func (tx *Tx) ShowHome(by Actor) (*HomePage, error) {
	if by.Anonymous() {
		return nil, Missing()
	}
	p := &HomePage{}
	var err error
	if p.Waiting, err = tx.Waiting(by, 20); err != nil {
		return nil, err
	}
	if !by.IsAgent() {
		if p.Asked, err = tx.approvals(by, false, Cursor{}, 10); err != nil {
			return nil, err
		}
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
	p.Studios, err = tx.MyStudios(by, 50)
	return p, err
}

// The members that an actor is, and what is open in the studios they are in.
const (
	// What is open is little; the empty string behind the kind, and the zero behind
	// the time, keep the planner from going through all of a kind, or all that was ever due.
	openAround = ` FROM members mm JOIN studio_members me ON me.member_id = mm.id
		JOIN studios s ON s.id = me.studio_id AND s.archived_at IS NULL
		JOIN items i ON i.studio_id = s.id AND i.opened_at IS NOT NULL AND i.closed_at IS NULL `
	isMine = ` WHERE mm.user_id = ? AND (? = '' OR mm.org_id = ?) AND mm.ended_at IS NULL `
)

const waitingOrder = ` ORDER BY i.due_at IS NULL, i.due_at, i.created_at DESC` + atMost

// waitingQuery is made once, from the waits of all kinds.
var waitingQuery = sync.OnceValue(func() string {
	var stretches []string
	for n, w := range itemWaits() {
		stretches = append(stretches, `SELECT * FROM (SELECT '`+w.For+`' AS what, i.id`+w.From+isMine+`
			AND `+w.Where+waitingOrder+
			`) AS stretch`+strconv.Itoa(n))
	}
	return `SELECT ` + itemListColumns + `, w.what, s.handle AS studio_handle, s.name AS studio_name
		FROM (` + strings.Join(stretches, ` UNION ALL `) + `) AS w
		CROSS JOIN` + itemFrom + `JOIN studios s ON s.id = i.studio_id WHERE i.id = w.id` + waitingOrder
})

// Waiting lists what waits for the actor in the studios they are in, first what is due.
func (tx *Tx) Waiting(by Actor, limit int) ([]Waiting, error) {
	var args []any
	due := map[string]bool{}
	for _, w := range itemWaits() {
		due[w.For] = w.Due
		args = append(args, by.studioArgs(At(tx.Now.Add(w.Ahead)), limit)...)
	}
	var list []Waiting
	err := tx.Select(&list, waitingQuery(), append(args, limit)...)
	for i := range list {
		list[i].Studio, list[i].Now = &Studio{Handle: list[i].StudioHandle}, tx.Now
		list[i].ByDue = due[list[i].For]
	}
	return list, err
}
