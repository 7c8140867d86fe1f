package work

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/work"
)

var _ = action.Describe[*work.CardPage]("One card of a board, a note or the place of another page there.")

// AddCard adds a card to a board.
var AddCard = boardAction(action.Action[*work.Board, AddCardParams]{
	Name:  "add_card",
	Undo:  "Take it off: remove_card, on the card's page.",
	Title: "Add a card",
	Past:  "added a card to",
	Doc:   "Add a card at the end of a zone. It is a note, or stands for another page.",
	Guard: func(_ store.Actor, b *work.Board) error { return b.MustTakeCards() },
	Offers: func(_ store.Actor, b *work.Board) param.Offers {
		zones := zoneOptions(b.Zones)
		zones.Value = zones.Options[0].Value
		return param.Offers{"zone": zones}
	},
	Check: func(_ *store.Tx, _ store.Actor, _ *work.Board, p AddCardParams, _ param.Errors) param.Errors {
		_, errs := p.path()
		return errs
	},
	Run: func(tx *store.Tx, by store.Actor, b *work.Board, p AddCardParams) (action.Done, error) {
		path, errs := p.path()
		if errs != nil {
			return action.Done{}, errs
		}
		z := zoneOf(b, p.Zone)
		n, err := work.AddCard(tx, by, b, z, work.Card{Title: p.Title, Body: p.Text, Page: path})
		if err != nil {
			return action.Done{}, err
		}
		now, err := work.FindCard(tx, by, b.Studio.Handle, b.ID, fmt.Sprint(n))
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{Message: fmt.Sprintf("Card %d is added to %s.", n, z.Title), Echo: p.echo(path),
			Before: b.CardRecord(n),
			After:  now.Record(), Notice: &store.Notice{Reason: store.ReasonMention, To: []string{}, Text: p.Text}}, nil
	},
})

// CardParams has the texts of a card, and the page that it stands for.
type CardParams struct {
	Title string   `param:"title,text" max:"120" doc:"What it is, in a line."`
	Text  string   `param:"text,markdown,optional" max:"10000" doc:"More about it."`
	Page  string   `param:"page,text,optional" max:"300"`
	_     struct{} `doc:"The page of this site that it stands for, such as /studios/team/notes."`
}

// path returns the path and the query of the page that the card stands for, or "". The address must be an absolute
// path, or an http or https URL with a path. The host of a URL is dropped, because cards link only to this site.
func (p CardParams) path() (string, param.Errors) {
	if p.Page == "" {
		return "", nil
	}
	u, err := url.Parse(p.Page)
	if err != nil || !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") || u.Scheme == "" &&
		u.Host != "" ||
		u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
		return "", param.Errors{{Field: "page",
			Message: "Give the address of a page of this site, such as /studios/team/notes."}}
	}
	return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String(), nil
}

// echo returns a sentence with the path of the card's page, or "" if the caller has sent exactly this path.
func (p CardParams) echo(path string) string {
	if path == p.Page {
		return ""
	}
	return "It stands for the page " + path + " of this site."
}

// AddCardParams has the fields of a new card.
type AddCardParams struct {
	Zone string `param:"zone,choice" doc:"Where it goes."`
	CardParams
}

// MoveCard moves a card to another zone, or to another place in its zone.
var MoveCard = boardAction(action.Action[*work.Board, MoveCardParams]{
	Name:  "move_card",
	Undo:  "Move it back: move_card. The journal keeps where it was.",
	Title: "Move a card",
	Past:  "moved a card on",
	Doc: "Put a card into a zone, at its end unless you name the card below it. A zone can start an agent for cards that " +
		"are moved there, as the board says.",
	Aliases: []string{"move"},
	Guard:   func(_ store.Actor, b *work.Board) error { return b.MustHaveCards() },
	Offers: func(_ store.Actor, b *work.Board) param.Offers {
		return param.Offers{"zone": zoneOptions(b.Zones), "number": cardOptions(b), "above": cardOptions(b)}
	},
	Check: func(_ *store.Tx, _ store.Actor, b *work.Board, p MoveCardParams, bad param.Errors) param.Errors {
		if p.Above == "" || bad.Has("above") || bad.Has("zone") {
			return nil
		}
		switch c, z := cardOf(b, p.Above), zoneOf(b, p.Zone); {
		case c.Zone != z.N:
			return param.Errors{{Field: "above", Message: fmt.Sprintf("Card %d is not in %s.", c.N, z.Title)}}
		case p.Above == p.Number:
			return param.Errors{{Field: "above", Message: "A card cannot be above itself. Name another one."}}
		}
		return nil
	},
	Run: func(tx *store.Tx, by store.Actor, b *work.Board, p MoveCardParams) (action.Done, error) {
		c, z := cardOf(b, p.Number), zoneOf(b, p.Zone)
		before, from := b.CardRecord(c.N), c.Zone
		if err := work.MoveCard(tx, b, c, z, cardOf(b, p.Above)); err != nil {
			return action.Done{}, err
		}
		now, err := work.FindBoard(tx, by, b.Studio.Handle, b.ID)
		if err != nil {
			return action.Done{}, err
		}
		done := action.Done{Message: fmt.Sprintf("Card %d, %s, is in %s.", c.N, c.Title, z.Title), Before: before,
			After: now.CardRecord(c.N)}
		if from == z.N {
			return done, nil
		}
		moved, err := work.FindCard(tx, by, b.Studio.Handle, b.ID, strconv.Itoa(c.N))
		if err != nil {
			return action.Done{}, err
		}
		err = fire(tx, by, moved.Board, moved.OnIt, moved.Zone(z.N), &done)
		return done, err
	},
})

// MoveCardParams has a card and its new place.
type MoveCardParams struct {
	Number string `param:"number,choice" doc:"The card, by its number or its title."`
	Zone   string `param:"zone,choice" doc:"Where it goes."`
	Above  string `param:"above,choice,optional" doc:"The card above which it goes."`
}

func cardOptions(b *work.Board) *param.Offered {
	list := make([]param.Option, 0, b.Cards())
	for i := range b.Zones {
		for _, c := range b.Zones[i].Cards {
			list = append(list, param.Option{Value: strconv.Itoa(c.N), Label: c.Title})
		}
	}
	return &param.Offered{Options: list}
}

func cardOf(b *work.Board, chosen string) *work.Card {
	n, _ := strconv.Atoi(chosen) // the value of every offered option is a number
	return b.Card(n)
}

func cardAction[P any](a action.Action[*work.CardPage, P]) *action.Spec[*work.CardPage] {
	a.Scope, a.AllowedFor = store.ScopeWrite, store.InStudio
	if a.Guard == nil {
		a.Guard = func(_ store.Actor, v *work.CardPage) error { return v.MustBeActive() }
	}
	return action.New(a)
}

// UpdateCard changes the texts of a card, and the page that it stands for.
var UpdateCard = cardAction(action.Action[*work.CardPage, CardParams]{
	Name:      "update_card",
	Undo:      "Change again: update_card. The journal keeps the former text.",
	Title:     "Edit the card",
	Past:      "changed a card of",
	Doc:       "Change what this card says, or the page for which it stands. What you leave out stays.",
	Versioned: true,
	Offers: func(_ store.Actor, v *work.CardPage) param.Offers {
		c := v.OnIt
		return param.Offers{"title": {Value: c.Title}, "text": {Value: c.Body}, "page": {Value: c.Page}}
	},
	Check: func(_ *store.Tx, _ store.Actor, _ *work.CardPage, p CardParams, _ param.Errors) param.Errors {
		_, errs := p.path()
		return errs
	},
	Run: func(tx *store.Tx, _ store.Actor, v *work.CardPage, p CardParams) (action.Done, error) {
		path, errs := p.path()
		if errs != nil {
			return action.Done{}, errs
		}
		return action.Done{Message: "The card is changed.", Echo: p.echo(path), URL: v.CardURL(v.OnIt.N),
			Notice: &store.Notice{Reason: store.ReasonMention, To: []string{}, Text: p.Text, Was: v.OnIt.Body},
		}, work.UpdateCard(tx, v.Board, v.OnIt, p.Title, p.Text, path)
	},
})

// RemoveCard removes a card from its board.
var RemoveCard = cardAction(action.Action[*work.CardPage, struct{}]{
	Name:  "remove_card",
	Undo:  "Add it again: add_card, on the board. The journal keeps the text.",
	Title: "Take the card off",
	Past:  "took a card off",
	Doc:   "Take this card off its board. The page for which it stands is not changed.",
	Run: func(tx *store.Tx, _ store.Actor, v *work.CardPage, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The card is off the board.", URL: v.URL(), Before: v.Record(),
			After: (&work.Board{}).CardRecord(v.OnIt.N)}, work.RemoveCard(tx, v.Board, v.OnIt)
	},
})
