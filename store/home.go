package store

import (
	"strconv"
	"strings"
	"sync"
)

// HomePage has the items that wait for the actor, unread notifications, and the actor's studios.
type HomePage struct {
	First   []Beginning // first steps in organizations of the actor
	Waiting []Waiting
	Asked   []Approval     // pending approvals that the actor may answer
	Agents  []AgentAtHome  // the actor's agents with a token
	Unread  []Notification // the newest unread notifications
	Studios []Studio
}

// Waiting is an item that waits for the actor, with its studio and the action it waits for.
type Waiting struct {
	Item
	For          string `db:"what"` // one of [WaitingFor]
	StudioHandle string `db:"studio_handle"`
	StudioName   string `db:"studio_name"`
	ByDue        bool   // its deadline is the one for the action
}

// The actions that items wait for.
const (
	WaitsForVote     = "vote"
	WaitsForMark     = "mark" // a participant's mark of a commitment
	WaitsForReminder = "reminder"
)

// WaitingFor returns the actions that items of all kinds wait for.
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

// ShowHome loads the actor's home page. An anonymous actor: [Missing].
func (tx *Tx) ShowHome(by Actor) (*HomePage, error) {
	if by.Anonymous() {
		return nil, Missing()
	}
	p := &HomePage{}
	var err error
	if p.Waiting, err = tx.WaitingItems(by, 20); err != nil {
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

// The actor's memberships, and the open items in the studios of those members.
const (
	// Few items are open: "|| ''" and "+ 0" keep the SQLite planner from the indexes of all items of a kind
	// and of all deadlines.
	OpenAround = ` FROM members mm JOIN studio_members me ON me.member_id = mm.id
		JOIN studios s ON s.id = me.studio_id AND s.archived_at IS NULL
		JOIN items i ON i.studio_id = s.id AND i.opened_at IS NOT NULL AND i.closed_at IS NULL `
	isMine = ` WHERE mm.user_id = ? AND (? = '' OR mm.org_id = ?) AND mm.ended_at IS NULL `
)

const waitingOrder = ` ORDER BY i.due_at IS NULL, i.due_at, i.created_at DESC` + atMost

// waitingQuery is built once from the waits of all kinds.
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

// WaitingItems lists the items that wait for the actor in the actor's studios, those with the earliest deadline first.
func (tx *Tx) WaitingItems(by Actor, limit int) ([]Waiting, error) {
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
