// Package page holds the parts of pages. Two writers turn the same blocks into markdown, the primary form, and into
// HTML. Only [Prose] and [Said] take a member's markdown, which always becomes a quotation, and only [Doc] takes the
// server's. In all other texts nothing is read as markup.
package page

import (
	"time"

	"samepage/actions/param"
)

// Page is one page. A view fills in its contents, and the router adds the offered actions.
type Page struct {
	URL      string   // root-relative and canonical
	Title    string   // may contain text of members
	Kind     string   // such as "Decision"; last part of the trail
	Trail    []Inline // links to the pages above this one, from the outermost to the innermost
	State    []Inline // sentences about the current state
	Audience string   // people and agents with access, such as "studio Team: 8 people, 3 agents"
	Version  string   // value for if_version; empty if the page has no versioned subject
	Blocks   []Block
	Names    map[string]Name // pages by their names in texts, in lower case, such as "@alice" or "/studios/team"
	// Next is the root-relative URL of the next page of a list, or empty.
	Next   string
	Public bool // whether the page can be read without signing in
	// Preview is the preview for links to the page. If it is nil, the preview of a public page has the title and the
	// state, and that of any other page is generic.
	Preview *Preview
	Data    func() any     // returns the value of the JSON form; nil if there is none
	Forms   []Form         // the offered actions; set by the router
	People  []Handover     // for agents; set by the router
	Zone    *time.Location // for readers without a zone; nil means UTC
	// Script is the root-relative URL of a script of this server, or empty. The page must work without it.
	Script string
	// Pair has people and agents. HTML shows their pictures above the title.
	Pair []Inline
	// Brief means that markdown has at most 4,000 characters, unless the reader asks for the full page.
	Brief bool
	Rest  string // root-relative URL of the complete page; empty for this page with ?full=1
	// New are links to actions of other pages that create something, such as an invitation, for HTML.
	New  []Tile
	Only bool // whether the page is for its forms, such as that of one action; markdown then describes all fields
}

// Continue appends a link to the next page of a list.
func (p *Page) Continue(text, url string) {
	p.Next = url
	p.Blocks = append(p.Blocks, Para(Line(Link(text, url))))
}

// Form is the form of an offered action.
type Form struct {
	Name, Title, Doc string
	URL              string // root-relative; a GET shows the action's own page and a POST takes the action
	Fields           []param.Field
	Destructive      bool
	Ballot           bool   // whether the action is a vote
	Key              string // idempotency key; empty for agents
	Version          string // sent back as _if_version; empty if not required
	Side             bool   // whether markdown shows only the name of the action, except on a full page or with Only
	Tool             bool   // whether HTML may have a button for the action in its toolbar; only without Fields
	Button           string // text of the button; empty for the title
	// Ends is the name of the action that begins an effect, which this action ends. On is the text of the button while
	// the effect lasts.
	Ends, On string
	Slot     string       // id of the [Slot] or [Section] in which HTML shows the form
	Known    bool         // whether the reader has just seen the same form; markdown then has at most its name
	Errors   param.Errors // errors of a refused call
	Undo     string       // name of the action that undoes this one, or empty
}

// Handover is an action that a person may take now but an agent may not.
type Handover struct {
	Title string
	URL   string // root-relative URL of the action's own page
	Who   string // handle of a member that may take the action
	Side  bool   // whether markdown shows the action without a link of its own, like [Form.Side]
}

// Name has the page that a name in a member's text refers to. If Title is not empty, HTML shows it in place of the
// name.
type Name struct{ URL, Title string }

// Block is a part of a page.
type Block interface {
	markdown(w *mdWriter)
	html(w *htmlWriter)
}

// Para is a paragraph that the server writes. It may contain short texts of members, such as titles.
type Para []Inline

// Under is a paragraph about the page as a whole, such as its author and time. The writers end it with a full stop.
type Under []Inline

// Banner is a paragraph that readers must not overlook, such as an outcome or a secret.
type Banner []Inline

// Warning is a paragraph about a risk.
type Warning []Inline

// Notice is a paragraph apart from the text. It begins with important text as its title.
type Notice struct {
	Icon string // name of an icon in web/static/icons.svg
	Line []Inline
}

// Prose is a text that a member or an agent wrote in markdown, as a quotation. Markdown cuts a long text, and a notice
// outside the quotation links to More.
type Prose struct {
	ID   string   // permanent anchor, such as "c12", or empty
	Lead []Inline // line above the quotation, such as "By @bob, 18 Nov 2026", to which a colon is added
	Text string
	More string // root-relative URL of the whole text; empty for the full page, as in [Page.Rest]
	// Boxes means that the checkboxes of the text are buttons in HTML if the page has actions that tick them. The only
	// field of such an action is a choice named "box".
	Boxes bool
	// Brief means that HTML shows the text like the page's own sentences, and the lead only to screen readers, unless the
	// text has an ID and an author.
	Brief bool
	Ref   Ref
	Reply Reply
	Under []Block // answers to this text; HTML has them only if this text has an ID and an author
}

// Rail has blocks with facts about the page, which a wide screen shows beside the text.
type Rail []Block

// Slot is the place in HTML for the forms that have its ID as their [Form.Slot]. Every [Section] with an ID is a slot
// too.
type Slot struct {
	ID    string
	Calls bool // whether the page asks the reader to take one of these actions
	Stays bool // whether the forms stay at the foot of a large window, in sight while the reader scrolls
}

// Section is a heading with blocks under it. ID is its permanent anchor.
type Section struct {
	ID, Title string
	By        Inline   // person or agent with a picture before the title in HTML, only with a State or a Note
	State     []Inline // after the title, such as a [Pill]; may be empty
	Note      []Inline // at the end of the title's line, such as a link to the whole list; may be empty
	Presses   Presses  // beside the title, only with a State or a Note
	Blocks    []Block
	Few       Few
	Extra     bool  // whether only HTML has the section
	Calls     bool  // whether the section asks the reader to take an action
	Ring      *Ring // picture before the title in HTML, only without a State and a Note; or nil
}

// Faces are names of people, made by [Who]. If Not is true, these people still have to do something, such as vote.
type Faces struct {
	People []Inline
	Not    bool
}

// Few limits each list and table of a section in markdown, unless the reader asks for the full page. The zero value
// sets no limit.
type Few struct {
	Most int    // maximum number of lines or rows, except that a single further one is never left out
	More string // root-relative URL of a page with all lines or rows; empty for the full page, as in [Page.Rest]
	Last bool   // whether the last lines of a [List] are kept, in place of the first ones
}

// Details is a section that HTML shows closed at first.
type Details struct {
	ID, Title string
	Note      []Inline // after the title, such as a number; may be empty
	Blocks    []Block
}

// Facts is a short list of values with labels.
type Facts []Fact

// Fact is one value with its label.
type Fact struct {
	Label string
	Value []Inline
}

// Table is a table. HTML draws the numbers of a column with Bar as bars.
type Table struct {
	Caption string // title for screen readers
	Columns []Column
	Rows    []Row
	Lines   bool // whether the cells are clear without column titles; HTML then shows each row as an entry of a list
	Groups  bool // whether the first cell is a heading for all consecutive rows with the same first cell
}

// Column describes one column of a table.
type Column struct {
	Title  string
	Number bool // whether the cells are numbers, which are right-aligned
	Date   bool // whether the cells are days such as 2026-12-01, which HTML does not wrap
	Bar    bool
	Of     int  // number of a full bar; 0 means the largest number of the column
	Quiet  bool // whether HTML gives the column only to screen readers
	End    bool // whether HTML shows the cell at the end of the row, if the table has Lines
	Whole  bool // whether a cell has a line of its own in HTML, if the table has Lines
	// Sort is the address of the table in the order of this column, or empty. Sorted is "ascending" or "descending" if
	// the table is in the order of this column.
	Sort, Sorted string
}

// Columns returns columns with the given titles.
func Columns(titles ...string) []Column {
	list := make([]Column, len(titles))
	for i, title := range titles {
		list[i].Title = title
	}
	return list
}

// Row is one row of a table. Key is the value that chooses the row in the fields of actions, or empty.
type Row struct {
	Key   string
	Cells [][]Inline
	Mark  bool   // whether the row is emphasized, such as that of a winner
	Won   string // word that HTML shows beside the name in an emphasized row, such as "Winner"; or empty
	New   bool   // whether the row is about something unread, for which HTML shows a dot
	Ring  *Ring
	Act   Act // action that the row waits for, for HTML only
}

// Act is a link to the page of an action. The zero value means no action.
type Act struct {
	Title, URL  string
	Destructive bool
}

// Ring is a small picture before a title or at the start of a row, for HTML only. It shows the kind of a page, and how
// many of the asked people have answered.
type Ring struct {
	Icon     string // name of a symbol in icons.svg
	Done, Of int    // numbers of people that have answered and that were asked; Of may be 0
	Closed   bool
	Agent    bool // whether an agent waits for the reader's answer
}

// Gauge is a bar of length Value on a scale from 0 to Of, with a mark at At unless that is 0, for HTML only.
type Gauge struct{ Value, At, Of int }

// List is a bulleted list.
type List [][]Inline

// Tree is a list in which each line may have a list under it.
type Tree []Branch

// Branch is one line of a tree and the lines under it.
type Branch struct {
	Line  []Inline
	Below Tree
	Extra bool // whether only HTML has the line; markdown has the lines under it in its place
}

// Code is verbatim text in a fixed-width font, such as JSON or a command line.
type Code struct {
	Language, Text string
	End            bool // whether markdown keeps the end of a long text, in place of its beginning
	Read           bool // whether people only read the text, so that HTML offers no copy of it
}

// Doc is markdown that the server wrote, such as a help page. The writers replace [ExampleOrigin] in it.
type Doc string

// ExampleOrigin is the placeholder for the scheme and host of the site in a [Doc].
const ExampleOrigin = "http://127.0.0.1:8080"

// Context has the input of the writers besides the page, such as the reader and the time.
type Context struct {
	Origin   string // scheme and host, such as "https://example.org"; if empty, links in markdown are root-relative
	Address  string // scheme and host for links that an agent passes on to people, also if Origin is empty
	Now      time.Time
	Zone     *time.Location // time zone of the reader; nil means UTC
	As       string         // name of the reader, such as "Scribe, agent of @alice"; empty if not signed in
	Home     string         // address of the home page in HTML; empty for "/"
	Nav      []Inline       // links in the HTML header for readers without a sidebar
	Side     *Sidebar       // navigation in HTML for a person that is signed in; nil for others
	News     string         // value that changes with the reader's notifications; a script waits for a change
	Sought   string         // text in the search field; empty if there is none
	Full     bool           // whether the reader asks for the full page, without the limits on its length
	Message  string         // result of the last action, shown above the page
	Failure  string         // failure of the last action, shown above the page
	Leads    []string       // root-relative addresses in Failure that are links
	Insecure bool           // whether the connection is plain HTTP from another machine; HTML then has a warning
	Site     string         // name of the installation
	Picture  string         // root-relative URL of the generic preview's picture; empty if there is none
	// Seen are the parts that the reader has read. Markdown leaves them out, unless Full is true.
	Seen []Part
	// Shown, if it is not nil, is called with the parts of the page that the reader knows after this answer.
	Shown func([]Part)
	// Key, if it is not nil, returns the idempotency key of a call. The argument identifies the call within the page.
	Key func(call string) string
	// Assets maps the path of a file for the look of pages to its address, such as "/static/app.css?v=1f2e". A path
	// that is missing here is its own address.
	Assets map[string]string
}

// NewsMark separates the version of a page from [Context.News] in the value that scripts compare.
const NewsMark = "~"

// StyleSheet and Script are the paths of files for the look of all pages.
const (
	StyleSheet = "/static/app.css"
	Script     = "/static/app.js"
	iconFile   = "/static/icons.svg"
)

// Asset returns the address of a file for the look of pages.
func (c *Context) Asset(path string) string {
	if a := c.Assets[path]; a != "" {
		return a
	}
	return path
}
