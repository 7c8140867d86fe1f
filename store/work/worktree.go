package work

import (
	"encoding/json"
	"regexp"
	"strings"

	"samepage/store"
	"samepage/store/work/wire"
)

// WorktreeKind is the kind of worktrees in grants and in the journal.
var WorktreeKind = store.DeclareGrantKind("worktree")

// MaxWorktrees is the number of worktrees, without archived ones, from which a studio takes no new or restored one.
const MaxWorktrees = 100

// Worktree is a git worktree: a checkout of a repository with its own branch, on the runner's machine.
type Worktree struct {
	ID         string     `db:"id"`
	OrgID      string     `db:"org_id"`
	StudioID   string     `db:"studio_id"`
	RepoID     string     `db:"repo_id"`
	Name       string     `db:"name"`
	Branch     string     `db:"branch"`
	Base       string     `db:"base"` // branch to merge into
	Head       string     `db:"head"` // last commit; empty before the first report
	CreatedAt  store.Time `db:"created_at"`
	CreatedBy  string     `db:"created_by"`
	MadeAt     store.Time `db:"made_at"` // first report of the folder; zero before
	ArchivedAt store.Time `db:"archived_at"`
	FactsAt    store.Time `db:"facts_at"` // last report
	Facts      string     `db:"facts"`    // [wire.WorktreeFacts] as JSON without files; not in lists
	Dirty      bool       `db:"dirty"`    // has uncommitted changes
	Ahead      int        `db:"ahead"`    // number of commits that the base lacks
	Behind     int        `db:"behind"`   // number of commits that the head lacks
	Size       int64      `db:"size"`     // bytes of all files in the folder
	Changed    int        `db:"changed"`  // number of files that differ from the base
	Added      int        `db:"added"`    // number of added lines
	Deleted    int        `db:"deleted"`  // number of deleted lines

	EnvironmentReport
	Recipe        // of the repository
	Repo   string `db:"repo"` // name
	Host
	Starts       bool       `db:"starts"`        // the runner starts agents
	StudioHandle string     `db:"studio_handle"` // only in lists
	Awaited      bool       `db:"awaited"`       // a job of any kind about it is open
	Pull         int        `db:"pull"`          // number of the open pull request; 0 for none
	Agents       []Manifest // manifests that can be started in it; not in lists
	Turns        int        // number of turns that run or wait in it; 0 in lists
	Past         []Past     // commits to which it can be rewound; not in lists
	Studio       *store.Studio
	Job          *Job // latest job about it, of the kinds without JobKind.aside; nil for none, and in lists
	SettingJob   *Job // latest job about the environment; nil for none, and in lists
}

// worktreeColumns needs the present time as an argument.
const worktreeColumns = `w.id, w.org_id, w.studio_id, w.repo_id, w.name, w.branch, w.base, w.head, w.created_at,
	w.created_by, w.made_at, w.archived_at, w.facts_at, w.dirty, w.ahead, w.behind, w.size, w.changed, w.added,
		w.deleted,
	` + environmentColumns + `, ` + recipeColumns + `,
	p.name AS repo, ` + hostColumns + `, r.starts, s.handle AS studio_handle, ` + openPull + ` AS pull,
	EXISTS (SELECT 1 FROM jobs j WHERE j.worktree_id = w.id AND ` + jobOpen + `) AS awaited`

const worktreeFrom = ` FROM worktrees w JOIN repos p ON p.id = w.repo_id JOIN runners r ON r.id = p.runner_id
	JOIN studios s ON s.id = w.studio_id `

// These are the states of a worktree.
const (
	WorktreeCreating = "creating" // the folder is being made
	WorktreeReady    = "ready"
	WorktreeFailed   = "failed" // the folder could not be made
	WorktreeArchived = "archived"
)

// WorktreeStates returns the possible states of a worktree.
func WorktreeStates() []string {
	return []string{WorktreeCreating, WorktreeReady, WorktreeFailed, WorktreeArchived}
}

// State returns one of [WorktreeStates].
func (w *Worktree) State() string {
	switch {
	case !w.ArchivedAt.IsZero():
		return WorktreeArchived
	case w.MadeAt.IsZero() && (w.Awaited || w.Job != nil && w.Job.Open()):
		return WorktreeCreating
	case w.MadeAt.IsZero():
		return WorktreeFailed
	}
	return WorktreeReady
}

// URL returns the path of the worktree's page.
func (w *Worktree) URL() string {
	return studioURL(w.Studio, w.StudioHandle) + "/worktrees/" + w.Name
}

// Ref returns the worktree as the target of a journal entry.
func (w *Worktree) Ref() store.Ref {
	return store.Ref{OrgID: w.OrgID, StudioID: w.StudioID, Kind: WorktreeKind, ID: w.ID, URL: w.URL(), Title: w.Name}
}

// Record returns the fields that the journal stores about a worktree.
func (w *Worktree) Record() any {
	return struct {
		Name   string `json:"name"`
		Repo   string `json:"repo"`
		Branch string `json:"branch"`
		Base   string `json:"base"`
		Head   string `json:"head,omitempty"`
		Dirty  bool   `json:"dirty,omitempty"`
		Ahead  int    `json:"ahead,omitempty"`
		State  string `json:"state"`
		Setup  string `json:"setup,omitempty"`
		Env    string `json:"environment,omitempty"`
	}{w.Name, w.Repo, w.Branch, w.Base, w.Head, w.Dirty, w.Ahead, w.State(), w.SetupState, w.EnvState}
}

// Relation returns the actor's relations to the studio.
func (w *Worktree) Relation(by store.Actor) store.Relation { return w.Studio.Relation(by) }

// MustBeIdle returns [store.Conflict] if there is no folder, or [Worktree.Job] is open, and an error for an actor
// outside the studio.
func (w *Worktree) MustBeIdle() error {
	if err := w.Studio.MustBeJoined(); err != nil {
		return err
	}
	switch {
	case w.Job != nil && w.Job.Open():
		return store.Errorf(store.Conflict, "The runner %s is to %s it first.", w.RunnerNoted(), w.Job.Does())
	case w.State() != WorktreeReady:
		return store.Errorf(store.Conflict, "The worktree is %s: it has no folder.", w.State())
	}
	return nil
}

// FindWorktree finds a worktree of a studio by its name. It returns [store.Missing] if there is none, if the actor may
// not see the studio, or if the actor is neither a member of the organization nor the scheduler.
func FindWorktree(tx *store.Tx, by store.Actor, studio, name string) (*Worktree, error) {
	s, err := tx.FindStudio(by, studio)
	if err != nil {
		return nil, err
	}
	if by.In(s.OrgID).Member == nil && !by.System {
		return nil, store.Missing()
	}
	w := &Worktree{Studio: s, Host: Host{asOf: tx.Now}}
	if err := tx.Get(w, `SELECT `+worktreeColumns+`, w.facts`+worktreeFrom+`WHERE w.studio_id = ? AND w.name = ?`,
		store.At(tx.Now), s.ID, name); err != nil {
		return nil, err
	}
	if err := w.countTurns(tx); err != nil {
		return nil, err
	}
	list, err := manifestsOf(tx, w.OrgID)
	if err != nil {
		return nil, err
	}
	w.Agents = (&Manifests{List: list}).InUse()
	if err := w.loadPast(tx); err != nil {
		return nil, err
	}
	return w, w.loadJob(tx)
}

func (w *Worktree) countTurns(tx *store.Tx) error {
	return tx.Get(&w.Turns, `SELECT count(*) FROM turns t WHERE t.worktree_id = ? AND t.ended_at IS NULL
		AND (t.claimed_to > ? OR t.began_at IS NULL AND t.claim < `+maxStarts+`)`, w.ID, store.At(tx.Now))
}

// WorktreeByID finds a worktree as the scheduler sees it, without checking rights.
func WorktreeByID(tx *store.Tx, id string) (*Worktree, error) {
	var at struct {
		Studio string `db:"studio"`
		Name   string `db:"name"`
	}
	if err := tx.Get(&at, `SELECT s.handle AS studio, w.name FROM worktrees w JOIN studios s ON s.id = w.studio_id
		WHERE w.id = ?`, id); err != nil {
		return nil, err
	}
	return FindWorktree(tx, store.System(), at.Studio, at.Name)
}

func (w *Worktree) loadJob(tx *store.Tx) error {
	var err error
	beside := kindList(func(k *JobKind) bool { return k.aside })
	w.Job, err = latestJob(tx, `j.worktree_id = ? AND j.kind NOT IN (`+beside+`)`, w.ID)
	if err == nil && w.Recipe.Start != "" {
		w.SettingJob, err = latestJob(tx, `j.worktree_id = ? AND j.kind = '`+environmentName+`'`, w.ID)
	}
	return err
}

// Worktrees is a list of a studio's worktrees.
type Worktrees struct {
	*store.Studio
	List     []Worktree
	Archived bool // the list has the archived worktrees
	More     bool // there are more
}

// ShowWorktrees lists up to [MaxWorktrees] worktrees of a studio: the archived ones, the last archived first, or the
// others, sorted by name.
func ShowWorktrees(tx *store.Tx, s *store.Studio, archived bool) (*Worktrees, error) {
	v := &Worktrees{Studio: s, Archived: archived}
	which := `w.archived_at IS NULL ORDER BY w.name`
	if archived {
		which = `w.archived_at IS NOT NULL ORDER BY w.archived_at DESC, w.name`
	}
	err := tx.Select(&v.List, `SELECT `+worktreeColumns+worktreeFrom+`WHERE w.studio_id = ? AND `+which+store.AtMost,
		store.At(tx.Now), s.ID, MaxWorktrees+1)
	if v.More = len(v.List) > MaxWorktrees; v.More {
		v.List = v.List[:MaxWorktrees]
	}
	return v, err
}

// NewWorktree has the fields of a new worktree.
type NewWorktree struct {
	Name, Branch, Base string
	Fetch              bool // fetch the repository first
}

// RetryWorktree queues the failed [CheckoutJob] of a worktree again.
func RetryWorktree(tx *store.Tx, by store.Actor, w *Worktree) error {
	return QueueWorktreeJob(tx, by, w, CheckoutJob, json.RawMessage(w.Job.Params))
}

// MustBeFailed returns [store.Conflict] unless the folder could not be made, and an error for an actor outside the
// studio.
func (w *Worktree) MustBeFailed() error {
	if err := w.Studio.MustBeJoined(); err != nil {
		return err
	}
	if state := w.State(); state != WorktreeFailed || w.Job == nil {
		return store.Errorf(store.Conflict, "The worktree is %s, so there is nothing to try again.", state)
	}
	return nil
}

// CreateWorktree adds a worktree of a repository, and queues a [CheckoutJob].
func CreateWorktree(tx *store.Tx, by store.Actor, p *Repo, n NewWorktree) (*Worktree, error) {
	if err := tx.Exec(`INSERT INTO worktrees (id, org_id, studio_id, repo_id, name, branch, base, created_at, created_by)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, store.NewID(), p.OrgID, p.StudioID, p.ID, n.Name, n.Branch, n.Base,
		store.At(tx.Now), by.In(p.OrgID).MemberID()); err != nil {
		return nil, err
	}
	w, err := FindWorktree(tx, by, p.Studio.Handle, n.Name)
	if err != nil {
		return nil, err
	}
	if err := queue(tx, by.In(p.OrgID).MemberID(), p, &w.ID, CheckoutJob, wire.Checkout{Fetch: n.Fetch}); err != nil {
		return nil, err
	}
	return w, w.loadJob(tx)
}

// QueueWorktreeJob adds a job about a worktree, on behalf of the actor. The params become JSON; they may be nil.
func QueueWorktreeJob(tx *store.Tx, by store.Actor, w *Worktree, kind *JobKind, params any) error {
	return queueAbout(tx, by.In(w.OrgID).MemberID(), w, kind, params)
}

// queueAbout adds a job about a worktree. The asker is the id of the member that asked for it, or "".
func queueAbout(tx *store.Tx, asker string, w *Worktree, kind *JobKind, params any) error {
	return queue(tx, asker, &Repo{ID: w.RepoID, OrgID: w.OrgID, Host: w.Host}, &w.ID, kind, params)
}

// WorktreeTaken returns an error and the invalid field if another worktree, even an archived one, has the name
// or the branch, or if the studio has [MaxWorktrees] worktrees that are not archived.
func WorktreeTaken(tx *store.Tx, p *Repo, n NewWorktree) (field string, err error) {
	var found struct {
		Names    int `db:"names"`
		Branches int `db:"branches"`
		Live     int `db:"live"`
	}
	if err := tx.Get(&found, `SELECT count(CASE WHEN name = ? THEN 1 END) AS names,
		count(CASE WHEN repo_id = ? AND branch = ? THEN 1 END) AS branches,
		count(CASE WHEN archived_at IS NULL THEN 1 END) AS live FROM worktrees WHERE studio_id = ?`, n.Name, p.ID,
		n.Branch,
		p.StudioID); err != nil {
		return "", err
	}
	switch {
	case found.Names > 0:
		return "name", store.Errorf(store.Invalid, "%s has, or had, a worktree of this name.", p.Studio.Name)
	case found.Branches > 0:
		return "branch", store.Errorf(store.Invalid, "The branch is that of another worktree, perhaps an archived one.")
	}
	return "name", mustTakeWorktree(p.Studio, found.Live)
}

// mustTakeWorktree returns [store.Conflict] for a studio with [MaxWorktrees] worktrees in use.
func mustTakeWorktree(s *store.Studio, live int) error {
	if live >= MaxWorktrees {
		return store.Errorf(store.Conflict, "%s has %d worktrees, the most there may be. Archive some.", s.Name,
			MaxWorktrees)
	}
	return nil
}

var branchPart = regexp.MustCompile(`^[\p{L}\p{N}_][\p{L}\p{N}_.+@-]*$`)

// CheckBranch returns [store.Invalid] unless the text can name a branch. The runner checks it again with git.
func CheckBranch(name string) error {
	bad := name == "" || len(name) > 200 || name == "HEAD" || strings.Contains(name, "..") ||
		strings.Contains(name, "@{") ||
		len(name) == 40 && strings.Trim(name, "0123456789abcdef") == ""
	for part := range strings.SplitSeq(name, "/") {
		bad = bad || !branchPart.MatchString(part) || strings.HasSuffix(part, ".") || strings.HasSuffix(part, ".lock")
	}
	if bad {
		return store.Errorf(store.Invalid, "%q cannot be a branch: use letters, digits, and . _ - / between them.",
			name)
	}
	return nil
}
