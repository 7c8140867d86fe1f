package views

import (
	"strconv"

	"samepage/store"
	"samepage/views/page"
)

// DirectTalks returns the page that lists a person's conversations with other members.
func DirectTalks(_ store.Actor, v *store.DirectTalks) page.Page {
	p := page.Page{Title: "Direct messages", Kind: "Direct messages",
		Trail: page.Line(page.Link(v.Member.OrgName, "/orgs/"+v.Member.Org)), Audience: "you alone"}
	p.State = page.Line(page.Sentence("What you and one other member write to each other. It is for people only: no agent reads it."))
	begin := page.Line(page.T("Begin on the page of a member: "), page.Link("Members of "+v.Member.OrgName,
		"/orgs/"+v.Member.Org+"/members"), page.T("."))
	if len(v.List) == 0 {
		p.Blocks = []page.Block{page.Empty(append(page.Line(page.T("You have exchanged no direct messages. ")), begin...))}
		return p
	}
	p.Blocks = []page.Block{directList(v.List), page.Para(begin)}
	return p
}

func directList(list []store.DirectTalk) page.List {
	lines := make(page.List, len(list))
	for i := range list {
		d := &list[i]
		lines[i] = page.Line(page.Link("@"+d.Handle+", "+d.Name, d.URL()))
		if n := d.Unheard(); n > 0 {
			lines[i] = append(lines[i], page.T(", "), page.Strong(number(n)+" new"))
		}
		lines[i] = append(lines[i], page.T(", "), page.When(d.SaidAt.Time))
	}
	return lines
}

// DirectTalk returns the page of a person's conversation with another member.
func DirectTalk(_ store.Actor, v *store.DirectPage) page.Page {
	d := v.DirectTalk
	p := page.Page{Title: "Messages with @" + d.Handle, Kind: "Direct messages",
		Trail:    page.Line(page.Link("Direct messages", "/orgs/"+d.Org+"/dm"), page.Link(d.Name, store.MemberURL(d.Org, d.Handle))),
		Audience: "you and @" + d.Handle + " alone", Zone: store.Location(d.Zone)}
	switch {
	case !v.Newest:
		p.State = page.Line(page.Sentence("Earlier messages."))
	case !d.Ended.IsZero():
		p.State = page.Line(page.Sentence(d.MustBeOpen().Error()))
	case d.Unheard() > 0:
		p.State = page.Line(page.Sentence(count(d.Unheard(), "message is", "messages are") + " new."))
	}
	if len(v.List) == 0 {
		p.Blocks = []page.Block{page.Empty(page.Line(page.T("You have not written to each other."))), page.Slot{ID: "write"}}
		return p
	}
	talk := page.Talk{Title: "Messages"}
	if v.More {
		p.Next = d.URL() + "?before=" + strconv.Itoa(v.List[0].N)
		talk.Blocks = append(talk.Blocks, page.Para(page.Line(page.Link("Older messages", p.Next))))
	}
	for i := range v.List {
		m := &v.List[i]
		if v.Newest && d.Unheard() > 0 && m.N == d.Heard+1 {
			talk.Blocks = append(talk.Blocks, page.Section{ID: "unread", Title: number(d.Unheard()) + " new since you left"})
		}
		b := page.Said{ID: "m-" + strconv.Itoa(m.N), Text: m.Text,
			Lead: page.Line(page.Who("@"+m.Member, store.MemberURL(d.Org, m.Member)), page.T(", "), page.When(m.At.Time))}
		if !m.EditedAt.IsZero() {
			b.Lead = append(b.Lead, page.T(", edited"))
		}
		if !m.RemovedAt.IsZero() {
			b.Gone = page.Line(page.T("Deleted "), page.When(m.RemovedAt.Time), page.T("."))
		}
		talk.Blocks = append(talk.Blocks, b)
	}
	p.Blocks = []page.Block{talk}
	if !v.Newest {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link("The newest messages", d.URL()))))
	}
	p.Blocks = append(p.Blocks, page.Slot{ID: "write"})
	return p
}
