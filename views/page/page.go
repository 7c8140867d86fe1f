// Package page holds the parts of pages. A page consists of blocks. Two writers turn the same blocks into
// markdown, which is the primary form, and into HTML. The types make sure that a string can never become a part of
// the structure, such as a heading or a link. Only [Prose] and [Said] take a member's markdown, which always
// becomes a quotation.
package page

import (
	"time"

	"samepage/actions/param"
)

// Page is one page. A view fills in its contents, and the router adds the offered actions.
type Page struct {
	URL      string   // root-relative and canonical
	Title    string   // may contain text of members
	Kind     string   // kind of the page, such as "Decision"; it is the last part of the trail
	Trail    []Inline // links to the pages above this one, from the outermost to the innermost
	State    []Inline // sentences about the current state
	Audience string   // the people and agents with access, such as "studio Team: 8 people, 3 agents"
	Version  string   // value for if_version; empty if the page has no versioned subject
	Blocks   []Block
	Names    map[string]Name // pages by the name that members' texts have for them, such as "@alice" or "/studios/team"
	// Next is the root-relative URL of the next page of a list, or empty. A block also links to it.
	Next   string
	Public bool // whether people who are not signed in can read the page
	// Preview is the preview for links to the page. If it is nil, the preview has the title and the
	// state of a public page, and nothing of any other page.
	Preview *Preview
	Data    func() any     // returns the value for the JSON form; nil if there is none
	Forms   []Form         // the offered actions; set by the router
	People  []Handover     // actions that only people may take; set by the router, for agents
	Zone    *time.Location // for readers without a zone of their own; nil means UTC
	// Script is the root-relative URL of a script of this server, or empty. The page must also work
	// without the script.
	Script string
	// Pair has the people and agents that HTML shows above the title, as pictures.
	Pair []Inline
	// Brief means that markdown has at most 4,000 characters, so that an agent can read the page at once. Each list
	// keeps some lines, with a link to the rest.
	Brief bool
	Rest  string // root-relative URL of the complete page; empty for this page with ?full=1
	// New are links to actions of other pages that create something. HTML shows these links together with the actions
	// of this page that create something.
	New  []Tile
	Only bool // whether this is the page of an action, which shows the form of the action completely
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
	Key              string // idempotency key, which stays the same until the page changes; empty for agents
	Version          string // sent back as _if_version; empty unless the action requires it
	Side             bool   // whether markdown shows only the name of the action
	Tool             bool   // whether HTML has a button for the action above the page
	Button           string // text of the action's button; if empty, the button has the title
	// Ends is the name of another action, which begins an effect that this action ends. On is the text of this action's
	// button while the effect lasts.
	Ends, On string
	Slot     string       // id of the [Slot] or [Section] in which HTML shows the form, if the page has it
	Known    bool         // whether the reader has just seen the same form; markdown then has at most its name
	Errors   param.Errors // errors of a refused call; each is shown at its field
	Undo     string       // name of the action that undoes this action, or empty
}

// Handover is an action that a person may take now but an agent may not. The agent can give the
// link to a person.
type Handover struct {
	Title string
	URL   string // root-relative URL of the action's own page
	Who   string // handle of a member who may take the action
	Side  bool   // whether markdown shows the action without a link of its own
}

// Name has the page that a name in a member's text refers to. HTML links the name to the page. If Title is not empty,
// HTML shows it in place of the name.
type Name struct{ URL, Title string }

// Block is a part of a page. Each writer can write it.
type Block interface {
	markdown(w *mdWriter)
	html(w *htmlWriter)
}

// Para is a paragraph of the server's text, which may contain members' strings.
type Para []Inline

// Under is a paragraph about the page as a whole, such as its author and time. The writers end it with a full stop,
// which HTML has only for screen readers. HTML shows the paragraph in small letters.
type Under []Inline

// Banner is a paragraph that readers must not overlook, such as an outcome, or a secret that is shown only once.
type Banner []Inline

// Warning is a paragraph about a risk.
type Warning []Inline

// Notice is a paragraph that stands apart from the text. It begins with important text, which HTML shows as its title.
type Notice struct {
	Icon string // name of an icon in web/static/icons.svg
	Line []Inline
}

// Prose is a text that a member wrote in markdown. The text is quoted, and the server's line above
// it has the author and the time. A long text is cut at the end of a line, and a notice outside the
// quotation links to More.
type Prose struct {
	ID   string   // anchor that does not change, such as "c12"; empty if there is none
	Lead []Inline // the line above the quotation, such as "By @bob, 18 Nov 2026"; a colon is added
	Text string
	More string // root-relative URL of the whole text; empty for the page itself with ?full=1
	// Boxes means that the page has actions that tick the checkboxes of the text. The only field of these actions
	// is a choice named "box".
	Boxes bool
	Brief bool // whether HTML shows the text like the page's own sentences, and the lead only to screen readers
	Ref   Ref
	Reply Reply
	Under []Block // texts that answer this one, which HTML shows under it if it has an ID and an author
}

// Rail has blocks with facts about the page, such as its rules and its people. A wide screen shows
// them beside the text.
type Rail []Block

// Slot is a place on the page in which HTML shows the forms of the offered actions with this slot. Every [Section]
// with an ID is a slot too, with the forms at its end. Markdown has all actions at the end of the page.
type Slot struct {
	ID    string
	Calls bool // whether the page asks the reader to take one of these actions
	Stays bool // whether the forms stay at the foot of a large window, in sight while the reader scrolls
}

// Section is a heading with blocks under it. ID is its anchor, which must not change.
type Section struct {
	ID, Title string
	By        Inline   // person or agent that HTML shows before the title, as a picture; the zero value means none
	State     []Inline // after the title, such as a [Pill]; may be empty
	Note      []Inline // at the end of the title's line, such as a link to the whole list; may be empty
	Presses   Presses  // beside the title, such as a button for all entries; only with a State or a Note
	Blocks    []Block
	Few       Few
	Extra     bool  // whether only HTML has the section
	Calls     bool  // whether the section asks the reader to take an action
	Ring      *Ring // picture before the title in HTML, or nil
}

// Faces are names of people, see [Who]. If the field Not is true, these people still have to do something, such as
// vote.
type Faces struct {
	People []Inline
	Not    bool
}

// Few is a limit for each list and table of a section in markdown. It does not apply if the reader
// asks for the full page. The zero value sets no limit.
type Few struct {
	Most int    // maximum number of lines or rows
	More string // root-relative URL of a page with all lines or rows; empty for the page itself with ?full=1
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

// Table is a table. HTML also draws the numbers of a column with Bar as bars.
type Table struct {
	Caption string // title for screen readers, which is not visible
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
	Of     int  // the number for which a bar is full; 0 means the largest number of the column
	Quiet  bool // whether HTML gives the column only to screen readers
	End    bool // whether HTML shows the cell at the end of the row, if the table has Lines
	Whole  bool // whether a cell has a line of its own in HTML, if the table has Lines
	// Sort is the address of the table in the order of this column, or empty. HTML links the title to it. Sorted is
	// "ascending" or "descending" if the table is in the order of this column.
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

// Row is one row of a table. Key is the value that chooses the row in the fields of actions; a row with a key can
// have buttons for these actions. Key may be empty.
type Row struct {
	Key   string
	Cells [][]Inline
	Mark  bool   // whether the row is emphasized, such as that of a winner
	Won   string // a word for the emphasis, which HTML shows after the name of the row; may be empty
	New   bool   // whether the row is about something unread; HTML shows a dot, and a cell says "unread"
	Ring  *Ring
	Act   Act // the action that the row waits for; only HTML has it
}

// Act is a link to the form of an action on another page. The zero value means no action.
type Act struct {
	Title, URL  string
	Destructive bool
}

// Ring is a small picture at the start of a row. It shows the kind of a page, and how many of the people who were
// asked have answered.
type Ring struct {
	Icon     string // name of a symbol in icons.svg
	Done, Of int    // numbers of people who have answered and who were asked; Of is 0 if nobody was asked
	Closed   bool
	Agent    bool // whether an agent is blocked until the reader answers
}

// Gauge is a bar of length Value on a scale from 0 to Of, with a mark at At unless that is 0. A gauge can show the
// number of people who have joined, and the number that is needed. The page has these numbers in words too, so
// markdown leaves the gauge out.
type Gauge struct{ Value, At, Of int }

// List is a bulleted list with one line for each bullet.
type List [][]Inline

// Tree is a list in which each line may have a list of its own under it.
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
	End            bool // if the text is cut, the end is kept, as for the output of a program
	Read           bool // whether people only read the text, so that HTML offers no copy of it
}

// Doc is markdown that the server wrote, such as a help page. The writers replace [ExampleOrigin] in the text by the
// reader's origin.
type Doc string

// ExampleOrigin is the origin that help pages contain as a placeholder for the reader's own origin.
const ExampleOrigin = "http://127.0.0.1:8080"

// Context has the input of the writers besides the page, such as the reader and the time.
type Context struct {
	Origin   string // scheme and host, such as "https://example.org"; if empty, links are root-relative
	Address  string // scheme and host that people use; it is set even if Origin is empty
	Now      time.Time
	Zone     *time.Location // time zone of the reader; nil means UTC
	As       string         // name of the reader, such as "Scribe, agent of @alice"; empty if not signed in
	Home     string         // address to which the logo in the header links; empty for "/"
	Nav      []Inline       // links in the header of the HTML form for readers without a sidebar
	Side     *Sidebar       // navigation of the HTML form for people who are signed in; nil for others
	News     string         // value that changes with the reader's notifications; a script waits for a change
	Sought   string         // text in the search field; empty if there is none
	Full     bool           // whether long texts are written in full
	Message  string         // result of the last action, shown above the page
	Failure  string         // failure of the last action, shown above the page
	Leads    []string       // root-relative addresses in Failure that are links
	Insecure bool           // whether the connection is plain HTTP from another machine; the page then has a warning
	Site     string         // name of the installation
	Picture  string         // root-relative URL of the generic preview's picture; empty if there is none
	// Seen are the parts of this page that the reader has read. Markdown leaves them out, with a note.
	Seen []Part
	// Shown, if it is not nil, is called with the parts of the page that the reader knows after this answer.
	Shown func([]Part)
	// Key, if it is not nil, returns the idempotency key of a call that the page offers by a button of its own. The key
	// stays the same until the page changes. The argument identifies the call within the page.
	Key func(call string) string
	// Assets maps the path of each file for the look of pages, such as a style sheet, to its address, such as
	// "/static/app.css?v=1f2e". The address of a file that is missing here is its path.
	Assets map[string]string
}

// NewsMark separates the version of a page from [Context.News] in the value that scripts compare.
const NewsMark = "~"

// These are the paths of the files for the look of all pages.
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
