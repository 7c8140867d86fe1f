package page

import (
	"strconv"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// image writes an image of this site. In place of any other image, it writes a link, or only the words of the image if
// the address must not become a link.
func (overrides) image(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	url := n.(*ast.Image).Destination
	href, alt := linkable(url), words(n, src)
	switch {
	case href == nil:
		_, _ = w.Write(escaped(alt))
	case ownImage(url):
		_, _ = w.WriteString(`<img src="` + string(href) + `" alt="` + string(escaped(alt)) + `" loading="lazy">`)
	default:
		writeOpen(w, href)
		_, _ = w.Write(escaped(alt))
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkSkipChildren, nil
}

func words(n ast.Node, src []byte) []byte {
	var out []byte
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				out = append(out, n.Segment.Value(src)...)
			}
		case *ast.String:
			if entering {
				out = append(out, n.Value...)
			}
		}
		return ast.WalkContinue, nil
	})
	return out
}

// table writes a table in an element that scrolls by itself and can get the keyboard focus.
func (overrides) table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString("<div class=\"scroll\" role=\"group\" aria-label=\"Table\" tabindex=\"0\"><table>\n")
	} else {
		_, _ = w.WriteString("</table></div>\n")
	}
	return ast.WalkContinue, nil
}

func (overrides) cell(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	tag, attr := "td", ""
	if n.Parent().Kind() == extast.KindTableHeader && n.HasChildren() {
		tag, attr = "th", ` scope="col"`
	}
	if !entering {
		_, _ = w.WriteString("</" + tag + ">\n")
		return ast.WalkContinue, nil
	}
	switch n.(*extast.TableCell).Alignment {
	case extast.AlignRight:
		attr += ` class="r"`
	case extast.AlignCenter:
		attr += ` class="c"`
	}
	_, _ = w.WriteString("<" + tag + attr + ">")
	return ast.WalkContinue, nil
}

const (
	boxOpen = `<span class="tickbox" role="img" aria-label="To do"></span>`
	boxDone = `<span class="tickbox done" role="img" aria-label="Done"></span>`
)

// task writes a picture of a checkbox. A real checkbox would be a control without a function.
func (overrides) task(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		if n.(*extast.TaskCheckBox).IsChecked {
			_, _ = w.WriteString(boxDone + " ")
		} else {
			_, _ = w.WriteString(boxOpen + " ")
		}
	}
	return ast.WalkContinue, nil
}

func (overrides) footnoteLink(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		f := n.(*extast.FootnoteLink)
		i := strconv.Itoa(f.Index)
		_, _ = w.WriteString(`<sup id="` + refID(f.RefIndex) + i + `"><a href="#fn-` + i +
			`" role="doc-noteref">` + i + `</a></sup>`)
	}
	return ast.WalkContinue, nil
}

func (overrides) footnoteBack(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		f := n.(*extast.FootnoteBacklink)
		_, _ = w.WriteString(` <a href="#` + refID(f.RefIndex) + strconv.Itoa(f.Index) +
			`" role="doc-backlink" aria-label="Back to reference ` +
			strconv.Itoa(f.Index) + `">↩︎</a>`)
	}
	return ast.WalkContinue, nil
}

// refID returns the id of a footnote reference without the footnote's number. The argument ref counts the references to
// the same footnote, from 0.
func refID(ref int) string {
	if ref > 0 {
		return "fnref" + strconv.Itoa(ref) + "-"
	}
	return "fnref-"
}

func (overrides) footnote(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString(`<li id="fn-` + strconv.Itoa(n.(*extast.Footnote).Index) + "\">\n")
	} else {
		_, _ = w.WriteString("</li>\n")
	}
	return ast.WalkContinue, nil
}

func (overrides) footnoteList(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString("<div class=\"footnotes\" role=\"doc-endnotes\">\n<ol>\n")
	} else {
		_, _ = w.WriteString("</ol>\n</div>\n")
	}
	return ast.WalkContinue, nil
}
