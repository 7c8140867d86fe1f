package page

import (
	"cmp"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Preview has the content of the preview that a chat program shows where a link to a page is
// pasted, in words and as a picture. Empty fields are not shown. A preview without a title is the
// generic one, which is the same as for a page that does not exist.
type Preview struct {
	Title string // text of members
	Kind  string // the kind of page, such as "Decision"
	State string // a word or two, such as "Open"
	// Head is the start of the description. If it is empty, the description starts with the state and the kind, as in
	// "Open decision".
	Head  string
	Tone  Tone
	Count string    // a count such as "5 of 8 voted"
	Until string    // the meaning of At, such as "closes"
	At    time.Time // the time to which Until refers; may be zero
	By    string    // the author
	Place string    // the studio's name

	Image string // root-relative URL of the picture; empty for the generic picture
	URL   string // root-relative URL to which the preview links; empty for the page's own
}

// Tone is the meaning of a state. It determines the colour of the state.
type Tone uint8

// These are the tones of a state.
const (
	Calm Tone = iota // no action is needed
	Live             // people can take part
	Late             // a person should act, for example because something is overdue
	Good             // something succeeded
	Bad              // something failed
	Runs             // an agent or a program works on it
	Soon             // its turn comes without anybody's action
)

// description returns the preview as one line of words, with Head first or, without Head, the state and the kind.
func (v *Preview) description(c *Context) string {
	var parts []string
	add := func(s string) {
		if s != "" {
			parts = append(parts, clean(s, lineLimit))
		}
	}
	switch {
	case v.Head != "":
		add(v.Head)
	case v.State != "" && v.Kind != "":
		add(v.State + " " + lower(v.Kind))
	default:
		add(v.Kind)
	}
	add(v.Count)
	if !v.At.IsZero() {
		add(v.Until + " " + string(appendDistance(nil, v.At, c.Now)))
	}
	if v.Place != "" {
		add(v.Place)
	}
	return strings.Join(parts, " · ")
}

// Due returns the time At with its meaning, such as "closes" and a date. The words do not change as time passes.
// The time is in the given zone, or in UTC if zone is nil. If At is zero, the result is empty.
func (v *Preview) Due(zone *time.Location) string {
	if v.At.IsZero() {
		return ""
	}
	return v.Until + " " + string(appendWhen(nil, v.At, &Context{Zone: zone}))
}

func lower(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[n:]
}

// Card returns the title and the description of the preview for links to the page, as in the head
// of its HTML. Both are empty for a generic preview.
func (p *Page) Card(c *Context) (title, description string) {
	switch {
	case p.Preview != nil:
		title, description = p.Preview.Title, p.Preview.description(c)
	case p.Public:
		title, description = nonempty(clean(p.Title, lineLimit)), Plain(p.State, c)
		description = cmp.Or(description, p.Kind)
	}
	if title == "" {
		return "", ""
	}
	return headBytes(clean(title, lineLimit), titleBytes), headBytes(description, descriptionBytes)
}

// Embeds reports whether the server may give the preview of links to this page to other programs
// over oEmbed.
func (p *Page) Embeds() bool {
	return p.Public && !p.Only && (p.Preview == nil || p.Preview.Title != "")
}

// EmbedURL returns the address at which the oEmbed data of a page is served. The argument origin is the scheme and
// host of the site.
func EmbedURL(origin, path string) string {
	return origin + "/oembed?url=" + url.QueryEscape(origin+path)
}
