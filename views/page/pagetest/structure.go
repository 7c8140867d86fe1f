package pagetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// Structure returns the keys of a markdown page's front matter, with the values that are lists, and the tree of its
// elements, without text and without the content of quotations and code. The result must not depend on members' texts,
// because otherwise a member could forge the server's words.
func Structure(markdown string) string {
	front, body := Split(markdown)
	var b strings.Builder
	for line := range strings.Lines(front) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		var v any
		if err := json.Unmarshal([]byte(value), &v); err != nil {
			fmt.Fprintf(&b, "not front matter: %q\n", line)
			continue
		}
		if list, ok := v.([]any); ok {
			fmt.Fprintf(&b, "%s %v\n", key, list)
		} else {
			fmt.Fprintf(&b, "%s %T\n", key, v)
		}
	}
	src := []byte(body)
	dump(&b, src, referee.Parser().Parse(text.NewReader(src)), 0)
	return b.String()
}

func dump(b *strings.Builder, src []byte, n ast.Node, depth int) {
	indent := strings.Repeat(" ", depth)
	fmt.Fprintf(b, "%s%s", indent, n.Kind())
	switch n := n.(type) {
	case *ast.Heading:
		fmt.Fprintf(b, " %d", n.Level)
	case *ast.List:
		fmt.Fprintf(b, " %q tight=%v", n.Marker, n.IsTight)
	case *ast.Link:
		fmt.Fprintf(b, " %s", n.Destination)
	case *ast.Image:
		fmt.Fprintf(b, " %s", n.Destination)
	case *ast.AutoLink:
		fmt.Fprintf(b, " %s", n.URL(src))
	case *extast.TableCell:
		fmt.Fprintf(b, " %s", n.Alignment)
	case *ast.Emphasis:
		fmt.Fprintf(b, " %d", n.Level)
	}
	b.WriteByte('\n')
	switch n.Kind() {
	case ast.KindBlockquote, ast.KindCodeSpan, ast.KindFencedCodeBlock:
		return
	}
	inText := false
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		t, isText := c.(*ast.Text)
		_, isString := c.(*ast.String)
		if !isText && !isString {
			inText = false
			dump(b, src, c, depth+1)
			continue
		}
		if !inText && (!isText || len(bytes.TrimSpace(t.Value(src))) > 0) {
			b.WriteString(indent + " text\n")
			inText = true
		}
		if isText && (t.SoftLineBreak() || t.HardLineBreak()) && c.NextSibling() != nil {
			b.WriteString(indent + " break\n")
			inText = false
		}
	}
}
