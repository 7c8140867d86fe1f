package page

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// grammar describes a programming language for the scanner. The scanner reads each byte once, so that no text of a
// member takes long. It does not understand regular expressions, templates and strings within strings.
type grammar struct {
	names    string // names after ```, in lower case
	line     string // beginnings of comments up to the end of the line, separated by spaces
	block    [2]string
	quotes   string // characters around strings
	keywords string
}

const likeC = "break case catch class const continue default do else enum extends false final finally for if import " +
	"interface new null private protected public return static super switch this throw true try void while "

var grammars = []grammar{
	{"go golang", "//", [2]string{"/*", "*/"}, "\"`'", "break case chan const continue default defer else fallthrough " +
		"false for func go goto if import interface iota map nil package range return select struct switch true type var"},
	{"js javascript ts typescript tsx jsx", "//", [2]string{"/*", "*/"}, "\"'`",
		likeC + "as async await delete export from function in instanceof let of type typeof undefined var yield"},
	{"c c++ cpp java kotlin swift php cs csharp", "//", [2]string{"/*", "*/"}, "\"'", likeC + "auto bool boolean byte char " +
		"double float fun func function guard int let long namespace nil package short signed sizeof struct template " +
		"typedef union unsigned using val var virtual when"},
	{"rust rs", "//", [2]string{"/*", "*/"}, "\"", "as async await break const continue crate dyn else enum extern false fn " +
		"for if impl in let loop match mod move mut pub ref return self static struct super trait true type unsafe use where while"},
	{"python py", "#", [2]string{`"""`, `"""`}, "\"'", "False None True and as assert async await break class continue def " +
		"del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield"},
	{"ruby rb", "#", [2]string{}, "\"'", "begin break case class def do else elsif end ensure false for if in module next " +
		"nil not or and redo rescue return self super then true unless until when while yield"},
	{"bash sh shell console", "#", [2]string{}, "\"'", "case do done elif else esac export fi for function if in local " +
		"return set then until while"},
	{"sql", "--", [2]string{"/*", "*/"}, "'", "add all alter and as asc between by case check create default delete desc " +
		"distinct drop else end exists foreign from group having in index inner insert into is join key left like limit not " +
		"null on or order primary references returning select set table then union unique update values when where with"},
	{"json", "", [2]string{}, "\"", "true false null"},
	{"yaml yml toml ini conf dockerfile docker makefile make", "#", [2]string{}, "\"'", "true false null yes no on off"},
	{"css", "", [2]string{"/*", "*/"}, "\"'", "important initial inherit none auto"},
	{"html xml svg", "", [2]string{"<!--", "-->"}, "\"", ""},
}

// scanner finds the tokens of code in one language.
type scanner struct {
	grammar
	lines   []string
	words   map[string]bool
	anyCase bool
}

var scanners = func() map[string]*scanner {
	all := map[string]*scanner{}
	for _, g := range grammars {
		s := &scanner{grammar: g, lines: strings.Fields(g.line), words: map[string]bool{}, anyCase: g.names == "sql"}
		for _, word := range strings.Fields(g.keywords) {
			s.words[word] = true
		}
		for _, name := range strings.Fields(g.names) {
			all[name] = s
		}
	}
	return all
}()

// code writes a block of code that can be scrolled with the keyboard, with coloured words if the language is known.
func (overrides) code(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString(`<pre tabindex="0"><code`)
	language := ""
	if f, ok := n.(*ast.FencedCodeBlock); ok && f.Language(src) != nil {
		language = string(f.Language(src))
		_, _ = w.WriteString(` class="language-`)
		_, _ = w.Write(escaped([]byte(language)))
		_ = w.WriteByte('"')
	}
	_ = w.WriteByte('>')
	_, _ = w.Write(colouredCode(string(n.Lines().Value(src)), strings.ToLower(language)))
	_, _ = w.WriteString("</code></pre>\n")
	return ast.WalkSkipChildren, nil
}

// mostCode and mostCodeLines limit the code that is coloured, in bytes and in lines.
const (
	mostCode      = 50 << 10
	mostCodeLines = 500
)

// colouredCode returns code as HTML, with a class for each coloured word. Long code, and code in an unknown language,
// has no classes.
func colouredCode(text, language string) []byte {
	if len(text) > mostCode || strings.Count(text, "\n") > mostCodeLines {
		return appendEscaped(nil, text)
	}
	if language == "diff" || language == "patch" {
		return colouredDiff(text)
	}
	s := scanners[language]
	if s == nil {
		return appendEscaped(nil, text)
	}
	var out []byte
	for at := 0; at < len(text); {
		n, class := s.next(text[at:])
		if class == "" {
			out = appendEscaped(out, text[at:at+n])
		} else {
			out = append(out, `<span class="`+class+`">`...)
			out = append(appendEscaped(out, text[at:at+n]), "</span>"...)
		}
		at += n
	}
	return out
}

// next returns the length in bytes and the class of the first token of a text, which must not be empty.
func (s *scanner) next(text string) (n int, class string) {
	if open, end := s.block[0], s.block[1]; open != "" && strings.HasPrefix(text, open) {
		if i := strings.Index(text[len(open):], end); i >= 0 {
			return len(open) + i + len(end), "tk-c"
		}
		return len(text), "tk-c"
	}
	if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
		return len(text) - len(strings.TrimLeftFunc(text, inAddress)), ""
	}
	for _, lead := range s.lines {
		if strings.HasPrefix(text, lead) {
			return lineLength(text), "tk-c"
		}
	}
	switch c := text[0]; {
	case strings.IndexByte(s.quotes, c) >= 0:
		return quoted(text), "tk-s"
	case c >= '0' && c <= '9':
		return wordLength(text), "tk-n"
	case wordByte(c):
		n = wordLength(text)
		word := text[:n]
		if s.anyCase {
			word = strings.ToLower(word)
		}
		if s.words[word] {
			return n, "tk-k"
		}
		if n < len(text) && text[n] == '(' {
			return n, "tk-f"
		}
		return n, ""
	}
	return 1, ""
}

// inAddress reports whether a rune belongs to the URL that began before it.
func inAddress(r rune) bool { return r > ' ' && !strings.ContainsRune("\"'`<>)", r) }

// quoted returns the length in bytes of the string literal at the beginning of a text. A literal without an end reaches
// to the end of its line or, in backquotes, of the text.
func quoted(text string) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == text[0]:
			return i + 1
		case text[i] == '\n' && text[0] != '`':
			return i
		case text[i] == '\\' && i+1 < len(text) && text[i+1] != '\n':
			i++
		}
	}
	return len(text)
}

func lineLength(text string) int {
	line, _, _ := strings.Cut(text, "\n")
	return len(line)
}

func wordLength(text string) int {
	n := 1
	for n < len(text) && wordByte(text[n]) {
		n++
	}
	return n
}

func colouredDiff(text string) []byte {
	var out []byte
	for line := range strings.Lines(text) {
		tag := map[byte]string{'+': "ins", '-': "del"}[line[0]]
		if strings.HasPrefix(line, "+++ ") || strings.HasPrefix(line, "--- ") {
			tag = ""
		}
		line, end := strings.CutSuffix(line, "\n")
		if tag != "" {
			out = append(append(append(out, '<'), tag...), '>')
		}
		out = appendEscaped(out, line)
		if tag != "" {
			out = append(append(append(out, "</"...), tag...), '>')
		}
		if end {
			out = append(out, '\n')
		}
	}
	return out
}
