package page

import (
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Preview is the preview of a link to a page, in places where it is pasted: in words, and as a
// picture. Empty fields are not shown. Without a title it is generic, the same as for a page that
// does not exist.
type Preview struct {
	Title string // members' text
	Kind  string // the noun, such as "Decision"
	State string // in a word or two, such as "Open"
	// the state in words beside the picture, if they differ from the state and the kind, as in
	// "Open decision"
	Head  string
	Tone  Tone
	Count string    // such as "5 of 8 voted"
	Until string    // the meaning of At, such as "closes"
	At    time.Time // zero for none
	By    string    // the author
	Place string    // the studio's name

	Image string // root-relative URL of the picture; empty for the generic one
	URL   string // root-relative address of the link, if it is not the page's own
}

// Tone is the meaning of a state, for its colour.
type Tone uint8

// The tones of a state.
const (
	Calm Tone = iota // no action is needed
	Live             // people can take part
	Late             // it is overdue
	Good             // it succeeded
	Bad              // it failed
)

// description is the preview in words, with the state first.
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

// Due is the due time in words that do not change with the clock; empty if there is none. The
// time is in the zone, or in UTC.
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

// Card returns the title and the description of the preview of links to the page, in the words of
// its head. The title of a generic preview is empty.
func (p *Page) Card(c *Context) (title, description string) {
	switch {
	case p.Preview != nil:
		title, description = p.Preview.Title, p.Preview.description(c)
	case p.Public:
		title, description = nonempty(clean(p.Title, lineLimit)), Plain(p.State, c)
		if description == "" {
			description = p.Kind
		}
	}
	if title == "" {
		return "", ""
	}
	return headBytes(clean(title, lineLimit), titleBytes), headBytes(description, descriptionBytes)
}

// Embeds reports whether oEmbed may give other programs the preview of links to the page.
func (p *Page) Embeds() bool {
	return p.Public && !p.Only && (p.Preview == nil || p.Preview.Title != "")
}

// EmbedURL is the oEmbed address for links to a page, with the origin.
func EmbedURL(origin, path string) string {
	return origin + "/oembed?url=" + url.QueryEscape(origin+path)
}
