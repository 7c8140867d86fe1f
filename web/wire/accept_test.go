package wire

import (
	"net/http"
	"strings"
	"testing"
)

const chrome = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8," +
	"application/signed-exchange;v=b3;q=0.7"

func TestNegotiate(t *testing.T) {
	for _, c := range []struct {
		accept string
		want   Format
	}{
		// These are common headers of browsers and agents.
		{"", HTML},
		{"*/*", HTML},
		{"text/*", HTML},
		{chrome, HTML},
		{"text/html, text/markdown", HTML},
		{"text/markdown;q=0.5, text/html", HTML},
		{"text/markdown", Markdown},
		{"text/markdown, text/html, */*", Markdown},
		{"text/markdown, text/html;q=0.9, */*;q=0.8", Markdown},
		{"text/markdown, */*", Markdown},
		{"text/html;q=0, text/markdown", Markdown},
		{"image/png", None},
		// These are headers of programs.
		{"application/json", JSON},
		{"application/json, text/html", JSON},
		{"application/json, */*;q=0.1", JSON},
		{"application/*", JSON},
		{"application/json;q=0.4, text/markdown;q=0.6", Markdown},
		// The most specific range decides the quality of a type, also with wildcards (RFC 9110 §12.5.1).
		{"*/*;q=0.5, text/markdown", Markdown},
		{"*/*, text/html;q=0.1", Markdown},
		{"text/html;q=0, */*", Markdown},
		{"text/*;q=0, */*", JSON},
		{"text/*;q=0.3, */*", JSON},
		{"text/*, application/json;q=0.5", HTML},
		{"text/markdown;q=0.3, text/*;q=0.7", HTML},
		{"text/html;q=0.1, text/*;q=0.5", Markdown},
		{"*", HTML}, // Java's URLConnection
		{"text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", HTML},
		{"*/html", None},
		// These have qualities.
		{"text/html;q=0.5, text/markdown;q=0.5", HTML},
		{"text/markdown;q=0.5, text/html;q=0.5", Markdown},
		{"text/markdown;q=0.501, text/html;q=0.5", Markdown},
		{"text/html;q=0", None},
		{"*/*;q=0", None},
		{"text/html;q=0.0, text/markdown;q=0.000", None},
		{"text/html;q=0.001", HTML},
		{"text/html;q=1.000, text/markdown;q=1", HTML},
		{"text/html; q = 0.5 , text/markdown", Markdown},
		{"text/html;Q=0.5, text/markdown", Markdown},
		{"text/html;level=1;q=0.4, text/markdown;variant=GFM;q=0.5", Markdown},
		// Case does not matter.
		{"TEXT/MARKDOWN", Markdown},
		{"Text/Html;q=0.2, Application/JSON", JSON},
		// These are malformed. A range that cannot be read counts as none.
		{"   ", HTML},
		{",", HTML},
		{", ,, ", HTML},
		{", text/markdown ,", Markdown},
		{"text", None},
		{"text/", None},
		{"/", None},
		{";;;", None},
		{"text/markdown;q=2", Markdown},
		{"text/markdown;q=-1", Markdown},
		{"text/markdown;q=NaN", Markdown},
		{"text/markdown;q=", Markdown},
		{"text/markdown;q", Markdown},
		{"text/markdown\x00", None},
		{"text/mark down, text/html", HTML},
		{strings.Repeat("a/b,", 5000) + "text/markdown", Markdown},
		// These have duplicates.
		{"text/markdown, text/markdown", Markdown},
		{"text/html, text/markdown, text/html", HTML},
		{"text/markdown;q=0.2, text/html;q=0.5, text/markdown;q=0.9", HTML},
	} {
		if got := negotiate(c.accept, HTML); got != c.want {
			t.Errorf("Accept: %.80q: %q, want %q", c.accept, mediaTypes[got], mediaTypes[c.want])
		}
	}
}

// TestAnswerFormat checks that a request which sends JSON and accepts anything gets JSON, and that a media type in its
// Accept header comes first.
func TestAnswerFormat(t *testing.T) {
	for _, c := range []struct {
		media, accept string
		want          Format
	}{
		{"application/json", "", JSON}, {"application/json", "*/*", JSON},
		{"application/json; charset=utf-8", "*/*", JSON},
		{"application/json", "text/markdown", Markdown}, {"application/json", "text/html", HTML},
		{"application/json", "image/png", JSON},
		{"application/json", "text/*", HTML}, {"application/x-www-form-urlencoded", "", HTML},
		{"application/x-www-form-urlencoded", chrome, HTML},
		{"application/x-www-form-urlencoded", "application/json", JSON}, {"", "text/markdown, */*", Markdown},
		{"text/plain", "image/png", HTML},
	} {
		r := &http.Request{Header: http.Header{"Content-Type": {c.media}, "Accept": {c.accept}}}
		if got := AnswerFormat(r); got != c.want {
			t.Errorf("%q accepting %q: %q, want %q", c.media, c.accept, mediaTypes[got], mediaTypes[c.want])
		}
	}
}

// TestAcceptInSeveralLines checks that several Accept headers mean the same as one (RFC 9110 §5.3).
func TestAcceptInSeveralLines(t *testing.T) {
	r := &http.Request{Header: http.Header{"Accept": {"image/png", "text/html;q=0.5", "text/markdown"}}}
	if got := AnswerFormat(r); got != Markdown {
		t.Errorf("got %q", mediaTypes[got])
	}
}

func FuzzNegotiate(f *testing.F) {
	for _, s := range []string{"", "*/*", chrome, "text/markdown;q=0.5, text/html", "text/*;q=0, */*", "a/b;q=1e300",
		",;,=", "*;q=0.0001", "text/html;q=0x1p-2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		for _, fallback := range []Format{HTML, JSON} {
			got := negotiate(accept, fallback)
			if got < None || got > JSON {
				t.Fatalf("%q: format %d", accept, got)
			}
			// The chosen format was asked for by its media type, by a wildcard, or by an empty header.
			lower := strings.ToLower(accept)
			if named, _, _ := strings.Cut(mediaTypes[got], ";"); got != None && strings.Trim(accept, ", \t") != "" &&
				!strings.Contains(lower, "*") && !strings.Contains(lower, named) {
				t.Fatalf("%q: %s was not asked for", accept, mediaTypes[got])
			}
			if again := negotiate(strings.ToUpper(accept), fallback); isASCII(accept) && again != got {
				t.Fatalf("%q: %s, in upper case %s", accept, mediaTypes[got], mediaTypes[again])
			}
			if !strings.Contains(lower, "text/markdown") && negotiate(accept+", text/markdown", fallback) == None {
				t.Fatalf("%q: markdown was added and nothing chosen", accept)
			}
			if q := quality(accept); q < 0 || q > 1000 {
				t.Fatalf("%q: quality %d", accept, q)
			}
		}
	})
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
