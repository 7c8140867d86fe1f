package work_test

import (
	"slices"
	"time"
)

// These are the steps in the model of reviews and pull requests.
const (
	toSay  = iota // an actor prompts the reviewed agent
	toWork        // the runner starts a turn of the reviewed agent
	toEnd         // the runner ends that turn
	toHalt
	toShelve
	toTake // an actor makes the archived session active again
	toRequest
	toLook // the runner starts the turn of the reviewing agent
	toRest // the runner ends that turn
	toApprove
	toReturn // a reviewer requests changes
	toComment
	toCancel
	toExpire
	toExtend
	toOpen
	toReady
	toClose
	toReopen
	toMerge
	toMerged // the runner reports how a merge has ended
	toSend   // an actor sends the conflicts to the reviewed agent
	toCheck
	toChecked // the runner reports how a check has ended
	toMove    // the runner reports another head
	toWait
)

// stint is a turn in the model of reviews.
type stint struct {
	text   string
	depth  int
	state  string // waiting, live, or the state in which the turn ended
	claims int
	began  bool
	stop   bool
	secret string
}

// reviewModel is a simple model of a review.
type reviewModel struct {
	id        string
	round     int
	commit    string // the reviewed commit; empty while the review waits for the end of a turn
	at        time.Time
	byAgent   bool
	depth     int
	look      *stint // the turn of the reviewing agent; nil before it is queued
	seen      bool   // the turn of the reviewing agent has begun
	outcome   string
	delivered bool
	comments  int
}

// pullModel is a simple model of a pull request.
type pullModel struct {
	member      string // the member who opened it, in person or by an agent
	ofSession   bool
	draft       bool
	outcome     string
	merging     bool
	tried, head string // head commit at the last attempt to merge, and head commit at the end of the pull request
	clash       bool
	problem     bool
	checked     string // commit of the last check
	passed      bool
}

// checkModel is a job that checks a commit.
type checkModel struct {
	of     *pullModel
	commit string
	ended  bool
}

// branchModel is a simple model of the work of one session: its turns, reviews and pull requests.
type branchModel struct {
	now                        time.Time
	asks                       bool // the agent asks before it acts
	needsReview, checks, guard bool // the repository requires a review, has a check, and has a protected path
	head                       string
	ahead, touches             bool // the branch has commits of its own, and changes the protected path
	archived                   bool
	turns                      []*stint
	failed, rounds             int
	reviews                    []*reviewModel
	pulls                      []*pullModel
	jobs                       []*checkModel
}

const (
	reviewTime = 24 * time.Hour
	rounds     = 3
	mostFailed = 5
)

func ofState(list []*stint, state string) *stint {
	if i := slices.IndexFunc(list, func(t *stint) bool { return t.state == state }); i >= 0 {
		return list[i]
	}
	return nil
}

func (m *branchModel) busy() bool {
	return ofState(m.turns, "waiting") != nil || ofState(m.turns, "live") != nil
}

func (m *branchModel) sessionState() string {
	switch {
	case m.archived:
		return "archived"
	case ofState(m.turns, "live") != nil:
		return "running"
	case ofState(m.turns, "waiting") != nil:
		return "queued"
	case m.turns[len(m.turns)-1].state == "interrupted":
		return "interrupted"
	case m.waits() != nil:
		return "awaiting_review"
	}
	return "idle"
}

// waits returns the review that has not ended, or nil if there is none.
func (m *branchModel) waits() *reviewModel {
	if n := len(m.reviews); n > 0 && m.reviews[n-1].outcome == "" {
		return m.reviews[n-1]
	}
	return nil
}

func (m *branchModel) open(v *reviewModel) bool {
	return v.outcome == "" && m.now.Before(v.at.Add(reviewTime))
}

func (m *branchModel) reviewState(v *reviewModel) string {
	switch {
	case v.outcome != "":
		return v.outcome
	case !m.open(v):
		return "expired"
	case v.seen:
		return "running"
	}
	return "requested"
}

// approved reports whether a review has approved exactly this commit.
func (m *branchModel) approved(commit string) bool {
	return slices.ContainsFunc(m.reviews, func(v *reviewModel) bool { return v.outcome == "approved" && v.commit == commit })
}

func (m *branchModel) pull() *pullModel {
	if i := slices.IndexFunc(m.pulls, func(q *pullModel) bool { return q.outcome == "" }); i >= 0 {
		return m.pulls[i]
	}
	return nil
}

// check returns the state of the check of an open pull request: waiting, missing, passed or failed. It returns "" if
// the repository has no check.
func (m *branchModel) check(q *pullModel) string {
	if !m.checks {
		return ""
	}
	if n := len(m.jobs); n > 0 && m.jobs[n-1].of == q && !m.jobs[n-1].ended {
		return "waiting"
	}
	switch {
	case q.checked != m.head:
		return "missing"
	case q.passed:
		return "passed"
	}
	return "failed"
}

// unfit reports whether a person must give a reason for a merge.
func (m *branchModel) unfit(q *pullModel) bool {
	c := m.check(q)
	return m.needsReview && !m.approved(m.head) || c != "" && c != "passed"
}

// offered reports whether the page of the session, the review v or the pull request q offers an action to an actor. If
// the actor is a reviewing agent, judges is the review that it was asked for.
func (m *branchModel) offered(do int, who string, v *reviewModel, q *pullModel, judges *reviewModel) bool {
	ofAuthor, chair, agent := writes(who) && memberOf(who) == author, chairs(who, author), isAgent(who)
	live := ofState(m.turns, "live")
	switch do {
	case toSay:
		return ofAuthor && !m.archived && (!agent || m.asks)
	case toHalt:
		return chair && !m.archived && (ofState(m.turns, "waiting") != nil || live != nil && !live.stop)
	case toShelve:
		return chair && !m.archived && !m.busy()
	case toTake:
		return chair && m.archived
	case toRequest:
		return ofAuthor && !m.archived && (!agent || m.asks || who == inTurn) && m.waits() == nil &&
			m.failed < min(m.rounds, mostFailed)
	case toExtend:
		return chair && !agent && !m.archived && m.failed >= m.rounds && m.failed < mostFailed
	case toApprove, toReturn:
		return writes(who) && (!agent || who == judge && judges == v) && m.open(v) && v.commit != ""
	case toComment:
		return writes(who) && !agent && m.open(v)
	case toCancel:
		return chair && m.open(v)
	case toExpire:
		return who == clock && v.outcome == "" && !m.open(v)
	}
	return m.offeredPull(do, who, q)
}

func (m *branchModel) offeredPull(do int, who string, q *pullModel) bool {
	agent := isAgent(who)
	open := q.outcome == "" && !q.merging
	switch do {
	case toReady:
		return chairs(who, q.member) && open && q.draft
	case toClose:
		return chairs(who, q.member) && open
	case toReopen:
		return chairs(who, q.member) && q.outcome == "closed" && m.pull() == nil
	case toMerge:
		return writes(who) && open && !q.draft && m.ahead && (!agent || !m.unfit(q) && !(m.guard && m.touches))
	case toSend:
		return writes(who) && memberOf(who) == q.member && open && q.clash && q.ofSession && !m.archived &&
			(!agent || m.asks)
	case toCheck:
		c := m.check(q)
		return writes(who) && open && (c == "missing" || c == "failed")
	}
	return false
}

// begin starts a review that has waited for the end of a turn.
func (m *branchModel) begin() {
	if v := m.waits(); v != nil && v.commit == "" && m.open(v) {
		v.commit = m.head
		if v.byAgent {
			v.look = &stint{text: "Review the commit " + v.commit, depth: v.depth, state: "waiting"}
		}
	}
}

// halt withdraws the waiting prompts, and asks the runner to end the running turn.
func (m *branchModel) halt() {
	for _, t := range m.turns {
		t.halt()
	}
	if ofState(m.turns, "live") == nil {
		m.begin()
	}
}

func (t *stint) halt() {
	switch t.state {
	case "waiting":
		t.state = "stopped"
	case "live":
		t.stop = true
	}
}

// lose updates a turn whose runner went away. A turn that has not begun waits again, unless it was stopped or has been
// claimed too often.
func (t *stint) lose() {
	switch {
	case t.began:
		t.state = "interrupted"
	case t.stop:
		t.state = "stopped"
	case t.claims >= starts:
		t.state = "failed"
	default:
		t.state = "waiting"
	}
}

// answer ends the review v. If a reviewing agent answers, the argument by is the review of that agent. If a person
// answers, by is nil. Requested changes become the next prompt of the reviewed agent. After five reviews without
// approval, the session is archived.
func (m *branchModel) answer(v *reviewModel, outcome, text string, by *reviewModel, depth int) {
	v.outcome = outcome
	if v.look != nil && by != v {
		v.look.halt()
	}
	switch outcome {
	case "approved":
		m.failed, m.rounds = 0, rounds
		return
	case "cancelled":
		return
	}
	if m.failed++; m.failed >= mostFailed && !m.archived {
		m.halt()
		m.archived = true
	}
	if outcome == "changes_requested" && !m.archived {
		m.turns, v.delivered = append(m.turns, &stint{text: text, depth: depth, state: "waiting"}), true
	}
}

// move gives the branch another head. Earlier checks and approvals do not apply to the new head.
func (m *branchModel) move(head string, ahead, touches bool) {
	moved := head != m.head
	m.head, m.ahead, m.touches = head, ahead, touches
	if q := m.pull(); q != nil && moved {
		m.queueCheck(q)
	}
}

func (m *branchModel) queueCheck(q *pullModel) {
	if m.checks {
		q.checked = ""
		m.jobs = append(m.jobs, &checkModel{of: q, commit: m.head})
	}
}
