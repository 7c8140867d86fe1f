// Package work stores the data for work with agents, such as runners, repositories, worktrees, sessions, reviews, pull
// requests and boards. A guard that returns an error for an actor outside the studio returns the errors of
// [store.Studio.MustBeJoined], which refuses every actor if the studio is archived.
package work

import (
	"slices"
	"strings"
	"time"

	"samepage/store"
)

// MaxRunners is the greatest number of runners of one organization.
const MaxRunners = 20

// Silence is the time after the last message at which a runner counts as away.
const Silence = 90 * time.Second

// Runner is a program on a machine with git that does jobs and turns for an organization. Its token gives no other
// rights.
type Runner struct {
	ID        string     `db:"id"`
	OrgID     string     `db:"org_id"`
	Name      string     `db:"name"`
	TokenID   string     `db:"token_id"`
	Roots     Lines      `db:"roots"` // folders and URLs below which the owner allows repositories
	CreatedAt store.Time `db:"created_at"`
	StoppedAt store.Time `db:"stopped_at"` // when the owner stopped the runner; may be zero
	SeenAt    store.Time `db:"seen_at"`    // last message; zero before the first
	Git       string     `db:"git"`        // version of git; may be empty
	Program   string     `db:"program"`    // version of the runner itself
	Offered   Lines      `db:"offered"`    // roots with which the program was started
	Starts    bool       `db:"starts"`     // the program may start agents
	Forges    Lines      `db:"forges"`     // URLs below which the runner has accounts, such as https://github.com/acme
	Agents    Lines      `db:"agents"`     // agents that the runner has found
	Problem   string     `db:"problem"`    // why the runner cannot use git; may be empty
	Alive     bool       `db:"alive"`      // the runner's token is in force
	Loses     bool       // jobs of the runner are lost; only loaded for the scheduler

	Organization *store.Organization
	Studios      []store.Studio // first studios that can have a repository; only loaded for the owner in person
	Now          time.Time
}

const mostOffered = 100

// Lines is a list of texts in one column, with one text on each line.
type Lines string

// List returns the texts.
func (l Lines) List() []string {
	if l == "" {
		return nil
	}
	return strings.Split(string(l), "\n")
}

const runnerColumns = `r.id, r.org_id, r.name, r.token_id, r.roots, r.created_at, r.stopped_at, r.seen_at, r.git, r.program,
	r.offered, r.starts, r.forges, r.agents, r.problem, t.revoked_at IS NULL AND t.paused_at IS NULL AS alive`

const runnerFrom = ` FROM runners r JOIN tokens t ON t.id = r.token_id `

// These are the states of a runner.
const (
	RunnerStopped = "stopped" // stopped by the owner, or without a valid token
	RunnerAway    = "away"    // on, but without a message within [Silence]
	RunnerReady   = "ready"
)

// RunnerStates returns the possible states of a runner.
func RunnerStates() []string { return []string{RunnerReady, RunnerAway, RunnerStopped} }

// State returns one of [RunnerStates].
func (r *Runner) State() string {
	switch {
	case !r.StoppedAt.IsZero() || !r.Alive:
		return RunnerStopped
	case r.SeenAt.IsZero() || r.Now.Sub(r.SeenAt.Time) > Silence:
		return RunnerAway
	}
	return RunnerReady
}

// RunnersURL returns the path of the list of an organization's runners.
func RunnersURL(org string) string { return "/orgs/" + org + "/runners" }

// URL returns the path of the runner's page.
func (r *Runner) URL() string { return RunnersURL(r.Organization.Handle) + "/" + r.ID }

// Ref returns the runner as the target of a journal entry.
func (r *Runner) Ref() store.Ref {
	return store.Ref{OrgID: r.OrgID, Kind: "runner", ID: r.ID, URL: r.URL(), Title: "Runner " + r.Name}
}

// Record returns the fields that the journal stores about a runner.
func (r *Runner) Record() any {
	return struct {
		Name  string   `json:"name"`
		Roots []string `json:"roots"`
		On    bool     `json:"on"`
	}{r.Name, r.Roots.List(), r.StoppedAt.IsZero()}
}

// Relation returns the actor's relations to the organization. They are [store.Runner] and [store.InOrganization] for
// the runner itself, and none for other runners.
func (r *Runner) Relation(by store.Actor) store.Relation {
	switch {
	case by.Token != "" && by.Token == r.TokenID:
		return store.Runner | store.InOrganization
	case by.Runs():
		return 0
	}
	return r.Organization.Relation(by)
}

// MustBeOn returns [store.Conflict] if the owner stopped the runner.
func (r *Runner) MustBeOn() error {
	if !r.StoppedAt.IsZero() {
		return store.Errorf(store.Conflict, "The runner %s is stopped. The owner of %s can start it again.", r.Name,
			r.Organization.Name)
	}
	return nil
}

// MustBeStopped returns [store.Conflict] unless the owner stopped the runner.
func (r *Runner) MustBeStopped() error {
	if r.StoppedAt.IsZero() {
		return store.Errorf(store.Conflict, "The runner is on.")
	}
	return nil
}

// Runners is the list of an organization's runners.
type Runners struct {
	*store.Organization
	List []Runner
}

// MustHaveRoom returns [store.Conflict] if the organization has [MaxRunners] runners.
func (v *Runners) MustHaveRoom() error {
	if len(v.List) >= MaxRunners {
		return store.Errorf(store.Conflict, "There are %d runners, the most there may be.", MaxRunners)
	}
	return nil
}

// FindRunners lists the runners of an organization, oldest first. It returns [store.Missing] unless the actor is a
// member or the scheduler.
func FindRunners(tx *store.Tx, by store.Actor, org string) (*Runners, error) {
	o, err := tx.FindOrganization(by, org)
	if err != nil {
		return nil, err
	}
	v := &Runners{Organization: o}
	if err := tx.Select(&v.List, `SELECT `+runnerColumns+runnerFrom+`WHERE r.org_id = ? ORDER BY r.created_at, r.id`+store.AtMost, o.ID,
		MaxRunners); err != nil {
		return nil, err
	}
	for i := range v.List {
		v.List[i].Organization, v.List[i].Now = o, tx.Now
	}
	return v, nil
}

// FindRunner finds a runner. It returns [store.Missing] if there is none, if the actor is neither a member of the
// organization nor the scheduler, or if the actor is another runner.
func FindRunner(tx *store.Tx, by store.Actor, org, id string) (*Runner, error) {
	o, err := tx.FindOrganization(by, org)
	if err != nil {
		return nil, err
	}
	r := &Runner{Organization: o, Now: tx.Now}
	err = tx.Get(r, `SELECT `+runnerColumns+runnerFrom+`WHERE r.org_id = ? AND r.id = ?`, o.ID, id)
	switch {
	case err != nil:
	case by.System:
		err = tx.Get(&r.Loses, `SELECT EXISTS (SELECT 1 FROM jobs j WHERE j.runner_id = ? AND `+lostJob+`)`, r.ID, store.At(tx.Now))
	case by.Runs() && by.Token != r.TokenID:
		err = store.Missing()
	case !by.Runs() && !by.IsAgent() && r.Relation(by)&store.Owner != 0:
		r.Studios, err = tx.StudiosOf(by, o, mostOffered)
	}
	return r, err
}

// CreateRunner adds a runner and returns it with the secret of its token, which belongs to the acting member.
func CreateRunner(tx *store.Tx, by store.Actor, o *store.Organization, name string, roots []string) (*Runner, string,
	error) {
	t, secret, err := tx.CreateToken(by.Member, store.Grant{Label: name,
		Scopes: store.Set[store.Scope]{store.ScopeRunner}})
	if err != nil {
		return nil, "", err
	}
	id := store.NewID()
	if err := tx.Exec(`INSERT INTO runners (id, org_id, name, token_id, roots, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
		id, o.ID, name, t.ID, strings.Join(roots, "\n"), store.At(tx.Now)); err != nil {
		return nil, "", err
	}
	r, err := FindRunner(tx, by, o.Handle, id)
	return r, secret, err
}

// RenewRunner revokes a runner's token, and returns the secret of a new one.
func RenewRunner(tx *store.Tx, by store.Actor, r *Runner) (secret string, err error) {
	// The token may be revoked already.
	if _, err := tx.RevokeToken(by, r.TokenID); err != nil && store.CodeOf(err) != store.NotFound {
		return "", err
	}
	t, secret, err := tx.CreateToken(by.Member, store.Grant{Label: r.Name, Scopes: store.Set[store.Scope]{store.ScopeRunner}})
	if err != nil {
		return "", err
	}
	return secret, tx.Exec(`UPDATE runners SET token_id = ? WHERE id = ?`, t.ID, r.ID)
}

// SetRoots sets the folders and URLs below which the owner allows repositories.
func SetRoots(tx *store.Tx, r *Runner, roots []string) error {
	return tx.Exec(`UPDATE runners SET roots = ? WHERE id = ?`, strings.Join(roots, "\n"), r.ID)
}

// StopRunner stops a runner. It can claim no jobs or turns, and its reports on claimed ones are refused.
func StopRunner(tx *store.Tx, r *Runner) error {
	return tx.Exec(`UPDATE runners SET stopped_at = ? WHERE id = ?`, store.At(tx.Now), r.ID)
}

// StartRunner lets a stopped runner claim jobs and turns again.
func StartRunner(tx *store.Tx, r *Runner) error {
	return tx.Exec(`UPDATE runners SET stopped_at = NULL WHERE id = ?`, r.ID)
}

// Announcement is a runner's statement about itself.
type Announcement struct {
	Git, Program, Problem string
	Roots                 []string
	Starts                bool     // the program may start agents
	Forges                []string // URLs of accounts
	Agents                []string // agents that the runner has found
}

// Announce stores a runner's statement about itself and the time of the message. If the runner has found other agents
// than before, the organization gets the missing manifests of the [knownAgents] among them.
func Announce(tx *store.Tx, by store.Actor, r *Runner, a Announcement) error {
	starts := 0
	if a.Starts {
		starts = 1
	}
	if err := tx.Exec(`UPDATE runners SET seen_at = ?, git = ?, program = ?, problem = ?, offered = ?, starts = ?, forges = ?, agents = ?
		WHERE id = ?`, store.At(tx.Now), a.Git, a.Program, a.Problem, strings.Join(a.Roots, "\n"), starts,
		strings.Join(a.Forges, "\n"), strings.Join(a.Agents, "\n"),
		r.ID); err != nil || strings.Join(a.Agents, "\n") == string(r.Agents) {
		return err
	}
	return seedManifests(tx, r, a.Agents, by.In(r.OrgID).MemberID())
}

// MustAllow returns [store.Invalid] unless the source is an absolute path or an https URL at or below a root. The
// runner checks this again after following symbolic links.
func (r *Runner) MustAllow(source string) error {
	if Below(source, r.Roots.List()) && CheckRoot(source) == nil {
		return nil
	}
	if len(r.Roots) == 0 {
		return store.Errorf(store.Invalid, "The runner %s has no roots yet. Name them with update_runner.", r.Name)
	}
	return store.Errorf(store.Invalid, "It is not below a root of the runner %s: %s.", r.Name,
		strings.Join(r.Roots.List(), ", "))
}

// CheckRoot returns [store.Invalid] unless the text is an absolute path or the beginning of an https URL, without
// elements such as ".." and "//".
func CheckRoot(root string) error {
	rest, remote := strings.CutPrefix(root, "https://")
	odd := "\n\t\\?#@ "
	if !remote {
		rest, odd = strings.TrimPrefix(root, "/"), "\n\t\\"
	}
	bad := rest == "" || !remote && rest == root || strings.ContainsAny(root, odd)
	for part := range strings.SplitSeq(strings.TrimSuffix(rest, "/"), "/") {
		bad = bad || part == "" || part == "." || part == ".."
	}
	if bad {
		return store.Errorf(store.Invalid, "%q is no root: write a folder such as /srv/git, or an address such as "+
			"https://git.example.org/team.", root)
	}
	return nil
}

// Below reports whether a path or URL is equal to or below one of the others.
func Below(root string, others []string) bool {
	return slices.ContainsFunc(others, func(other string) bool {
		return root == other || strings.HasPrefix(root, strings.TrimSuffix(other, "/")+"/")
	})
}
