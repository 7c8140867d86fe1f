// Package work declares the actions on runners, repositories, worktrees, sessions, reviews, pull requests, manifests
// and boards.
package work

import (
	"fmt"
	"io"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/work"
)

var _ = action.Describe[*work.Runner](
	"A program with a disk and with git that works for an organization. It takes jobs from its page, and reports there.",
	work.RunnerStates()...)

// ownerAction declares an action that only the owner of the organization may take, and no agent.
func ownerAction[S action.Subject, P any](a action.Action[S, P]) *action.Spec[S] {
	a.Scope, a.AllowedFor, a.HumanOnly = store.ScopeGovernance, store.Owner, true
	return action.New(a)
}

// CreateRunner adds a runner to an organization, with its token.
var CreateRunner = ownerAction(action.Action[*work.Runners, CreateRunnerParams]{
	Name:  "create_runner",
	Past:  "made",
	Undo:  "Stop it: stop_runner.",
	Title: "Add a runner",
	Doc: "Let a program on a machine of yours keep repositories for this organization, below the roots that you name. Git, " +
		"and agents if it was started with --agents, run there with all rights of that program's user. Its token is shown once.",
	Sensitive: true,
	Guard:     func(_ store.Actor, v *work.Runners) error { return v.MustHaveRoom() },
	Check: func(_ *store.Tx, _ store.Actor, v *work.Runners, p CreateRunnerParams, _ param.Errors) param.Errors {
		errs := checkRoots(p.Roots)
		for i := range v.List {
			if v.List[i].Name == p.Name {
				errs = append(errs, param.Error{Field: "name", Message: "There is a runner of this name."})
			}
		}
		return errs
	},
	Run: func(tx *store.Tx, by store.Actor, v *work.Runners, p CreateRunnerParams) (action.Done, error) {
		r, secret, err := work.CreateRunner(tx, by, v.Organization, p.Name, p.Roots)
		if store.CodeOf(err) == store.Invalid {
			return action.Done{}, param.Bad("name", err)
		}
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{Message: "The runner is made. Start the program with its token; its page says how.",
			URL:  r.URL(),
			Made: []action.Subject{r}, Secret: secret}, nil
	},
})

// CreateRunnerParams has the fields of a new runner.
type CreateRunnerParams struct {
	Name  string   `param:"name,text" max:"40" doc:"What it is called, such as Mill."`
	Roots []string `param:"roots,lines,optional" max:"20"`
	_     struct{} `doc:"Where repositories may be, one a line: a folder of its machine, or the start of an https address."`
}

func checkRoots(roots []string) (errs param.Errors) {
	for _, root := range roots {
		if err := work.CheckRoot(root); err != nil {
			return param.Bad("roots", err)
		}
	}
	return nil
}

// UpdateRunner changes the roots of a runner: the folders and addresses from which new repositories may come.
var UpdateRunner = ownerAction(action.Action[*work.Runner, UpdateRunnerParams]{
	Name:      "update_runner",
	Past:      "changed",
	Undo:      "Change again: update_runner.",
	Title:     "Change the roots",
	Doc:       "Change where the repositories of this runner may come from. Those that it has stay.",
	Sensitive: true,
	Guard:     func(store.Actor, *work.Runner) error { return nil },
	Keeps:     true,
	Offers: func(_ store.Actor, r *work.Runner) param.Offers {
		return param.Offers{"roots": {Values: r.Roots.List()}}
	},
	Check: func(_ *store.Tx, _ store.Actor, _ *work.Runner, p UpdateRunnerParams, _ param.Errors) param.Errors {
		return checkRoots(p.Roots)
	},
	Run: func(tx *store.Tx, _ store.Actor, r *work.Runner, p UpdateRunnerParams) (action.Done, error) {
		return action.Done{Message: "The roots are changed."}, work.SetRoots(tx, r, p.Roots)
	},
})

// UpdateRunnerParams are the params of [UpdateRunner].
type UpdateRunnerParams struct {
	Roots []string `param:"roots,lines,optional" max:"20"`
	_     struct{} `doc:"Folders of its machine such as /srv/git, or the starts of https addresses, one a line."`
}

// StopRunner stops a runner. It takes no more jobs.
var StopRunner = ownerAction(action.Action[*work.Runner, struct{}]{
	Name:  "stop_runner",
	Past:  "stopped",
	Undo:  "Undo: start_runner.",
	Title: "Stop the runner",
	Doc:   "Let it take no job and report nothing until you start it again.",
	Tool:  true,
	Guard: func(_ store.Actor, r *work.Runner) error { return r.MustBeOn() },
	Run: func(tx *store.Tx, _ store.Actor, r *work.Runner, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The runner is stopped."}, work.StopRunner(tx, r)
	},
})

// StartRunner lets a stopped runner take jobs again.
var StartRunner = ownerAction(action.Action[*work.Runner, struct{}]{
	Name:  "start_runner",
	Past:  "started",
	Undo:  "Undo: stop_runner.",
	Title: "Start the runner",
	Doc:   "Let it take jobs again.",
	Tool:  true,
	Guard: func(_ store.Actor, r *work.Runner) error { return r.MustBeStopped() },
	Run: func(tx *store.Tx, _ store.Actor, r *work.Runner, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The runner is on."}, work.StartRunner(tx, r)
	},
})

// RenewRunner replaces the token of a runner.
var RenewRunner = ownerAction(action.Action[*work.Runner, struct{}]{
	Name:      "renew_runner",
	Past:      "made another token for",
	Undo:      "Make another one: renew_runner.",
	Title:     "Make a new token",
	Doc:       "End the token of this runner, and make another one, which is shown once. Its program must be started with it.",
	Sensitive: true,
	Tool:      true,
	Guard:     func(store.Actor, *work.Runner) error { return nil },
	Run: func(tx *store.Tx, by store.Actor, r *work.Runner, _ struct{}) (action.Done, error) {
		secret, err := work.RenewRunner(tx, by, r)
		return action.Done{Message: "The token before it has ended. Start the program of the runner with this one.", Secret: secret}, err
	},
})

// runnerAction declares an action that only the runner itself may take. The journal has no entry about the action, but
// entries about the changes that it makes on other pages.
func runnerAction[P any](a action.Action[*work.Runner, P]) *action.Spec[*work.Runner] {
	a.Scope, a.AllowedFor, a.Silent = store.ScopeRunner, store.Runner, true
	return action.New(a)
}

// AnnounceRunner records that the runner is running, with the programs on its machine.
var AnnounceRunner = runnerAction(action.Action[*work.Runner, AnnounceParams]{
	Name:  "announce_runner",
	Undo:  "It is said again every minute.",
	Title: "Say that you are there",
	Doc:   "Say which programs you have found. A runner that says nothing for 90 seconds counts as away.",
	Guard: func(store.Actor, *work.Runner) error { return nil },
	Run: func(tx *store.Tx, by store.Actor, r *work.Runner, p AnnounceParams) (action.Done, error) {
		return action.Done{Message: "Noted."},
			work.Announce(tx, by, r, work.Announcement{Git: p.Git, Program: p.Program, Problem: p.Problem,
				Roots: p.Roots, Forges: p.Forges, Starts: p.Starts, Agents: p.Agents})
	},
})

// AnnounceParams has a runner's description of itself.
type AnnounceParams struct {
	Program string   `param:"program,text" max:"100" doc:"Your own version."`
	Git     string   `param:"git,text,optional" max:"100" doc:"The version of git; empty if there is none."`
	Problem string   `param:"problem,text,optional" max:"500" doc:"What is missing; empty for nothing."`
	Roots   []string `param:"roots,lines,optional" max:"50" doc:"The roots that you were started with."`
	Starts  bool     `param:"starts,flag,optional" doc:"You were started with leave to start agents."`
	Forges  []string `param:"forges,lines,optional" max:"20" doc:"The addresses below which you open pull requests."`
	Agents  []string `param:"agents,lines,optional" max:"20" doc:"The agents that you have found, by name, such as claude."`
}

// ClaimJob reserves a waiting job for the runner. The claim lasts for [work.Lease] unless the runner renews it.
var ClaimJob = runnerAction(action.Action[*work.Runner, ClaimParams]{
	Name:  "claim_job",
	Undo:  "The claim ends by itself after 30 seconds.",
	Title: "Claim a job",
	Doc:   "Take a job that waits, for 30 seconds. Renew the claim while you work.",
	Guard: func(_ store.Actor, r *work.Runner) error { return r.MustBeOn() },
	Run: func(tx *store.Tx, _ store.Actor, r *work.Runner, p ClaimParams) (action.Done, error) {
		if err := work.ClaimJob(tx, r, p.Job, p.Claim); err != nil {
			return action.Done{}, err
		}
		return action.Done{Message: fmt.Sprintf("The job is yours, under claim %d.", p.Claim+1)}, nil
	},
})

// ClaimParams has the id of a job and the number of the claim.
type ClaimParams struct {
	Job   string `param:"job,text" max:"20" doc:"The job, by its id."`
	Claim int    `param:"claim,number" min:"0" max:"100" doc:"To claim, the number of claims so far; later, that of your own."`
}

// RenewJob extends the claim of a job.
var RenewJob = runnerAction(action.Action[*work.Runner, ClaimParams]{
	Name:  "renew_job",
	Undo:  "The claim ends by itself after 30 seconds.",
	Title: "Renew a claim",
	Doc:   "Hold a claim for 30 seconds more. If it is refused, stop working on the job.",
	Guard: func(_ store.Actor, r *work.Runner) error { return r.MustBeOn() },
	Run: func(tx *store.Tx, _ store.Actor, r *work.Runner, p ClaimParams) (action.Done, error) {
		return action.Done{Message: "The claim holds for 30 seconds more."}, work.RenewJob(tx, r, p.Job, p.Claim)
	},
})

// FinishJob ends a job with the runner's report. If the job failed, the notice is that of [work.Job.Failure]. If the
// job succeeded, there is a notice only if the subject is a [work.Teller].
var FinishJob = runnerAction(action.Action[*work.Runner, FinishParams]{
	Name:  "finish_job",
	Past:  "finished a job of",
	Undo:  "Members queue the job again on its page.",
	Title: "End a job",
	Doc:   "Report the end of a job that you have claimed. The same report twice changes nothing.",
	Guard: func(_ store.Actor, r *work.Runner) error { return r.MustBeOn() },
	Check: func(tx *store.Tx, _ store.Actor, r *work.Runner, p FinishParams, _ param.Errors) param.Errors {
		j, err := work.FindJob(tx, r, p.Job)
		if err != nil {
			return param.Errors{{Field: "job", Message: "This runner has no such job."}}
		}
		if _, err := p.facts(j); err != nil {
			return param.Errors{{Field: "facts", Message: err.Error()}}
		}
		return nil
	},
	Run: func(tx *store.Tx, _ store.Actor, r *work.Runner, p FinishParams) (action.Done, error) {
		j, err := work.FindJob(tx, r, p.Job)
		if err != nil {
			return action.Done{}, err
		}
		report, err := p.facts(j)
		if err != nil {
			return action.Done{}, err
		}
		before, err := j.Subject(tx)
		if err != nil {
			return action.Done{}, err
		}
		first, err := work.EndJob(tx, r, p.Job, p.Claim, p.Problem)
		if err != nil || !first {
			return action.Done{Message: "You have reported this before.", Unchanged: true}, err
		}
		if p.Problem == "" {
			if err := j.Apply(tx, report); err != nil {
				return action.Done{}, err
			}
		}
		after, err := j.Subject(tx)
		if err != nil {
			return action.Done{}, err
		}
		also := action.Also{Subject: after, Before: before.Record()}
		if p.Problem != "" {
			j.EndedAt, j.Problem = store.At(tx.Now), p.Problem
			also.Told, also.Notice = j.Failure(after)
		} else if t, ok := after.(work.Teller); ok {
			also.Told, also.Notice = t.EndOfJob()
		}
		return action.Done{Message: "The job has ended.", Also: []action.Also{also}}, nil
	},
})

// LoseJobs ends the lost jobs of a runner. A job is lost if it was claimed [work.MaxClaims] times, and the last claim
// ran out without a report. Only the scheduler takes this action.
var LoseJobs = action.New(action.Action[*work.Runner, struct{}]{
	Name:       "lose_jobs",
	Past:       "gave up jobs of",
	Title:      "Give up lost jobs",
	Doc:        "End the jobs whose last claim ran out without a report. The scheduler does it.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.Clock,
	ByClock:    true,
	Guard:      func(by store.Actor, r *work.Runner) error { return r.MustHaveLostJobs(by) },
	Run: func(tx *store.Tx, _ store.Actor, r *work.Runner, _ struct{}) (action.Done, error) {
		list, err := work.LostJobs(tx, r)
		if err != nil {
			return action.Done{}, err
		}
		done := action.Done{Message: "The jobs are given up."}
		for i := range list {
			also, err := lose(tx, &list[i])
			if err != nil {
				return action.Done{}, err
			}
			done.Also = append(done.Also, also)
		}
		return done, nil
	},
})

// FinishParams has the report on a job: facts, or a problem.
type FinishParams struct {
	ClaimParams
	Problem string       `param:"problem,text,optional" max:"500" doc:"Why it failed; empty if it did not."`
	Facts   param.Upload `param:"facts,file,optional" doc:"What is there now, as JSON; needed without a problem."`
}

// facts decodes and checks the facts, or returns nil if the report has a problem.
func (p FinishParams) facts(j *work.Job) (any, error) {
	if p.Problem != "" {
		return nil, nil
	}
	text, err := io.ReadAll(p.Facts.Reader())
	if err != nil {
		return nil, err
	}
	return j.Decode(text)
}

// lose ends a lost job and returns the journal entry about its subject.
func lose(tx *store.Tx, j *work.Job) (action.Also, error) {
	before, err := j.Subject(tx)
	if err != nil {
		return action.Also{}, err
	}
	if err := work.LoseJob(tx, j); err != nil {
		return action.Also{}, err
	}
	after, err := j.Subject(tx)
	if err != nil {
		return action.Also{}, err
	}
	told, notice := j.Failure(after)
	return action.Also{Subject: after, Before: before.Record(), Told: told, Notice: notice}, nil
}
