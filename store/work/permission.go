package work

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"samepage/store"
)

// Permission is a request of an agent for a permission during a turn.
type Permission struct {
	SessionID  string     `db:"session_id"`
	N          int        `db:"n"` // counts from 1 in each session
	OrgID      string     `db:"org_id"`
	TurnID     string     `db:"turn_id"`
	Event      int        `db:"event"` // number of the turn's event about the request
	Title      string     `db:"title"`
	Kind       string     `db:"kind"`
	Input      string     `db:"input"`   // JSON; empty for none
	ChoiceList string     `db:"choices"` // the offered choices as JSON
	AskedAt    store.Time `db:"asked_at"`
	AnsweredAt store.Time `db:"answered_at"`
	AnsweredBy string     `db:"answered_by"`
	Choice     string     `db:"choice"` // id of the chosen answer; empty before
	Reason     string     `db:"reason"`
	Remembered bool       `db:"remembered"` // the answer also applies to equal requests later in the session
	Of         int        `db:"of_n"`       // number of the request whose answer was applied to this one; 0 if a person answered it

	Answerer string `db:"answerer"` // handle
	Turn     int    `db:"turn"`     // number of the turn
	Live     bool   // the turn still waits for the answer
	Session  *Session
}

// Choice is a possible answer that the agent offers. Kind is allow_once, allow_always, reject_once or reject_always.
type Choice struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

const permissionColumns = `q.session_id, q.n, q.org_id, q.turn_id, q.event, q.title, q.kind, q.input, q.choices, q.asked_at, q.answered_at,
	q.answered_by, q.choice, q.reason, q.remembered, q.of_n, coalesce(m.handle, '') AS answerer, t.n AS turn`

const permissionFrom = ` FROM permissions q JOIN turns t ON t.id = q.turn_id LEFT JOIN members m ON m.id = q.answered_by `

// Choices returns the possible answers.
func (p *Permission) Choices() ([]Choice, error) {
	var list []Choice
	if err := json.Unmarshal([]byte(p.ChoiceList), &list); err != nil {
		return nil, fmt.Errorf("the choices of permission %d of session %s: %w", p.N, p.SessionID, err)
	}
	return list, nil
}

// Allows reports whether the choice allows what is asked.
func (c *Choice) Allows() bool { return c.Kind == "allow_once" || c.Kind == "allow_always" }

// choiceKinds has a label for each kind of choice.
var choiceKinds = map[string]string{"allow_once": "Allow once", "allow_always": "Allow always", "reject_once": "Deny",
	"reject_always": "Deny always"}

// Label returns the label of the choice's kind, followed by the agent's name for the choice if that is different. The
// name alone could say the opposite of the kind.
func (c *Choice) Label() string {
	does := choiceKinds[c.Kind]
	if c.Name == "" || does == "" || strings.EqualFold(c.Name, does) {
		return cmp.Or(does, c.Name, c.ID)
	}
	return does + ": " + c.Name
}

// Allows reports whether the answer allows what was asked. It returns false for an unanswered request.
func (p *Permission) Allows() bool {
	list, err := p.Choices()
	i := slices.IndexFunc(list, func(c Choice) bool { return c.ID == p.Choice })
	return err == nil && i >= 0 && list[i].Allows()
}

// URL returns the path of the request's page.
func (p *Permission) URL() string { return fmt.Sprintf("%s/permissions/%d", p.Session.URL(), p.N) }

// Ref returns the request as the target of a journal entry.
func (p *Permission) Ref() store.Ref {
	r := p.Session.Ref()
	r.URL, r.Title = p.URL(), p.Title
	return r
}

// Record returns the fields of a request that the journal stores.
func (p *Permission) Record() any {
	return struct {
		Title      string `json:"title"`
		Choice     string `json:"choice,omitempty"`
		Reason     string `json:"reason,omitempty"`
		Remembered bool   `json:"remembered,omitempty"`
		As         int    `json:"as,omitempty"`
	}{p.Title, p.Choice, p.Reason, p.Remembered, p.Of}
}

// Relation returns the actor's relations to the session.
func (p *Permission) Relation(by store.Actor) store.Relation { return p.Session.Relation(by) }

// MustBeOpen returns [store.Conflict] if the request was answered, or if its turn does not wait for the answer. It
// returns an error for an actor outside the studio.
func (p *Permission) MustBeOpen() error {
	if err := p.Session.Studio.MustBeJoined(); err != nil {
		return err
	}
	switch {
	case !p.AnsweredAt.IsZero():
		return store.Errorf(store.Conflict, "@%s has answered it.", p.Answerer)
	case !p.Live:
		return store.Errorf(store.Conflict,
			"Nobody can answer it any more: the turn has ended. A resumed agent asks again.")
	}
	return nil
}

// FindPermission finds a request of a session by its number. It returns [store.Missing] if there is none.
func FindPermission(tx *store.Tx, s *Session, n int) (*Permission, error) {
	p := &Permission{Session: s}
	if err := tx.Get(p, `SELECT `+permissionColumns+permissionFrom+`WHERE q.session_id = ? AND q.n = ?`, s.ID,
		n); err != nil {
		return nil, err
	}
	p.Live = s.Live() && s.Current == p.Turn
	return p, nil
}

// permissionsOf lists up to [mostEvents] requests of a turn: the open requests, and the latest of the answered ones.
func permissionsOf(tx *store.Tx, t *Turn) (list []Permission, err error) {
	err = tx.Select(&list, `SELECT `+permissionColumns+permissionFrom+`WHERE q.turn_id = ?
		ORDER BY CASE WHEN q.answered_at IS NULL THEN 0 ELSE 1 END, q.n DESC`+store.AtMost, t.ID, mostEvents)
	slices.SortFunc(list, func(a, b Permission) int { return cmp.Compare(a.N, b.N) })
	return list, err
}

// Asked is a request in the form in which a runner reports it.
type Asked struct {
	Event              int
	Title, Kind, Input string
	Choices            []Choice
}

// AskPermission adds a request to a turn in progress. If the runner reports the same request again, AskPermission
// changes nothing, and first is false. It returns [store.Invalid] unless there are between 1 and 10 choices with ids.
func AskPermission(tx *store.Tx, t *Turn, a Asked) (p *Permission, first bool, err error) {
	if len(a.Choices) == 0 || len(a.Choices) > 10 {
		return nil, false, store.Errorf(store.Invalid, "Give between 1 and 10 choices.")
	}
	if slices.ContainsFunc(a.Choices, func(c Choice) bool { return c.ID == "" }) {
		return nil, false, store.Errorf(store.Invalid, "Give each choice an id.")
	}
	choices, err := json.Marshal(a.Choices)
	if err != nil {
		return nil, false, err
	}
	s, err := SessionByID(tx, t.SessionID)
	if err != nil {
		return nil, false, err
	}
	var n, before int
	if err := tx.Get(&before, `SELECT coalesce(max(n), 0) FROM permissions WHERE turn_id = ? AND event = ?`, t.ID,
		a.Event); err != nil {
		return nil, false, err
	}
	if before > 0 {
		p, err = FindPermission(tx, s, before)
		return p, false, err
	}
	if err := tx.Get(&n, `SELECT coalesce(max(n), 0) + 1 FROM permissions WHERE session_id = ?`,
		t.SessionID); err != nil {
		return nil, false, err
	}
	if err := tx.Exec(`INSERT INTO permissions (session_id, n, org_id, turn_id, event, title, kind, input, choices, asked_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, t.SessionID, n, t.OrgID, t.ID, a.Event, a.Title, a.Kind, a.Input,
		string(choices),
		store.At(tx.Now)); err != nil {
		return nil, false, err
	}
	if err := answerAsBefore(tx, s, n, a); err != nil {
		return nil, false, err
	}
	if err := tx.Exec(`UPDATE sessions SET moved_at = ? WHERE id = ?`, store.At(tx.Now), t.SessionID); err != nil {
		return nil, false, err
	}
	if err := raiseSession(tx, s.ID); err != nil {
		return nil, false, err
	}
	if s, err = SessionByID(tx, s.ID); err != nil {
		return nil, false, err
	}
	p, err = FindPermission(tx, s, n)
	return p, true, err
}

// answerAsBefore answers a request with the remembered answer to an equal request of the session. Requests are equal if
// they have the same title, kind and input. The person who gave that answer must still be in the studio.
func answerAsBefore(tx *store.Tx, s *Session, n int, a Asked) error {
	var list []Permission
	if err := tx.Select(&list, `SELECT `+permissionColumns+permissionFrom+`
		JOIN studio_members y ON y.studio_id = ? AND y.member_id = q.answered_by
		WHERE q.session_id = ? AND q.remembered = 1 AND q.title = ? AND q.kind = ? AND q.input = ? ORDER BY q.n DESC LIMIT 1`,
		s.StudioID, s.ID, a.Title, a.Kind, a.Input); err != nil || len(list) == 0 {
		return err
	}
	p := &list[0]
	before, err := p.Choices()
	if err != nil {
		return err
	}
	was := slices.IndexFunc(before, func(c Choice) bool { return c.ID == p.Choice })
	now := slices.IndexFunc(a.Choices, func(c Choice) bool { return was >= 0 && c.Kind == before[was].Kind })
	if now < 0 { // the agent offers other choices, so that a person is asked
		return nil
	}
	return tx.Exec(`UPDATE permissions SET answered_at = ?, answered_by = ?, choice = ?, reason = ?, of_n = ?
		WHERE session_id = ? AND n = ?`, store.At(tx.Now), p.AnsweredBy, a.Choices[now].ID, p.Reason, p.N, s.ID, n)
}

// rememberedOf lists the requests of a session with remembered answers, newest first.
func rememberedOf(tx *store.Tx, s *Session) (list []Permission, err error) {
	err = tx.Select(&list, `SELECT `+permissionColumns+permissionFrom+`WHERE q.session_id = ? AND q.remembered = 1
		ORDER BY q.n DESC`+store.AtMost, s.ID, mostListed)
	for i := range list {
		list[i].Session = s
	}
	return list, err
}

// MustBeRemembered returns [store.Conflict] unless the answer is remembered, and an error for an actor outside the
// studio.
func (p *Permission) MustBeRemembered() error {
	if err := p.Session.Studio.MustBeJoined(); err != nil {
		return err
	}
	if !p.Remembered {
		return store.Errorf(store.Conflict, "Its answer is not remembered.")
	}
	return nil
}

// ForgetAnswer ends the effect of a remembered answer on later requests.
func ForgetAnswer(tx *store.Tx, p *Permission) error {
	p.Remembered = false
	if err := tx.Exec(`UPDATE permissions SET remembered = 0 WHERE session_id = ? AND n = ?`, p.SessionID, p.N); err != nil {
		return err
	}
	return raiseSession(tx, p.SessionID)
}

// Reply is a person's answer to a request.
type Reply struct {
	Choice, Reason string
	Remember       bool // the answer also applies to equal requests later in the session
}

// AnswerPermission answers a request. It returns [store.Conflict] if the request was answered before.
func AnswerPermission(tx *store.Tx, by store.Actor, p *Permission, a Reply) error {
	member := by.In(p.OrgID).Member
	ok, err := tx.Changed(`UPDATE permissions SET answered_at = ?, answered_by = ?, choice = ?, reason = ?,
		remembered = ? WHERE session_id = ? AND n = ? AND answered_at IS NULL`, store.At(tx.Now), member.ID, a.Choice, a.Reason,
		number(a.Remember), p.SessionID, p.N)
	if err != nil {
		return err
	}
	if !ok {
		return store.Errorf(store.Conflict, "Somebody has just answered it.")
	}
	p.AnsweredAt, p.AnsweredBy, p.Answerer = store.At(tx.Now), member.ID, member.Handle
	p.Choice, p.Reason, p.Remembered = a.Choice, a.Reason, a.Remember
	return raiseSession(tx, p.SessionID)
}

// The home page of a session's member lists the unanswered permission requests of a running turn.
var _ = store.DeclareRequests(func(who store.Answerer) (string, []any) {
	return `SELECT 'Answer', q.title, '/sessions/' || s.id || '/permissions/' || q.n, q.asked_at, s.studio_id, s.member_id,
			f.title
		FROM turns t CROSS JOIN sessions s CROSS JOIN permissions q JOIN manifests f ON f.id = s.manifest_id
		WHERE t.ended_at IS NULL AND t.claimed_to > ? AND s.id = t.session_id
			AND s.member_id IN (` + store.Placeholders(len(who.Members)) + `) AND q.turn_id = t.id AND q.answered_at IS NULL`,
		append([]any{store.At(who.Now)}, who.Members...)
})
