package governance

import (
	"slices"
	"strconv"
	"strings"

	"samepage/store"
	"samepage/store/governance"
	"samepage/views"
	"samepage/views/page"
)

// Reacting has the actions on messages in a channel.
type Reacting struct {
	Add, Remove          string
	Edit, Attach, Delete views.Verb
}

// Channel returns the page of a studio's channel.
func (r Reacting) Channel(by store.Actor, v *governance.ChannelPage) page.Page {
	c := v.Channel
	p := views.StudioPage(c.Studio, "Channel", "Channel of "+c.Name)
	p.Data = func() any { return channelData(by, v) }
	p.State = channelState(by, v)
	if len(v.List) == 0 {
		p.Blocks = []page.Block{page.Empty(channelEmpty(by, c)), page.Slot{ID: "write"}, page.Rail(channelFacts(v))}
		return p
	}
	talk := page.Talk{Title: "Messages"}
	if v.More {
		p.Next = c.URL() + "?before=" + strconv.Itoa(v.List[0].N)
		talk.Blocks = append(talk.Blocks, page.Para(page.Line(page.Link("Older messages", p.Next))))
	}
	talk.Blocks = append(talk.Blocks, r.byDay(by, v)...)
	p.Blocks = append(p.Blocks, talk)
	if !v.Newest {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link("The newest messages", c.URL()))))
	}
	if v.Newest && store.Paused(by, c.AgentRun) {
		p.Blocks = append(p.Blocks, views.PausedAgents(c.AgentRun, "message in this channel", "messages in this channel"))
	}
	p.Blocks = append(p.Blocks, page.Slot{ID: "write"}, page.Rail(channelFacts(v)))
	return p
}

// byDay returns the messages in a section for each day. New messages come after a heading.
func (r Reacting) byDay(by store.Actor, v *governance.ChannelPage) (blocks []page.Block) {
	zone := store.Location(v.Zone)
	fresh := 0
	if v.Newest {
		fresh = v.Unheard()
	}
	var day page.Section
	flush := func() {
		if len(day.Blocks) > 0 {
			blocks = append(blocks, day)
		}
		day = page.Section{}
	}
	marked := fresh == 0
	for i := range v.List {
		s := &v.List[i]
		if !marked && s.N > v.Heard {
			marked = true
			flush()
			blocks = append(blocks, page.Section{ID: "unread", Title: strconv.Itoa(fresh) + " new since you left"})
		}
		at := s.CreatedAt.In(zone)
		if title := at.Format("Mon 2 Jan 2006"); title != day.Title {
			flush()
			day = page.Section{Title: title}
		}
		day.Blocks = append(day.Blocks, r.inChannel(by, v, s))
	}
	flush()
	return blocks
}

func (r Reacting) inChannel(by store.Actor, v *governance.ChannelPage, s *governance.Said) page.Said {
	b := r.said(by, &s.Message, v.URL())
	if s.Comments == 0 {
		return b
	}
	said := views.Counted(s.Comments, "reply", "replies")
	all, last := page.Link(said, s.URL()+"#comments"), views.Author(v.Studio, s.LastBy, store.Agent{Label: s.LastWith})
	if b.Replies = views.Replies(v.Studio, s.Replies); len(b.Replies) > 0 {
		// A click on the line unfolds the replies, so the line cannot have links.
		all, last = page.T(said), page.Who(store.Byline(s.LastBy, s.LastWith), "")
		if s.Comments > len(b.Replies) {
			b.Replies = append([]page.Block{page.Para(page.Line(page.Link("All replies", s.URL()+"#comments")))}, b.Replies...)
		}
	}
	b.Thread = page.Line(all, page.T(", the last by "), last, page.T(", "), page.When(s.LastReply.Time))
	return b
}

// reaction is the name of the parameter of the actions that add and remove a reaction.
const reaction = "reaction"

// said returns the block with a message. After a press of a button, HTML returns to the address in the argument then.
func (r Reacting) said(by store.Actor, m *governance.Message, then string) page.Said {
	b := page.Said{
		ID: "m-" + m.ID, URL: m.URL(), Then: then, React: [2]string{r.Add, reaction}, Unreact: [2]string{r.Remove, reaction},
		Lead: page.Line(views.Author(m.Studio, m.Member, m.Agent), page.T(", "), page.When(m.CreatedAt.Time)),
		Text: m.Body, Why: m.Why,
		Open: !m.Removed() && by.Member != nil && !by.IsAgent() && m.Studio.MustBeJoined() == nil,
	}
	if by.Member == nil {
		b.Why = "" // only members of the organization may read reasons
	}
	if m.Removed() {
		b.Gone = views.Tombstone(&m.Item)
		return b
	}
	if m.Versions > 0 {
		b.Lead = append(b.Lead, page.T(", "), page.Link("edited", m.URL()+"/versions"))
	}
	if m.Files > 0 {
		b.Lead = append(b.Lead, page.T(", "), page.Link(views.Counted(m.Files, "file", "files"), m.URL()+"#files"))
	}
	for i := range m.Carries {
		x := &m.Carries[i].Item
		b.Cards = append(b.Cards, page.Card{Link: page.Link(x.Title, x.URL()), Ring: views.Ring(x),
			Meta: append(page.Line(page.T(kindTitle(x.Kind)+", ")), views.ItemState(x)...)})
		if strings.TrimSpace(m.Body) == x.URL() {
			b.Text = "" // the message is only the address of this item
		}
	}
	b.Lesser = r.lesser(by, m)
	for _, r := range m.Reactions {
		b.Reactions = append(b.Reactions, page.Reaction{Emoji: r.Emoji, N: r.N, Mine: r.Mine})
	}
	return b
}

// lesser returns the less frequent actions on a message that the actor may take.
func (r Reacting) lesser(by store.Actor, m *governance.Message) (list []page.Act) {
	if m.MustBeEditableBy(by) == nil {
		list = append(list, page.Act{Title: r.Edit.Title, URL: store.ActionURL(m.URL(), r.Edit.Name)})
		if m.MustTakeFiles() == nil {
			list = append(list, page.Act{Title: r.Attach.Title, URL: store.ActionURL(m.URL(), r.Attach.Name)})
		}
	}
	if m.MustBeDeletableBy(by) == nil {
		list = append(list, page.Act{Title: r.Delete.Title, URL: store.ActionURL(m.URL(), r.Delete.Name), Destructive: true})
	}
	return list
}

func kindTitle(kind string) string {
	n, _ := views.NounOf(kind)
	return n.One
}

func channelState(by store.Actor, v *governance.ChannelPage) []page.Inline {
	c := v.Channel
	var line []page.Inline
	switch fresh := c.Unheard(); {
	case len(v.List) == 0:
	case !v.Newest:
		line = page.Line(page.Sentence("Earlier messages."))
	case fresh > 0:
		line = page.Line(page.Sentence(views.Counted(fresh, "message is", "messages are") + " new."))
	case c.Joined():
		line = page.Line(page.Sentence("You have read everything."))
	}
	if last := len(v.List) - 1; last >= 0 && v.Newest {
		s := &v.List[last]
		line = append(line, page.T(" The last is by "), views.Author(v.Studio, s.Member, s.Agent), page.T(", "),
			page.When(s.CreatedAt.Time), page.T(". In short: "), page.Link("digest", DigestURL(c.Studio)), page.T("."))
	}
	switch {
	case c.State() == "archived":
		line = append(line, page.Sentence(" "+c.MustBeActive().Error()))
	case by.Anonymous():
		line = append(line, page.T(" "), page.Link("Sign in", "/login"), page.T(" to take part."))
	case by.Member != nil && !c.Joined():
		line = append(line, page.T(" Members of "), page.Link(c.Name, c.Studio.URL()), page.T(" write here."))
	}
	return line
}

func channelEmpty(by store.Actor, c *governance.Channel) []page.Inline {
	line := page.Line(page.T("Nobody has said anything yet."))
	if by.Member != nil && c.State() != "archived" {
		line = append(line, page.T(" What is written here everyone in the studio reads, agents too. What has to be decided "+
			"becomes a decision, and stands in the conversation where it came up."))
	}
	return line
}

func channelFacts(v *governance.ChannelPage) (facts []page.Block) {
	if len(v.Members) > 0 {
		var list page.List
		for i := range v.Members {
			list = append(list, page.Line(page.Who("@"+v.Members[i].Handle, v.Members[i].URL())))
		}
		facts = append(facts, page.Section{ID: "members", Title: "Members", Blocks: []page.Block{list},
			Few: page.Few{Most: 3, More: v.Studio.URL() + "/members"}})
	}
	facts = append(facts, views.MemberAgents(v.Org, v.Agents)...)
	var shown []string
	var decided page.Stack
	for i := len(v.List) - 1; i >= 0; i-- {
		for k := range v.List[i].Carries {
			x := &v.List[i].Carries[k].Item
			if n, _ := views.NounOf(x.Kind); n.Progress == nil || slices.Contains(shown, x.ID) {
				continue
			}
			shown = append(shown, x.ID)
			decided = append(decided, page.Entry{Name: page.Line(page.Link(x.Title, x.URL())), Note: views.ItemState(x)})
		}
	}
	if len(decided) > 0 {
		facts = append(facts, page.Section{ID: "decides", Title: "Decided here", Blocks: []page.Block{decided},
			Few: page.Few{Most: 3}})
	}
	return facts
}

type channelPublic struct {
	Studio   string           `json:"studio"`
	New      int              `json:"new"`
	Messages []*messagePublic `json:"messages"`
}

func channelData(by store.Actor, v *governance.ChannelPage) any {
	d := &channelPublic{Studio: v.Handle, New: v.Unheard(), Messages: []*messagePublic{}}
	for i := range v.List {
		d.Messages = append(d.Messages, messageData(by, &v.List[i].Message))
	}
	return d
}
