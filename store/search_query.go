package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// SearchQuery is what somebody looks for, as [ParseSearch] reads it. Filters of one key are alternatives, but for Is, of which
// all must hold; those with Not must not.
type SearchQuery struct {
	Words            []SearchWord
	Type, Studio, By []SearchFilter
	Is               []SearchFilter
	Before, After    time.Time // zero: no bound; After is the first moment that counts
	Sort             string    // new, old or relevance
	Problems         []string  // what could not be read, each a sentence that says what would be right
	in               string    // the column of all words
	full             bool      // it was told that there is too much
}

// SearchWord is a word or a phrase. In is title, text, or empty for both.
type SearchWord struct {
	Text, In string
	Not      bool
}

// SearchFilter is a filter's value.
type SearchFilter struct {
	Value string
	Not   bool
}

// The values that filters of a fixed list take.
var (
	SearchStates = []string{"open", "closed", "draft", "due", "pinned", "mine"}
	SearchSorts  = []string{"new", "old", "relevance"}
	searchIn     = []string{"title", "text", "comments"}
)

// SearchTypes are the kinds of documents there are, items first.
func SearchTypes() []string {
	var list []string
	for _, k := range ItemKinds() {
		list = append(list, k.Name)
	}
	return append(list, strings.Fields("comment studio member role")...)
}

// maxSearchTerms is how many words are looked for, and how many filters count, which bounds what a search can cost.
const maxSearchTerms = 16

// Empty reports that nothing is looked for.
func (q *SearchQuery) Empty() bool {
	return len(q.Words)+len(q.Type)+len(q.Studio)+len(q.By)+len(q.Is) == 0 && q.Before.IsZero() && q.After.IsZero()
}

// ParseSearch reads the language of searches. It never fails: what cannot be read is left out and told in Problems. Days are
// those of the time zone of now.
func ParseSearch(text string, now time.Time) SearchQuery {
	q := SearchQuery{Sort: "new"}
	for text = strings.TrimLeftFunc(text, unicode.IsSpace); text != ""; text = strings.TrimLeftFunc(text,
		unicode.IsSpace) {
		var t searchToken
		t, text = nextToken(text)
		if !q.filter(t, now) {
			q.word(t)
		}
	}
	for i := range q.Words {
		q.Words[i].In = q.in
	}
	return q
}

// searchToken is a piece of a search: a word or a phrase, or the value of a key.
type searchToken struct {
	not        bool
	key, value string
	whole      string // as it was written, without the sign
}

// nextToken reads one token from a text that does not begin with white space. A quotation that is not closed ends with the text.
func nextToken(text string) (searchToken, string) {
	var t searchToken
	if len(text) > 1 && text[0] == '-' && !unicode.IsSpace(rune(text[1])) {
		t.not, text = true, text[1:]
	}
	if text[0] == '"' {
		value, rest, _ := strings.Cut(text[1:], `"`)
		t.whole = value
		return t, rest
	}
	end := strings.IndexFunc(text, unicode.IsSpace)
	if end < 0 {
		end = len(text)
	}
	key, value, ok := strings.Cut(text[:end], ":")
	if !ok || key == "" || strings.ContainsFunc(key, func(r rune) bool { return r < 'a' || r > 'z' }) {
		t.whole = text[:end]
		return t, text[end:]
	}
	if strings.HasPrefix(value, `"`) {
		value, rest, _ := strings.Cut(text[len(key)+2:], `"`)
		t.key, t.value, t.whole = key, value, key+" "+value
		return t, rest
	}
	t.key, t.value, t.whole = key, value, text[:end]
	return t, text[end:]
}

// searchKeys are the filters there are.
var searchKeys = []string{"type", "studio", "by", "is", "in", "before", "after", "sort"}

func (q *SearchQuery) problem(format string, args ...any) {
	q.Problems = append(q.Problems, fmt.Sprintf(format, args...))
}

// filter takes a token as a filter, and reports whether it is one.
func (q *SearchQuery) filter(t searchToken, now time.Time) bool {
	if t.key == "" || t.value == "" || strings.HasPrefix(t.value, "//") {
		return false
	}
	value := strings.ToLower(t.value)
	one := SearchFilter{Value: value, Not: t.not}
	if !q.fits(len(q.Type) + len(q.Studio) + len(q.By) + len(q.Is)) {
		return true
	}
	if t.not && slices.Contains([]string{"in", "before", "after", "sort"}, t.key) {
		q.problem("-%s: means nothing and was left out. Write %s: without the sign.", t.key, t.key)
		return true
	}
	switch t.key {
	case "type":
		if q.known(t, SearchTypes()) {
			q.Type = append(q.Type, one)
		}
	case "is":
		if q.known(t, SearchStates) {
			q.Is = append(q.Is, one)
		}
	case "sort":
		if q.known(t, SearchSorts) {
			q.Sort = value
		}
	case "in":
		switch {
		case !q.known(t, searchIn):
		case value == "comments":
			q.Type = append(q.Type, SearchFilter{Value: strings.TrimSuffix(value, "s")})
		default:
			q.in = value
		}
	case "studio":
		q.Studio = append(q.Studio, one)
	case "by":
		one.Value = strings.TrimPrefix(value, "@")
		q.By = append(q.By, one)
	case "before", "after":
		at, ok := moment(value, now)
		switch {
		case !ok:
			q.problem("%s:%s was left out: it is no time. Write a day such as %s:2026-11-20, or how long ago, "+
				"such as %s:3d.", t.key, t.value, t.key, t.key)
		case t.key == "before":
			q.Before = at
		default:
			q.After = at
		}
	default:
		q.problem("There is no filter %s:, so it was left out. There are %s. To look for the word, quote it.", t.key,
			listed(searchKeys, ":", "and"))
	}
	return true
}

func (q *SearchQuery) known(t searchToken, list []string) bool {
	if slices.Contains(list, strings.ToLower(t.value)) {
		return true
	}
	q.problem("%s:%s was left out. After %s: can stand %s.", t.key, t.value, t.key, listed(list, "", "or"))
	return false
}

// listed joins words with commas, and the last with a conjunction.
func listed(words []string, suffix, last string) string {
	return strings.Join(words[:len(words)-1], suffix+", ") + suffix + " " + last + " " + words[len(words)-1] + suffix
}

// moment reads a day, or how long ago: 12h, 3d, 2w.
func moment(s string, now time.Time) (time.Time, bool) {
	if day, err := time.ParseInLocation(time.DateOnly, s, now.Location()); err == nil {
		return day, true
	}
	n, err := strconv.Atoi(s[:len(s)-1])
	if err != nil || n < 0 || n > 10_000 {
		return time.Time{}, false
	}
	switch s[len(s)-1] {
	case 'h':
		return now.Add(-time.Duration(n) * time.Hour), true
	case 'd':
		return now.AddDate(0, 0, -n), true
	case 'w':
		return now.AddDate(0, 0, -7*n), true
	}
	return time.Time{}, false
}

// fits reports that there is room for another word or filter, and tells once that there is not.
func (q *SearchQuery) fits(n int) bool {
	if n >= maxSearchTerms && !q.full {
		q.full = true
		q.problem("Only the first %d words and %d filters count; the others were left out.", maxSearchTerms,
			maxSearchTerms)
	}
	return n < maxSearchTerms
}

// word takes a token as a word or a phrase. One without a letter or a digit is no word.
func (q *SearchQuery) word(t searchToken) {
	text := strings.Map(func(r rune) rune {
		if r == 0 {
			return -1
		}
		return r
	}, t.whole)
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return
	}
	if !q.fits(len(q.Words)) {
		return
	}
	q.Words = append(q.Words, SearchWord{Text: text, Not: t.not})
}
