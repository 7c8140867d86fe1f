package page

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// removed stands where characters were taken out that a reader could not have seen: controls, direction overrides, tags.
// It is U+FFFD, which HTML and CommonMark parsers also put where a byte means nothing.
const removed = '\uFFFD'

// lineLimit is how many runes of one inline are written, unless the page is asked for in full.
const lineLimit = 200

// blank is written where a name is needed and nothing visible was given.
const blank = "(empty)"

// clean returns s on one line: white space collapsed to single spaces, what cannot be seen replaced by one visible mark
// per run, and at most limit runes (0 means all of them). It returns s itself, without allocating, when nothing is wrong.
func clean(s string, limit int) string {
	if limit == 0 || len(s) <= limit {
		ok := true
		last := byte(0)
		for i := 0; i < len(s); i++ {
			b := s[i]
			if b < ' ' || b >= 0x7f || b == ' ' && last == ' ' {
				ok = false
				break
			}
			last = b
		}
		if ok {
			return s
		}
	}
	return cleanRunes(s, limit)
}

func cleanRunes(s string, limit int) string {
	var out strings.Builder
	n, same := 0, 0 // runes written; bytes of s that need no change
	changed := false
	var prev rune
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		at := i
		i += size
		put := r
		switch {
		case unicode.IsSpace(r) || r == '\u2028' || r == '\u2029':
			put = ' '
		case r == utf8.RuneError && size == 1 || hidden(r, prev):
			put = removed
		}
		if put == ' ' && prev == ' ' || put == removed && put != r && prev == removed {
			changed = startChange(&out, s[:same], changed)
			continue
		}
		if n++; limit > 0 && n > limit {
			startChange(&out, s[:same], changed)
			return cutRunes(out.String(), limit-1) + "…"
		}
		if put != r || size == 1 && r == utf8.RuneError {
			changed = startChange(&out, s[:same], changed)
		}
		if changed {
			out.WriteRune(put)
		} else {
			same = at + size
		}
		prev = put
	}
	if !changed {
		return s
	}
	return out.String()
}

// startChange copies what was fine so far, once, and returns true.
func startChange(out *strings.Builder, same string, changed bool) bool {
	if !changed {
		out.WriteString(same)
	}
	return true
}

// cutRunes returns the first n runes of s.
func cutRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// hidden says whether r after prev would be invisible or reorder what surrounds it. Joiners that scripts and emoji need
// stay, one at a time and not among ASCII letters, where they could only split a word that looks whole; so does one
// variation selector per character. Runs of either can carry hidden text.
func hidden(r, prev rune) bool {
	switch {
	case r < ' ' || r >= 0x7f && r < 0xa0:
		return true
	case r < 0xad:
		return false
	case r == '\u200c' || r == '\u200d':
		return prev < 0x80 || prev == '\u200c' || prev == '\u200d'
	case r >= 0xfe00 && r <= 0xfe0f:
		return prev == 0 || prev == ' ' || selector(prev)
	case r >= 0xe0100 && r <= 0xe01ef:
		return !unicode.Is(unicode.Han, prev)
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x2800, r == 0x3164, r == 0xffa0:
		return true // fillers: letters by category, blank by look
	case r >= 0x180b && r <= 0x180f:
		return prev < 0x80 || selector(prev)
	case r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef:
		return true // not characters
	case r >= 0xe0000 && r <= 0xe0fff:
		return true // tags, and unassigned code points reserved for more of them
	case r >= 0x2065 && r <= 0x2069 || r >= 0xfff0 && r <= 0xfff8:
		return true
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false // visible, though of the same category
	}
	return unicode.Is(unicode.Cf, r)
}

func selector(r rune) bool {
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef || r >= 0x180b && r <= 0x180f
}

// lines returns s with every kind of line end as "\n" and what cannot be seen replaced by a mark; other white space stays.
func lines(s string) string {
	ok := true
	for i := 0; i < len(s); i++ {
		if b := s[i]; b >= 0x7f || b < ' ' && b != '\n' && b != '\t' {
			ok = false
			break
		}
	}
	if ok {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	var prev rune
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case r == '\r' && i < len(s) && s[i] == '\n':
			continue
		case r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			r = '\n'
		case r == '\n' || r == '\t':
		case r == utf8.RuneError && size == 1 || hidden(r, prev):
			if prev == removed {
				continue
			}
			r = removed
		}
		out.WriteRune(r)
		prev = r
	}
	return out.String()
}

// spans walks the inlines of one line and says, for each, what to write and whether a space comes first, so that both
// writers put the same words in the same places.
type spans struct {
	limit   int
	prev    rune // the last rune written, 0 at the start of the line
	kind    inlineKind
	pending bool // white space seen but not written yet: none is written at the ends of a line
}

// next returns the cleaned text of in, and whether a space precedes it. ok is false when there is nothing to write.
func (s *spans) next(in *Inline, bold bool) (text string, kind inlineKind, space, ok bool) {
	kind = in.kind
	first, last := 'M', ')'
	if kind == inlineTime || kind == inlineSpan {
		if kind == inlineTime {
			last = 'C'
		}
	} else {
		limit := s.limit
		if kind == inlineSentence {
			limit, kind = 0, inlineText
		}
		text = clean(in.text, limit)
		if bold && kind == inlineText {
			kind = inlineStrong
		}
		if text != "" && text[0] == ' ' {
			text, s.pending = text[1:], true
		}
		tail := text != "" && text[len(text)-1] == ' '
		if tail {
			text = text[:len(text)-1]
		}
		if text == "" {
			if in.kind == inlineText || in.kind == inlineSentence {
				return "", kind, false, false
			}
			text = blank
		}
		first, _ = utf8.DecodeRuneInString(text)
		last, _ = utf8.DecodeLastRuneInString(text)
		defer func() { s.pending = tail }()
	}
	space = s.prev != 0 && (s.pending || s.gap(kind, first, text))
	s.pending = false
	s.prev, s.kind = last, kind
	return text, kind, space, true
}

// gap says whether markdown could not tell where one piece ends and the next begins without a space between them:
// CommonMark decides by the characters on both sides whether asterisks open or close (section 6.2), and two code spans
// without a space are one. The answer may put a space where it was not needed, never the reverse.
func (s *spans) gap(kind inlineKind, first rune, text string) bool {
	switch {
	case kind == inlineStrong && s.kind == inlineStrong:
		return false // the writers make one of them
	case kind == inlineCode:
		// A mail address may contain a backtick: x`me@example.org` would link, up to the end of the address.
		return s.kind == inlineCode || strings.IndexByte(text, '@') >= 0
	case kind == inlineStrong:
		return !flanks(first) && (s.kind == inlineText || s.kind >= inlineTime) && !edge(s.prev)
	case s.kind == inlineStrong:
		return !flanks(s.prev) && (kind == inlineText || kind >= inlineTime) && !edge(first)
	}
	return false
}

// flanks says whether r is certainly neither white space nor punctuation.
func flanks(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// edge says whether r is certainly punctuation in every version of CommonMark.
func edge(r rune) bool {
	return r > ' ' && r < 0x7f && !flanks(r)
}
