package work

import "samepage/store"

// The home page says what the sessions of its member have cost lately. A turn reports the cost of its session so far,
// so a turn costs the difference to the one before. An agent that began a new conversation counts from 0 again.
var _ = store.DeclareSpending(func(members []any, since store.Time) (string, []any) {
	return `SELECT currency,
			CAST(sum(cost - CASE WHEN fresh = 0 AND earlier <= cost THEN earlier ELSE 0 END) AS BIGINT) AS amount FROM (
			SELECT t.currency, t.ended_at, t.fresh, t.cost,
				coalesce(lag(t.cost) OVER (PARTITION BY t.session_id, t.currency ORDER BY t.n), 0) AS earlier
			FROM studio_members x JOIN sessions s ON s.studio_id = x.studio_id CROSS JOIN turns t
			WHERE x.member_id IN (` + store.Placeholders(len(members)) + `) AND s.member_id = x.member_id AND s.moved_at >= ?
				AND t.session_id = s.id AND t.cost IS NOT NULL) AS told
		WHERE ended_at >= ? AND cost > 0 GROUP BY currency`, append(append([]any{}, members...), since, since)
})
