package web_test

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

var boxButton = regexp.MustCompile(`<button type="submit" role="checkbox" data-extra class="tickbox( done)?" aria-checked="(\w+)" ` +
	`form="f-(\w+)" name="box" value="(\d+)" aria-label="([^"]*)"></button>`)

// TestBoxesAreTicked ticks a box of a note with the button in its text, as a browser sends it. It then unticks the
// box as an agent does.
func TestBoxesAreTicked(t *testing.T) {
	w := webtest.New(t)
	u := w.URL("note post")
	boxes := func(who string) string {
		var list []string
		for _, m := range boxButton.FindAllStringSubmatch(w.As(who).Get(u, "text/html").Body, -1) {
			list = append(list, m[4]+" "+m[2]+" "+m[3]+" "+m[5])
		}
		return strings.Join(list, "; ")
	}
	const at = "1 true untick_box what was said; 2 false tick_box what was decided"
	if got := boxes("bob"); got != at {
		t.Fatalf("boxes: %s", got)
	}
	if got := boxes("erin"); got != "" {
		t.Errorf("a reader who may not edit the note has the boxes %s", got)
	}
	html := w.As("bob").Get(u, "text/html").Body
	form := regexp.MustCompile(`(?s)<form method="post" class="boxes" id="f-tick_box" action="([^"]+)"[^>]*>(.*?)</form>`).
		FindStringSubmatch(html)
	if form == nil {
		t.Fatal("no form")
	}
	in := param.Input{"box": "2"}
	for _, m := range regexp.MustCompile(`name="([^"]+)" value="([^"]+)"`).FindAllStringSubmatch(form[2], -1) {
		in[m[1]] = m[2]
	}
	if in["_if_version"] == nil || in["_idempotency_key"] == nil {
		t.Errorf("the form has only %v", in)
	}
	if r := w.As("bob").Form(u, "tick_box", webtest.Call{Params: in}); r.Status != 303 {
		t.Fatal(r.Status, r.Body)
	}
	if got := boxes("bob"); got != strings.Replace(at, "2 false tick_box", "2 true untick_box", 1) {
		t.Errorf("after the tick: %s", got)
	}
	in["_idempotency_key"] = "another"
	if r := w.As("bob").Form(u, "untick_box", webtest.Call{Params: in}); r.Status != 409 {
		t.Errorf("a tick on a text that has changed is answered %d", r.Status)
	}
	var page struct{ Version, Markdown string }
	if err := json.Unmarshal([]byte(w.As("alice").Get(u, "application/json").Body), &page); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.Markdown, "- [x] what was **decided**") {
		t.Errorf("markdown:\n%s", page.Markdown)
	}
	if r := w.As("bob").JSON(u, "untick_box", webtest.Call{Params: param.Input{"box": "2"}, Version: page.Version}); r.Status != 200 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if got := boxes("bob"); got != at {
		t.Errorf("after the tick was taken back: %s", got)
	}
}

// TestOddBoxes creates notes with boxes in unusual places. Each box has a button, except in notes in which the page and
// the actions might count the boxes differently. There the boxes are pictures, and the actions are in the menu.
func TestOddBoxes(t *testing.T) {
	w := webtest.New(t)
	for _, c := range []struct {
		text    string
		buttons int
	}{
		{"1. [ ] a\n2. [x] b\n   - [ ] c", 3},
		{"> - [ ] quoted\n\n- [X] loose\n\n- [ ] list", 3},
		{"- [ ] a\n\n```\n- [ ] code\n```\n\n- [x] b", 2},
		{"- [ ] a\n\n      - [ ] indented code", 0},
		{"- [ ] a\n\n<div>\n- [ ] b\n</div>", 2},
		{"[^1]\n\n[^1]: - [ ] note\n\n- [ ] a", 0},
		{"- a [ ] b\n- [] c", 0},
	} {
		r := w.As("bob").JSON(w.URL("team"), "create_note", webtest.Call{Params: param.Input{"title": "Boxes",
			"text": c.text}})
		var made struct{ URL string }
		err := json.Unmarshal([]byte(r.Body), &made)
		at, bad := url.Parse(made.URL)
		if err != nil || bad != nil || at.Path == "" {
			t.Fatal(r.Body)
		}
		html := w.As("bob").Get(at.Path, "text/html").Body
		if got := len(boxButton.FindAllString(html, -1)); got != c.buttons {
			t.Errorf("%q has %d buttons", c.text, got)
		}
		offered := strings.Contains(c.text, "- [ ]") && c.buttons == 0
		if menu := strings.Contains(html, `<a href="`+at.Path+`/actions/tick_box"`); menu != offered {
			t.Errorf("%q: in the menu is %v", c.text, menu)
		}
	}
}
