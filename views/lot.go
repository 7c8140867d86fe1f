package views

import (
	"fmt"
	"slices"

	"samepage/actions/tally"
	"samepage/store"
	"samepage/store/governance"
	"samepage/views/page"
)

// Draw is the published part of a draw by lot. The commitment is the SHA-256 of the secret, published when the decision
// opens. The secret and the drawn order are published when it closes. The first of the tied options in the drawn order
// wins.
type Draw struct {
	Commitment string   `json:"commitment"`
	Secret     string   `json:"secret,omitempty"`
	Options    []string `json:"options"` // ids, in the order of the decision
	Order      []string `json:"order,omitempty"`
	Tied       []string `json:"tied,omitempty"`
	Drawn      string   `json:"drawn,omitempty"`
}

// DrawOf returns the published part of a decision's lot, or an error if the decision's secret cannot be read.
func DrawOf(d *governance.Decision) (Draw, error) {
	ids := d.LotIDs()
	v := Draw{Commitment: d.Commitment, Secret: d.Secret, Options: ids}
	if d.Secret == "" {
		return v, nil
	}
	lot, err := tally.ParseLot(d.Secret)
	if err != nil {
		return v, err
	}
	order, err := lot.Order(ids)
	for _, i := range order {
		v.Order = append(v.Order, ids[i])
	}
	if r, known := visibleResult(d); known && r.Outcome == tally.Tied {
		for _, i := range r.Winners {
			v.Tied = append(v.Tied, ids[i])
		}
	}
	if d.Deciding != nil && *d.Deciding <= len(ids) {
		v.Drawn = ids[*d.Deciding-1]
	}
	return v, err
}

// Lot returns the page that explains how to repeat the draw of a decision.
func Lot(_ store.Actor, d *governance.Decision) page.Page {
	p := below(&d.Item, "Draw", "Check the draw")
	draw, err := DrawOf(d)
	p.Data = func() any { return draw }
	f := page.Facts{{Label: "Commitment", Value: page.Line(page.Mono(d.Commitment))}}
	if d.Secret == "" || err != nil {
		p.State = page.Line(page.T("Sealed "), page.When(d.OpenedAt.Time), page.T("."))
		p.Blocks = []page.Block{f, page.Para(page.Line(page.Sentence("When the decision opened, a secret " +
			"was drawn at random. This is its SHA-256. " +
			"The secret is published here when the decision is closed, and anybody can then repeat the " +
			"draw. Note the commitment down, to see that it stays.")))}
		return p
	}
	p.State = page.Line(page.T("Opened "), page.When(d.ClosedAt.Time), page.T("."))
	f = append(f, page.Fact{Label: "Secret", Value: page.Line(page.Mono(d.Secret))})
	t := page.Table{
		Caption: "The order drawn",
		Columns: []page.Column{{Title: "Place", Number: true}, {Title: "Option"},
			{Title: "Drawn under"}, {Title: "Takes part"}},
	}
	for place, id := range draw.Order {
		option, part := slices.Index(draw.Options, id), "no"
		if slices.Contains(draw.Tied, id) {
			part = "yes"
		}
		t.Rows = append(t.Rows, page.Row{
			Mark: id == draw.Drawn,
			Cells: [][]page.Inline{
				page.Line(page.T(number(place + 1))),
				page.Line(page.T(title(d, option))),
				page.Line(page.Mono(id)),
				page.Line(page.T(part)),
			},
		})
	}
	said := "No lot was needed."
	if draw.Drawn != "" {
		said = "The first of those that take part is drawn: " + title(d, *d.Deciding-1) + "."
	}
	p.Blocks = []page.Block{f, page.Section{
		ID:     "order",
		Title:  "The order drawn",
		Blocks: []page.Block{t, page.Para(page.Line(page.Sentence(said)))},
	}}
	lot, _ := tally.ParseLot(d.Secret) // DrawOf has parsed the secret
	lines, err := lot.Recipe(draw.Options)
	if err != nil {
		return p
	}
	text := ""
	for _, line := range lines {
		text += line + "\n"
	}
	p.Blocks = append(p.Blocks, page.Section{ID: "recipe", Title: "Do it yourself", Blocks: []page.Block{
		page.Para(page.Line(page.Sentence("In any shell with sha256sum and openssl. The first line must " +
			"begin with the commitment; the others are the options in the order drawn."))),
		page.Code{Language: "sh", Text: text}}})
	return p
}

// Check repeats the draw. The error names the first part that does not follow from the secret, or says that the secret
// is not published yet.
func (v Draw) Check() error {
	if v.Secret == "" {
		return fmt.Errorf("the lot is still sealed: its secret is published when the decision is closed")
	}
	lot, err := tally.ParseLot(v.Secret)
	if err != nil {
		return err
	}
	order := make([]int, len(v.Order))
	for place, id := range v.Order {
		order[place] = slices.Index(v.Options, id)
	}
	if err := lot.Verify(v.Commitment, v.Options, order); err != nil {
		return err
	}
	first := slices.IndexFunc(v.Order, func(id string) bool { return slices.Contains(v.Tied, id) })
	if first < 0 && v.Drawn != "" || first >= 0 && v.Order[first] != v.Drawn {
		return fmt.Errorf("%q was not drawn: it is not the first of those that were tied", v.Drawn)
	}
	return nil
}
