package page

import "strings"

// The colour of the browser's frame, the same as app.css's header, and the bounds of a preview card in bytes (Discord
// cuts titles at 67; one rune may be four).
const (
	themeColor       = "#2f5d50"
	titleBytes       = 60
	descriptionBytes = 200
)

// head writes the document's head, within its first 4 KB: several previewers read no further.
func (w *htmlWriter) head() {
	p := w.p
	title, description := "Sign in to "+w.site(), "A workspace for people and their agents."
	if p.Public {
		title = nonempty(clean(p.Title, lineLimit))
		description = w.plain(p.State)
		if p.Kind != "" && description == "" {
			description = p.Kind
		}
	}
	w.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>")
	w.text(p.Title)
	w.raw(" · ")
	w.text(w.site())
	w.raw("</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
	if !p.Public {
		w.raw("<meta name=\"robots\" content=\"noindex\">\n")
	}
	w.meta("name", "description", cutBytes(description, descriptionBytes))
	w.raw(`<link rel="canonical"`)
	w.absolute("href", p.URL)
	w.raw(">\n<link rel=\"alternate\" type=\"text/markdown\" title=\"Markdown\"")
	w.absolute("href", markdownURL(p.URL))
	w.raw(">\n")
	w.meta("property", "og:type", "website")
	w.meta("property", "og:site_name", cutBytes(w.site(), descriptionBytes))
	w.meta("property", "og:title", cutBytes(title, titleBytes))
	if description != "" {
		w.meta("property", "og:description", cutBytes(description, descriptionBytes))
	}
	w.raw(`<meta property="og:url"`)
	if p.Public {
		w.absolute("content", p.URL)
	} else {
		w.absolute("content", "/login")
	}
	w.raw(">\n")
	w.card()
	w.raw(`<meta name="theme-color" content="` + themeColor + `">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/static/app.css">
`)
	if p.Script != "" {
		w.raw(`<script defer`)
		w.attr("src", p.Script)
		w.raw("></script>\n")
	}
	if p.Next != "" {
		w.raw(`<link rel="next"`)
		w.href(p.Next)
		w.raw(">\n")
	}
	w.raw("</head>\n")
}

// card writes the tags of the preview's picture, if there is one, and what Slack shows as fields.
func (w *htmlWriter) card() {
	if w.p.Card == "" {
		w.meta("name", "twitter:card", "summary")
	} else {
		w.raw(`<meta property="og:image"`)
		w.absolute("content", w.p.Card)
		w.raw(">\n")
		w.meta("property", "og:image:type", "image/png")
		w.meta("property", "og:image:width", "1200")
		w.meta("property", "og:image:height", "630")
		w.meta("property", "og:image:alt", cutBytes(nonempty(clean(w.p.Title, lineLimit)), descriptionBytes))
		w.meta("name", "twitter:card", "summary_large_image")
	}
	if w.p.Public && len(w.p.Labels) > 0 {
		for i, l := range w.p.Labels {
			n := string(rune('1' + i))
			w.meta("name", "twitter:label"+n, l.Label)
			w.meta("name", "twitter:data"+n, cutBytes(w.plain(l.Value), descriptionBytes))
			if i == 1 {
				break
			}
		}
	}
}

func (w *htmlWriter) meta(key, name, content string) {
	w.raw("<meta")
	w.attr(key, name)
	w.attr("content", content)
	w.raw(">\n")
}

// absolute writes an address with the origin, as programs elsewhere need it.
func (w *htmlWriter) absolute(attr, url string) {
	w.raw(" ")
	w.raw(attr)
	w.raw(`="`)
	at := len(w.b)
	w.b = appendURL(w.b, url, w.c.Origin, w.p.URL)
	w.b = escapeTail(w.b, at)
	w.raw(`"`)
}

// plain is the words of a line.
func (w *htmlWriter) plain(in []Inline) string {
	var b []byte
	s := spans{limit: lineLimit}
	for i := range in {
		text, kind, space, ok := s.next(&in[i], false)
		if !ok {
			continue
		}
		if space {
			b = append(b, ' ')
		}
		if kind == inlineTime || kind == inlineSpan {
			b = appendMoment(b, &in[i], w.c)
		} else {
			b = append(b, text...)
		}
	}
	return string(b)
}

// markdownURL is where the markdown form of a page is, whatever is preferred.
func markdownURL(url string) string {
	path, query := url, ""
	if i := strings.IndexByte(url, '?'); i >= 0 {
		path, query = url[:i], url[i:]
	}
	if strings.HasSuffix(path, "/") {
		return path + "index.md" + query
	}
	return path + ".md" + query
}
