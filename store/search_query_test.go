package store

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestParseSearch(t *testing.T) {
	berlin := Location("Europe/Berlin")
	now := friday.In(berlin)
	for text, want := range map[string]SearchQuery{
		"":                     {},
		"  a  b ":              {Words: []SearchWord{{Text: "a"}, {Text: "b"}}},
		`"a b" -"c d" -e`:      {Words: []SearchWord{{Text: "a b"}, {Text: "c d", Not: true}, {Text: "e", Not: true}}},
		`a"b`:                  {Words: []SearchWord{{Text: `a"b`}}},
		"x in:title":           {Words: []SearchWord{{Text: "x", In: "title"}}, in: "title"},
		"http://x.org/y 12:30": {Words: []SearchWord{{Text: "http://x.org/y"}, {Text: "12:30"}}},
		"TODO: note:":          {Words: []SearchWord{{Text: "TODO:"}, {Text: "note:"}}},
		"- -- a-b":             {Words: []SearchWord{{Text: "a-b"}}},
		"type:Decision -is:due": {Type: []SearchFilter{{Value: "decision"}},
			Is: []SearchFilter{{Value: "due", Not: true}}},
		"by:@Bob studio:team": {By: []SearchFilter{{Value: "bob"}}, Studio: []SearchFilter{{Value: "team"}}},
		"in:comments":         {Type: []SearchFilter{{Value: "comment"}}},
		"before:2026-11-20":   {Before: time.Date(2026, 11, 20, 0, 0, 0, 0, berlin)},
		"after:3d sort:old":   {After: now.AddDate(0, 0, -3), Sort: "old"},
		`type:"note"`:         {Type: []SearchFilter{{Value: "note"}}},
	} {
		if want.Sort == "" {
			want.Sort = "new"
		}
		if text == `type:"note"` && kinds["note"] == nil {
			continue
		}
		if got := ParseSearch(text, now); !reflect.DeepEqual(got, want) {
			t.Errorf("%q\n\tgot  %+v\n\twant %+v", text, got, want)
		}
	}
	for text, says := range map[string]string{
		"type:thing":             "After type: can stand",
		"is:purple":              "open, closed, draft, due, pinned or mine",
		"author:bob":             "There is no filter author:",
		"before:soon":            "before:3d",
		"after:é":                "after:2026-11-20",
		"-sort:old":              "without the sign",
		strings.Repeat("a ", 17): "first 16 words",
	} {
		got := ParseSearch(text+" word", now)
		if len(got.Problems) != 1 || !strings.Contains(got.Problems[0], says) {
			t.Errorf("%q: %q", text, got.Problems)
		}
		if !strings.HasPrefix(text, "a ") && len(got.Words) != 1 {
			t.Errorf("%q: the rest is not looked for: %+v", text, got)
		}
	}
}

// FuzzSearch runs random searches: no text is an error, and all limits hold.
func FuzzSearch(f *testing.F) {
	for _, text := range []string{"a", `"`, `-"`,
		"a OR b", "a* ^b NEAR(c d)", "{title}: x", "is:open -type:", "by:@ studio:\x00", "\xff", `title : "x"`,
		"before:99999w after:-1d", "ü-☃ 漢字"} {
		f.Add(text)
	}
	mustSearch(f)
	w := newWorld(f)
	f.Fuzz(func(t *testing.T, text string) {
		q := ParseSearch(text, friday)
		if len(q.Words) > maxSearchTerms {
			t.Errorf("%d words", len(q.Words))
		}
		if len(q.Type)+len(q.Is)+len(q.By)+len(q.Studio) > maxSearchTerms {
			t.Errorf("%d filters", len(q.Type)+len(q.Is)+len(q.By)+len(q.Studio))
		}
		err := w.Read(t.Context(), func(tx *Tx) error {
			_, err := tx.Search(w.alice, text, "")
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}
