package views

import (
	"strconv"
	"strings"
	"time"

	"samepage/store"
	"samepage/store/governance"
	"samepage/views/page"
)

// Webhooks returns the page that lists an organization's webhooks.
func Webhooks(_ store.Actor, v *governance.Webhooks) page.Page {
	o := v.Organization
	p := page.Page{
		Title:    "Webhooks of " + o.Name,
		Kind:     "Webhooks",
		Trail:    page.Line(page.Link(o.Name, o.URL()), page.Link("Settings", o.URL()+"/settings")),
		Audience: "the owner of " + o.Name,
	}
	how := page.Para(page.Line(page.T("Messages have the format of Standard Webhooks. "),
		page.Link("What a receiver gets and checks", "/help/webhooks"), page.T(".")))
	if len(v.List) == 0 {
		p.Blocks = []page.Block{page.Empty(page.Line(page.T(
			"No program elsewhere is told what happens in " + o.Name + " yet."))), how}
		return p
	}
	t := page.Table{Caption: "Webhooks", Columns: page.Columns("To", "Tells of", "State", "Last accepted")}
	for i := range v.List {
		w := &v.List[i]
		t.Rows = append(t.Rows, page.Row{Key: w.ID, Cells: [][]page.Inline{
			page.Line(page.Link(w.Host(), w.URL())),
			page.Line(page.T(tellsOf(w))),
			page.Line(page.Sentence(webhookState(w))),
			accepted(&w.Endpoint),
		}})
	}
	p.Blocks = []page.Block{t, how}
	return p
}

func tellsOf(w *governance.Webhook) string {
	what, where := "everything", " that @"+w.Member+" may see"
	if w.Kinds != nil {
		what = strings.Join(w.Kinds, ", ")
	}
	if w.StudioID != "" {
		where = " in " + w.StudioName
	}
	return what + where
}

func accepted(w *governance.Endpoint) []page.Inline {
	if w.AcceptedAt.IsZero() {
		return page.Line(page.T("nothing yet"))
	}
	return page.Line(page.When(w.AcceptedAt.Time))
}

func webhookState(w *governance.Webhook) string {
	state := w.State()
	if w.Waiting > 0 {
		state += ", " + upTo(w.Waiting, "event waits", "events wait")
	}
	return state
}

// Webhook returns the page of an organization's webhook, with its delivery log.
func Webhook(_ store.Actor, v *governance.WebhookPage) page.Page {
	w := v.Webhook
	p := page.Page{
		Title:    "Webhook to " + w.Host(),
		Kind:     "Webhook",
		Trail:    page.Line(page.Link(w.OrgName, "/orgs/"+w.Org), page.Link("Webhooks", governance.WebhooksURL(w.Org))),
		Audience: "the owner of " + w.OrgName,
	}
	facts := page.Facts{
		{Label: "Tells of", Value: page.Line(page.T(tellsOf(w)))},
		{Label: "Made", Value: page.Line(page.Link("@"+w.Member, store.MemberURL(w.Org, w.Member)), page.T(", "),
			page.When(w.CreatedAt.Time))},
	}
	fillWebhook(&p, &w.Endpoint, &v.Log, w.URL(), facts)
	return p
}

// fillWebhook sets the state, the blocks and the JSON form of a webhook's page. The argument url is the path of the
// page, and more has the facts of this kind of webhook.
func fillWebhook(p *page.Page, w *governance.Endpoint, l *governance.Log, url string, more page.Facts) {
	p.Data = func() any { return webhookData(w, l) }
	p.State = page.Line(page.Pill("Active", page.Live), page.T(". "))
	if w.MustBe("active") != nil {
		p.State = page.Line(page.Pill("Paused", page.Calm), page.T(" "), page.When(w.PausedAt.Time), page.T(". "))
		if w.PausedWhy != "" {
			p.State = append(p.State, page.T(w.PausedWhy+" "))
		}
	}
	switch {
	case w.Waiting > 0:
		p.State = append(p.State, page.Sentence(upTo(w.Waiting, "event waits", "events wait")+" to be sent."))
	case w.Deliveries == 0:
		p.State = append(p.State, page.T("Nothing was sent yet."))
	default:
		p.State = append(p.State, page.T("Nothing waits to be sent."))
	}
	facts := append(page.Facts{{Label: "Address", Value: page.Line(page.Mono(w.Address))}}, more...)
	p.Blocks = []page.Block{append(facts, page.Facts{
		{Label: "Last accepted", Value: accepted(w)},
		{Label: "Given up", Value: page.Line(page.T(upTo(w.GaveUp, "event", "events") + " in 30 days"))},
	}...)}
	if w.Former != nil && w.FormerTo.After(l.Now) {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.T("The former secret signs too, until "),
			page.When(w.FormerTo.Time), page.T("."))))
	}
	p.Blocks = append(p.Blocks, deliveryLog(l, url, p))
}

// deliveryLog returns a section with one range of a webhook's deliveries, newest first. The argument url is the path of
// the page p. If there may be more deliveries, p.Next gets the address of the next range.
func deliveryLog(l *governance.Log, url string, p *page.Page) page.Section {
	s := page.Section{ID: "log", Title: "Log"}
	if len(l.List) == 0 {
		s.Blocks = []page.Block{page.Empty(page.Line(page.T("Nothing was sent in the last 30 days.")))}
		return s
	}
	t := page.Table{Caption: "Log", Lines: true, Columns: page.Columns("No.", "Event", "State", "Answer", "Since")}
	for i := range l.List {
		d := &l.List[i]
		event := page.Line(page.Mono(d.Type))
		if d.Seq > 0 {
			event = append(event, page.T(", "), page.Link("entry "+strconv.FormatInt(d.Seq, 10),
				"/orgs/"+d.Org+"/journal/"+strconv.FormatInt(d.Seq, 10)))
		}
		t.Rows = append(t.Rows, page.Row{Key: strconv.Itoa(d.N), Cells: [][]page.Inline{
			page.Line(page.T(strconv.Itoa(d.N))), event, deliveryState(d, l.Now), page.Line(page.Sentence(answerTo(d))),
			page.Line(page.When(d.CreatedAt.Time)),
		}})
	}
	s.Blocks = []page.Block{t}
	if last := l.Last(); last != nil {
		p.Next = url + "?before=" + strconv.Itoa(last.N)
		s.Blocks = append(s.Blocks, page.Para(page.Line(page.Link("Earlier events", p.Next))))
	}
	return s
}

func deliveryState(d *governance.Delivery, now time.Time) []page.Inline {
	tries := count(d.Attempts, "try", "tries")
	switch d.State() {
	case "accepted":
		return page.Line(page.Sentence("accepted, "+tries+", "), page.When(d.DeliveredAt.Time))
	case "given up":
		return page.Line(page.Sentence("given up after "+tries+", "), page.When(d.FailedAt.Time))
	case "left out":
		return page.Line(page.T("left out"))
	}
	switch {
	case d.Attempts == 0 && d.DueAt.After(now):
		return page.Line(page.T("waiting until "), page.When(d.DueAt.Time))
	case d.Attempts == 0:
		return page.Line(page.T("waiting"))
	}
	return page.Line(page.Sentence("waiting after "+tries+", next "), page.When(d.DueAt.Time))
}

// answerTo returns the result of the last attempt: a problem, a status, or a dash if there was no attempt.
func answerTo(d *governance.Delivery) string {
	switch {
	case d.Problem != "":
		return d.Problem
	case d.Status == 0:
		return "–"
	}
	return strconv.Itoa(d.Status) + " after " + strconv.FormatInt(d.Took, 10) + " ms"
}

type deliveryPublic struct {
	ID       string     `json:"id"`
	N        int        `json:"n"`
	Type     string     `json:"type"`
	Entry    int64      `json:"entry,omitempty"`
	State    string     `json:"state"`
	Attempts int        `json:"attempts"`
	Next     store.Time `json:"next,omitzero"`
	Status   int        `json:"status,omitempty"`
	Problem  string     `json:"problem,omitempty"`
}

func webhookData(w *governance.Endpoint, l *governance.Log) any {
	log := make([]deliveryPublic, len(l.List))
	for i := range l.List {
		d := &l.List[i]
		log[i] = deliveryPublic{d.ID(), d.N, d.Type, d.Seq, d.State(), d.Attempts, d.DueAt, d.Status, d.Problem}
	}
	return struct {
		ID    string           `json:"id"`
		Host  string           `json:"host"`
		State string           `json:"state"`
		Log   []deliveryPublic `json:"log"`
	}{w.ID, w.Host(), w.State(), log}
}
