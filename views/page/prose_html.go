package page

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

var (
	proseParser = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote,
		extension.DefinitionList)).Parser()

	tablelessParser = goldmark.New(goldmark.WithExtensions(extension.Linkify,
		extension.Strikethrough, extension.TaskList,
		extension.Footnote, extension.DefinitionList)).Parser()

	docParser = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList),
		goldmark.WithParserOptions(parser.WithAutoHeadingID())).Parser()

	// proseRenderer writes HTML from parsed markdown. It never writes raw HTML, a style, or an address with a scheme
	// that is not allowed.
	proseRenderer = goldmark.New(
		goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(overrides{}, 1))),
	).Renderer()

	// htmlPolicy allows the elements and attributes that proseRenderer writes.
	htmlPolicy = func() *bluemonday.Policy {
		p := bluemonday.NewPolicy()
		p.AllowElements("p", "br", "hr", "em", "strong", "del", "code", "pre", "blockquote", "ul",
			"ol", "li", "h2", "h3",
			"h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "div", "span", "sup",
			"dl", "dt", "dd", "section", "ins")
		p.AllowNoAttrs().OnElements("span")
		p.AllowAttrs("href", "rel").OnElements("a")
		p.AllowRelativeURLs(true)
		p.AllowURLSchemes("http", "https", "mailto")
		p.AllowAttrs("src").Matching(regexp.MustCompile(`^/[^/\\]`)).OnElements("img")
		p.AllowAttrs("alt", "loading").OnElements("img")
		p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
		p.AllowAttrs("class").Matching(regexp.MustCompile(`^[a-zA-Z0-9_+# -]+$`)).Globally()
		p.AllowAttrs("role").Matching(regexp.MustCompile(`^(img|group|doc-[a-z]+)$`)).Globally()
		p.AllowAttrs("aria-label").Matching(regexp.MustCompile(`^[A-Za-z0-9 ]+$`)).Globally()
		p.AllowAttrs("tabindex").Matching(regexp.MustCompile(`^0$`)).Globally()
		p.AllowAttrs("scope").Matching(regexp.MustCompile(`^(col|row)$`)).OnElements("th")
		p.AllowAttrs("id").Matching(regexp.MustCompile(`^fn(ref[0-9]*)?-[0-9]+$`)).OnElements("li", "sup")
		p.AllowAttrs("id").Matching(regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)).OnElements("h2", "h3", "h4", "h5", "h6")
		return p
	}()
)

// toHTML returns src as HTML, with its highest headings at the given level, and the positions at which pages change the
// HTML. It returns nil if the HTML is longer than 1 MiB.
func toHTML(src []byte, p parser.Parser, level int) ([]byte, []mark) {
	doc := p.Parse(text.NewReader(src))
	nestHeadings(doc, level)
	markHeadings(doc)
	var out bytes.Buffer
	if err := proseRenderer.Render(&out, src, doc); err != nil || out.Len() > htmlLimit {
		return nil, nil
	}
	clean := htmlPolicy.SanitizeBytes(bytes.TrimSpace(out.Bytes()))
	if len(clean) > htmlLimit {
		return nil, nil
	}
	marks := slices.Concat(findPrefixes(clean), findNames(clean), findBoxes(clean))
	slices.SortFunc(marks, func(a, b mark) int { return int(a.at - b.at) })
	return clean, marks
}

// nestHeadings replaces the levels of headings by consecutive ones that begin at the given level, because authors may
// skip levels.
func nestHeadings(doc ast.Node, level int) {
	var open []int
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if h, ok := n.(*ast.Heading); ok && entering {
			for len(open) > 0 && open[len(open)-1] >= h.Level {
				open = open[:len(open)-1]
			}
			open = append(open, h.Level)
			h.Level = min(level+len(open)-1, 6)
		}
		return ast.WalkContinue, nil
	})
}

// markHeadings adds ids to the headings of a text with at least fewestHeadings, for a table of contents.
func markHeadings(doc ast.Node) {
	var list []*ast.Heading
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		h, ok := n.(*ast.Heading)
		if !ok {
			return ast.WalkContinue, nil
		}
		if _, named := h.AttributeString("id"); entering && !named && h.HasChildren() {
			list = append(list, h)
		}
		return ast.WalkSkipChildren, nil
	})
	if len(list) < fewestHeadings {
		return
	}
	for i, h := range list {
		h.SetAttributeString("id", []byte(headingID+strconv.Itoa(i+1)))
	}
}

// findPrefixes returns the positions of the ids of footnotes and headings, and of links to them, which get a prefix on
// each page. A member's text cannot contain the strings that findPrefixes searches for, because quotation marks in the
// text are escaped.
func findPrefixes(html []byte) (marks []mark) {
	for _, lead := range []string{` id="fn`, ` href="#fn`} {
		for at := 0; ; {
			i := bytes.Index(html[at:], []byte(lead))
			if i < 0 {
				break
			}
			at += i + len(lead)
			marks = append(marks, mark{at: int32(at - 2)})
		}
	}
	return marks
}

func plainHTML(src []byte) []byte {
	return append(appendEscaped([]byte(`<pre class="plain"><code>`), string(bytes.Trim(src, "\n"))), "</code></pre>"...)
}

// overrides replaces parts of goldmark's HTML output. The originals contain inline styles, checkboxes without a
// function, ids with colons, headings without text, images from other sites, and autolinks with any scheme.
type overrides struct{}

func (o overrides) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, o.rawHTML)
	r.Register(ast.KindHTMLBlock, o.htmlBlock)
	r.Register(ast.KindHeading, o.heading)
	r.Register(ast.KindFencedCodeBlock, o.code)
	r.Register(ast.KindCodeBlock, o.code)
	r.Register(ast.KindLink, o.link)
	r.Register(ast.KindAutoLink, o.autoLink)
	r.Register(ast.KindImage, o.image)
	r.Register(extast.KindTable, o.table)
	r.Register(extast.KindTableCell, o.cell)
	r.Register(extast.KindTaskCheckBox, o.task)
	r.Register(extast.KindFootnoteLink, o.footnoteLink)
	r.Register(extast.KindFootnoteBacklink, o.footnoteBack)
	r.Register(extast.KindFootnote, o.footnote)
	r.Register(extast.KindFootnoteList, o.footnoteList)
}

func escaped(b []byte) []byte { return appendEscaped(nil, string(b)) }

func (overrides) rawHTML(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		for i := range n.(*ast.RawHTML).Segments.Len() {
			seg := n.(*ast.RawHTML).Segments.At(i)
			_, _ = w.Write(escaped(seg.Value(src)))
		}
	}
	return ast.WalkSkipChildren, nil
}

func (overrides) htmlBlock(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString("<p>")
		for i := range n.Lines().Len() {
			seg := n.Lines().At(i)
			_, _ = w.Write(escaped(seg.Value(src)))
		}
		_, _ = w.WriteString("</p>\n")
	}
	return ast.WalkSkipChildren, nil
}

func (overrides) heading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	h := n.(*ast.Heading)
	if !h.HasChildren() {
		return ast.WalkContinue, nil
	}
	level := "h" + strconv.Itoa(h.Level)
	if !entering {
		_, _ = w.WriteString("</" + level + ">\n")
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString("<" + level)
	if id, ok := h.AttributeString("id"); ok {
		_, _ = w.WriteString(` id="` + string(escaped(id.([]byte))) + `"`)
	}
	_ = w.WriteByte('>')
	return ast.WalkContinue, nil
}

// linkable returns the escaped address for a link, or nil if the address must not become a link.
func linkable(url []byte) []byte {
	s := string(url)
	if !(ownImage(url) || s == "/" || len(s) > 1 && s[0] == '#' || allowedScheme(s)) {
		return nil
	}
	return escaped(util.URLEscape(url, true))
}

func writeOpen(w util.BufWriter, href []byte) {
	_, _ = w.WriteString(`<a href="`)
	_, _ = w.Write(href)
	if href[0] != '/' && href[0] != '#' {
		_, _ = w.WriteString(`" rel="nofollow noopener noreferrer`)
	}
	_, _ = w.WriteString(`">`)
}

func (overrides) link(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	href := linkable(n.(*ast.Link).Destination)
	switch {
	case href == nil:
	case entering:
		writeOpen(w, href)
		if !n.HasChildren() {
			_, _ = w.Write(href)
		}
	default:
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

func (overrides) autoLink(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	a := n.(*ast.AutoLink)
	url := a.URL(src)
	if a.AutoLinkType == ast.AutoLinkEmail && !bytes.HasPrefix(bytes.ToLower(url), []byte("mailto:")) {
		url = append([]byte("mailto:"), url...)
	}
	href := linkable(url)
	if href != nil {
		writeOpen(w, href)
	}
	_, _ = w.Write(escaped(a.Label(src)))
	if href != nil {
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}
