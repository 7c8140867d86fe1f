package param

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The default limits of fields without a limit in their tags; see [Field.Limit].
const (
	MaxText     = 200      // runes of a text
	MaxMarkdown = 32 << 10 // runes of a markdown text
	MaxLines    = 50       // items of lines
	// runes of one of the lines, with any tag
	MaxLine = 200
	// a number or a grid cell; the minimum is 0 unless a tag has a lower one
	MaxNumber = 1_000_000_000
	MaxRef    = 2048    // runes of a ref: the maximum length of a URL (contracts.md §1)
	MaxSecret = 200     // runes of a secret
	MaxFile   = 8 << 20 // bytes of a file
)

// plan is the result of reflection on a params type, computed once.
type plan struct {
	fields []Field
	index  [][]int // of each field in the struct, for reflect.Value.FieldByIndex
}

// plans caches a *plan for each reflect.Type. A plan depends on the type alone.
var plans sync.Map

// Fields returns the fields that the struct type t declares, in its order. The slice is shared
// and must not be changed.
//
// A field's tags are param:"name,kind", param:"name,kind,optional" or, if it is also rarely
// needed, param:"name,kind,more"; doc:"…"; fill:"…" for values that browsers may fill in; and for
// kinds with a measure min:"1" and max:"2000". A choice, choices or grid with constant options
// may list them: options:"daily,weekly=Once a week". A struct embedded without a tag contributes
// its fields; param:"-" leaves a field out. A field _ struct{} continues the tags of the field
// above it, so that lines stay short: its doc and its options are appended.
//
// Fields panics on a wrong declaration, because the program must not start with one.
func Fields(t reflect.Type) []Field { return planOf(t).fields }

func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("param: %s is not a struct", t))
	}
	p := &plan{}
	p.add(t, t, nil)
	p.fields = p.fields[:len(p.fields):len(p.fields)] // an append by a caller must copy
	found, _ := plans.LoadOrStore(t, p)
	return found.(*plan)
}

func (p *plan) add(top, t reflect.Type, index []int) {
	for i := range t.NumField() {
		sf := t.Field(i)
		at := append(index[:len(index):len(index)], i)
		tag, tagged := sf.Tag.Lookup("param")
		switch {
		case tag == "-":
		case sf.Name == "_":
			if i == 0 || tagged || sf.Type != reflect.TypeFor[struct{}]() {
				panic(fmt.Sprintf("param: %s: a field _ continues the tags of the field above it; it is a struct{}", top))
			}
		case sf.Anonymous && !tagged && sf.Type.Kind() == reflect.Struct:
			p.add(top, sf.Type, at)
		case !tagged:
			panic(fmt.Sprintf(`param: %s.%s has no param tag; give it one, or param:"-"`, top, sf.Name))
		case !sf.IsExported():
			panic(fmt.Sprintf("param: %s.%s is not exported and so cannot be set", top, sf.Name))
		default:
			f, err := declared(sf, tag, tagsOf(t, i))
			if err == nil {
				for _, other := range p.fields {
					if other.Name == f.Name {
						err = fmt.Errorf("the name %q is taken by another field", f.Name)
					}
				}
			}
			if err != nil {
				panic(fmt.Sprintf("param: %s.%s: %v", top, sf.Name, err))
			}
			p.fields, p.index = append(p.fields, f), append(p.index, at)
		}
	}
}

// tags are the tags of a field and of the fields _ below it.
type tags []reflect.StructTag

func tagsOf(t reflect.Type, i int) tags {
	list := tags{t.Field(i).Tag}
	for i++; i < t.NumField() && t.Field(i).Name == "_"; i++ {
		list = append(list, t.Field(i).Tag)
	}
	return list
}

// lookup returns the values of the key in all tags, joined by sep, and whether there is one.
func (list tags) lookup(key, sep string) (value string, ok bool) {
	var values []string
	for _, tag := range list {
		if v, ok := tag.Lookup(key); ok {
			values = append(values, v)
		}
	}
	return strings.Join(values, sep), len(values) > 0
}

func declared(sf reflect.StructField, tag string, all tags) (Field, error) {
	words := strings.Split(tag, ",")
	if len(words) < 2 || len(words) > 3 || len(words) == 3 && words[2] != "optional" && words[2] != "more" {
		return Field{}, fmt.Errorf(`the tag param:%q is not "name,kind", "name,kind,optional" or "name,kind,more"`, tag)
	}
	doc, _ := all.lookup("doc", " ")
	f := Field{
		Name:     words[0],
		Kind:     Kind(words[1]),
		Doc:      doc,
		Fill:     sf.Tag.Get("fill"),
		Optional: len(words) == 3,
		More:     len(words) == 3 && words[2] == "more",
	}
	if !validName(f.Name) {
		return f, fmt.Errorf("the name %q is not [a-z][a-z0-9_]*", f.Name)
	}
	want, ok := goTypes[f.Kind]
	if !ok {
		return f, fmt.Errorf("there is no kind %q", f.Kind)
	}
	// A named string, such as store.Method, counts as a string; so do a named int and a named
	// bool.
	if sf.Type != want && (sf.Type.Kind() != want.Kind() || !basic(want.Kind())) {
		return f, fmt.Errorf("a %s is a Go %s, not a %s", f.Kind, want, sf.Type)
	}
	if strings.TrimSpace(f.Doc) == "" {
		return f, fmt.Errorf("the doc tag is missing: say in a sentence what to fill in")
	}
	return f, measure(&f, all)
}

// measure reads min, max and options, and refuses them for kinds without a meaning for them.
func measure(f *Field, all tags) error {
	for _, m := range []struct {
		key string
		to  *int
	}{{"min", &f.Min}, {"max", &f.Max}} {
		s, ok := all.lookup(m.key, " ")
		if !ok {
			continue
		}
		switch f.Kind {
		case Flag, Choice, Time, Duration:
			return fmt.Errorf("a %s has no %s", f.Kind, m.key)
		}
		n, err := strconv.Atoi(s)
		if err != nil || n == 0 && m.key == "max" || n < 0 && f.Kind != Number && f.Kind != Grid {
			return fmt.Errorf("%s:%q is not a number it could be", m.key, s)
		}
		*m.to = n
	}
	if limit := f.Limit(); f.Min > limit && limit != 0 {
		return fmt.Errorf("the least, %d, is more than the most, %d", f.Min, limit)
	}
	if list, ok := all.lookup("options", ","); ok {
		if f.Kind != Choice && f.Kind != Choices && f.Kind != Grid {
			return fmt.Errorf("a %s has no options", f.Kind)
		}
		for s := range strings.SplitSeq(list, ",") {
			value, label, ok := strings.Cut(s, "=")
			if !ok {
				label = inWords(value)
			}
			if value == "" || find(f.Options, value) >= 0 {
				return fmt.Errorf("options:%q has an empty or a repeated option", list)
			}
			f.Options = append(f.Options, Option{Value: value, Label: label})
		}
	}
	return nil
}

var goTypes = map[Kind]reflect.Type{
	Text:     reflect.TypeFor[string](),
	Markdown: reflect.TypeFor[string](),
	Lines:    reflect.TypeFor[[]string](),
	Number:   reflect.TypeFor[int](),
	Flag:     reflect.TypeFor[bool](),
	Choice:   reflect.TypeFor[string](),
	Choices:  reflect.TypeFor[[]string](),
	Grid:     reflect.TypeFor[map[string]int](),
	Ref:      reflect.TypeFor[string](),
	Time:     reflect.TypeFor[time.Time](),
	Duration: reflect.TypeFor[time.Duration](),
	Secret:   reflect.TypeFor[string](),
	File:     reflect.TypeFor[Upload](),
}

func basic(k reflect.Kind) bool { return k == reflect.String || k == reflect.Int || k == reflect.Bool }

func validName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || i > 0 && (c >= '0' && c <= '9' || c == '_')) {
			return false
		}
	}
	return s != ""
}
