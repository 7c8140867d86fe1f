package store

import (
	"slices"
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/german"
)

// stemmers are the Snowball stemmers of the languages in which a word finds its other forms
// (https://snowballstem.org). Every word has a stem in each language, so the language of a text need not be
// known. Stems are made here and not in the database, so that all databases find the same.
var stemmers = []func(*snowballstem.Env) bool{english.Stem, german.Stem}

// maxStemmed is the length, in bytes, of the longest term that has stems.
const maxStemmed = 64

// stems returns the distinct stems of a term, or none for a term that is found only as it is.
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

// sought is a term of a search: with stems it finds every word that has one of them, else only itself.
type sought struct {
	term  string
	stems []string
}

// sought returns the terms of a word of a search. A phrase, and a word in quotation marks, is found as it
// is.
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

// stems returns the stems by which a word is found, or none for one that is found as it is.
func (w SearchWord) stems() []string {
	if list := w.sought(); len(list) == 1 {
		return list[0].stems
	}
	return nil
}

// finds reports that the term of a text is the sought one, or that they have a stem in common. A stemmer
// keeps the beginning of a word, so that terms with another first byte are told apart without one.
func (s sought) finds(term string) bool {
	if term == s.term {
		return true
	}
	if len(s.stems) == 0 || term == "" || term[:1] != s.term[:1] {
		return false
	}
	return slices.ContainsFunc(stems(term), func(stem string) bool { return slices.Contains(s.stems, stem) })
}

// FoundWords returns a function that reports whether a word of a text is one that the search found.
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
