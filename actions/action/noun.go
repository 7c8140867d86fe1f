package action

import (
	"reflect"
	"strings"
	"unicode"
)

// Noun is a type of subjects, as help describes it.
type Noun struct {
	Name   string   // in words, in lower case
	Text   string   // one or two sentences that define it
	States []string // the states that a subject can have; may be empty
}

// nouns has the noun of each type of subjects, by name. It grows only while packages are initialized.
var nouns = map[string]*Noun{}

// Describe defines the noun of the subjects of type S, with the states that such a subject can have. The page of
// something has the same noun as the thing.
func Describe[S Subject](text string, states ...string) *Noun {
	n := nounFor[S]()
	if n.Text != "" {
		panic("the noun " + n.Name + " is described twice")
	}
	n.Text, n.States = text, states
	return n
}

// Undescribed lists the nouns of actions that nothing describes. A program with one does not start.
func Undescribed() (list []string) {
	for name, n := range nouns {
		if n.Text == "" {
			list = append(list, name)
		}
	}
	return list
}

func nounFor[S Subject]() *Noun {
	name := nounOf(reflect.TypeFor[S]())
	if nouns[name] == nil {
		nouns[name] = &Noun{Name: name}
	}
	return nouns[name]
}

// nounOf returns the name of a type of subjects in words. For the page of something, it returns the name of
// that thing.
func nounOf(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
		if t.Kind() == reflect.Struct && t.NumField() > 0 && t.Field(0).Anonymous && t.Field(0).Type.Kind() == reflect.Pointer {
			t = t.Field(0).Type
		}
	}
	name := strings.TrimSuffix(t.Name(), "Page")
	var words strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			words.WriteByte(' ')
		}
		words.WriteRune(unicode.ToLower(r))
	}
	return words.String()
}
