package work_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"samepage/actions/action"
	"samepage/actions/param"
	actions "samepage/actions/work"
	"samepage/store"
	"samepage/store/work"
	"samepage/web/webtest"
)

// oftenReview lists the steps. A step that is listed more often is drawn more often, so that stories reach every state.
var oftenReview = slices.Concat(slices.Repeat([]int{toRequest, toReturn, toExtend}, 4),
	slices.Repeat([]int{toWork, toEnd}, 3),
	slices.Repeat([]int{toLook, toRest, toMerge, toMerged, toOpen, toReady, toChecked}, 3),
	slices.Repeat([]int{toApprove, toSay, toExpire, toWait, toSend, toMove, toComment}, 2),
	[]int{toHalt, toShelve, toShelve, toSend, toSend, toTake, toCancel, toClose, toReopen, toReopen, toCheck})

// castOfReview lists the actors. An actor that is listed more often is drawn more often.
var castOfReview = slices.Concat(often, []string{author, keeper, member, judge, judge, judge})

// TestReviewModel lets people, agents, a runner and the scheduler act in random order on a session, its reviews and its
// pull requests, while time passes. It compares every refusal and every state with a model. The model covers rounds and
// their limits, expiry, approvals after the head has moved, and the end of the work after five reviews. It also covers
// the single delivery of an answer, and the rights to merge.
func TestReviewModel(t *testing.T) {
	w := webtest.Of(t, "work")
	by := castOf(t, w)
	webtest.Stories{Steps: 1_000, Rare: 20, Do: oftenReview, Who: len(castOfReview), Least: 100, Length: 200,
		States: []string{"requested", "running", "approved", "changes_requested", "expired", "cancelled", "abandoned",
			"draft", "open", "merged", "closed"},
		Draw: func(rt *rapid.T) webtest.Story {
			draw := func(what string) bool { return rapid.IntRange(0, 2).Draw(rt, what) > 0 }
			return &reviewStory{w: w, by: by, branchModel: &branchModel{asks: draw("asks"),
				needsReview: draw("needs a review"), checks: draw("checks"), guard: draw("protected"), rounds: rounds, ahead: true}}
		}}.Run(t, w)
}

// reviewStory is a random story about reviews and pull requests.
type reviewStory struct {
	*branchModel
	w        *webtest.World
	by       cast
	worktree *work.Worktree
	id       string // id of the session
	n        int    // number of texts and heads made so far
	pulled   bool   // the last step was about a pull request
	first    int    // number of the first pull request
}

func (x *reviewStory) State() string {
	switch {
	case x.pulled && len(x.pulls) > 0:
		return x.pullState(x.pulls[len(x.pulls)-1])
	case x.archived && x.failed >= mostFailed:
		return "abandoned"
	case len(x.reviews) > 0:
		return x.reviewState(x.reviews[len(x.reviews)-1])
	}
	return ""
}

func (x *reviewStory) pullState(q *pullModel) string {
	switch {
	case q.outcome != "":
		return q.outcome
	case q.draft:
		return "draft"
	}
	return "open"
}

func (x *reviewStory) Begin(tx *store.Tx) error {
	x.now = tx.Now
	repo, err := work.FindRepo(tx, x.by[keeper], "team", "garden")
	if err != nil {
		return err
	}
	rules := param.Input{"rule": map[bool]string{true: "approved", false: "any"}[x.needsReview], "protected": []any{}}
	if x.guard {
		rules["protected"] = []any{"beds"}
	}
	if _, err := take(tx, x.by[keeper], actions.UpdateRepo, repo, rules); err != nil {
		return err
	}
	argv := []any{}
	if x.checks {
		argv = []any{"make"}
	}
	if _, err := take(tx, x.by[keeper], actions.SetCheck, repo, param.Input{"argv": argv}); err != nil {
		return err
	}
	if x.worktree, err = work.FindWorktree(tx, x.by[author], "team", "bench"); err != nil {
		return err
	}
	x.head = x.worktree.Head
	if err := tx.Get(&x.first, `SELECT max(n) + 1 FROM pulls WHERE studio_id = ?`, x.worktree.StudioID); err != nil {
		return err
	}
	agent := map[bool]string{true: "mason", false: "hammer"}[x.asks]
	done, err := take(tx, x.by[author], actions.StartSession, x.worktree, param.Input{"agent": agent,
		"prompt": x.text()})
	if err != nil {
		return err
	}
	x.id = done.Made[0].(*work.Session).ID
	x.turns = []*stint{{text: "Text 1.", state: "waiting"}}
	return x.compare(tx)
}

// text returns a new text at each call.
func (x *reviewStory) text() string {
	x.n++
	return fmt.Sprintf("Text %d.", x.n)
}

// actor returns the actor of a step. For an agent in a turn it also returns the turn, and for a reviewing agent the
// turn and the review.
func (x *reviewStory) actor(tx *store.Tx, who string) (a store.Actor, own *stint, judges *reviewModel, err error) {
	switch who {
	case inTurn:
		own = ofState(x.turns, "live")
	case judge:
		for _, v := range x.reviews {
			if v.look != nil && v.look.state == "live" {
				own, judges = v.look, v
			}
		}
	default:
		return x.by[who], nil, nil, nil
	}
	if own != nil {
		a, err = tx.ActorByToken(own.secret)
	}
	return a, own, judges, err
}

// onward lists steps that bring a story forward. The function likely puts them in place of steps that would be
// refused.
var onward = []int{toRequest, toLook, toReturn, toExtend, toWork, toEnd, toRest, toOpen, toReady, toMerge, toMerged, toChecked,
	toReopen, toApprove, toSend, toCheck, toExpire}

// may reports whether the model permits a step.
func (x *reviewStory) may(do int, who string, n int) bool {
	v, q := x.targets(n)
	switch {
	case do == toWait || do == toMove:
		return true
	case do == toWork, do == toEnd:
		return (ofState(x.turns, "live") == nil) == (do == toWork) && x.busy()
	case do == toLook, do == toRest:
		state := map[int]string{toLook: "waiting", toRest: "live"}[do]
		return slices.ContainsFunc(x.reviews, func(v *reviewModel) bool { return v.look != nil && v.look.state == state })
	case do == toMerged:
		return slices.ContainsFunc(x.pulls, func(q *pullModel) bool { return q.merging })
	case do == toChecked:
		return slices.ContainsFunc(x.jobs, func(c *checkModel) bool { return !c.ended })
	case do == toOpen:
		return writes(who) && x.pull() == nil && x.ahead
	case who == inTurn && ofState(x.turns, "live") == nil, do >= toApprove && do <= toExpire && v == nil,
		do > toOpen && q == nil:
		return false
	}
	return x.offered(do, who, v, q, v)
}

// targets returns one of the last two reviews and one of the last two pull requests, or nil.
func (x *reviewStory) targets(n int) (v *reviewModel, q *pullModel) {
	if k := len(x.reviews); k > 0 {
		v = x.reviews[max(0, k-1-n/3%2)]
	}
	if k := len(x.pulls); k > 0 {
		q = x.pulls[max(0, k-1-n/3%2)]
	}
	return v, q
}

func (x *reviewStory) Take(tx *store.Tx, s step) (ok bool, err error) {
	s = likely(s, onward, castOfReview, func(do int, who string) bool { return x.may(do, who, s.N) })
	who := castOfReview[s.Who]
	switch s.Do {
	case toWait:
		ok, err = true, x.wait(tx, s)
	case toWork, toEnd, toLook, toRest, toMerged, toChecked, toMove:
		ok, err = x.run(tx, s)
	case toExpire:
		if s.N%4 > 0 {
			who = clock
		}
		ok, err = x.act(tx, s, who)
	default:
		ok, err = x.act(tx, s, who)
	}
	x.pulled = s.Do >= toOpen && s.Do <= toChecked
	if err != nil {
		return ok, fmt.Errorf("by %s, when the session is %s: %w", who, x.sessionState(), err)
	}
	return ok, x.compare(tx)
}

// act takes an action on the page of the session, a review or a pull request.
func (x *reviewStory) act(tx *store.Tx, s step, who string) (bool, error) {
	actor, own, judges, err := x.actor(tx, who)
	if err != nil || (who == inTurn || who == judge) && own == nil {
		return false, err
	}
	if s.Do == toOpen {
		return x.openPull(tx, s, who, actor)
	}
	v, q := x.targets(s.N)
	if onReview := s.Do >= toApprove && s.Do <= toExpire; !onReview {
		v = nil
	} else if v == nil {
		return false, nil
	}
	if s.Do < toOpen {
		q = nil
	} else if q == nil {
		return false, nil
	}
	should := x.offered(s.Do, who, v, q, judges)
	deep := own != nil && own.depth >= inChain
	if deep && (s.Do == toSay || s.Do == toRequest || s.Do == toSend ||
		s.Do == toReturn && !x.archived && x.failed+1 < mostFailed) {
		should = false
	}
	if s.Do == toMerge && !isAgent(who) && x.unfit(q) && s.N%2 == 0 { // attempt gives no reason, which this merge needs
		should = false
	}
	text := x.text()
	done, offered, err := x.attempt(tx, s, actor, v, q, text)
	if failed := agrees(x.offered(s.Do, who, v, q, judges), offered); failed != nil {
		return false, fmt.Errorf("the page offers it: %w", failed)
	}
	if failed := agrees(should, err); failed != nil || err != nil {
		return false, failed
	}
	x.acted(s, who, own, judges, v, q, text)
	if s.Do == toRequest {
		x.reviews[len(x.reviews)-1].id = done.Made[0].(*work.Review).ID
	}
	return true, nil
}

// acted updates the model after a successful action.
func (x *reviewStory) acted(s step, who string, own *stint, judges, v *reviewModel, q *pullModel, text string) {
	n := 0
	switch {
	case own != nil:
		n = own.depth + 1
	case isAgent(who):
		n = 1
	}
	switch s.Do {
	case toSay:
		x.turns = append(x.turns, &stint{text: text, depth: n, state: "waiting"})
	case toHalt:
		x.halt()
	case toShelve, toTake:
		x.archived = s.Do == toShelve
	case toRequest:
		x.reviews = append(x.reviews, &reviewModel{round: x.failed + 1, at: x.now, byAgent: s.N%2 == 0, depth: n})
		if !x.busy() {
			x.begin()
		}
	case toApprove, toReturn, toCancel, toExpire:
		x.answer(v, map[int]string{toApprove: "approved", toReturn: "changes_requested", toCancel: "cancelled",
			toExpire: "expired"}[s.Do], text, judges, n)
	case toComment:
		v.comments++
	case toExtend:
		x.rounds++
	case toReady:
		q.draft = false
	case toClose:
		q.outcome, q.head = "closed", x.head
	case toReopen:
		q.outcome, q.head = "", ""
		if x.check(q) == "missing" {
			x.queueCheck(q)
		}
	case toMerge:
		q.merging, q.tried, q.clash, q.problem = true, x.head, false, false
	case toSend:
		q.clash = false
		x.turns = append(x.turns, &stint{text: "cannot be merged into", depth: n, state: "waiting"})
	case toCheck:
		x.queueCheck(q)
	}
}

var (
	branchSpecs = map[int]*action.Spec[*work.Session]{toSay: actions.PromptSession, toHalt: actions.StopSession,
		toShelve: actions.ArchiveSession, toTake: actions.UnarchiveSession, toRequest: actions.RequestReview,
		toExtend: actions.ExtendReviews}
	reviewSpecs = map[int]*action.Spec[*work.Review]{toApprove: actions.ApproveReview, toReturn: actions.SendFeedback,
		toComment: actions.CommentLine, toCancel: actions.CancelReview, toExpire: actions.ExpireReview}
	pullSpecs = map[int]*action.Spec[*work.Pull]{toReady: actions.ReadyPull, toClose: actions.ClosePull,
		toReopen: actions.ReopenPull, toMerge: actions.MergePull, toSend: actions.SendConflicts, toCheck: actions.RunCheck}
)

// attempt tries an action. The error offered is nil if the page offers the action to the actor.
func (x *reviewStory) attempt(tx *store.Tx, s step, actor store.Actor, v *reviewModel, q *pullModel,
	text string) (done action.Done, offered, err error) {
	in := param.Input{}
	switch s.Do {
	case toSay:
		in["prompt"] = text
	case toRequest:
		if s.N%2 == 0 {
			in["reviewer"] = "mason"
		}
	case toReturn:
		in["type"], in["text"] = "needs_work", text
	case toComment:
		in["path"], in["text"] = "door.txt", text
	case toMerge:
		if x.unfit(q) && !actor.IsAgent() && s.N%2 > 0 {
			in["reason"] = "It is late."
		}
	}
	switch {
	case q != nil:
		found, err := work.FindPull(tx, actor, "team", x.first+slices.Index(x.pulls, q))
		return try(tx, actor, pullSpecs[s.Do], found, err, in)
	case v != nil:
		found, err := work.FindReview(tx, actor, "team", v.id)
		return try(tx, actor, reviewSpecs[s.Do], found, err, in)
	}
	found, err := work.FindSession(tx, actor, "team", x.id)
	return try(tx, actor, branchSpecs[s.Do], found, err, in)
}

// try takes an action on the subject in the parameter found, unless the error missing says why there is no subject.
// The error offered is nil if the subject's page offers the action.
func try[S action.Subject](tx *store.Tx, by store.Actor, spec *action.Spec[S], found S, missing error,
	in param.Input) (done action.Done, offered, err error) {
	if missing != nil {
		return done, missing, missing
	}
	offered = spec.Allowed(by.In(found.Ref().OrgID), found)
	done, err = take(tx, by, spec, found, in)
	return done, offered, err
}

// openPull opens a pull request on the page of the session or of the worktree.
func (x *reviewStory) openPull(tx *store.Tx, s step, who string, actor store.Actor) (bool, error) {
	ofSession, draft := s.N%3 > 0, s.N%5 == 0
	in := param.Input{"title": "Mend the bench", "draft": fmt.Sprint(draft)}
	should := writes(who) && x.pull() == nil && x.ahead && (!ofSession || memberOf(who) == author && !x.archived)
	err := func() error {
		if ofSession {
			found, err := work.FindSession(tx, actor, "team", x.id)
			if err != nil {
				return err
			}
			_, err = take(tx, actor, actions.CreateSessionPull, found, in)
			return err
		}
		found, err := work.FindWorktree(tx, actor, "team", "bench")
		if err != nil {
			return err
		}
		_, err = take(tx, actor, actions.CreatePull, found, in)
		return err
	}()
	if failed := agrees(should, err); failed != nil || err != nil {
		return false, failed
	}
	q := &pullModel{member: memberOf(who), ofSession: ofSession, draft: draft}
	x.pulls = append(x.pulls, q)
	x.queueCheck(q)
	return true, nil
}
