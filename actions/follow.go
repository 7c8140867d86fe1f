package actions

import (
	"samepage/actions/action"
	"samepage/store"
)

// Names of the actions that set a member's notification level for an item or a studio.
const (
	Follow   = "follow"
	Unfollow = "unfollow"
	Mute     = "mute"
)

type followed interface {
	action.Subject
	// Followed returns the subject's id and the actor's level, such as [store.Followed], or "" for the default.
	Followed() (id, level string)
}

// Following declares the actions that set the notification level, for one type of subject.
func Following[S followed]() []*action.Spec[S] {
	return []*action.Spec[S]{
		followLevel[S](Follow, "Follow", "Be told in your inbox of what happens here.",
			"You follow this page.", "Undo: unfollow.", store.Followed, "You follow this page already."),
		followLevel[S](Unfollow, "Stop following",
			"Be told only of what everyone here is told of. It also ends a mute.",
			"You hear of this page as everyone does.", "Undo: follow, or mute.", "", "You neither follow nor mute this page."),
		followLevel[S](Mute, "Mute", "Be told of nothing here but what mentions you.",
			"This page is muted.", "Undo: unfollow.", store.Muted, "You have muted this page already."),
	}
}

func followLevel[S followed](name, title, doc, message, undo, to, already string) *action.Spec[S] {
	ends, on := "", ""
	if name == Unfollow {
		ends, on = Follow, "Following"
	}
	return action.New(action.Action[S, struct{}]{
		Name:       name,
		Undo:       undo,
		Title:      title,
		Doc:        doc,
		Scope:      store.ScopeWrite,
		AllowedFor: store.InOrganization,
		Side:       true,
		Tool:       name != Mute,
		Ends:       ends,
		On:         on,
		Silent:     true,
		Guard: func(_ store.Actor, s S) error {
			if _, now := s.Followed(); now == to {
				return store.Errorf(store.Conflict, "%s", already)
			}
			return nil
		},
		Run: func(tx *store.Tx, by store.Actor, s S, _ struct{}) (action.Done, error) {
			id, _ := s.Followed()
			return action.Done{Message: message}, tx.Follow(by, id, to)
		},
	})
}

// FollowStudio has the actions that set the notification level of a studio.
var FollowStudio = Following[*store.Studio]()
