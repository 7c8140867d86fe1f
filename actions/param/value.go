package param

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// text decodes the value of a text, markdown, ref or secret field; "" means that none was sent.
func (f *Field) text(raw any) (s, problem string) {
	if n, ok := raw.(json.Number); ok && f.Kind == Text {
		raw = n.String() // a language model may send the number 4 for a text
	}
	if s, problem = str(raw); problem != "" {
		return "", problem
	}
	switch f.Kind {
	case Text:
		s = oneLine(s)
	case Ref:
		// All leading @ and spaces are removed, so that decoding the result again does not change it.
		s = strings.TrimLeftFunc(oneLine(s), func(r rune) bool { return r == '@' || unicode.IsSpace(r) })
	case Markdown:
		if strings.Contains(s, "\r") {
			s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
		}
		s = strings.TrimRightFunc(s, unicode.IsSpace)
	}
	switch {
	case s == "":
		return "", ""
	case f.Kind != Secret && !visible(s):
		return "", unseen
	}
	return s, f.length(utf8.RuneCountInString(s), "characters")
}

// unseen is the problem of a text without a visible character.
const unseen = "has only invisible characters; write some that can be seen"

func visible(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		const brailleBlank, tags, noTags = '\u2800', 0xe0000, 0xe1000
		return r != brailleBlank && (r < tags || r >= noTags) && !unicode.IsSpace(r) &&
			!unicode.In(r, unicode.Cc, unicode.Cf,
				unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point)
	})
}

// lines decodes a list of texts, or one text with a line for each item. Empty lines are dropped.
func (f *Field) lines(raw any) (items []string, problem string) {
	add := func(s string) {
		if s = oneLine(s); s == "" {
			return
		}
		items = append(items, s)
		if !visible(s) && problem == "" {
			problem = "has a line that " + unseen
		}
		if n := utf8.RuneCountInString(s); n > MaxLine && problem == "" {
			problem = fmt.Sprintf("has a line of %d characters, %s; at most %d fit", n, quote(s), MaxLine)
		}
	}
	block := func(v any) {
		s, p := str(v)
		if problem == "" {
			problem = p
		}
		for s := range strings.SplitSeq(strings.ReplaceAll(s, "\r", "\n"), "\n") {
			add(s)
		}
	}
	switch raw := raw.(type) {
	case []any:
		for _, v := range raw {
			s, p := str(v)
			if p != "" {
				return nil, "has an item that " + p
			}
			add(s)
		}
	case []string:
		for _, s := range raw {
			block(s)
		}
	case nil, string:
		block(raw)
	default:
		return nil, "must be a list of texts, not " + typeName(raw)
	}
	if problem == "" && len(items) > 0 {
		problem = f.length(len(items), "lines")
	}
	return items, problem
}

// length returns a problem if n units are too many or too few for the field, or "".
func (f *Field) length(n int, unit string) string {
	if limit := f.Limit(); limit != 0 && n > limit {
		return fmt.Sprintf("has %d %s; at most %d fit", n, unit, limit)
	}
	if n < f.Min {
		return fmt.Sprintf("has %d %s; at least %d are needed", n, unit, f.Min)
	}
	return ""
}

func (f *Field) number(raw any) (n int, given bool, problem string) {
	n, given, problem = whole(raw)
	if given {
		problem = f.within(n)
	}
	return n, given && problem == "", problem
}

func (f *Field) within(n int) string {
	if n < f.Min || n > f.Limit() {
		return fmt.Sprintf("must be from %d to %d, not %d", f.Min, f.Limit(), n)
	}
	return ""
}

// whole decodes a whole number. It accepts 3.0 and 1e3, because some clients write every number with a decimal point,
// and JSON Schema calls them integers.
func whole(raw any) (n int, given bool, problem string) {
	var s string
	switch raw := raw.(type) {
	case nil:
		return 0, false, ""
	case int:
		return raw, true, ""
	case float64:
		s = strconv.FormatFloat(raw, 'g', -1, 64)
	case json.Number:
		s = raw.String()
	case string:
		if s = strings.TrimSpace(raw); s == "" {
			return 0, false, ""
		}
	case []string:
		return 0, false, givenTwice
	default:
		return 0, false, "must be a number, not " + typeName(raw)
	}
	if n, err := strconv.Atoi(s); err == nil {
		return n, true, ""
	}
	const exact = 1 << 53 // up to this number, a float64 represents whole numbers exactly
	if x, err := strconv.ParseFloat(s, 64); err == nil && x == math.Trunc(x) && math.Abs(x) <= exact && len(s) <= 40 {
		return int(x), true, ""
	}
	return 0, false, "must be a whole number, not " + quote(s)
}

func flag(raw any) (on, given bool, problem string) {
	switch v := raw.(type) {
	case nil:
		return false, false, ""
	case bool:
		return v, true, ""
	case json.Number:
		raw = v.String()
	}
	s, problem := str(raw)
	if problem != "" {
		return false, false, "must be true or false, not " + typeName(raw)
	}
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "":
		return false, false, ""
	case "on", "true", "1", "yes":
		return true, true, ""
	case "off", "false", "0", "no":
		return false, true, ""
	}
	return false, false, "must be true or false, not " + quote(s)
}

// On reports whether the value that prefills a flag is true.
func (f *Field) On() bool {
	on, _, _ := flag(f.Value)
	return on
}

// file decodes an upload, or a text that becomes a file (see [FromText]). An empty text counts as not sent. An empty
// file is refused, because it would get lost in silence where a file is optional.
func (f *Field) file(raw any) (u Upload, problem string) {
	switch v := raw.(type) {
	case nil:
		return Upload{}, ""
	case Upload:
		if v.Size() == 0 && v.Name != "" {
			return Upload{}, "is a file without content (" + quote(v.Name) + ")"
		}
		u = v
	case string:
		if u, problem = FromText(f.Name, v); problem != "" {
			return Upload{}, problem
		}
	default:
		return Upload{}, "must be a file or its text, not " + typeName(raw)
	}
	if u.Size() == 0 {
		return u, ""
	}
	return u, f.length(int(u.Size()), "bytes")
}

// str returns a text as it was sent, and "" for nil. Other types, invalid UTF-8 and NUL are problems.
func str(raw any) (s, problem string) {
	switch v := raw.(type) {
	case nil:
		return "", ""
	case string:
		if !utf8.ValidString(v) {
			return "", "is not valid UTF-8"
		}
		if strings.IndexByte(v, 0) >= 0 {
			return "", "contains a NUL character; leave it out"
		}
		return v, ""
	case []string:
		return "", givenTwice
	}
	return "", "must be text, not " + typeName(raw)
}

const givenTwice = "was given more than once; send it once"

// oneLine replaces line ends by spaces and trims the text, so that it cannot become several lines of a page.
func oneLine(s string) string {
	const ends = "\n\r\v\f\u0085\u2028\u2029"
	s = strings.TrimSpace(s)
	if !strings.ContainsAny(s, ends) {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(ends, r) {
			return ' '
		}
		return r
	}, s)
}

// empty reports whether a value is nil, false, a text of spaces, or a list or an object without items.
func empty(raw any) bool {
	switch v := raw.(type) {
	case nil:
		return true
	case string:
		return strings.TrimSpace(v) == ""
	case bool:
		return !v
	case []any:
		return len(v) == 0
	case []string:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

func typeName(raw any) string {
	switch raw.(type) {
	case nil:
		return "null"
	case string:
		return "a text"
	case bool:
		return "true or false"
	case json.Number, float64, int:
		return "a number"
	case []any, []string:
		return "a list"
	case map[string]any:
		return "an object"
	case Upload:
		return "a file"
	}
	return fmt.Sprintf("a %T", raw)
}

// quote shortens and quotes a text of the caller, so that it is safe in a sentence.
func quote(s string) string { return strconv.Quote(short(s)) }

func short(s string) string {
	const most = 40
	n := 0
	for i := range s {
		if n++; n > most {
			return strings.ToValidUTF8(s[:i], "?") + "…"
		}
	}
	return strings.ToValidUTF8(s, "?")
}
