package card

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"samepage/views/page"
)

var keep = flag.String("keep", "", "a folder to keep the pictures in")

var monday = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

var samples = map[string]*page.Preview{
	"open": {Title: "Should we adopt weekly stand-ups?", Kind: "Decision", State: "Open",
		Tone: page.Live, Count: "4 of 6 voted", Until: "closes", At: monday, By: "@bob",
		Place: "Team"},
	"long": {Title: "Which of the many names that were proposed for the cat that visits the office on " +
		"Thursdays do we want to see on the little door in the garden from next spring on, and who paints it?",
		Kind: "Decision", State: "Decided", Tone: page.Good, Count: "6 of 6 voted",
		By:    "Scribe, agent of @alice",
		Place: "Facilities, gardens, doors and everything that is painted at least once a year, or more"},
	"word": {Title: strings.Repeat("Donaudampfschifffahrt", 12), Kind: "Post", State: "Published", By: "@carol", Place: "Team"},
	"overdue": {Title: "Renew the certificate", Kind: "Reminder", State: "Overdue", Tone: page.Late,
		Until: "was due", At: monday, By: "@erin", Place: "Team"},
	"failed": {Title: "Clean the attic", Kind: "Commitment", State: "Did not come about",
		Tone: page.Bad, Count: "2 joined", By: "@dave", Place: "Attic"},
	"greek": {
		Title: "Πού συναντιόμαστε; Где мы встречаемся? Où est-ce? 🎉",
		Kind:  "Decision",
		State: "Open",
		Tone:  page.Live,
		By:    "@bob",
		Place: "Команда",
	},
	"chinese": {Title: "我们应该每周开会吗?", Kind: "Decision", State: "Open", Tone: page.Live, Count: "4 of 6 voted", By: "@bob", Place: "团队"},
	"studio":  {Title: "Plaza", Kind: "Studio", Count: "3 people, 2 agents"},
	"generic": nil,
}

func TestCards(t *testing.T) {
	names := map[string]string{}
	for name, v := range samples {
		c := Of(v, time.UTC, "Meadow Workshop")
		data := drawn(t, c)
		if again := drawn(t, Of(v, time.UTC, "Meadow Workshop")); !bytes.Equal(data, again) {
			t.Errorf("%s: two pictures of one card differ", name)
		}
		if other, taken := names[c.Name()]; taken {
			t.Errorf("%s and %s have one name", name, other)
		}
		names[c.Name()] = name
		t.Logf("%-8s %6d bytes", name, len(data))
		if *keep != "" {
			if err := os.WriteFile(*keep+"/"+name+".png", data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// drawn returns a card's picture, after it has checked the dimensions and the size of the file.
func drawn(t interface {
	Helper()
	Fatal(...any)
	Errorf(string, ...any)
}, c Card) []byte {
	t.Helper()
	data, err := c.PNG()
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > MaxBytes {
		t.Errorf("%d bytes", len(data))
	}
	config, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil || config.Width != Width || config.Height != Height {
		t.Errorf("%v, %v", config, err)
	}
	return data
}

// TestWhatIsDrawn checks that letters missing from the fonts are never drawn as boxes, and that no
// word is drawn with letters left out.
func TestWhatIsDrawn(t *testing.T) {
	for text, want := range map[string]string{
		"Hello": "Hello", "  two \n words ": "two words",
		"Grüße, Ωμέγα, привет": "Grüße, Ωμέγα, привет", "Cafe\u0301": "Café", "Party 🎉 now": "Party now", "🎉": "", "": "",
		"会议": "", "Room 会": "", "שלום": "", "a\u202eb": "ab", "a\u200bb": "ab", "x\u0338y": "",
		"4 \u2764\ufe0f you": "4 you", "\x00a\x1b": "a", "\xffa": "a",
	} {
		if got := drawable(text); got != want {
			t.Errorf("%q is drawn as %q, want %q", text, got, want)
		}
	}
	c := Of(samples["chinese"], time.UTC, "会")
	if c.Title != "Decision" || c.Kind != "" || c.Place != "" || c.Site != "Samepage" {
		t.Errorf("%+v", c)
	}
}

// TestLinesFit checks that every line of a title fits on the card, and that nothing but the end of
// a long title is lost.
func TestLinesFit(t *testing.T) {
	p, err := newPainter(image.Rect(0, 0, 1, 1))
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{0, 1, 20, 50, 70, 90, 120, 200, 300}).Draw(t, "runes")
		title := drawable(rapid.StringOfN(rapid.RuneFrom([]rune("aiWM   .-ÅЖ")), n, n, -1).Draw(t, "title"))
		size, lines := p.fit(title, true, []float64{76, 58}, inside, 3)
		if len(lines) > 3 {
			t.Fatalf("%d lines", len(lines))
		}
		shown := strings.Join(lines, "")
		for _, line := range lines {
			if w := p.width(line, true, size); w > inside || !utf8.ValidString(line) || line == "" {
				t.Fatalf("%q is %.0f wide", line, w)
			}
		}
		all, cut := strings.ReplaceAll(title, " ", ""), strings.HasSuffix(shown, "…")
		if got := strings.ReplaceAll(strings.TrimSuffix(shown, "…"), " ", ""); !cut && got != all ||
			!strings.HasPrefix(all, got) {
			t.Fatalf("%q became %q", title, lines)
		}
	})
}

// TestHostileWords checks that any hostile text can be drawn.
func TestHostileWords(t *testing.T) {
	for _, text := range []string{strings.Repeat("W", 5000), strings.Repeat("\u0301", 5000),
		strings.Repeat("a\u202e", 300), "\x00\x01\xff", strings.Repeat("%s%n", 100),
		"</title><script>alert(1)</script>", strings.Repeat(" ", 3000) + "x",
		strings.Repeat("ﷺ", 200), strings.Repeat("@#&%ÅÇ", 400)} {
		drawn(t, Of(&page.Preview{
			Title: text,
			Kind:  text,
			State: "Open",
			Count: text,
			Until: text,
			At:    monday,
			By:    text,
			Place: text,
		}, nil, text))
	}
}

func BenchmarkCard(b *testing.B) {
	c := Of(samples["long"], time.UTC, "Meadow Workshop")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.PNG(); err != nil {
			b.Fatal(err)
		}
	}
}
