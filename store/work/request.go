package work

import (
	"slices"

	"samepage/store"
)

// Agents ask the member of their session for permissions, reviews without an agent wait for the studio's members, and a
// pull request that can be merged without a reason waits for the member who opened it.
var _ = store.DeclareRequests(func(tx *store.Tx, by store.Actor, limit int) (list []store.Request, err error) {
	if by.IsAgent() || len(by.Members) == 0 {
		return nil, nil
	}
	mine := make([]any, len(by.Members))
	for i := range by.Members {
		mine[i] = by.Members[i].ID
	}
	members := marks(mine)
	var rows []struct {
		store.Request
		Session string `db:"session_id"`
		N       int    `db:"n"`
		Review  string `db:"review_id"`
		Pull    int    `db:"pull"`
	}
	args := slices.Concat([]any{store.At(tx.Now)}, mine, []any{store.At(tx.Now.Add(-ReviewTime))}, mine, mine, []any{limit})
	err = tx.Select(&rows, `SELECT 'Answer' AS act, q.title, q.asked_at AS at, s.org_id, h.handle AS studio_handle,
		h.name AS studio_name, s.id AS session_id, q.n, '' AS review_id, m.handle, f.title AS label, 0 AS pull
		FROM turns t CROSS JOIN sessions s CROSS JOIN permissions q JOIN studios h ON h.id = s.studio_id
		JOIN members m ON m.id = s.member_id JOIN manifests f ON f.id = s.manifest_id
		WHERE t.ended_at IS NULL AND t.claimed_to > ? AND s.id = t.session_id AND s.member_id IN (`+members+`)
			AND q.turn_id = t.id AND q.answered_at IS NULL AND h.archived_at IS NULL
			AND EXISTS (SELECT 1 FROM studio_members x WHERE x.studio_id = s.studio_id AND x.member_id = s.member_id)
		UNION ALL SELECT 'Review', s.title, v.requested_at, v.org_id, h.handle, h.name, s.id, v.n, v.id, m.handle,
			coalesce(a.label, ''), 0 FROM reviews v CROSS JOIN studio_members x CROSS JOIN studios h JOIN sessions s ON s.id = v.session_id
		JOIN members m ON m.id = v.member_id LEFT JOIN agents a ON a.id = v.agent_id
		WHERE v.ended_at IS NULL AND v.requested_at > ? AND v.manifest_id IS NULL AND v.commit_hash <> ''
			AND x.studio_id = v.studio_id AND x.member_id IN (`+members+`) AND h.id = v.studio_id AND h.archived_at IS NULL
		UNION ALL SELECT 'Merge', q.title, q.opened_at, q.org_id, h.handle, h.name, '', 0, '', m.handle, coalesce(a.label, ''), q.n
			FROM pulls q CROSS JOIN worktrees w CROSS JOIN repos p JOIN studios h ON h.id = q.studio_id
			JOIN members m ON m.id = q.member_id LEFT JOIN agents a ON a.id = q.agent_id
		WHERE q.ended_at IS NULL AND q.draft = 0 AND q.member_id IN (`+members+`) AND h.archived_at IS NULL
			AND w.id = q.worktree_id AND w.archived_at IS NULL AND w.ahead > 0 AND p.id = w.repo_id
			AND (q.tried <> w.head OR q.problem = '' AND q.conflicts = '')
			AND (p.check_argv = '' OR q.checked = w.head AND q.check_passed = 1)
			AND (p.review_required = 0 OR EXISTS (SELECT 1 FROM reviews v JOIN sessions y ON y.id = v.session_id
				WHERE y.worktree_id = w.id AND v.state = 'approved' AND v.commit_hash = w.head))
			AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.worktree_id = w.id AND j.kind = '`+mergeName+`' AND j.ended_at IS NULL)
			AND EXISTS (SELECT 1 FROM studio_members x WHERE x.studio_id = q.studio_id AND x.member_id = q.member_id)
		ORDER BY 3 DESC`+store.AtMost, args...)
	for i := range rows {
		q, r := &rows[i], &rows[i].Request
		s := Session{ID: q.Session, StudioHandle: r.StudioHandle}
		r.URL = (&Permission{Session: &s, N: q.N}).URL()
		if q.Pull > 0 {
			r.URL = PullURL("/studios/"+r.StudioHandle, q.Pull)
		}
		if q.Review != "" {
			v := Review{ID: q.Review, N: q.N, StudioHandle: r.StudioHandle, Title: r.Title}
			r.URL, r.Title = v.URL(), v.Name()
		}
		list = append(list, *r)
	}
	return list, err
})
