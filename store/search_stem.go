package store

import (
	"slices"
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/german"
)

// stemmers are the Snowball stemmers (https://snowballstem.org) of the supported languages. A word gets a stem in each
// language, so that the language of a text need not be known. The program computes the stems, instead of the
// database, so that all databases find the same documents.
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

// sought is a term of a search. It finds every word that shares a stem with it, or only the equal word if it has no
// stems.
type sought struct {
	term  string
	stems []string
}

// sought returns the terms of a word or phrase of a search. Terms of phrases and of words in quotation marks have no
// stems.
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

// stems returns the stems of a word, or none if only the exact form of the word is to be found.
func (w SearchWord) stems() []string {
	if list := w.sought(); len(list) == 1 {
		return list[0].stems
	}
	return nil
}

// finds reports whether a term of a text equals the sought term or shares a stem with it. It returns false without
// computing stems if the first bytes of the terms differ, because stemmers do not change the first byte of a word.
func (s sought) finds(term string) bool {
	if term == s.term {
		return true
	}
	if len(s.stems) == 0 || term == "" || term[:1] != s.term[:1] {
		return false
	}
	return slices.ContainsFunc(stems(term), func(stem string) bool { return slices.Contains(s.stems, stem) })
}

// FoundWords returns a function that reports whether a word of a text matches a word of the search. The function is nil
// if the search has no words without Not.
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

func stemText(terms []string) string { return strings.Join(stemsOf(terms), " ") }
