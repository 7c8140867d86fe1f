package page

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// attrs lists the values of an attribute in a page, as tag=value.
func attrs(t *testing.T, page, key string) (all []string) {
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			if a.Key == key {
				all = append(all, n.Data+"="+a.Val)
			}
		}
	}
	return all
}

func TestPreviewCard(t *testing.T) {
	p, c := sample(), sampleContext()
	c.Origin = "https://example.org"
	private := string(p.AppendHTML(nil, c))
	if head, _, _ := strings.Cut(private, "<link rel=\"canonical\""); strings.Contains(strings.SplitN(head, "</title>", 2)[1], "standups") {
		t.Errorf("the card of a private page says what it is:\n%s", head)
	}
	p.Public, p.Card, p.Title = true, "/cards/x.png", strings.Repeat("漢", 50)
	p.Labels = []Fact{{"State", Line(T("Open"))}, {"Due", Line(When(now))}}
	page := string(p.AppendHTML(nil, c))
	if !strings.HasPrefix(page, "<!DOCTYPE html>") || strings.Index(page, "</head>") > 4096 {
		t.Errorf("the head ends at %d", strings.Index(page, "</head>"))
	}
	for _, name := range []string{"og:type", "og:site_name", "og:title", "og:description", "og:url", "og:image", "og:image:type", "og:image:width", "og:image:height", "og:image:alt",
		"twitter:card", "twitter:label1", "twitter:data1", "twitter:label2", "twitter:data2", "theme-color", "description"} {
		if n := strings.Count(page, `"`+name+`"`); n != 1 {
			t.Errorf("%s is there %d times", name, n)
		}
	}
	for _, m := range []struct {
		name  string
		bytes int
		start string
	}{{"og:title", 60, "漢"}, {"og:description", 200, "Open, closes"}} {
		_, rest, _ := strings.Cut(page, `"`+m.name+`" content="`)
		value, _, _ := strings.Cut(rest, `"`)
		if len(value) > m.bytes || !utf8.ValidString(value) || !strings.HasPrefix(value, m.start) {
			t.Errorf("%s is %q, %d bytes", m.name, value, len(value))
		}
	}
}

func TestIDsAreUniqueAndRefer(t *testing.T) {
	p, c := sample(), sampleContext()
	p.Blocks = append(p.Blocks, Prose{Text: prose1}, Prose{Text: prose1})
	kinds, _ := kinds()
	for _, p := range []*Page{p, kinds} {
		page := string(p.AppendHTML(nil, c))
		ids := map[string]bool{}
		for _, id := range attrs(t, page, "id") {
			_, id, _ = strings.Cut(id, "=")
			if ids[id] {
				t.Errorf("the id %q is there twice", id)
			}
			ids[id] = true
		}
		var refs []string
		for _, key := range []string{"for", "aria-describedby", "aria-labelledby"} {
			for _, v := range attrs(t, page, key) {
				_, v, _ = strings.Cut(v, "=")
				refs = append(refs, strings.Fields(v)...)
			}
		}
		for _, v := range attrs(t, page, "href") {
			if id, ok := strings.CutPrefix(v, "a=#"); ok {
				refs = append(refs, id)
			}
		}
		for _, id := range refs {
			if !ids[id] {
				t.Errorf("nothing has the id %q", id)
			}
		}
		if len(attrs(t, page, "style"))+strings.Count(page, "<script")+strings.Count(page, "<style") > 0 {
			t.Error("inline style or script")
		}
	}
}

func TestHeadingsLeaveNoLevelOut(t *testing.T) {
	p, c := sample(), sampleContext()
	p.Blocks = append(p.Blocks, Section{Title: "a", Blocks: []Block{Section{Title: "b", Blocks: []Block{Prose{Text: "#### deep\n\n# top\n\n### three\n\n#"}}}}})
	doc, err := html.Parse(strings.NewReader(string(p.AppendHTML(nil, c))))
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6' {
			level := int(n.Data[1] - '0')
			if level > last+1 || n.FirstChild == nil {
				t.Errorf("%s after h%d", n.Data, last)
			}
			last = level
		}
	}
}

func TestRowActions(t *testing.T) {
	page := string(sample().AppendHTML(nil, sampleContext()))
	for i := 1; i <= 3; i++ {
		want := fmt.Sprintf("<input type=\"hidden\" name=\"_idempotency_key\" value=\"k4.%d\">\n<input type=\"hidden\" name=\"option\" value=\"%d\">\n<button type=\"submit\" class=\"small\">Pin", i, i)
		if !strings.Contains(page, want) {
			t.Errorf("row %d has no button", i)
		}
	}
	if strings.Contains(page, `action="/studios/team/d/k3v9x0a2mq/actions/withdraw"`) {
		t.Error("what cannot be undone can be done without its own page")
	}
}

func TestHelpPages(t *testing.T) {
	p := &Page{URL: "/help/x", Title: "Help", Blocks: []Block{Doc("# Voting\n\nText.\n\n## Methods\n\n```\n# not a heading\n```\n")}}
	md, htm := string(p.AppendMarkdown(nil, &Context{Full: true})), string(p.AppendHTML(nil, &Context{Full: true}))
	if !strings.Contains(md, "\n\n## Voting\n\nText.\n\n### Methods\n\n```\n# not a heading\n```\n") {
		t.Errorf("markdown: %s", md)
	}
	if !strings.Contains(htm, `<h2 id="voting">Voting</h2>`) || !strings.Contains(htm, `<h3 id="methods">Methods</h3>`) {
		t.Errorf("HTML: %s", htm)
	}
	same(t, "help", p, &Context{Full: true})
}
