package page

import (
	"cmp"
	"slices"
	"strconv"
)

// Sidebar has the navigation for a signed-in person.
type Sidebar struct {
	Name    string // name of the present organization, or of the site
	Orgs    []Place
	Waiting int // number of things that wait for the reader, such as items and approvals
	Unread  int // number of unread notifications
	Asked   int // number of approvals that the reader may give
	Journal string
	Direct  string // list of direct messages, or empty
	// DirectUnread is the number of unread direct messages.
	DirectUnread int
	Studios      []Place
	Agents       []Place
	Reader       string // handle with an @; empty for a reader without a membership
	Called       string // full name in place of the handle; may be empty
	Own          []Place
	SearchAt     string // root-relative address of the search results
}

// Place is one link of the sidebar.
type Place struct {
	Name, URL string
	Icon      string // name of a symbol in icons.svg; ignored for agents
	News      bool   // whether the reader has unread notifications about the place
	Waits     bool   // whether the place waits for the reader, such as an agent with a question
	Count     int    // number of new entries of the place
	Below     []Place
}

// reader returns the handle of the reader, or "-".
func (w *htmlWriter) reader() string {
	if w.c.Side == nil || w.c.Side.Reader == "" {
		return "-"
	}
	return w.c.Side.Reader
}

func (w *htmlWriter) header() {
	if w.c.Side == nil {
		w.publicHeader()
		return
	}
	s := w.c.Side
	w.raw(`<header class="bar">
<a class="org"`)
	w.href(w.home())
	w.raw(`><img src="` + w.c.Asset("/static/icon.svg") + `" alt="" width="26" height="26"> <span>`)
	w.text(s.Name)
	w.raw("</span></a>\n")
	w.anchor(`<a class="tool"`, s.SearchAt)
	w.icon("search")
	w.raw(`<span class="vh">Search</span></a>
<a class="tool" href="/inbox">`)
	w.icon("inbox")
	w.raw(`<span class="vh">Inbox</span>`)
	w.count(s.Unread, false, " unread")
	w.raw(`</a>
<button class="tool" type="button" popovertarget="side">`)
	w.icon("menu")
	w.raw(`<span class="vh">Menu</span></button>
<p class="vh">Agents: this page is also markdown, at `)
	w.b = appendEscaped(w.b, markdownURL(w.p.URL))
	w.raw("; see /llms.txt.</p>\n</header>\n")
	w.sidebar(s)
}

func (w *htmlWriter) home() string {
	return cmp.Or(w.c.Home, "/")
}

func (w *htmlWriter) publicHeader() {
	w.raw(`<header class="top">
<a class="org"`)
	w.href(w.home())
	w.raw(`><img src="` + w.c.Asset("/static/icon.svg") + `" alt="" width="26" height="26"> <span>`)
	w.text(w.site())
	w.raw("</span></a>\n<p class=\"vh\">Agents: this page is also markdown, at ")
	w.b = appendEscaped(w.b, markdownURL(w.p.URL))
	w.raw("; see /llms.txt.</p>\n")
	if len(w.c.Nav) > 0 {
		w.raw(`<nav aria-label="Workspace"><ul>`)
		for i := range w.c.Nav {
			w.raw("<li>")
			w.inlines(w.c.Nav[i:i+1], false)
			w.raw("</li>")
		}
		w.raw("</ul></nav>\n")
	}
	w.raw("</header>\n")
}

// sidebar writes the navigation, which is a popover on a narrow screen.
func (w *htmlWriter) sidebar(s *Sidebar) {
	w.above = s.nearest(w.p)
	w.raw(`<nav class="side" id="side" popover aria-label="Workspace">
`)
	w.organizations(s)
	w.raw(`<form class="find" role="search" method="get"`)
	w.attr("action", s.SearchAt)
	w.raw(`><label class="vh" for="search">Search</label><input id="search" type="search" name="q" placeholder="Search" maxlength="500"`)
	w.attr("value", w.c.Sought)
	w.raw(`><button type="submit">`)
	w.icon("search")
	w.raw("<span class=\"vh\">Search</span></button></form>\n<ul>\n")
	w.place("Home", w.home(), "home", func() { w.count(s.Waiting, true, " wait for you") })
	w.place("Inbox", "/inbox", "inbox", func() { w.count(s.Unread, false, " unread") })
	if s.Direct != "" {
		w.place("Direct messages", s.Direct, "reply", func() { w.count(s.DirectUnread, false, " unread") })
	}
	w.place("Approvals", "/approvals", "approval", func() { w.count(s.Asked, true, " wait for you") })
	if s.Journal != "" {
		w.place("Journal", s.Journal, "journal", nil)
	}
	w.raw("</ul>\n")
	if len(s.Studios) > 0 {
		w.raw("<div>\n<h2>Studios</h2>\n")
		w.places(s.Studios, 0)
		w.raw("</div>\n")
	}
	if len(s.Agents) > 0 {
		w.raw("<div>\n<h2>Your agents</h2>\n<ul>\n")
		for i := range s.Agents {
			a := &s.Agents[i]
			w.raw("<li><a")
			w.placeURL(a.URL)
			w.raw(">")
			w.avatar(a.Name, w.reader(), 18)
			w.placeName(a)
			w.raw("</a></li>\n")
		}
		w.raw("</ul>\n</div>\n")
	}
	w.raw(`<details class="end">
<summary>`)
	if s.Reader != "" {
		w.avatar(s.Reader, "", 22)
		w.tagged("<span>", cmp.Or(s.Called, s.Reader), "</span>")
	} else {
		w.raw("<span>You</span>")
	}
	w.icon("down")
	w.raw("</summary>\n<ul>\n")
	for i := range s.Own {
		w.place(s.Own[i].Name, s.Own[i].URL, s.Own[i].Icon, nil)
	}
	w.raw(`<li><form method="post" action="/logout"><button class="quiet" type="submit">`)
	w.icon("undo")
	w.raw("<span>Log out</span></button></form></li>\n</ul>\n</details>\n</nav>\n")
}

// organizations writes the sidebar's name as a menu of the reader's organizations.
func (w *htmlWriter) organizations(s *Sidebar) {
	w.raw(`<details>
<summary class="org"><img src="` + w.c.Asset("/static/icon.svg") + `" alt="" width="22" height="22"><span>`)
	w.text(s.Name)
	w.raw("</span>")
	w.icon("down")
	w.raw("</summary>\n<ul>\n")
	for i := range s.Orgs {
		w.place(s.Orgs[i].Name, s.Orgs[i].URL, "studio", nil)
	}
	w.place("All your organizations", "/orgs", "plus", nil)
	w.raw("</ul>\n</details>\n")
}

// places writes a list of links, each with the links below it. Lists below the fourth level are not indented further.
func (w *htmlWriter) places(list []Place, depth int) {
	w.raw("<ul>\n")
	w.branches(list, depth)
	w.raw("</ul>\n")
}

func (w *htmlWriter) branches(list []Place, depth int) {
	for i := range list {
		p := &list[i]
		w.raw("<li><a")
		w.placeURL(p.URL)
		w.raw(">")
		w.icon(p.Icon)
		w.placeName(p)
		w.raw("</a>")
		if len(p.Below) > 0 && depth < 3 {
			w.raw("\n")
			w.places(p.Below, depth+1)
		}
		w.raw("</li>\n")
		if depth >= 3 {
			w.branches(p.Below, depth)
		}
	}
}

func (w *htmlWriter) placeName(p *Place) {
	w.tagged("<span>", p.Name, "</span>")
	w.count(p.Count, false, " new")
	switch {
	case p.Waits:
		w.raw(`<span class="dot waits"><span class="vh"> waits for you</span></span>`)
	case p.News:
		w.raw(`<span class="dot"><span class="vh"> has news</span></span>`)
	}
}

// place writes one entry of the sidebar. If the function after is not nil, it writes the rest of the entry.
func (w *htmlWriter) place(name, url, icon string, after func()) {
	w.raw("<li><a")
	w.placeURL(url)
	w.raw(">")
	w.icon(icon)
	w.tagged("<span>", name, "</span>")
	if after != nil {
		after()
	}
	w.raw("</a></li>\n")
}

// placeURL writes the address of an entry, and marks the entry of the present page or of the nearest page above.
func (w *htmlWriter) placeURL(url string) {
	w.href(url)
	switch {
	case url == w.p.URL:
		w.raw(` aria-current="page"`)
	case url == w.above:
		w.raw(` aria-current="true"`)
	}
}

// nearest returns the address of the last link in the page's trail that the sidebar has. It returns "" if there is
// none, or if the sidebar has the page itself.
func (s *Sidebar) nearest(p *Page) string {
	if s.has(p.URL) {
		return ""
	}
	for i := len(p.Trail) - 1; i >= 0; i-- {
		if s.has(p.Trail[i].url) {
			return p.Trail[i].url
		}
	}
	return ""
}

func (s *Sidebar) has(url string) bool {
	var in func([]Place) bool
	in = func(list []Place) bool {
		return slices.ContainsFunc(list, func(p Place) bool { return p.URL == url || in(p.Below) })
	}
	return slices.Contains([]string{"/inbox", "/approvals", s.Direct, s.Journal}, url) || in(s.Studios) || in(s.Agents)
}

// count writes a number, with a word after it for screen readers, or nothing for 0.
func (w *htmlWriter) count(n int, waits bool, word string) {
	if n == 0 {
		return
	}
	if waits {
		w.raw(`<span class="count waits">`)
	} else {
		w.raw(`<span class="count">`)
	}
	w.b = strconv.AppendInt(w.b, int64(n), 10)
	w.raw(`<span class="vh">` + word + "</span></span>")
}
