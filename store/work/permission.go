package work

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"samepage/store"
	"samepage/store/work/rule"
	"samepage/store/work/wire"
)

// Permission is an agent's request for a permission during a turn.
type Permission struct {
	SessionID  string     `db:"session_id"`
	N          int        `db:"n"` // number within the session, from 1
	OrgID      string     `db:"org_id"`
	Event      int        `db:"event"` // number of the event in the turn
	Title      string     `db:"title"`
	Kind       string     `db:"kind"`
	Input      string     `db:"input"`   // JSON; may be empty
	PathList   string     `db:"paths"`   // all files of the request, as JSON; empty if unknown
	Digest     string     `db:"digest"`  // digest of the agent's whole report on the tool call; empty if unknown
	ChoiceList string     `db:"choices"` // offered choices, as JSON
	AskedAt    store.Time `db:"asked_at"`
	AnsweredAt store.Time `db:"answered_at"`
	AnsweredBy string     `db:"answered_by"` // id of a member; empty before an answer, and if a rule answered
	Choice     string     `db:"choice"`      // id of the chosen answer
	Reason     string     `db:"reason"`
	RuleN      int        `db:"rule_n"` // number of the rule that answered or required a person's answer; 0 for none

	Answerer string          `db:"answerer"` // handle of AnsweredBy
	Rule     *PermissionRule // with the number RuleN; nil for none
	Turn     int             `db:"turn"` // number
	Live     bool            // a runner works on the turn; not in lists
	Session  *Session
}

// Choice is an answer that the agent offers. Kind is allow_once, allow_always, reject_once or reject_always.
type Choice struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

const permissionColumns = `q.session_id, q.n, q.org_id, q.event, q.title, q.kind, q.input, q.paths, q.digest, q.choices,
	q.asked_at, q.answered_at, q.answered_by, q.choice, q.reason, coalesce(q.rule_n, 0) AS rule_n,
	coalesce(m.handle, '') AS answerer, t.n AS turn`

const permissionFrom = ` FROM permissions q JOIN turns t ON t.id = q.turn_id LEFT JOIN members m ON m.id = q.answered_by `

// Choices returns the offered answers.
func (p *Permission) Choices() ([]Choice, error) {
	var list []Choice
	if err := json.Unmarshal([]byte(p.ChoiceList), &list); err != nil {
		return nil, fmt.Errorf("the choices of permission %d of session %s: %w", p.N, p.SessionID, err)
	}
	return list, nil
}

// Answers returns the choices that a person may take. It leaves out an "always" choice if there is a "once" choice with
// the same verdict: only the agent remembers "always", so no page could list it and nobody could withdraw it. A rule of
// [MakeRule] takes its place.
func (p *Permission) Answers() ([]Choice, error) {
	list, err := p.Choices()
	return slices.DeleteFunc(slices.Clone(list), func(c Choice) bool {
		verdict, always := strings.CutSuffix(c.Kind, "_always")
		return always && slices.ContainsFunc(list, func(o Choice) bool { return o.Kind == verdict+"_once" })
	}), err
}

// Allows reports whether the choice allows the call.
func (c *Choice) Allows() bool { return c.Kind == "allow_once" || c.Kind == "allow_always" }

var choiceKinds = map[string]string{"allow_once": "Allow once", "allow_always": "Allow always", "reject_once": "Deny",
	"reject_always": "Deny always"}

// Label returns a label for the choice's kind, followed by the agent's name for the choice if that is different. The
// name alone could say the opposite of the kind.
func (c *Choice) Label() string {
	does := choiceKinds[c.Kind]
	if c.Name == "" || does == "" || strings.EqualFold(c.Name, does) {
		return cmp.Or(does, c.Name, c.ID)
	}
	return does + ": " + c.Name
}

// Allows reports whether the request was answered and the answer allows the call.
func (p *Permission) Allows() bool {
	c := p.Offers(p.Choice)
	return c.Allows()
}

// Offers returns the offered answer with the id, or the zero value.
func (p *Permission) Offers(id string) Choice {
	list, err := p.Choices()
	i := slices.IndexFunc(list, func(c Choice) bool { return c.ID == id })
	if err != nil || i < 0 {
		return Choice{}
	}
	return list[i]
}

// URL returns the path of the request's page.
func (p *Permission) URL() string { return fmt.Sprintf("%s/permissions/%d", p.Session.URL(), p.N) }

// Ref returns the request as the target of a journal entry.
func (p *Permission) Ref() store.Ref {
	r := p.Session.Ref()
	r.URL, r.Title = p.URL(), p.Title
	return r
}

// Record returns the fields that the journal stores about a request.
func (p *Permission) Record() any {
	return struct {
		Title  string `json:"title"`
		Choice string `json:"choice,omitempty"`
		Reason string `json:"reason,omitempty"`
		Rule   int    `json:"rule,omitempty"`
	}{p.Title, p.Choice, p.Reason, p.RuleN}
}

// Paths returns all files of the request, as paths below the working folder. The result is empty if they are unknown.
func (p *Permission) Paths() (list []string) {
	if json.Unmarshal([]byte(p.PathList), &list) != nil {
		return nil
	}
	return list
}

// Asks returns the request in the form that [rule.Decide] takes.
func (p *Permission) Asks() rule.Request {
	return rule.Request{Kind: p.Kind, Input: p.Input, Digest: p.Digest, Paths: p.Paths()}
}

// ByRule reports whether a rule has answered the request.
func (p *Permission) ByRule() bool { return !p.AnsweredAt.IsZero() && p.AnsweredBy == "" }

// Relation returns the actor's relations to the session.
func (p *Permission) Relation(by store.Actor) store.Relation { return p.Session.Relation(by) }

// MustBeOpen returns [store.Conflict] if the request was answered or no runner works on its turn, and an error for an
// actor outside the studio.
func (p *Permission) MustBeOpen() error {
	if err := p.Session.Studio.MustBeJoined(); err != nil {
		return err
	}
	switch {
	case p.ByRule():
		return store.Errorf(store.Conflict, "A rule has answered it.")
	case !p.AnsweredAt.IsZero():
		return store.Errorf(store.Conflict, "@%s has answered it.", p.Answerer)
	case !p.Live:
		return store.Errorf(store.Conflict,
			"Nobody can answer it any more: the turn has ended. A resumed agent asks again.")
	}
	return nil
}

// FindPermission finds a request of a session by its number, or returns [store.Missing].
func FindPermission(tx *store.Tx, s *Session, n int) (*Permission, error) {
	p := &Permission{Session: s}
	if err := tx.Get(p, `SELECT `+permissionColumns+permissionFrom+`WHERE q.session_id = ? AND q.n = ?`, s.ID,
		n); err != nil {
		return nil, err
	}
	p.Live = s.Live() && s.Current == p.Turn
	return p, addRules(tx, s, []*Permission{p})
}

// permissionsOf lists the requests of a turn by number. If there are more than [mostEvents], it leaves out the oldest
// answered ones.
func permissionsOf(tx *store.Tx, s *Session, t *Turn) ([]Permission, error) {
	var list []Permission
	if err := tx.Select(&list, `SELECT `+permissionColumns+permissionFrom+`WHERE q.turn_id = ?
		ORDER BY CASE WHEN q.answered_at IS NULL THEN 0 ELSE 1 END, q.n DESC`+store.AtMost, t.ID, mostEvents); err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b Permission) int { return cmp.Compare(a.N, b.N) })
	all := make([]*Permission, len(list))
	for i := range list {
		all[i] = &list[i]
	}
	return list, addRules(tx, s, all)
}

// Asked is a request as a runner reports it.
type Asked struct {
	Event              int
	Title, Kind, Input string
	Paths              []string // all files of the request; empty if unknown
	Digest             string   // digest of the agent's whole report on the tool call; empty if unknown
	Choices            []Choice
}

// AskPermission adds a request to a turn in progress, and answers it if a rule decides it. It returns false if the
// request was added before. It returns [store.Invalid] unless there are 1 to 10 choices with ids, and at most
// [wire.MaxPaths] paths.
func AskPermission(tx *store.Tx, t *Turn, a Asked) (p *Permission, first bool, err error) {
	if len(a.Choices) == 0 || len(a.Choices) > 10 {
		return nil, false, store.Errorf(store.Invalid, "Give between 1 and 10 choices.")
	}
	if slices.ContainsFunc(a.Choices, func(c Choice) bool { return c.ID == "" }) {
		return nil, false, store.Errorf(store.Invalid, "Give each choice an id.")
	}
	if len(a.Paths) > wire.MaxPaths {
		return nil, false, store.Errorf(store.Invalid, "Give at most %d paths, or none.", wire.MaxPaths)
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
	p = &Permission{SessionID: s.ID, N: n, Kind: a.Kind, Input: a.Input, Digest: a.Digest, ChoiceList: string(choices)}
	if len(a.Paths) > 0 {
		paths, err := json.Marshal(a.Paths)
		if err != nil {
			return nil, false, err
		}
		p.PathList = string(paths)
	}
	if err := tx.Exec(`INSERT INTO permissions (session_id, n, org_id, turn_id, event, title, kind, input, paths, digest, choices,
		asked_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, t.SessionID, n, t.OrgID, t.ID, a.Event, a.Title, a.Kind, a.Input,
		p.PathList, a.Digest, p.ChoiceList, store.At(tx.Now)); err != nil {
		return nil, false, err
	}
	if err := answerByRule(tx, s, p); err != nil {
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

// Reply is a person's answer to a request. Rule is for later requests of the session; nil for none.
type Reply struct {
	Choice, Reason string
	Rule           *rule.Rule
}

// AnswerPermission answers a request, and makes and returns the reply's rule. It returns [store.Conflict] if the
// request was answered before, and the errors of [MakeRule].
func AnswerPermission(tx *store.Tx, by store.Actor, p *Permission, a Reply) (made *PermissionRule, err error) {
	member := by.In(p.OrgID).Member
	ok, err := tx.Changed(`UPDATE permissions SET answered_at = ?, answered_by = ?, choice = ?, reason = ?
		WHERE session_id = ? AND n = ? AND answered_at IS NULL`, store.At(tx.Now), member.ID, a.Choice, a.Reason, p.SessionID, p.N)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, store.Errorf(store.Conflict, "Somebody has just answered it.")
	}
	p.AnsweredAt, p.AnsweredBy, p.Answerer = store.At(tx.Now), member.ID, member.Handle
	p.Choice, p.Reason = a.Choice, a.Reason
	if a.Rule == nil {
		return nil, raiseSession(tx, p.SessionID)
	}
	return MakeRule(tx, by, p.Session, &PermissionRule{Rule: *a.Rule, Title: p.Title, Of: p.N, Reason: a.Reason})
}

// The home page of a session's member lists the unanswered permission requests of claimed turns.
var _ = store.DeclareRequests(func(who store.Answerer) (string, []any) {
	return `SELECT 'Answer', q.title, '/sessions/' || s.id || '/permissions/' || q.n, q.asked_at, s.studio_id, s.member_id,
			f.title, s.step, s.step_runs, s.step_at
		FROM turns t CROSS JOIN sessions s CROSS JOIN permissions q JOIN manifests f ON f.id = s.manifest_id
		WHERE t.ended_at IS NULL AND t.claimed_to > ? AND s.id = t.session_id
			AND s.member_id IN (` + store.Placeholders(len(who.Members)) + `) AND q.turn_id = t.id AND q.answered_at IS NULL`,
		append([]any{store.At(who.Now)}, who.Members...)
})
