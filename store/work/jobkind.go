package work

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"samepage/store"
	"samepage/store/work/wire"
)

// JobKind declares a kind of job, its report, and the effects of a report.
type JobKind struct {
	Name string              // name for runners
	Does string              // verb for lists of jobs, such as "fetch"
	does func(j *Job) string // verb for one job; nil or a result of "" stands for Does
	Else string              // remedy for members of the studio, such as "fetch it again"
	// decode decodes a report. It returns [store.Invalid] for a malformed one.
	decode func(report []byte) (any, error)
	apply  func(tx *store.Tx, j *Job, report any) error
	// subject finds the subject of a job. If subject is nil, the subject of a job is its worktree or, for a job without
	// a worktree, its repository.
	subject func(tx *store.Tx, j *Job) (Subject, error)
	aside   bool // [Worktree.Job] leaves out jobs of this kind
	holds   bool // no turn in the worktree begins before the end of such a job
}

func (k *JobKind) doing(does func(j *Job) string) *JobKind {
	k.does = does
	return k
}

func (k *JobKind) beside() *JobKind {
	k.aside = true
	return k
}

func (k *JobKind) holding() *JobKind {
	k.holds = true
	return k
}

func kindList(is func(k *JobKind) bool) string {
	var names []string
	for name, k := range jobKinds {
		if is(k) {
			names = append(names, "'"+name+"'")
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func (k *JobKind) about(subject func(tx *store.Tx, j *Job) (Subject, error)) *JobKind {
	k.subject = subject
	return k
}

// jobKinds has all kinds by name. It grows only while the package is initialized.
var jobKinds = map[string]*JobKind{}

// JobKinds returns the sorted names of all kinds of jobs.
func JobKinds() []string { return slices.Sorted(maps.Keys(jobKinds)) }

func declareJob[R any](name, does, otherwise string, check func(r *R) error,
	apply func(tx *store.Tx, j *Job, r *R) error) *JobKind {
	k := &JobKind{Name: name, Does: does, Else: otherwise,
		decode: func(report []byte) (any, error) {
			r := new(R)
			if err := json.Unmarshal(report, r); err != nil {
				return nil, store.Errorf(store.Invalid,
					"The report of a job %q cannot be read: it is one JSON object.", name)
			}
			return r, check(r)
		},
		apply: func(tx *store.Tx, j *Job, report any) error { return apply(tx, j, report.(*R)) },
	}
	jobKinds[name] = k
	return k
}

const fetchName = "fetch"

// These are the kinds of jobs about the commits of a repository and the folders of worktrees.
var (
	// FetchJob fetches the commits of a repository's source.
	FetchJob = declareJob(fetchName, "fetch", "fetch it again", checkRepo,
		func(tx *store.Tx, j *Job, r *wire.RepoFacts) error {
			if err := tx.Exec(`UPDATE repos SET fetched_at = ? WHERE id = ?`, store.At(tx.Now), j.RepoID); err != nil {
				return err
			}
			return ReportRepo(tx, j.RepoID, *r)
		})
	// CheckoutJob makes the folder of a worktree. It also restores an archived worktree.
	CheckoutJob = declareJob("checkout", "make the folder of", "try again", checkWorktree,
		func(tx *store.Tx, j *Job, r *wire.WorktreeFacts) error {
			if err := tx.Exec(`UPDATE worktrees SET archived_at = NULL WHERE id = ?`, j.WorktreeID); err != nil {
				return err
			}
			if err := reportWorktree(tx, j, r); err != nil {
				return err
			}
			return queueSetup(tx, j)
		}).holding()
	// RefreshJob reports the state of the folder of a worktree.
	RefreshJob = declareJob("refresh", "look at", "refresh it again", checkWorktree, reportWorktree)
	// ArchiveJob removes the folder of a worktree. The runner's repository keeps the uncommitted files in a commit,
	// except ignored ones.
	ArchiveJob = declareJob("archive", "archive", "refresh it, and archive it again", checkArchived,
		func(tx *store.Tx, j *Job,
			_ *wire.Archived) error {
			return tx.Exec(`UPDATE worktrees SET archived_at = ?, setup_state = '', setup_said = '', env_state = '', env_port = 0,
				env_said = '' WHERE id = ?`, store.At(tx.Now), j.WorktreeID)
		}).holding()
)

func reportWorktree(tx *store.Tx, j *Job, r *wire.WorktreeFacts) error {
	return ReportWorktree(tx, j.WorktreeID, *r)
}

// Does returns the verb of the job, such as "fetch".
func (j *Job) Does() string {
	k := jobKinds[j.Kind]
	switch {
	case k == nil:
		return j.Kind
	case k.does != nil:
		return cmp.Or(k.does(j), k.Does)
	}
	return k.Does
}

func (j *Job) holds() bool {
	k := jobKinds[j.Kind]
	return k != nil && k.holds
}

// Else returns the remedy for members of the studio after a failure or loss, such as "fetch it again".
func (j *Job) Else() string {
	if k := jobKinds[j.Kind]; k != nil {
		return k.Else
	}
	return "start something else"
}

// Decode decodes the report on the job. It returns [store.Invalid] for a malformed report, and [store.Conflict] for an
// unknown kind of job.
func (j *Job) Decode(report []byte) (any, error) {
	k := jobKinds[j.Kind]
	if k == nil {
		return nil, store.Errorf(store.Conflict, "There are no jobs of the kind %q any more.", j.Kind)
	}
	return k.decode(report)
}

// Apply stores a report that [Job.Decode] has returned.
func (j *Job) Apply(tx *store.Tx, report any) error { return jobKinds[j.Kind].apply(tx, j, report) }

// Subject is the thing that a job is about, such as a worktree.
type Subject interface {
	Ref() store.Ref
	Record() any
	Relation(by store.Actor) store.Relation
}

// Teller is a subject with its own notice at the end of a job.
type Teller interface {
	// EndOfJob returns a verb for the event, such as "could not publish", and a notice. Both are empty if nobody is
	// notified.
	EndOfJob() (told string, n *store.Notice)
}

// Subject finds the subject of the job.
func (j *Job) Subject(tx *store.Tx) (Subject, error) {
	if k := jobKinds[j.Kind]; k != nil && k.subject != nil {
		return k.subject(tx, j)
	}
	if j.WorktreeID != "" {
		return FindWorktree(tx, store.System(), j.Studio, j.Worktree)
	}
	return FindRepo(tx, store.System(), j.Studio, j.Repo)
}
