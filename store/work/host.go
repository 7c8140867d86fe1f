package work

import (
	"time"

	"samepage/store"
)

// Host is the runner of a repository, as loaded with the repository or with work in it.
type Host struct {
	RunnerID      string     `db:"runner_id"`
	Runner        string     `db:"runner"`         // name
	RunnerStopped bool       `db:"runner_stopped"` // by the owner
	RunnerBarred  bool       `db:"runner_barred"`  // its token is paused or revoked
	RunnerSeen    store.Time `db:"runner_seen"`    // last message; zero before the first
	asOf          time.Time  // time of loading; zero in lists
}

// hostColumns has the columns of [Host], for a runner (alias r) and its repository (alias p).
const hostColumns = `p.runner_id, r.name AS runner, r.stopped_at IS NOT NULL AS runner_stopped, r.seen_at AS runner_seen,
	EXISTS (SELECT 1 FROM tokens k WHERE k.id = r.token_id AND (k.revoked_at IS NOT NULL OR k.paused_at IS NOT NULL)) AS runner_barred`

// RunnerNoted returns the name of the runner and, unless it is ready, the reason in parentheses.
func (h *Host) RunnerNoted() string {
	switch {
	case h.RunnerStopped:
		return h.Runner + " (stopped: the organization's owner can start it)"
	case h.RunnerBarred:
		return h.Runner + " (stopped: its token is paused or revoked)"
	case h.RunnerSeen.IsZero():
		return h.Runner + " (away: its program has not been started yet)"
	case h.asOf.Sub(h.RunnerSeen.Time) > Silence:
		return h.Runner + " (away: its program is silent)"
	}
	return h.Runner
}
