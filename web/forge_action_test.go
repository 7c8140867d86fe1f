package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/store"
	"samepage/views/page/pagetest"
	"samepage/web/webtest"
)

// TestForgeByActions sends hostile texts with every action that accepts a text. An accepted text must leave every
// page with the same structure as a plain text does, and a refused one must get a proper error. Answers that repeat
// the input, such as prefilled forms and errors, are checked in the same way.
func TestForgeByActions(t *testing.T) {
	aboutContent(t)
	texts := append(some(t, "hostile texts", pagetest.Hostile()), "x", "X")
	const shards = 2
	var accepted, refused, echoed atomic.Int64
	t.Run("shard", func(t *testing.T) {
		for shard := range shards {
			t.Run(strconv.Itoa(shard), func(t *testing.T) {
				t.Parallel()
				plain, _, _ := say(t, "y")
				back := &echo{t: t, w: webtest.New(t)}
				want := back.all("y")
				for i := shard; i < len(texts); i += shards {
					if strings.Trim(texts[i], " \r\n\t\u00a0\x00") == "" {
						continue // the text is empty
					}
					shapes, yes, no := say(t, texts[i])
					accepted.Add(int64(yes))
					refused.Add(int64(no))
					unlike(t, texts[i], plain, shapes)
					got := back.all(texts[i])
					echoed.Add(int64(len(got)))
					unlike(t, texts[i], want, got)
				}
			})
		}
	})
	t.Logf("%d texts accepted by actions, %d refused, %d pages that repeat them", accepted.Load(), refused.Load(),
		echoed.Load())
}

// unlike fails the test for each page whose structure differs.
func unlike(t *testing.T, text string, want, got map[string]shape) {
	t.Helper()
	for name, g := range got {
		w := want[name]
		if g.markdown != w.markdown {
			t.Errorf("%q changes the structure of %s:\n%s", text, name, firstDifference(w.markdown, g.markdown))
		}
		if g.html != w.html {
			t.Errorf("%q changes the HTML of %s:\n%s", text, name, firstDifference(w.html, g.html))
		}
	}
}

// say sends a text with every action that accepts one, or sends y if the text is refused. It returns the shapes of
// the pages that show the text.
func say(t *testing.T, text string) (shapes map[string]shape, accepted, refused int) {
	t.Helper()
	w := webtest.New(t)
	do := func(actor, page, action string, in func(text string) param.Input) string {
		w.Clock.Advance(time.Second) // keeps the order of lists by time the same
		for _, s := range []string{text, "y"} {
			r := w.As(actor).JSON(page, action, webtest.Call{Params: in(s), Why: text})
			switch {
			case r.Status == http.StatusOK || r.Status == http.StatusAccepted:
				if s == text {
					accepted++
				}
				var done struct{ URL string }
				if err := json.Unmarshal([]byte(r.Body), &done); err != nil {
					t.Fatal(err)
				}
				return done.URL
			case r.Status == http.StatusUnprocessableEntity && s == text,
				r.Status == http.StatusBadRequest && s == text:
				refused++
			default:
				t.Fatalf("%s with %q is answered %d\n%s", action, s, r.Status, r.Body)
			}
		}
		return ""
	}
	u := do("alice", w.URL("team"), "create_decision", func(s string) param.Input {
		return param.Input{"question": s, "text": s, "options": []any{"One", "Two"}, "results": "shown"}
	})
	do("alice", u, "add_option", func(s string) param.Input { return param.Input{"title": s} })
	do("alice", u, "comment", func(s string) param.Input { return param.Input{"text": s} })
	do("bob", u, "cast_vote", func(s string) param.Input { return param.Input{"accept": "3", "reason": s} })
	do("alice", u, "pin", func(string) param.Input { return nil })
	do("alice", w.URL("open star"), "close_decision", func(s string) param.Input { return param.Input{"statement": s} })
	do("alice", w.URL("acme organization"), "create_studio", func(s string) param.Input {
		return param.Input{"handle": "new", "name": s, "description": s}
	})
	do("alice", w.URL("plaza"), "update_studio", func(s string) param.Input { return param.Input{"name": s} })
	do("alice", w.URL("acme organization")+"/settings", "update_settings", func(s string) param.Input {
		return param.Input{"name": s}
	})
	do("alice", w.URL("@alice"), "update_profile", func(s string) param.Input { return param.Input{"name": s} })
	do("alice", "/settings/tokens", "create_token", func(s string) param.Input {
		return param.Input{"label": "Agent " + store.PlainLabel(s), "scopes": "read"} // other labels are refused
	})
	n := do("alice", w.URL("team"), "create_note", func(s string) param.Input {
		return param.Input{"title": s, "text": s}
	})
	do("alice", n, "update_note", func(s string) param.Input { return param.Input{"title": "Other", "text": s} })
	held := do("clerk", w.URL("talk"), "comment", func(s string) param.Input { return param.Input{"text": s} })
	made := do("clerk", w.URL("team"), "create_note", func(s string) param.Input {
		return param.Input{"title": s, "text": s}
	})
	do("erin", held, "reject_request", func(s string) param.Input { return param.Input{"comment": s} })
	imported := do("alice", w.URL("team"), "import_decisions", func(s string) param.Input {
		file, err := json.Marshal(map[string]any{"id": s, "title": s, "source": s, "options": []string{s, "other"},
			"ballots": map[string]int{"12": 3}})
		if err != nil {
			t.Fatal(err)
		}
		return param.Input{"file": string(file)}
	})
	shapes = map[string]shape{}
	for name, page := range map[string]string{"the new decision": u, "its ballots": u + "/ballots", "the new note": n,
		"its versions": n + "/versions", "its second version": n + "/versions/2",
		"its form": u + "/actions/cast_vote", "team": w.URL("team"),
		"the closed decision": w.URL("open star"), "new": "/studios/new",
		"the organization": w.URL("acme organization"), "@alice": w.URL("@alice"),
		"the tokens": "/settings/tokens", "the approval": held, "the other approval": made,
		"the approvals": "/approvals?show=answered", "the imported decision": imported} {
		shapes[name] = shapeOf(t, w.As("alice").Ahead(), page)
	}
	return shapes, accepted, refused
}

var ids = regexp.MustCompile(`/(d|n|roles|agents|approvals)/[0-9a-z]{10}`)

// full returns the URL of a page that shows all texts in full.
func full(page string) string {
	if strings.Contains(page, "?") {
		return page + "&full=1"
	}
	return page + "?full=1"
}

func shapeOf(t *testing.T, c *webtest.Client, page string) shape {
	t.Helper()
	markdown, html := c.Get(full(page), "text/markdown"), c.Get(full(page), "text/html")
	if markdown.Status != http.StatusOK || html.Status != http.StatusOK {
		t.Errorf("%s answers %d and %d", page, markdown.Status, html.Status)
	}
	return shape{ids.ReplaceAllString(structure(markdown.Body), "/x/ID"), skeleton(t, html.Body)}
}

// echo requests pages that repeat parts of the request.
type echo struct {
	t *testing.T
	w *webtest.World
}

// all returns the shapes of the pages that repeat a text. It leaves out a page if the text is refused there for
// another reason than y would be.
func (e *echo) all(text string) map[string]shape {
	shapes := map[string]shape{}
	alice := e.w.As("alice").Ahead()
	link := url.Values{}
	for _, name := range []string{"question", "text", "method", "closes_at", "options", "default_option", "quorum",
		"majority", "draft", "unknown"} {
		link.Set(name, text)
	}
	for name, page := range map[string]string{"a filled-in form": e.w.URL("team") + "/actions/create_decision",
		"a filled-in ballot":          e.w.URL("open score") + "/actions/cast_vote",
		"a filled-in form of a token": "/settings/tokens/actions/create_token"} {
		values := link
		if name != "a filled-in form" {
			values = url.Values{"label": {text}, "scopes": {text}, "expires_in": {text}, "points.1": {text},
				"reason": {text}}
		}
		u := page + "?full=1&" + values.Encode()
		if len(u) > 2000 {
			continue // no URL is that long
		}
		r := alice.Get(u, "text/markdown")
		if r.Status != http.StatusOK {
			e.t.Errorf("%s with %q answers %d", name, text, r.Status)
		}
		shapes[name] = shape{structure(r.Body), skeleton(e.t, alice.Get(u, "text/html").Body)}
	}
	bad := param.Input{"question": "A question?", "method": text, "results": text, "closes_at": text, "quorum": text,
		"draft": text}
	for name, in := range map[string]param.Input{"errors beside their fields": bad,
		"an error about an unknown name": {"question": "A question?", text: 1}} {
		shapes[name] = e.refused(in, text)
		if shapes[name] == (shape{}) {
			delete(shapes, name)
		}
	}
	return shapes
}

// refused returns the shape of the answer to a call with wrong parameters. The shape is empty if more or fewer
// parameters are refused than with the value y.
func (e *echo) refused(in param.Input, text string) shape {
	alice, team := e.w.As("alice"), e.w.URL("team")
	var answer struct {
		Error struct{ Fields []struct{ Field string } }
	}
	r := alice.JSON(team, "create_decision", webtest.Call{Params: in, DryRun: true})
	if err := json.Unmarshal([]byte(r.Body), &answer); err != nil {
		e.t.Errorf("%q: %v", text, err)
	}
	if len(answer.Error.Fields) != max(len(in)-1, 1) {
		return shape{}
	}
	name := func(f struct{ Field string }) bool { return f.Field == "question" }
	if slices.ContainsFunc(answer.Error.Fields, name) {
		return shape{}
	}
	markdown := alice.JSON(team, "create_decision", webtest.Call{Params: in, DryRun: true, Accept: "text/markdown"})
	html := alice.JSON(team, "create_decision", webtest.Call{Params: in, DryRun: true, Accept: "text/html"})
	if markdown.Status != http.StatusUnprocessableEntity || html.Status != markdown.Status {
		e.t.Errorf("%q: %s", text, fmt.Sprint(markdown.Status, html.Status))
	}
	return shape{structure(markdown.Body), skeleton(e.t, html.Body)}
}
