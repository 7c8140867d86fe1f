package page

import (
	"strings"
	"testing"

	"samepage/actions/param"
)

// TestReplies checks that replies follow the text that they answer in both forms. HTML has them inside of that text:
// folded in a conversation, and visible elsewhere.
func TestReplies(t *testing.T) {
	bob := Who("@bob", "/@bob")
	reply := []Block{Prose{ID: "c1", Lead: Line(bob), Text: "Later."}}
	said := Said{ID: "m", URL: "/m", Lead: Line(Who("@erin", "")), Text: "First.", Thread: Line(T("1 reply")), Replies: reply}
	prose := Prose{ID: "o", Lead: Line(Who("@erin", "")), Text: "First.", Under: reply}
	for _, s := range []shown{
		{name: "a message", page: of(said), html: []string{"<details class=\"thread\"><summary><span>1 reply</span></summary>\n" +
			"<div class=\"replies\">\n<div class=\"said\" id=\"c1\">"},
			md: []string{"> First.\n\n1 reply\n\n@bob:\n\n> Later.\n"}},
		{name: "a text", page: of(prose, Para(Line(T("After.")))), noHTML: []string{"<details"},
			html: []string{"</blockquote>\n<div class=\"replies\">\n<div class=\"said\" id=\"c1\">"},
			md:   []string{"> First.\n\n@bob:\n\n> Later.\n\nAfter.\n"}},
	} {
		s.check(t)
		var texts []string
		for text := range s.page.Texts {
			texts = append(texts, text)
		}
		if strings.Join(texts, " ") != "First. Later." {
			t.Errorf("%s: its texts are %q", s.name, texts)
		}
	}
}

// TestOptionHints checks that HTML shows the sentences of the help on a choice at the options with whose values they
// begin, and the other sentences above the options. Markdown has the help as it is.
func TestOptionHints(t *testing.T) {
	options := []param.Option{{Value: "consent", Label: "I consent"}, {Value: "stand_aside", Label: "I stand aside"},
		{Value: "objection", Label: "I object"}}
	for _, c := range []struct{ doc, rest, first, second string }{
		{"Consent if it is safe. Stand aside if you doubt.", "", "If it is safe", "If you doubt"},
		{"What you think. Stand aside if you doubt. It is public.", "What you think. It is public.", "", "If you doubt"},
		{"Consent.", "Consent.", "", ""},
		{"They Consent if it is safe.", "They Consent if it is safe.", "", ""},
		{"", "", "", ""},
	} {
		f := param.Field{Name: "position", Kind: param.Choice, Doc: c.doc, Options: options}
		said, rest := optionHints(&f)
		said = append(said, "", "", "")
		if rest != c.rest || said[0] != c.first || said[1] != c.second || said[2] != "" {
			t.Errorf("%q: %q and %q", c.doc, said, rest)
		}
	}
	respond := Form{Name: "respond", URL: "/x/actions/respond", Fields: []param.Field{{Name: "position", Kind: param.Choice,
		Doc: "Consent if it is safe.", Options: options}}}
	s := shown{name: "a choice", page: Page{Only: true, Forms: []Form{respond}},
		html: []string{`I consent <small>If it is safe</small></label>`, `I object</label>`}, noHTML: []string{"Consent if"},
		md: []string{". Consent if it is safe."}}
	s.check(t)
}

// TestSign checks that a pill has the icon of its tone, unless it has one of its own.
func TestSign(t *testing.T) {
	bad := Pill("open", Bad)
	for _, s := range []shown{
		{name: "a pill", page: of(Para(Line(bad))), html: []string{"#cross"}, md: []string{"\nopen\n"}},
		{name: "a pill with a sign", page: of(Para(Line(bad.Sign("objection")))), html: []string{"#objection"},
			md: []string{"\nopen\n"}, no: []string{"#cross"}},
	} {
		s.check(t)
	}
}

// TestPair checks that only HTML has the pictures above the title.
func TestPair(t *testing.T) {
	s := shown{name: "a pair", page: Page{Pair: Line(Who("@bob", ""), Who("Scribe, agent of @bob", ""))},
		html: []string{AvatarURL("@bob", ""), AvatarURL("Scribe", "@bob"), "</p>\n<h1>"}, noMD: []string{"bob", "Scribe"}}
	s.check(t)
}
