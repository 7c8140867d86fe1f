package page

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// source is a member's markdown, cleaned for both forms of a page.
type source struct {
	text  []byte
	parse parser.Parser
	plain bool // whether the text is shown without markup
}

// convert converts a text for a page: for level 0 to the quotation only, for other levels to HTML only, and for the
// server's own text to both.
func convert(s string, level uint8) *prose {
	if level&ours != 0 {
		doc := demote([]byte(s))
		p := &prose{quote: doc}
		p.html, p.marks = toHTML(doc, docParser, int(level&^ours))
		return p
	}
	src := newSource(s)
	switch {
	case level == 0:
		return &prose{quote: src.quote()}
	case src.plain:
		return &prose{html: plainHTML(src.text)}
	}
	html, marks := toHTML(src.text, src.parse, int(level))
	if html == nil {
		html, marks = plainHTML(src.text), nil
	}
	return &prose{html: html, marks: marks}
}

// newSource cleans a text and cuts it at 32 KiB. It turns HTML tags into text and images from other sites into links,
// so that no program that reads the markdown interprets the tags or loads the images.
func newSource(s string) source {
	s = cutBytes(lines(s), proseLimit)
	src := source{text: expandTabs(s), parse: proseParser}
	noTables, plain := guard(src.text)
	if noTables {
		src.parse = tablelessParser
	}
	if src.plain = plain; plain {
		return src
	}
	for range 5 {
		edits, visible := src.unsafeEdits()
		if len(edits) == 0 {
			src.plain = !visible
			return src
		}
		src.text = apply(src.text, edits)
	}
	src.plain = true
	return src
}

// edit replaces the bytes [at:at+cut] of a text by put.
type edit struct {
	at, cut int
	put     string
}

func apply(src []byte, edits []edit) []byte {
	out := make([]byte, 0, len(src)+4*len(edits))
	from := 0
	for _, e := range edits {
		if e.at < from {
			continue
		}
		out = append(append(out, src[from:e.at]...), e.put...)
		from = e.at + e.cut
	}
	return append(out, src[from:]...)
}

// unsafeEdits returns the edits that turn HTML tags into text and images from other sites into links, sorted by
// position. The result visible is false for a text without visible content, such as only definitions of links. Such a
// text is shown without markup.
func (src *source) unsafeEdits() (edits []edit, visible bool) {
	tag := func(at int) {
		if src.text[at] == '<' {
			edits = append(edits, edit{at: at, put: `\`})
		}
	}
	doc := src.parse.Parse(text.NewReader(src.text))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text, *ast.String, *ast.AutoLink, *ast.ThematicBreak, *ast.CodeBlock, *ast.FencedCodeBlock:
			visible = true
		case *ast.RawHTML:
			tag(n.Segments.At(0).Start)
		case *ast.HTMLBlock:
			for i := range n.Lines().Len() {
				seg := n.Lines().At(i)
				for at := seg.Start; at < seg.Stop; at++ {
					tag(at)
				}
			}
			if n.HasClosure() {
				for at := n.ClosureLine.Start; at < n.ClosureLine.Stop; at++ {
					tag(at)
				}
			}
		case *ast.Image:
			visible = true
			at := n.Pos()
			if ownImage(n.Destination) || at < 0 || src.text[at] != '!' {
				break
			}
			e := edit{at: at, cut: 1}
			if n.FirstChild() == nil {
				e = edit{at: at, cut: 2, put: "[image"}
			}
			edits = append(edits, e)
		}
		return ast.WalkContinue, nil
	})
	return edits, visible
}

func ownImage(url []byte) bool {
	return len(url) > 1 && url[0] == '/' && url[1] != '/' && url[1] != '\\'
}

// expandTabs replaces the tabs of indentations by spaces, except in fenced code, because a tab after the "> " of a
// quotation would have a different width.
func expandTabs(s string) []byte {
	if !strings.Contains(s, "\t") {
		return []byte(s)
	}
	out := make([]byte, 0, len(s)+32)
	fenced := false
	for line := range strings.Lines(s) {
		inner := strings.TrimLeft(line, " \t>")
		if strings.HasPrefix(inner, "```") || strings.HasPrefix(inner, "~~~") {
			fenced = !fenced
		} else if fenced {
			out = append(out, line...)
			continue
		}
		column := 0
		for i := range len(line) {
			if b := line[i]; b == '\t' {
				for pad := 4 - column%4; pad > 0; pad-- {
					out = append(out, ' ')
					column++
				}
			} else if strings.IndexByte(" >-+*:.)0123456789", b) >= 0 {
				out = append(out, b)
				column++
			} else {
				out = append(out, line[i:]...)
				break
			}
		}
	}
	return out
}

// quote returns the source as a markdown quotation. Definitions of links and footnotes become text, because they would
// apply to the whole page. The result is parsed to check that it is one quotation and nothing else. A plain text, and a
// text that fails the check, becomes a code block in the quotation.
func (src *source) quote() []byte {
	if !src.plain {
		q := quoteLines(src.text)
		for range 4 {
			doc, ctx := parseQuote(src.parse, q)
			edits := definitions(doc, q)
			if len(edits) == 0 {
				if sealed(doc, ctx) {
					return q
				}
				break
			}
			q = apply(q, edits)
		}
	}
	fence := fence(src.text)
	return quoteLines([]byte(fence + "text\n" + string(bytes.Trim(src.text, "\n")) + "\n" + fence))
}

func quoteLines(src []byte) []byte {
	src = bytes.TrimRight(bytes.TrimLeft(src, "\n"), " \n")
	out := make([]byte, 0, len(src)+2*bytes.Count(src, []byte{'\n'})+16)
	for line := range bytes.Lines(src) {
		line = bytes.TrimSuffix(line, []byte{'\n'})
		if len(line) == 0 {
			out = append(out, ">\n"...)
			continue
		}
		out = append(append(append(out, "> "...), line...), '\n')
	}
	return out
}

func parseQuote(p parser.Parser, q []byte) (ast.Node, parser.Context) {
	ctx := parser.NewContext()
	return p.Parse(text.NewReader(q), parser.WithContext(ctx)), ctx
}

// sealed reports whether a document is a single quotation without definitions, raw HTML, or images from other sites.
func sealed(doc ast.Node, ctx parser.Context) bool {
	if doc.ChildCount() != 1 || doc.FirstChild().Kind() != ast.KindBlockquote || len(ctx.References()) > 0 {
		return false
	}
	ok := true
	_ = ast.Walk(doc, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.RawHTML, *ast.HTMLBlock, *extast.FootnoteList, *extast.Footnote:
			ok = false
		case *ast.Image:
			ok = ok && ownImage(n.Destination)
		}
		return ast.WalkContinue, nil
	})
	return ok
}

// definitions returns the edits that turn definitions of links and footnotes into text, except in code.
func definitions(doc ast.Node, q []byte) []edit {
	if !bytes.Contains(q, []byte("]:")) {
		return nil
	}
	var code [][2]int
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if k := n.Kind(); entering && (k == ast.KindFencedCodeBlock || k == ast.KindCodeBlock) {
			for i := range n.Lines().Len() {
				seg := n.Lines().At(i)
				code = append(code, [2]int{seg.Start, seg.Stop})
			}
		}
		return ast.WalkContinue, nil
	})
	var edits []edit
	from := 0
	for line := range bytes.Lines(q) {
		inner := bytes.TrimLeft(line, " \t>-+*:.)0123456789")
		at := from + len(line) - len(inner)
		from += len(line)
		if len(inner) == 0 || inner[0] != '[' || !defines(q[at:]) {
			continue
		}
		for len(code) > 0 && code[0][1] <= at {
			code = code[1:]
		}
		if len(code) == 0 || at < code[0][0] {
			edits = append(edits, edit{at: at, put: `\`})
		}
	}
	return edits
}

// defines reports whether s, which begins with "[", may define a link or a footnote.
func defines(s []byte) bool {
	for i := 1; i < len(s) && i < 1100; i++ {
		switch s[i] {
		case '\\':
			i++
		case ']':
			return i+1 < len(s) && s[i+1] == ':'
		}
	}
	return false
}
