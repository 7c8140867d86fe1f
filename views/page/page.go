// Package page is what pages are made of: typed blocks and the two writers that turn the same blocks into markdown, which
// is the primary form, and into HTML. Strings are text by type and can never become structure; only [Prose] takes
// somebody's markdown, and then always as a quotation.
package page

import (
	"time"

	"samepage/actions/param"
)

// Page is one page as a view declares it; the router adds what is on offer.
type Page struct {
	URL      string   // root-relative and canonical
	Title    string   // members' text
	Kind     string   // the noun, such as "Decision"; ends the trail
	Trail    []Inline // links from the outside in
	State    []Inline // the sentence that says where things stand
	Audience string   // who can see this, such as "studio Team: 8 people, 3 agents"
	Version  string   // for if_version; empty when the page has no single noun
	Blocks   []Block
	Names    map[string]Name // what the prose calls by name: "@alice", or the root-relative URL of a page
	Next     string          // root-relative URL of the next page of a list; a block links to it in words of its own
	Public   bool            // readable without signing in
	Preview  *Preview        // what a link to it shows; nil shows the title and the state of a public page, and nothing of another
	Data     func() any      // the noun's public fields, for the JSON form alone; nil for none
	Forms    []Form          // what can be done here now; set by the router
	Zone     *time.Location  // for readers who have none of their own; nil means UTC
	Script   string          // root-relative URL of a script of ours, without which the page works too; empty for none
	Only     bool            // the page of one action: its form is the body, filled in and open
}

// Form is an action on offer, ready to be filled in.
type Form struct {
	Name, Title, Doc string
	URL              string // root-relative: where it is posted, and its own page
	Fields           []param.Field
	Destructive      bool
	Key              string       // the idempotency key of the form, a stable HMAC
	Version          string       // sent back as _if_version only where the action asks for it
	Errors           param.Errors // shown beside their fields when a call was refused
}

// Name is what a name in prose stands for. HTML links it, and shows the title, if there is one, in place of an address.
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

// Warning is a paragraph that says what may go wrong before somebody goes on.
type Warning []Inline

// Prose is somebody's markdown, quoted, with its author and time named above it in server text.
// Long prose is cut at a line, with a notice and a link to More outside the quotation.
type Prose struct {
	ID   string   // stable anchor, such as "c12"; empty for none
	Lead []Inline // "By @bob, 18 Nov 2026"; a colon is added
	By   Hand     // who wrote it, for a mark beside the lead that says no more than it
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

// Details is a section that HTML folds away until asked for.
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

// Table is a table; a Bar column holds numbers that HTML also draws as bars, relative to the column's largest.
type Table struct {
	Caption string // for screen readers; also written as text before the table in neither form
	Columns []Column
	Rows    []Row
	Lines   bool // cells say what they are without the titles, so that a narrow screen may show a row as a few lines
}

// Column heads a table's column.
type Column struct {
	Title  string
	Number bool // right-aligned
	Bar    bool
}

// Row is one row of a table. Key is the value of the choice that names this row, so that a row action can be placed on it.
type Row struct {
	Key   string
	Cells [][]Inline
	Mark  bool // emphasised, such as a winner
}

// List is a bulleted list, one line each.
type List [][]Inline

// Tree is a list whose lines may have lists of their own under them.
type Tree []Branch

// Branch is one line of a tree and what is under it.
type Branch struct {
	Line  []Inline
	Below Tree
}

// Code is text shown as it is, in a fixed-width font: JSON, a command line.
type Code struct{ Language, Text string }

// Doc is markdown written by us, not by members: the help pages. [ExampleOrigin] in it stands for where the reader is.
type Doc string

// ExampleOrigin is written in help pages where a reader's own origin is shown.
const ExampleOrigin = "http://127.0.0.1:8080"

// Inline is a piece of a line. Make one with T, Sentence, Strong, Mono, Link, Button, When or Distance. Line ends in it become spaces,
// and unless the page is asked for in full it is cut at 200 characters.
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

// Sentence is text of the server's own, which is never cut.
func Sentence(s string) Inline { return Inline{kind: inlineSentence, text: s} }

// Strong is text that matters more.
func Strong(s string) Inline { return Inline{kind: inlineStrong, text: s} }

// Mono is a name, a command or a value shown as code.
func Mono(s string) Inline { return Inline{kind: inlineCode, text: s} }

// Link is a link to a page of ours: url is root-relative, or an anchor.
func Link(text, url string) Inline { return Inline{kind: inlineLink, text: text, url: url} }

// Button is a link that looks like a button: to an action's own page, where it is done.
func Button(text, url string) Inline { return Inline{kind: inlineButton, text: text, url: url} }

// When is a moment, written absolutely with its zone.
func When(t time.Time) Inline { return Inline{kind: inlineTime, at: t} }

// Distance is a moment written absolutely and, beside it, in words: "(in 3 days)".
func Distance(t time.Time) Inline { return Inline{kind: inlineSpan, at: t} }

// Line is inlines, to be read where it is used: page.Line(page.T("By "), by).
func Line(in ...Inline) []Inline { return in }

// Context is what a writer knows beside the page: who reads, when, and in which form.
type Context struct {
	Origin   string // scheme and host, such as "https://example.org"; empty writes root-relative links
	Now      time.Time
	Zone     *time.Location // nil means UTC
	As       string         // who the page is written for, such as "Scribe, agent of @alice"; empty for nobody
	Home     string         // where the mark in the header leads
	Nav      []Inline       // links of the HTML header
	Orgs     []Inline       // links to the reader's organizations: the header offers the switch
	Org      string         // where the organization of this page is among them; empty for a page of none, or of all
	Search   string         // root-relative page that the header's search leads to; empty for none
	Sought   string         // what is being searched for
	Signed   bool           // a person is signed in: the header offers to log out
	Full     bool           // no cutting
	Message  string         // what has just been done
	Failure  string         // what went wrong, shown above the page
	Insecure bool           // plain HTTP off loopback: warn
	Site     string         // name of the installation
	Picture  string         // root-relative URL of the picture that a generic preview has; empty for none
}
