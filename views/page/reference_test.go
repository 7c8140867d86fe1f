package page

import "testing"

// TestReferences checks that a reference to an invisible character is replaced like the character
// itself, and that every other reference stays as it is.
func TestReferences(t *testing.T) {
	for in, want := range map[string]string{
		"a&#x202e;b": "a\uFFFDb", "a&#8238;b": "a\uFFFDb", "a&#X202E;b": "a\uFFFDb", "&shy;": "\uFFFD", "&rlm;": "\uFFFD",
		"&lt;b&gt; &amp; &euro; &#65; &nbsp;": "&lt;b&gt; &amp; &euro; &#65; &nbsp;", "AT&T; &nothing;": "AT&T; &nothing;",
	} {
		if got := lines(in); got != want {
			t.Errorf("%q becomes %q, not %q", in, got, want)
		}
	}
	if got := Visible("bill\u202egpj.exe"); got != "bill\uFFFDgpj.exe" {
		t.Errorf("a name becomes %q", got)
	}
}
