package work

import (
	"encoding/json"
	"fmt"
	"time"

	"samepage/store"
)

// Lease is how long a claim of a job lasts unless the runner renews it. MaxClaims is the greatest number of claims of a
// job.
const (
	Lease     = 30 * time.Second
	MaxClaims = 5
	maxClaims = "5" // for SQL
)

// jobOpen is the SQL condition that a job (alias j) is open: it has not ended, and has a claim or can get one. A claim
// holds until the next claim, even after its lease. Only the last of [MaxClaims] claims ends with its lease, because
// the job is lost then. The argument is the present time.
const jobOpen = `(j.ended_at IS NULL AND (j.claim < ` + maxClaims + ` OR j.claimed_to > ?))`

// Job is a task for a runner. Its claims are numbered; a report for an earlier claim is an error.
type Job struct {
	ID         string     `db:"id"`
	OrgID      string     `db:"org_id"`
	RunnerID   string     `db:"runner_id"`
	RepoID     string     `db:"repo_id"`
	WorktreeID string     `db:"worktree_id"` // empty for a job about the repository only
	Kind       string     `db:"kind"`        // name of a [JobKind]
	MemberID   string     `db:"member_id"`   // member that asked, in person or through an agent; may be empty
	Claim      int        `db:"claim"`       // number of claims so far
	ClaimedTo  store.Time `db:"claimed_to"`  // end of the lease; zero before the first claim and after [LoseJob]
	CreatedAt  store.Time `db:"created_at"`
	EndedAt    store.Time `db:"ended_at"`
	Problem    string     `db:"problem"` // reason for a failure
	Params     string     `db:"params"`  // JSON; may be empty

	Repo       string     `db:"repo"` // name
	Source     string     `db:"source"`
	Worktree   string     `db:"worktree"` // name
	Branch     string     `db:"branch"`   // of the worktree
	Base       string     `db:"base"`     // of the worktree
	Studio     string     `db:"studio"`
	StudioName string     `db:"studio_name"`
	StudioEnd  store.Time `db:"studio_end"` // when the studio was archived; may be zero
	Now        time.Time
}

// These are the states of a job.
const (
	JobWaiting = "waiting" // can be claimed
	JobClaimed = "claimed"
	JobDone    = "done"
	JobFailed  = "failed"
	JobLost    = "lost" // [MaxClaims] claims ended without a report
)

// State returns the state of the job when it was loaded.
func (j *Job) State() string {
	switch {
	case !j.EndedAt.IsZero() && j.ClaimedTo.IsZero():
		return JobLost
	case !j.EndedAt.IsZero() && j.Problem != "":
		return JobFailed
	case !j.EndedAt.IsZero():
		return JobDone
	case j.ClaimedTo.After(j.Now):
		return JobClaimed
	case j.Claim >= MaxClaims:
		return JobLost
	}
	return JobWaiting
}

// Open reports whether the job is waiting or claimed.
func (j *Job) Open() bool { return j.State() == JobWaiting || j.State() == JobClaimed }

// Failed reports whether the job has failed or was lost.
func (j *Job) Failed() bool { return j.State() == JobFailed || j.State() == JobLost }

const jobColumns = `j.id, j.org_id, j.runner_id, j.repo_id, j.worktree_id, j.kind, coalesce(j.member_id, '') AS member_id,
	j.claim, j.claimed_to, j.created_at, j.ended_at, j.problem, j.params, p.name AS repo, p.source, w.name AS worktree,
	w.branch, w.base, s.handle AS studio, s.name AS studio_name,
	s.archived_at AS studio_end`

const jobFrom = ` FROM jobs j JOIN repos p ON p.id = j.repo_id JOIN studios s ON s.id = p.studio_id
	LEFT JOIN worktrees w ON w.id = j.worktree_id `

// RunnerPage is a runner with the data of its page.
type RunnerPage struct {
	*Runner
	Repos []Repo       // only those that the actor may see
	Turns []RunnerTurn // in progress or claimable; only for the runner itself
	Pulls []Watched    // open published pull requests, at most [MaxWatched]; only for the runner itself
	Open  int          // number of open published pull requests; 0 for the runner itself
	Envs  []Running    // only for the runner itself
	// Jobs are the first [mostJobs] of repositories that the actor may see: jobs without an end first, both parts
	// newest first. The runner itself gets the oldest jobs without an end, oldest first.
	Jobs []Job
}

const mostJobs = 20

// ShowRunner loads the data of the page of a runner. The runner itself sees its jobs of all studios.
func ShowRunner(tx *store.Tx, by store.Actor, r *Runner) (*RunnerPage, error) {
	v := &RunnerPage{Runner: r}
	seen, args := ` AND `+store.VisibleTo("?", "s"), []any{r.ID, by.In(r.OrgID).MemberID()}
	order := ` ORDER BY j.ended_at IS NOT NULL, j.created_at DESC, j.id`
	if by.Runs() {
		seen, args = ``, args[:1]
		order = ` AND (j.ended_at IS NOT NULL) = FALSE ORDER BY j.created_at, j.id DESC`
	}
	args = args[:len(args):len(args)]
	if err := tx.Select(&v.Jobs, `SELECT `+jobColumns+jobFrom+`WHERE j.runner_id = ?`+seen+order+store.AtMost,
		append(args, mostJobs)...); err != nil {
		return nil, err
	}
	for i := range v.Jobs {
		v.Jobs[i].Now = tx.Now
	}
	if by.Runs() {
		var err error
		if v.Turns, err = runnerTurns(tx, r); err != nil {
			return nil, err
		}
		if v.Pulls, err = watched(tx, r); err != nil {
			return nil, err
		}
		if v.Envs, err = running(tx, r); err != nil {
			return nil, err
		}
	} else {
		var err error
		if v.Open, err = countWatched(tx, r); err != nil {
			return nil, err
		}
	}
	err := tx.Select(&v.Repos, `SELECT `+repoColumns+`, s.handle AS studio_handle, s.name AS studio_name`+repoFrom+
		`WHERE p.runner_id = ?`+seen+` ORDER BY p.name, p.id`+store.AtMost, append(args, MaxRepos)...)
	return v, err
}

// latestJob finds the latest job that meets the SQL condition with the argument id. It returns nil if there is none.
func latestJob(tx *store.Tx, condition, id string) (*Job, error) {
	j := &Job{Now: tx.Now}
	err := tx.Get(j, `SELECT `+jobColumns+jobFrom+`WHERE `+condition+` ORDER BY j.created_at DESC, j.id LIMIT 1`, id)
	if store.CodeOf(err) == store.NotFound {
		return nil, nil
	}
	return j, err
}

func (j *Job) order(into any) error {
	if err := json.Unmarshal([]byte(j.Params), into); err != nil {
		return fmt.Errorf("the params of the job %s: %w", j.ID, err)
	}
	return nil
}

// FindJob finds a job of the runner. It returns [store.Missing] if there is none.
func FindJob(tx *store.Tx, r *Runner, id string) (*Job, error) {
	j := &Job{Now: tx.Now}
	err := tx.Get(j, `SELECT `+jobColumns+jobFrom+`WHERE j.runner_id = ? AND j.id = ?`, r.ID, id)
	return j, err
}

// QueueJob adds a job about a repository, on behalf of the actor. The params become JSON; they may be nil.
func QueueJob(tx *store.Tx, by store.Actor, p *Repo, kind *JobKind, params any) error {
	return queue(tx, by.In(p.OrgID).MemberID(), p, nil, kind, params)
}

// queue adds a job. The asker is the id of the member that asked for it, or "".
func queue(tx *store.Tx, asker string, p *Repo, worktreeID *string, kind *JobKind, params any) error {
	text := []byte{}
	if params != nil {
		var err error
		if text, err = json.Marshal(params); err != nil {
			return err
		}
	}
	var last store.Time // the second of two simultaneous jobs must have the later time
	if err := tx.Get(&last, `SELECT max(created_at) FROM jobs WHERE repo_id = ?`, p.ID); err != nil {
		return err
	}
	at := tx.Now
	if !last.Before(at) {
		at = last.Add(time.Millisecond)
	}
	return tx.Exec(`INSERT INTO jobs (id, org_id, runner_id, repo_id, worktree_id, kind, params, created_at, member_id)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, store.NewID(), p.OrgID, p.RunnerID, p.ID, worktreeID, kind.Name, string(text),
		store.At(at), store.Null(asker))
}

// ClaimJob claims a job that has had this number of claims. It returns [store.Conflict] if the job cannot be claimed
// now.
func ClaimJob(tx *store.Tx, r *Runner, id string, claims int) error {
	now := store.At(tx.Now)
	ok, err := tx.Changed(`UPDATE jobs SET claim = claim + 1, claimed_to = ? WHERE id = ? AND runner_id = ? AND claim = ?
		AND claim < ? AND ended_at IS NULL AND (claimed_to IS NULL OR claimed_to <= ?)`,
		store.At(tx.Now.Add(Lease)), id, r.ID, claims, MaxClaims, now)
	if err == nil && !ok {
		err = store.Errorf(store.Conflict, "The job was claimed or ended since you read this page. Read it again.")
	}
	return err
}

// heldJob is the condition that a claim of a job (alias j) holds. Its arguments are the ids of the job and the runner,
// the claim, and the present time.
const heldJob = `j.id = ? AND j.runner_id = ? AND j.claim = ? AND j.claim > 0 AND ` + jobOpen

// RenewJob extends the lease of a claim, and notes the time of the runner's message, because a runner that works on a job
// may announce nothing else. It returns [store.Conflict] if the claim does not hold.
func RenewJob(tx *store.Tx, r *Runner, id string, claim int) error {
	ok, err := tx.Changed(`UPDATE jobs AS j SET claimed_to = ? WHERE `+heldJob, store.At(tx.Now.Add(Lease)), id, r.ID, claim,
		store.At(tx.Now))
	if err != nil {
		return err
	}
	if !ok {
		return staleClaim()
	}
	return tx.Exec(`UPDATE runners SET seen_at = ? WHERE id = ?`, store.At(tx.Now), r.ID)
}

// EndJob records the end of a job under a claim. It returns false if the same claim has ended the job before, and
// [store.Conflict] for a claim that does not hold.
func EndJob(tx *store.Tx, r *Runner, id string, claim int, problem string) (first bool, err error) {
	now := store.At(tx.Now)
	ok, err := tx.Changed(`UPDATE jobs AS j SET ended_at = ?, problem = ? WHERE `+heldJob, now, problem, id, r.ID, claim, now)
	if err != nil || ok {
		return ok, err
	}
	j, err := FindJob(tx, r, id)
	if err == nil && (j.Claim != claim || j.EndedAt.IsZero() || j.State() == JobLost) {
		err = staleClaim()
	}
	return false, err
}

func staleClaim() error {
	return store.Errorf(store.Conflict,
		"This claim holds no more: the job was claimed again, or it ended. Stop working on it.")
}
