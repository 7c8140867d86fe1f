package work

import (
	"cmp"
	"strconv"
	"strings"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/work"
	"samepage/store/work/wire"
)

// SetEnvironment sets how a repository's worktrees are set up, and their environment: the program that runs in them.
var SetEnvironment = ownerAction(action.Action[*work.Repo, EnvironmentParams]{
	Name:   "set_environment",
	Past:   "set the environment of",
	Undo:   "Set it again: set_environment.",
	Title:  "Set the environment",
	Button: "Set",
	Doc: "Say how a new folder of a worktree is prepared, and which program members can start in it, such as a server to try the " +
		"work. The programs run on the machine of the runner, as its user, in the folder in which agents have written: an agent " +
		"can run what it has written in this way, without asking.",
	Sensitive: true,
	Guard:     func(_ store.Actor, p *work.Repo) error { return p.Studio.MustBeActive() },
	Keeps:     true,
	Offers: func(_ store.Actor, p *work.Repo) param.Offers {
		return param.Offers{"setup": {Values: p.Recipe.Setup.List()}, "copies": {Values: p.Copies.List()},
			"start": {Values: p.Recipe.Start.List()}, "health": {Value: p.Health},
			"ports": {Value: strconv.Itoa(p.Ports)}}
	},
	Check: func(_ *store.Tx, _ store.Actor, p *work.Repo, in EnvironmentParams, _ param.Errors) param.Errors {
		recipe := in.recipe()
		return param.Bad(recipe.Check(p.Source))
	},
	Run: func(tx *store.Tx, _ store.Actor, p *work.Repo, in EnvironmentParams) (action.Done, error) {
		return action.Done{Message: "It holds for folders that are made, and programs that are started, from now on."},
			work.SetRecipe(tx, p, in.recipe())
	},
})

// EnvironmentParams are the params of [SetEnvironment].
type EnvironmentParams struct {
	Setup  []string `param:"setup,lines,optional" max:"30" doc:"A program that prepares the folder, and its arguments, one a line."`
	Copies []string `param:"copies,lines,optional" max:"20"`
	_      struct{} `doc:"Files of the source that are copied first, such as .env, one a line. They get into no commit of ours."`
	Start  []string `param:"start,lines,optional" max:"30"`
	_      struct{} `doc:"A program that runs on, such as a server, and its arguments. The variable PORT has a port for it."`
	Health string   `param:"health,text,optional" max:"200"`
	_      struct{} `doc:"A path that it answers with 2xx or 3xx once it is ready. Without one, it is ready once the port is open."`
	Ports  int      `param:"ports,number,optional" min:"1" max:"5" doc:"How many ports it needs: PORT, PORT2 and so on; else one."`
}

func (p EnvironmentParams) recipe() work.Recipe {
	lines := func(list []string) work.Lines { return work.Lines(strings.Join(list, "\n")) }
	return work.Recipe{Setup: lines(p.Setup), Copies: lines(p.Copies), Start: lines(p.Start), Health: p.Health,
		Ports: cmp.Or(p.Ports, 1)}
}

func worktreeTool(a action.Action[*work.Worktree, struct{}],
	guard func(*work.Worktree) error) *action.Spec[*work.Worktree] {
	a.Tool = true
	a.Guard = func(_ store.Actor, w *work.Worktree) error { return guard(w) }
	return worktreeAction(a)
}

// These are actions on the setup and the environment of a worktree.
var (
	SetUpWorktree = worktreeTool(action.Action[*work.Worktree, struct{}]{
		Name:  "setup_worktree",
		Past:  "asked to set up",
		Undo:  "What it did in the folder stays.",
		Title: "Set up",
		Doc:   "Let the runner prepare the folder as the repository says. It does so by itself when it makes the folder.",
		Run: func(tx *store.Tx, by store.Actor, w *work.Worktree, _ struct{}) (action.Done, error) {
			return action.Done{Message: "The runner " + w.RunnerNoted() + " is asked to set it up."},
				work.SetUp(tx, by, w)
		},
	}, (*work.Worktree).MustBeSetUp)
	StartEnvironment = environmentAction(wire.EnvStart, action.Action[*work.Worktree, struct{}]{
		Name:  "start_environment",
		Past:  "asked to start the environment of",
		Undo:  "Undo: stop_environment.",
		Title: "Start the environment",
		Doc:   "Let the runner start the program of the repository in the folder. This page says on which port it answers.",
	}, (*work.Worktree).MustBeStartable)
	StopEnvironment = environmentAction(wire.EnvStop, action.Action[*work.Worktree, struct{}]{
		Name:  "stop_environment",
		Past:  "asked to stop the environment of",
		Undo:  "Undo: start_environment.",
		Title: "Stop the environment",
		Doc:   "Let the runner end the program, with all that it has started.",
	}, (*work.Worktree).MustBeUp)
	LookAtEnvironment = environmentAction(wire.EnvLook, action.Action[*work.Worktree, struct{}]{
		Name:   "look_at_environment",
		Past:   "asked for the output of the environment of",
		Undo:   "It looks once, and changes nothing.",
		Title:  "Show its output now",
		Button: "Show output",
		Doc:    "Let the runner report whether the program answers, and the end of its output.",
	}, (*work.Worktree).MustBeUp)
)

// environmentAction declares an action that queues a job on the environment of a worktree. The argument do is start,
// stop or look.
func environmentAction(do string, a action.Action[*work.Worktree, struct{}],
	guard func(*work.Worktree) error) *action.Spec[*work.Worktree] {
	asked := do + " it"
	if do == wire.EnvLook {
		asked = "look at it"
	}
	a.Run = func(tx *store.Tx, by store.Actor, w *work.Worktree, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The runner " + w.RunnerNoted() + " is asked to " + asked + "."},
			work.QueueEnvironment(tx, by, w, do)
	}
	return worktreeTool(a, guard)
}

// ReportEnvironment stores a runner's report on the changed state of an environment (see [SetEnvironment]).
var ReportEnvironment = runnerAction(action.Action[*work.Runner, ReportEnvironmentParams]{
	Name:  "report_environment",
	Past:  "reported a change of an environment of",
	Undo:  "Report it again.",
	Title: "Report an environment",
	Doc:   "Say how the environment of a worktree is, when that has changed.",
	Guard: func(_ store.Actor, r *work.Runner) error { return r.MustBeOn() },
	Run: func(tx *store.Tx, _ store.Actor, r *work.Runner, p ReportEnvironmentParams) (action.Done, error) {
		var seen wire.EnvironmentReport
		err := readJSON(p.Facts, &seen)
		var before, after *work.Worktree
		if err == nil {
			before, after, err = work.ReportEnvironment(tx, r, p.Worktree, &seen)
		}
		if err != nil {
			return action.Done{}, badReport(err, "worktree", "This runner has no such worktree.")
		}
		return action.Done{Message: "Noted.", Also: []action.Also{{Subject: after, Before: before.Record()}}}, nil
	},
})

// ReportEnvironmentParams are the params of [ReportEnvironment].
type ReportEnvironmentParams struct {
	Worktree string       `param:"worktree,text" max:"20" doc:"The worktree, by its id."`
	Facts    param.Upload `param:"facts,file" doc:"How it is, as JSON."`
}
