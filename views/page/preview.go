package page

import (
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Preview is what a link to a page shows where it is pasted: in words, and as a picture. What is empty is not shown.
// Without a title it is generic, the same as of a page that does not exist.
type Preview struct {
	Title string // members' text
	Kind  string // the noun, such as "Decision"
	State string // in a word or two, such as "Open"
	Head  string // the state in words beside the picture, if they are not the state and the kind, as in "Open decision"
	Tone  Tone
	Count string    // such as "5 of 8 voted"
	Until string    // what At is, such as "closes"
	At    time.Time // zero for none
	By    string    // who made it
	Place string    // the studio's name

	Image string // root-relative URL of the picture; empty for the generic one
	URL   string // root-relative, where the link leads, if that is not the page's own
}

// Tone is what a state means, for its colour.
type Tone uint8

// The tones of a state.
const (
	Calm Tone = iota // nothing is asked
	Live             // something is asked
	Late             // it is overdue
	Good             // it came about
	Bad              // it did not
)

// description is what a preview says in words: the state first.
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

// Due is what a preview says of its time, which does not change with the clock; empty if it has none. It is told in the zone,
// or in UTC.
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

// Card is what links to the page show in words, in the words of its head, for other programs; the title of a generic one is
// empty.
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

// Embeds reports that other programs may be told by oEmbed what links to the page show.
func (p *Page) Embeds() bool {
	return p.Public && !p.Only && (p.Preview == nil || p.Preview.Title != "")
}

// EmbedURL is where other programs are told what links to a page show (oEmbed), with the origin.
func EmbedURL(origin, path string) string {
	return origin + "/oembed?url=" + url.QueryEscape(origin+path)
}
