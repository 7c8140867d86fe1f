package page

import (
	"slices"
	"strconv"
	"strings"

	"samepage/actions/param"
)

// valueLimit is the maximum length of a field's filled-in value, in runes.
const valueLimit = 80

// actions writes the offered actions. They come after the body, because clients that cut a page cut out its middle.
func (w *mdWriter) actions(forms []Form) {
	if len(forms) == 0 {
		return
	}
	w.dst = append(w.dst, "\n## Actions\n\n"...)
	var rest []*Form
	short := false // whether some parameters are not described
	for i := range forms {
		f := &forms[i]
		if f.Known && w.short {
			continue
		}
		if !w.all() && (f.Side || f.Known) {
			rest = append(rest, f)
			continue
		}
		w.dst = append(w.dst, "- **"...)
		w.start, w.position = len(w.dst), inLine
		w.text(f.Name)
		w.dst = append(w.dst, "**"...)
		if f.Destructive {
			w.dst = append(w.dst, " (cannot be undone)"...)
		}
		w.sentence(": ", f.Doc)
		if w.allow.brief && len(f.Fields) > 0 {
			w.dst = append(w.dst, " Its parameters: "...)
			w.link("form", f.URL, w.c.Origin, w.p.URL)
			w.dst = append(w.dst, '\n')
			continue
		}
		w.errors(f.Errors, "", f.Fields)
		w.dst = append(w.dst, '\n')
		var brief []*param.Field
		for j := range f.Fields {
			if x := &f.Fields[j]; w.whole(f, x) {
				w.field(f, x)
			} else {
				brief = append(brief, x)
			}
		}
		w.briefly(brief)
		short = short || len(brief) > 0
	}
	w.others(rest, short, forms[0].URL)
}

// all reports whether every action is described with every field: on a page of actions, and on a page that is requested
// in full.
func (w *mdWriter) all() bool { return w.p.Only || w.c.Full }

// others writes the names of the actions in rest. If there are any, or if short says that some parameters are not
// described, it adds the address of the page that describes everything.
func (w *mdWriter) others(rest []*Form, short bool, url string) {
	names := make([]string, len(rest))
	for i, f := range rest {
		names[i] = f.Name
	}
	switch {
	case len(rest) > 0:
		w.dst = append(w.dst, "- also: "...)
		w.code(strings.Join(names, ", "))
		w.dst = append(w.dst, "; see "...)
	case short:
		w.dst = append(w.dst, "- every parameter: see "...)
	default:
		return
	}
	w.code(w.c.Origin + url[:strings.LastIndex(url, "/actions/")+len("/actions")])
	w.dst = append(w.dst, '\n')
}

func (w *mdWriter) field(form *Form, f *param.Field) {
	w.dst = append(w.dst, "  - "...)
	w.start, w.position = len(w.dst), inLine
	w.mono(f.Name)
	w.dst = append(w.dst, " ("...)
	if f.MayBeLeftOut() {
		w.dst = append(w.dst, "optional"...)
		switch f.Kind {
		case param.Text, param.Markdown, param.Number, param.Secret:
			w.dst = append(w.dst, ' ')
		default:
			w.dst = append(w.dst, ", "...)
		}
	}
	w.dst = appendTakes(w.dst, f)
	if example := f.Example(); example != "" {
		w.dst = append(w.dst, ", such as "...)
		w.code(example)
	}
	listed := len(f.Options) > 0
	if w.keyed(w.p.Blocks, f) == len(f.Options) && listed {
		w.dst = append(w.dst, " the keys above"...)
		listed = false
	}
	w.dst = append(w.dst, ')')
	if listed {
		w.dst = append(w.dst, ": "...)
		w.options(form, f)
	}
	switch {
	case f.Doc == "":
	case listed:
		w.sentence(". ", f.Doc)
	default:
		w.sentence(": ", f.Doc)
	}
	w.now(f)
	w.errors(form.Errors, f.Name, nil)
	w.dst = append(w.dst, '\n')
}

// keyed returns the number of options of a choice that tables or boards among the blocks show as keys.
func (w *mdWriter) keyed(blocks []Block, f *param.Field) (n int) {
	if f.Kind != param.Choice || w.short {
		return 0
	}
	for _, b := range blocks {
		switch b := b.(type) {
		case Section:
			n += w.keyed(b.Blocks, f)
		case Details:
			n += w.keyed(b.Blocks, f)
		case Board:
			for _, z := range b.Zones {
				for k := range z.Cards {
					if (w.c.Full || k < mostCards) && f.Option(z.Cards[k].Key) != nil {
						n++
					}
				}
			}
		case Table:
			for i := range b.Rows {
				if o := f.Option(b.Rows[i].Key); b.Rows[i].showsKey() && o != nil && o.Label == "" {
					n++
				}
			}
		}
	}
	return n
}

func (r *Row) showsKey() bool {
	return r.Key != "" && slices.ContainsFunc(r.Cells, func(c []Inline) bool {
		return len(c) == 1 && c[0].kind == inlineText && c[0].text == r.Key
	})
}

func (w *mdWriter) options(form *Form, f *param.Field) {
	for k, o := range f.Options {
		if k > 0 {
			w.dst = append(w.dst, " · "...)
		}
		if w.allow.options > 0 && k == w.allow.options {
			w.dst = append(w.dst, "and "...)
			w.dst = strconv.AppendInt(w.dst, int64(len(f.Options)-k), 10)
			w.dst = append(w.dst, " more on its "...)
			w.link("form", form.URL, w.c.Origin, w.p.URL)
			return
		}
		w.mono(o.Value)
		if label := strings.TrimSpace(clean(o.Label, w.limit)); label != "" && label != o.Value {
			w.dst = append(w.dst, ' ')
			w.text(label)
		}
	}
}

// now writes the filled-in value: stored, default, proposed or sent. It never writes a secret or a file.
func (w *mdWriter) now(f *param.Field) {
	if f.Kind == param.Secret || f.Kind == param.File || f.Value == "" && len(f.Values) == 0 {
		return
	}
	label := " In the form: " // a call without the field does not get this value
	if f.Applies() {
		label = " Filled in: "
	}
	w.dst = append(w.dst, label...)
	if f.Value != "" {
		w.mono(clean(f.Value, valueLimit))
	}
	for k, v := range f.Values {
		if k > 0 {
			w.dst = append(w.dst, ", "...)
		}
		w.mono(clean(v, valueLimit))
	}
	w.dst = append(w.dst, '.')
}

// errors writes the errors of the field with the name, or for an empty name the errors that belong to none of the
// fields.
func (w *mdWriter) errors(errs param.Errors, name string, fields []param.Field) {
	for _, e := range errs {
		if e.Field == name || name == "" && !param.Has(fields, e.Field) {
			w.dst = append(w.dst, " **Not accepted:** "...)
			if name == "" && e.Field != "" {
				w.mono(e.Field)
				w.dst = append(w.dst, ' ')
			}
			w.text(nonempty(clean(e.Message, messageLimit)))
		}
	}
}

// sentence appends sep and a text of the server, escaped and without a limit on its length, or nothing if the text is
// blank.
func (w *mdWriter) sentence(sep, s string) {
	if s = strings.TrimSpace(clean(s, 0)); s != "" {
		w.dst = append(w.dst, sep...)
		w.text(s)
	}
}

func (w *mdWriter) mono(s string) { w.code(nonempty(clean(s, w.limit))) }

// nonempty returns s without white space at its ends, or a placeholder for an empty text.
func nonempty(s string) string {
	if s = strings.TrimSpace(s); s == "" {
		return blank
	}
	return s
}

func appendTakes(dst []byte, f *param.Field) []byte {
	switch f.Kind {
	case param.Text, param.Markdown:
		return appendBounds(append(dst, f.Kind...), ", ", f.Min, f.Max, "character")
	case param.Lines:
		return appendBounds(append(dst, "one text per line, or a list"...), ", ", f.Min, f.Max, "item")
	case param.Number:
		return appendBounds(append(dst, "number"...), " ", f.Min, f.Max, "")
	case param.Flag:
		return append(dst, "true or false"...)
	case param.Choice:
		return append(dst, "one of"...)
	case param.Choices:
		if f.Explicit {
			return append(dst, "any of, [] for none"...)
		}
		if f.Min == 0 && f.Max == 0 {
			return append(dst, "any of"...)
		}
		return append(appendBounds(dst, "", f.Min, f.Max, ""), " of"...)
	case param.Grid:
		if f.Max == 0 || f.Min > 0 {
			return append(dst, "rank for each, 1 is best"...)
		}
		dst = strconv.AppendInt(append(dst, "points "...), int64(f.Min), 10)
		dst = strconv.AppendInt(append(dst, " to "...), int64(f.Max), 10)
		return append(dst, " for each"...)
	case param.Ref:
		return append(dst, "a member, studio or page, by @handle or URL"...)
	case param.Time:
		return append(dst, "a time such as 2026-11-23 12:00 or 3d"...)
	case param.Duration:
		return append(dst, "a duration such as 90m, 3d or 1w"...)
	case param.File:
		return append(dst, "a file: its text, or a data URL"...)
	}
	return append(dst, f.Kind...)
}

// appendBounds describes limits after sep, such as "at most 5 items" or "3 to 5 items". It appends nothing if there are
// no limits.
func appendBounds(dst []byte, sep string, low, high int, unit string) []byte {
	if low == 0 && high == 0 {
		return dst
	}
	dst = append(dst, sep...)
	n := high
	switch {
	case high == 0:
		dst, n = append(dst, "at least "...), low
	case low == 0 && unit != "" || low == 0 && sep == "":
		dst = append(dst, "at most "...)
	default:
		dst = append(strconv.AppendInt(dst, int64(low), 10), " to "...)
	}
	dst = strconv.AppendInt(dst, int64(n), 10)
	if unit != "" {
		dst = append(append(dst, ' '), unit...)
		if n != 1 {
			dst = append(dst, 's')
		}
	}
	return dst
}
