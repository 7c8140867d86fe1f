// Package pagetest has the shared parts of tests of pages. It does not import package page, so that its judgement does
// not depend on that package.
package pagetest

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"golang.org/x/net/html"
)

var referee = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList))

// Words returns the words of a markdown page in the order of reading, without the front matter and the actions. It
// parses every quotation as a document of its own, as the member wrote it.
func Words(markdown string) []string {
	_, body := Split(markdown)
	if at := actionsAt(body); at >= 0 {
		body = body[:at]
	}
	var out []string
	for _, part := range parts(body) {
		var b bytes.Buffer
		if err := referee.Convert([]byte(part), &b); err != nil {
			panic(err)
		}
		doc, err := html.Parse(&b)
		if err != nil {
			panic(err)
		}
		out = append(out, strings.Fields(textOf(doc, func(*html.Node) bool { return false }))...)
	}
	return out
}

// HTMLWords returns the words of the main element of an HTML page in the order of reading. It leaves out forms, aside
// elements and elements with the attribute data-extra, which are not in the body of the markdown form.
func HTMLWords(page string) []string {
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		panic(err)
	}
	return NodeWords(doc)
}

// NodeWords returns the words of [HTMLWords] for a parsed page.
func NodeWords(doc *html.Node) []string {
	main := find(doc, "main")
	if main == nil {
		return nil
	}
	return strings.Fields(textOf(main, func(n *html.Node) bool {
		if n.Data == "form" || n.Data == "aside" {
			return true
		}
		for _, a := range n.Attr {
			if a.Key == "data-extra" {
				return true
			}
		}
		return false
	}))
}

// Split returns the front matter of a markdown page, without the lines "---" around it, and the body.
func Split(markdown string) (front, body string) {
	if rest, ok := strings.CutPrefix(markdown, "---\n"); ok {
		if front, body, ok := strings.Cut(rest, "\n---\n"); ok {
			return front, body
		}
	}
	return "", markdown
}

// actionsAt returns the offset at which the actions begin, or else the line about actions for people, or -1.
func actionsAt(body string) int {
	at, pos := -1, 0
	fence := ""
	for line := range strings.Lines(body) {
		switch {
		case fence != "":
			if strings.TrimRight(line, "\n") == fence {
				fence = ""
			}
		case fenceOf(line) != "":
			fence = fenceOf(line)
		case line == "## Actions\n", strings.HasPrefix(line, "**For people**: @") && at < 0:
			at = pos
		}
		pos += len(line)
	}
	return at
}

// fenceOf returns the backticks of a line that opens a block of code, or "".
func fenceOf(line string) string {
	info := strings.TrimLeft(line, "`")
	if len(line)-len(info) < 3 || strings.Contains(info, "`") {
		return ""
	}
	return line[:len(line)-len(info)]
}

// parts returns the quotations of a page without their markers, and the texts between them.
func parts(body string) []string {
	var out []string
	var b strings.Builder
	quoted, fence := false, ""
	flush := func() {
		if b.Len() > 0 {
			out = append(out, b.String())
			b.Reset()
		}
	}
	for line := range strings.Lines(body) {
		is := fence == "" && line[0] == '>'
		if is != quoted {
			flush()
			quoted = is
		}
		if is {
			line = strings.TrimPrefix(strings.TrimPrefix(line, ">"), " ")
			line = undefine(line)
		} else if fence != "" && strings.TrimRight(line, "\n") == fence {
			fence = ""
		} else if fence == "" {
			fence = fenceOf(line)
		}
		b.WriteString(line)
	}
	flush()
	return out
}

// undefine restores the definition of a link or a footnote, which the quotation turned into text.
func undefine(line string) string {
	inner := strings.TrimLeft(line, " >-+*:.)0123456789")
	if strings.HasPrefix(inner, `\[`) && strings.Contains(inner, "]:") {
		return line[:len(line)-len(inner)] + inner[1:]
	}
	return line
}

// textOf returns the text inside a node, with spaces around block elements, and without the nodes for which skip
// returns true.
func textOf(n *html.Node, skip func(*html.Node) bool) string {
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		switch n.Type {
		case html.TextNode:
			b.WriteString(n.Data)
		case html.ElementNode, html.DocumentNode:
			if title := attribute(n, "title"); n.Data == "time" && title != "" {
				b.WriteString(title) // the title has the time as in markdown
				return
			}
			if n.Type == html.ElementNode && (n.Data == "script" || n.Data == "style" || n.Data == "head" || skip(n)) {
				return
			}
			block := n.Type == html.ElementNode && !inline[n.Data]
			if block {
				b.WriteByte(' ')
			}
			for c := n.FirstChild; c != nil; c = c.NextSibling {
				walk(c)
			}
			if block {
				b.WriteByte(' ')
			}
		}
	}
	walk(n)
	return b.String()
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

var inline = map[string]bool{"a": true, "b": true, "code": true, "del": true, "em": true, "i": true, "input": true,
	"span": true, "strong": true, "sub": true, "sup": true, "time": true}

func find(n *html.Node, tag string) *html.Node {
	if n.Type == html.ElementNode && n.Data == tag {
		return n
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if f := find(c, tag); f != nil {
			return f
		}
	}
	return nil
}
