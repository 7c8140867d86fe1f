package work_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"samepage/actions/action"
	"samepage/actions/param"
	actions "samepage/actions/work"
	"samepage/store"
	"samepage/store/work"
	"samepage/web/webtest"
)

// oftenJob lists the steps. A step that is listed more often is drawn more often, so that stories reach every state.
var oftenJob = slices.Concat(slices.Repeat([]int{toTakeOn, toReportJob, toIdle}, 4),
	slices.Repeat([]int{toFetch, toRefresh, toRemove, toRestore, toKeep, toRepeat}, 2),
	[]int{toTurnOff, toTurnOn, toTurnOn, toPrompted, toLoseJobs, toLoseJobs})

// TestJobModel lets people, agents, two runners and the scheduler act in random order on the jobs of a repository,
// while time passes. It compares every refusal and every state with a model. A job has one holder at a time, and is
// given up after five claims. A repeated report of its end changes nothing. No turn begins while a job makes or removes
// the folder. The scheduler ends a job that was given up, and notifies the member who asked for it.
func TestJobModel(t *testing.T) {
	w := webtest.Of(t, "work")
	by := castOf(t, w)
	webtest.Stories{Steps: 1_000, Rare: 20, Do: oftenJob, Who: len(often), Least: 100, Length: 150,
		States: []string{"waiting", "claimed", "done", "failed", "lost"},
		Draw: func(rt *rapid.T) webtest.Story {
			return &jobStory{w: w, by: by, yard: &yard{}, frail: rapid.IntRange(0, 2).Draw(rt, "frail") == 0}
		}}.Run(t, w)
}

// jobStory is a random story about jobs.
type jobStory struct {
	*yard
	w         *webtest.World
	by        cast
	n         int
	frail     bool // the runner often goes away, and seldom reports the end of a job
	seen      string
	session   string
	last      *jobModel
	earlier   int // number of jobs before the story
	lastClaim int
	report    param.Input // the last report on the end of a job
}

func (x *jobStory) State() string { return x.seen }

func (x *jobStory) Begin(tx *store.Tx) error {
	x.now = tx.Now
	bench, err := work.FindWorktree(tx, x.by[author], "team", "bench")
	if err != nil {
		return err
	}
	done, err := take(tx, x.by[author], actions.StartSession, bench, param.Input{"agent": "mason",
		"prompt": "Sand it."})
	if err != nil {
		return err
	}
	x.session = done.Made[0].(*work.Session).ID
	x.head, x.waits = bench.Head, true
	if err := tx.Get(&x.fetched, `SELECT head FROM repos WHERE name = 'garden'`); err != nil {
		return err
	}
	// The runner Barn is on, too, so that its claims are refused only because the jobs belong to Mill.
	if err := tx.Exec(`UPDATE runners SET stopped_at = NULL`); err != nil {
		return err
	}
	if err := tx.Get(&x.earlier, `SELECT count(*) FROM jobs`); err != nil {
		return err
	}
	return x.compare(tx)
}

func (x *jobStory) Take(tx *store.Tx, s step) (ok bool, err error) {
	on := []int{toTakeOn, toReportJob, toFetch, toRefresh, toRestore, toTurnOn}
	if x.frail {
		on[1] = toIdle
		if s.Do == toReportJob && s.N%6 > 0 {
			s.Do = toTakeOn
		}
	}
	s = likely(s, on, often,
		func(do int, who string) bool { return x.may(do, who, x.target(do, s.N), true) })
	who := often[s.Who]
	switch s.Do {
	case toIdle:
		x.now = x.now.Add([]time.Duration{31 * time.Second, 10 * time.Second, 31 * time.Second}[s.N%3])
		tx.Now, ok = x.now, true
	case toTakeOn, toKeep, toReportJob, toRepeat:
		ok, err = x.run(tx, s, who)
	case toPrompted:
		ok, err = true, x.prompt(tx)
	case toLoseJobs:
		ok, err = x.lose(tx, who)
	default:
		ok, err = x.act(tx, s, who)
	}
	if err != nil {
		return ok, fmt.Errorf("by %s: %w", who, err)
	}
	return ok, x.compare(tx)
}

// target returns the job for a step, mostly one that has not ended. It returns nil if there is none.
func (x *jobStory) target(do, n int) *jobModel {
	if do == toRepeat {
		return x.last
	}
	if i := slices.IndexFunc(x.jobs, func(j *jobModel) bool { return !j.ended && x.jobState(j) != "lost" }); i >= 0 && n%5 > 0 {
		return x.jobs[i]
	}
	if len(x.jobs) == 0 {
		return nil
	}
	i := slices.IndexFunc(x.jobs, func(j *jobModel) bool { return x.jobState(j) == "lost" })
	if i >= 0 && x.frail {
		return x.jobs[i]
	}
	return x.jobs[len(x.jobs)-1-n%min(len(x.jobs), 3)]
}

// prompt lets Bob prompt an agent in the worktree, or stop it if a prompt waits.
func (x *jobStory) prompt(tx *store.Tx) error {
	s, err := work.FindSession(tx, x.by[author], "team", x.session)
	if err != nil {
		return err
	}
	if x.waits {
		_, err = take(tx, x.by[author], actions.StopSession, s, nil)
		x.waits = false
		return err
	}
	_, err = take(tx, x.by[author], actions.PromptSession, s, param.Input{"prompt": "And oil it."})
	if x.waits = !x.archived; x.archived {
		return agrees(false, err)
	}
	return err
}

// lose lets an actor try to end the lost jobs of the runner, which only the scheduler may do.
func (x *jobStory) lose(tx *store.Tx, who string) (bool, error) {
	if who == inTurn {
		return false, nil
	}
	done, err := asRunner(tx, x.w, x.by[who], runner, actions.LoseJobs, nil)
	if failed := agrees(x.may(toLoseJobs, who, nil, true), err); failed != nil || err != nil {
		return false, failed
	}
	var d differences
	lost := slices.DeleteFunc(slices.Clone(x.jobs), func(j *jobModel) bool { return !x.toBeLost(j) })
	d.check("number of jobs that were lost", len(done.Also), len(lost))
	var told, asked []string
	for i, j := range lost {
		j.ended, j.lost = true, true
		if i < len(done.Also) && done.Also[i].Notice != nil {
			told = append(told, done.Also[i].Notice.To...)
		}
		asked = append(asked, x.by[j.asker].In(x.by[author].Member.OrgID).MemberID())
	}
	slices.Sort(told)
	slices.Sort(asked)
	d.check("told", fmt.Sprint(told), fmt.Sprint(asked))
	return true, d.err()
}

// act takes an action of a person or an agent on the repository, the runner or the worktree.
func (x *jobStory) act(tx *store.Tx, s step, who string) (bool, error) {
	actor := x.by[who]
	if who == inTurn {
		return false, nil
	}
	err := func() error {
		switch s.Do {
		case toFetch:
			p, err := work.FindRepo(tx, actor, "team", "garden")
			if err != nil {
				return err
			}
			_, err = take(tx, actor, actions.FetchRepo, p, nil)
			return err
		case toTurnOff, toTurnOn:
			r, err := runnerPage(tx, x.w, actor, runner)
			if err != nil {
				return err
			}
			spec := actions.StopRunner
			if s.Do == toTurnOn {
				spec = actions.StartRunner
			}
			_, err = take(tx, actor, spec, r, nil)
			return err
		}
		tree, err := work.FindWorktree(tx, actor, "team", "bench")
		if err != nil {
			return err
		}
		in := param.Input{}
		if s.Do == toRemove {
			in["typed"] = "bench"
		}
		_, err = take(tx, actor, map[int]*action.Spec[*work.Worktree]{toRefresh: actions.RefreshWorktree,
			toRemove: actions.ArchiveWorktree, toRestore: actions.RestoreWorktree}[s.Do], tree, in)
		return err
	}()
	if failed := agrees(x.may(s.Do, who, nil, true), err); failed != nil || err != nil {
		return false, failed
	}
	switch s.Do {
	case toTurnOff, toTurnOn:
		x.off = s.Do == toTurnOff
		return true, nil
	}
	j := &jobModel{kind: map[int]string{toFetch: "fetch", toRefresh: "refresh", toRemove: "archive",
		toRestore: "checkout"}[s.Do], asker: memberOf(who)}
	x.jobs = append(x.jobs, j)
	return true, tx.Get(&j.id, `SELECT id FROM jobs ORDER BY created_at DESC LIMIT 1`)
}

// run takes an action of a runner on a job, mostly with the number of the last claim and sometimes with an earlier one.
func (x *jobStory) run(tx *store.Tx, s step, who string) (bool, error) {
	j := x.target(s.Do, s.N)
	if j == nil || who == inTurn {
		return false, nil
	}
	if s.N%7 > 0 {
		who = runner
	}
	claim, right := j.claims, true
	if s.Do == toRepeat {
		claim = x.lastClaim
	}
	if s.N%9 == 0 && claim > 0 {
		claim, right = claim-1, false
	}
	in := param.Input{"job": j.id, "claim": fmt.Sprint(claim)}
	spec, should := actions.ClaimJob, x.may(s.Do, who, j, right)
	head, problem := hash(1000+x.n), s.N%4 == 0
	switch s.Do {
	case toKeep:
		spec = actions.RenewJob
	case toReportJob:
		x.n++
		spec = actions.FinishJob
		if problem {
			in["problem"] = "There is no room."
		} else {
			in["facts"] = map[string]string{"fetch": fmt.Sprintf(`{"main":"main","head":%q}`, head),
				"archive": fmt.Sprintf(`{"head":%q}`, head)}[j.kind]
			if in["facts"] == "" {
				in["facts"] = facts(head, true, false)
			}
		}
	case toRepeat:
		spec = actions.FinishJob
		for _, field := range []string{"facts", "problem"} {
			if value, ok := x.report[field]; ok {
				in[field] = value
			}
		}
	}
	_, err := asRunner(tx, x.w, x.by[who], who, spec, in)
	if failed := agrees(should, err); failed != nil || err != nil {
		return false, failed
	}
	switch s.Do {
	case toTakeOn:
		j.claims, j.until = j.claims+1, x.now.Add(lease)
	case toKeep:
		j.until = x.now.Add(lease)
	case toReportJob:
		if j.ended { // a report with the same claim has ended the job before
			return true, nil
		}
		x.last, x.lastClaim, x.report = j, claim, in
		x.ended(j, head, problem)
	}
	return true, nil
}

// ended updates the model at the end of a job.
func (x *jobStory) ended(j *jobModel, head string, problem bool) {
	j.ended, j.problem = true, problem
	switch {
	case problem:
	case j.kind == "fetch":
		x.fetched = head
	case j.kind == "archive":
		x.archived = true
	default:
		x.head, x.archived = head, false
	}
}

// compare compares all jobs, the worktree, the repository and the page of the runner with the model.
func (x *jobStory) compare(tx *store.Tx) error {
	var d differences
	r, err := runnerPage(tx, x.w, x.by[runner], runner)
	if err != nil {
		return err
	}
	d.check("the runner is stopped", r.State() == work.RunnerStopped, x.off)
	for i, j := range x.jobs {
		found, err := work.FindJob(tx, r, j.id)
		if err != nil {
			return err
		}
		x.seen = found.State()
		d.check(fmt.Sprintf("job %d, to %s,", i+1, j.kind), found.State(), x.jobState(j))
		d.check("number of claims", found.Claim, j.claims)
	}
	if n := len(x.jobs); n > 0 {
		x.seen = x.jobState(x.jobs[x.n%n])
	}
	var all int
	if err := tx.Get(&all, `SELECT count(*) FROM jobs`); err != nil {
		return err
	}
	d.check("number of jobs", all-x.earlier, len(x.jobs))
	tree, err := work.FindWorktree(tx, x.by[member], "team", "bench")
	if err != nil {
		return err
	}
	d.check("a job about the worktree is open", tree.Awaited, x.awaited())
	d.check("head", tree.Head, x.head)
	d.check("archived", tree.State() == work.WorktreeArchived, x.archived)
	repo, err := work.FindRepo(tx, x.by[member], "team", "garden")
	if err != nil {
		return err
	}
	d.check("head of the repository", repo.Head, x.fetched)
	page, err := work.ShowRunner(tx, x.by[runner], r)
	if err != nil {
		return err
	}
	begins := slices.ContainsFunc(page.Turns, func(t work.RunnerTurn) bool { return t.SessionID == x.session })
	d.check("the prompt can be taken", begins, x.waits && !x.holds())
	return errors.Join(d.err())
}
