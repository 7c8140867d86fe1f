package work

import (
	"slices"

	"samepage/store"
)

// LiveSessions counts the sessions with a claimed turn, except archived ones. A session is reported as waiting while
// its agent waits for a permission. The query begins with the claimed turns, because they are few. A session counts on
// each board that has a card for it, or shows it on the card of its worktree.
var LiveSessions = store.DeclareLive(store.Live{Name: SessionKind, Query: func(of store.LiveIn) (string, []any) {
	args := append([]any{store.At(of.Now)}, of.Studios...)
	live := `SELECT s.studio_id, '' AS item_id, CASE WHEN EXISTS (SELECT 1 FROM permissions q
			WHERE q.turn_id = t.id AND q.answered_at IS NULL) THEN 1 ELSE 0 END AS waits, s.id, s.worktree_id
		FROM turns t CROSS JOIN sessions s
		WHERE t.ended_at IS NULL AND t.claimed_to > ? AND s.id = t.session_id AND s.current = t.n AND s.archived_at IS NULL
			AND s.studio_id IN (` + store.Placeholders(len(of.Studios)) + `)`
	all := `SELECT w.studio_id, w.item_id, w.waits FROM (` + live + `) AS w`
	if !of.Items {
		return all, args
	}
	return all + ` UNION ALL SELECT w.studio_id, w.item_id, w.waits FROM (
		SELECT w.id, w.studio_id, c.board_id AS item_id, w.waits FROM (` + live + `) AS w CROSS JOIN studios h CROSS JOIN cards c
			WHERE h.id = w.studio_id AND c.page = '/studios/' || h.handle || '/sessions/' || w.id
		UNION SELECT w.id, w.studio_id, c.board_id, w.waits FROM (` + live + `) AS w CROSS JOIN studios h
				CROSS JOIN worktrees y CROSS JOIN cards c
			WHERE h.id = w.studio_id AND y.id = w.worktree_id AND c.page = '/studios/' || h.handle || '/worktrees/' || y.name
				AND w.id = ` + shownFor(`y.id`) + `) AS w`, slices.Concat(args, args, args)
}})

// shownFor returns an SQL expression for the id of the session that stands for a worktree on a board: the most recently
// active one that is neither archived nor a review. The parameter is an expression for the worktree's id.
func shownFor(worktree string) string {
	return `(SELECT x.id FROM sessions x WHERE x.worktree_id = ` + worktree + ` AND x.archived_at IS NULL
		AND x.relation <> 'review' ORDER BY x.moved_at DESC, x.created_at DESC, x.id LIMIT 1)`
}
