package work

import (
	"samepage/actions/action"
	actions "samepage/actions/work"
	"samepage/store"
	"samepage/store/work"
	view "samepage/views/work"
	"samepage/web"
)

var _ = web.DeclareNoun(web.Noun{Kind: work.BoardKind, Routes: boardRoutes, Create: actions.CreateBoard})

func boardRoutes() []*web.BoundRoute {
	verbs := view.BoardVerbs{Move: actions.MoveCard.Name, Add: actions.AddCard.Name, Starts: actions.Triggers(), MayStart: actions.MayStart,
		Session: web.VerbOf(actions.StartSession), Worktree: web.VerbOf(actions.CreateWorktree)}
	return append(web.Items(web.Route[*work.Board, *work.BoardPage]{
		Kind: work.BoardKind,
		Find: web.ByID(work.FindBoard),
		Show: web.Whole(work.ShowBoard),
		View: verbs.Board,
		Actions: []*action.Spec[*work.Board]{actions.AddCard, actions.MoveCard, actions.AddZone, actions.UpdateZone,
			actions.SetTrigger, actions.RemoveZone, actions.UpdateBoard, actions.PublishBoard, actions.ArchiveBoard, actions.RestoreBoard},
	}, actions.CommonBoard), web.Route[*work.CardPage, *work.CardPage]{
		Pattern: web.ItemPattern(work.BoardKind) + "/cards/{card}",
		Kind:    work.BoardKind,
		Find: func(tx *store.Tx, by store.Actor, at *web.Location) (*work.CardPage, error) {
			return work.FindCard(tx, by, at.Arg("studio"), at.Arg("id"), at.Arg("card"))
		},
		Show:    web.Whole(work.ShowCard),
		View:    verbs.Card,
		Actions: []*action.Spec[*work.CardPage]{actions.StartCard, actions.DismissCard, actions.UpdateCard, actions.RemoveCard},
	}.Close())
}
