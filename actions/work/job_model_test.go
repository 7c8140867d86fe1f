package work_test

import (
	"slices"
	"time"
)

// These are the steps in the model of jobs.
const (
	toFetch = iota // the repository
	toRefresh
	toRemove // the folder of the worktree
	toRestore
	toTakeOn // a job
	toKeep   // it
	toReportJob
	toRepeat // the last report
	toTurnOff
	toTurnOn
	toPrompted // somebody prompts an agent in the worktree, or stops it
	toLoseJobs // the scheduler ends the jobs of the runner whose last claim ran out
	toIdle
)

// jobModel is the simplest description of a job.
type jobModel struct {
	id, kind string
	claims   int
	until    time.Time // to which the last claim holds
	ended    bool
	problem  bool
	lost     bool   // the scheduler has ended it
	asker    string // the member who asked for it, or for whom the asking agent acts
}

const mostClaims = 5

// yard is a repository with a worktree, on the machine of a runner.
type yard struct {
	now      time.Time
	off      bool // the owner has stopped the runner
	jobs     []*jobModel
	fetched  string // head of the repository
	head     string // of the worktree
	archived bool
	waits    bool // a prompt waits in the worktree
}

func (m *yard) jobState(j *jobModel) string {
	switch {
	case j.ended && j.lost:
		return "lost"
	case j.ended && j.problem:
		return "failed"
	case j.ended:
		return "done"
	case j.until.After(m.now):
		return "claimed"
	case j.claims >= mostClaims:
		return "lost"
	}
	return "waiting"
}

// toBeLost reports whether a job is lost, and the scheduler has not ended it.
func (m *yard) toBeLost(j *jobModel) bool { return m.jobState(j) == "lost" && !j.ended }

// awaited reports whether a job about the worktree is still to be done.
func (m *yard) awaited() bool {
	return slices.ContainsFunc(m.jobs, func(j *jobModel) bool {
		state := m.jobState(j)
		return j.kind != "fetch" && (state == "waiting" || state == "claimed")
	})
}

// busy reports whether the last job of the repository, or of the worktree, is still to be done.
func (m *yard) busy(fetch bool) bool {
	for _, j := range slices.Backward(m.jobs) {
		if (j.kind == "fetch") == fetch {
			state := m.jobState(j)
			return state == "waiting" || state == "claimed"
		}
	}
	return false
}

// holds reports whether no turn begins, because a job makes or removes the folder.
func (m *yard) holds() bool {
	return m.archived || slices.ContainsFunc(m.jobs, func(j *jobModel) bool {
		state := m.jobState(j)
		return (j.kind == "archive" || j.kind == "checkout") && (state == "waiting" || state == "claimed")
	})
}

// may reports whether an actor can do a step. Claim says whether a runner names the claim that it should.
func (m *yard) may(do int, who string, j *jobModel, claim bool) bool {
	mine := who == runner && !m.off && j != nil && claim
	switch do {
	case toFetch:
		return writes(who) && !m.busy(true)
	case toRefresh:
		return writes(who) && !m.busy(false) && !m.archived
	case toRemove: // commits in it are nowhere else
		return writes(who) && !m.busy(false) && !m.archived && !m.waits && !isAgent(who)
	case toRestore:
		return writes(who) && !m.busy(false) && m.archived
	case toTakeOn:
		return mine && m.jobState(j) == "waiting"
	case toReportJob:
		return mine && j.claims > 0 && m.jobState(j) != "lost"
	case toKeep:
		return mine && j.claims > 0 && !j.ended && m.jobState(j) != "lost"
	case toRepeat:
		return mine && j.ended
	case toLoseJobs:
		return who == clock && slices.ContainsFunc(m.jobs, m.toBeLost)
	case toTurnOff:
		return who == keeper && !m.off
	case toTurnOn:
		return who == keeper && m.off
	}
	return true
}
