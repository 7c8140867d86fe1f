package web

import (
	"net/http"
	"strings"
	"testing"
)

const chrome = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7"

func TestNegotiate(t *testing.T) {
	for _, c := range []struct {
		accept string
		want   form
	}{
		// The table of contracts.md §2.
		{"", formHTML},
		{"*/*", formHTML},
		{"text/*", formHTML},
		{chrome, formHTML},
		{"text/html, text/markdown", formHTML},
		{"text/markdown;q=0.5, text/html", formHTML},
		{"text/markdown", formMarkdown},
		{"text/markdown, text/html, */*", formMarkdown},
		{"text/markdown, text/html;q=0.9, */*;q=0.8", formMarkdown},
		{"text/markdown, */*", formMarkdown},
		{"text/html;q=0, text/markdown", formMarkdown},
		{"image/png", formNone},
		// Programs.
		{"application/json", formJSON},
		{"application/json, text/html", formJSON},
		{"application/json, */*;q=0.1", formJSON},
		{"application/*", formJSON},
		{"application/json;q=0.4, text/markdown;q=0.6", formMarkdown},
		// Wildcards: the most specific range decides a type's quality (RFC 9110 §12.5.1).
		{"*/*;q=0.5, text/markdown", formMarkdown},
		{"*/*, text/html;q=0.1", formMarkdown},
		{"text/html;q=0, */*", formMarkdown},
		{"text/*;q=0, */*", formJSON},
		{"text/*;q=0.3, */*", formJSON},
		{"text/*, application/json;q=0.5", formHTML},
		{"text/markdown;q=0.3, text/*;q=0.7", formHTML},
		{"text/html;q=0.1, text/*;q=0.5", formMarkdown},
		{"*", formHTML}, // Java's URLConnection
		{"text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", formHTML},
		{"*/html", formNone},
		// Qualities.
		{"text/html;q=0.5, text/markdown;q=0.5", formHTML},
		{"text/markdown;q=0.5, text/html;q=0.5", formMarkdown},
		{"text/markdown;q=0.501, text/html;q=0.5", formMarkdown},
		{"text/html;q=0", formNone},
		{"*/*;q=0", formNone},
		{"text/html;q=0.0, text/markdown;q=0.000", formNone},
		{"text/html;q=0.001", formHTML},
		{"text/html;q=1.000, text/markdown;q=1", formHTML},
		{"text/html; q = 0.5 , text/markdown", formMarkdown},
		{"text/html;Q=0.5, text/markdown", formMarkdown},
		{"text/html;level=1;q=0.4, text/markdown;variant=GFM;q=0.5", formMarkdown},
		// Case.
		{"TEXT/MARKDOWN", formMarkdown},
		{"Text/Html;q=0.2, Application/JSON", formJSON},
		// Malformed: what cannot be read is not there.
		{"   ", formHTML},
		{",", formHTML},
		{", ,, ", formHTML},
		{", text/markdown ,", formMarkdown},
		{"text", formNone},
		{"text/", formNone},
		{"/", formNone},
		{";;;", formNone},
		{"text/markdown;q=2", formMarkdown},
		{"text/markdown;q=-1", formMarkdown},
		{"text/markdown;q=NaN", formMarkdown},
		{"text/markdown;q=", formMarkdown},
		{"text/markdown;q", formMarkdown},
		{"text/markdown\x00", formNone},
		{"text/mark down, text/html", formHTML},
		{strings.Repeat("a/b,", 5000) + "text/markdown", formMarkdown},
		// Duplicates.
		{"text/markdown, text/markdown", formMarkdown},
		{"text/html, text/markdown, text/html", formHTML},
		{"text/markdown;q=0.2, text/html;q=0.5, text/markdown;q=0.9", formHTML},
	} {
		if got := negotiate(c.accept, formHTML); got != c.want {
			t.Errorf("Accept: %.80q: %q, want %q", c.accept, formTypes[got], formTypes[c.want])
		}
	}
}

// Whoever sends JSON and accepts anything gets JSON; what is named still counts.
func TestAnswerForm(t *testing.T) {
	for _, c := range []struct {
		media, accept string
		want          form
	}{
		{"application/json", "", formJSON}, {"application/json", "*/*", formJSON}, {"application/json; charset=utf-8", "*/*", formJSON},
		{"application/json", "text/markdown", formMarkdown}, {"application/json", "text/html", formHTML}, {"application/json", "image/png", formJSON},
		{"application/json", "text/*", formHTML}, {"application/x-www-form-urlencoded", "", formHTML}, {"application/x-www-form-urlencoded", chrome, formHTML},
		{"application/x-www-form-urlencoded", "application/json", formJSON}, {"", "text/markdown, */*", formMarkdown}, {"text/plain", "image/png", formHTML},
	} {
		r := &http.Request{Header: http.Header{"Content-Type": {c.media}, "Accept": {c.accept}}}
		if got := answerForm(r); got != c.want {
			t.Errorf("%q accepting %q: %q, want %q", c.media, c.accept, formTypes[got], formTypes[c.want])
		}
	}
}

// Several lines of Accept mean the same as one (RFC 9110 §5.3).
func TestAcceptInSeveralLines(t *testing.T) {
	r := &http.Request{Header: http.Header{"Accept": {"image/png", "text/html;q=0.5", "text/markdown"}}}
	if got := answerForm(r); got != formMarkdown {
		t.Errorf("got %q", formTypes[got])
	}
}

func FuzzNegotiate(f *testing.F) {
	for _, s := range []string{"", "*/*", chrome, "text/markdown;q=0.5, text/html", "text/*;q=0, */*", "a/b;q=1e300", ",;,=", "*;q=0.0001", "text/html;q=0x1p-2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		for _, fallback := range []form{formHTML, formJSON} {
			got := negotiate(accept, fallback)
			if got < formNone || got > formJSON {
				t.Fatalf("%q: form %d", accept, got)
			}
			// What is chosen was asked for: by its name, by a wildcard, or by an empty header.
			lower := strings.ToLower(accept)
			if named, _, _ := strings.Cut(formTypes[got], ";"); got != formNone && strings.Trim(accept, ", \t") != "" &&
				!strings.Contains(lower, "*") && !strings.Contains(lower, named) {
				t.Fatalf("%q: %s was not asked for", accept, formTypes[got])
			}
			if again := negotiate(strings.ToUpper(accept), fallback); isASCII(accept) && again != got {
				t.Fatalf("%q: %s, in upper case %s", accept, formTypes[got], formTypes[again])
			}
			if !strings.Contains(lower, "text/markdown") && negotiate(accept+", text/markdown", fallback) == formNone {
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
