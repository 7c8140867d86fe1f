// Package page holds the parts of pages: typed blocks, and the two writers that turn the same
// blocks into markdown, which is the primary form, and into HTML. Strings are text by type and
// can never become structure; only [Prose] takes a member's markdown, and then always as a
// quotation.
package page

import (
	"time"

	"samepage/actions/param"
)

// Page is one page as a view declares it; the router adds the offered actions.
type Page struct {
	URL      string   // root-relative and canonical
	Title    string   // members' text
	Kind     string   // the noun, such as "Decision"; ends the trail
	Trail    []Inline // links from the outside in
	State    []Inline // the sentence about the present state
	Audience string   // the people and agents with access, such as "studio Team: 8 people, 3 agents"
	Version  string   // for if_version; empty if the page has no single noun
	Blocks   []Block
	Names    map[string]Name // the names in its prose: "@alice", or the root-relative URL of a page
	// root-relative URL of the next page of a list; a block links to it in words of its own
	Next   string
	Public bool // readable without signing in
	// Preview is the preview of a link to the page; nil shows the title and the state of a public
	// page, and nothing of any other page.
	Preview *Preview
	Data    func() any     // the noun's public fields, for the JSON form alone; nil for none
	Forms   []Form         // the offered actions; set by the router
	Zone    *time.Location // for readers without a zone of their own; nil means UTC
	// root-relative URL of one of the server's scripts; the page works without it too; empty for
	// none
	Script string
	Only   bool // the page of one action: its form is the body, filled in and open
}

// Form is an offered action, ready to be filled in.
type Form struct {
	Name, Title, Doc string
	URL              string // root-relative: the address to post to, and the action's own page
	Fields           []param.Field
	Destructive      bool
	Ballot           bool         // it is a vote
	Key              string       // the idempotency key of the form, a stable HMAC
	Version          string       // sent back as _if_version, only if the action requires it
	Errors           param.Errors // shown beside their fields after a refused call
}

// Name is the page behind a name in prose. HTML links it, and shows the title, if there is one,
// in place of an address.
type Name struct{ URL, Title string }

// Block is a part of a page that every writer knows how to write.
type Block interface {
	markdown(w *mdWriter)
	html(w *htmlWriter)
}

// Para is a paragraph of server text with members' strings inside it.
type Para []Inline

// Banner is a paragraph that must not be overlooked: an outcome, a secret shown once.
type Banner []Inline

// Warning is a paragraph about a risk, before the reader goes on.
type Warning []Inline

// Prose is a member's markdown, quoted, with its author and time above it in server text. Long
// prose is cut at a line, with a notice and a link to More outside the quotation.
type Prose struct {
	ID   string   // stable anchor, such as "c12"; empty for none
	Lead []Inline // "By @bob, 18 Nov 2026"; a colon is added
	By   Hand     // the author, for a mark beside the lead that has no further content
	Text string
	More string // root-relative URL of the whole text; empty means the page itself with ?full=1
}

// Hand is the kind of author.
type Hand uint8

const (
	ByNobody Hand = iota // nobody in particular
	ByPerson
	ByAgent
)

// Section is a heading with blocks under it. ID is a stable anchor.
type Section struct {
	ID, Title string
	Blocks    []Block
}

// Details is a section that HTML folds.
type Details struct {
	ID, Title string
	Blocks    []Block
}

// Texts yields the text of every [Prose] of the page.
func (p *Page) Texts(yield func(string) bool) { texts(p.Blocks, yield) }

func texts(bs []Block, yield func(string) bool) bool {
	for _, b := range bs {
		more := true
		switch b := b.(type) {
		case Prose:
			more = yield(b.Text)
		case Section:
			more = texts(b.Blocks, yield)
		case Details:
			more = texts(b.Blocks, yield)
		}
		if !more {
			return false
		}
	}
	return true
}

// Facts is a short list of labelled values.
type Facts []Fact

// Fact is one labelled value.
type Fact struct {
	Label string
	Value []Inline
}

// Table is a table. HTML also draws the numbers of a Bar column as bars, relative to the column's
// largest.
type Table struct {
	Caption string // for screen readers; neither form writes it as text before the table
	Columns []Column
	Rows    []Row
	Lines   bool // cells are clear without the titles, so that a narrow screen may show a row as a few lines
}

// Column heads a table's column.
type Column struct {
	Title  string
	Number bool // right-aligned
	Bar    bool
}

// Row is one row of a table. Key is the value that names this row in a choice, so that an action
// can be placed on the row.
type Row struct {
	Key   string
	Cells [][]Inline
	Mark  bool // emphasised, such as a winner
}

// List is a bulleted list, one line each.
type List [][]Inline

// Tree is a list with lines that may have lists of their own under them.
type Tree []Branch

// Branch is one line of a tree and the lines under it.
type Branch struct {
	Line  []Inline
	Below Tree
}

// Code is verbatim text in a fixed-width font: JSON, a command line.
type Code struct{ Language, Text string }

// Doc is markdown of the server, not of members: the help pages. [ExampleOrigin] in it is
// replaced by the reader's origin.
type Doc string

// ExampleOrigin is the placeholder in help pages for the reader's own origin.
const ExampleOrigin = "http://127.0.0.1:8080"

// Inline is a piece of a line, made with T, Sentence, Strong, Mono, Link, Button, When or
// Distance. Line ends in it become spaces, and unless the page is asked for in full it is cut at
// 200 characters.
type Inline struct {
	kind inlineKind
	text string
	url  string
	at   time.Time
}

type inlineKind uint8

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

// T is text; nothing in it is read as markup.
func T(s string) Inline { return Inline{kind: inlineText, text: s} }

// Sentence is the server's own text, which is never cut.
func Sentence(s string) Inline { return Inline{kind: inlineSentence, text: s} }

// Strong is important text.
func Strong(s string) Inline { return Inline{kind: inlineStrong, text: s} }

// Mono is a name, a command or a value shown as code.
func Mono(s string) Inline { return Inline{kind: inlineCode, text: s} }

// Link is a link to a page of this site: url is root-relative, or an anchor.
func Link(text, url string) Inline { return Inline{kind: inlineLink, text: text, url: url} }

// Button is a link that looks like a button, to an action's own page.
func Button(text, url string) Inline { return Inline{kind: inlineButton, text: text, url: url} }

// When is a moment, written absolutely with its zone.
func When(t time.Time) Inline { return Inline{kind: inlineTime, at: t} }

// Distance is a moment written absolutely and, beside it, in words: "(in 3 days)".
func Distance(t time.Time) Inline { return Inline{kind: inlineSpan, at: t} }

// Line collects inlines; it reads well in a call: page.Line(page.T("By "), by).
func Line(in ...Inline) []Inline { return in }

// Context is the writer's input beside the page: the reader, the time and the form.
type Context struct {
	Origin   string // scheme and host, such as "https://example.org"; empty writes root-relative links
	Address  string // the scheme and host that people use, also if links are root-relative
	Now      time.Time
	Zone     *time.Location // nil means UTC
	As       string         // the reader, such as "Scribe, agent of @alice"; empty for nobody
	Home     string         // the address of the mark in the header
	Nav      []Inline       // links of the HTML header
	Orgs     []Inline       // links to the reader's organizations: the header offers the switch
	Org      string         // the address of this page's organization among them; empty for a page of none, or of all
	Search   string         // root-relative page that the header's search leads to; empty for none
	Sought   string         // the text in the search field
	Signed   bool           // a person is signed in: the header offers to log out
	Full     bool           // no cutting
	Message  string         // the result of the last action
	Failure  string         // the failure of the last action, shown above the page
	Insecure bool           // plain HTTP off loopback: warn
	Site     string         // name of the installation
	Picture  string         // root-relative URL of the picture in a generic preview; empty for none
}
