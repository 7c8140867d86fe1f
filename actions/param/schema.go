package param

import (
	"strconv"
	"unicode/utf8"
)

// AppendSchema appends the JSON Schema (2020-12) of the params object to dst. The same fields always give the same
// bytes. The schema describes the canonical form of the values; [Decode] accepts more. The schema cannot say that a
// text must not contain NUL, or consist of spaces or of invisible characters.
func AppendSchema(dst []byte, fields []Field) []byte {
	dst = append(dst, `{"type":"object","properties":{`...)
	for i := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, fields[i].Name), ':')
		dst = fields[i].appendSchema(dst)
	}
	dst = append(dst, '}')
	required := `,"required":[`
	for i := range fields {
		if !fields[i].MayBeLeftOut() {
			dst = append(dst, required...)
			dst = appendString(dst, fields[i].Name)
			required = ","
		}
	}
	if required == "," {
		dst = append(dst, ']')
	}
	return append(dst, `,"additionalProperties":false}`...)
}

func (f *Field) appendSchema(dst []byte) []byte {
	dst = appendString(append(dst, `{"title":`...), f.Label())
	dst = append(dst, `,"description":`...)
	least := f.Min
	if !f.Optional {
		least = max(least, 1) // an empty value counts as not sent
	}
	switch f.Kind {
	case Time:
		dst = appendString(dst, f.Doc+" "+TimeForms)
		dst = append(dst, `,"type":"string","maxLength":40`...)
	case Duration:
		dst = appendString(dst, f.Doc+" "+DurationForms)
		dst = append(dst,
			`,"type":"string","pattern":"^([0-9]+w ?)?([0-9]+d ?)?([0-9]+h ?)?([0-9]+m ?)?([0-9]+s)?$"`...)
	case Number:
		dst = appendString(dst, f.Doc)
		dst = f.appendRange(append(dst, ',', '"'))
	case Flag:
		dst = appendString(dst, f.Doc)
		dst = append(dst, `,"type":"boolean"`...)
		if !f.Optional {
			dst = append(dst, `,"const":true`...)
		}
	case Choice:
		dst = appendString(dst, f.Doc)
		dst = f.appendOptions(append(dst, ',', '"'))
	case Choices:
		dst = appendString(dst, f.Doc)
		dst = append(dst, `,"type":"array","uniqueItems":true`...)
		dst = appendCount(dst, `,"minItems":`, least)
		dst = appendCount(dst, `,"maxItems":`, f.Limit())
		dst = append(f.appendOptions(append(dst, `,"items":{"`...)), '}')
	case Lines:
		dst = appendString(dst, f.Doc)
		dst = append(dst, `,"type":"array"`...)
		dst = appendCount(dst, `,"minItems":`, least)
		dst = appendCount(dst, `,"maxItems":`, f.Limit())
		dst = appendCount(dst, `,"items":{"type":"string","maxLength":`, MaxLine)
		dst = append(dst, '}')
	case Grid:
		dst = appendString(dst, f.Doc)
		dst = append(dst, `,"type":"object"`...)
		if !f.Optional {
			dst = append(dst, `,"minProperties":1`...)
		}
		dst = append(dst, `,"properties":{`...)
		for i, o := range f.Options {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, o.Value), `:{"`...)
			if o.Label != "" && o.Label != o.Value {
				dst = appendString(append(dst, `title":`...), o.Label)
				dst = append(dst, `,"`...)
			}
			dst = append(f.appendRange(dst), '}')
		}
		dst = append(dst, `},"additionalProperties":false`...)
		if len(f.Options) > 0 {
			dst = append(append(append(dst, `,"examples":[`...), f.Example()...), ']')
		}
	default:
		dst = appendString(dst, f.Doc)
		dst = append(dst, `,"type":"string"`...)
		if f.Kind == Secret {
			dst = append(dst, `,"writeOnly":true`...)
		}
		if f.Kind == File {
			dst = append(append(append(dst, `,"examples":[`...), f.Example()...), ']')
		}
		dst = appendCount(dst, `,"minLength":`, least)
		dst = appendCount(dst, `,"maxLength":`, f.Limit())
	}
	return append(dst, '}')
}

// appendRange appends the type and range of a number. The caller has appended the opening quotation mark.
func (f *Field) appendRange(dst []byte) []byte {
	dst = append(dst, `type":"integer","minimum":`...)
	dst = strconv.AppendInt(dst, int64(f.Min), 10)
	dst = append(dst, `,"maximum":`...)
	return strconv.AppendInt(dst, int64(f.Limit()), 10)
}

// appendOptions appends the type and the options, with their labels for the person or model that chooses. The caller
// has appended the opening quotation mark.
func (f *Field) appendOptions(dst []byte) []byte {
	labelled := false
	for _, o := range f.Options {
		labelled = labelled || o.Label != "" && o.Label != o.Value
	}
	if !labelled {
		dst = append(dst, `type":"string","enum":[`...)
	} else {
		dst = append(dst, `type":"string","oneOf":[`...)
	}
	for i, o := range f.Options {
		if i > 0 {
			dst = append(dst, ',')
		}
		if !labelled {
			dst = appendString(dst, o.Value)
			continue
		}
		dst = appendString(append(dst, `{"const":`...), o.Value)
		dst = appendString(append(dst, `,"title":`...), o.Label)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func appendCount(dst []byte, key string, n int) []byte {
	if n == 0 {
		return dst
	}
	return strconv.AppendInt(append(dst, key...), int64(n), 10)
}

// appendString appends s as a JSON string. It escapes U+2028 and U+2029, because some readers treat them as line ends.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			switch {
			case c == '"' || c == '\\':
				dst = append(dst, '\\', c)
			case c == '\n':
				dst = append(dst, '\\', 'n')
			case c < ' ' || c == 0x7f:
				dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			default:
				dst = append(dst, c)
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(dst, `\ufffd`...)
		case r == '\u2028' || r == '\u2029':
			dst = append(dst, '\\', 'u', '2', '0', '2', hex[r&15])
		default:
			dst = append(dst, s[i:i+size]...)
		}
		i += size
	}
	return append(dst, '"')
}
