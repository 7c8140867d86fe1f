package work

import (
	"net/url"
	"strings"

	"samepage/store"
	"samepage/store/work/wire"
)

// These are the states of a commit's checks on the forge: the site that hosts the repository's source, such as GitHub.
const (
	ForgeWaiting = "waiting"
	ForgePassed  = "passed"
	ForgeFailed  = "failed"
)

// Published is the state of a pull request's copy on the forge, according to the runner's reports.
type Published struct {
	N      int        `db:"forge_n"` // number on the forge; 0 for no copy
	URL    string     `db:"forge_url"`
	State  string     `db:"forge_state"`  // open, merged or closed; empty without a copy
	Head   string     `db:"forge_head"`   // last commit of the branch on the forge
	By     string     `db:"forge_merger"` // user that merged the copy; may be empty
	Checks string     `db:"forge_checks"` // of Head, such as [ForgePassed]; empty without checks
	Names  Lines      `db:"forge_names"`  // checks that failed or have not ended
	At     store.Time `db:"forge_at"`
}

const publishedColumns = `q.forge_n, q.forge_url, q.forge_state, q.forge_head, q.forge_merger, q.forge_checks,
	q.forge_names, q.forge_at`

// forgeOf returns the name of the forge that hosts a source, such as github.com, or "" unless the source is below the
// URL of an account.
func forgeOf(source string, accounts Lines) string {
	u, err := url.Parse(source)
	if err != nil || !Below(source, accounts.List()) {
		return ""
	}
	return u.Host
}

// Forge returns the name of the source's forge, such as github.com, or "" if the runner has no account for the source.
func (q *Pull) Forge() string { return forgeOf(q.Source, q.Accounts) }

// Forge returns the name of the source's forge, such as github.com, or "" if the runner has no account for the source.
func (p *Repo) Forge() string { return forgeOf(p.Source, p.Accounts) }

func noAccount(runner, source string) error {
	return store.Errorf(store.Conflict,
		"The runner %s has no account for %s. The operator of the runner gives it one (--forge).",
		runner, source)
}

// Site returns the name of the forge with the copy.
func (p *Published) Site() string {
	u, err := url.Parse(p.URL)
	if err != nil {
		return p.URL
	}
	return u.Host
}

// Publishing reports whether a [PublishJob] of the pull request is open.
func (q *Pull) Publishing() bool { return q.PublishJob != nil && q.PublishJob.Open() }

// MustBePublishable returns the errors of [Pull.MustBeOpen]. It returns [store.Conflict] if the pull request is a
// draft, is being published, or is published already, or if the runner has no account for the source. A published pull
// request can be published again after the last attempt has failed.
func (q *Pull) MustBePublishable() error {
	if err := q.MustBeOpen(); err != nil {
		return err
	}
	failed := q.PublishJob != nil && q.PublishJob.State() != JobDone && !q.Publishing()
	switch {
	case q.Published.N > 0 && !failed:
		return store.Errorf(store.Conflict, "It is published: %s.", q.Published.URL)
	case q.Publishing():
		return store.Errorf(store.Conflict, "The runner %s is to publish it already.", q.RunnerNoted())
	case q.Draft && q.Published.N == 0:
		return store.Errorf(store.Conflict, "It is a draft. Say first that it is ready (ready_pull_request).")
	case q.Forge() == "":
		return noAccount(q.Runner, q.Source)
	}
	return nil
}

const publishName = "publish"

// PublishJob makes the copy on the forge agree with its pull request.
var PublishJob = declareJob(publishName, "publish", "publish it again", checkPull,
	func(tx *store.Tx, j *Job, r *wire.ForgeReport) error {
		q, err := pullOf(tx, j)
		if err != nil {
			return err
		}
		return seePull(tx, q, r)
	}).about(subjectOfPublish).beside()

// Publish queues a [PublishJob], and deletes an earlier one that the runner has not claimed. The new job changes
// the texts and the state of the copy only if write is set, or was set for the deleted job.
func Publish(tx *store.Tx, q *Pull, write bool) error {
	pushed, was := q.Published.Head, q.Published.State
	if q.Publishing() {
		var before wire.Publish
		if err := q.PublishJob.order(&before); err != nil {
			return err
		}
		if q.PublishJob.Claim == 0 {
			write = write || before.Write
			if err := tx.Exec(`DELETE FROM jobs WHERE id = ?`, q.PublishJob.ID); err != nil {
				return err
			}
		} else { // start from the state in which the claimed job leaves the copy
			if pushed = before.Head; before.Write {
				was = before.State
			}
		}
	}
	state := PullOpen
	if q.Outcome != "" {
		state = PullClosed
	}
	text := q.Text
	if text != "" {
		text += "\n\n"
	}
	text += "Samepage: " + q.URL()
	kind := jobKinds[publishName] // naming PublishJob would be an initialization cycle
	return queueAbout(tx, "", q.tree(), kind, wire.Publish{Pull: q.ID, Number: q.Published.N, Title: q.Title,
		Text: text, Head: q.Head(), Pushed: pushed, State: state, Was: was, Write: write})
}

func (q *Pull) republish(tx *store.Tx, write bool) error {
	if q.Published.N == 0 && !q.Publishing() {
		return nil
	}
	return Publish(tx, q, write)
}

func (q *Pull) loadPublishing(tx *store.Tx) error {
	if q.Published.N == 0 && q.Forge() == "" {
		return nil
	}
	var err error
	q.PublishJob, err = q.latestJob(tx, publishName)
	return err
}

func checkPull(r *wire.ForgeReport) error {
	u, err := url.Parse(r.URL)
	bad := err != nil || u.Scheme != "https" || len(r.URL) > 1000 || r.Number < 1 || len(r.Head) != 40 ||
		len(r.By) > wire.MaxNameBytes
	switch r.State {
	case PullOpen, PullClosed:
		bad = bad || r.Merged != ""
	case PullMerged:
		bad = bad || len(r.Merged) != 40 || r.Repo == nil
	default:
		bad = true
	}
	switch r.Checks {
	case "", ForgeWaiting, ForgePassed, ForgeFailed:
	default:
		bad = true
	}
	for _, name := range r.Names {
		bad = bad || len(name) > wire.MaxNameBytes || strings.Contains(name, "\n")
	}
	if bad || len(r.Names) > wire.MaxNames {
		return store.Errorf(store.Invalid,
			"Give the number, the https address, the state open, merged or closed, the head, and after "+
				"a merge its commit and the repository; at most %d names of checks.", wire.MaxNames)
	}
	if r.Repo != nil {
		return checkRepo(r.Repo)
	}
	return nil
}

// seePull stores a runner's report. If the copy was merged or closed on the forge, the pull request ends in the same
// way, unless it was merged before.
func seePull(tx *store.Tx, q *Pull, r *wire.ForgeReport) error {
	if err := q.change(tx, `forge_n = ?, forge_url = ?, forge_state = ?, forge_head = ?, forge_merger = ?, forge_checks = ?,
		forge_names = ?, forge_at = ?`, r.Number, r.URL, r.State, r.Head, r.By, r.Checks, strings.Join(r.Names, "\n"),
		store.At(tx.Now)); err != nil {
		return err
	}
	if r.Repo != nil {
		if err := ReportRepo(tx, q.RepoID, *r.Repo); err != nil {
			return err
		}
	}
	// While a PublishJob is open, a closed copy does not close the pull request, because the job may open it again.
	closes := r.State == PullClosed && q.Publishing()
	if q.Outcome == PullMerged || r.State == PullOpen || r.State == q.Outcome || closes {
		return nil
	}
	head := r.Head
	if r.State == PullClosed {
		head = q.WorkHead
	}
	if err := q.change(tx, `state = ?, ended_at = ?, head = ?, merged = ?, ended_by = NULL, ended_agent = NULL`, r.State,
		store.At(tx.Now), head, r.Merged); err != nil {
		return err
	}
	if err := raiseSessionsIn(tx, q.WorktreeID); err != nil || r.State != PullMerged {
		return err
	}
	return queueAbout(tx, "", q.tree(), RefreshJob, nil)
}

// SeePull stores a runner's report on a published pull request, and returns the pull request before and after it. It
// returns [store.Missing] if the pull request is not on that runner or has another number on the forge, and
// [store.Invalid] for a malformed report.
func SeePull(tx *store.Tx, r *Runner, id string, seen *wire.ForgeReport) (before, after *Pull, err error) {
	if err := checkPull(seen); err != nil {
		return nil, nil, err
	}
	if before, err = pullByID(tx, id); err != nil {
		return nil, nil, err
	}
	if before.RunnerID != r.ID || before.Published.N != seen.Number {
		return nil, nil, store.Missing()
	}
	if err := seePull(tx, before, seen); err != nil {
		return nil, nil, err
	}
	after, err = pullByID(tx, id)
	return before, after, err
}

// MaxWatched is the greatest number of published pull requests that a runner watches. It watches the newest ones.
const MaxWatched = 300

// Watched is a published pull request whose copy on the forge the runner watches.
type Watched struct {
	ID     string `db:"id"`
	RepoID string `db:"repo_id"`
	Source string `db:"source"`
	Published
}

func watched(tx *store.Tx, r *Runner) ([]Watched, error) {
	return store.All[Watched](tx, `SELECT q.id, p.id AS repo_id, p.source, `+publishedColumns+` FROM pulls q
		JOIN worktrees w ON w.id = q.worktree_id JOIN repos p ON p.id = w.repo_id
		WHERE q.org_id = ? AND p.runner_id = ? AND q.forge_n > 0 AND q.ended_at IS NULL
		ORDER BY q.opened_at DESC, q.id`+store.AtMost,
		r.OrgID, r.ID, MaxWatched)
}

func countWatched(tx *store.Tx, r *Runner) (n int, err error) {
	err = tx.Get(&n, `SELECT count(*) FROM pulls q JOIN worktrees w ON w.id = q.worktree_id
		JOIN repos p ON p.id = w.repo_id WHERE q.org_id = ? AND p.runner_id = ? AND q.forge_n > 0 AND q.ended_at IS NULL`, r.OrgID, r.ID)
	return n, err
}

type publishedPull struct{ *Pull }

func subjectOfPublish(tx *store.Tx, j *Job) (Subject, error) {
	q, err := pullOf(tx, j)
	return publishedPull{q}, err
}

// EndOfJob implements [Teller].
func (q publishedPull) EndOfJob() (told string, n *store.Notice) { return q.News() }

// News returns news of a pull request for its author: it could not be published, its copy was merged, its copy was
// closed on the forge, or the copy's checks failed. Both results are empty without news.
func (q *Pull) News() (told string, n *store.Notice) {
	switch {
	case q.PublishJob != nil && q.PublishJob.Failed():
		told = "could not publish"
	case q.Published.State == PullMerged && q.Outcome == PullMerged:
		told = "merged"
	case q.Published.State == PullClosed && q.Outcome == PullClosed && q.EnderID == "":
		told = "closed"
	case q.Outcome == "" && q.Published.Checks == ForgeFailed:
		told = "could not pass the check of"
	default:
		return "", nil
	}
	return told, &store.Notice{Reason: store.ReasonOutcome, To: []string{q.MemberID}}
}
