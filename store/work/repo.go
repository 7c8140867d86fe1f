package work

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"samepage/store"
	"samepage/store/work/wire"
)

// RepoKind is the kind of repositories in grants and in the journal.
var RepoKind = store.DeclareGrantKind("repo")

// MaxRepos is the number of repositories from which a studio or a runner takes no new one.
const MaxRepos = 100

// Repo is a git repository of a studio. Its files are on the disk of a runner, which reports the branches and commits.
type Repo struct {
	ID        string     `db:"id"`
	OrgID     string     `db:"org_id"`
	StudioID  string     `db:"studio_id"`
	Name      string     `db:"name"`
	Source    string     `db:"source"` // absolute path on the runner's machine, or https URL
	CreatedAt store.Time `db:"created_at"`
	FetchedAt store.Time `db:"fetched_at"`      // zero before the first report
	Main      string     `db:"main"`            // default branch
	Head      string     `db:"head"`            // last commit of the default branch
	Facts     string     `db:"facts"`           // [wire.RepoFacts] as JSON; may be empty
	Reviews   bool       `db:"review_required"` // a merge needs an approved review of the head
	Protected Lines      `db:"protected"`       // paths whose changes only people may merge
	CheckArgv Lines      `db:"check_argv"`      // program that checks pull requests, and its arguments
	Accounts  Lines      `db:"accounts"`        // URLs below which the runner has accounts, such as https://github.com/acme
	Recipe
	Host
	Used     int `db:"used"`     // number of worktrees that are not archived
	Sessions int `db:"sessions"` // number of sessions in its worktrees
	Unmade   int `db:"unmade"`   // number of issues that are not yet on the forge

	StudioHandle string `db:"studio_handle"` // only in lists
	StudioName   string `db:"studio_name"`   // only in lists
	Studio       *store.Studio
	Job          *Job // latest [FetchJob]; nil for none, and in lists
	IssueJob     *Job // latest [IssuesJob]; nil for none, and in lists
	Now          time.Time
}

const repoColumns = `p.id, p.org_id, p.studio_id, p.name, p.source, p.created_at, p.fetched_at, p.main, p.head,
	p.review_required, p.protected, p.check_argv,
	` + recipeColumns + `, r.forges AS accounts,
	` + hostColumns + `, (SELECT count(*) FROM worktrees u WHERE u.repo_id = p.id AND u.archived_at IS NULL) AS used,
	(SELECT count(*) FROM worktrees u JOIN sessions e ON e.worktree_id = u.id WHERE u.repo_id = p.id) AS sessions,
	(SELECT count(*) FROM issues i WHERE i.repo_id = p.id AND i.n = 0) AS unmade`

const repoFrom = ` FROM repos p JOIN runners r ON r.id = p.runner_id JOIN studios s ON s.id = p.studio_id `

// These are the states of a repository.
const (
	RepoNew      = "new"      // being fetched, and never fetched before
	RepoFetching = "fetching" // being fetched again
	RepoReady    = "ready"
	RepoFailed   = "failed" // the latest [FetchJob] failed or was lost
)

// RepoStates returns the possible states of a repository.
func RepoStates() []string { return []string{RepoNew, RepoFetching, RepoReady, RepoFailed} }

// State returns one of [RepoStates]. The field Job must be loaded.
func (p *Repo) State() string {
	switch {
	case p.Job != nil && p.Job.Open() && p.FetchedAt.IsZero():
		return RepoNew
	case p.Job != nil && p.Job.Open():
		return RepoFetching
	case p.Job != nil && p.Job.State() != JobDone:
		return RepoFailed
	}
	return RepoReady
}

// URL returns the path of the repository's page.
func (p *Repo) URL() string {
	return studioURL(p.Studio, p.StudioHandle) + "/repos/" + p.Name
}

// Ref returns the repository as the target of a journal entry.
func (p *Repo) Ref() store.Ref {
	return store.Ref{OrgID: p.OrgID, StudioID: p.StudioID, Kind: RepoKind, ID: p.ID, URL: p.URL(), Title: p.Name}
}

// Record returns the fields that the journal stores about a repository.
func (p *Repo) Record() any {
	return struct {
		Name      string   `json:"name"`
		Source    string   `json:"source"`
		Runner    string   `json:"runner"`
		Main      string   `json:"main,omitempty"`
		Head      string   `json:"head,omitempty"`
		Reviews   bool     `json:"review_required"`
		Protected []string `json:"protected,omitempty"`
		Check     []string `json:"check,omitempty"`
		Setup     []string `json:"setup,omitempty"`
		Copies    []string `json:"copies,omitempty"`
		Start     []string `json:"start,omitempty"`
	}{p.Name, p.Source, p.Runner, p.Main, p.Head, p.Reviews, p.Protected.List(), p.CheckArgv.List(), p.Setup.List(),
		p.Copies.List(), p.Start.List()}
}

// Relation returns the actor's relations to the studio.
func (p *Repo) Relation(by store.Actor) store.Relation { return p.Studio.Relation(by) }

// MustBeFetchable returns [store.Conflict] while the repository is being fetched, and an error for an actor outside the
// studio.
func (p *Repo) MustBeFetchable() error {
	if err := p.Studio.MustBeJoined(); err != nil {
		return err
	}
	if p.Job != nil && p.Job.Open() {
		return store.Errorf(store.Conflict, "It is being fetched already.")
	}
	return nil
}

// FindRepo finds a repository of a studio by its name. It returns [store.Missing] if there is none, if the actor may
// not see the studio, or if the actor is neither a member of the organization nor the scheduler.
func FindRepo(tx *store.Tx, by store.Actor, studio, name string) (*Repo, error) {
	s, err := tx.FindStudio(by, studio)
	if err != nil {
		return nil, err
	}
	if by.In(s.OrgID).Member == nil && !by.System {
		return nil, store.Missing()
	}
	p := &Repo{Studio: s, Now: tx.Now, Host: Host{asOf: tx.Now}}
	if err := tx.Get(p, `SELECT `+repoColumns+`, p.facts`+repoFrom+`WHERE p.studio_id = ? AND p.name = ?`, s.ID,
		name); err != nil {
		return nil, err
	}
	if p.Job, err = latestJob(tx, `j.kind = '`+fetchName+`' AND j.repo_id = ? AND j.worktree_id IS NULL`, p.ID); err != nil {
		return nil, err
	}
	if p.Forge() != "" {
		p.IssueJob, err = latestJob(tx, `j.kind = '`+issuesName+`' AND j.repo_id = ? AND j.worktree_id IS NULL`, p.ID)
	}
	return p, err
}

// RepoPage is a repository with the data of its page.
type RepoPage struct {
	*Repo
	wire.RepoFacts
	Worktrees []Worktree // not archived
	Issues    []Issue    // the newest [shownIssues], also those not yet on the forge
}

// ShowRepo loads the data of the page of a repository.
func ShowRepo(tx *store.Tx, _ store.Actor, p *Repo) (*RepoPage, error) {
	f, err := p.Reported()
	if err != nil {
		return nil, err
	}
	v := &RepoPage{Repo: p, RepoFacts: *f}
	if v.Issues, err = p.issues(tx); err != nil {
		return nil, err
	}
	err = tx.Select(&v.Worktrees, `SELECT `+worktreeColumns+worktreeFrom+
		`WHERE w.repo_id = ? AND w.archived_at IS NULL ORDER BY w.name`+store.AtMost, store.At(tx.Now), p.ID, MaxWorktrees)
	return v, err
}

// Reported returns the runner's last report, or an empty one.
func (p *Repo) Reported() (*wire.RepoFacts, error) {
	f := &wire.RepoFacts{}
	if p.Facts == "" {
		return f, nil
	}
	if err := json.Unmarshal([]byte(p.Facts), f); err != nil {
		return nil, fmt.Errorf("the facts of the repository %s: %w", p.ID, err)
	}
	return f, nil
}

// MustHaveCommits returns [store.Conflict] if the repository was never fetched, and an error for an actor outside the
// studio.
func (p *Repo) MustHaveCommits() error {
	if err := p.Studio.MustBeJoined(); err != nil {
		return err
	}
	if p.FetchedAt.IsZero() {
		return store.Errorf(store.Conflict, "It has no commits here yet: the runner %s has not fetched it.",
			p.RunnerNoted())
	}
	return nil
}

func checkRepo(f *wire.RepoFacts) error {
	if f.Main == "" || len(f.Head) != 40 {
		return store.Errorf(store.Invalid,
			"Give the default branch, its head, branches and commits as one JSON object.")
	}
	if len(f.Branches) > wire.MaxBranches || len(f.Commits) > wire.MaxCommits {
		return store.Errorf(store.Invalid, "Report at most %d branches and %d commits.", wire.MaxBranches,
			wire.MaxCommits)
	}
	text, err := json.Marshal(f)
	if err == nil && len(text) > wire.MaxFacts {
		err = store.Errorf(store.Invalid, "Report at most %d bytes as JSON.", wire.MaxFacts)
	}
	return err
}

// Repos is a list of a studio's repositories.
type Repos struct {
	*store.Studio
	List []Repo
}

// ShowRepos lists the repositories of a studio, sorted by name.
func ShowRepos(tx *store.Tx, _ store.Actor, s *store.Studio) (*Repos, error) {
	v := &Repos{Studio: s}
	err := tx.Select(&v.List, `SELECT `+repoColumns+`, s.handle AS studio_handle, s.name AS studio_name`+repoFrom+
		`WHERE p.studio_id = ? ORDER BY p.name`+store.AtMost, s.ID, MaxRepos)
	return v, err
}

// CreateRepo adds a repository to a studio, and queues a [FetchJob].
func CreateRepo(tx *store.Tx, by store.Actor, r *Runner, s *store.Studio, name, source string) (*Repo, error) {
	id := store.NewID()
	if err := tx.Exec(`INSERT INTO repos (id, org_id, studio_id, runner_id, name, source, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		id, s.OrgID, s.ID, r.ID, name, source, store.At(tx.Now)); err != nil {
		return nil, err
	}
	if err := QueueJob(tx, by, &Repo{ID: id, OrgID: s.OrgID, Host: Host{RunnerID: r.ID}}, FetchJob, nil); err != nil {
		return nil, err
	}
	return FindRepo(tx, by, s.Handle, name)
}

// MustTakeRepo returns [store.Invalid] if the studio has a repository with this name, or if the studio or the runner has
// [MaxRepos] repositories.
func MustTakeRepo(tx *store.Tx, r *Runner, s *store.Studio, name string) error {
	var found struct {
		Names  int `db:"names"`
		Studio int `db:"studio"`
		Runner int `db:"runner"`
	}
	if err := tx.Get(&found, `SELECT (SELECT count(*) FROM repos WHERE studio_id = ? AND name = ?) AS names,
		(SELECT count(*) FROM repos WHERE studio_id = ?) AS studio,
		(SELECT count(*) FROM repos WHERE runner_id = ?) AS runner`, s.ID, name, s.ID, r.ID); err != nil {
		return err
	}
	const most = "%s has %d repositories, the most there may be. Remove some."
	switch {
	case found.Names > 0:
		return store.Errorf(store.Invalid, "%s has a repository of this name.", s.Name)
	case found.Studio >= MaxRepos:
		return store.Errorf(store.Invalid, most, s.Name, MaxRepos)
	case found.Runner >= MaxRepos:
		return store.Errorf(store.Invalid, most, "The runner "+r.Name, MaxRepos)
	}
	return nil
}

// ReportRepo stores a runner's report on a repository.
func ReportRepo(tx *store.Tx, repoID string, f wire.RepoFacts) error {
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return tx.Exec(`UPDATE repos SET main = ?, head = ?, facts = ? WHERE id = ?`, f.Main, f.Head, string(text), repoID)
}

// SetMergeRules sets whether merges need an approved review, and the paths whose changes only people may merge.
func SetMergeRules(tx *store.Tx, p *Repo, reviews bool, protected []string) error {
	p.Reviews, p.Protected = reviews, Lines(strings.Join(protected, "\n"))
	return tx.Exec(`UPDATE repos SET review_required = ?, protected = ? WHERE id = ?`, number(reviews), p.Protected, p.ID)
}

// MustBeUnused returns [store.Conflict] if the repository has worktrees that are not archived, or any sessions, or if
// its studio is archived.
func (p *Repo) MustBeUnused() error {
	if err := p.Studio.MustBeActive(); err != nil {
		return err
	}
	switch {
	case p.Used > 0:
		return store.Errorf(store.Conflict, "It has worktrees. Archive them first.")
	case p.Sessions > 0:
		return store.Errorf(store.Conflict,
			"Agents have worked in its worktrees, and the pages of their sessions stay.")
	}
	return nil
}

// RemoveRepo removes a repository with its jobs, issues, archived worktrees and pull requests. The files on the
// runner's disk stay.
func RemoveRepo(tx *store.Tx, p *Repo) error {
	for _, statement := range []string{`DELETE FROM jobs WHERE repo_id = ?`, `DELETE FROM issues WHERE repo_id = ?`,
		`DELETE FROM pulls WHERE worktree_id IN (SELECT id FROM worktrees WHERE repo_id = ?)`,
		`DELETE FROM worktree_files WHERE worktree_id IN (SELECT id FROM worktrees WHERE repo_id = ?)`,
		`DELETE FROM worktrees WHERE repo_id = ?`, `DELETE FROM repos WHERE id = ?`} {
		if err := tx.Exec(statement, p.ID); err != nil {
			return err
		}
	}
	return nil
}
