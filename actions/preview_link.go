package actions

import (
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
)

// ChangePreviews changes the preview that other programs, such as a chat, show for links into a studio.
var ChangePreviews = action.New(action.Action[*store.Studio, PreviewsParams]{
	Name:  "change_previews",
	Past:  "changed what links show of",
	Undo:  "Change again: change_previews.",
	Title: "Change what links show",
	Doc: "What a link to a page of this studio shows in a chat. If only some can see the studio, " +
		"it shows that to nobody unless a member made the link with a preview.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Keeper,
	HumanOnly:  true,
	Aliases:    []string{"link_previews", "unfurl"},
	Guard:      func(by store.Actor, s *store.Studio) error { return s.MustBeKeptBy(by) },
	Offers: func(_ store.Actor, s *store.Studio) param.Offers {
		return param.Offers{"previews": {Value: s.Previews()}}
	},
	Run: func(tx *store.Tx, _ store.Actor, s *store.Studio, p PreviewsParams) (action.Done, error) {
		message := map[string]string{
			store.PreviewOff:   "Links into the studio show nothing now.",
			store.PreviewTitle: "Links into the studio show titles now.",
			store.PreviewCard:  "Links into the studio show previews now.",
		}
		return action.Done{Message: message[p.Previews]}, tx.SetPreviews(s, p.Previews)
	},
})

// PreviewsParams are the params of [ChangePreviews].
type PreviewsParams struct {
	Previews string   `param:"previews,choice" options:"off=Nothing: not even that the page exists"`
	_        struct{} `options:"title=What the page is called,card=Also its studio and state and a picture"`
	_        struct{} `doc:"What links to its pages show."`
}

// copyLink declares the action that makes a link with a preview. The preview shows the page's title also to people
// without the right to read the page. The action is not for agents, because nobody could review the links that an agent
// passes on.
func copyLink[S Item]() *action.Spec[S] {
	return action.New(action.Action[S, struct{}]{
		Name:  CopyLink,
		Past:  "made",
		Undo:  "Take back: revoke_link.",
		Title: "Copy a link with a preview",
		Doc: "Make a link that shows what this page is called and how it stands wherever it is " +
			"pasted, to whoever has it. To read the page they still sign in. You can revoke it.",
		Scope:      store.ScopeWrite,
		AllowedFor: store.InStudio,
		HumanOnly:  true,
		Side:       true,
		Aliases:    []string{"share", "get_link"},
		Guard:      func(_ store.Actor, s S) error { return s.Common().MustBeLinkable() },
		Run: func(tx *store.Tx, by store.Actor, s S, _ struct{}) (action.Done, error) {
			l, key, err := tx.CreatePreviewLink(by, s.Common())
			return action.Done{
				Message: "The link is made.",
				Made:    []action.Subject{l},
				Secret:  store.PreviewURL(s.Common().URL(), key),
			}, err
		},
	})
}

func revokeLink[S Item]() *action.Spec[S] {
	return action.New(action.Action[S, RevokeLinkParams]{
		Name:        RevokeLink,
		Past:        "revoked",
		Title:       "Revoke a link with a preview",
		Doc:         "The link shows nothing any more from now on. What a chat has shown already may stay there.",
		Scope:       store.ScopeWrite,
		AllowedFor:  store.InStudio | store.Keeper,
		HumanOnly:   true,
		Destructive: true,
		Guard: func(_ store.Actor, s S) error {
			i := s.Common()
			if err := i.Studio.MustBeActive(); err != nil {
				return err
			}
			if len(unrevoked(i)) == 0 && i.MadeLinks > len(i.PreviewLinks) {
				return store.Errorf(store.Forbidden, "You made none of the links with a preview to this page.")
			}
			if len(unrevoked(i)) == 0 {
				return store.Errorf(store.Conflict, "There is no link with a preview that you could revoke.")
			}
			return nil
		},
		Offers: func(_ store.Actor, s S) param.Offers {
			refused := map[string]string{}
			for _, l := range s.Common().PreviewLinks {
				if l.State() == "revoked" {
					refused[l.ID] = "was revoked already"
				}
			}
			return param.Offers{"link": {Options: unrevoked(s.Common()), Refused: refused}}
		},
		Run: func(tx *store.Tx, by store.Actor, s S, p RevokeLinkParams) (action.Done, error) {
			list := s.Common().PreviewLinks
			for k := range list {
				if l := &list[k]; l.ID == p.Link {
					return action.Done{
						Message: "The link is revoked.",
						Made:    []action.Subject{l},
						As:      by.Through(l.RevocableBy),
					}, tx.RevokePreviewLink(by, l)
				}
			}
			return action.Done{}, store.Missing()
		},
	})
}

// RevokeLinkParams has the id of one of the links to the page.
type RevokeLinkParams struct {
	Link string `param:"link,choice" doc:"Which link."`
}

func unrevoked(i *store.Item) []param.Option {
	var list []param.Option
	for k := range i.PreviewLinks {
		if l := &i.PreviewLinks[k]; l.State() != "revoked" {
			list = append(list, param.Option{
				Value: l.ID,
				Label: "@" + l.Member + ", " +
					l.CreatedAt.In(store.Location(i.Studio.Zone)).Format("2 Jan 2006 15:04 MST"),
			})
		}
	}
	return list
}
