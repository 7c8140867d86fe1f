package work

import (
	"path"
	"strings"

	"samepage/store"
	"samepage/store/work/wire"
)

// Recipe describes how a new worktree's folder is prepared, and how its environment is started.
type Recipe struct {
	Setup  Lines  `db:"setup_argv"` // program that prepares a new folder, and its arguments; may be empty
	Copies Lines  `db:"copies"`     // files outside git that are copied from the repository's folder into a new folder
	Start  Lines  `db:"start_argv"` // program of the environment, and its arguments; may be empty
	Health string `db:"health"`     // path to request, such as /healthz; empty if an accepted connection is enough
	Ports  int    `db:"ports"`      // number of ports that the program gets
}

const recipeColumns = `p.setup_argv, p.copies, p.start_argv, p.health, p.ports`

// Check returns [store.Invalid] and the name of the first invalid field, if any. The parameter source is the
// repository's folder or address; files can be copied only from a folder.
func (c *Recipe) Check(source string) (field string, err error) {
	for _, program := range []struct {
		field string
		argv  Lines
	}{{"setup", c.Setup}, {"start", c.Start}} {
		if program.argv == "" {
			continue
		}
		if err := CheckArgv(program.argv.List()); err != nil {
			return program.field, err
		}
	}
	if c.Copies != "" && !strings.HasPrefix(source, "/") {
		return "copies", store.Errorf(store.Invalid,
			"Files are copied from a folder, and this repository comes from %s.", source)
	}
	for _, file := range c.Copies.List() {
		if !validCopy(file) {
			return "copies", store.Errorf(store.Invalid,
				"%q is no file of the source: write a path in it, such as .env.", file)
		}
	}
	if c.Health != "" && (c.Health[0] != '/' || strings.ContainsAny(c.Health, " \t\n#\\")) {
		return "health", store.Errorf(store.Invalid, "%q is no path: write one such as /healthz.", c.Health)
	}
	return "", nil
}

// validCopy reports whether the text is the relative path of a file outside .git, without characters that have a
// meaning in .gitignore.
func validCopy(file string) bool {
	ok := file != "" && !path.IsAbs(file) && path.Clean(file) == file && file != "." && file[0] != '!' &&
		file[0] != '#' &&
		!strings.ContainsAny(file, "\\*?[\t") && strings.TrimSpace(file) == file
	for part := range strings.SplitSeq(file, "/") {
		ok = ok && part != ".." && !strings.EqualFold(part, ".git")
	}
	return ok
}

// SetRecipe changes the recipe of a repository. It does not change existing folders and running programs.
func SetRecipe(tx *store.Tx, p *Repo, c Recipe) error {
	p.Recipe = c
	return tx.Exec(`UPDATE repos SET setup_argv = ?, copies = ?, start_argv = ?, health = ?, ports = ? WHERE id = ?`, c.Setup, c.Copies,
		c.Start, c.Health, c.Ports, p.ID)
}

// EnvironmentReport is the runner's last report on the setup and the environment of a worktree.
type EnvironmentReport struct {
	SetupState string     `db:"setup_state"` // [SetupPassed] or [SetupFailed]; empty before the end of the latest setup
	SetupSaid  string     `db:"setup_said"`  // a sentence, an empty line, and the end of the output
	EnvState   string     `db:"env_state"`   // such as [wire.EnvRunning]; empty before a report, and after archiving
	EnvPort    int        `db:"env_port"`    // first port of the environment
	EnvSaid    string     `db:"env_said"`    // a sentence, an empty line, and the end of the output
	EnvAt      store.Time `db:"env_at"`
}

const environmentColumns = `w.setup_state, w.setup_said, w.env_state, w.env_port, w.env_said, w.env_at`

// These are the states of a setup that has ended.
const (
	SetupPassed = "passed"
	SetupFailed = "failed"
)

// Up reports whether the program of the environment runs.
func (e *EnvironmentReport) Up() bool {
	return e.EnvState == wire.EnvRunning || e.EnvState == wire.EnvUnhealthy
}

// Parted splits a report such as [EnvironmentReport.EnvSaid] into sentence and output.
func Parted(said string) (how, output string) {
	how, output, _ = strings.Cut(said, "\n\n")
	return how, output
}

func checkSetup(r *wire.SetupReport) error {
	if len(r.Said) > wire.MaxCheckOutput {
		return store.Errorf(store.Invalid, "Give at most %d bytes of output.", wire.MaxCheckOutput)
	}
	return nil
}

// SetupJob copies the recipe's files into the folder of a worktree and runs the setup program there.
var SetupJob = declareJob("setup", "set up", "set it up again (setup_worktree)", checkSetup,
	func(tx *store.Tx, j *Job, r *wire.SetupReport) error {
		state := SetupFailed
		if r.Passed {
			state = SetupPassed
		}
		if err := tx.Exec(`UPDATE worktrees SET setup_state = ?, setup_said = ? WHERE id = ?`, state, r.Said, j.WorktreeID); err != nil {
			return err
		}
		w, err := WorktreeByID(tx, j.WorktreeID)
		if err != nil {
			return err
		}
		return queueAbout(tx, j.MemberID, w, RefreshJob, nil)
	}).about(func(tx *store.Tx, j *Job) (Subject, error) {
	w, err := WorktreeByID(tx, j.WorktreeID)
	if err != nil {
		return nil, err
	}
	return preparedWorktree{w, j, w.SetupState == SetupFailed, "could not set up", w.SetupSaid}, nil
}).holding()

// preparedWorktree is the subject of a [SetupJob] or an [EnvironmentJob]. Such a job succeeds even if the program
// fails.
type preparedWorktree struct {
	*Worktree
	job    *Job
	failed bool
	told   string // verb for the failure, such as "could not set up"
	said   string // report on the program
}

// EndOfJob notifies the member that asked for the job if the program failed.
func (w preparedWorktree) EndOfJob() (told string, n *store.Notice) {
	if !w.failed || w.job.MemberID == "" {
		return "", nil
	}
	how, _ := Parted(w.said)
	return w.told, &store.Notice{Reason: store.ReasonOutcome, To: []string{w.job.MemberID}, Note: w.job.remedied(how)}
}

func queueSetup(tx *store.Tx, j *Job) error {
	w, err := WorktreeByID(tx, j.WorktreeID)
	if err != nil || w.Recipe.Setup == "" && w.Copies == "" {
		return err
	}
	return setUp(tx, j.MemberID, w)
}

// SetUp queues the setup of a worktree's folder, and deletes the earlier result.
func SetUp(tx *store.Tx, by store.Actor, w *Worktree) error {
	return setUp(tx, by.In(w.OrgID).MemberID(), w)
}

func setUp(tx *store.Tx, asker string, w *Worktree) error {
	w.SetupState, w.SetupSaid = "", ""
	if err := tx.Exec(`UPDATE worktrees SET setup_state = '', setup_said = '' WHERE id = ?`, w.ID); err != nil {
		return err
	}
	kind := jobKinds["setup"] // naming SetupJob would be an initialization cycle
	return queueAbout(tx, asker, w, kind, wire.Setup{Argv: w.Recipe.Setup.List(), Copies: w.Copies.List()})
}

// MustBeSetUp returns the errors of [Worktree.MustBeIdle], and [store.Conflict] if a turn runs or waits in the worktree
// or the repository has no setup.
func (w *Worktree) MustBeSetUp() error {
	if err := w.MustBeIdle(); err != nil {
		return err
	}
	if w.Recipe.Setup == "" && w.Copies == "" {
		return store.Errorf(store.Conflict,
			"The repository %s has no setup. The owner sets it on its page (set_environment).", w.Repo)
	}
	return w.mustBeUnworked()
}

const environmentName = "environment"

// EnvironmentJob starts or stops the program of an environment, or reports its state.
var EnvironmentJob = declareJob(environmentName, "start, stop or look at the environment of", "try it again",
	checkEnvironment, func(tx *store.Tx, j *Job, r *wire.EnvironmentReport) error {
		return reportEnvironment(tx, j.WorktreeID, r)
	}).about(func(tx *store.Tx, j *Job) (Subject, error) {
	var order wire.EnvironmentOrder
	w, err := WorktreeByID(tx, j.WorktreeID)
	if err == nil {
		err = j.order(&order)
	}
	if err != nil {
		return nil, err
	}
	failed := order.Do == wire.EnvStart && w.EnvState == wire.EnvFailed
	return preparedWorktree{w, j, failed, "could not start the environment of", w.EnvSaid}, nil
}).doing(func(j *Job) string {
	var order wire.EnvironmentOrder
	if j.order(&order) != nil {
		return ""
	}
	return verbOf(&order) + " the environment of"
}).beside()

func checkEnvironment(r *wire.EnvironmentReport) error {
	switch r.State {
	case wire.EnvRunning, wire.EnvUnhealthy, wire.EnvStopped, wire.EnvFailed:
	default:
		return store.Errorf(store.Invalid, "The state is running, unhealthy, stopped or failed.")
	}
	if len(r.Said) > wire.MaxCheckOutput || r.Port < 0 || r.Port > 65535 {
		return store.Errorf(store.Invalid, "Give a port, and at most %d bytes of output.", wire.MaxCheckOutput)
	}
	return nil
}

func reportEnvironment(tx *store.Tx, worktreeID string, r *wire.EnvironmentReport) error {
	return tx.Exec(`UPDATE worktrees SET env_state = ?, env_port = ?, env_said = ?, env_at = ? WHERE id = ? AND archived_at IS NULL`,
		r.State, r.Port, r.Said, store.At(tx.Now), worktreeID)
}

// ReportEnvironment stores a runner's report on an environment unless the worktree is archived, and returns the
// worktree before and after. It returns [store.Missing] if it is not on that runner, and [store.Invalid] for a
// malformed report.
func ReportEnvironment(
	tx *store.Tx, r *Runner, worktreeID string, seen *wire.EnvironmentReport,
) (before, after *Worktree, err error) {
	if err := checkEnvironment(seen); err != nil {
		return nil, nil, err
	}
	if before, err = WorktreeByID(tx, worktreeID); err != nil {
		return nil, nil, err
	}
	if before.RunnerID != r.ID {
		return nil, nil, store.Missing()
	}
	if err := reportEnvironment(tx, worktreeID, seen); err != nil {
		return nil, nil, err
	}
	after, err = WorktreeByID(tx, worktreeID)
	return before, after, err
}

// QueueEnvironment queues a job that starts, stops or looks at the environment of a worktree. The parameter do is
// [wire.EnvStart], [wire.EnvStop] or [wire.EnvLook].
func QueueEnvironment(tx *store.Tx, by store.Actor, w *Worktree, do string) error {
	order := wire.EnvironmentOrder{Do: do}
	if do == wire.EnvStart {
		order.Argv, order.Health, order.Ports = w.Recipe.Start.List(), w.Health, w.Recipe.Ports
	}
	return QueueWorktreeJob(tx, by, w, EnvironmentJob, order)
}

// SettingDoes returns a verb for the latest job about the environment, such as "start".
func (w *Worktree) SettingDoes() string {
	var order wire.EnvironmentOrder
	if w.SettingJob.order(&order) != nil {
		return "start or stop"
	}
	return verbOf(&order)
}

func verbOf(o *wire.EnvironmentOrder) string {
	if o.Do == wire.EnvLook {
		return "look at"
	}
	return o.Do
}

// mustHaveEnvironment returns [store.Conflict] if the worktree has no folder, or an open job that turns wait for
// (JobKind.holds) or that is about its environment. It returns an error for an actor outside the studio.
func (w *Worktree) mustHaveEnvironment() error {
	if err := w.Studio.MustBeJoined(); err != nil {
		return err
	}
	switch state := w.State(); {
	case state != WorktreeReady:
		return store.Errorf(store.Conflict, "The worktree is %s: it has no folder.", state)
	case w.Job != nil && w.Job.Open() && w.Job.holds():
		return store.Errorf(store.Conflict, "The runner %s is to %s it first.", w.RunnerNoted(), w.Job.Does())
	case w.SettingJob != nil && w.SettingJob.Open():
		return store.Errorf(store.Conflict, "The runner %s is to %s its environment. Wait for its report.",
			w.RunnerNoted(),
			w.SettingDoes())
	}
	return nil
}

// MustBeStartable returns [store.Conflict] if the worktree has no folder, if the repository has no program to start, if
// the environment runs, or if a job is open that turns wait for (JobKind.holds) or that is about the environment. It
// returns an error for an actor outside the studio.
func (w *Worktree) MustBeStartable() error {
	if err := w.mustHaveEnvironment(); err != nil {
		return err
	}
	switch {
	case w.Recipe.Start == "":
		return store.Errorf(store.Conflict,
			"The repository %s has no program to start. The owner sets it on its page (set_environment).",
			w.Repo)
	case w.Up():
		return store.Errorf(store.Conflict, "Its environment runs on the port %d.", w.EnvPort)
	}
	return nil
}

// MustBeUp returns [store.Conflict] if the worktree has no folder, if its environment does not run, or if a job is open
// that turns wait for (JobKind.holds) or that is about the environment. It returns an error for an actor outside the
// studio.
func (w *Worktree) MustBeUp() error {
	if err := w.mustHaveEnvironment(); err != nil {
		return err
	}
	if !w.Up() {
		return store.Errorf(store.Conflict, "Its environment does not run.")
	}
	return nil
}

const maxRunning = MaxWorktrees

// Running is a running environment, according to the runner's last report.
type Running struct {
	ID     string `db:"id"` // of the worktree
	State  string `db:"env_state"`
	Health string `db:"health"`
}

func running(tx *store.Tx, r *Runner) ([]Running, error) {
	return store.All[Running](tx, `SELECT w.id, w.env_state, p.health FROM worktrees w JOIN repos p ON p.id = w.repo_id
		WHERE w.org_id = ? AND w.env_state IN ('running', 'unhealthy') AND p.runner_id = ? ORDER BY w.id`+store.AtMost, r.OrgID, r.ID,
		maxRunning)
}
