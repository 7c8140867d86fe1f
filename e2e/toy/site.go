package toy

import (
	"strconv"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
	"samepage/views/page"
	"samepage/web"
)

var _ = action.Describe[*Wish]("What a member wants for a studio.", WishKind.States...)

var commonWish = actions.Common(WishKind.Name, func(tx *store.Tx, by store.Actor, w *Wish) (*Wish, error) {
	return CreateWish(tx, by, w.Studio, NewWish{Title: w.Title, Body: w.Body, Reason: w.Reason, Goal: w.Goal})
})

// MakeWish is the action with which a member makes a wish in a studio, open or as a draft.
var MakeWish = action.New(action.Action[*store.Studio, WishParams]{
	Name:       "make_wish",
	Effects:    []action.Effect{action.Makes(WishKind.Name), action.Opens(WishKind.Name)},
	Title:      "Make a wish",
	Past:       "wished",
	Doc:        "Say what you want for the studio. It is granted once enough members second it.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.InStudio,
	Guard:      func(_ store.Actor, s *store.Studio) error { return s.MustBeJoined() },
	Run: func(tx *store.Tx, by store.Actor, s *store.Studio, p WishParams) (action.Done, error) {
		w, err := CreateWish(tx, by, s, NewWish{Title: p.Title, Body: p.Text, Reason: p.Reason, Goal: p.Goal})
		if err != nil {
			return action.Done{}, err
		}
		if p.Draft {
			return action.Done{Message: "The draft is saved.", URL: w.URL(), Made: []action.Subject{w}}, nil
		}
		if err := tx.OpenItem(&w.Item); err != nil {
			return action.Done{}, err
		}
		if w, err = FindWish(tx, by, s.Handle, w.ID); err != nil {
			return action.Done{}, err
		}
		return action.Done{Message: "Your wish is made.", URL: w.URL(), Made: []action.Subject{w},
			Notice: w.OpeningNotice()}, nil
	},
})

// WishParams are the parameters of [MakeWish].
type WishParams struct {
	Title  string `param:"title,text" doc:"What you want."`
	Text   string `param:"text,markdown,optional" max:"20000" doc:"More about it."`
	Reason string `param:"reason,text,optional" doc:"Why you want it."`
	Goal   int    `param:"goal,number" min:"1" max:"1000" doc:"How many must want it too."`
	Draft  bool   `param:"draft,flag,optional" doc:"Keep it as a draft of yours."`
}

// Second is the action with which a member supports a wish.
var Second = action.New(action.Action[*Wish, struct{}]{
	Name:       "second_wish",
	Title:      "Second it",
	Past:       "seconded",
	Doc:        "Say that you want this too.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.InStudio,
	Guard:      func(_ store.Actor, w *Wish) error { return w.MustBeSecondable() },
	Run: func(tx *store.Tx, by store.Actor, w *Wish, _ struct{}) (action.Done, error) {
		return action.Done{Message: "You have seconded it.", Notice: &store.Notice{Reason: store.ReasonOutcome}},
			SecondWish(tx, by, w)
	},
})

var _ = views.DeclareNoun(views.Noun{
	Kind: WishKind, One: "Wish", Many: "Wishes", Path: "/wishes",
	None:   " A wish says what you want for the studio.",
	Closed: map[string]string{WishGranted: "granted"},
	Progress: func(i *store.Item) string {
		return strconv.Itoa(i.Answered) + " of " + strconv.Itoa(i.Asked) + " second it"
	},
	Begin: func(studio string) string { return "What " + studio + " should have." },
})

// Page returns the page of a wish for the actor.
func Page(by store.Actor, v *WishPage) page.Page {
	w := v.Wish
	p := views.ItemPage(&w.Item, "Wish", w.Title)
	p.State = page.Line(page.Sentence(strconv.Itoa(w.Seconded) + " of " + strconv.Itoa(w.Goal) + " second it."))
	p.Blocks = append(p.Blocks, views.ItemBody(&w.Item))
	if w.Reason != "" {
		p.Blocks = append(p.Blocks, page.Facts{{Label: "Why", Value: page.Line(page.T(w.Reason))}})
	}
	p.Blocks = append(p.Blocks, views.Discussion(by, &w.Item, v.Discussion)...)
	return p
}

var _ = web.DeclareNoun(web.Noun{
	Kind: WishKind,
	Routes: func() []*web.BoundRoute {
		return web.Items(web.Route[*Wish, *WishPage]{
			Kind:    WishKind,
			Find:    web.ByID(FindWish),
			Show:    web.Whole(ShowWish),
			View:    Page,
			Actions: []*action.Spec[*Wish]{Second},
		}, commonWish)
	},
	Create: MakeWish,
	Answer: map[string]views.Verb{waitsForSeconder: web.VerbOf(Second)},
})
