package work

import (
	"strings"
	"time"

	"samepage/store"
)

// CheckTime is the time that the check of a commit may take.
const CheckTime = 15 * time.Minute

// MaxCheckOutput is the greatest length of the output of a check in its report, in bytes.
const MaxCheckOutput = 20_000

// checkName is the name of [CheckJob].
const checkName = "check"

// CheckJob runs the check of a repository on the last commit of a pull request.
var CheckJob = declareJob(checkName, "check", "run the check again", (*CheckReport).check,
	reportCheck).about(subjectOfCheck).beside()

// checkOrder has the params of a [CheckJob].
type checkOrder struct {
	Pull   string   `json:"pull"` // id
	Commit string   `json:"commit"`
	Argv   []string `json:"argv"`
}

// CheckReport is the report of a runner that has run a check.
type CheckReport struct {
	Commit string `json:"commit"`
	Passed bool   `json:"passed"`
	Said   string `json:"said"` // how it ended, in a sentence, and the end of its output below that
}

// check returns [store.Invalid] for a report that no runner makes.
func (r *CheckReport) check() error {
	if len(r.Commit) != 40 || len(r.Said) > MaxCheckOutput {
		return store.Errorf(store.Invalid, "Give the commit as a full hash, and at most %d bytes of output.", MaxCheckOutput)
	}
	return nil
}

// reportCheck stores the result of a check. A pull request that has ended, or has another last commit, stays as it is.
func reportCheck(tx *store.Tx, j *Job, r *CheckReport) error {
	q, err := pullOf(tx, j)
	if err != nil || q.Outcome != "" || r.Commit != q.WorkHead {
		return err
	}
	return q.change(tx, `checked = ?, checked_at = ?, check_passed = ?, check_said = ?`, r.Commit, store.At(tx.Now),
		number(r.Passed), r.Said)
}

// These are the states of the check of the last commit of a pull request.
const (
	CheckNone    = ""        // the repository has no check, or it did not run before the pull request ended
	CheckMissing = "missing" // it has not run on this commit
	CheckWaiting = "waiting" // the runner is to run it, or runs it
	CheckPassed  = "passed"
	CheckFailed  = "failed"
)

// Check returns the state of the check of the last commit.
func (q *Pull) Check() string {
	known := q.Checked != "" && q.Checked == q.Head()
	switch {
	case q.Outcome == "" && q.CheckArgv == "", q.Outcome != "" && !known:
		return CheckNone
	case q.CheckJob != nil && q.CheckJob.Open():
		return CheckWaiting
	case !known:
		return CheckMissing
	case q.Passed:
		return CheckPassed
	}
	return CheckFailed
}

// CheckEnd returns how the check of the last commit has ended, in a sentence, and the end of its output. Both are empty
// if it has not.
func (q *Pull) CheckEnd() (how, output string) {
	if c := q.Check(); c != CheckPassed && c != CheckFailed {
		return "", ""
	}
	how, output, _ = strings.Cut(q.CheckSaid, "\n\n")
	return how, output
}

// loadCheck loads the last job that was to check the pull request.
func (q *Pull) loadCheck(tx *store.Tx) error {
	if q.CheckArgv == "" || q.Outcome != "" {
		return nil
	}
	j, err := latestJob(tx, `j.kind = '`+checkName+`' AND j.worktree_id = ?`, q.WorktreeID)
	if err != nil || j == nil {
		return err
	}
	var order checkOrder
	if err := j.order(&order); err != nil {
		return err
	}
	if order.Pull == q.ID {
		q.CheckJob = j
	}
	return nil
}

// MustBeCheckable refuses what [Pull.MustBeOpen] refuses, and a pull request whose check runs or has passed, or is
// none.
func (q *Pull) MustBeCheckable() error {
	if err := q.MustBeOpen(); err != nil {
		return err
	}
	switch q.Check() {
	case CheckNone:
		return store.Errorf(store.Conflict, "The repository %s has no check. The owner sets one on its page (set_check).", q.Repo)
	case CheckWaiting:
		return store.Errorf(store.Conflict, "The runner %s is to check it already.", q.Runner)
	case CheckPassed:
		return store.Errorf(store.Conflict, "The commit %s has passed the check.", Short(q.Head()))
	}
	return nil
}

// QueueCheck asks the runner to check the last commit of a pull request. The result of an earlier check is forgotten.
func QueueCheck(tx *store.Tx, q *Pull) error {
	if q.CheckArgv == "" {
		return nil
	}
	q.Checked, q.CheckedAt, q.Passed, q.CheckSaid = "", store.Time{}, false, ""
	if err := q.change(tx, `checked = '', checked_at = NULL, check_passed = 0, check_said = ''`); err != nil {
		return err
	}
	return QueueWorktreeJob(tx, q.tree(), CheckJob, checkOrder{Pull: q.ID, Commit: q.Head(), Argv: q.CheckArgv.List()})
}

// followHead queues a check, and publishes again, after the worktree of an open pull request has got another commit.
func followHead(tx *store.Tx, worktreeID, from, to string) error {
	if from == to {
		return nil
	}
	var ids []string
	if err := tx.Select(&ids, `SELECT q.id FROM pulls q JOIN worktrees w ON w.id = q.worktree_id JOIN repos p ON p.id = w.repo_id
		WHERE q.worktree_id = ? AND q.ended_at IS NULL AND (p.check_argv <> '' OR q.forge_n > 0)`,
		worktreeID); err != nil || len(ids) == 0 {
		return err
	}
	q, err := pullByID(tx, ids[0])
	if err != nil {
		return err
	}
	if err := QueueCheck(tx, q); err != nil {
		return err
	}
	return q.republish(tx, false)
}

// SetCheck sets the program that checks the commits of pull requests. No arguments mean that there is none.
func SetCheck(tx *store.Tx, p *Repo, argv []string) error {
	p.CheckArgv = Lines(strings.Join(argv, "\n"))
	return tx.Exec(`UPDATE repos SET check_argv = ? WHERE id = ?`, p.CheckArgv, p.ID)
}

// checkedPull is a pull request as the subject of a job that checks it.
type checkedPull struct{ *Pull }

func subjectOfCheck(tx *store.Tx, j *Job) (Subject, error) {
	q, err := pullOf(tx, j)
	return checkedPull{q}, err
}

// EndOfJob tells the author of a check that has failed, or could not run.
func (q checkedPull) EndOfJob() (told string, n *store.Notice) {
	if q.Check() == CheckPassed {
		return "", nil
	}
	return "could not pass the check of", &store.Notice{Reason: store.ReasonOutcome, To: []string{q.MemberID}}
}
