package store

import (
	"slices"
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/german"
)

// stemmers are the Snowball stemmers (https://snowballstem.org) of the languages in which a word finds its
// other forms. A word gets a stem in each language, so that the language of a text need not be known. The
// program computes the stems, not the database, so that all databases find the same documents.
var stemmers = []func(*snowballstem.Env) bool{english.Stem, german.Stem}

// maxStemmed is the length, in bytes, of the longest term that has stems.
const maxStemmed = 64

// stems returns the distinct stems of a term. It returns none for a term longer than [maxStemmed], which therefore
// matches only its exact form.
func stems(term string) []string {
	if len(term) > maxStemmed {
		return nil
	}
	if !strings.ContainsFunc(term, unicode.IsLetter) {
		return []string{term}
	}
	list := make([]string, 0, len(stemmers))
	for _, stem := range stemmers {
		env := snowballstem.NewEnv(term)
		stem(env)
		if s := Fold(env.Current()); s != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// SearchStems returns the distinct stems of the words of a text.
func SearchStems(text string) []string { return stemsOf(SearchTerms(text)) }

func stemsOf(terms []string) []string {
	var list []string
	words, known := map[string]bool{}, map[string]bool{}
	for _, term := range terms {
		if words[term] {
			continue
		}
		words[term] = true
		for _, s := range stems(term) {
			if !known[s] {
				known[s] = true
				list = append(list, s)
			}
		}
	}
	return list
}

// sought is a term of a search. If it has stems, it finds every word that shares a stem with it, and otherwise
// only the same word.
type sought struct {
	term  string
	stems []string
}

// sought returns the terms of a word of a search. The terms of a phrase, and of a word in quotation marks, have
// no stems, so that only their exact form is found.
func (w SearchWord) sought() []sought {
	terms := SearchTerms(w.Text)
	list := make([]sought, len(terms))
	for i, term := range terms {
		list[i].term = term
		if len(terms) == 1 && !w.Exact {
			list[i].stems = stems(term)
		}
	}
	return list
}

// stems returns the stems by which a word is found. It returns none if only the exact form of the word is
// found.
func (w SearchWord) stems() []string {
	if list := w.sought(); len(list) == 1 {
		return list[0].stems
	}
	return nil
}

// finds reports whether a term of a text is the sought term or has a stem in common with it. Stemmers do not
// change the first byte of a word. Terms with different first bytes are therefore different, and their stems
// need not be computed.
func (s sought) finds(term string) bool {
	if term == s.term {
		return true
	}
	if len(s.stems) == 0 || term == "" || term[:1] != s.term[:1] {
		return false
	}
	return slices.ContainsFunc(stems(term), func(stem string) bool { return slices.Contains(s.stems, stem) })
}

// FoundWords returns a function that reports whether a word of a text matches one of the words of a search. It
// is nil if no word of the search can match.
func FoundWords(words []SearchWord) func(word string) bool {
	var list []sought
	for _, w := range words {
		if !w.Not {
			list = append(list, w.sought()...)
		}
	}
	if list == nil {
		return nil
	}
	return func(word string) bool {
		term := Fold(word)
		return slices.ContainsFunc(list, func(s sought) bool { return s.finds(term) })
	}
}

// stemText returns the stems of the terms, joined by spaces.
func stemText(terms []string) string { return strings.Join(stemsOf(terms), " ") }
