package work

import (
	"fmt"
	"slices"
	"strings"

	"samepage/store"
)

const mostLost = 20

// lostJob is the SQL condition that a job (alias j) is lost and has not been ended. Its argument is the present time.
const lostJob = `j.ended_at IS NULL AND j.claim >= ` + maxClaims + ` AND j.claimed_to <= ?`

// DueRunners lists the paths of up to limit runners with lost jobs.
func DueRunners(tx *store.Tx, limit int) ([]string, error) {
	return store.All[string](tx, `SELECT DISTINCT '/orgs/' || o.handle || '/runners/' || r.id
		FROM jobs j CROSS JOIN runners r CROSS JOIN organizations o
		WHERE `+lostJob+` AND r.id = j.runner_id AND o.id = r.org_id`+store.AtMost, store.At(tx.Now), limit)
}

// MustHaveLostJobs returns [store.Forbidden] unless the actor is the scheduler, and [store.Conflict] if no job is lost.
func (r *Runner) MustHaveLostJobs(by store.Actor) error {
	switch {
	case !by.System:
		return store.Errorf(store.Forbidden, "Only the scheduler does this.")
	case !r.Loses:
		return store.Errorf(store.Conflict, "No job of the runner is lost.")
	}
	return nil
}

// LostJobs lists lost jobs of a runner, the oldest first.
func LostJobs(tx *store.Tx, r *Runner) (list []Job, err error) {
	err = tx.Select(&list, `SELECT `+jobColumns+jobFrom+`WHERE j.runner_id = ? AND `+lostJob+
		` ORDER BY j.created_at, j.id`+store.AtMost, r.ID, store.At(tx.Now), mostLost)
	for i := range list {
		list[i].Now = tx.Now
	}
	return list, err
}

// LoseJob ends a lost job as failed.
func LoseJob(tx *store.Tx, j *Job) error {
	j.EndedAt, j.ClaimedTo = store.At(tx.Now), store.Time{}
	j.Problem = fmt.Sprintf("The runner went away %d times while it worked on it. Its log says why.", j.Claim)
	return tx.Exec(`UPDATE jobs SET ended_at = ?, claimed_to = NULL, problem = ? WHERE id = ?`, j.EndedAt, j.Problem, j.ID)
}

// Failure returns a verb for the failure or loss of the job, such as "could not fetch", and a notice with the reason
// and the remedy. The notice is for the member that asked for the job and for the members in the subject's own notice.
// The notice is nil if there are no such members.
func (j *Job) Failure(about Subject) (told string, n *store.Notice) {
	told, n = "could not "+j.Does(), &store.Notice{Reason: store.ReasonOutcome, Note: j.why()}
	if t, ok := about.(Teller); ok {
		if verb, of := t.EndOfJob(); of != nil {
			n.To = slices.Clone(of.To)
			if j.State() != JobLost {
				told, n.By = verb, of.By
			}
		}
	}
	if !slices.Contains(n.To, j.MemberID) {
		n.To = append(n.To, j.MemberID)
	}
	if n.To = slices.DeleteFunc(n.To, func(id string) bool { return id == "" }); len(n.To) == 0 {
		return told, nil
	}
	return told, n
}

func (j *Job) why() string {
	why := "It failed: " + strings.TrimSuffix(j.Problem, ".") + "."
	if j.State() == JobLost {
		why = j.Problem
	}
	return j.remedied(why)
}

// remedied adds a sentence on the remedy for members of the studio, unless the studio is archived.
func (j *Job) remedied(why string) string {
	if !j.StudioEnd.IsZero() {
		return why
	}
	return why + " Members of " + j.StudioName + " can " + j.Else() + "."
}
