package web

import (
	"net/http"
	"strconv"
	"strings"
)

// form is one of the three forms of a page.
type form int

const (
	formNone form = iota // nothing acceptable
	formHTML
	formMarkdown
	formJSON
)

var formTypes = map[form]string{
	formHTML:     "text/html; charset=utf-8",
	formMarkdown: "text/markdown; charset=utf-8",
	formJSON:     "application/json",
}

// offered lists the media types of the forms, the default first.
var offered = []struct {
	media string
	form  form
}{{"text/html", formHTML}, {"text/markdown", formMarkdown}, {"application/json", formJSON}}

// accept is the whole of a request's Accept header, which may come in several lines (RFC 9110 §5.3).
func accept(r *http.Request) string { return strings.Join(r.Header["Accept"], ",") }

// negotiate picks the form for an Accept header (RFC 9110 §12.5.1). The most specific range decides a type's quality; of
// equal qualities the type named first wins, because agents send "text/markdown, text/html, */*"; what only a wildcard
// names comes after what is named, with fallback first.
func negotiate(accept string, fallback form) form {
	if strings.Trim(accept, ", \t") == "" {
		return fallback
	}
	type rank struct {
		quality, specificity, place int // quality in thousandths
	}
	var ranks [4]rank
	found := false
	i := 0
	for item := range strings.SplitSeq(accept, ",") {
		i++
		media, params, _ := strings.Cut(item, ";")
		media = strings.ToLower(strings.TrimSpace(media))
		q := quality(params)
		for _, o := range offered {
			specificity := matches(media, o.media)
			if specificity == 0 || specificity <= ranks[o.form].specificity {
				continue
			}
			ranks[o.form] = rank{q, specificity, i}
			found = true
		}
	}
	if !found {
		return formNone
	}
	best := formNone
	better := func(a, b form) bool {
		x, y := ranks[a], ranks[b]
		if x.quality != y.quality {
			return x.quality > y.quality
		}
		if (x.specificity == 3) != (y.specificity == 3) {
			return x.specificity == 3
		}
		if x.specificity < 3 {
			return a == fallback // the same wildcard, or two: neither type is named
		}
		return x.place < y.place
	}
	for _, o := range offered {
		if ranks[o.form].quality > 0 && (best == formNone || better(o.form, best)) {
			best = o.form
		}
	}
	return best
}

// matches says how specifically a media range names a type: 3 exactly, 2 by its major type, 1 by */*, 0 not at all.
func matches(mediaRange, media string) int {
	major, _, _ := strings.Cut(media, "/")
	switch mediaRange {
	case media:
		return 3
	case major + "/*":
		return 2
	case "*/*", "*":
		return 1
	}
	return 0
}

// quality is the q parameter in thousandths; 1000 if there is none that can be read.
func quality(params string) int {
	for p := range strings.SplitSeq(params, ";") {
		k, v, ok := strings.Cut(strings.TrimSpace(p), "=")
		if !ok || !strings.EqualFold(strings.TrimSpace(k), "q") {
			continue
		}
		if f, err := strconv.ParseFloat(strings.TrimSpace(v), 64); err == nil && f >= 0 && f <= 1 {
			return int(f*1000 + 0.5)
		}
	}
	return 1000
}
