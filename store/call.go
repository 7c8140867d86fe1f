package store

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// AnswerLife is the time for which the answer to a call with an idempotency key is stored.
const AnswerLife = 24 * time.Hour

// Answer is the answer to a call with an idempotency key. Call is the digest of the call, with which a different call
// with the same key is noticed.
type Answer struct {
	Call []byte `db:"call"`
	Text string `db:"answer"`
}

// FindAnswer finds the answer to the actor's call with an idempotency key. It returns [Missing] if the actor has made
// no call with that key within [AnswerLife].
func (tx *Tx) FindAnswer(by Actor, key string) (*Answer, error) {
	return One[Answer](tx, `SELECT call, answer FROM answers WHERE actor = ? AND key = ? AND at > ?`,
		by.Key(), key, At(tx.Now.Add(-AnswerLife)))
}

// KeepAnswer stores the answer to a call, and deletes up to four expired answers.
func (tx *Tx) KeepAnswer(by Actor, key string, a Answer) error {
	if err := tx.Exec(`DELETE FROM answers WHERE (actor, key) IN (SELECT actor, key FROM answers
		WHERE at <= ? LIMIT 4)`, At(tx.Now.Add(-AnswerLife))); err != nil {
		return err
	}
	return tx.Exec(`INSERT INTO answers (actor, key, call, answer, at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (actor, key) DO UPDATE SET call = excluded.call, answer = excluded.answer, at = excluded.at`,
		by.Key(), key, a.Call, a.Text, At(tx.Now))
}

// Refusal is a refused or failed call that was made with an agent's token.
type Refusal struct {
	Agent
	Member  string `db:"member"` // handle of the agent's member
	Token   string `db:"token_id"`
	At      Time   `db:"at"`
	N       int    `db:"n"`   // number among the refusals of the token in the same millisecond, from 1
	URL     string `db:"url"` // path of the page; empty if the reader may not see the page's studio
	Action  string `db:"action"`
	Code    string `db:"code"`
	Message string `db:"message"` // has no words of the page or of the call, which may be secret or be removed later
}

// Cursor returns the position after this refusal in a list.
func (r *Refusal) Cursor() Cursor {
	return Cursor{At: r.At.UnixMilli(), ID: strconv.Itoa(r.N) + "." + r.Token}
}

// LogRefusal stores a refused or failed call that was made with a token.
func (tx *Tx) LogRefusal(by Actor, r Refusal) error {
	m := &by.Members[0]
	return tx.Exec(`INSERT INTO calls (token_id, at, n, org_id, member_id, agent_id, url, action, code, message)
		SELECT ?, ?, coalesce(max(n), 0) + 1, ?, ?, ?, ?, ?, ?, ? FROM calls WHERE token_id = ? AND at = ?`,
		by.Token, At(tx.Now), m.OrgID, m.ID, by.Agent.ID, r.URL, r.Action, r.Code, r.Message, by.Token, At(tx.Now))
}

// refusals lists refused and failed calls for a reader, newest first, after the cursor. The id is the argument of the
// SQL condition.
func (tx *Tx) refusals(by Actor, condition, id string, after Cursor, limit int) ([]Refusal, error) {
	n, token, _ := strings.Cut(after.ID, ".")
	nth, _ := strconv.Atoi(n) // 0 if n is not a number
	args := after.args(id)
	list, err := All[Refusal](tx, `SELECT c.agent_id, a.label AS agent, m.handle AS member, c.token_id, c.at, c.n, c.url,
		c.action, c.code, c.message
		FROM calls c JOIN agents a ON a.id = c.agent_id JOIN members m ON m.id = c.member_id
		WHERE `+condition+` AND c.at <= ? AND (c.at < ? OR c.n < ? OR c.n = ? AND c.token_id > ?)
			ORDER BY c.at DESC, c.n DESC, c.token_id`+AtMost,
		append(args[:len(args)-1], nth, nth, token, limit)...)
	if err != nil {
		return nil, err
	}
	return list, tx.hideStudios(by, list)
}

// hideStudios empties the URLs of refusals in studios that the reader may not see. An agent sees all of its own.
func (tx *Tx) hideStudios(by Actor, list []Refusal) error {
	if by.IsAgent() {
		return nil
	}
	args := []any{by.MemberID()}
	for i := range list {
		if handle := StudioOf(list[i].URL); handle != "" {
			args = append(args, handle)
		}
	}
	hidden, err := All[string](tx, `SELECT s.handle FROM studios s WHERE NOT `+VisibleTo("?", "s")+` AND s.handle IN (`+
		Placeholders(len(args)-1)+`)`, args...)
	for i := range list {
		if slices.Contains(hidden, StudioOf(list[i].URL)) {
			list[i].URL = ""
		}
	}
	return err
}

// ActivityPage has the latest journal entries of an organization's agents, and one page of their refused or failed
// calls.
type ActivityPage struct {
	*Organization
	Kept     time.Duration // how long refusals are kept
	All      bool          // the page has the refusals of all agents, not only of the actor's own
	Entries  []Entry       // the latest journal entries; on the first page only
	Refusals []Refusal
	Limit    int
	First    bool
}

// ShowActivity loads the journal entries of the organization's agents that the actor may see, and the refused calls. An
// agent gets its own refusals, a member those of the member's agents, and the owner all. The parameter after is empty
// or a [Refusal.Cursor].
func (tx *Tx) ShowActivity(by Actor, o *Organization, after string) (*ActivityPage, error) {
	c, err := ReadCursor(after, o.URL()+"/activity")
	if err != nil {
		return nil, err
	}
	by = by.In(o.ID)
	p := &ActivityPage{Organization: o, Kept: tx.store.retention.Calls, Limit: 50, First: after == "",
		All: by.Is(o.OwnerID) && !by.IsAgent()}
	if p.First {
		if p.Entries, err = tx.journal(by, JournalQuery{OrgID: o.ID, Agents: true, Limit: 20}); err != nil {
			return nil, err
		}
	}
	switch {
	case by.IsAgent():
		p.Refusals, err = tx.refusals(by, `c.agent_id = ?`, by.Agent.ID, c, p.Limit)
	case p.All:
		p.Refusals, err = tx.refusals(by, `c.org_id = ?`, o.ID, c, p.Limit)
	default:
		p.Refusals, err = tx.refusals(by, `c.member_id = ?`, by.MemberID(), c, p.Limit)
	}
	return p, err
}

// Retention has the ages at which [Store.Prune] deletes notifications and refused calls. A zero field stands for the
// default in [DefaultRetention].
type Retention struct {
	Notifications time.Duration // how long notifications are kept, read or unread
	Calls         time.Duration // how long refused calls are kept
}

// DefaultRetention is used for the zero fields of a store's [Retention].
var DefaultRetention = Retention{Notifications: 180 * 24 * time.Hour, Calls: 90 * 24 * time.Hour}

func (r Retention) or(d Retention) Retention {
	return Retention{cmp.Or(r.Notifications, d.Notifications), cmp.Or(r.Calls, d.Calls)}
}

// Pruned counts the rows that [Store.Prune] deleted.
type Pruned struct{ Notifications, Calls, Answers, Deliveries int }

// pruneStep is the greatest number of rows deleted in one transaction, so few that other writers need not wait long.
const pruneStep = 1000

// Prune deletes notifications and refused calls at the ages in [Retention], answers to calls at the age [AnswerLife],
// and ended deliveries at the age [DeliveryMemory].
func (s *Store) Prune(ctx context.Context) (p Pruned, err error) {
	if err := s.pruneNotifications(ctx, &p.Notifications); err != nil {
		return p, err
	}
	if err := s.deleteOld(ctx, &p.Calls, `DELETE FROM calls WHERE (token_id, at, n) IN (SELECT token_id, at, n FROM calls
		WHERE at <= ? ORDER BY at`+AtMost+`) RETURNING n`, s.retention.Calls); err != nil {
		return p, err
	}
	for _, table := range []string{"deliveries", "own_deliveries"} {
		if err := s.deleteOld(ctx, &p.Deliveries, `DELETE FROM `+table+` WHERE (webhook_id, n) IN (SELECT webhook_id, n
			FROM `+table+` WHERE due_at IS NULL AND created_at <= ?`+AtMost+`) RETURNING n`, DeliveryMemory); err != nil {
			return p, err
		}
	}
	return p, s.deleteOld(ctx, &p.Answers, `DELETE FROM answers WHERE (actor, key) IN (SELECT actor, key FROM answers
		WHERE at <= ?`+AtMost+`) RETURNING 1`, AnswerLife)
}

// DeliveryMemory is the age at which an ended delivery is deleted from the log of a webhook.
const DeliveryMemory = 30 * 24 * time.Hour

// pruneNotifications is the part of [Store.Prune] for notifications. It goes from member to member, because the index
// by time begins with the member.
func (s *Store) pruneNotifications(ctx context.Context, n *int) error {
	for after, more := "", true; more; {
		var ids []string
		if err := s.Read(ctx, func(tx *Tx) error {
			return tx.Select(&ids, `SELECT id FROM members WHERE id > ? ORDER BY id`+AtMost, after, pruneStep)
		}); err != nil {
			return err
		}
		for _, id := range ids {
			after = id
			if err := s.deleteOld(ctx, n, `DELETE FROM notifications WHERE (member_id, seq) IN (SELECT member_id, seq
				FROM notifications WHERE member_id = ? AND at <= ?`+AtMost+`) RETURNING 1`, s.retention.Notifications, id); err != nil {
				return err
			}
		}
		more = len(ids) == pruneStep
	}
	return nil
}

// deleteOld repeats a statement that deletes up to pruneStep rows older than life, and adds their number to n.
func (s *Store) deleteOld(ctx context.Context, n *int, statement string, life time.Duration, args ...any) error {
	for {
		var gone []int64
		if err := s.Write(ctx, func(tx *Tx) error {
			return tx.Select(&gone, statement, append(args[:len(args):len(args)], At(tx.Now.Add(-life)), pruneStep)...)
		}); err != nil {
			return err
		}
		if *n += len(gone); len(gone) < pruneStep {
			return nil
		}
	}
}

// Preview shows the effects of a call that is not executed yet, from a dry run.
type Preview struct {
	Fields []PreviewField `json:"fields"` // the params of the call
	Says   string         `json:"says"`   // the message that the action would return
	// Before and After are the records of the page before and after the action. They are empty if the record would stay
	// the same, and if the action would create items.
	Before json.RawMessage   `json:"before,omitempty"`
	After  json.RawMessage   `json:"after,omitempty"`
	Made   []json.RawMessage `json:"made,omitempty"` // the records of the items that would be created
	Undo   string            `json:"undo"`           // a sentence that says how to undo the action
}

// PreviewField is one param of the call, formatted for people.
type PreviewField struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`          // the value, or several values for a list
	Prose  bool     `json:"prose,omitempty"` // the value is markdown
}

var askApproval = DeclareEvent("ask_approval", "asked for")

// HoldCall stores an agent's call until a person answers, and notifies the agent's member. If an equal call is pending,
// HoldCall returns the approval of that call instead. It returns [Unavailable] for an [Approval.Discreet] call if the
// store has no keys.
func (tx *Tx) HoldCall(by Actor, a Approval) (*Approval, error) {
	a.ID = NewID()
	if a.Discreet {
		if err := tx.sealCall(&a); err != nil {
			return nil, err
		}
	}
	var known string
	err := tx.Get(&known, `SELECT id FROM approvals WHERE agent_id = ? AND digest = ? AND settled_at IS NULL
		AND expires_at > ?`, by.Agent.ID, a.Digest, At(tx.Now))
	if err == nil {
		return tx.FindApproval(by, known)
	}
	if CodeOf(err) != NotFound {
		return nil, err
	}
	path, _, _ := strings.Cut(a.URL, "?")
	if err := tx.Exec(`INSERT INTO approvals (id, org_id, studio_id, item_id, member_id, agent_id, token_id, url, query,
		action, title, target, params, version, digest, preview, why, rule, private,
		discreet, sealed, asked_at, expires_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		a.ID, a.OrgID, Null(a.StudioID), Null(a.ItemID), by.MemberID(), by.Agent.ID, by.Token, path, a.URL[len(path):],
		a.Action, a.Title, a.Target, a.Params, a.Version, a.Digest, a.Preview, a.Why, a.Rule,
		a.Private, a.Discreet, a.Sealed, At(tx.Now), At(tx.Now.Add(ApprovalLife))); err != nil {
		return nil, err
	}
	held, err := tx.FindApproval(by, a.ID)
	if err != nil {
		return nil, err
	}
	seq, err := tx.Journal(by, Change{Action: askApproval, Target: held.Ref(), After: held.Record()})
	if err != nil {
		return nil, err
	}
	if err := tx.Exec(`INSERT INTO notifications (member_id, seq, org_id, reason, actor, did, url, title, at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		held.MemberID, seq, held.OrgID, ReasonApproval, held.By(), "asks for your approval of", held.PageURL(),
		held.Ref().Title, At(tx.Now)); err != nil {
		return nil, err
	}
	if err := tx.Exec(`UPDATE members SET unread = unread + 1 WHERE id = ?`, held.MemberID); err != nil {
		return nil, err
	}
	return held, tx.raise(ownVersion, held.MemberID)
}

// sealedCall is the content of a pending call with [Approval.Discreet], such as a secret ballot. The database stores it
// encrypted, so that backups and exports do not reveal it.
type sealedCall struct {
	Params, Preview, Why string
	Digest               []byte
}

const callPurpose = "approvals"

// sealCall encrypts the content of a call, and replaces its digest with a keyed one. A digest without a key would
// reveal a vote to anyone who compares it with the digests of all possible votes.
func (tx *Tx) sealCall(a *Approval) error {
	text, err := json.Marshal(sealedCall{a.Params, a.Preview, a.Why, a.Digest})
	if err != nil {
		return err
	}
	if a.Sealed, err = tx.Seal(callPurpose, a.ID, string(text)); err != nil {
		return err
	}
	a.Params, a.Preview, a.Why, a.Digest = "", "", "", tx.keyed(callPurpose, a.Digest)
	return nil
}

// unsealCall decrypts the content of a call. It does nothing if the keys of the installation were replaced or are not
// loaded.
func (tx *Tx) unsealCall(a *Approval) error {
	if len(a.Sealed) == 0 {
		return nil
	}
	text, err := tx.Unseal(callPurpose, a.ID, a.Sealed)
	if err == ErrUnsealed {
		return nil
	}
	if err != nil {
		return err
	}
	var s sealedCall
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return err
	}
	a.Params, a.Preview, a.Why, a.Digest, a.Sealed = s.Params, s.Preview, s.Why, s.Digest, nil
	return nil
}
