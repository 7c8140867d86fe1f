package store_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"samepage/store"
)

func TestParseSearch(t *testing.T) {
	berlin := store.Location("Europe/Berlin")
	now := friday.In(berlin)
	for text, want := range map[string]store.SearchQuery{
		"":        {},
		"  a  b ": {Words: []store.SearchWord{{Text: "a"}, {Text: "b"}}},
		`"a b" -"c d" -e`: {Words: []store.SearchWord{{Text: "a b", Exact: true},
			{Text: "c d", Not: true, Exact: true}, {Text: "e", Not: true}}},
		`a"b`:                  {Words: []store.SearchWord{{Text: `a"b`}}},
		"x in:title":           store.SearchQuery{Words: []store.SearchWord{{Text: "x", In: "title"}}}.InColumn("title"),
		"http://x.org/y 12:30": {Words: []store.SearchWord{{Text: "http://x.org/y"}, {Text: "12:30"}}},
		"TODO: note:":          {Words: []store.SearchWord{{Text: "TODO:"}, {Text: "note:"}}},
		"- -- a-b":             {Words: []store.SearchWord{{Text: "a-b"}}},
		"type:Decision -is:due": {Type: []store.SearchFilter{{Value: "decision"}},
			Is: []store.SearchFilter{{Value: "due", Not: true}}},
		"by:@Bob studio:team": {By: []store.SearchFilter{{Value: "bob"}}, Studio: []store.SearchFilter{{Value: "team"}}},
		"in:comments":         {Type: []store.SearchFilter{{Value: "comment"}}},
		"before:2026-11-20":   {Before: time.Date(2026, 11, 20, 0, 0, 0, 0, berlin)},
		"after:3d sort:old":   {After: now.AddDate(0, 0, -3), Sort: "old"},
		`type:"note"`:         {Type: []store.SearchFilter{{Value: "note"}}},
	} {
		if want.Sort == "" {
			want.Sort = "new"
		}
		if text == `type:"note"` && store.Kinds["note"] == nil {
			continue
		}
		if got := store.ParseSearch(text, now); !reflect.DeepEqual(got, want) {
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
		got := store.ParseSearch(text+" word", now)
		if len(got.Problems) != 1 || !strings.Contains(got.Problems[0], says) {
			t.Errorf("%q: %q", text, got.Problems)
		}
		if !strings.HasPrefix(text, "a ") && len(got.Words) != 1 {
			t.Errorf("%q: the rest is not looked for: %+v", text, got)
		}
	}
	for text, problems := range map[string]int{"%": 1, "🌱 -&": 1, "% word": 0, "& is:open": 0, " ": 0, "sort:old": 0} {
		if got := store.ParseSearch(text, now).Problems; len(got) != problems {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestSearchParts(t *testing.T) {
	got := store.SearchParts(` a  "b c" -type:note by:"@bob" TODO: `)
	want := []store.SearchPart{{Text: "a"}, {Text: `"b c"`}, {Text: "-type:note", Key: "type"}, {Text: `by:"@bob"`, Key: "by"},
		{Text: "TODO:"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// FuzzSearch runs random searches. No text may cause an error, or a query with more than [store.MaxSearchTerms] words
// or filters.
func FuzzSearch(f *testing.F) {
	for _, text := range []string{"a", `"`, `-"`,
		"a OR b", "a* ^b NEAR(c d)", "{title}: x", "is:open -type:", "by:@ studio:\x00", "\xff", `title : "x"`,
		"before:99999w after:-1d", "ü-☃ 漢字"} {
		f.Add(text)
	}
	mustSearch(f)
	w := newWorld(f)
	f.Fuzz(func(t *testing.T, text string) {
		q := store.ParseSearch(text, friday)
		if len(q.Words) > store.MaxSearchTerms {
			t.Errorf("%d words", len(q.Words))
		}
		if len(q.Type)+len(q.Is)+len(q.By)+len(q.Studio) > store.MaxSearchTerms {
			t.Errorf("%d filters", len(q.Type)+len(q.Is)+len(q.By)+len(q.Studio))
		}
		err := w.Read(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Search(w.alice, text, "")
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}
