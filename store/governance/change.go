package governance

import (
	"encoding/json"
	"maps"
	"slices"

	"samepage/store"
)

// Change is an action on another page that a topic carries. When the topic is accepted, the action is taken in the name
// of the member who added the change.
type Change struct {
	N        int    `db:"n"` // number of the change within the topic, from 1
	MemberID string `db:"member_id"`
	Member   string `db:"member"`
	store.Agent
	Left    bool       `db:"gone"` // whether the member has left the organization, so that the change cannot be made
	AddedAt store.Time `db:"added_at"`
	TakenAt store.Time `db:"taken_at"`
	PageCall
	// Message is the message of the action after it was taken, or the reason why the change was left out when the topic
	// was passed on to the parent studio.
	Message   string `db:"message"`
	ResultURL string `db:"result_url"` // path of the page to which the action led
}

// PageCall is a call of an action on a page.
type PageCall struct {
	URL    string `db:"url"`
	Action string `db:"action"`
	Title  string `db:"title"`   // title of the action
	Target string `db:"target"`  // title of the page
	Params string `db:"params"`  // encoded by package web
	Shown  string `db:"preview"` // JSON of the [store.Preview]
}

// Preview returns the effects of the call in its last trial.
func (c *PageCall) Preview() (p store.Preview) {
	json.Unmarshal([]byte(c.Shown), &p) // cannot fail, because this program encoded the JSON
	return p
}

// PageCalls takes actions of other pages within a transaction. Package web implements it.
type PageCalls interface {
	// TryCall takes an action and undoes it. The parameter `values` has lines of the form "name: value". TryCall
	// returns an error if a topic of the studio cannot carry the action.
	TryCall(tx *store.Tx, by store.Actor, s *store.Studio, url, action, values string) (PageCall, error)
	// RetryCall tries the call again and returns it with a new preview. If a topic of the studio cannot carry the call,
	// `why` is the reason, as a sentence.
	RetryCall(tx *store.Tx, by store.Actor, s *store.Studio, c PageCall) (fresh PageCall, why string, err error)
	// PageRecord returns the present record of a page, or nil if the actor may not see the page.
	PageRecord(tx *store.Tx, by store.Actor, url string) (json.RawMessage, error)
	// TakeCall takes an action in the name of a member. The parameter `why` is the reason for the journal.
	TakeCall(tx *store.Tx, by store.Actor, c PageCall, why string) (message, url string, err error)
}

// Carry sets the implementation of [PageCalls] for the topic's changes.
func (t *Topic) Carry(calls PageCalls) { t.calls = calls }

// MaxChanges is the greatest number of changes that a topic carries.
const MaxChanges = 10

func topicChanges(tx *store.Tx, t *Topic) ([]Change, error) {
	if t.Changes == 0 {
		return nil, nil
	}
	return store.All[Change](tx, `SELECT c.n, c.member_id, m.handle AS member, m.ended_at IS NOT NULL AS gone, c.agent_id,
		a.label AS agent, c.added_at, c.taken_at, c.url, c.action, c.title, c.target, c.params, c.preview, c.message,
			c.result_url
		FROM topic_changes c
		JOIN members m ON m.id = c.member_id LEFT JOIN agents a ON a.id = c.agent_id
		WHERE c.topic_id = ? ORDER BY c.n`+store.AtMost, t.ID, MaxChanges)
}

// AddChange tries an action as the acting member, and adds it to the topic's changes. An open topic goes back to
// clarification.
func AddChange(tx *store.Tx, by store.Actor, t *Topic, url, action, values string) (PageCall, error) {
	inPerson := byConsent(by.Member, t)
	inPerson.Login, inPerson.Proved = by.Login, by.Proved // both are zero for an agent
	c, err := t.calls.TryCall(tx, inPerson, t.Studio, url, action, values)
	if err != nil {
		return c, err
	}
	n := 1
	if len(t.Carried) > 0 {
		n = t.Carried[len(t.Carried)-1].N + 1
	}
	if err := tx.Exec(`INSERT INTO topic_changes (topic_id, n, org_id, member_id, agent_id, added_at, url, action, title,
		target, params, preview) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		t.ID, n, t.OrgID, by.MemberID(), store.Null(by.Agent.ID), store.At(tx.Now), c.URL, c.Action, c.Title, c.Target,
		c.Params, c.Shown); err != nil {
		return c, err
	}
	return c, changedChanges(tx, t)
}

// CopyChanges adds the changes of a topic to the draft of another topic.
func CopyChanges(tx *store.Tx, from, to *Topic) error {
	if err := tx.Exec(`INSERT INTO topic_changes (topic_id, n, org_id, member_id, agent_id, added_at, url, action, title,
		target, params, preview) SELECT ?, n, org_id, member_id, agent_id, added_at, url, action, title, target, params,
		preview FROM topic_changes WHERE topic_id = ?`, to.ID, from.ID); err != nil {
		return err
	}
	return changedChanges(tx, to)
}

// passChanges tries the topic's changes again for the parent studio, each in the name of the member who added it. It
// returns the changes that the parent studio can carry and, in left, the others. It stores the reason with each of the
// others.
func passChanges(tx *store.Tx, t *Topic, parent *store.Studio) (passed, left []Change, err error) {
	for _, c := range t.Carried {
		m, err := tx.FindMember(store.System(), t.Studio.Org, c.Member)
		if err != nil {
			return nil, nil, err
		}
		why := "@" + c.Member + ", who added it, is no member any more."
		if !m.Ended() {
			by := m.InPerson()
			by.ByConsent = parent.ID
			var fresh PageCall
			if fresh, why, err = t.calls.RetryCall(tx, by, parent, c.PageCall); err != nil {
				return nil, nil, err
			}
			if why == "" {
				c.PageCall = fresh
				passed = append(passed, c)
				continue
			}
		}
		c.Message = why
		left = append(left, c)
		if err := tx.Exec(`UPDATE topic_changes SET message = ? WHERE topic_id = ? AND n = ?`, why, t.ID, c.N); err != nil {
			return nil, nil, err
		}
	}
	return passed, left, nil
}

func insertChanges(tx *store.Tx, t *Topic, list []Change) error {
	for _, c := range list {
		if err := tx.Exec(`INSERT INTO topic_changes (topic_id, n, org_id, member_id, agent_id, added_at, url, action, title,
			target, params, preview) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			t.ID, c.N, t.OrgID, c.MemberID, store.Null(c.Agent.ID), c.AddedAt, c.URL, c.Action, c.Title, c.Target,
			c.Params,
			c.Shown); err != nil {
			return err
		}
	}
	return changedChanges(tx, t)
}

// RemoveChange removes change n from the topic. An open topic goes back to clarification.
func RemoveChange(tx *store.Tx, t *Topic, n int) error {
	if err := tx.Exec(`DELETE FROM topic_changes WHERE topic_id = ? AND n = ?`, t.ID, n); err != nil {
		return err
	}
	return changedChanges(tx, t)
}

// changedChanges stores the new number of the topic's changes. An open topic goes back to clarification.
func changedChanges(tx *store.Tx, t *Topic) error {
	if err := tx.Exec(`UPDATE topics SET changes = (SELECT count(*) FROM topic_changes c WHERE c.topic_id = topics.id)
		WHERE id = ?`, t.ID); err != nil {
		return err
	}
	if t.Draft() {
		return tx.TouchItem(&t.Item)
	}
	return StepBackTopic(tx, t)
}

// takeChanges takes the actions of all changes that the topic carries. If it returns an error, the caller must undo the
// transaction.
func takeChanges(tx *store.Tx, t *Topic) error {
	actors := make([]store.Actor, len(t.Carried))
	for i := range t.Carried {
		c := &t.Carried[i]
		m, err := tx.FindMember(store.System(), t.Studio.Org, c.Member)
		if err != nil {
			return err
		}
		if m.Ended() {
			return store.Errorf(store.Conflict,
				"Change %d cannot be made: @%s, who added it, is no member any more. %s",
				c.N, c.Member, anew)
		}
		actors[i] = byConsent(m, t)
		present, err := t.calls.PageRecord(tx, actors[i], c.URL)
		if err != nil {
			return err
		}
		if field := c.overwrites(present); field != "" {
			return store.Errorf(store.Conflict,
				"Change %d would overwrite what others wrote: the field %s of %q has changed since the "+
					"change was added, so nothing is accepted. %s", c.N, field, c.Target, anew)
		}
	}
	for i := range t.Carried {
		c := &t.Carried[i]
		message, url, err := t.calls.TakeCall(tx, actors[i], c.PageCall, "By consent: "+t.URL())
		if err != nil {
			return store.Errorf(store.Conflict, "Change %d cannot be made any more, so nothing is accepted. %s", c.N,
				err)
		}
		if err := tx.Exec(`UPDATE topic_changes SET taken_at = ?, message = ?, result_url = ? WHERE topic_id = ? AND n = ?`,
			store.At(tx.Now), message, url, t.ID, c.N); err != nil {
			return err
		}
	}
	return nil
}

// anew says what to do with a change that cannot be made.
const anew = "Remove it with remove_change, and add it anew with add_change."

// overwrites returns the name of a text that the change sets and that somebody else has set in the present record of its
// page since the trial, or "" if there is none. Numbers, such as counts of members, may differ.
func (c *Change) overwrites(present json.RawMessage) string {
	var before, after, now map[string]any
	p := c.Preview()
	// The errors of records that are missing leave their maps empty.
	json.Unmarshal(p.Before, &before)
	json.Unmarshal(p.After, &after)
	json.Unmarshal(present, &now)
	names := slices.AppendSeq(slices.Collect(maps.Keys(before)), maps.Keys(after))
	slices.Sort(names)
	for _, name := range names {
		was, _ := before[name].(string) // records leave out empty texts
		set, _ := after[name].(string)
		is, _ := now[name].(string)
		if now != nil && was != set && is != was && is != set {
			return name
		}
	}
	return ""
}

// byConsent returns the member as an actor who acts by the consent of the topic's studio.
func byConsent(m *store.Member, t *Topic) store.Actor {
	by := m.InPerson()
	by.ByConsent = t.StudioID
	return by
}

// MustTakeChangesOf returns an error if the actor cannot change the proposal or the topic has [MaxChanges] changes.
func (t *Topic) MustTakeChangesOf(by store.Actor) error {
	if err := t.MustBeAmendableBy(by); err != nil {
		return err
	}
	if t.Changes >= MaxChanges {
		return store.Errorf(store.Conflict, "This topic carries %d changes, the most there may be.", t.Changes)
	}
	return nil
}

// MustCarryFor returns an error if the actor cannot change the proposal or the topic carries no change.
func (t *Topic) MustCarryFor(by store.Actor) error {
	if err := t.MustBeAmendableBy(by); err != nil {
		return err
	}
	if t.Changes == 0 {
		return store.Errorf(store.Conflict, "This topic carries no change.")
	}
	return nil
}
