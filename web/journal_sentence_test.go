package web_test

import (
	"regexp"
	"strings"
	"testing"

	"samepage/store"
	"samepage/web/webtest"
)

// TestJournalSentences checks the verbs of the journal's sentences. The verb of an entry is the past phrase that its
// action declares for the kind of the subject, or that of a declared event; see [store.EventVerb]. The test also checks
// the filters by people and agents.
func TestJournalSentences(t *testing.T) {
	w := webtest.New(t)
	past, declared := map[string]string{}, map[string]bool{}
	for _, p := range w.Site.Places() {
		for _, a := range p.Actions {
			if a.Past == "" && !a.Silent {
				t.Errorf("%s has no past phrase", a.Name)
			}
			past[a.Name+" "+a.Noun.Name], declared[a.Name] = a.Past, true
		}
	}
	var written []string
	if err := w.Store.Read(t.Context(), func(tx *store.Tx) error {
		return tx.Select(&written, `SELECT DISTINCT action FROM journal`)
	}); err != nil || len(written) == 0 {
		t.Fatal(err)
	}
	for _, name := range written {
		if !declared[name] && store.EventVerb(name) == "" {
			t.Errorf("the journal has entries of %s, whose verb nothing declares", name)
		}
	}
	text := wholeJournal(w.As("alice"))
	for want, verb := range map[string]string{
		"@frank commented on [Who waters the plants?]": past["comment decision"],
		"@alice, as owner, removed [Frank Fuchs]":      past["remove_member member"],
		"@kim began the membership of [Kim Kaya]":      "began the membership of",
		"@frank joined [Commons]":                      past["join studio"],
	} {
		if !strings.Contains(text, "- "+want) || !strings.Contains(want, " "+verb+" ") {
			t.Errorf("no %q with the verb %q in\n%s", want, verb, text)
		}
	}
	c := w.As("alice")
	for url, current := range map[string]string{"": "Everybody", "?by=people": "People", "?by=agent": "Agents"} {
		shown := regexp.MustCompile(` aria-current="true">(<svg .*?</svg>)?` + current + "</a>")
		if html := c.Get("/orgs/acme/journal"+url, "text/html").Body; !shown.MatchString(html) {
			t.Errorf("%q does not show %s as the current filter", url, current)
		}
	}
}

// wholeJournal returns all pages of Acme's journal.
func wholeJournal(c *webtest.Client) (text string) {
	older := regexp.MustCompile(`\[Older entries\]\(\S*(/orgs/acme/journal\?before=\d+)\)`)
	for at := []string{"", "/orgs/acme/journal"}; at != nil; {
		body := c.Get(at[1], "text/markdown").Body
		text += body
		at = older.FindStringSubmatch(body)
	}
	return text
}

// TestJournalOfNobody checks that the journal of a member that does not exist says so.
func TestJournalOfNobody(t *testing.T) {
	w := webtest.New(t)
	got := w.As("bob").Get("/orgs/acme/journal?member=zzz", "text/markdown").Body
	if !strings.Contains(got, "There is no member @zzz here") || strings.Contains(got, "Every change") {
		t.Errorf("the journal of nobody:\n%s", got)
	}
}
