package governance

import (
	"slices"

	common "samepage/actions"
	"samepage/actions/action"
	actions "samepage/actions/governance"
	"samepage/store"
	"samepage/store/governance"
	"samepage/views"
	view "samepage/views/governance"
	"samepage/web"
)

var _ = web.DeclareNoun(web.Noun{
	Kind:   governance.MessageKind,
	Routes: messageRoutes,
	Create: actions.PostMessage,
})

var reacting = view.Reacting{
	Add: actions.AddReaction.Name, Remove: actions.RemoveReaction.Name,
	Edit: web.VerbOf(actions.EditMessage), Attach: views.Verb{Name: common.Attach, Title: "Attach a file"},
	Delete: web.VerbOf(actions.DeleteMessage),
}

var findMessage = web.ByID(governance.FindMessage)

func messageRoutes() []*web.BoundRoute {
	inChannel := slices.Clone(actions.InChannel)
	for _, create := range web.Creators() {
		inChannel = append(inChannel, actions.Carrying(create))
	}
	return slices.Concat([]*web.BoundRoute{
		web.Route[*governance.Channel, *governance.ChannelPage]{
			Pattern: "/studios/{studio}/channel",
			Query:   []string{"before"},
			Find:    findChannel,
			Show:    web.From("before", governance.ShowChannel),
			View:    reacting.Channel,
			Actions: inChannel,
			InSight: func(by store.Actor, c *governance.Channel, at *web.Location) func(*store.Tx) error {
				if by.Member == nil || c.Unheard() == 0 || at.Query.Has("before") {
					return nil
				}
				return func(tx *store.Tx) error { return governance.HearChannel(tx, by, c) }
			},
		}.Close(),
		web.Route[*governance.Channel, *governance.Digest]{
			Pattern: "/studios/{studio}/channel/digest",
			Query:   []string{"since=TIME"},
			Find:    findChannel,
			Show:    showDigest,
			View:    view.ChannelDigest,
		}.Close(),
	}, web.Versions(governance.MessageKind, findMessage),
		web.SpokenItems(web.Route[*governance.Message, *governance.MessagePage]{
			Kind: governance.MessageKind,
			Find: findMessage,
			Show: web.Whole(governance.ShowMessage),
			View: reacting.Message,
			Actions: []*action.Spec[*governance.Message]{actions.AddReaction, actions.RemoveReaction, actions.EditMessage,
				actions.DeleteMessage},
		}, actions.CommonMessage))
}

func findChannel(tx *store.Tx, by store.Actor, at *web.Location) (*governance.Channel, error) {
	return governance.FindChannel(tx, by, at.Arg("studio"))
}

func showDigest(tx *store.Tx, by store.Actor, c *governance.Channel, at *web.Location) (*governance.Digest, error) {
	return governance.DigestChannel(tx, by, c, at.Since("since", tx.Now, store.Location(c.Zone)))
}
