package page

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"samepage/views/page/pagetest"
)

// htmlTags lists the tags of an HTML page with the names of their attributes. It leaves out
// quotations.
func htmlTags(page string) string {
	var b strings.Builder
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return err.Error()
	}
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode {
			b.WriteString(n.Data)
			for _, a := range n.Attr {
				b.WriteString(" " + a.Key)
				if a.Key == "href" || a.Key == "id" || a.Key == "class" {
					b.WriteString("=" + a.Val)
				}
			}
			b.WriteByte('\n')
			if n.Data == "blockquote" {
				return
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(doc)
	return b.String()
}

func TestBothFormsSayTheSame(t *testing.T) {
	c := sampleContext()
	c.Full = true
	same(t, "sample", sample(), c)
	p, c := slots(func(name string) string { return "the " + name })
	same(t, "slots", p, c)
	for _, h := range pagetest.Hostile() {
		if strings.TrimSpace(h) == "" {
			continue
		}
		p, c := slots(func(name string) string {
			if strings.HasSuffix(name, "prose") {
				return "x"
			}
			return h
		})
		same(t, h, p, c)
	}
}

func TestProseSaysTheSame(t *testing.T) {
	for _, h := range pagetest.Hostile() {
		p := &Page{
			URL:    "/x",
			Title:  "x",
			Blocks: []Block{Prose{Lead: Line(T("By x")), Text: h}, Prose{Lead: Line(T("By x")), Text: h}},
		}
		same(t, h, p, &Context{Now: now, Full: true})
	}
}

func same(t *testing.T, name string, p *Page, c *Context) {
	t.Helper()
	md, htm := pagetest.Words(string(p.AppendMarkdown(nil, c))), pagetest.HTMLWords(string(p.AppendHTML(nil, c)))
	if slices.Equal(md, htm) {
		return
	}
	for i := range md {
		if i >= len(htm) || md[i] != htm[i] {
			t.Errorf("%.60q: the forms differ:\nmarkdown: %q\nHTML:     %q", name,
				md[max(0, i-3):min(len(md), i+6)],
				htm[min(len(htm), max(0, i-3)):min(len(htm), i+6)])
			return
		}
	}
	t.Errorf("%.60q: the HTML says more: %q", name, htm[len(md):])
}
