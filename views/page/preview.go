package page

import (
	"cmp"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Preview has the content of the preview that a chat program shows for a link. Empty fields are not shown. A preview
// without a title is the generic one, as for a page that does not exist.
type Preview struct {
	Title string // text of members
	Kind  string // the kind of page, such as "Decision"
	State string // a word or two, such as "Open"
	// Head is the start of the description. If it is empty, the description starts with the state and the kind, as in
	// "Open decision".
	Head  string
	Tone  Tone
	Count string    // a count such as "5 of 8 voted"
	Until string    // meaning of At, such as "closes"
	At    time.Time // may be zero
	By    string    // author
	Place string    // name of the studio

	Image string // root-relative URL of the picture; empty for the generic picture
	URL   string // root-relative URL for the preview, such as one with a key; empty for the URL of the page
}

// Tone is the meaning of a state, which determines its colour.
type Tone uint8

// The tones are the possible meanings of a state.
const (
	Calm Tone = iota // no action is needed
	Live             // people can take part
	Late             // a person should act
	Good             // something succeeded
	Bad              // something failed
	Runs             // an agent or a program works on it
	Soon             // its turn comes by itself
)

// description returns the preview as one line of words.
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

// Due returns the time At with its meaning, such as "closes" and a date. The time is in the given zone, or in UTC if
// zone is nil. If At is zero, the result is "".
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

// Card returns the title and the description of the preview, which are empty for a generic preview.
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

// Embeds reports whether the server may give the preview of links to this page to other programs over oEmbed.
func (p *Page) Embeds() bool {
	return p.Public && !p.Only && (p.Preview == nil || p.Preview.Title != "")
}

// EmbedURL returns the address of a page's oEmbed data. The argument origin is the scheme and host of the site.
func EmbedURL(origin, path string) string {
	return origin + "/oembed?url=" + url.QueryEscape(origin+path)
}
