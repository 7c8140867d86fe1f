package page

import (
	"html"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// removed replaces invisible characters, such as control characters, direction overrides and tag characters. It is
// U+FFFD, which HTML and CommonMark parsers also use for invalid bytes.
const removed = '\uFFFD'

// lineLimit is the maximum length of one [Inline] in runes. It does not apply to sentences of the server, or if the
// reader asks for the full page.
const lineLimit = 200

// blank replaces a text without visible characters.
const blank = "(empty)"

// Visible returns s on one line, with [removed] in place of invisible characters.
func Visible(s string) string { return clean(s, 0) }

// clean returns s on one line with at most limit runes, or of any length if limit is 0. White space becomes single
// spaces, and each run of invisible characters becomes one [removed]. It returns an unchanged s without allocating.
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
	n, same := 0, 0 // number of runes written, and of bytes at the start of s that need no change
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
		case hidden(r, prev):
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

// startChange must be called before each change of a text. Before the first change, it writes same, the unchanged start
// of the text. It returns the new value of changed.
func startChange(out *strings.Builder, same string, changed bool) bool {
	if !changed {
		out.WriteString(same)
	}
	return true
}

// cutRunes returns the first n runes of s, or all of s if it has fewer.
func cutRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// hidden reports whether r, after the rune prev, must be removed because it is invisible or reorders the text. Scripts
// and emoji need joiners and variation selectors, so one may stay. Others after it are removed, because they could
// carry a secret text. A joiner after an ASCII character is also removed, because there it could only split a word that
// looks whole.
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
		return true // fillers are letters by category but look blank
	case r >= 0x180b && r <= 0x180f:
		return prev < 0x80 || selector(prev)
	case r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef:
		return true // not characters, by the Unicode standard
	case r >= 0xe0000 && r <= 0xe0fff:
		return true // tag characters, and unassigned code points near them
	case r == 0x2065 || r >= 0xfff0 && r <= 0xfff8:
		return true
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false // visible, unlike other characters of its category
	}
	return unicode.Is(unicode.Cf, r)
}

func selector(r rune) bool {
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef || r >= 0x180b && r <= 0x180f
}

// reference matches an HTML character reference such as &amp;.
var reference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`&(#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,8}|[A-Za-z][A-Za-z0-9]*);`)
})

// plainReference returns the character reference ref, or [removed] if ref stands for an invisible character or a
// joiner. Authors can write the joiner itself where a script needs one.
func plainReference(ref string) string {
	for _, r := range html.UnescapeString(ref) {
		if r != '\n' && r != '\t' && r != '\r' && hidden(r, 0) {
			return string(removed)
		}
	}
	return ref
}

// lines returns s with "\n" for all line ends, and with [removed] for invisible characters and for references to them.
// It keeps spaces and tabs.
func lines(s string) string {
	if strings.IndexByte(s, '&') >= 0 {
		s = reference().ReplaceAllStringFunc(s, plainReference)
	}
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

// spans iterates over the inlines of one line. It decides on the spaces between inlines and joins strong texts, so that
// both writers have the same words in the same places.
type spans struct {
	line  []Inline // inlines that are not read yet
	limit int      // maximum number of runes of one [Inline]; 0 means no limit
	bold  bool     // whether plain text becomes strong
	extra bool     // whether the texts for HTML only are included

	// The method next sets the following fields for the current piece, which is the text that the writers write for one
	// inline.
	in     *Inline
	text   string     // cleaned text
	kind   inlineKind // kind of the inline; a sentence counts as plain text
	space  bool       // whether a space comes before the piece
	joined bool       // whether the piece and the one before it are both strong

	last    rune // last rune of the piece; 0 at the start of the line
	pending bool // whether white space follows the current piece; it is written only between two pieces
}

// next reads the next inline that has something to write, or returns false at the end of the line.
func (s *spans) next() bool {
	for len(s.line) > 0 {
		s.in, s.line = &s.line[0], s.line[1:]
		if (s.extra || s.in.look != lookExtra) && s.read() {
			return true
		}
	}
	return false
}

// read sets the current piece from s.in, or returns false if there is nothing to write.
func (s *spans) read() bool {
	kind, text, tail := s.in.kind, "", false
	first, last := 'M', ')'
	switch kind {
	case inlineTime:
		last = 'C'
	case inlineSpan:
	default:
		limit := s.limit
		if kind == inlineSentence {
			limit, kind = 0, inlineText
		}
		text = clean(s.in.text, limit)
		if s.bold && kind == inlineText {
			kind = inlineStrong
		}
		if text != "" && text[0] == ' ' {
			text, s.pending = text[1:], true
		}
		if tail = text != "" && text[len(text)-1] == ' '; tail {
			text = text[:len(text)-1]
		}
		if text == "" {
			if s.in.kind == inlineText || s.in.kind == inlineSentence {
				return false
			}
			text = blank
		}
		first, _ = utf8.DecodeRuneInString(text)
		last, _ = utf8.DecodeLastRuneInString(text)
	}
	s.space = s.last != 0 && (s.pending || s.gap(kind, first, text))
	s.joined = kind == inlineStrong && s.kind == inlineStrong
	s.text, s.kind, s.last, s.pending = text, kind, last, tail
	return true
}

// gap reports whether markdown needs a space between the current piece and the next one, which has the given kind,
// first rune and text. The characters on both sides of asterisks decide whether these open or close strong text
// (CommonMark, section 6.2). Two adjacent code spans would become one. The result may be true where no space is needed,
// but is never false where one is needed.
func (s *spans) gap(kind inlineKind, first rune, text string) bool {
	switch {
	case kind == inlineCode:
		// A mail address may contain a backtick, so x`me@example.org` would become a link up to the end of the address.
		return s.kind == inlineCode || strings.IndexByte(text, '@') >= 0
	case kind == inlineStrong: // the writers join strong pieces
		return !flanks(first) && (s.kind == inlineText || s.kind >= inlineTime) && !edge(s.last)
	case s.kind == inlineStrong:
		return !flanks(s.last) && (kind == inlineText || kind >= inlineTime) && !edge(first)
	}
	return false
}

// flanks reports whether r is an ASCII letter or digit, which a markdown parser takes for neither white space nor
// punctuation.
func flanks(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// edge reports whether r is ASCII punctuation, which is punctuation in every version of CommonMark.
func edge(r rune) bool {
	return r > ' ' && r < 0x7f && !flanks(r)
}
