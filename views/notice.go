package views

import (
	"strings"

	"samepage/store"
	"samepage/store/notice"
	"samepage/views/page"
)

// Notices returns the page of a person's notification settings.
func Notices(by store.Actor, s *notice.Notifications) page.Page {
	p := page.Page{Title: "Notifications", Kind: "Settings", Audience: "you alone",
		Data: func() any { return noticeData(s) }}
	p.State = page.Line(page.Sentence(noticeState(s)))
	if by.IsAgent() {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Sentence("These are the choices of your member, @"+by.Member.Handle+
			". You read the same inbox, so they hold for you, too. Mails go to people only."))))
	}
	p.Blocks = append(p.Blocks, noticeKinds(s), noticeStudios(s), noticeQuiet(s), noticeDigest(s))
	if !by.IsAgent() {
		p.Blocks = append(p.Blocks, noticeWebhook(s), page.Para(page.Line(page.T("Your agents read your inbox, so what is off here, "+
			"or in a studio, does not reach them either. "), page.Link("Your inbox", "/inbox"), page.T("."))))
	}
	return p
}

func noticeState(s *notice.Notifications) string {
	switch {
	case !s.Mails && s.Webhook != nil:
		return "This server sends no mail, so everything is in your inbox and what you choose goes to your webhook. What you " +
			"choose about mails holds once its operator sets mail up."
	case !s.Mails:
		return "This server sends no mail, so everything is in your inbox alone. What you choose about mails holds once its operator " +
			"sets mail up."
	case s.Email == "":
		return "Mails go to the address with which the person signs in."
	}
	return "Mails go to " + s.Email + ". They have names, titles and links, and not the texts of pages or of direct messages."
}

func noticeKinds(s *notice.Notifications) page.Section {
	t := page.Table{Caption: "Kinds of notifications", Columns: page.Columns("Kind", "When", "Goes to")}
	var always []string
	for _, r := range store.Reasons() {
		if r.Always {
			always = append(always, r.Title)
		}
		t.Rows = append(t.Rows, page.Row{Key: string(r.Reason), Cells: [][]page.Inline{
			page.Line(page.Strong(r.Title)), page.Line(page.T(r.Doc)), page.Line(page.T(goesTo(s, r.Reason)))}})
	}
	return page.Section{ID: "kinds", Title: "What you are told", Blocks: []page.Block{t,
		page.Para(page.Line(page.Sentence(
			strings.Join(always, " and ") + " cannot be turned off: an agent would wait for you in vain, or you would not learn " +
				"that one was stopped. Mails about signing in do not depend on this.")))}}
}

func goesTo(s *notice.Notifications, r store.Reason) string {
	places := []string{"inbox"}
	switch s.Way(r) {
	case notice.Off:
		return "nowhere"
	case notice.ToMail:
		places = append(places, "mail")
	case notice.ToDigest:
		places = append(places, "digest")
	}
	if s.Webhook != nil && s.Hooked[r] {
		places = append(places, "webhook")
	}
	last := len(places) - 1
	if last == 0 {
		return places[0]
	}
	return strings.Join(places[:last], ", ") + " and " + places[last]
}

func noticeStudios(s *notice.Notifications) page.Section {
	section := page.Section{ID: "studios", Title: "Studios"}
	if len(s.Studios) == 0 {
		section.Blocks = []page.Block{page.Empty(page.Line(page.T("You are in no studio.")))}
		return section
	}
	t := page.Table{Caption: "Studios", Columns: page.Columns("Studio", "Tells you")}
	for i := range s.Studios {
		studio := &s.Studios[i]
		told := map[string]string{"": "as above, what everyone is told",
			store.Followed: "as above, and all that happens",
			store.Muted:    "only mentions", store.Silenced: "nothing"}[s.Level(studio)]
		if s.Webhook != nil && s.Unhooked[studio.ID] {
			told += ", and not your webhook"
		}
		t.Rows = append(t.Rows, page.Row{Key: studio.Handle, Cells: [][]page.Inline{
			page.Line(page.Link(studio.Name, studio.URL())), page.Line(page.T(told))}})
	}
	section.Blocks = []page.Block{t}
	if len(s.Studios) == notice.MostStudios {
		section.Blocks = append(section.Blocks, page.Para(page.Line(page.Sentence("These are the first "+
			number(notice.MostStudios)+". You can mute any other on its page."))))
	}
	return section
}

func noticeQuiet(s *notice.Notifications) page.Section {
	said := "You have no quiet hours, so you are told at any hour. Your time zone is " + s.Zone + "."
	if s.HasQuiet() {
		days := "every day"
		if s.QuietDays != nil {
			var list []string
			for _, name := range s.QuietDays {
				list = append(list, notice.DayOf(name).String())
			}
			days = "beginning on " + strings.Join(list, ", ")
		}
		said = "From " + notice.Clock(s.QuietFrom) + " to " + notice.Clock(s.QuietTo) + " in " + s.Zone + ", " + days +
			", you get no mail about notifications, and your webhook gets none of them. What you have not read by then comes at " +
			"their end."
	}
	return page.Section{ID: "quiet", Title: "Quiet hours",
		Blocks: []page.Block{page.Para(page.Line(page.Sentence(said)))}}
}

func noticeDigest(s *notice.Notifications) page.Section {
	line := page.Line(page.Sentence("You get no digest. Your inbox has what would be in it."))
	if s.Digest != notice.NoDigest {
		often := "Every day at "
		if s.Digest == notice.Weekly {
			often = "Every " + s.DigestDay.String() + " at "
		}
		line = page.Line(page.Sentence(often+notice.Clock(s.DigestAt)+" in "+s.Zone+" one mail tells what is new and unread, and "+
			"what waits for you. There is none if there is nothing to tell. The next one: "),
			page.When(s.DigestDue.Time), page.T("."))
		if end := s.QuietUntil(s.DigestDue.Time); !end.IsZero() {
			line = append(line, page.Sentence(" That is in your quiet hours, so it comes at their end."))
		}
	}
	return page.Section{ID: "digest", Title: "Digest by mail", Blocks: []page.Block{page.Para(line)}}
}

type noticePublic struct {
	Mails   bool              `json:"mails"`
	Kinds   map[string]string `json:"kinds"`
	Hooked  []string          `json:"to_webhook,omitempty"` // kinds of notifications
	Studios map[string]string `json:"studios"`
	Zone    string            `json:"zone"`
	Quiet   string            `json:"quiet_hours,omitempty"`
	Days    []string          `json:"quiet_days,omitempty"`
	Digest  string            `json:"digest"`
	Next    store.Time        `json:"next_digest,omitzero"`
}

func noticeData(s *notice.Notifications) any {
	d := &noticePublic{Mails: s.Mails, Kinds: map[string]string{}, Studios: map[string]string{}, Zone: s.Zone,
		Days:   s.QuietDays,
		Digest: s.Digest, Next: s.DigestDue}
	for _, r := range store.Reasons() {
		d.Kinds[string(r.Reason)] = string(s.Way(r.Reason))
	}
	if s.Webhook != nil {
		d.Hooked = s.ToWebhook()
	}
	for i := range s.Studios {
		d.Studios[s.Studios[i].Handle] = s.Level(&s.Studios[i])
	}
	if s.HasQuiet() {
		d.Quiet = notice.Clock(s.QuietFrom) + "-" + notice.Clock(s.QuietTo)
	}
	return d
}
