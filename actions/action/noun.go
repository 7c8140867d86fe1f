package action

import (
	"reflect"
	"strings"
	"unicode"
)

// Noun describes a type of subjects on the help pages.
type Noun struct {
	Name   string   // in words, in lower case
	Text   string   // definition, in one or two sentences
	States []string // states of a subject; may be empty
}

// nouns grows only while packages are initialized.
var nouns = map[string]*Noun{}

// Describe defines the noun of the subjects of type S. A type and its page have the same noun: Decision and
// DecisionPage have the noun "decision".
func Describe[S Subject](text string, states ...string) *Noun {
	n := nounFor[S]()
	if n.Text != "" {
		panic("the noun " + n.Name + " is described twice")
	}
	n.Text, n.States = text, states
	return n
}

// Undescribed lists the nouns without a call of [Describe].
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

// nounOf returns the name of a type of subjects in words, such as "decision" for DecisionPage.
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
