package page

import (
	"strconv"

	"samepage/actions/param"
)

// Describe returns one line on the fields of an action: the required ones with their types and first choices, then the
// names of the optional ones. Rarely needed fields are left out.
func Describe(fields []param.Field) (line []Inline) {
	var optional []Inline
	for i := range fields {
		f := &fields[i]
		switch {
		case f.More:
		case f.MayBeLeftOut():
			if optional == nil {
				optional = Line(T("; optional: "))
			} else {
				optional = append(optional, T(", "))
			}
			optional = append(optional, Mono(f.Name))
		default:
			if line != nil {
				line = append(line, T("; "))
			}
			line = appendField(line, f)
		}
	}
	return append(line, optional...)
}

func appendField(line []Inline, f *param.Field) []Inline {
	line = append(line, Mono(f.Name), Sentence(" ("+string(appendTakes(nil, f))))
	if example := f.Example(); example != "" {
		line = append(line, T(", such as "), Mono(example))
	}
	line = append(line, T(")"))
	for i, o := range f.Options {
		switch i {
		case 0:
			line = append(line, T(": "))
		case mostChoices:
			return append(line, T(" and "+strconv.Itoa(len(f.Options)-i)+" more"))
		default:
			line = append(line, T(" · "))
		}
		line = append(line, Mono(o.Value), T(" "+o.Label))
	}
	return line
}
