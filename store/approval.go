package store

import (
	"encoding/json"
	"time"
)

// ApprovalLife is the time after which a pending approval expires.
const ApprovalLife = 7 * 24 * time.Hour

// Approval is an agent's call that a person has to approve or reject.
type Approval struct {
	ID       string `db:"id"`
	OrgID    string `db:"org_id"`
	Org      string `db:"org"` // handle of the organization
	OrgName  string `db:"org_name"`
	StudioID string `db:"studio_id"`
	MemberID string `db:"member_id"`
	Member   string `db:"member"` // handle of the agent's member
	Agent
	TokenID string `db:"token_id"`
	ItemID  string `db:"-"`   // the item to which the page of the action belongs, for [Tx.HoldCall]; empty for none
	URL     string `db:"url"` // path of the page that has the action, with its query
	Action  string `db:"action"`
	Title   string `db:"title"`  // title of the action
	Target  string `db:"target"` // title of the page at the time of the call
	// Params has the encoded params of the call. If Discreet is set, it is empty in lists, and once the call is
	// settled.
	Params  string `db:"params"`
	Sealed  []byte `db:"sealed"`  // params, preview, reason and digest of a pending discreet approval, encrypted
	Version string `db:"version"` // the page version that the call requires; empty for any
	Digest  []byte `db:"digest"`  // digest of the call, to find an equal call; keyed for a discreet approval
	Preview string `db:"preview"` // the [Preview] as JSON
	Why     string `db:"why"`
	Rule    string `db:"rule"`    // the rule that requires the approval: [AskGrant] or [AskOrganization]
	Private bool   `db:"private"` // only the agent and its member can see the approval, not the owner
	// Discreet means that params, preview and reason are secret. They are stored encrypted, and deleted once the call
	// is settled.
	Discreet  bool   `db:"discreet"`
	AskedAt   Time   `db:"asked_at"`
	ExpiresAt Time   `db:"expires_at"`
	Verdict   string `db:"verdict"` // "approved", "rejected", "withdrawn", "expired" or "removed"; empty while unsettled
	SettledAt Time   `db:"settled_at"`
	// handle of the answering member, or of the member who withdrew the call or ended its token; may be empty for other verdicts
	SettledBy  string `db:"settled_by"`
	Comment    string `db:"comment"`
	Outcome    string `db:"outcome"` // the message that the approved action returned; empty if it failed
	OutcomeURL string `db:"outcome_url"`
	// the error that the approved action returned, or the reason why the call was withdrawn for the agent ([Tx.endRequests])
	Failure string `db:"failure"`
	OwnerID string `db:"owner_id"`
	Now     time.Time
}

const approvalSelect = `SELECT a.id, a.org_id, o.handle AS org, o.name AS org_name, a.studio_id, a.member_id,
	m.handle AS member, a.agent_id, g.label AS agent,
	a.token_id, a.url || a.query AS url, a.action, a.title, a.target, a.params, a.sealed, a.version, a.digest,
		a.preview, a.why, a.rule,
	a.private, a.discreet, a.asked_at, a.expires_at, a.verdict,
	a.settled_at, z.handle AS settled_by, a.comment, a.outcome, a.outcome_url, a.failure, o.owner_id
	FROM approvals a JOIN organizations o ON o.id = a.org_id JOIN members m ON m.id = a.member_id
	JOIN agents g ON g.id = a.agent_id LEFT JOIN members z ON z.id = a.settled_by `

// These are the rules that require an approval: a setting of the agent's token, or one of the organization.
const (
	AskGrant        = "grant"
	AskOrganization = "organization"
)

// These are the states of an approval.
const (
	ApprovalPending   = "pending"
	ApprovalDone      = "done"
	ApprovalFailed    = "failed"
	ApprovalRejected  = "rejected"
	ApprovalWithdrawn = "withdrawn"
	ApprovalExpired   = "expired"
	ApprovalRemoved   = "removed" // with the item that it was about
)

// ApprovalStates returns the possible states of an approval.
func ApprovalStates() []string {
	return []string{ApprovalPending, ApprovalDone, ApprovalFailed, ApprovalRejected, ApprovalWithdrawn, ApprovalExpired,
		ApprovalRemoved}
}

// State returns one of [ApprovalStates].
func (a *Approval) State() string {
	switch {
	case a.Verdict == "approved" && a.Failure != "":
		return ApprovalFailed
	case a.Verdict == "approved":
		return ApprovalDone
	case a.Verdict != "":
		return a.Verdict
	case !a.Now.Before(a.ExpiresAt.Time):
		return ApprovalExpired
	}
	return ApprovalPending
}

// PageURL returns the path of the approval's own page.
func (a *Approval) PageURL() string { return "/approvals/" + a.ID }

// By returns the byline of the agent.
func (a *Approval) By() string { return Byline(a.Member, a.Agent.Label) }

// Ref returns the approval as the target of a journal entry, which is private to the agent's member.
func (a *Approval) Ref() Ref {
	version := int64(1)
	if a.State() != ApprovalPending {
		version = 2
	}
	return Ref{OrgID: a.OrgID, StudioID: a.StudioID, Kind: "approval", ID: a.ID, URL: a.PageURL(), Title: a.Title +
		": " + a.Target,
		Version: version, Topic: approvalTopic.of(a.ID), PrivateTo: a.MemberID, MemberID: a.MemberID}
}

// Record returns the fields that the journal stores about an approval. The params are not among them, because some are
// removed later.
func (a *Approval) Record() any {
	return struct {
		State   string `json:"state"`
		AskedBy string `json:"asked_by"`
		Action  string `json:"action"`
		URL     string `json:"url"`
		Comment string `json:"comment,omitempty"`
		Outcome string `json:"outcome,omitempty"`
		Failure string `json:"failure,omitempty"`
	}{a.State(), a.By(), a.Action, a.URL, a.Comment, a.Outcome, a.Failure}
}

// MustBePending returns [Conflict] if the approval is settled or has expired.
func (a *Approval) MustBePending() error {
	switch a.State() {
	case ApprovalPending:
		return nil
	case ApprovalExpired:
		return Errorf(Conflict, "Nobody answered in time. %s can ask again.", a.By())
	case ApprovalWithdrawn:
		if a.Failure != "" {
			return Errorf(Conflict, "This has ended. %s", a.Failure)
		}
		return Errorf(Conflict, "%s has withdrawn this.", a.By())
	case ApprovalRemoved:
		return Errorf(Conflict, "The page that this was about is removed.")
	}
	return Errorf(Conflict, "@%s has answered this already: it was %s.", a.SettledBy, a.Verdict)
}

// MustBeAnswerableBy returns [Forbidden] for every agent, and for a person other than the agent's member and the
// organization's owner. It returns [Conflict] if the approval is not pending.
func (a *Approval) MustBeAnswerableBy(by Actor) error {
	if err := a.MustBePending(); err != nil {
		return err
	}
	if by.IsAgent() || !by.Is(a.MemberID) && !by.Is(a.OwnerID) {
		return Errorf(Forbidden, "Only @%s or the owner of %s can answer this, in person.", a.Member, a.OrgName)
	}
	return nil
}

// MustBeWithdrawableBy returns [Forbidden] unless the actor is the agent that made the call. It returns
// [Conflict] if the approval is not pending.
func (a *Approval) MustBeWithdrawableBy(by Actor) error {
	if err := a.MustBePending(); err != nil {
		return err
	}
	if by.Agent.ID != a.Agent.ID {
		return Errorf(Forbidden, "Only %s can withdraw this.", a.By())
	}
	return nil
}

// MustBeDueFor returns [Forbidden] unless the actor is the scheduler. It returns [Conflict] if the approval is settled
// or its deadline has not passed.
func (a *Approval) MustBeDueFor(by Actor) error {
	if !by.System {
		return Errorf(Forbidden, "Only the scheduler does this.")
	}
	if a.Verdict != "" || a.State() != ApprovalExpired {
		return Errorf(Conflict, "There is no wait to end here.")
	}
	return nil
}

// approvalSeen is the SQL condition that a person may see an approval. Private ones are for the agent's member alone,
// the others also for the organization's owner. Neither sees those about a studio that is hidden from them. The
// arguments are those of [Actor.studioArgs].
var approvalSeen = ` EXISTS (SELECT 1 FROM members mm WHERE mm.org_id = a.org_id AND mm.user_id = ?
	AND (? = '' OR mm.org_id = ?) AND (mm.id = a.member_id OR mm.id = o.owner_id AND a.private = 0)
	AND ` + askedInSight("mm.id") + `)`

// askedInSight returns the SQL condition that the studio of an approval is not hidden from a member. An agent sees no
// more than its member, so the condition is also that of the member's agents.
func askedInSight(member string) string {
	return `NOT EXISTS (SELECT 1 FROM studios s WHERE s.id = a.studio_id AND NOT ` + VisibleTo(member, "s") + `)`
}

// FindApproval finds an approval by its id. It returns [Missing] if there is none or the actor may not see it.
func (tx *Tx) FindApproval(by Actor, id string) (*Approval, error) {
	a := Approval{Now: tx.Now}
	var err error
	switch {
	case by.System:
		err = tx.GetLocked(&a, &a.OrgID, approvalSelect+`WHERE a.id = ?`, id)
	case by.IsAgent():
		err = tx.GetLocked(&a, &a.OrgID, approvalSelect+`WHERE a.id = ? AND a.agent_id = ? AND `+askedInSight("a.member_id"),
			id, by.Agent.ID)
	default:
		err = tx.GetLocked(&a, &a.OrgID, approvalSelect+`WHERE a.id = ? AND`+approvalSeen,
			append([]any{id}, by.studioArgs()...)...)
	}
	if err == nil {
		err = tx.unsealCall(&a)
	}
	return &a, err
}

// SettleApproval stores the answer that the caller has set in a, and deletes the encrypted content of a discreet call.
// It returns [Conflict] if the approval is settled already.
func (tx *Tx) SettleApproval(by Actor, a *Approval) error {
	ok, err := tx.Changed(`UPDATE approvals SET verdict = ?, settled_at = ?, settled_by = ?, comment = ?, outcome = ?,
		outcome_url = ?, failure = ? WHERE id = ? AND settled_at IS NULL`,
		a.Verdict, At(tx.Now), Null(by.MemberID()), a.Comment, a.Outcome, a.OutcomeURL, a.Failure, a.ID)
	if err != nil {
		return err
	}
	if !ok {
		return Errorf(Conflict, "This has been answered already.")
	}
	tx.announce(approvalTopic.of(a.ID))
	if a.Discreet {
		if err := tx.Exec(`UPDATE approvals SET sealed = NULL, digest = ? WHERE id = ?`, []byte{}, a.ID); err != nil {
			return err
		}
		tx.Scrub()
	}
	return nil
}

// endRequests withdraws the pending approvals (alias a) that meet the SQL condition, because the agents that asked for them
// have lost the tokens with which they asked. The reason is a sentence that the pages of the approvals show.
func (tx *Tx) endRequests(by Actor, reason, condition string, args ...any) error {
	list, err := All[Approval](tx, approvalSelect+`WHERE a.settled_at IS NULL AND a.expires_at > ? AND `+condition+newestApprovals,
		append(append([]any{At(tx.Now)}, args...), Many)...)
	for i := range list {
		a := &list[i]
		a.Verdict, a.Failure = ApprovalWithdrawn, reason
		if err == nil {
			err = tx.SettleApproval(by, a)
		}
	}
	return err
}

// Asker returns the agent that asked for an approval, with its present rights. It returns [Conflict] if the token with
// which the agent asked is not in force.
func (tx *Tx) Asker(a *Approval) (Actor, error) {
	by, err := tx.ActorByGrant(a.TokenID)
	if CodeOf(err) != NotFound {
		return by, err
	}
	t, err := tx.token(a.TokenID)
	if err != nil {
		return Actor{}, err
	}
	switch t.State() {
	case "paused":
		return Actor{}, Errorf(Conflict, "%s is paused. Resume it first, on %s.", a.By(),
			Address(AgentURL(a.Org, a.Agent.ID)))
	case "active":
		return Actor{}, Errorf(Conflict, "@%s is no member any more.", a.Member)
	}
	return Actor{}, Errorf(Conflict, "The token with which %s asked %s.", a.By(),
		map[string]string{"expired": "has expired", "revoked": "was revoked"}[t.State()])
}

// DueApprovals returns the paths of up to limit unsettled approvals with a past deadline.
func (tx *Tx) DueApprovals(limit int) ([]string, error) {
	return All[string](tx, `SELECT '/approvals/' || id FROM approvals WHERE settled_at IS NULL AND expires_at <= ?
		ORDER BY expires_at`+AtMost, At(tx.Now), limit)
}

// ApprovalsPage is one page of the approvals that an actor may see, newest first.
type ApprovalsPage struct {
	Settled bool // the page has settled approvals, not pending ones
	Listing[Approval]
}

// ShowApprovals loads one page of the settled or of the pending approvals that the actor may see. The parameter after
// is empty or a [Cursor]. ShowApprovals returns [Missing] for an anonymous actor.
func (tx *Tx) ShowApprovals(by Actor, settled bool, after string) (*ApprovalsPage, error) {
	if by.Anonymous() {
		return nil, Missing()
	}
	c, err := ReadCursor(after, "/approvals")
	if err != nil {
		return nil, err
	}
	const limit = 30
	list, err := tx.approvals(by, settled, c, limit)
	return &ApprovalsPage{settled, Listing[Approval]{list, limit}}, err
}

// PendingOn lists up to 5 pending calls of actions on a page, under all its queries. A person gets the calls that the
// person may see. An agent gets the calls of all agents of the same member.
func (tx *Tx) PendingOn(by Actor, url string) ([]Approval, error) {
	where, args := approvalSeen, by.studioArgs()
	if by.IsAgent() {
		where, args = ` a.member_id = ? AND `+askedInSight("a.member_id"), []any{by.MemberID()}
	}
	return tx.listApprovals(`a.url = ? AND a.settled_at IS NULL AND a.expires_at > ? AND`+where,
		append(append([]any{url, At(tx.Now)}, args...), 5)...)
}

// Cursor returns the position in a list after this approval.
func (a *Approval) Cursor() Cursor { return Cursor{At: a.AskedAt.UnixMilli(), ID: a.ID} }

func (tx *Tx) approvalsOf(agentID string, limit int) ([]Approval, error) {
	return tx.listApprovals(`a.agent_id = ? AND a.settled_at IS NULL AND a.expires_at > ? AND `+askedInSight("a.member_id"),
		agentID, At(tx.Now), limit)
}

const newestApprovals = ` ORDER BY a.asked_at DESC, a.id` + AtMost

// approvalIDs returns a query for the ids of settled or pending approvals that the actor may see, with its arguments.
// An expired approval that the scheduler has not settled yet is in neither list. The query is a union of parts with up
// to limit rows each.
func (tx *Tx) approvalIDs(by Actor, settled bool, after Cursor, limit int) (query string, args []any) {
	condition, since := ` AND a.settled_at IS NULL AND a.expires_at > ? `, []any{At(tx.Now)}
	if settled {
		condition, since = ` AND a.settled_at IS NOT NULL `, nil
	}
	condition += `AND a.asked_at <= ? AND (a.asked_at < ? OR a.id > ?) `
	arm := func(where string, arg ...any) {
		if query != "" {
			query += ` UNION `
		}
		query += `SELECT id FROM (SELECT a.id FROM approvals a JOIN organizations o ON o.id = a.org_id WHERE ` +
			where + condition + newestApprovals + `) sub`
		args = append(args, append(after.args(append(arg, since...)...), limit)...)
	}
	if by.IsAgent() {
		arm(`a.agent_id = ? AND `+askedInSight("a.member_id"), by.Agent.ID)
	} else {
		for i := range by.Members {
			m := &by.Members[i]
			arm(`a.member_id = ? AND `+askedInSight("a.member_id"), m.ID)
			if m.Owner {
				arm(`a.org_id = ? AND`+approvalSeen, append([]any{m.OrgID}, by.studioArgs()...)...)
			}
		}
	}
	if query == "" { // a person without an organization
		query = `SELECT id FROM approvals WHERE id = ''`
	}
	return query, args
}

func (tx *Tx) approvals(by Actor, settled bool, after Cursor, limit int) ([]Approval, error) {
	query, args := tx.approvalIDs(by, settled, after, limit)
	return tx.listApprovals(`a.id IN (`+query+`)`, append(args, limit)...)
}

// listApprovals lists the approvals that meet the condition, newest first. The last argument is the limit.
func (tx *Tx) listApprovals(condition string, args ...any) ([]Approval, error) {
	list, err := All[Approval](tx, approvalSelect+`WHERE `+condition+newestApprovals, args...)
	for i := range list {
		list[i].Now = tx.Now
	}
	return list, err
}

// Shown returns the decoded preview. It is the zero Preview if the preview was removed or is encrypted.
func (a *Approval) Shown() Preview {
	var p Preview
	if a.Preview != "" {
		json.Unmarshal([]byte(a.Preview), &p) // cannot fail, because the program itself has encoded it
	}
	return p
}
