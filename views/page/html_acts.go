package page

import (
	"net/url"
	"slices"
	"strings"

	"samepage/actions/param"
)

// Reply describes the answer to a contribution, such as a comment. Slot is the id of the slot with the form for the
// answer. To is the handle of the contribution's author, with which the answer begins.
type Reply struct{ Slot, To string }

// Ref identifies a contribution, such as a comment, in the forms of its page. List is the name of a field with a plural
// s, such as "comments". A form with that field can act on the contribution if the field accepts Value.
type Ref struct{ List, Value string }

// acts writes the buttons of a comment or message: one to answer it, and a menu of less frequent actions, the
// destructive ones last. The argument reply is the address of the form for an answer, or empty, and own is the address
// of the text. If the function first is not nil, it writes the start of the menu.
func (w *htmlWriter) acts(id string, author *Inline, reply, own string, lesser []Act, first func()) {
	w.raw(`<div class="acts" data-extra>`)
	said := "this"
	if author != nil {
		said, _, _ = strings.Cut(author.text, agentOf)
	}
	if reply != "" {
		w.anchor(`<a class="tool reply"`, reply)
		w.icon("reply")
		w.tagged(`<span class="label">Reply<span class="vh"> to `, said, "</span></span></a>")
	}
	w.raw(`<button class="tool" type="button"`)
	w.attr("popovertarget", "more-"+id)
	w.raw(">")
	w.icon("more")
	w.tagged(`<span class="vh">More on what `, said, " said</span></button>\n<div class=\"menu\"")
	w.attr("id", "more-"+id)
	w.raw(" popover>\n")
	if first != nil {
		first()
	}
	w.raw("<ul>\n")
	if reply != "" {
		w.entry(&Act{Title: "Reply", URL: reply}, "reply", "")
	}
	w.entry(&Act{Title: "Link", URL: own}, "link", " data-link")
	for i := range lesser {
		if !lesser[i].Destructive {
			w.entry(&lesser[i], "", "")
		}
	}
	w.raw("</ul>\n")
	if slices.ContainsFunc(lesser, func(a Act) bool { return a.Destructive }) {
		w.raw("<ul class=\"danger\">\n")
		for i := range lesser {
			if lesser[i].Destructive {
				w.entry(&lesser[i], "", "")
			}
		}
		w.raw("</ul>\n")
	}
	w.raw("</div></div>\n")
}

// entry writes a line of a menu. If symbol is empty, the icon is that of the action.
func (w *htmlWriter) entry(a *Act, symbol, attributes string) {
	w.raw("<li><a")
	w.href(a.URL)
	w.raw(attributes + ">")
	if _, name, ok := strings.Cut(a.URL, "/actions/"); ok && symbol == "" {
		name, _, _ = strings.Cut(name, "?")
		symbol = iconOf(name)
	}
	w.icon(symbol)
	w.tagged("<span>", a.Title, "</span></a></li>\n")
}

// onContribution writes the buttons of a [Prose], if it has any.
func (w *htmlWriter) onContribution(b *Prose, author *Inline) {
	if w.p.Only || b.Ref == (Ref{}) && b.Reply == (Reply{}) || w.c.Side == nil {
		return
	}
	reply := ""
	if f := w.inSlot(b.Reply.Slot); f != nil && composes(f) && b.Reply.To != w.c.Side.Reader {
		reply = withParam(f.URL, f.Fields[0].Name, url.QueryEscape(b.Reply.To+" "))
	}
	var lesser []Act
	for i := range w.p.Forms {
		f := &w.p.Forms[i]
		if f.names(b.Ref) {
			to := withParam(f.URL, strings.TrimSuffix(b.Ref.List, "s"), url.QueryEscape(b.Ref.Value))
			lesser = append(lesser, Act{Title: f.title(), URL: to, Destructive: f.Destructive})
		}
	}
	w.acts(b.ID, author, reply, "#"+b.ID, lesser, nil)
}

// names reports whether the form can act on the contribution of the reference.
func (f *Form) names(r Ref) bool {
	name, _ := strings.CutSuffix(r.List, "s")
	for i := range f.Fields {
		field := &f.Fields[i]
		if field.Name != name {
			continue
		}
		return field.Kind == param.Number || field.Option(r.Value) != nil
	}
	return false
}
