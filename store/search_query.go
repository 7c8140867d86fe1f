package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// SearchQuery is a parsed search. A matching document has all words, passes all filters of Is and the filters by:agent
// and by:people, and passes at least one of the other filters of each list. A word or filter with Not must not match.
type SearchQuery struct {
	Words            []SearchWord
	Type, Studio, By []SearchFilter
	Is               []SearchFilter
	Before, After    time.Time // zero for no limit; After is the earliest matching time
	Sort             string    // "new", "old" or "relevance"
	Problems         []string  // sentences about ignored parts of the search, and about values that do not exist
	in               string    // the column in which all words must be; empty for any column
	full             bool      // Problems has the sentence about too many words or filters
}

// SearchWord is a word or a phrase of a search. In is "title", "text", or empty for both. Exact is set for a word in
// quotation marks; other forms of the word then do not match.
type SearchWord struct {
	Text, In   string
	Not, Exact bool
}

// SearchFilter is one value of a filter. With Not, documents with the value are excluded.
type SearchFilter struct {
	Value string
	Not   bool
}

// These variables list the values of the filters is:, sort: and in:.
var (
	SearchStates = []string{"open", "closed", "draft", "due", "pinned", "mine"}
	SearchSorts  = []string{"new", "old", "relevance"}
	searchIn     = []string{"title", "text", "comments"}
)

// SearchTypes returns the values of the filter type:, with the kinds of items first.
func SearchTypes() []string {
	var list []string
	for _, k := range ItemKinds() {
		list = append(list, k.Name)
	}
	return append(list, strings.Fields("comment studio member role")...)
}

// maxSearchTerms limits the number of words, and of filters, in a search.
const maxSearchTerms = 16

// Empty reports whether the query has neither words nor filters that exclude documents.
func (q *SearchQuery) Empty() bool {
	return len(q.Words)+len(q.Type)+len(q.Studio)+len(q.By)+len(q.Is) == 0 && q.Before.IsZero() && q.After.IsZero()
}

// ParseSearch parses a search. It never fails, but puts sentences into Problems about the parts that it ignores. Words
// without letters and digits are a problem only if nothing else is searched. Dates are days in the time zone of the
// parameter now.
func ParseSearch(text string, now time.Time) SearchQuery {
	q, signs := SearchQuery{Sort: "new"}, false
	for text = strings.TrimLeftFunc(text, unicode.IsSpace); text != ""; text = strings.TrimLeftFunc(text,
		unicode.IsSpace) {
		var t searchToken
		t, text = nextToken(text)
		if !q.filter(t, now) && !q.word(t) {
			signs = true
		}
	}
	for i := range q.Words {
		q.Words[i].In = q.in
	}
	if signs && q.Empty() {
		q.problem("Only letters and digits are searched, and no other signs. Write a word.")
	}
	return q
}

// searchToken is one part of a search: a word, a phrase, or a filter with its key and value.
type searchToken struct {
	not, quoted bool
	key, value  string
	whole       string // the token as written, without a leading minus sign or quotation marks
}

// nextToken reads one token from a text that does not begin with white space, and returns the rest of the text. A
// quotation without a closing mark ends with the text.
func nextToken(text string) (searchToken, string) {
	var t searchToken
	if len(text) > 1 && text[0] == '-' && !unicode.IsSpace(rune(text[1])) {
		t.not, text = true, text[1:]
	}
	if text[0] == '"' {
		value, rest, _ := strings.Cut(text[1:], `"`)
		t.whole, t.quoted = value, true
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

// SearchPart is one part of a search as written. Key is the key of a filter, and empty for a word or a phrase.
type SearchPart struct{ Text, Key string }

// SearchParts splits a search into its parts.
func SearchParts(text string) []SearchPart {
	var list []SearchPart
	for text = strings.TrimLeftFunc(text, unicode.IsSpace); text != ""; text = strings.TrimLeftFunc(text, unicode.IsSpace) {
		t, rest := nextToken(text)
		part := SearchPart{Text: strings.TrimSpace(text[:len(text)-len(rest)])}
		if slices.Contains(searchKeys, t.key) && t.value != "" {
			part.Key = t.key
		}
		list = append(list, part)
		text = rest
	}
	return list
}

var searchKeys = []string{"type", "studio", "by", "is", "in", "before", "after", "sort"}

func (q *SearchQuery) problem(format string, args ...any) {
	q.Problems = append(q.Problems, fmt.Sprintf(format, args...))
}

// filter adds a token with a key to the filters. It returns false if the token is a word instead.
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
			joinWords(searchKeys, ":", "and"))
	}
	return true
}

func (q *SearchQuery) known(t searchToken, list []string) bool {
	if slices.Contains(list, strings.ToLower(t.value)) {
		return true
	}
	q.problem("%s:%s was left out. After %s: can stand %s.", t.key, t.value, t.key, joinWords(list, "", "or"))
	return false
}

// joinWords joins words, each followed by the suffix, with commas. The parameter last is the conjunction before the
// final word, such as "or".
func joinWords(words []string, suffix, last string) string {
	return strings.Join(words[:len(words)-1], suffix+", ") + suffix + " " + last + " " + words[len(words)-1] + suffix
}

// moment parses a day such as 2026-11-20, or an age such as 12h, 3d or 2w. It returns the beginning of the day, or now
// minus the age. It returns false for other text.
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

// fits reports whether a query with n words or filters may have another. It adds a problem the first time that it
// returns false.
func (q *SearchQuery) fits(n int) bool {
	if n >= maxSearchTerms && !q.full {
		q.full = true
		q.problem("Only the first %d words and %d filters count; the others were left out.", maxSearchTerms,
			maxSearchTerms)
	}
	return n < maxSearchTerms
}

// word adds a token to the query as a word or a phrase. It ignores a token without letters and digits, and returns false.
func (q *SearchQuery) word(t searchToken) bool {
	text := strings.Map(func(r rune) rune {
		if r == 0 {
			return -1
		}
		return r
	}, t.whole)
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return false
	}
	if q.fits(len(q.Words)) {
		q.Words = append(q.Words, SearchWord{Text: text, Not: t.not, Exact: t.quoted})
	}
	return true
}
