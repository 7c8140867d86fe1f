package work

import (
	"strings"

	"samepage/store"
	"samepage/store/work/wire"
)

const checkName = "check"

// CheckJob runs a repository's check program on the last commit of a pull request.
var CheckJob = declareJob(checkName, "check", "run the check again", checkCheck,
	reportCheck).about(subjectOfCheck).beside()

func checkCheck(r *wire.CheckReport) error {
	if len(r.Commit) != 40 || len(r.Said) > wire.MaxCheckOutput {
		return store.Errorf(store.Invalid, "Give the commit as a full hash, and at most %d bytes of output.",
			wire.MaxCheckOutput)
	}
	return nil
}

func reportCheck(tx *store.Tx, j *Job, r *wire.CheckReport) error {
	q, err := pullOf(tx, j)
	if err != nil || q.Outcome != "" || r.Commit != q.WorkHead {
		return err
	}
	return q.change(tx, `checked = ?, checked_at = ?, check_passed = ?, check_said = ?`, r.Commit, store.At(tx.Now),
		number(r.Passed), r.Said)
}

// These are the states of the check of a pull request's last commit.
const (
	CheckNone    = ""        // no check program, or the pull request ended without a result for this commit
	CheckMissing = "missing" // no result for this commit, and no open [CheckJob]
	CheckWaiting = "waiting" // queued or running
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

// CheckEnd returns a sentence about the result of the last commit's check, and the end of the output. Both are empty
// without a result.
func (q *Pull) CheckEnd() (how, output string) {
	if c := q.Check(); c != CheckPassed && c != CheckFailed {
		return "", ""
	}
	return Parted(q.CheckSaid)
}

func (q *Pull) loadCheck(tx *store.Tx) error {
	if q.CheckArgv == "" || q.Outcome != "" {
		return nil
	}
	var err error
	q.CheckJob, err = q.latestJob(tx, checkName)
	return err
}

// MustBeCheckable returns the errors of [Pull.MustBeOpen], and [store.Conflict] if the repository has no check, or the
// check is queued, is running or has passed.
func (q *Pull) MustBeCheckable() error {
	if err := q.MustBeOpen(); err != nil {
		return err
	}
	switch q.Check() {
	case CheckNone:
		return store.Errorf(store.Conflict,
			"The repository %s has no check. The owner sets one on its page (set_check).", q.Repo)
	case CheckWaiting:
		return store.Errorf(store.Conflict, "The runner %s is to check it already.", q.RunnerNoted())
	case CheckPassed:
		return store.Errorf(store.Conflict, "The commit %s has passed the check.", Short(q.Head()))
	}
	return nil
}

// QueueCheck queues a check of a pull request's last commit, and deletes the earlier result. It does nothing if the
// repository has no check.
func QueueCheck(tx *store.Tx, by store.Actor, q *Pull) error {
	if q.CheckArgv == "" {
		return nil
	}
	q.Checked, q.CheckedAt, q.Passed, q.CheckSaid = "", store.Time{}, false, ""
	if err := q.change(tx, `checked = '', checked_at = NULL, check_passed = 0, check_said = ''`); err != nil {
		return err
	}
	return QueueWorktreeJob(tx, by, q.tree(), CheckJob,
		wire.Check{Pull: q.ID, Commit: q.Head(), Argv: q.CheckArgv.List()})
}

// followHead compares the former and the present last commit of a worktree. If they differ, it queues a check of the
// worktree's open pull request and, if the pull request is published at a forge, publishes it again.
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
	if err := QueueCheck(tx, store.System(), q); err != nil {
		return err
	}
	return q.republish(tx, false)
}

// SetCheck sets the program that checks the commits of pull requests. An empty argv means no check.
func SetCheck(tx *store.Tx, p *Repo, argv []string) error {
	p.CheckArgv = Lines(strings.Join(argv, "\n"))
	return tx.Exec(`UPDATE repos SET check_argv = ? WHERE id = ?`, p.CheckArgv, p.ID)
}

type checkedPull struct{ *Pull }

func subjectOfCheck(tx *store.Tx, j *Job) (Subject, error) {
	q, err := pullOf(tx, j)
	return checkedPull{q}, err
}

// EndOfJob notifies the author unless the check has passed.
func (q checkedPull) EndOfJob() (told string, n *store.Notice) {
	if q.Check() == CheckPassed {
		return "", nil
	}
	return "could not pass the check of", &store.Notice{Reason: store.ReasonOutcome, To: []string{q.MemberID}}
}
