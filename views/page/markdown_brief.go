package page

import (
	"strconv"

	"samepage/actions/param"
)

// whole reports whether a field is described in full. On a page that does not describe all fields in full, these are
// the fields with an error and, except the rarely needed ones, the required fields and all fields of a ballot.
func (w *mdWriter) whole(f *Form, x *param.Field) bool {
	return w.all() || f.Errors.Has(x.Name) || !x.More && (f.Ballot || !x.MayBeLeftOut())
}

// briefly writes one line with the fields that are not described in full.
func (w *mdWriter) briefly(fields []*param.Field) {
	rare := 0
	for _, x := range fields {
		if x.More {
			rare++
			continue
		}
		if w.dst[len(w.dst)-1] == '\n' {
			w.dst = append(w.dst, "  - optional: "...)
		} else {
			w.dst = append(w.dst, ", "...)
		}
		w.mono(x.Name)
		w.dst = append(w.dst, ' ')
		w.kind(x)
	}
	switch {
	case len(fields) == 0:
		return
	case rare == len(fields):
		w.dst = append(w.dst, "  - optional: "...)
	case rare > 0:
		w.dst = append(w.dst, ", and "...)
	}
	if rare > 0 {
		w.dst = append(strconv.AppendInt(w.dst, int64(rare), 10), " more"...)
	}
	w.dst = append(w.dst, '\n')
}

const mostChoices = 6

// kind writes the type of a field in a word or two, or its choices if there are few.
func (w *mdWriter) kind(f *param.Field) {
	if len(f.Options) == 0 || len(f.Options) > mostChoices || suggests(f) {
		w.dst = append(w.dst, briefKinds[f.Kind]...)
		return
	}
	w.dst = append(w.dst, '(')
	for i, o := range f.Options {
		if i > 0 {
			w.dst = append(w.dst, ' ')
		}
		w.mono(o.Value)
	}
	w.dst = append(w.dst, ')')
}

var briefKinds = map[param.Kind]string{
	param.Text:     "text",
	param.Markdown: "markdown",
	param.Lines:    "list",
	param.Number:   "number",
	param.Flag:     "true or false",
	param.Choice:   "one of several",
	param.Choices:  "some of several",
	param.Grid:     "number for each",
	param.Ref:      "@handle or URL",
	param.Time:     "time such as 3d",
	param.Duration: "duration such as 3d",
	param.Secret:   "secret",
	param.File:     "file",
}
