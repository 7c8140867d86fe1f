package store

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The score of a title is a sum of points. Each of the [search.titleTerms] gives wordPoints if it is in the title, and
// formPoints if only another form of it is. A search with several terms also gives orderPoints if the title has all of
// them as one phrase. Documents with equal scores are sorted by age, newest first. Words in the text give no points,
// because the texts of all matches would have to be read for that.
const (
	wordPoints  = 3
	formPoints  = 2
	orderPoints = 2
)

// hit is the number of a matching document with the document's score.
type hit struct {
	n     int64
	score int
}

// compare orders hits by score, highest first, and hits with equal scores by age, newest first.
func (h hit) compare(o hit) int {
	if h.score != o.score {
		return o.score - h.score
	}
	if h.n > o.n {
		return -1
	}
	if h.n < o.n {
		return 1
	}
	return 0
}

// String formats the hit as the cursor of a page of results, for a URL.
func (h hit) String() string { return strconv.Itoa(h.score) + "-" + strconv.FormatInt(h.n, 10) }

func readHit(s string) (h hit, ok bool) {
	score, n, ok := strings.Cut(s, "-")
	var err, nerr error
	h.score, err = strconv.Atoi(score)
	h.n, nerr = strconv.ParseInt(n, 10, 64)
	return h, ok && err == nil && nerr == nil
}

// ranked adds matches to the page in the order of relevance, after the cursor in the parameter after. It ranks only the
// newest [searchRanked] matches.
func (s *search) ranked(after string) error {
	hits, err := s.hits()
	if err != nil {
		return err
	}
	if after != "" {
		last, ok := readHit(after)
		if !ok {
			return Errorf(Invalid, "These results cannot go on from %q. Search again.", after)
		}
		hits = slices.DeleteFunc(hits, func(h hit) bool { return h.compare(last) <= 0 })
	}
	p := s.page
	for len(hits) > 0 {
		ids := make([]int64, min(len(hits), s.batch()))
		score := map[int64]int{}
		for i := range ids {
			ids[i] = hits[i].n
			score[ids[i]] = hits[i].score
		}
		hits = hits[len(ids):]
		found, err := s.load(ids, len(ids))
		if err != nil {
			return err
		}
		for _, r := range found {
			if len(p.Results) == searchLimit {
				return nil
			}
			p.Results = append(p.Results, r)
			p.Next = hit{r.N, score[r.N]}.String()
		}
	}
	p.Next = ""
	return nil
}

// hits returns the newest matches with their scores, highest first.
func (s *search) hits() ([]hit, error) {
	ids, err := s.find(s.span(0), searchFew, false)
	if err == nil && len(ids) == searchFew {
		ids, err = s.find(s.span(0), searchRanked, true)
	}
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	hits := make([]hit, len(ids))
	place := make(map[int64]int, len(ids))
	for i, n := range ids {
		place[n], hits[i].n = i, n
	}
	wanted := s.titleTerms()
	for part := range slices.Chunk(ids, titlesBatch) {
		titles, err := s.tx.titles(part)
		if err != nil {
			return nil, err
		}
		for i := range titles {
			hits[place[titles[i].N]].score = score(strings.Fields(titles[i].Title), wanted)
		}
	}
	slices.SortFunc(hits, hit.compare)
	return hits, nil
}

// titleTerms returns the terms of the search that count for the score of a title.
func (s *search) titleTerms() []sought {
	var list []sought
	for _, w := range s.words {
		if !w.Not && w.In != "text" {
			list = append(list, w.sought()...)
		}
	}
	return list
}

func score(terms []string, wanted []sought) int {
	n := 0
	for _, s := range wanted {
		switch {
		case slices.Contains(terms, s.term):
			n += wordPoints
		case slices.ContainsFunc(terms, s.finds):
			n += formPoints
		}
	}
	same := func(term string, s sought) bool { return term == s.term }
	for i := range terms {
		if len(wanted) > 1 && len(terms)-i >= len(wanted) && slices.EqualFunc(terms[i:i+len(wanted)], wanted, same) {
			return n + orderPoints
		}
	}
	return n
}

const titlesBatch = 500

var titlesQuery = `SELECT n, title FROM documents WHERE title <> '' AND n IN (` + Placeholders(titlesBatch) + `)`

// titles loads the titles of the documents with these numbers. Comments have no title and are left out.
func (tx *Tx) titles(ids []int64) ([]document, error) {
	args := make([]any, titlesBatch)
	for i := range args {
		args[i] = int64(-1)
		if i < len(ids) {
			args[i] = ids[i]
		}
	}
	return All[document](tx, titlesQuery, args...)
}

// SearchTerms returns the words of a text in lower case and without accents. A word is a run of letters and digits.
func SearchTerms(text string) []string {
	return strings.FieldsFunc(Fold(text), func(r rune) bool { return !IsTermRune(r) })
}

// IsTermRune reports whether r can be a part of a word: a letter, a number, a nonspacing mark or a private-use
// character.
func IsTermRune(r rune) bool {
	if r < utf8.RuneSelf {
		return '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Co, r)
}

// Fold returns a text in lower case and without accents.
func Fold(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return strings.ToLower(text)
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		least := r // the least of the runes that differ from r only in case; it makes a final sigma equal to a sigma
		for s := unicode.SimpleFold(r); s != r; s = unicode.SimpleFold(s) {
			least = min(least, s)
		}
		return unicode.ToLower(least)
	}, norm.NFD.String(text))
}
