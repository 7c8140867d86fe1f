package page

import (
	"strings"
	"testing"
)

// TestEmptyOffers checks that an empty list has buttons for at most three offered actions that create or invite
// something. Markdown has only the sentence.
func TestEmptyOffers(t *testing.T) {
	p := Page{URL: "/x", Title: "X", Blocks: []Block{Empty(Line(T("Nothing is here.")))}}
	if h := string(p.AppendHTML(nil, &Context{})); strings.Contains(h, `class="buttons" data-extra`) {
		t.Errorf("offers nothing: %s", h)
	}
	for _, name := range []string{"join", "create_a", "invite_b", "create_c", "create_d"} {
		p.Forms = append(p.Forms, Form{Name: name, Title: "Do " + name, URL: "/x/actions/" + name})
	}
	h := string(p.AppendHTML(nil, &Context{}))
	_, h, _ = strings.Cut(h, `<div class="empty">`)
	h, _, _ = strings.Cut(h, "</div>")
	if got := strings.Count(h, `<a class="button"`); got != 3 || strings.Contains(h, "/join") ||
		strings.Contains(h, "create_d") || !strings.Contains(h, `href="/x/actions/create_a">Do create_a</a>`) {
		t.Errorf("%d buttons: %s", got, h)
	}
	if md := string(p.AppendMarkdown(nil, &Context{})); !strings.Contains(md, "\nNothing is here.\n") {
		t.Error(md)
	}
}
