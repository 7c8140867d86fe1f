package web

import (
	"slices"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/store/credential"
	"samepage/store/notice"
	"samepage/views"
	"samepage/views/page"
	"samepage/web/account"
)

func (s *Site) siteMap() []*BoundRoute {
	list := slices.Concat(s.ownRoutes(), studioRoutes())
	for _, n := range nouns() {
		list = append(list, n.Routes()...)
	}
	for _, routes := range others {
		list = append(list, routes()...)
	}
	return slices.Concat(list, cycleRoutes(), roleRoutes(), fileRoutes(), s.organizationRoutes(), searchRoutes(),
		s.agentRoutes(), webhookRoutes(), directRoutes(), s.approvalRoutes(), s.helpRoutes())
}

func (s *Site) ownRoutes() []*BoundRoute {
	verbs := verbs()
	return []*BoundRoute{
		Route[noSubject, *home]{
			Pattern: "/",
			Version: ByAround,
			Query:   []string{"q"},
			Find: func(tx *store.Tx, by store.Actor, at *Location) (noSubject, error) {
				s, err := signedIn(tx, by, at)
				if q := at.Query.Get("q"); err == nil && q != "" {
					err = &moved{urls: []string{views.SearchURL(q)}}
				}
				return s, err
			},
			Show: func(tx *store.Tx, by store.Actor, _ noSubject, _ *Location) (*home, error) {
				return s.showHome(tx, by, verbs)
			},
			View: func(by store.Actor, v *home) page.Page {
				return views.Home(by, v.HomePage, verbs, v.needs)
			},
		}.Close(),
		Route[*store.Inbox, *store.Inbox]{
			Pattern: "/inbox",
			Version: ByOwn,
			Query:   []string{"show", "after"},
			Find: func(tx *store.Tx, by store.Actor, at *Location) (*store.Inbox, error) {
				return tx.FindInbox(by, at.Query.Get("show"), at.Query.Get("after"))
			},
			Show: Same[*store.Inbox],
			View: views.Inbox,
			Actions: []*action.Spec[*store.Inbox]{actions.MarkRead, actions.MarkUnread, actions.Dismiss,
				actions.MarkAllRead, actions.DismissAll},
		}.Close(),
		Route[noSubject, views.You]{
			Pattern: "/whoami",
			Find:    anybody,
			Show: func(tx *store.Tx, by store.Actor, _ noSubject, _ *Location) (views.You, error) {
				roles, err := tx.MyRoles(by)
				if err != nil {
					return views.You{}, err
				}
				errand, err := tx.FindErrand(by)
				return views.You{Roles: roles, Left: s.remainingLimits(by), Errand: errand}, err
			},
			View: views.WhoAmI,
		}.Close(),
		Route[noSubject, *store.StudiosPage]{
			Pattern: "/studios",
			Query:   []string{"after"},
			wide:    true,
			Find:    anybody,
			Show: func(tx *store.Tx, by store.Actor, _ noSubject, at *Location) (*store.StudiosPage, error) {
				return tx.ShowStudios(by, at.Query.Get("after"))
			},
			View: views.Studios,
		}.Close(),
		Route[*store.Tokens, *store.Tokens]{
			Pattern: store.TokensURL,
			Version: ByAround,
			Query:   []string{"org"},
			Find:    findTokens,
			Show:    Same[*store.Tokens],
			View:    views.Tokens,
			Actions: []*action.Spec[*store.Tokens]{actions.CreateToken, actions.PauseToken, actions.ResumeToken,
				actions.RevokeToken},
		}.Close(),
		Route[*credential.Account, *credential.Account]{
			Pattern: credential.AccountURL,
			wide:    true, // changes of an account are in no journal
			Find: func(tx *store.Tx, by store.Actor, _ *Location) (*credential.Account, error) {
				a, err := credential.FindAccount(tx, by)
				if err == nil {
					a.Mails = s.config.Mail != nil
				}
				return a, err
			},
			Show: Same[*credential.Account],
			View: func(_ store.Actor, a *credential.Account) page.Page {
				return views.Account(a, s.config.OpenID.Title(), account.ConnectPath)
			},
			Actions: []*action.Spec[*credential.Account]{actions.ChangePassword, actions.ChangeEmail, actions.CancelEmailChange,
				actions.EndLogin, actions.EndOtherLogins,
				actions.RenamePasskey, actions.RemovePasskey, actions.RemovePassword, actions.Disconnect},
		}.Close(),
		Route[*notice.Notifications, *notice.Notifications]{
			Pattern: notice.SettingsURL,
			Version: ByOwn,
			Find: func(tx *store.Tx, by store.Actor, _ *Location) (*notice.Notifications, error) {
				v, err := notice.Find(tx, by)
				if err == nil {
					v.Mails = s.config.Mail != nil
				}
				return v, err
			},
			Show: Same[*notice.Notifications],
			View: views.Notices,
			Actions: []*action.Spec[*notice.Notifications]{actions.ChooseNotifications, actions.ChooseStudioNotifications,
				actions.SetQuietHours, actions.EndQuietHours, actions.SetZone, actions.SetDigest, actions.EndDigest, actions.SetWebhook},
		}.Close(),
	}
}

// loader is the type of Show functions.
type loader[S action.Subject, V any] = func(*store.Tx, store.Actor, S, *Location) (V, error)

// Whole makes a loader from a function that ignores the query.
func Whole[S action.Subject, V any](load func(*store.Tx, store.Actor, S) (V, error)) loader[S, V] {
	return func(tx *store.Tx, by store.Actor, s S, _ *Location) (V, error) { return load(tx, by, s) }
}

// From makes a loader from a function that loads one part of a list. The value of the query key says where the part
// begins.
func From[S action.Subject, V any](key string,
	load func(*store.Tx, store.Actor, S, string) (V, error)) loader[S, V] {
	return func(tx *store.Tx, by store.Actor, s S, at *Location) (V, error) {
		return load(tx, by, s, at.Query.Get(key))
	}
}

// ByArg makes a finder from a function that finds the subject by the argument with this key in the URL.
func ByArg[S any](key string, find func(*store.Tx, store.Actor, string) (S, error)) func(*store.Tx, store.Actor, *Location) (S, error) {
	return func(tx *store.Tx, by store.Actor, at *Location) (S, error) { return find(tx, by, at.Arg(key)) }
}

// ByArgs is like [ByArg], with two arguments.
func ByArgs[S any](first, second string,
	find func(tx *store.Tx, by store.Actor, first, second string) (S, error)) func(*store.Tx, store.Actor, *Location) (S, error) {
	return func(tx *store.Tx, by store.Actor, at *Location) (S, error) {
		return find(tx, by, at.Arg(first), at.Arg(second))
	}
}

func anybody(*store.Tx, store.Actor, *Location) (noSubject, error) { return noSubject{}, nil }

func signedIn(_ *store.Tx, by store.Actor, _ *Location) (noSubject, error) {
	if by.Anonymous() {
		return noSubject{}, store.Missing()
	}
	return noSubject{}, nil
}

func findTokens(tx *store.Tx, by store.Actor, at *Location) (*store.Tokens, error) {
	return tx.FindTokens(by, at.Query.Get("org"))
}
