package webtest

import (
	"path"

	"samepage/actions"
	"samepage/actions/param"
	work "samepage/actions/work"
	"samepage/store"
)

// reviews adds reviews in most states.
func (m *maker) reviews(mill string) {
	done := func(name string) string {
		return `{"state":"succeeded","agent_session":"mason-` + name + `","head_before":"` + storyHash(4) + `","head_after":"` +
			storyHash(5) + `"}`
	}
	start := func(name, by, prompt string) string {
		u := m.do(by, m.urls["worktree empty"], work.StartSession.Name, param.Input{"agent": "mason", "prompt": prompt})
		m.urls["session "+name] = u
		m.names[path.Base(u)] = "session-" + name
		m.beginTurn(mill)
		m.finishTurn(mill, done(name))
		return u
	}
	request := func(name, by, session string, in param.Input) string {
		u := m.do(by, session, work.RequestReview.Name, in)
		m.urls["review "+name] = u
		m.names[path.Base(u)] = "review-" + name
		if m.err == nil {
			var reviewer string
			m.err = m.store.Read(m.ctx, func(tx *store.Tx) error {
				return tx.Get(&reviewer, `SELECT coalesce(reviewer_id, '') FROM reviews WHERE id = ?`, path.Base(u))
			})
			if reviewer != "" {
				m.names[reviewer] = "session-reviewer-" + name
			}
		}
		return u
	}
	carrots := start("carrots", "bob", "Sow the **carrots**.")
	changes := request("changes", "bob", carrots, param.Input{"text": "Are the rows | straight?"})
	m.do("alice", changes, work.CommentLine.Name, param.Input{"path": "beds/carrots.txt", "line": "3",
		"text": "This row is *crooked*."})
	m.do("erin", changes, work.SendFeedback.Name, param.Input{"type": "needs_work", "priority": "high",
		"text":  "Not yet.\n\nSee the places.",
		"items": []any{"beds/carrots.txt:7 Too deep.", "plan.md Say when."}})
	m.beginTurn(mill)
	m.finishTurn(mill, done("carrots"))
	m.do("bob", request("cancelled", "bob", carrots, nil), work.CancelReview.Name, nil)
	m.do("alice", request("approved", "bob", carrots, nil), work.ApproveReview.Name,
		param.Input{"text": "Straight **enough**."})
	request("unanswered", "bob", carrots, param.Input{"reviewer": "mason"})
	m.beginTurn(mill)
	m.finishTurn(mill, `{"state":"succeeded","agent_session":"mason-reviewer"}`)
	request("waiting", "scribe", start("weeds", "scribe", "Weed the path."),
		param.Input{"text": "Nothing | is left, I think."})
	rows := start("rows", "erin", "Draw the rows.")
	for _, name := range []string{"rows 1", "rows 2", "rows 3"} {
		m.do("dave", request(name, "erin", rows, nil), work.SendFeedback.Name, param.Input{"type": "suggestions", "text": "Again."})
		m.beginTurn(mill)
		m.finishTurn(mill, done("rows"))
	}
	m.do("alice", "/inbox", actions.MarkRead.Name, param.Input{"notification": m.latest("alice")})
}
