package governance

import (
	"strconv"

	"samepage/store"
	"samepage/store/governance"
	"samepage/views"
	"samepage/views/page"
)

// MessageNoun has the words for messages. The channel is the list of messages.
var MessageNoun = views.DeclareNoun(views.Noun{
	Kind: governance.MessageKind, One: "Message", Many: "Channel", Icon: "channel", Path: "/channel",
})

// Message returns the page of one message, with its replies.
func (r Reacting) Message(by store.Actor, v *governance.MessagePage) page.Page {
	m := v.Message
	p := views.ItemPage(&m.Item, "Message", m.Title)
	p.Trail = append(p.Trail, page.Link("Channel", m.Studio.URL()+"/channel"))
	p.Data = func() any { return messageData(by, m) }
	switch {
	case m.Studio.State() == "archived":
		p.State = page.Line(page.Sentence(m.Studio.MustBeActive().Error()))
	case v.Latest != nil:
		p.State = page.Line(page.T("Edited "), page.When(v.Latest.At.Time), page.T(". "),
			page.Link(strconv.Itoa(m.Versions)+" versions", m.URL()+"/versions"), page.T("."))
	}
	s := r.said(by, m, m.URL())
	s.Own = true
	p.Blocks = append([]page.Block{s}, views.Discussion(by, &m.Item, v.Discussion)...)
	return p
}

type messagePublic struct {
	ID      string     `json:"id"`
	Number  int        `json:"number"`
	Author  string     `json:"author"`
	At      store.Time `json:"at"`
	Text    string     `json:"text,omitempty"`
	Why     string     `json:"why,omitempty"`
	Replies int        `json:"replies"`
	State   string     `json:"state"`
}

func messageData(by store.Actor, m *governance.Message) *messagePublic {
	d := &messagePublic{m.ID, m.N, m.Author(), m.CreatedAt, m.Body, m.Why, m.Comments, m.State()}
	if by.Member == nil {
		d.Why = ""
	}
	return d
}
