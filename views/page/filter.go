package page

import "strings"

// Filters are links to the parts of a list, in groups.
type Filters struct {
	Groups []FilterGroup
	Find   *FilterText // search field, for HTML only, or nil
	// If Studios is not empty, HTML has filters for the studios of the sidebar, unless that has only one at the top
	// level. The address of a filter is Studios followed by the studio's handle. Studio is the handle of the chosen
	// studio, or empty for all.
	Studios, Studio string
	All             string // address of the list for all studios
}

// FilterGroup is one group of filters.
type FilterGroup struct {
	Extra bool // whether only HTML has the group
	Links []Filter
}

// Filter is a link to a part of a list.
type Filter struct {
	Text, URL string
	Chosen    bool
	By        FilterBy // actors of the selected entries; HTML shows a sign for people and one for agents
}

// FilterBy is a kind of actors.
type FilterBy uint8

// ByPeople and ByAgents select entries by people and agents, and ByAll selects entries by anybody.
const (
	ByAll FilterBy = iota
	ByPeople
	ByAgents
)

const shape = `<svg class="shape" viewBox="0 0 26 26" aria-hidden="true">`

// shapes has the signs: the one for people is round, and the one for agents has six corners.
var shapes = [...]string{
	ByPeople: shape + `<circle cx="13" cy="13" r="11"/></svg>`,
	ByAgents: shape + `<path d="M13 1.5 23 7.2v11.6L13 24.5 3 18.8V7.2z"/></svg>`,
}

// FilterText is a search field. It sends the words to the address as the parameter q.
type FilterText struct {
	Label, URL string
	Text       string // the present words
	Kept       []Kept // the other parameters of the list
}

// Kept is a parameter of the list that a search keeps.
type Kept struct{ Name, Value string }

func (b Filters) markdown(w *mdWriter) {
	var line []Inline
	for i := range b.Groups {
		for _, f := range b.Groups[i].Links {
			switch {
			case b.Groups[i].Extra:
				continue
			case len(line) > 0:
				line = append(line, T(" · "))
			}
			if f.Chosen {
				line = append(line, Strong(f.Text))
			} else {
				line = append(line, Link(f.Text, f.URL))
			}
		}
	}
	Para(line).markdown(w)
}

func (b Filters) html(w *htmlWriter) {
	w.raw("<nav class=\"filters\" aria-label=\"Show\">\n")
	first := true
	for i := range b.Groups {
		w.filters(b.Groups[i].Links, b.Groups[i].Extra, &first)
		if i == 0 && b.Studios != "" && w.c.Side != nil && len(w.c.Side.Studios) > 1 {
			w.filters(b.studios(w.c.Side.Studios), true, &first)
		}
	}
	if b.Find != nil {
		w.find(b.Find)
	}
	w.raw("</nav>\n")
}

func (w *htmlWriter) find(f *FilterText) {
	w.raw(`<form class="find" method="get"`)
	w.attr("action", f.URL)
	w.raw(`>`)
	for _, k := range f.Kept {
		w.hidden(k.Name, k.Value)
	}
	w.raw(`<label class="vh" for="find">`)
	w.text(f.Label)
	w.raw(`</label><input id="find" type="search" name="q" maxlength="200"`)
	w.attr("placeholder", f.Label)
	if f.Text != "" {
		w.attr("value", f.Text)
	}
	w.raw(`><button type="submit">`)
	w.icon("search")
	w.tagged(`<span class="vh">`, f.Label, "</span></button></form>\n")
}

// studios returns the filters for the reader's studios, including those below other studios.
func (b Filters) studios(list []Place) []Filter {
	filters := []Filter{{Text: "All studios", URL: b.All, Chosen: b.Studio == ""}}
	var add func([]Place)
	add = func(list []Place) {
		for i := range list {
			handle := list[i].URL[strings.LastIndexByte(list[i].URL, '/')+1:]
			filters = append(filters, Filter{Text: list[i].Name, URL: b.Studios + handle, Chosen: b.Studio == handle})
			add(list[i].Below)
		}
	}
	add(list)
	return filters
}

// filters writes one group. If extra is true, only HTML has the group. For screen readers, a dot is before every link
// that markdown has, too, except the first such link. *first is true until that link is written.
func (w *htmlWriter) filters(list []Filter, extra bool, first *bool) {
	w.raw("<ul")
	if extra {
		w.raw(" data-extra")
	}
	w.raw(">")
	for _, f := range list {
		w.raw("<li>")
		if !extra && !*first {
			w.raw(`<span class="vh"> · </span>`)
		}
		*first = *first && extra
		w.raw("<a")
		w.href(f.URL)
		if f.Chosen {
			w.raw(` aria-current="true"`)
		}
		w.raw(">")
		w.tagged(shapes[f.By], f.Text, "</a></li> ")
	}
	w.raw("</ul>\n")
}
