package page

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"samepage/actions/param"
	"samepage/store/effort"
	"samepage/views/page/pagetest"
)

// slots returns a page and a context. Every string that a member can write in them is a slot with a
// name, and s returns the text for it.
func slots(s func(name string) string) (*Page, *Context) {
	c := &Context{
		Now:     now,
		Full:    true,
		As:      s("as"),
		Message: s("message"),
		Failure: s("failure"),
		Site:    s("site"),
		Home:    "/",
		Nav:     []Inline{Link(s("nav"), "/nav")},
		Side: &Sidebar{Name: s("organization"), Orgs: []Place{{Name: s("another organization"), URL: "/orgs/globex"}},
			Waiting: 2, Unread: 3, Asked: 1, Journal: "/orgs/acme/journal", Reader: s("reader"), SearchAt: "/search",
			Studios: []Place{{Name: s("studio"), URL: "/studios/a", Icon: "studio",
				Below: []Place{{Name: s("studio below"), URL: "/studios/b", Icon: "studio", News: true}}}},
			Agents: []Place{{Name: s("agent"), URL: "/orgs/acme/agents/a", Waits: true}}},
	}
	inlines := func(at string) []Inline {
		return Line(T(s(at+" start")), Strong(s(at+" strong")), T(s(at+" after strong")),
			T(s(at+" after text")), Mono(s(at+" mono")), Mono(s(at+" second mono")),
			Link(s(at+" link"), "/link"), Strong(s(at+" strong after link")),
			T(s(at+" text between")), Link(s(at+" second link"), "/second"), T("! "),
			When(now), T(s(at+" after time")), Strong(s(at+" strong again")),
			Strong(s(at+" and again")), Sentence(s(at+" sentence")))
	}
	p := &Page{
		URL:      "/page",
		Title:    s("title"),
		Kind:     s("kind"),
		Audience: s("audience"),
		Version:  s("version"),
		Next:     "/page?after=1",
		Trail:    []Inline{Link(s("trail"), "/studios/team"), Link(s("second trail"), "/studios/team/d")},
		State:    inlines("state"),
		Blocks: []Block{
			Para{T(s("para"))}, Para{Strong(s("para strong"))}, Para{Mono(s("para mono"))},
			Para{Link(s("para link"), "/x")}, Para{T("x "), T(s("para text"))},
			Para(inlines("para")), Banner{T(s("banner")), T(" "), Link(s("banner link"), "/x")},
			Warning(inlines("warning")),
			Prose{ID: "p1", Lead: Line(T("By "), T(s("prose lead")), T(", "), When(now)), Text: s("prose")},
			Prose{Text: s("bare prose")}, Prose{Lead: Line(T(s("whole lead"))), Text: s("second prose")},
			Section{ID: "s", Title: s("section"), Blocks: []Block{
				Facts{{s("label"), Line(T(s("fact")))}, {s("second label"), inlines("fact")}},
				List{Line(T(s("item"))), inlines("item"), Line(Strong(s("item strong"))),
					Line(T("1"), T(s("item after digit")))},
				News{{Place: inlines("place"), Pages: []Entry{{Name: inlines("news"), Note: inlines("note"), At: When(now)}}}},
				Stack{{Name: Line(AgentLink(s("agent link"), "/a"), T(s("after agent"))), State: Pill(s("pill"), Bad),
					Note: Line(T(s("entry note")), Extra("extra"))}},
				Tiles{{Title: s("tile"), URL: "/t", Say: "Say it."}},
				Flow{Names: []string{s("flow"), "b"}, Winner: func(int) bool { return false },
					Rounds: []FlowRound{{Votes: []int{2, 1}, Out: []int{1}}, {Votes: []int{2, 0}}}},
				Tree{{Line: Line(T(s("branch"))), Below: Tree{{Line: inlines("twig")},
					{Line: Line(Strong(s("leaf")))}}}},
				Table{Caption: s("caption"), Columns: []Column{{Title: s("column")},
					{Title: s("second column"), Number: true, Bar: true}, {Title: "x"}},
					Rows: []Row{
						{Key: "k1", Cells: [][]Inline{{T(s("cell"))}, {T(s("number"))}, inlines("cell")}},
						{Key: "k2", Mark: true, Cells: [][]Inline{{T(s("marked"))},
							{Mono(s("cell mono"))},
							{T("a "), T(s("second marked")), Link(s("marked link"), "/x")}}},
					}},
				Section{
					Title:  s("inner section"),
					Blocks: []Block{Prose{Lead: Line(T("By x")), Text: s("inner prose")}},
				},
			}},
			Details{ID: "d", Title: s("details"), Blocks: []Block{Code{Language: s("language"), Text: s("code")}}},
			Prose{Lead: Line(T("By x")), Text: s("last prose")},
			Para{T("After the [ref] and [^1].")},
		},
		Forms: []Form{{
			Name: "cast_vote", Title: s("action title"), Doc: s("action doc"), URL: "/page/actions/cast_vote",
			Errors: param.Errors{{Field: "", Message: s("error")}, {Field: "text", Message: s("field error")}},
			Fields: []param.Field{
				{Name: "text", Kind: param.Text, Doc: s("field doc"), Value: s("value") + "."},
				{Name: "choice", Kind: param.Choice, Options: []param.Option{
					{Value: "k1", Label: s("option")},
					{Value: "k2", Label: s("second option") + "."},
				}},
				{Name: "list", Kind: param.Lines, Values: []string{s("line"), s("second line")}},
			},
		}, {Name: "comment", Doc: s("second action doc"), URL: "/page/actions/comment"}},
	}
	return p, c
}

func slotNames() (names []string) {
	slots(func(name string) string { names = append(names, name); return "x" })
	return names
}

// optional reports whether the page omits the slot if its text is s.
func optional(slot, s string) bool {
	switch slot {
	case "as", "audience", "version", "message", "failure", "kind", "action doc",
		"second action doc", "field doc", "option", "second option", "error", "field error",
		"language":
		return strings.TrimSpace(clean(s, 0)) == ""
	}
	// A line leaves out an empty piece, and the pieces before and after it then meet.
	return strings.Trim(s, " \n\r\t\v\f\u00a0\u3000\u0085\u2028\u2029") == "" && slot != "para" && slot != "title"
}

// stride returns the distance between the cases to try. It is n in a short run, and under the race detector, which
// gains nothing from more cases. Otherwise it is 1.
func stride(t *testing.T, n int) int {
	if effort.All() && !effort.Racing {
		return 1
	}
	effort.LeftOut(t, "all but every %dth case, or all cases under the race detector", n)
	return n
}

func TestStructureDoesNotDependOnText(t *testing.T) {
	p, c := slots(func(string) string { return "x" })
	want := pagetest.Structure(string(p.AppendMarkdown(nil, c)))
	names := slotNames()
	bad, step := 0, stride(t, 12)
	for i, h := range pagetest.Hostile() {
		for j := i % step; j < len(names); j += step {
			slot := names[j]
			if optional(slot, h) || strings.HasPrefix(slot, "state ") ||
				strings.HasPrefix(slot, "fact ") { // these lines are written like those of "para "
				continue
			}
			p, c := slots(func(name string) string {
				if name == slot {
					return h
				}
				return "x"
			})
			page := string(p.AppendMarkdown(nil, c))
			if got := pagetest.Structure(page); got != want {
				t.Errorf("%s = %q changes the structure:\n%s", slot, h, difference(want, got))
				if bad++; bad > 20 {
					t.FailNow()
				}
			}
		}
	}
	t.Logf("%d strings in %d places", len(pagetest.Hostile()), len(names))
}

func TestStructureWithOneStringEverywhere(t *testing.T) {
	p, c := slots(func(string) string { return "x" })
	want := pagetest.Structure(string(p.AppendMarkdown(nil, c)))
	for _, h := range pagetest.Hostile() {
		if optional("kind", h) || optional("", h) {
			continue
		}
		p, c := slots(func(string) string { return h })
		if got := pagetest.Structure(string(p.AppendMarkdown(nil, c))); got != want {
			t.Errorf("%q everywhere changes the structure:\n%s", h, difference(want, got))
		}
	}
}

// TestCutProseStaysInItsQuotation checks that hostile prose does not change the structure of a page
// when it is cut at any line.
func TestCutProseStaysInItsQuotation(t *testing.T) {
	structure := func(s string) string {
		p := &Page{URL: "/x", Title: "x", Blocks: []Block{Prose{
			Lead: Line(T("By x")),
			Text: strings.Repeat(s+"\n", 3000/(utf8.RuneCountInString(s)+1)+2),
		}, Para{T("x [ref] [^1]")}},
			Forms: []Form{{Name: "act", Doc: "x"}}}
		return pagetest.Structure(string(p.AppendMarkdown(nil, &Context{Now: now})))
	}
	want := structure("x")
	for _, h := range pagetest.Hostile() {
		if got := structure("y" + h); got != want {
			t.Errorf("%q changes the structure:\n%s", h, difference(want, got))
		}
	}
}

// TestNaiveWriterFails checks that the tests above would detect a forgery. A writer that does not
// escape its texts must give a page with another structure.
func TestNaiveWriterFails(t *testing.T) {
	naive := func(s string) string {
		return fmt.Sprintf("---\nurl: \"/page\"\ntitle: \"%s\"\nactions: []\n---\n\n# %s\n\nState: "+
			"%s\n\nBy %s:\n\n> %s\n\n| a | b |\n| --- | --- |\n| %s | x |\n\n- %s\n\nx [ref]\n", s, s, s, s, s, s, s)
	}
	want := pagetest.Structure(naive("x"))
	caught := 0
	for _, h := range pagetest.Hostile() {
		if pagetest.Structure(naive(h)) != want {
			caught++
		}
	}
	if n := len(pagetest.Hostile()); caught < n/2 {
		t.Errorf("only %d of %d strings change a naive page", caught, n)
	}
}

// TestHTMLStructureDoesNotDependOnText checks for the HTML form that a member's text does not
// change the tags of a page.
func TestHTMLStructureDoesNotDependOnText(t *testing.T) {
	tags := func(s func(string) string) string {
		p, c := slots(s)
		return htmlTags(string(p.AppendHTML(nil, c)))
	}
	want := tags(func(string) string { return "x" })
	names := slotNames()
	step := 4 * stride(t, 5) // all slots use one escaping function, so not every pair is needed
	for i, h := range pagetest.Hostile() {
		for j := i % step; j < len(names); j += step {
			slot := names[j]
			if optional(slot, h) || slot == "language" || slot == "number" ||
				slot == "cell mono" { // a number draws a bar
				continue
			}
			got := tags(func(name string) string {
				if name == slot {
					return h
				}
				return "x"
			})
			if got != want {
				t.Fatalf("%s = %q changes the tags:\n%s", slot, h, difference(want, got))
			}
		}
	}
}

func difference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range b {
		if i >= len(a) || a[i] != b[i] {
			return "want " + strings.Join(a[min(i, len(a)):min(i+4, len(a))], " / ") +
				"\ngot  " + strings.Join(b[max(0, i-1):min(i+6, len(b))], " / ")
		}
	}
	return "shorter"
}
