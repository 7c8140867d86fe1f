// Package wire reads the bodies of requests and writes pages in the format that the request accepts. It knows nothing
// about particular pages or actors.
package wire

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// Format is one of the three formats of a page, or None.
type Format int

// None means that a request accepts no format.
const (
	None Format = iota
	HTML
	Markdown
	JSON
)

var mediaTypes = map[Format]string{
	HTML:     "text/html; charset=utf-8",
	Markdown: "text/markdown; charset=utf-8",
	JSON:     "application/json",
}

// EventStream is the media type of a stream of events.
const EventStream = "text/event-stream"

// formats lists the media types of the formats.
var formats = []struct {
	media  string
	format Format
}{{"text/html", HTML}, {"text/markdown", Markdown}, {"application/json", JSON}}

// PageFormat returns the format of the page for a GET. The default is HTML.
func PageFormat(r *http.Request) Format { return negotiate(accept(r), HTML) }

// AnswerFormat returns the format of an answer that is never refused, such as the answer to a POST or an error. The
// default is JSON for a request that sends JSON, and HTML otherwise. The result is never None.
func AnswerFormat(r *http.Request) Format {
	fallback := HTML
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media == "application/json" {
		fallback = JSON
	}
	f := negotiate(accept(r), fallback)
	if f == None {
		return fallback
	}
	return f
}

// accept returns the whole Accept header of a request, which may come in several lines (RFC 9110 §5.3).
func accept(r *http.Request) string { return strings.Join(r.Header["Accept"], ",") }

// negotiate chooses the format for an Accept header (RFC 9110 §12.5.1). The most specific media range decides the
// quality of a format. Of formats with equal quality, the one that the header lists first wins, because agents send
// "text/markdown, text/html, */*". Formats that only a wildcard matches come last, the fallback first among them.
func negotiate(accept string, fallback Format) Format {
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
		for _, o := range formats {
			specificity := matches(media, o.media)
			if specificity == 0 || specificity <= ranks[o.format].specificity {
				continue
			}
			ranks[o.format] = rank{q, specificity, i}
			found = true
		}
	}
	if !found {
		return None
	}
	best := None
	better := func(a, b Format) bool {
		x, y := ranks[a], ranks[b]
		if x.quality != y.quality {
			return x.quality > y.quality
		}
		if (x.specificity == 3) != (y.specificity == 3) {
			return x.specificity == 3
		}
		if x.specificity < 3 {
			return a == fallback // both formats match only a wildcard
		}
		return x.place < y.place
	}
	for _, o := range formats {
		if ranks[o.format].quality > 0 && (best == None || better(o.format, best)) {
			best = o.format
		}
	}
	return best
}

// matches returns how specifically a media range matches a media type: 3 if they are equal, 2 for a range such as
// text/*, 1 for */* and 0 if they do not match.
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

// quality returns the q parameter in thousandths. The default is 1000, also for a q that cannot be read.
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
