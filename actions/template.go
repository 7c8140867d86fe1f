package actions

import (
	"samepage/actions/action"
	"samepage/store"
)

// copier copies an item to a new draft of the actor, and returns the draft.
type copier[S Item] func(tx *store.Tx, by store.Actor, s S) (S, error)

func duplicate[S Item](kind string, again copier[S]) *action.Spec[S] {
	return action.New(action.Action[S, struct{}]{
		Name:       Duplicate,
		Past:       "duplicated as a draft",
		Effects:    []action.Effect{action.Makes(kind)},
		Undo:       "Take back: discard.",
		Title:      "Duplicate as a draft",
		Doc:        "Start a draft of yours that says the same, without what came of it: votes, comments, deadlines.",
		Scope:      store.ScopeWrite,
		AllowedFor: store.InStudio,
		Side:       true,
		Aliases:    []string{"copy", "start_from"},
		Guard: func(_ store.Actor, s S) error {
			if s.Common().Removed() {
				return store.Errorf(store.Conflict, "This page was removed.")
			}
			return s.Common().Studio.MustBeJoined()
		},
		Run: func(tx *store.Tx, by store.Actor, s S, _ struct{}) (action.Done, error) {
			copied, err := again(tx, by, s)
			if err != nil {
				return action.Done{}, err
			}
			return drafted(copied), nil
		},
	})
}

func template[S Item](name, title, past, doc, message, undo string, on bool) *action.Spec[S] {
	return itemAction[S](name, title, past, doc, message, undo,
		func(i *store.Item) error { return i.MustBeTemplatable(on) },
		func(tx *store.Tx, _ store.Actor, i *store.Item) error { return tx.SetTemplate(i, on) })
}

func templates[S Item]() []*action.Spec[S] {
	return []*action.Spec[S]{
		template[S](SaveTemplate, "Offer as a template", "made a template of",
			"List this page among the studio's templates, for others to start from.",
			"This page is a template.", "Undo: drop_template.", true),
		template[S](DropTemplate, "Take out of the templates", "took out of the templates",
			"List this page among the studio's templates no more.",
			"This page is no longer a template.", "Undo: save_as_template.", false),
	}
}
