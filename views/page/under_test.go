package page

import "testing"

// TestBylinesEndAlike checks that the writers end the line about a page with a full stop, which HTML shows nobody. The
// place of the line on the page makes no difference.
func TestBylinesEndAlike(t *testing.T) {
	by, text := Under{T("By "), Who("@bob", "")}, Para{T("Text.")}
	const ends = `@bob</span><span class="vh">.</span>`
	for _, s := range []shown{
		{name: "under the title", page: of(by, text), html: []string{`<p class="under"><span>By `, ends + `</span>`}},
		{name: "further down", page: of(text, by), html: []string{`<p class="under">By `, ends + `</p>`}},
		{name: "twice", page: of(by, by), no: []string{"@bob.."}},
		{name: "empty", page: of(Under{}, text), noHTML: []string{`class="under"`}, noMD: []string{"\n."}},
	} {
		if s.name != "empty" {
			s.md = []string{"\nBy @bob.\n"}
		}
		s.check(t)
	}
}
