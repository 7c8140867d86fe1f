package param

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"
)

// Encode returns decoded params as canonical JSON, in the order of the fields. Times are absolute, and fields without a
// value are left out. The JSON decodes to the same params, except for secrets and files, which are never encoded. An
// input should pass through [Keep] before it is decoded to these params. The JSON should be decoded without Keep,
// because it does not show whether a caller cleared a value. The argument src is the params struct or a pointer to it.
func Encode(fields []Field, src any) json.RawMessage {
	v := reflect.Indirect(reflect.ValueOf(src))
	p := planOf(v.Type())
	dst := []byte{'{'}
	next := 0
	for i := range p.fields {
		if next == len(fields) {
			break
		}
		if fields[next].Name != p.fields[i].Name {
			continue
		}
		f := &fields[next]
		next++
		value := v.FieldByIndex(p.index[i])
		// A zero value is left out, except for a required number, for which 0 is a value.
		if f.Kind == Secret || f.Kind == File || value.IsZero() && (f.Kind != Number || f.Optional) {
			continue
		}
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, f.Name), ':')
		dst = f.appendValue(dst, value)
	}
	return append(dst, '}')
}

func (f *Field) appendValue(dst []byte, v reflect.Value) []byte {
	switch f.Kind {
	case Number:
		return strconv.AppendInt(dst, v.Int(), 10)
	case Flag:
		return strconv.AppendBool(dst, v.Bool())
	case Lines, Choices:
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendString(dst, v.Index(i).String())
		}
		return append(dst, ']')
	case Grid:
		cells := v.Interface().(map[string]int)
		dst = append(dst, '{')
		for i, option := range slices.Sorted(maps.Keys(cells)) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, option), ':')
			dst = strconv.AppendInt(dst, int64(cells[option]), 10)
		}
		return append(dst, '}')
	case Time:
		dst = v.Interface().(time.Time).UTC().AppendFormat(append(dst, '"'), time.RFC3339)
		return append(dst, '"')
	case Duration:
		return append(appendDuration(append(dst, '"'), time.Duration(v.Int())), '"')
	}
	return appendString(dst, v.String())
}

// appendDuration appends d, in whole seconds, in the form that parseDuration reads.
func appendDuration(dst []byte, d time.Duration) []byte {
	for _, u := range units {
		if n := d / u.length; n > 0 {
			dst = fmt.Appendf(dst, "%d%c", n, u.letter)
			d -= n * u.length
		}
	}
	return dst
}
