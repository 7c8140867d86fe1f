package work_test

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"samepage/actions/param"
	actions "samepage/actions/work"
	"samepage/store"
	"samepage/store/work"
)

// hash returns the hash of a made-up commit.
func hash(n int) string { return fmt.Sprintf("%040x", n) }

// wait lets time pass. After half a minute, a running turn has lost its runner, and the scheduler takes the action
// LoseRunner.
func (x *reviewStory) wait(tx *store.Tx, s step) error {
	long := []time.Duration{time.Second, time.Minute, 11 * time.Hour, 25 * time.Hour}[s.N%4]
	x.now = x.now.Add(long)
	tx.Now = x.now
	if long < lease {
		return nil
	}
	var all []error
	lose := func(session string, t *stint) {
		if t == nil || t.state != "live" {
			return
		}
		t.lose()
		found, err := work.FindSession(tx, store.System(), "team", session)
		if err == nil {
			_, err = take(tx, store.System(), actions.LoseRunner, found, nil)
		}
		all = append(all, err)
	}
	if t := ofState(x.turns, "live"); t != nil {
		if lose(x.id, t); t.state == "stopped" || t.state == "failed" {
			x.begin()
		}
	}
	for _, v := range x.reviews {
		if v.look != nil && v.look.state == "live" {
			lose(x.reviewer(tx, v), v.look)
		}
	}
	return errors.Join(all...)
}

// reviewer returns the id of the reviewing agent's session.
func (x *reviewStory) reviewer(tx *store.Tx, v *reviewModel) (id string) {
	if err := tx.Get(&id, `SELECT reviewer_id FROM reviews WHERE id = ?`, v.id); err != nil {
		return err.Error()
	}
	return id
}

// run lets the runner start a turn, or report the end of a turn or a job.
func (x *reviewStory) run(tx *store.Tx, s step) (bool, error) {
	switch s.Do {
	case toWork, toLook:
		return x.start(tx, s)
	case toEnd, toRest:
		return x.finish(tx, s)
	case toMove:
		x.n++
		ahead, touches := s.N%4 > 0, s.N%3 == 0
		if err := work.QueueWorktreeJob(tx, store.System(), x.worktree, work.RefreshJob, nil); err != nil {
			return false, err
		}
		if err := x.job(tx, "refresh", param.Input{"facts": facts(hash(x.n), ahead, touches)}); err != nil {
			return false, err
		}
		x.move(hash(x.n), ahead, touches)
		return true, nil
	case toMerged:
		return x.merged(tx, s)
	}
	i := slices.IndexFunc(x.jobs, func(c *checkModel) bool { return !c.ended })
	if i < 0 {
		return false, nil
	}
	c, passed := x.jobs[i], s.N%3 > 0
	report := fmt.Sprintf(`{"commit":%q,"passed":%v,"said":"So."}`, c.commit, passed)
	if err := x.job(tx, "check", param.Input{"facts": report}); err != nil {
		return false, err
	}
	c.ended = true
	if c.of.outcome == "" && c.commit == x.head {
		c.of.checked, c.of.passed = c.commit, passed
	}
	return true, nil
}

// facts returns a runner's report on the worktree, as JSON.
func facts(head string, ahead, touches bool) string {
	n, file := 0, "door.txt"
	if ahead {
		n = 1
	}
	if touches {
		file = "beds/roses.txt"
	}
	return fmt.Sprintf(`{"head":%q,"base":%q,"tip":%q,"branch":"bench","ahead":%d,"files":[{"path":%q,"change":"modified"}]}`,
		head, hash(0), hash(0), n, file)
}

// job claims the oldest open job of this kind on the worktree, and ends it with the report.
func (x *reviewStory) job(tx *store.Tx, kind string, report param.Input) error {
	var j struct {
		ID    string `db:"id"`
		Claim int    `db:"claim"`
	}
	if err := tx.Get(&j, `SELECT id, claim FROM jobs WHERE worktree_id = ? AND kind = ? AND ended_at IS NULL
		ORDER BY created_at LIMIT 1`, x.worktree.ID, kind); err != nil {
		return err
	}
	if _, err := asRunner(tx, x.w, x.by[runner], runner, actions.ClaimJob,
		param.Input{"job": j.ID, "claim": fmt.Sprint(j.Claim)}); err != nil {
		return err
	}
	report["job"], report["claim"] = j.ID, fmt.Sprint(j.Claim+1)
	_, err := asRunner(tx, x.w, x.by[runner], runner, actions.FinishJob, report)
	return err
}

// turn returns a turn with this state, and the id of its session. The turn is nil if there is none. For the steps
// toWork and toEnd it is a turn of the reviewed session, and otherwise a turn of a reviewing agent.
func (x *reviewStory) turn(tx *store.Tx, s step, state string) (t *stint, session string) {
	if s.Do == toWork || s.Do == toEnd {
		return ofState(x.turns, state), x.id
	}
	for _, v := range x.reviews {
		if v.look != nil && v.look.state == state {
			return v.look, x.reviewer(tx, v)
		}
	}
	return nil, ""
}

// claim returns the params and the number of the present claim on the first open turn of a session.
func claim(tx *store.Tx, session string) (param.Input, int, error) {
	var t struct {
		ID    string `db:"id"`
		Claim int    `db:"claim"`
	}
	err := tx.Get(&t, `SELECT id, claim FROM turns WHERE session_id = ? AND ended_at IS NULL ORDER BY n LIMIT 1`, session)
	return param.Input{"turn": t.ID, "claim": fmt.Sprint(t.Claim)}, t.Claim, err
}

// start lets the runner claim a turn and, in most cases, begin it.
func (x *reviewStory) start(tx *store.Tx, s step) (bool, error) {
	t, session := x.turn(tx, s, "waiting")
	if t == nil || s.Do == toWork && ofState(x.turns, "live") != nil {
		return false, nil
	}
	in, n, err := claim(tx, session)
	if err != nil {
		return false, err
	}
	done, err := asRunner(tx, x.w, x.by[runner], runner, actions.ClaimTurn, in)
	if err != nil {
		return false, err
	}
	if t.began = s.N%5 > 0; t.began {
		in["claim"], in["begins"] = fmt.Sprint(n+1), "true"
		if _, err := asRunner(tx, x.w, x.by[runner], runner, actions.RenewTurn, in); err != nil {
			return false, err
		}
	}
	t.state, t.claims, t.secret = "live", t.claims+1, done.Secret
	for _, v := range x.reviews {
		v.seen = v.seen || v.look == t
	}
	return true, nil
}

// finish lets the runner report the end of a turn. In some reports the reviewed agent has moved the head. Some
// reports leave out the worktree.
func (x *reviewStory) finish(tx *store.Tx, s step) (bool, error) {
	t, session := x.turn(tx, s, "live")
	if t == nil {
		return false, nil
	}
	in, _, err := claim(tx, session)
	if err != nil {
		return false, err
	}
	t.state = []string{"succeeded", "succeeded", "failed"}[s.N%3]
	report := fmt.Sprintf(`{"state":%q}`, t.state)
	head := x.head
	if s.Do == toEnd && s.N%4 > 0 {
		if s.N%4 > 1 {
			x.n++
			head = hash(x.n)
		}
		report = fmt.Sprintf(`{"state":%q,"head_after":%q,"tree":%s}`, t.state, head, facts(head, true, s.N%5 == 0))
	}
	in["report"] = report
	if _, err = asRunner(tx, x.w, x.by[runner], runner, actions.FinishTurn, in); err != nil {
		return false, err
	}
	if s.Do == toEnd && s.N%4 > 0 {
		x.move(head, true, s.N%5 == 0)
	}
	if s.Do == toEnd {
		x.begin()
	}
	return true, nil
}

// merged lets the runner report the end of a merge.
func (x *reviewStory) merged(tx *store.Tx, s step) (bool, error) {
	i := slices.IndexFunc(x.pulls, func(q *pullModel) bool { return q.merging })
	if i < 0 {
		return false, nil
	}
	q := x.pulls[i]
	report := param.Input{"problem": "The disk is full."}
	outcome := []string{"commit", "commit", "conflicts", "conflicts", "problem", "failure"}[s.N%6]
	if outcome != "failure" {
		how := map[string]string{"commit": fmt.Sprintf(`"commit":%q`, hash(1<<40)), "problem": `"problem":"It is not below."`,
			"conflicts": `"conflicts":[{"path":"door.txt","ours":"a","theirs":"b"}]`}[outcome]
		report = param.Input{"facts": fmt.Sprintf(`{"into":%q,"repo":{"main":"main","head":%[1]q},%s}`, hash(0), how)}
	}
	if err := x.job(tx, "merge", report); err != nil {
		return false, err
	}
	q.merging = false
	switch outcome {
	case "commit":
		q.outcome, q.head = "merged", q.tried
	case "conflicts":
		q.clash = true
	case "problem":
		q.problem = true
	}
	return true, nil
}

// compare compares the session, its turns, reviews and pull requests with the model, and sometimes also the home pages.
func (x *reviewStory) compare(tx *store.Tx) error {
	var d differences
	s, err := work.FindSession(tx, x.by[member], "team", x.id)
	if err != nil {
		return err
	}
	d.check("session", s.State(), x.sessionState())
	d.check("failed", s.Failed, x.failed)
	d.check("rounds", s.Rounds, x.rounds)
	var rows []work.Turn
	if err := tx.Select(&rows, `SELECT n, prompt, depth, claimed_to, state FROM turns WHERE session_id = ? ORDER BY n`,
		x.id); err != nil {
		return err
	}
	d.check("number of turns", len(rows), len(x.turns))
	for i := range min(len(rows), len(x.turns)) {
		row, t := &rows[i], x.turns[i]
		state := row.Outcome
		switch {
		case state == "" && row.ClaimedTo.IsZero():
			state = "waiting"
		case state == "":
			state = "live"
		}
		d.check(fmt.Sprintf("turn %d", i+1), state, t.state)
		d.check(fmt.Sprintf("depth of turn %d", i+1), row.Depth, t.depth)
		d.check(fmt.Sprintf("prompt %d, %q", i+1, row.Prompt), strings.Contains(row.Prompt, t.text), true)
	}
	for _, v := range x.reviews[max(0, len(x.reviews)-2):] {
		if err := x.compareReview(tx, &d, v); err != nil {
			return err
		}
	}
	for i, q := range x.pulls {
		if err := x.comparePull(tx, &d, q, x.first+i); err != nil {
			return err
		}
	}
	if x.n%4 == 0 {
		if err := x.compareHome(tx, &d); err != nil {
			return err
		}
	}
	return d.err()
}

func (x *reviewStory) compareReview(tx *store.Tx, d *differences, v *reviewModel) error {
	found, err := work.FindReview(tx, x.by[member], "team", v.id)
	if err != nil {
		return err
	}
	d.check("review", found.State(), x.reviewState(v))
	d.check("commit", found.Commit, v.commit)
	d.check("round", found.Round, v.round)
	d.check("stale", found.Stale(), v.commit != "" && v.commit != x.head)
	d.check("delivered", found.Delivered, v.delivered)
	d.check("comments", found.Comments, v.comments)
	if v.look == nil {
		d.check("agent that reviews", found.ReviewerID, "")
		return nil
	}
	var prompts []string
	if err := tx.Select(&prompts, `SELECT prompt FROM turns WHERE session_id = ?`, found.ReviewerID); err != nil {
		return err
	}
	d.check("prompts of the agent that reviews", len(prompts), 1)
	d.check("it knows the commit", strings.Contains(strings.Join(prompts, ""), v.look.text), true)
	return nil
}

func (x *reviewStory) comparePull(tx *store.Tx, d *differences, q *pullModel, n int) error {
	found, err := work.FindPull(tx, x.by[member], "team", n)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("pull request %d: ", n)
	d.check(what+"state", found.State(), x.pullState(q))
	d.check(what+"merging", found.Merging(), q.merging)
	d.check(what+"conflicts", found.Clashes != "", q.clash)
	head := x.head
	if q.outcome != "" {
		head = q.head
	}
	d.check(what+"head", found.Head(), head)
	d.check(what+"approved", found.ReviewID != "", x.approved(head))
	if q.outcome == "" {
		d.check(what+"check", found.Check(), x.check(q))
		d.check(what+"needs a reason", found.NeedsReason() != "", x.unfit(q))
	}
	return nil
}

// compareHome compares the items that wait for Erin and Bob on their home pages. These are reviews by people, and Bob's
// pull requests that can be merged without a reason.
func (x *reviewStory) compareHome(tx *store.Tx, d *differences) error {
	wanted := func(who, act string) (names []string, err error) {
		home, err := tx.ShowHome(x.by[who])
		if err != nil {
			return nil, err
		}
		for _, r := range home.Wanted {
			if r.Act == act {
				names = append(names, path.Base(r.URL))
			}
		}
		return names, nil
	}
	reviews, err := wanted(member, "Review")
	if err != nil {
		return err
	}
	for _, v := range x.reviews {
		d.check("it waits for Erin", slices.Contains(reviews, v.id), x.open(v) && !v.byAgent && v.commit != "")
	}
	pulls, err := wanted(author, "Merge")
	if err != nil {
		return err
	}
	for i, q := range x.pulls {
		tried := q.tried == x.head && (q.clash || q.problem)
		d.check("it waits for Bob to merge it", slices.Contains(pulls, fmt.Sprint(x.first+i)), q.outcome == "" &&
			!q.draft && !q.merging && q.member == author && x.ahead && !x.unfit(q) && !tried)
	}
	return nil
}
