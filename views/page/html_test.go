package page

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"samepage/views/page/pagetest"
)

// attrs lists the values of an attribute in a page, each as "tag=value".
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
	c.Origin, c.Picture = "https://example.org", "/card/generic.png"
	generic := pagetest.Card(t, string(p.AppendHTML(nil, c)))
	for name, v := range generic {
		if name != "canonical" && name != "alternatetext/markdown" &&
			(strings.Contains(v, "standups") || strings.Contains(v, "k3v9")) {
			t.Errorf("%s of a private page is %q", name, v)
		}
	}
	if generic["og:title"] != "Sign in to Example" || generic["og:url"] != "https://example.org/login" ||
		generic["og:image"] != "https://example.org/card/generic.png" || generic["robots"] != "noindex" {
		t.Errorf("the generic card: %v", generic)
	}
	p.Public = true
	p.Preview = &Preview{
		Title: strings.Repeat("漢", 50),
		Kind:  "Decision",
		State: "Open",
		Count: "5 of 8 voted",
		Until: "closes",
		At:    now.Add(80 * time.Hour),
		By:    "@bob",
		Place: "Team",
		Image: "/studios/team/d/k3v9x0a2mq/card/x.png",
	}
	own := pagetest.Card(t, string(p.AppendHTML(nil, c)))
	for name, want := range map[string]string{
		"og:title":                         strings.Repeat("漢", 19) + "…",
		"og:description":                   "Open decision · 5 of 8 voted · closes in 3 days · Team",
		"og:url":                           "https://example.org" + p.URL,
		"canonical":                        "https://example.org" + p.URL,
		"og:image":                         "https://example.org/studios/team/d/k3v9x0a2mq/card/x.png",
		"twitter:card":                     "summary_large_image",
		"twitter:label1":                   "State",
		"twitter:data1":                    "Open",
		"twitter:label2":                   "Due",
		"twitter:data2":                    "Mon 23 Nov 2026 20:00 UTC",
		"robots":                           "",
		"alternateapplication/json+oembed": "https://example.org/oembed?url=https%3A%2F%2Fexample.org%2Fstudios%2Fteam%2Fd%2Fk3v9x0a2mq",
	} {
		if own[name] != want {
			t.Errorf("%s is %q, want %q", name, own[name], want)
		}
	}
	p.Preview = &Preview{}
	off := pagetest.Card(t, string(p.AppendHTML(nil, c)))
	delete(off, "canonical")
	delete(generic, "canonical")
	delete(generic, "robots") // the page itself can be read
	if !maps.Equal(off, generic) {
		t.Errorf("previews are off:\n%v, want\n%v", off, generic)
	}
}

// TestPreviewOfHostileWords checks that a member's text never pushes a preview tag out of the first
// 4 KB, splits a rune, or ends an attribute.
func TestPreviewOfHostileWords(t *testing.T) {
	for _, text := range []string{strings.Repeat("&", 300), strings.Repeat(`"`, 300),
		strings.Repeat("<", 300), strings.Repeat("😀", 300), strings.Repeat("\u202e", 300),
		strings.Repeat("é", 300),
		`"><meta property="og:title" content="x">`, "</title></head><script>", "\xff\x00",
		strings.Repeat("a", 57) + "😀😀", strings.Repeat("a", 55) + "漢字"} {
		p, c := sample(), sampleContext()
		c.Origin, c.Picture, c.Site = "https://a-rather-long-name.of-some-host.example.org", "/card/generic.png", text
		p.Title, p.Public, p.URL = text, true, "/studios/"+strings.Repeat("a", 40)+"/d/k3v9x0a2mq"
		p.State = Line(T(text))
		pagetest.Card(t, string(p.AppendHTML(nil, c)))
		p.Preview = &Preview{
			Title: text,
			Kind:  "Decision",
			State: "Done in part",
			Count: "1,000 of 1,000 voted",
			Until: "closes",
			At:    now,
			By:    text,
			Place: text,
			Image: p.URL + "/card/0123456789abcdef01234567.png",
			URL:   p.URL + "?card=0123456789abcdef01234567890123456789",
		}
		pagetest.Card(t, string(p.AppendHTML(nil, c)))
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
		inline := strings.Count(page, "<script") - strings.Count(page, `"></script>`)
		if len(attrs(t, page, "style"))+inline+strings.Count(page, "<style") > 0 {
			t.Error("inline style or script")
		}
	}
}

func TestHeadingsLeaveNoLevelOut(t *testing.T) {
	p, c := sample(), sampleContext()
	p.Blocks = append(p.Blocks, Section{
		Title:  "a",
		Blocks: []Block{Section{Title: "b", Blocks: []Block{Prose{Text: "#### deep\n\n# top\n\n### three\n\n#"}}}},
	})
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
		want := fmt.Sprintf("<input type=\"hidden\" name=\"_idempotency_key\" value=\"k4.%d\">\n<input "+
			"type=\"hidden\" name=\"option\" value=\"%d\">\n<button type=\"submit\" class=\"small\">Pin", i, i)
		if !strings.Contains(page, want) {
			t.Errorf("row %d has no button", i)
		}
	}
	if strings.Contains(page, `action="/studios/team/d/k3v9x0a2mq/actions/withdraw"`) {
		t.Error("what cannot be undone can be done without its own page")
	}
}

func TestHelpPages(t *testing.T) {
	p := &Page{
		URL:    "/help/x",
		Title:  "Help",
		Blocks: []Block{Doc("# Voting\n\nText.\n\n## Methods\n\n```\n# not a heading\n```\n")},
	}
	md, htm := string(p.AppendMarkdown(nil, &Context{Full: true})), string(p.AppendHTML(nil, &Context{Full: true}))
	if !strings.Contains(md, "\n\n## Voting\n\nText.\n\n### Methods\n\n```\n# not a heading\n```\n") {
		t.Errorf("markdown: %s", md)
	}
	if !strings.Contains(htm, `<h2 id="voting">Voting</h2>`) ||
		!strings.Contains(htm, `<h3 id="methods">Methods</h3>`) {
		t.Errorf("HTML: %s", htm)
	}
	same(t, "help", p, &Context{Full: true})
}
