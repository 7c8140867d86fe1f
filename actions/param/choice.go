package param

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// choice decodes one offered option. The value is "" if none was sent.
func (f *Field) choice(raw any) (value, problem string) {
	if value, problem = optionName(raw); problem != "" {
		return "", problem + f.offered("; ")
	}
	if value == "" {
		return "", ""
	}
	return f.meant(value)
}

// meant returns the value of the option with this value or, if there is none, of the only option with this title.
func (f *Field) meant(name string) (value, problem string) {
	if f.Option(name) != nil {
		return name, ""
	}
	for i := range f.Options {
		switch o := &f.Options[i]; {
		case o.Label != name:
		case value != "":
			return "", fmt.Sprintf("cannot be %s: several options have that title%s", quote(name), f.offered("; "))
		default:
			value = o.Value
		}
	}
	if value == "" {
		return "", f.notOffered(name)
	}
	return value, ""
}

// choices decodes offered options, each at most once, in the order in which they were sent. If there is no problem,
// values is nil only if no list was sent.
func (f *Field) choices(raw any) (values []string, problem string) {
	switch v := raw.(type) {
	case []string:
		values = make([]string, 0, len(v))
		for _, s := range v {
			if values, problem = f.choose(values, s); problem != "" {
				return nil, problem
			}
		}
	case []any:
		values = make([]string, 0, min(len(v), len(f.Options)))
		for _, s := range v {
			if values, problem = f.choose(values, s); problem != "" {
				return nil, problem
			}
		}
	case map[string]any, bool, Upload:
		return nil, "must be a list of options, not " + typeName(raw) + f.offered("; ")
	default:
		if values, problem = f.choose(nil, raw); problem != "" {
			return nil, problem
		}
	}
	if len(values) == 0 {
		return values, ""
	}
	return values, f.length(len(values), "options")
}

// choose appends one option to the list values, and nothing for an empty name. Searching slices is faster than using
// maps for as many options as a person can read.
func (f *Field) choose(values []string, raw any) ([]string, string) {
	value, problem := optionName(raw)
	switch {
	case problem != "":
		return values, "has an item that " + problem + f.offered("; ")
	case value == "":
		return values, ""
	}
	if value, problem = f.meant(value); problem != "" {
		return values, problem
	}
	if slices.Contains(values, value) {
		return values, "names " + quote(value) + " twice"
	}
	return append(values, value), ""
}

// grid decodes a map from offered options to numbers, without options with an empty value. A problem mentions up to
// three bad cells.
func (f *Field) grid(raw any) (cells map[string]int, problem string) {
	var sent map[string]any
	switch v := raw.(type) {
	case nil:
		return nil, ""
	case map[string]any:
		sent = v
	case string:
		if strings.TrimSpace(v) == "" {
			return nil, ""
		}
	}
	if sent == nil {
		return nil, "must be an object from option to number, not " + typeName(raw) + f.offered("; ")
	}
	cells = make(map[string]int, min(len(sent), len(f.Options)))
	var bad []string
	strange := false
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		n, given, problem := whole(sent[name])
		option, unknown := f.meant(name)
		_, twice := cells[option]
		switch {
		case unknown != "":
			bad = append(bad, "has no option "+quote(name))
			strange = true
		case twice:
			bad = append(bad, "names "+quote(option)+" twice")
		case problem != "":
			bad = append(bad, "at "+quote(option)+" "+problem)
		case given:
			if problem := f.within(n); problem != "" {
				bad = append(bad, "at "+quote(option)+" "+problem)
			}
			cells[option] = n
		}
		if len(bad) == 3 {
			break
		}
	}
	if strange {
		bad = append(bad, f.offered(""))
	}
	return cells, strings.Join(bad, "; ")
}

// optionName returns the value of an option as text. It accepts a JSON number, because language models often send
// the values 1, 2 and 3 as numbers.
func optionName(raw any) (value, problem string) {
	if n, ok := raw.(json.Number); ok {
		return n.String(), ""
	}
	value, problem = str(raw)
	return strings.TrimSpace(value), problem
}

func (f *Field) notOffered(value string) string {
	if why, ok := f.Refused[value]; ok {
		return fmt.Sprintf("cannot be %s: it %s", quote(value), why)
	}
	return fmt.Sprintf("cannot be %s%s", quote(value), f.offered("; "))
}

// offered returns a list of the options in words, beginning with the text in the argument before. It returns "" for
// kinds of fields without options.
func (f *Field) offered(before string) string {
	switch f.Kind {
	case Choice, Choices, Grid:
	default:
		return ""
	}
	if len(f.Options) == 0 {
		return before + "there is nothing to choose here now"
	}
	names := make([]string, min(len(f.Options), maxListed))
	for i := range names {
		names[i] = f.Options[i].words()
	}
	return before + "the options are " + listed(names, len(f.Options))
}

// form returns a text about the accepted values, which can follow an error message. It is "" for kinds of fields that
// need none.
func (f *Field) form() string {
	switch {
	case f.Kind == Time:
		return ". " + TimeForms
	case f.Kind == Duration:
		return ". " + DurationForms
	case f.Kind == Grid && len(f.Options) > 0:
		return f.offered("; ") + "; send " + f.Example()
	}
	return f.offered("; ")
}

// words returns the option's value, followed by the label if it differs. Invisible characters are removed and a long
// label is cut, because a member may have written the label, and it appears in a sentence of the server.
func (o *Option) words() string {
	const most = 30
	label := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) || r == utf8.RuneError {
			return -1
		}
		return r
	}, oneLine(o.Label))
	if label == "" || strings.EqualFold(label, InWords(o.Value)) {
		return o.Value
	}
	if runes := []rune(label); len(runes) > most {
		label = strings.TrimSpace(string(runes[:most])) + "…"
	}
	return o.Value + " (" + label + ")"
}

const maxListed = 20

// listed joins at most maxListed of the names with commas. If total is larger, the text ends with the number of
// names that it leaves out.
func listed(names []string, total int) string {
	names = names[:min(len(names), maxListed)]
	s := strings.Join(names, ", ")
	if more := total - len(names); more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}
