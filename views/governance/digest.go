package governance

import (
	"strconv"

	"samepage/store"
	"samepage/store/governance"
	"samepage/views"
	"samepage/views/page"
)

// DigestURL returns the path of the digest of a studio's channel.
func DigestURL(s *store.Studio) string { return s.URL() + "/channel/digest" }

// ChannelDigest returns the page that sums up the messages in a channel since a time.
func ChannelDigest(by store.Actor, v *governance.Digest) page.Page {
	c := v.Channel
	p := views.StudioPage(c.Studio, "Digest", "Digest of the channel of "+c.Name)
	p.Trail = append(p.Trail, page.Link("Channel", c.URL()))
	p.Brief, p.Rest, p.Data = true, c.URL(), func() any { return digestData(by, v) }
	p.State = digestState(v)
	add := func(id, title string, lines [][]page.Inline) {
		if len(lines) > 0 {
			p.Blocks = append(p.Blocks, views.BriefPart(id, title, lines, "", c.URL()))
		}
	}
	add("decides", "Started or linked here, as it stands now", carried(v))
	var asked [][]page.Inline
	for i := range v.List {
		if s := &v.List[i]; s.Unanswered() {
			asked = append(asked, page.Line(views.Author(c.Studio, s.Member, s.Agent), page.T(": "), page.Link(s.Question(), s.URL())))
		}
	}
	add("unanswered", "Asked, without a reply or a reaction", asked)
	if len(v.List) > 0 {
		part := views.BriefPart("said", "Said", said(v), "", c.URL())
		part.Few.Last = true
		p.Blocks = append(p.Blocks, part)
	}
	var threads [][]page.Inline
	for i := range v.Threads {
		x := &v.Threads[i]
		threads = append(threads, page.Line(views.Author(c.Studio, x.Member, x.Agent), page.T(": "), page.Link(x.Title, x.URL()),
			page.T(", "+views.Counted(x.Fresh, "new reply", "new replies")+", the last by "),
			views.Author(c.Studio, x.LastBy, store.Agent{Label: x.LastWith}), page.T(", "), page.When(x.LastReply.Time)))
	}
	add("threads", "Replies to what was said before", threads)
	p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link("The channel", c.URL()), page.T(" · since "),
		page.Link("yesterday", DigestURL(c.Studio)+"?since=yesterday"), page.T(", "),
		page.Link("7 days", DigestURL(c.Studio)+"?since=7d"), page.T(", "),
		page.Link("30 days", DigestURL(c.Studio)+"?since=30d"))))
	return p
}

func digestState(v *governance.Digest) []page.Inline {
	start := views.Counted(v.Count, "message", "messages")
	people, agents := views.Counted(v.People, "person", "people"), views.Counted(v.Agents, "agent", "agents")
	switch {
	case v.Count == 0:
		start = "No messages"
	case v.Agents == 0:
		start += " by " + people
	case v.People == 0:
		start += " by " + agents
	default:
		start += " by " + people + " and " + agents
	}
	line := page.Line(page.Sentence(start+" since "), page.When(v.Since).Dated())
	switch {
	case v.FromUnheard:
		line = append(line, page.T(", the first that you have not read"))
	case v.Joined() && v.Count > 0 && v.Unheard() == 0:
		line = append(line, page.T(". You have read them all"))
	}
	return append(line, page.T("."))
}

// carried returns a line for each item that the listed messages link to, with its state.
func carried(v *governance.Digest) (lines [][]page.Inline) {
	shown := map[string]bool{}
	for i := len(v.List) - 1; i >= 0; i-- {
		for k := range v.List[i].Carries {
			x := &v.List[i].Carries[k].Item
			if shown[x.ID] {
				continue
			}
			shown[x.ID] = true
			lines = append(lines, append(page.Line(page.T(kindTitle(x.Kind)+" "), page.Link(x.Title, x.URL()), page.T(": ")),
				views.ItemState(x)...))
		}
	}
	return lines
}

func said(v *governance.Digest) (lines [][]page.Inline) {
	if left := v.Count - len(v.List); left > 0 {
		lines = append(lines, page.Line(page.Link(strconv.Itoa(left)+" earlier",
			v.Channel.URL()+"?before="+strconv.Itoa(v.List[0].N))))
	}
	for i := range v.List {
		s := &v.List[i]
		line := page.Line(views.Author(v.Studio, s.Member, s.Agent), page.T(", "), page.When(s.CreatedAt.Time), page.T(": "),
			page.Link(s.Title, s.URL()))
		if s.Comments > 0 {
			line = append(line, page.T(", "+views.Counted(s.Comments, "reply", "replies")+", the last by "),
				views.Author(v.Studio, s.LastBy, store.Agent{Label: s.LastWith}))
		}
		lines = append(lines, line)
	}
	return lines
}

type digestPublic struct {
	Studio   string           `json:"studio"`
	Since    store.Time       `json:"since"`
	Count    int              `json:"count"`
	Messages []*messagePublic `json:"messages"`
}

func digestData(by store.Actor, v *governance.Digest) any {
	d := &digestPublic{Studio: v.Handle, Since: store.At(v.Since), Count: v.Count, Messages: []*messagePublic{}}
	for i := range v.List {
		d.Messages = append(d.Messages, messageData(by, &v.List[i].Message))
	}
	return d
}
