package webtest

import (
	"strings"

	"samepage/actions"
	"samepage/actions/param"
	work "samepage/actions/work"
)

// board creates a board and names it as a fixture.
func (m *maker) board(name, by, studio, title string, more param.Input) string {
	in := param.Input{"title": title}
	for k, v := range more {
		in[k] = v
	}
	url := m.do(by, m.urls[studio], work.CreateBoard.Name, in)
	m.urls[name] = url
	m.names[url[strings.LastIndexByte(url, '/')+1:]] = strings.ReplaceAll(name, " ", "-")
	return url
}

func (m *maker) boards() {
	m.post()
	u := m.board("board", "bob", "team", "Summer | fair",
		param.Input{"text": "What is to be done for the *fair*.", "zones": []any{"Ideas", "Doing"}})
	m.do("erin", u, work.AddZone.Name, param.Input{"title": "Done", "rule": "Nothing is left to do."})
	m.do("erin", u, work.AddZone.Name, param.Input{"title": "Someday", "before": "1"})
	m.do("bob", u, work.UpdateZone.Name, param.Input{"zone": "2", "rule": "At most three cards, each with a name."})
	for _, c := range []struct {
		by string
		in param.Input
	}{{"erin", param.Input{"zone": "1", "title": "A map | of the garden", "text": "Ask @bob for the *old* one."}},
		{"scribe", param.Input{"zone": "Ideas", "title": "Posters", "page": m.urls["note post"]}},
		{"bob", param.Input{"zone": "2", "title": "Rent the tent"}},
		{"alice", param.Input{"zone": "1", "title": "Typo"}},
		{"bob", param.Input{"zone": "1", "title": "Lemonade"}}} {
		m.do(c.by, u, work.AddCard.Name, c.in)
	}
	m.do("scout", u, work.MoveCard.Name, param.Input{"number": "6", "zone": "Doing", "above": "7"})
	m.do("erin", u, work.MoveCard.Name, param.Input{"number": "7", "zone": "3"})
	m.do("bob", u, work.MoveCard.Name, param.Input{"number": "9", "zone": "1", "above": "5"})
	m.urls["card"], m.urls["card of page"] = u+"/cards/5", u+"/cards/6"
	m.do("erin", m.urls["card"], work.UpdateCard.Name, param.Input{"text": "Ask @bob for the **old** one."})
	m.do("alice", u+"/cards/8", work.RemoveCard.Name, nil)
	m.do("erin", u, actions.Comment, param.Input{"text": "Who brings the lemons?"})
	m.do("bob", m.board("board empty", "bob", "team", "Nothing yet", nil), actions.Pin, nil)
	u = m.board("board archived", "erin", "team", "Spring fair", param.Input{"zones": []any{"Done"}})
	m.do("erin", u, work.AddCard.Name, param.Input{"zone": "1", "title": "Flowers"})
	m.do("erin", u, work.ArchiveBoard.Name, nil)
	u = m.board("board redacted", "dave", "team", "What the landlord owes us", param.Input{"zones": []any{"Lies"}})
	m.do("dave", u, work.AddCard.Name, param.Input{"zone": "1", "title": "The roof, he said"})
	m.do("alice", u, actions.Redact, nil)
	m.board("board draft", "alice", "team", "Ideas of mine", param.Input{"draft": true, "zones": []any{"One", "Two"}})
	m.board("board lab", "oscar", "lab", "Secret plan", param.Input{"zones": []any{"Now"}})
}

// workshop adds a board with zones that start sessions or request reviews, and a card that waits until a person starts
// its session.
func (m *maker) workshop() {
	u := m.board("board workshop", "bob", "team", "Workshop", param.Input{"zones": []any{"Ideas", "Doing", "Checking"}})
	m.do("alice", u, work.SetTrigger.Name, param.Input{"zone": "2", "does": work.StartSession.Name, "agent": "mason",
		"prompt": "On the branch {{ branch }}: {{card}} Take small **steps**."})
	m.do("alice", u, work.SetTrigger.Name, param.Input{"zone": "3", "does": work.RequestReview.Name, "at_once": "true",
		"prompt": "Look at {{worktree}}, for {{starter}}."})
	m.do("erin", u, work.AddCard.Name, param.Input{"zone": "1", "title": "Mend the [bench]", "page": m.urls["worktree bench"],
		"text": "The left leg | is *loose*."})
	m.do("scribe", u, work.MoveCard.Name, param.Input{"number": "4", "zone": "2"})
	m.urls["card waiting"] = u + "/cards/4"
	m.do("alice", "/inbox", actions.MarkRead.Name, param.Input{"notification": m.latest("alice")})
}
