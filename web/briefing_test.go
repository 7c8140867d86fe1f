package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"samepage/actions"
	"samepage/actions/governance"
	"samepage/actions/param"
	"samepage/store/pgtest"
	"samepage/web/webtest"
)

// TestBriefingsAreShort fills the world with long titles, hundreds of messages and texts in many scripts. Every
// briefing still has at most 4,000 characters of markdown for every actor, including the origin in its links.
func TestBriefingsAreShort(t *testing.T) {
	slow(t)
	pgtest.Folder(t, "it is about the length of pages, whose content TestMovedPagesAreTheSame compares")
	w := webtest.New(t)
	long := strings.Repeat("長い題名 👩‍👩‍👧‍👦 **x** [a](/b) | <b> ", 12)
	channel, topic, election := w.URL("channel team"), w.URL("topic clarification"), w.URL("election nomination")
	bob := w.As("bob")
	for i := range 500 {
		bob.Post(channel, governance.PostMessage.Name, param.Input{"text": fmt.Sprint(i, " ", long, "? \n",
			w.URL("standups"))})
	}
	for i := range 40 {
		w.As("erin").Post(topic, governance.Ask.Name, param.Input{"question": fmt.Sprint(i, " ", long)})
		bob.Post(w.URL("team"), actions.CreateDecision.Name, param.Input{"question": fmt.Sprint(i, " ", long[:150]),
			"options": fmt.Sprint(long[:100], "\n", i), "anonymous": i%2 == 0})
		w.As("alice").Post(w.URL("team")+"/roles", actions.CreateRole.Name, param.Input{"holder": "bob",
			"title": fmt.Sprint(i, " ", long[:60]), "mission": long})
	}
	for i := range 12 {
		bob.Post(topic, governance.Amend.Name, param.Input{"text": fmt.Sprint(strings.Repeat(long+"\n", 9), i)})
	}
	for _, page := range []string{w.URL("acme organization") + "/briefing", channel + "/digest", channel + "/digest?since=2d",
		channel + "/digest?since=" + url.QueryEscape(long), channel + "/digest?since=" + strings.Repeat("x", 1500), topic + "/briefing",
		w.URL("topic consent") + "/briefing", election + "/briefing", w.URL("election consent") + "/briefing",
		w.URL("@bob"), w.URL("@alice"), w.URL("@erin")} {
		for _, name := range []string{"alice", "bob", "erin", "scribe", "scout", "clerk", "reader", "carol"} {
			r := w.As(name).Ahead().Get(page, "text/markdown")
			if n := utf8.RuneCountInString(r.Body); r.Status == 200 && n > 4000 {
				t.Errorf("%s has %d characters for %s", page, n, name)
			}
		}
	}
	if body := bob.Ahead().Get(channel+"/digest?since=2d", "text/markdown").Body; !strings.Contains(body, "506 messages by ") {
		t.Errorf("the digest does not count 506 messages:\n%s", body)
	}
	for _, page := range []string{channel + "/digest", topic + "/briefing", w.URL("acme organization") + "/briefing", w.URL("@bob")} {
		body := bob.Ahead().Get(page, "text/markdown").Body
		if !strings.Contains(body, " more](") && !strings.Contains(body, " earlier](") {
			t.Errorf("%s does not say what it leaves out:\n%s", page, body)
		}
	}
}

// TestDigestTells reads the digest of a channel since a given time, and the digest of unread messages.
func TestDigestTells(t *testing.T) {
	w := webtest.New(t)
	channel := w.URL("channel team")
	say := func(by, text string) { w.As(by).Post(channel, governance.PostMessage.Name, param.Input{"text": text}) }
	message := func(title string) string {
		_, after, _ := strings.Cut(w.As("bob").Get(channel+"/digest?since=1h", "text/markdown").Body,
			"["+title+"]("+webtest.Origin)
		address, _, _ := strings.Cut(after, ")")
		return address
	}
	w.As("dave").Get(channel, "text/html")
	w.Clock.Advance(48 * time.Hour)
	say("bob", "Hello.\nI am on the roof. Does anybody have a ladder? See /x?y=1")
	say("bob", "Is it me?")
	w.As("erin").Post(message("Is it me?"), governance.AddReaction.Name, param.Input{"reaction": "👍"})
	say("erin", "Read /search?q=a and tell me.")
	w.As("erin").Post(w.URL("message hello"), actions.Comment, param.Input{"text": "Thanks."})
	body := w.As("dave").Ahead().Get(channel+"/digest", "text/markdown").Body
	for _, want := range []string{"3 messages by 2 people since ", "the first that you have not read",
		"## Asked, without a reply or a reaction\n\n- @bob: [Does anybody have a ladder?", "## Replies to what was said before",
		"1 new reply, the last by @erin"} {
		if !strings.Contains(body, want) {
			t.Errorf("the digest does not say %q:\n%s", want, body)
		}
	}
	if strings.Count(body, "Is it me?") != 1 || strings.Count(body, "and tell me.") != 1 {
		t.Errorf("the digest lists as unanswered what was answered, or asks nothing:\n%s", body)
	}
	if r := w.As("alice").Post(w.URL("message hello"), actions.Redact, param.Input{"comment": "1"}); r.Status >= 400 {
		t.Fatal(r.Body)
	}
	if body = w.As("dave").Ahead().Get(channel+"/digest", "text/markdown").Body; strings.Contains(body, "new reply") {
		t.Errorf("a removed reply is new:\n%s", body)
	}
	w.As("alice").Post(message("Hello."), actions.Comment, param.Input{"text": "I do."})
	if body = w.As("dave").Ahead().Get(channel+"/digest?since=yesterday", "text/markdown").Body; strings.Contains(body, "## Asked") {
		t.Errorf("an answered question counts as unanswered:\n%s", body)
	}
	w.Clock.Advance(time.Minute)
	if body = w.As("dave").Ahead().Get(channel+"/digest?since=0d", "text/markdown").Body; !strings.Contains(body, "No messages since") {
		t.Errorf("the digest since now says\n%s", body)
	}
	w.As("dave").Get(channel, "text/html")
	if body = w.As("dave").Ahead().Get(channel+"/digest", "text/markdown").Body; !strings.Contains(body, "You have read them all") {
		t.Errorf("the digest of one who has read all says\n%s", body)
	}
}

// TestBriefingsAreAsSecretAsTheirPages requests briefings of pages that the reader may not see, and gets none. The
// briefing of a topic in a public studio does not show visitors which members have not responded. The briefing of
// an election does not tell whom its reader has nominated.
func TestBriefingsAreAsSecretAsTheirPages(t *testing.T) {
	w := webtest.New(t)
	for _, page := range []string{w.URL("channel team") + "/digest", w.URL("topic consent") + "/briefing",
		w.URL("election consent") + "/briefing", w.URL("acme organization") + "/briefing"} {
		for _, name := range []string{"oscar", "anonymous"} {
			if r := w.As(name).Get(page, "text/markdown"); r.Status == 200 {
				t.Errorf("%s reads %s:\n%s", name, page, r.Body)
			}
		}
	}
	topic := w.URL("topic plaza")
	w.As("alice").Post(topic, governance.Advance.Name, nil)
	if body := w.As("alice").Get(topic+"/briefing", "text/markdown").Body; !strings.Contains(body, "## Have not responded") {
		t.Errorf("a member does not read who has not responded:\n%s", body)
	}
	if body := w.As("anonymous").Get(topic+"/briefing", "text/markdown").Body; strings.Contains(body, "## Have not responded") {
		t.Errorf("a visitor reads who is in the studio:\n%s", body)
	}
	body := w.As("bob").Get(w.URL("election nomination")+"/briefing", "text/markdown").Body
	if own := w.As("bob").Get(w.URL("election nomination"), "text/markdown").Body; !strings.Contains(own, "You have nominated @") ||
		strings.Contains(body, "You have nominated @") || !strings.Contains(body, "You have nominated.") {
		t.Errorf("the briefing tells of a nomination:\n%s", body)
	}
}
