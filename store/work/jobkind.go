package work

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"samepage/store"
)

// JobKind declares a kind of jobs: its name, its report, and what a report changes.
type JobKind struct {
	Name string // a runner knows the kind by this name
	Does string // for lists of jobs, such as "fetch"
	Else string // what members of the studio can do if the job fails, such as "fetch it again"
	// decode reads a report without a problem. It returns [store.Invalid] with a sentence for the runner.
	decode func(report []byte) (any, error)
	// apply stores a decoded report.
	apply func(tx *store.Tx, j *Job, report any) error
	// subject finds the thing that the job is about; nil for the worktree or the repository.
	subject func(tx *store.Tx, j *Job) (Subject, error)
	// aside is set for a job that neither changes the folder of a worktree nor looks at it. Others need not wait for it.
	aside bool
	holds bool // no turn of an agent in the worktree begins before the job is done
}

// beside marks jobs of the kind as such for which others need not wait.
func (k *JobKind) beside() *JobKind {
	k.aside = true
	return k
}

// holding marks jobs of the kind as such before whose end no turn begins.
func (k *JobKind) holding() *JobKind {
	k.holds = true
	return k
}

// kindList returns the names of kinds of jobs as a list of SQL, sorted.
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

// about sets the subject of jobs of the kind.
func (k *JobKind) about(subject func(tx *store.Tx, j *Job) (Subject, error)) *JobKind {
	k.subject = subject
	return k
}

// jobKinds has all kinds by their names. It grows only while the package is initialized.
var jobKinds = map[string]*JobKind{}

// JobKinds returns the names of all kinds of jobs, sorted.
func JobKinds() []string { return slices.Sorted(maps.Keys(jobKinds)) }

// declareJob declares a kind of jobs whose report is JSON of type R.
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

// fetchName is the name of [FetchJob].
const fetchName = "fetch"

// These are the kinds of jobs.
var (
	// FetchJob brings the commits of a repository's source, and reports its branches.
	FetchJob = declareJob(fetchName, "fetch", "fetch it again", (*RepoFacts).check,
		func(tx *store.Tx, j *Job, r *RepoFacts) error {
			if err := tx.Exec(`UPDATE repos SET fetched_at = ? WHERE id = ?`, store.At(tx.Now), j.RepoID); err != nil {
				return err
			}
			return ReportRepo(tx, j.RepoID, *r)
		})
	// CheckoutJob makes the folder of a worktree.
	CheckoutJob = declareJob("checkout", "make the folder of", "try again", (*WorktreeFacts).check,
		func(tx *store.Tx, j *Job, r *WorktreeFacts) error {
			if err := reportWorktree(tx, j, r); err != nil {
				return err
			}
			return queueSetup(tx, j)
		}).holding()
	// RefreshJob looks at a worktree.
	RefreshJob = declareJob("refresh", "look at", "refresh it again", (*WorktreeFacts).check, reportWorktree)
	// ArchiveJob removes the folder of a worktree. Its commits, and its uncommitted files as one more, stay in the
	// repository of the runner.
	ArchiveJob = declareJob("archive", "archive", "refresh it, and archive it again", (*Archived).check,
		func(tx *store.Tx, j *Job,
			_ *Archived) error {
			return tx.Exec(`UPDATE worktrees SET archived_at = ?, setup_state = '', setup_said = '', env_state = '', env_port = 0,
				env_said = '' WHERE id = ?`, store.At(tx.Now), j.WorktreeID)
		}).holding()
)

func reportWorktree(tx *store.Tx, j *Job, r *WorktreeFacts) error {
	return ReportWorktree(tx, j.WorktreeID, *r)
}

// Does returns what the runner does in the job, such as "fetch".
func (j *Job) Does() string {
	if k := jobKinds[j.Kind]; k != nil {
		return k.Does
	}
	return j.Kind
}

// holds reports whether no turn in the worktree begins before the job is done.
func (j *Job) holds() bool {
	k := jobKinds[j.Kind]
	return k != nil && k.holds
}

// Else returns what members of the studio can do if the job failed or was lost, such as "fetch it again".
func (j *Job) Else() string {
	if k := jobKinds[j.Kind]; k != nil {
		return k.Else
	}
	return "start something else"
}

// Decode reads the report of the job. It returns [store.Invalid] if it is not what the kind of the job asks for.
func (j *Job) Decode(report []byte) (any, error) {
	k := jobKinds[j.Kind]
	if k == nil {
		return nil, store.Errorf(store.Conflict, "There are no jobs of the kind %q any more.", j.Kind)
	}
	return k.decode(report)
}

// Apply stores a report that [Job.Decode] has read.
func (j *Job) Apply(tx *store.Tx, report any) error { return jobKinds[j.Kind].apply(tx, j, report) }

// Subject is a thing that a job is about.
type Subject interface {
	Ref() store.Ref
	Record() any
	Relation(by store.Actor) store.Relation
}

// Teller is a subject of which people are told when a job about it has ended.
type Teller interface {
	// EndOfJob returns the verb of that news and their receivers.
	EndOfJob() (told string, n *store.Notice)
}

// Subject finds what the job is about.
func (j *Job) Subject(tx *store.Tx) (Subject, error) {
	if k := jobKinds[j.Kind]; k != nil && k.subject != nil {
		return k.subject(tx, j)
	}
	if j.WorktreeID != "" {
		return FindWorktree(tx, store.System(), j.Studio, j.Worktree)
	}
	return FindRepo(tx, store.System(), j.Studio, j.Repo)
}
