package views

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"samepage/store"
	"samepage/store/notice"
	"samepage/views/page"
)

// Inbox returns the page of the actor's notifications, grouped by page, newest first.
func Inbox(by store.Actor, b *store.Inbox) page.Page {
	p := page.Page{Title: "Inbox", Kind: "Inbox", Audience: "you alone", Data: func() any { return inboxData(b) }}
	p.State = page.Line(page.Sentence(count(b.Unread, "notification is", "notifications are") + " unread."))
	if b.Unread == 0 {
		p.State = page.Line(page.T("Everything is read."))
	}
	var show page.FilterGroup
	for _, f := range [][2]string{{"All", ""}, {"Unread", "unread"}, {"Read", "read"}, {"Dismissed", "dismissed"}} {
		url := "/inbox"
		if f[1] != "" {
			url += "?show=" + f[1]
		}
		show.Links = append(show.Links, page.Filter{Text: f[0], URL: url, Chosen: b.Show == f[1]})
	}
	p.Blocks = append(p.Blocks, page.Filters{Groups: []page.FilterGroup{show}})
	if len(b.Direct) > 0 {
		p.Blocks = append(p.Blocks, page.Section{ID: "direct", Title: "Direct messages", Blocks: []page.Block{directNews(b.Direct)}})
	}
	keeps := page.Line(page.T("Notifications are deleted after " + days(b.Kept) + ", read or not."))
	if !by.IsAgent() {
		keeps = append(keeps, page.T(" "), page.Link("Choose what you are told", notice.SettingsURL), page.T("."))
	}
	kept := page.Para(keeps)
	if len(b.List) == 0 {
		p.Blocks = append(p.Blocks, page.Empty(page.Line(page.Sentence("Nothing is here. You are told when "+
			"somebody names you with an @, answers you, asks your studios something or decides it, a day "+
			"before something waits for you, and what happened when a cycle of your studios is over."))), kept)
		return p
	}
	t := page.Table{
		Caption: "Notifications",
		Lines:   true,
		Groups:  true,
		Columns: []page.Column{{Title: "Page"}, {Title: "What"}, {Title: "Why"}, {Title: "Said", Whole: true},
			{Title: "State", Quiet: true}, {Title: "Key", Quiet: true}},
	}
	for _, n := range byPage(b.List) {
		t.Rows = append(t.Rows, notificationRow(by, n, b.Show == ""))
	}
	p.Blocks = append(p.Blocks, t)
	if last := b.Last(); last != nil {
		show := ""
		if b.Show != "" {
			show = "show=" + b.Show + "&"
		}
		p.Continue("Older ones", "/inbox?"+show+"after="+last.Cursor().String())
		return p
	}
	p.Blocks = append(p.Blocks, kept)
	return p
}

func directNews(list []store.DirectTalk) page.List {
	lines := make(page.List, len(list))
	for i := range list {
		d := &list[i]
		lines[i] = page.Line(page.Link("@"+d.Handle+" wrote to you", d.URL()), page.T(", "+number(d.Unheard())+" new, "),
			page.When(d.SaidAt.Time))
	}
	return lines
}

func days(d time.Duration) string { return count(int(d/(24*time.Hour)), "day", "days") }

// byPage returns the notifications grouped by page, in the order of the newest of each group.
func byPage(list []store.Notification) []*store.Notification {
	var first []string
	of := map[string][]*store.Notification{}
	for i := range list {
		n := &list[i]
		if of[n.URL] == nil {
			first = append(first, n.URL)
		}
		of[n.URL] = append(of[n.URL], n)
	}
	sorted := make([]*store.Notification, 0, len(list))
	for _, url := range first {
		sorted = append(sorted, of[url]...)
	}
	return sorted
}

// notificationRow returns one row of the inbox. The first cell is the same in all rows about one page, so that the rows
// can be grouped. If mixed is true, the list can also have read notifications, and an unread row is marked.
func notificationRow(by store.Actor, n *store.Notification, mixed bool) page.Row {
	title := notedPage(by, n)
	switch {
	case n.Kind != "":
		title = append(title, page.T(", "+n.StudioName))
	case n.StudioName != "": // an agent sees the studio in the address
		title = append(title, page.Extra(", "+n.StudioName))
	}
	row := page.Row{
		Key: n.Key(),
		New: mixed && n.State() == "unread",
		Cells: [][]page.Inline{
			title,
			page.Line(page.Who(n.Actor, ""), page.T(" "+alone(n.Did)+", "), page.When(n.At.Time)),
			page.Line(page.T(n.Reason.Kind().Short + chained(n))),
			excerpt(by, n),
			page.Line(page.T(n.State())),
			page.Line(page.T(n.Key())),
		},
	}
	if icon := toldIcon(n); icon != "" {
		row.Ring = &page.Ring{Icon: icon}
	}
	return row
}

// placeIcons maps the part of an address after the studio's handle to an icon, for pages that are not items.
var placeIcons = map[string]string{"cycles": "cycle", "sessions": "session", "reviews": "approval", "pulls": "branch",
	"worktrees": "branch", "repos": "branch"}

// toldIcon returns the name of the icon for a notification's page, or "".
func toldIcon(n *store.Notification) string {
	if n.Kind != "" {
		return cmp.Or(nounOf(n.Kind).Icon, "file")
	}
	if parts := strings.Split(n.URL, "/"); len(parts) > 3 && parts[1] == "studios" {
		return placeIcons[parts[3]]
	}
	return ""
}

// alone returns a verb without the preposition or colon that needs a page after it: "added you to" becomes "added you".
// After " for", it adds "it" instead.
func alone(did string) string {
	if strings.HasSuffix(did, " for") {
		return did + " it"
	}
	for _, end := range []string{" about", " as", " from", " in", " of", " on", " to", ":"} {
		if short, ok := strings.CutSuffix(did, end); ok {
			return short // only the last word is cut: "left you to stand in as" keeps its "in"
		}
	}
	return did
}

// excerpt returns the text of a notification: its outcome, its note, or else a quotation of the first sentence,
// preferably one that mentions the reader. Without any of these, the result is a dash.
func excerpt(by store.Actor, n *store.Notification) []page.Inline {
	said := "…" // for a text without words
	for i := range by.Members {
		if m := &by.Members[i]; m.Org == n.Org {
			said = cmp.Or(sentenceNaming(n.Text, m.Handle), said)
		}
	}
	switch outcome := toldOutcome(n); {
	case outcome != "":
		return page.Line(page.T(outcome))
	case n.Note != "":
		return page.Line(page.T(n.Note))
	case n.Text == "":
		return page.Line(page.T("–"))
	case n.Comment > 0:
		return page.Line(page.Link("“"+said+"”", n.URL+"#c"+strconv.Itoa(n.Comment)))
	}
	return page.Line(page.T("“" + said + "”"))
}

// toldOutcome returns the outcome in a notification, such as "decided: Cargo", or "".
func toldOutcome(n *store.Notification) string {
	if n.Headline == "" {
		return ""
	}
	return cmp.Or(nounOf(n.Kind).Closed[n.ItemState], "closed") + ": " + n.Headline
}

// Unnamed replaces the page of a notification that the reader may no longer see.
const Unnamed = "a page that you may not see any more"

// notedPage returns a link to the page of a notification. An agent gets no link to another agent's request for
// approval.
func notedPage(by store.Actor, n *store.Notification) []page.Inline {
	if n.URL == "" {
		return page.Line(page.T(Unnamed))
	}
	if n.Reason == store.ReasonApproval && by.IsAgent() && n.Actor != by.Name() {
		return page.Line(page.T(n.Title))
	}
	return page.Line(page.Link(n.Title, n.URL))
}

// chained returns a note on a notification that agents skip, or else "".
func chained(n *store.Notification) string {
	if !n.Quiet {
		return ""
	}
	return "; agents skip it: agents caused " + number(n.Depth) + " events in a row"
}

type inboxPublic struct {
	Unread        int                  `json:"unread"`
	Notifications []notificationPublic `json:"notifications"`
}

type notificationPublic struct {
	Key    string `json:"key"`
	Reason string `json:"reason"`
	Actor  string `json:"actor"`
	Did    string `json:"did"`
	Note   string `json:"note,omitempty"`
	Title  string `json:"title"`
	URL    string `json:"url"`
	State  string `json:"state"`
}

func inboxData(b *store.Inbox) any {
	d := &inboxPublic{Unread: b.Unread, Notifications: []notificationPublic{}}
	for i := range b.List {
		n := &b.List[i]
		d.Notifications = append(d.Notifications, notificationPublic{n.Key(), string(n.Reason),
			n.Actor, n.Did, n.Note, n.Title, n.URL, n.State()})
	}
	return d
}
