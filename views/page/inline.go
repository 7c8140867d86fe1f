package page

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Inline is a part of a line, such as a word, a link or a time. Line ends in its text become spaces. The text is cut at
// 200 characters, or at fewer on a page that is [Page.Brief], unless the inline is made by [Sentence] or [Extra], or
// the reader asks for the full page.
type Inline struct {
	kind inlineKind
	look look
	tone Tone
	text string
	url  string
	at   time.Time
}

type inlineKind uint8

// look is the appearance of an inline in HTML. Markdown leaves out texts with lookExtra, and ignores the other looks.
type look uint8

const (
	lookPlain  look = iota
	lookPill        // a state
	lookTurn        // words that ask the reader to act
	lookPerson      // the name of a member
	lookAgent       // the name of an agent and of its member
	lookWin         // the larger number of votes of a pair of options
	lookDate        // a time that HTML writes as a date
	lookClock       // a time that HTML writes without its day
	lookFace        // a link to a person, which HTML writes after the person's picture
	lookMask        // a link to an agent, which HTML writes after the agent's picture
	lookExtra       // a text that only HTML has
	lookPlus        // a number of lines that are new
	lookLess        // a number of lines that are gone
	lookMark        // a link to a page where it is the reader's turn
	lookTitled      // a link that HTML may write with the title of its page
)

const (
	inlineText inlineKind = iota
	inlineStrong
	inlineCode
	inlineLink
	inlineButton
	inlineTime
	inlineSpan
	inlineSentence
)

// T returns plain text, in which nothing is read as markup.
func T(s string) Inline { return Inline{kind: inlineText, text: s} }

// Pill returns the word for a state, in a colour that depends on the tone.
func Pill(word string, tone Tone) Inline {
	return Inline{kind: inlineText, look: lookPill, text: word, tone: tone}
}

// Sign returns the pill with the named icon of web/static/icons.svg.
func (i Inline) Sign(icon string) Inline {
	i.url = icon // a pill is no link
	return i
}

// Turn returns a text that tells the reader that it is their turn. If HTML has a form or buttons at the anchor, such as
// "#options", it highlights the text and links it to the anchor.
func Turn(text, anchor string) Inline {
	return Inline{kind: inlineText, look: lookTurn, text: text, url: anchor}
}

// TurnAt returns a highlighted link to another page on which it is the reader's turn.
func TurnAt(text, url string) Inline {
	return Inline{kind: inlineLink, look: lookMark, text: text, url: url}
}

// Titled returns a link to another page, with words for the page such as "a decision". On a [Board], HTML shows the
// title of the page in place of these words if the reader may see the page.
func Titled(text, url string) Inline {
	return Inline{kind: inlineLink, look: lookTitled, text: text, url: url}
}

// Who returns the name of a member, such as "@bob", or of an agent, such as "Scribe, agent of @alice". HTML adds a
// picture, and a link if url is not empty.
func Who(name, url string) Inline {
	in := Inline{kind: inlineText, text: name, url: url}
	switch {
	case strings.Contains(name, agentOf): // first, because the label of an agent may begin with @
		in.look = lookAgent
		if i := strings.LastIndex(name, agentOf); len(name) > lineLimit/2 { // a long label must not cut off the member
			in.text = clean(name[:i], lineLimit/2) + name[i:]
		}
	case strings.HasPrefix(name, "@"):
		in.look = lookPerson
	}
	return in
}

// AgentLink returns a link with a picture to the page of the reader's agent.
func AgentLink(label, url string) Inline {
	return Inline{kind: inlineLink, look: lookMask, text: label, url: url}
}

// PersonLink returns a link with a picture to the page of a member. The handle begins with an @.
func PersonLink(handle, url string) Inline {
	return Inline{kind: inlineLink, look: lookFace, text: handle, url: url}
}

// Extra returns a text that only HTML has.
func Extra(s string) Inline { return Inline{kind: inlineSentence, look: lookExtra, text: s} }

// agentOf stands between the name of an agent and the handle of its member.
const agentOf = ", agent of @"

// Win returns the larger number of votes of a pair of options, in bold.
func Win(n string) Inline { return Inline{kind: inlineStrong, look: lookWin, text: n} }

// Plus returns the number of lines that a change adds, such as "+3".
func Plus(n int) Inline { return Inline{kind: inlineText, look: lookPlus, text: "+" + strconv.Itoa(n)} }

// Less returns the number of lines that a change removes, such as "−3".
func Less(n int) Inline {
	return Inline{kind: inlineText, look: lookLess, text: "−" + strconv.Itoa(n)}
}

// Sentence returns text of the server, which is never cut.
func Sentence(s string) Inline { return Inline{kind: inlineSentence, text: s} }

// Strong returns important text, which is bold.
func Strong(s string) Inline { return Inline{kind: inlineStrong, text: s} }

// Success returns the words for a success, such as "Elected", which are bold. A [Banner] that begins with it is
// green.
func Success(s string) Inline { return Inline{kind: inlineStrong, text: s, tone: Good} }

// Mono returns a name, a command or a value, which is shown as code.
func Mono(s string) Inline { return Inline{kind: inlineCode, text: s} }

// Link returns a link. The address is root-relative, an anchor, or begins with https://.
func Link(text, url string) Inline { return Inline{kind: inlineLink, text: text, url: url} }

// Linked returns a sentence with links to the given root-relative addresses, which must be in the order of the
// sentence.
func Linked(sentence string, addresses []string) (line []Inline) {
	for _, a := range addresses {
		before, after, ok := strings.Cut(sentence, a)
		if !ok {
			continue
		}
		line, sentence = append(line, Sentence(before), Link(a, a)), after
	}
	return append(line, Sentence(sentence))
}

// Button returns a link to an action's own page, which HTML shows as a button.
func Button(text, url string) Inline { return Inline{kind: inlineButton, text: text, url: url} }

// When returns a time, with its date and zone.
func When(t time.Time) Inline { return Inline{kind: inlineTime, at: t} }

// Distance returns a time, with its date and zone and its distance from now, such as "(in 3 days)".
func Distance(t time.Time) Inline { return Inline{kind: inlineSpan, at: t} }

// Dated returns a time that HTML writes as a date, such as "Fri 17:00", for use after words such as "until".
func (in Inline) Dated() Inline {
	in.look = lookDate
	return in
}

// Elsewhere returns a copy of a line of the page at url for use on another page. It adds url to links within the page,
// such as "#options".
func Elsewhere(line []Inline, url string) []Inline {
	line = slices.Clone(line)
	for i := range line {
		if strings.HasPrefix(line[i].url, "#") {
			line[i].url = url + line[i].url
		}
	}
	return line
}

// Line returns its arguments as a slice, to make calls short.
func Line(in ...Inline) []Inline { return in }
