package param

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// These are the limits of fields without a limit in their tags.
const (
	MaxText     = 200      // characters
	MaxMarkdown = 32 << 10 // characters
	MaxLines    = 50       // lines
	// MaxLine is the greatest number of characters in one line. No tag can change it.
	MaxLine = 200
	// MaxNumber is the greatest value of a number or a grid cell.
	MaxNumber = 1_000_000_000
	MaxRef    = 2048    // characters; also the maximum length of a URL in web/wire
	MaxSecret = 200     // characters
	MaxFile   = 8 << 20 // bytes
)

type plan struct {
	fields []Field
	index  [][]int // index of each field for reflect.Value.FieldByIndex
}

// plans caches the *plan of each reflect.Type.
var plans sync.Map

// Fields returns the fields that the struct type t declares, in the order of the struct. Callers share the slice and
// must not change it. It panics on a wrong declaration.
//
// The tag of a field is param:"name,kind", or has a third word: optional, shown or more (see the package comment). The
// tag doc:"…" describes the field, and fill:"…" sets [Field.Fill]. The tag as:"…" sets [Field.As]. The tags min:"1" and
// max:"2000" set [Field.Min] and [Field.Max]. The tag options:"daily,weekly=Once a week" lists constant options of a
// choice, choices or grid. The tag needed:"position=objection" sets [Field.Needed]; the struct declares the choice
// above this field. An embedded struct without a tag contributes its fields, and param:"-" leaves a field out. A field
// _ struct{} continues the doc and the options of the field above it.
func Fields(t reflect.Type) []Field { return planOf(t).fields }

// Has reports whether one of the fields has the name.
func Has(fields []Field, name string) bool {
	return slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name })
}

func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("param: %s is not a struct", t))
	}
	p := &plan{}
	p.add(t, t, nil)
	p.fields = p.fields[:len(p.fields):len(p.fields)] // makes an append by a caller copy the slice
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
				panic(fmt.Sprintf("param: %s: a field _ continues the tags of the field above it; it is a struct{}",
					top))
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
				err = p.fits(&f)
			}
			if err != nil {
				panic(fmt.Sprintf("param: %s.%s: %v", top, sf.Name, err))
			}
			p.fields, p.index = append(p.fields, f), append(p.index, at)
		}
	}
}

func (p *plan) fits(f *Field) error {
	if Has(p.fields, f.Name) {
		return fmt.Errorf("the name %q is taken by another field", f.Name)
	}
	if f.Needed == "" {
		return nil
	}
	for i := range p.fields {
		if _, ok := f.NeededFor(&p.fields[i]); ok && f.Optional && p.fields[i].Kind == Choice {
			return nil
		}
	}
	return fmt.Errorf("needed:%q is no option of a choice above it, or the field is not optional", f.Needed)
}

// tags has the tags of a field and of the fields _ below it.
type tags []reflect.StructTag

func tagsOf(t reflect.Type, i int) tags {
	list := tags{t.Field(i).Tag}
	for i++; i < t.NumField() && t.Field(i).Name == "_"; i++ {
		list = append(list, t.Field(i).Tag)
	}
	return list
}

// lookup joins the values of a key in all tags with sep. It reports whether any tag has the key.
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
	if len(words) < 2 || len(words) > 3 || len(words) == 3 && !slices.Contains([]string{"optional", "shown", "more"},
		words[2]) {
		return Field{},
			fmt.Errorf(`the tag param:%q is not "name,kind" or that with ",optional", ",shown" or ",more"`, tag)
	}
	doc, _ := all.lookup("doc", " ")
	f := Field{
		Name:     words[0],
		Kind:     Kind(words[1]),
		Doc:      doc,
		Fill:     sf.Tag.Get("fill"),
		As:       sf.Tag.Get("as"),
		Needed:   sf.Tag.Get("needed"),
		Optional: len(words) == 3,
		Shown:    len(words) == 3 && words[2] == "shown",
		More:     len(words) == 3 && words[2] == "more",
	}
	if !validName(f.Name) {
		return f, fmt.Errorf("the name %q is not [a-z][a-z0-9_]*", f.Name)
	}
	want, ok := goTypes[f.Kind]
	if !ok {
		return f, fmt.Errorf("there is no kind %q", f.Kind)
	}
	// A field may have a named type whose underlying type is string, int or bool.
	if sf.Type != want && (sf.Type.Kind() != want.Kind() || !basic(want.Kind())) {
		return f, fmt.Errorf("a %s is a Go %s, not a %s", f.Kind, want, sf.Type)
	}
	if strings.TrimSpace(f.Doc) == "" {
		return f, fmt.Errorf("the doc tag is missing: say in a sentence what to fill in")
	}
	return f, measure(&f, all)
}

// measure reads the tags min, max and options. It returns an error for a tag that is invalid, or has no meaning for the
// kind of the field.
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
				label = InWords(value)
			}
			if value == "" || f.Option(value) != nil {
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
