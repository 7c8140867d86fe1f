package views

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"samepage/store"
	"samepage/views/page"
)

// Cycle returns the page of one cycle of a studio, which is a day, a week or a month, or the page with the rest of one
// of its lists.
func Cycle(_ store.Actor, v *store.CyclePage) page.Page {
	c, s := v.Cycle, v.Studio
	p := StudioPage(s, "Cycle", cycleTitle(c))
	p.Trail = append(p.Trail, page.Link("Cycles", s.URL()+"/cycles"))
	p.State = cycleState(v)
	p.Data = func() any { return cycleData(v) }
	if v.Rest != nil {
		return cycleRest(p, v)
	}
	if n := cycleNeighbours(v); n != nil {
		p.Blocks = append(p.Blocks, page.Para(n))
	}
	if len(v.Days) > 0 {
		p.Blocks = append(p.Blocks, cycleStrip(v.Cycle, v.Days, false))
	}
	if len(v.Here) > 0 {
		var list page.List
		for i := range v.Here {
			h := &v.Here[i]
			line := page.Line(page.T(store.Byline(h.Member, h.Agent.Label)+", "), page.When(h.At.Time))
			if h.Text != "" {
				line = append(line, page.T(": "), page.T(h.Text))
			}
			list = append(list, line)
		}
		p.Blocks = append(p.Blocks, page.Section{ID: "here", Title: "Who was here", Blocks: []page.Block{list},
			Few: page.Few{Most: fewItems}})
	}
	over := [][]store.Item{v.Closed, v.Done}
	due := unlisted(v.Due, over...)
	left := unlisted(v.Open, due)
	made := unlisted(v.Made, append(over, due, left)...)
	empty := len(v.Here) == 0
	for i, l := range []struct {
		items, shown []store.Item
		most         int
	}{{v.Due, due, fewItems}, {v.Closed, v.Closed, 0}, {v.Done, unlisted(v.Done, v.Closed), 0},
		{v.Made, made, fewItems}, {v.Open, left, fewItems}} {
		id := store.CycleLists[i]
		title := listTitle(c, id)
		if id == "made" && len(made) < len(v.Made) {
			title = "Also made"
		}
		part := page.Section{ID: id, Title: title, Few: page.Few{Most: l.most}}
		if len(l.shown) > 0 {
			part.Blocks = append(part.Blocks, itemTable(title, l.shown))
		}
		if slices.Contains(v.More, id) {
			more := c.URL() + "?from=" + store.CycleFrom(id, store.ShownInCycle+1)
			part.Blocks = append(part.Blocks, page.Para(page.Line(page.Link("More of these", more))))
			p.Next = cmp.Or(p.Next, more)
		}
		if len(part.Blocks) > 0 {
			p.Blocks = append(p.Blocks, part)
		}
		empty = empty && len(l.items) == 0
	}
	if empty {
		p.Blocks = append(p.Blocks,
			page.Para(page.Line(page.Sentence("Nothing is here. A cycle is a "+cycleNoun(c)+" of "+s.Name+
				": what is due, made, decided and done in it comes here by itself, and who says that they are here."))))
	}
	return p
}

// cycleStrip returns a diagram of the days of a cycle. If narrow is true, weekdays have only their first letters.
func cycleStrip(c *store.Cycle, days []store.CycleDay, narrow bool) page.Strip {
	strip := page.Strip{Things: []string{"due", "made", "closed"}, Days: make([]page.StripDay, len(days))}
	today := store.SpanAt("daily", c.Now, store.Location(c.Studio.Zone))
	midnight, _ := today.Days()
	for i, d := range days {
		day := &strip.Days[i]
		day.Numbers, day.Today = []int{d.Due, d.Made, d.Closed}, d.Day.Equal(midnight)
		switch {
		case c.Tempo == "weekly" && narrow:
			day.Name = d.Day.Format("Mon")[:1]
		case c.Tempo == "weekly":
			day.Name = d.Day.Format("Mon 2")
		case i%7 == 0:
			day.Name = d.Day.Format("2")
		}
	}
	return strip
}

// cycleRest returns the page with the rest of one list of a cycle.
func cycleRest(p page.Page, v *store.CyclePage) page.Page {
	c, r := v.Cycle, v.Rest
	title := listTitle(c, r.List)
	p.Title = cycleTitle(c) + ": " + title
	p.Trail = append(p.Trail, page.Link(cycleTitle(c), c.URL()))
	p.State = page.Line(page.Sentence(fmt.Sprintf("From number %d on.", r.From)))
	if len(r.Items) == 0 {
		p.State = page.Line(page.Sentence(fmt.Sprintf("There are fewer than %d here.", r.From)))
		return p
	}
	p.Blocks = append(p.Blocks, itemTable(title, r.Items))
	if r.More {
		p.Continue("More of these", c.URL()+"?from="+store.CycleFrom(r.List, r.From+len(r.Items)))
	}
	return p
}

func listTitle(c *store.Cycle, list string) string {
	if list == "open" && !c.Current() {
		return "Left open"
	}
	return map[string]string{"due": "Due", "closed": "Decided and closed", "done": "Done", "made": "Made", "open": "Open"}[list]
}

// cycleTitle returns the name of a cycle, such as "Week 48 of 2026".
func cycleTitle(c *store.Cycle) string {
	day, _ := c.Days()
	switch c.Tempo {
	case "weekly":
		year, week := day.ISOWeek()
		return "Week " + strconv.Itoa(week) + " of " + strconv.Itoa(year)
	case "monthly":
		return day.Format("January 2006")
	}
	return day.Format("Monday 2 January 2006")
}

func cycleNoun(c *store.Cycle) string {
	return map[string]string{"daily": "day", "weekly": "week", "monthly": "month"}[c.Tempo]
}

func cycleState(v *store.CyclePage) []page.Inline {
	c := v.Cycle
	days := ""
	if first, last := c.Days(); c.Tempo != "daily" {
		days = first.Format("Mon 2 January") + " to " + last.Format("Mon 2 January 2006") + ". "
	}
	line := page.Line(page.Sentence(days))
	switch {
	case c.Future():
		line = append(line, page.T("Begins "), page.Distance(c.Start))
	case c.Current():
		line = append(line, page.T("Now, until "), page.Distance(c.End).Dated())
	default:
		line = append(line, page.T("Ended "), page.Distance(c.End))
	}
	line = append(line, page.T("."))
	if c.Current() && c.Studio.Joined() {
		if c.Studio.MustBeAway() == nil {
			line = append(line, page.T(" You have not said that you are here."))
		} else if c.Studio.State() == "active" {
			line = append(line, page.T(" You are here."))
		}
	}
	return line
}

func cycleNeighbours(v *store.CyclePage) []page.Inline {
	var line []page.Inline
	if v.Previous != nil {
		line = append(line, page.T("Before: "), page.Link(cycleTitle(v.Previous), v.Previous.URL()), page.T(". "))
	}
	if v.Next != nil {
		line = append(line, page.T("After: "), page.Link(cycleTitle(v.Next), v.Next.URL()), page.T("."))
	}
	return line
}

// cyclesNow returns a summary of the current cycle, and of the previous one unless it has no items to count.
func cyclesNow(v *store.StudioPage) []page.Inline {
	var line []page.Inline
	for i, d := range []*store.Digest{v.Now, v.Last} {
		if d == nil || i > 0 && d.Sum() == "" {
			continue
		}
		sum := cmp.Or(d.Sum(), "nothing yet")
		if i > 0 {
			line = append(line, page.T(cycleWords[v.Tempo][1]+", "))
		}
		line = append(line, page.Link(cycleTitle(d.Cycle), d.Cycle.URL()), page.T(": "+sum+". "))
	}
	return append(line, page.Link("Cycles", v.URL()+"/cycles"), page.T("."))
}

var cycleWords = map[string][2]string{
	"daily": {"Today", "Yesterday"}, "weekly": {"This week", "Last week"},
	"monthly": {"This month", "Last month"},
}

type cyclePublic struct {
	Name     string     `json:"name"`
	Tempo    string     `json:"tempo"`
	Start    store.Time `json:"start"`
	End      store.Time `json:"end"`
	Current  bool       `json:"current"`
	Previous string     `json:"previous,omitempty"`
	Next     string     `json:"next,omitempty"`
}

func cycleData(v *store.CyclePage) any {
	d := &cyclePublic{
		Name:    v.Name,
		Tempo:   v.Tempo,
		Start:   store.At(v.Start),
		End:     store.At(v.End),
		Current: v.Current(),
	}
	if v.Previous != nil {
		d.Previous = v.Previous.Name
	}
	if v.Next != nil {
		d.Next = v.Next.Name
	}
	return d
}

// Cycles returns the page that lists a studio's cycles, the latest first.
func Cycles(_ store.Actor, v *store.CyclesPage) page.Page {
	s := v.Studio
	p := StudioPage(s, "Cycles", "Cycles")
	p.State = page.Line(page.Sentence(fmt.Sprintf("%s works by the %s. When one is over, everyone in %s "+
		"is told what happened in it, but for those who mute the studio.", s.Name, cycleNoun(s.Cycle()), s.Name)))
	t := page.Table{Caption: "Cycles", Columns: []page.Column{{Title: "Cycle"},
		{Title: "Were here", Number: true}, {Title: "Due", Number: true},
		{Title: "Made", Number: true}, {Title: "Closed", Number: true}}}
	for i := range v.List {
		c := &v.List[i]
		row := page.Row{Cells: [][]page.Inline{page.Line(page.Link(cycleTitle(c.Cycle), c.URL()))}}
		for _, n := range []int{c.Here, c.Due, c.Made, c.Closed} {
			text := number(n)
			if n == store.MostCounted {
				text += "+"
			}
			row.Cells = append(row.Cells, page.Line(page.T(text)))
		}
		t.Rows = append(t.Rows, row)
	}
	p.Blocks = []page.Block{t}
	if v.More != nil {
		p.Continue("Earlier cycles", s.URL()+"/cycles?from="+v.More.Name)
	}
	return p
}
