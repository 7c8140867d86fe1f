package work

import (
	"samepage/store"
	"samepage/store/work/wire"
)

// RunnerTurn is a turn with the data for its runner.
type RunnerTurn struct {
	Turn
	RepoID       string `db:"repo_id"`
	Branch       string `db:"branch"`
	Base         string `db:"base"`
	AgentSession string `db:"agent_session"`
	Fork         bool   `db:"fork"` // begins with a copy of the parent's conversation
	Home         string // id of the session with the agent's home folder; for a fork, the session that was forked first
	ParentID     string `db:"parent_id"` // parent of a fork; otherwise empty
	Adapter      string `db:"adapter"`
	Argv         Lines  `db:"argv"`
	Env          Lines  `db:"env"`
	Mode         string `db:"mode"`
	Model        string `db:"model"`
	SignIn       string `db:"sign_in"`
	Label        string `db:"label"` // of the agent
	Told         string `db:"told"`  // prompt of the manifest
	Title        string `db:"title"`
	Member       string `db:"member"`      // handle
	Studio       string `db:"studio"`      // handle
	Commit       string `db:"commit_hash"` // reviewed commit; empty if the turn is no review
	LastHead     string `db:"last_head"`   // head after the session's previous turn; may be empty
	StudioName   string `db:"studio_name"`
	Answers      []wire.Answer
}

// URL returns the path of the session's page.
func (t *RunnerTurn) URL() string { return "/studios/" + t.Studio + "/sessions/" + t.SessionID }

const runnerTurnColumns = turnColumns + `, w.repo_id, w.branch, w.base, s.agent_session, s.relation = 'fork' AND s.copied = 1 AS fork,
	CASE WHEN s.relation = 'fork' THEN s.parent_id END AS parent_id, f.adapter,
	f.argv, f.env, f.mode, f.model, f.sign_in, f.title AS label, f.prompt AS told, s.title, m.handle AS member, h.handle AS studio,
	h.name AS studio_name, coalesce(v.commit_hash, '') AS commit_hash,
	coalesce((SELECT o.head_after FROM turns o WHERE o.session_id = t.session_id AND o.n = t.n - 1), '') AS last_head`

const runnerTurnFrom = ` FROM turns t JOIN sessions s ON s.id = t.session_id JOIN worktrees w ON w.id = t.worktree_id
	JOIN manifests f ON f.id = s.manifest_id JOIN members m ON m.id = s.member_id JOIN studios h ON h.id = s.studio_id
	LEFT JOIN reviews v ON v.reviewer_id = s.id `

// mostTaken is the greatest number of turns on a runner's page.
const mostTaken = 40

func runnerTurns(tx *store.Tx, r *Runner) ([]RunnerTurn, error) {
	var list []RunnerTurn
	now := store.At(tx.Now)
	if err := tx.Select(&list, `SELECT `+runnerTurnColumns+runnerTurnFrom+`WHERE t.runner_id = ? AND t.ended_at IS NULL
		AND (t.claimed_to > ? OR t.began_at IS NULL AND `+claimable()+`)
		ORDER BY CASE WHEN t.claimed_to > ? THEN 0 ELSE 1 END, t.queued_at, t.id`+store.AtMost, r.ID, now, now, now,
		now, mostTaken); err != nil {
		return nil, err
	}
	for i := range list {
		list[i].Now = tx.Now
		if err := list[i].findHome(tx); err != nil {
			return nil, err
		}
		if list[i].State() == TurnQueued || list[i].State() == TurnStarting {
			continue
		}
		if err := tx.Select(&list[i].Answers,
			`SELECT event, choice FROM permissions WHERE turn_id = ? AND answered_at IS NOT NULL
			ORDER BY n`, list[i].ID); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (t *RunnerTurn) findHome(tx *store.Tx) error {
	t.Home = t.SessionID
	if t.ParentID == "" {
		return nil
	}
	return tx.Get(&t.Home, `WITH RECURSIVE up (id, parent_id, relation, far) AS (
		SELECT id, parent_id, relation, 0 FROM sessions WHERE id = ?
		UNION ALL SELECT s.id, s.parent_id, s.relation, up.far + 1 FROM up JOIN sessions s ON s.id = up.parent_id
		WHERE up.relation = 'fork') SELECT id FROM up ORDER BY far DESC LIMIT 1`, t.SessionID)
}

// ParentURL returns the path of the page of the session whose conversation the turn copies, or "".
func (t *RunnerTurn) ParentURL() string {
	if !t.Fork {
		return ""
	}
	return "/studios/" + t.Studio + "/sessions/" + t.ParentID
}

// claimable returns the SQL condition that a turn (alias t) in a worktree (alias w) can be claimed. Both arguments are
// the present time. The turn waits until all earlier turns of its session have ended; an expired claim is not an end.
// Unless it only reads, it waits for a claimed turn that changes the worktree. It also waits for open jobs of the kinds
// with JobKind.holds, such as a [RewindJob].
func claimable() string {
	return `t.claim < ` + maxStarts + ` AND t.stop_at IS NULL AND w.made_at IS NOT NULL AND w.archived_at IS NULL
	AND EXISTS (SELECT 1 FROM studios z WHERE z.id = w.studio_id AND z.archived_at IS NULL)
	AND (t.reads = 1 OR NOT EXISTS (SELECT 1 FROM turns o WHERE o.worktree_id = t.worktree_id AND o.ended_at IS NULL AND o.id <> t.id
		AND o.reads = 0 AND o.claimed_to > ?))
	AND NOT EXISTS (SELECT 1 FROM turns o WHERE o.session_id = t.session_id AND o.n < t.n AND o.ended_at IS NULL)
	AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.worktree_id = t.worktree_id AND j.kind IN (` +
		kindList(func(k *JobKind) bool { return k.holds }) + `) AND ` + jobOpen + `)`
}
