package work_test

import (
	"slices"
	"time"
)

// These are the steps in the model of jobs.
const (
	toFetch = iota // a member asks to fetch the repository
	toRefresh
	toRemove // a member archives the worktree, which removes its folder
	toRestore
	toTakeOn // the runner claims a job
	toKeep   // the runner renews its claim
	toReportJob
	toRepeat // the runner sends its last report again
	toTurnOff
	toTurnOn
	toPrompted // Bob prompts an agent in the worktree, or stops it
	toLoseJobs // the scheduler ends the lost jobs of the runner
	toIdle
)

// jobModel is a simple model of a job.
type jobModel struct {
	id, kind string
	claims   int
	until    time.Time // end of the last claim; zero for none
	ended    bool
	problem  bool
	lost     bool   // the scheduler has ended the job
	asker    string // the member who asked for the job, in person or by an agent
}

const mostClaims = 5

// yard is a simple model of a repository with one worktree, on the machine of a runner.
type yard struct {
	now      time.Time
	off      bool // the runner was stopped
	jobs     []*jobModel
	fetched  string // head of the repository
	head     string // head of the worktree
	archived bool
	waits    bool // a prompt waits for the runner
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

// toBeLost reports whether a job is lost but the scheduler has not ended it.
func (m *yard) toBeLost(j *jobModel) bool { return m.jobState(j) == "lost" && !j.ended }

// awaited reports whether a job on the worktree waits or is claimed.
func (m *yard) awaited() bool {
	return slices.ContainsFunc(m.jobs, func(j *jobModel) bool {
		state := m.jobState(j)
		return j.kind != "fetch" && (state == "waiting" || state == "claimed")
	})
}

// busy reports whether the last job of the repository (if fetch is true) or of the worktree waits or is claimed.
func (m *yard) busy(fetch bool) bool {
	for _, j := range slices.Backward(m.jobs) {
		if (j.kind == "fetch") == fetch {
			state := m.jobState(j)
			return state == "waiting" || state == "claimed"
		}
	}
	return false
}

// holds reports whether no turn can begin, because the worktree is archived or a job makes or removes its folder.
func (m *yard) holds() bool {
	return m.archived || slices.ContainsFunc(m.jobs, func(j *jobModel) bool {
		state := m.jobState(j)
		return (j.kind == "archive" || j.kind == "checkout") && (state == "waiting" || state == "claimed")
	})
}

// may reports whether an actor can take a step. The argument claim says whether a runner gives the right claim number.
func (m *yard) may(do int, who string, j *jobModel, claim bool) bool {
	mine := who == runner && !m.off && j != nil && claim
	switch do {
	case toFetch:
		return writes(who) && !m.busy(true)
	case toRefresh:
		return writes(who) && !m.busy(false) && !m.archived
	case toRemove: // an agent may not, because commits of the worktree may exist nowhere else
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
