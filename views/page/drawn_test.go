package page

import (
	"slices"
	"strings"
	"testing"
)

// TestFlowsOfVotes draws the votes of options that are eliminated in the same round, and of options that are
// eliminated one after another.
func TestFlowsOfVotes(t *testing.T) {
	nobody := func(int) bool { return false }
	both := Flow{Names: []string{"A", "B", "C", "D"}, Winner: nobody, Rounds: []FlowRound{{Votes: []int{4, 3, 2,
		1}, Out: []int{2, 3}},
		{Votes: []int{5, 5, 0, 0}}}}
	steps := Flow{Names: []string{"A", "B", "C", "D"}, Winner: nobody, Rounds: []FlowRound{{Votes: []int{4, 3,
		2, 1}, Out: []int{3}},
		{Votes: []int{4, 3, 3, 0}, Out: []int{2}}, {Votes: []int{5, 5, 0, 0}, Out: []int{1}}}}
	for _, c := range []struct {
		flow Flow
		want []string
	}{
		// The bars are 68, 51, 34 and 17 pixels high, with gaps of 12 pixels. The last two bars and their gap have 63
		// pixels.
		{both,
			[]string{`<path d="M160.0 165.0C380.0 165.0 380.0 90.0 600.0 90.0L600.0 107.0C380.0 107.0 380.0 228.0 160.0 228.0Z"/>`,
				`<path d="M160.0 165.0C380.0 165.0 380.0 170.0 600.0 170.0L600.0 204.0C380.0 204.0 380.0 228.0 160.0 228.0Z"/>`,
				`<path d="M160.0 102.0C380.0 102.0 380.0 119.0 600.0 119.0L600.0 170.0C380.0 170.0 380.0 153.0 160.0 153.0Z"/>`}},
		// In the last step, one vote of C goes to A and two go to B. D was eliminated in the step before.
		{steps,
			[]string{`M385.0 165.0C492.5 165.0 492.5 90.0 600.0 90.0L600.0 107.0C492.5 107.0 492.5 182.0 385.0 182.0Z`,
				`M385.0 182.0C492.5 182.0 492.5 170.0 600.0 170.0L600.0 204.0C492.5 204.0 492.5 216.0 385.0 216.0Z`}},
	} {
		got := inHTML(c.flow)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("no %s in\n%s", want, got)
			}
		}
	}
	late := Flow{Names: []string{"A", "B", "C", "D", "E"}, Winner: nobody, Rounds: []FlowRound{{Votes: []int{3,
		2, 2, 2, 1}, Out: []int{4}},
		{Votes: []int{3, 3, 2, 2, 0}, Out: []int{2, 3}}, {Votes: []int{5, 5, 0, 0, 0}}}}
	if got := inHTML(late); !strings.Contains(got,
		"M385.0 148.0C492.5 148.0 492.5 73.0 600.0 73.0L600.0 107.0C492.5 107.0 492.5 228.0 385.0 228.0Z") {
		t.Errorf("two options leave after another one:\n%s", got)
	}
	unvoted := Flow{Names: []string{"A", "B", "C", "D"}, Rounds: []FlowRound{{Votes: []int{2, 2, 0, 1},
		Out: []int{2, 3}}, {Votes: []int{2, 3, 0, 0}, Out: []int{0}}}}
	for _, c := range []struct {
		flow Flow
		want []int
	}{{both, []int{0, 1, 2, 3}}, {steps, []int{0, 1, 2, 3}}, {unvoted, []int{1, 0, 3}}} {
		if got := c.flow.order(); !slices.Equal(got, c.want) {
			t.Errorf("the order of %v is %v", c.flow.Rounds, got)
		}
	}
	for name, want := range map[string]string{strings.Repeat("é", mostLetters): strings.Repeat("é", mostLetters),
		strings.Repeat("é", mostLetters+1): strings.Repeat("é", mostLetters-1) + "…"} {
		if got := shortened(name); got != want {
			t.Errorf("the name %q is shortened to %q", name, got)
		}
	}
}

// TestMessages shows the reactions and the thread of a message, and the buttons of an open message.
func TestMessages(t *testing.T) {
	lead := Line(Who("@bob", "/@bob"))
	message := func(change func(*Said)) Page {
		s := Said{ID: "m1", URL: "/m/1", Lead: lead, Text: "Hi.", React: [2]string{"react", "emoji"},
			Unreact: [2]string{"unreact", "emoji"}}
		change(&s)
		return Page{Blocks: []Block{Talk{Title: "M", Blocks: []Block{s}}}}
	}
	const acts, quick = `<div class="acts"`, `<div class="quick" data-extra>`
	for _, c := range []shown{
		{name: "a thread", page: message(func(s *Said) { s.Thread = Line(Link("2 replies", "/m/1")) }),
			html: []string{`<p class="thread"><a href="/m/1">2 replies</a></p>`},
			md:   []string{"> Hi.\n\n[2 replies](/m/1)\n"}},
		{name: "reactions", page: message(func(s *Said) { s.Reactions = []Reaction{{"👍", 2, true}, {"🎉", 1, false}} }),
			md: []string{"\n👍 2 (yours) · 🎉 1\n"}, html: []string{`<span class="react" aria-hidden="true">👍 2`},
			noHTML: []string{"<form", acts}},
		{name: "reactions and a thread", page: message(func(s *Said) {
			s.Reactions, s.Thread = []Reaction{{"👍",
				2, false}}, Line(T("1 reply"))
		}),
			md: []string{"\n👍 2. 1 reply\n"}, html: []string{`<p class="vh">👍 2.</p>`}},
		{name: "open", page: message(func(s *Said) {
			s.Open, s.Reactions = true, []Reaction{{"👍", 2, true},
				{"🎉", 1, false}}
		}),
			html: []string{acts, quick, `action="/m/1/actions/unreact"`, `aria-pressed="true">👍 2`,
				`title="React with 🎉">🎉 1`},
			noHTML: []string{`title="React with 👍">👍 2`}},
		{name: "the same action for both", page: message(func(s *Said) {
			s.Open, s.Unreact, s.Reactions = true, s.React, []Reaction{{"👍", 2, true}}
		}), noHTML: []string{`aria-pressed="true" title`}},
		{name: "of the page itself", page: message(func(s *Said) { s.Open, s.Own = true, true }),
			html: []string{quick}, noHTML: []string{acts},
			no: []string{"[message]"}},
		{name: "on an action's page", page: func() Page {
			p := message(func(s *Said) { s.Open = true })
			p.Only = true
			return p
		}(), noHTML: []string{acts, quick}},
		{name: "without a picture", page: message(func(s *Said) { s.Lead = Line(T("Somebody")) }),
			noHTML: []string{"/avatars/"}},
	} {
		c.check(t)
	}
}
