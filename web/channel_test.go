package web_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"samepage/actions"
	"samepage/actions/governance"
	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestChannel follows a channel through a day. New messages are counted beside its name and marked on its page until a
// person has seen them. Requests of agents and prefetches mark nothing as read, but an agent can mark the channel as
// read by an action.
func TestChannel(t *testing.T) {
	w := webtest.New(t)
	channel, dave := w.URL("channel team"), w.As("dave")
	dave.Get(channel, "text/html")
	w.As("bob").Post(channel, governance.PostMessage.Name, param.Input{"text": "One, @dave?"})
	w.As("erin").Post(channel, governance.PostMessage.Name, param.Input{"text": "Two."})
	for _, look := range []*webtest.Client{w.As("dave").Ahead(), w.As("scout")} {
		if r := look.Get(channel, "text/html").Body; !strings.Contains(r, "new since you left") {
			t.Errorf("%s does not see what is new", look.Name)
		}
	}
	side := regexp.MustCompile(`/studios/team/channel"( aria-current="page")?>.*?<span>Channel</span><span class="count">2<`)
	if r := w.As("dave").Ahead().Get("/help", "text/html").Body; !side.MatchString(r) {
		t.Error("the navigation does not count what is new")
	}
	if r := w.As("dave").Ahead().Get("/studios/team", "text/markdown").Body; !strings.Contains(r,
		"/studios/team/channel) (2 new)") {
		t.Errorf("the studio's page does not count what is new:\n%s", r)
	}
	first := dave.Get(channel, "text/html").Body
	if !strings.Contains(first, "2 new since you left") || side.MatchString(first) {
		t.Error("Dave does not see two new messages, or they are still counted at the side")
	}
	if r := dave.Get(channel, "text/html").Body; strings.Contains(r, "new since you left") {
		t.Error("what Dave has seen is still new")
	}
	if r := dave.Ahead().Get("/inbox?show=unread", "text/markdown").Body; strings.Contains(r, "One, @dave?") {
		t.Error("the mention that Dave has seen in the channel is still unread")
	}
	if r := w.As("scribe").PostJSON(channel, governance.MarkChannelRead.Name, nil); r.Status != http.StatusOK {
		t.Errorf("an agent does not mark the channel as read: %s", r.Body)
	}
}

// TestArchivedChannel reads the channel of an archived studio. Every attempt to write to it is refused.
func TestArchivedChannel(t *testing.T) {
	w := webtest.New(t)
	channel, message := w.URL("channel cellar"), w.URL("message cellar")
	for _, who := range []string{"bob", "carol", "scribe"} {
		for _, u := range []string{channel, message} {
			if r := w.As(who).Get(u, "text/markdown"); r.Status != http.StatusOK || !strings.Contains(r.Body,
				"The last bottle is gone.") {
				t.Errorf("%s does not read %s: %d", who, u, r.Status)
			}
		}
	}
	for _, c := range []struct {
		u, action string
		in        param.Input
	}{
		{channel, governance.PostMessage.Name, param.Input{"text": "Hello?"}},
		{channel, actions.CreateNote.Name, param.Input{"title": "A", "text": "b"}},
		{message, actions.Comment, param.Input{"text": "Hello?"}},
		{message, governance.AddReaction.Name, param.Input{"reaction": "👍"}},
		{message, governance.EditMessage.Name, param.Input{"text": "Changed."}},
		{message, governance.DeleteMessage.Name, nil},
		{message, actions.Pin, nil},
		{message, actions.Attach, param.Input{"file": param.Upload{Name: "a.txt", Data: []byte("a")}}},
	} {
		if r := w.As("bob").PostJSON(c.u, c.action, c.in); r.Status != http.StatusConflict ||
			!strings.Contains(r.Body, "archived") {
			t.Errorf("%s on %s is answered %d: %s", c.action, c.u, r.Status, r.Body)
		}
	}
}

// TestMessagesStayInTheirStudio looks for a message of a studio that only its members see. It looks in search, in
// the inbox of a mentioned member, on a page that the message links to, and at the file attached to the message.
// Only the studio's member Alice and her agent find the message.
func TestMessagesStayInTheirStudio(t *testing.T) {
	w := webtest.New(t)
	w.As("alice").Post("/orgs/acme", actions.CreateStudio.Name, param.Input{"handle": "vault", "name": "Vault",
		"visibility": "members", "description": "What nobody sees."})
	const secret = "zanzibar"
	w.As("alice").Post("/studios/vault/channel", governance.PostMessage.Name,
		param.Input{"text": "@bob, the code is " + secret + ", see " + w.URL("standups")})
	page := w.As("alice").Ahead().Get("/studios/vault/channel", "text/html").Body
	message := regexp.MustCompile(`/studios/vault/m/[a-z0-9]{10}`).FindString(page)
	attached := w.As("alice").Form(message, actions.Attach,
		webtest.Call{Params: param.Input{"file": param.Upload{Name: "code.txt", Data: []byte(secret)}}})
	if attached.Status != http.StatusSeeOther {
		t.Fatal(attached.Status, attached.Body)
	}
	file := regexp.MustCompile(`/files/[a-z0-9]{10}`).FindString(w.As("alice").Ahead().Get(message, "text/html").Body)
	if message == "" || file == "" {
		t.Fatal(message, file)
	}
	for _, who := range []string{"bob", "carol", "scout", "anonymous", "oscar"} {
		for _, u := range []string{"/search?q=" + secret, "/search?q=type:message", "/inbox", w.URL("standups"),
			"/studios/vault/channel", message + "/comments", "/orgs/acme/journal"} {
			body := w.As(who).Ahead().Get(u, "text/markdown").Body
			// A page of results repeats the query, but only the message has the comma.
			if strings.Contains(body, secret+",") || strings.Contains(body, message) && !strings.HasPrefix(u, message) {
				t.Errorf("%s finds the message at %s:\n%s", who, u, body)
			}
		}
		for _, u := range []string{message, file, file + "/download"} {
			for _, accept := range []string{"text/markdown", "text/html", ""} {
				if r := w.As(who).Get(u, accept); r.Status == http.StatusOK || strings.Contains(r.Body, secret) ||
					strings.Contains(r.Body, "code.txt") {
					t.Errorf("%s reads %s as %q: %d\n%s", who, u, accept, r.Status, r.Body)
				}
			}
		}
	}
	for _, who := range []string{"alice", "scribe"} {
		if r := w.As(who).Get(file+"/download", ""); r.Status != http.StatusOK || r.Body != secret {
			t.Errorf("%s does not read the file: %d %s", who, r.Status, r.Body)
		}
		if r := w.As(who).Get(file, "text/markdown"); r.Status != http.StatusOK || !strings.Contains(r.Body,
			"code.txt") {
			t.Errorf("%s does not read the page of the file: %d %s", who, r.Status, r.Body)
		}
		if r := w.As(who).Get("/search?q="+secret+"+type:message", "text/markdown"); !strings.Contains(r.Body,
			message) {
			t.Errorf("%s does not find the message:\n%s", who, r.Body)
		}
	}
}

// turn is an action on an item in a channel, and the text that the channel then shows for the item.
type turn struct {
	who, action string
	in          param.Input
	says        string
}

// TestCarriedItemsAreLive creates an item of each kind that a channel can carry, and takes part in it. Each change
// gives the channel a new version, and shows in the item's message and in other messages that link to the item.
func TestCarriedItemsAreLive(t *testing.T) {
	w := webtest.New(t)
	channel := w.URL("channel team")
	if r := w.As("bob").PostJSON("/studios/team/roles", actions.CreateRole.Name,
		param.Input{"title": "Gatekeeper"}); r.Status != 200 {
		t.Fatal(r.Body)
	}
	for _, c := range []struct {
		create, title string
		in            param.Input
		says          string
		turns         []turn
	}{
		{actions.CreateDecision.Name, "Do we paint the gate?", param.Input{"question": "Do we paint the gate?",
			"method":  "single",
			"options": []any{"Yes", "No"}, "closes_at": "3d"}, "0 of 4 have voted", []turn{
			{"erin", actions.CastVote.Name, param.Input{"option": "1"}, "1 of 4 have voted"},
		}},
		{governance.CreateTopic.Name, "Close the gate at ten", param.Input{"title": "Close the gate at ten",
			"text": "Every day."},
			"in clarification", []turn{
				{"bob", governance.Advance.Name, nil, "0 of 4 responded"},
				{"erin", governance.Respond.Name, param.Input{"position": "consent"}, "1 of 4 responded"},
			}},
		{governance.CreateElection.Name, "Gatekeeper", param.Input{"role": "Gatekeeper"}, "0 nominations", []turn{
			{"erin", governance.Nominate.Name, param.Input{"nominee": "dave", "reason": "Hears everything."},
				"1 nomination"},
			{"bob", governance.AdvanceElection.Name, nil, "in the discussion"},
		}},
		{actions.CreateCommitment.Name, "Oil the gate", param.Input{"title": "Oil the gate", "critical_mass": 2},
			"takes 2 more", []turn{
				{"erin", actions.JoinCommitment.Name, nil, "takes 1 more"},
				{"dave", actions.JoinCommitment.Name, nil, "bound, more may join"},
			}},
	} {
		if r := w.As("bob").PostJSON(channel, c.create, c.in); r.Status != http.StatusOK {
			t.Fatal(r.Body)
		}
		link := regexp.MustCompile(`\[[^\]]*` + regexp.QuoteMeta(c.title) + `[^\]]*\]\([^)]*(/studios/team/[a-z]/[a-z0-9]{10})\)`)
		read := func() (version string, lines []string, url string) {
			body := w.As("erin").Get(channel, "text/markdown").Body
			for line := range strings.Lines(body) {
				if m := link.FindStringSubmatch(line); m != nil {
					lines, url = append(lines, line), m[1]
				}
			}
			return regexp.MustCompile(`(?m)^version: .*`).FindString(body), lines, url
		}
		before, lines, url := read()
		live := func(says string, places int) {
			t.Helper()
			if len(lines) != places {
				t.Errorf("%s: the channel shows it in %d places, not %d: %q", c.create, len(lines), places, lines)
			}
			for _, line := range lines {
				if !strings.Contains(line, says) {
					t.Errorf("%s: the channel says %q, not %q", c.create, line, says)
				}
			}
		}
		live(c.says, 2) // in its message, and in the list of items that are decided here
		for _, turn := range c.turns {
			if r := w.As(turn.who).PostJSON(url, turn.action, turn.in); r.Status != http.StatusOK {
				t.Fatal(turn.action, r.Status, r.Body)
			}
			was := before
			if before, lines, _ = read(); before == was {
				t.Errorf("%s: the channel is the same after %s", c.create, turn.action)
			}
			live(turn.says, 2)
		}
		w.As("dave").Post(channel, governance.PostMessage.Name, param.Input{"text": "I say yes: " + url})
		_, lines, _ = read()
		live(c.turns[len(c.turns)-1].says, 3)
	}
	if body := w.As("erin").Get(channel, "text/markdown").Body; strings.Contains(body, "Hears everything") {
		t.Error("the channel shows a secret nomination")
	}
}

// TestChannelOffersItems checks that a channel offers to create items of each kind that it can carry, and does not
// show a draft.
func TestChannelOffersItems(t *testing.T) {
	w := webtest.New(t)
	channel := w.URL("channel team")
	w.As("bob").Post(channel, actions.CreateNote.Name, param.Input{"title": "Not yet", "text": "Hm.", "draft": true})
	body := w.As("bob").Get(channel, "text/markdown").Body
	if strings.Contains(body, "Not yet") {
		t.Error("the channel shows a draft")
	}
	for _, kind := range []string{"decision", "note", "commitment", "topic", "election"} {
		if !strings.Contains(body, fmt.Sprintf(`"create_%s"`, kind)) {
			t.Errorf("the channel does not offer to create a %s", kind)
		}
	}
}

// TestMessagesFloodNothing posts fifty messages in a studio. The lists and counts on its other pages do not change.
func TestMessagesFloodNothing(t *testing.T) {
	w := webtest.New(t)
	urls := []string{w.URL("team"), w.URL("cycle week"), w.URL("team") + "/cycles", "/orgs/acme/open",
		"/studios/team/decisions"}
	read := func(u string) string {
		body := w.As("scribe").Get(u, "text/markdown").Body
		return regexp.MustCompile(`(?m)^version: .*\n| \(\d+ new\)`).ReplaceAllString(body, "")
	}
	before := map[string]string{}
	for _, u := range urls {
		before[u] = read(u)
	}
	for i := range 50 {
		w.As("bob").Post(w.URL("channel team"), governance.PostMessage.Name,
			param.Input{"text": fmt.Sprint("Word number ", i)})
	}
	for _, u := range urls {
		if after := read(u); after != before[u] {
			t.Errorf("%s was\n%s\nand is\n%s", u, before[u], after)
		}
	}
	channel := w.As("scribe").Get(w.URL("channel team"), "text/markdown").Body
	if strings.Count(channel, "> Word number") != 20 || !strings.Contains(channel, "\nnext: ") {
		t.Errorf("the channel has not its last 20 messages, and a next page:\n%s", channel)
	}
}

// TestReactingReturns sends the forms with which people react in a channel. The answer redirects to the channel that
// the form names in _then. If _then is another site or no page, the answer redirects to the message.
func TestReactingReturns(t *testing.T) {
	w := webtest.New(t)
	message, channel := w.URL("message hello"), w.URL("channel team")
	for then, want := range map[string]string{channel: channel, "https://elsewhere.example/": message,
		"//elsewhere.example": message, "/nothing/here": message} {
		w.As("dave").Post(message, governance.RemoveReaction.Name, param.Input{"reaction": "👍"})
		r := w.As("dave").Post(message, governance.AddReaction.Name, param.Input{"reaction": "👍", "_then": then})
		if r.Status != http.StatusSeeOther || r.Location() != want {
			t.Log(r.Body)
			t.Errorf("%s leads to %d %s, not %s", then, r.Status, r.Location(), want)
		}
	}
}

// TestLatestTalk checks that the page of a studio has the latest three messages of its channel for a person, without
// deleted ones and those that are pinned on the page, and none for an agent.
func TestLatestTalk(t *testing.T) {
	w := webtest.New(t)
	team := w.URL("team")
	w.As("erin").Post(w.URL("channel team"), governance.PostMessage.Name, param.Input{"text": "The *ladder* is free."})
	body := w.As("dave").Get(team, "text/markdown").Body
	_, talk, _ := strings.Cut(body, "\n## Channel\n")
	talk, _, _ = strings.Cut(talk, "\n## ")
	from := 0
	for _, want := range []string{"[Open the channel](", "@erin", "Do we keep the old chairs?", "@erin",
		"The ladder is free."} {
		i := strings.Index(talk[from:], want)
		if i < 0 {
			t.Fatalf("the latest messages have no %q after that:\n%s", want, talk)
		}
		from += i
	}
	for _, gone := range []string{"I did not mean", "Deleted", "archive", "under the mat"} {
		if strings.Contains(talk, gone) {
			t.Errorf("the latest messages have %q:\n%s", gone, talk)
		}
	}
	if html := w.As("dave").Get(team, "text/html").Body; !strings.Contains(html, `<section id="talk">`) {
		t.Error("HTML has no latest messages")
	}
	if body := w.As("scribe").Get(team, "text/markdown").Body; strings.Contains(body, "Open the channel") {
		t.Errorf("an agent has the latest messages:\n%s", body)
	}
}

// TestMessageWithFile posts a message with a file, as a form and as JSON. The composer has a field for the file.
func TestMessageWithFile(t *testing.T) {
	w := webtest.New(t)
	channel, dave := w.URL("channel team"), w.As("dave")
	post := governance.PostMessage.Name
	form := dave.Get(channel, "text/html").Body
	_, form, _ = strings.Cut(form, `id="write"`)
	form, _, _ = strings.Cut(form, "</form>")
	if i := strings.Index(form, `<details class="clip"><summary class="tool">`); i < 0 ||
		!strings.Contains(form[i:], `type="file"`) || !strings.Contains(form, `enctype="multipart/form-data"`) {
		t.Errorf("the composer takes no file:\n%s", form)
	}
	plan := param.Upload{Name: "plan.txt", Data: []byte("Sow on Mondays.")}
	if r := dave.Post(channel, post, param.Input{"text": "The plan.", "file": plan}); r.Status != http.StatusSeeOther {
		t.Fatalf("the message is not posted: %d\n%s", r.Status, r.Body)
	}
	r := w.As("scribe").PostJSON(channel, post, param.Input{"text": "Another plan.", "file": plan})
	if r.Status != http.StatusOK {
		t.Fatalf("the message of the agent is not posted: %s", r.Body)
	}
	dave.Post(channel, post, param.Input{"text": "No plan.", "file": param.Upload{}})
	body := dave.Get(channel, "text/markdown").Body
	if n := strings.Count(body, ", [1 file]("); n != 2 {
		t.Errorf("%d messages of the channel have a file, not 2:\n%s", n, body)
	}
	if r := dave.Form(channel, post, webtest.Call{Params: param.Input{"text": "It got lost.",
		"file": param.Upload{Name: "empty.txt"}}}); r.Status != http.StatusUnprocessableEntity ||
		!strings.Contains(r.Body, "is a file without content") {
		t.Errorf("a message with an empty file is answered %d:\n%s", r.Status, r.Body)
	}
	files := regexp.MustCompile(`/files/[0-9a-z]+`)
	message := regexp.MustCompile(`/studios/team/m/[0-9a-z]+#files`).FindAllString(body, -1)
	for _, m := range message {
		page := dave.Get(strings.TrimSuffix(m, "#files"), "text/markdown").Body
		if at := files.FindString(page); at == "" || dave.Get(at+"/download", "").Body != "Sow on Mondays." {
			t.Errorf("the message has no plan:\n%s", page)
		}
	}
}

// TestPeopleOfAStudio checks that the pages of a studio and of its channel list agents of its members for people, but
// none that has lost its token, and that agents get the same lists as before. The page of the studio lists its boards.
func TestPeopleOfAStudio(t *testing.T) {
	w := webtest.New(t)
	for _, page := range []string{"/studios/team", w.URL("channel team")} {
		body := w.As("erin").Get(page, "text/html").Body
		_, rail, _ := strings.Cut(body, `<div class="rail">`)
		for agent, listed := range map[string]bool{"Scribe": true, "Scout": true, "Former": false} {
			if got := strings.Contains(rail, ">"+agent+"</a><span class=\"of\">"); got != listed {
				t.Errorf("%s: agent %s is listed: %v", page, agent, got)
			}
		}
		if md := w.As("scribe").Get(page, "text/markdown").Body; strings.Contains(md, "## Agents") {
			t.Errorf("%s as markdown:\n%s", page, md)
		}
	}
	board := w.As("erin").Post("/studios/team", "create_board", param.Input{"title": "Open day", "zones": []any{"Ideas"}}).Location()
	w.As("erin").Post(board, "add_card", param.Input{"zone": "Ideas", "title": "Cake"})
	first := "## Boards\n\n- [Open day](" + webtest.Origin + board + "): 1 card\n"
	if md := w.As("erin").Get("/studios/team", "text/markdown").Body; !strings.Contains(md, first) ||
		strings.Count(md, "[Open day](") != 1 {
		t.Errorf("the board is not at the side alone:\n%s", md)
	}
	if md := w.As("scribe").Get("/studios/team", "text/markdown").Body; strings.Contains(md, "## Boards") {
		t.Errorf("an agent's page has another list:\n%s", md)
	}
}
