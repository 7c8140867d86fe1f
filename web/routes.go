package web

import (
	"slices"
	"strings"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
	"samepage/views/help"
	"samepage/views/page"
	"samepage/web/account"
)

// siteMap returns every page. The routes of one noun are in a file of their own.
func (s *Site) siteMap() []*boundRoute {
	list := slices.Concat(s.ownRoutes(), studioRoutes())
	for _, n := range nouns() {
		list = append(list, n.routes()...)
	}
	return slices.Concat(list, cycleRoutes(), roleRoutes(), fileRoutes(), s.organizationRoutes(), searchRoutes(),
		agentRoutes(), s.approvalRoutes(), s.helpRoutes())
}

// ownRoutes are the pages of the actor's own data, and the pages that lead to all others.
func (s *Site) ownRoutes() []*boundRoute {
	verbs := answers()
	return []*boundRoute{
		route[here, *store.HomePage]{
			pattern: "/",
			version: byJournals,
			find:    signedIn,
			show: func(tx *store.Tx, by store.Actor, _ here, _ *location) (*store.HomePage, error) {
				return tx.ShowHome(by)
			},
			view: func(by store.Actor, v *store.HomePage) page.Page {
				return views.Home(by, v, verbs)
			},
		}.close(),
		route[*store.Inbox, *store.Inbox]{
			pattern: "/inbox",
			version: byOwn,
			query:   []string{"show", "after"},
			find: func(tx *store.Tx, by store.Actor, at *location) (*store.Inbox, error) {
				return tx.FindInbox(by, at.query.Get("show"), at.query.Get("after"))
			},
			show: same[*store.Inbox],
			view: views.Inbox,
			actions: []*action.Spec[*store.Inbox]{actions.MarkRead, actions.MarkUnread, actions.Dismiss,
				actions.MarkAllRead, actions.DismissAll},
		}.close(),
		route[here, views.You]{
			pattern: "/whoami",
			find:    anybody,
			show: func(tx *store.Tx, by store.Actor, _ here, _ *location) (views.You, error) {
				roles, err := tx.MyRoles(by)
				return views.You{Roles: roles, Left: s.left(by)}, err
			},
			view: views.WhoAmI,
		}.close(),
		route[here, *store.StudiosPage]{
			pattern: "/studios",
			query:   []string{"after"},
			wide:    true,
			find:    anybody,
			show: func(tx *store.Tx, by store.Actor, _ here, at *location) (*store.StudiosPage, error) {
				return tx.ShowStudios(by, at.query.Get("after"))
			},
			view: views.Studios,
		}.close(),
		route[*store.Tokens, *store.Tokens]{
			pattern: store.TokensURL,
			version: byJournals,
			query:   []string{"org"},
			find:    findTokens,
			show:    same[*store.Tokens],
			view:    views.Tokens,
			actions: []*action.Spec[*store.Tokens]{actions.CreateToken, actions.PauseToken, actions.ResumeToken,
				actions.RevokeToken},
		}.close(),
		route[*store.Account, *store.Account]{
			pattern: store.AccountURL,
			wide:    true, // its changes are in no journal
			find: func(tx *store.Tx, by store.Actor, _ *location) (*store.Account, error) {
				a, err := tx.FindAccount(by)
				if err == nil {
					a.Mails = s.config.Mail != nil
				}
				return a, err
			},
			show: same[*store.Account],
			view: func(_ store.Actor, a *store.Account) page.Page {
				return views.Account(a, s.config.OpenID.Title(), account.ConnectPath)
			},
			actions: []*action.Spec[*store.Account]{actions.ChangePassword, actions.ChangeEmail, actions.EndLogin,
				actions.EndOtherLogins,
				actions.RenamePasskey, actions.RemovePasskey, actions.RemovePassword, actions.Disconnect},
		}.close(),
	}
}

func (s *Site) helpRoutes() []*boundRoute {
	return []*boundRoute{
		route[here, here]{pattern: "/help", find: anybody, show: same[here], view: text("help")}.close(),
		route[here, here]{pattern: "/help/agents", find: anybody, show: same[here], view: text("agents")}.close(),
		route[here, here]{pattern: "/help/catalogue", find: anybody, show: same[here],
			view: func(store.Actor, here) page.Page { return help.Catalogue(s.catalogue()) }}.close(),
		route[here, here]{pattern: "/help/errors", find: anybody, show: same[here],
			view: func(store.Actor, here) page.Page { return help.Errors(codes()) }}.close(),
	}
}

// loader loads the data of a page after its subject was found.
type loader[S action.Subject, V any] = func(*store.Tx, store.Actor, S, *location) (V, error)

// whole adapts a loader that needs no query.
func whole[S action.Subject, V any](load func(*store.Tx, store.Actor, S) (V, error)) loader[S, V] {
	return func(tx *store.Tx, by store.Actor, s S, _ *location) (V, error) { return load(tx, by, s) }
}

// from adapts a loader of a list. The value of the query key is the place where the list continues.
func from[S action.Subject, V any](key string,
	load func(*store.Tx, store.Actor, S, string) (V, error)) loader[S, V] {
	return func(tx *store.Tx, by store.Actor, s S, at *location) (V, error) {
		return load(tx, by, s, at.query.Get(key))
	}
}

// text returns the view of a help page.
func text(name string) func(store.Actor, here) page.Page {
	p := help.Text(name)
	return func(store.Actor, here) page.Page { return p }
}

func anybody(*store.Tx, store.Actor, *location) (here, error) { return here{}, nil }

func signedIn(_ *store.Tx, by store.Actor, _ *location) (here, error) {
	if by.Anonymous() {
		return here{}, store.Missing()
	}
	return here{}, nil
}

func findTokens(tx *store.Tx, by store.Actor, at *location) (*store.Tokens, error) {
	return tx.FindTokens(by, at.query.Get("org"))
}

// catalogue returns every action by name, with the patterns of its pages. Actions of different
// nouns that share a name and differ in their description stay apart.
func (s *Site) catalogue() []help.Verb {
	at := map[string]int{}
	var verbs []help.Verb
	for _, pattern := range s.order {
		for _, d := range s.bound[pattern].decls {
			i, ok := at[d.Name+d.Doc]
			if !ok {
				i = len(verbs)
				at[d.Name+d.Doc] = i
				verbs = append(verbs, help.Verb{Name: d.Name, Title: d.Title, Doc: d.Doc, Scope: string(d.Scope),
					Who: d.AllowedFor.String(), HumanOnly: d.HumanOnly,
					Destructive: d.Destructive, Aliases: d.Aliases, Fields: d.Fields})
			}
			verbs[i].Pages = append(verbs[i].Pages, pattern)
		}
	}
	slices.SortStableFunc(verbs, func(a, b help.Verb) int { return strings.Compare(a.Name, b.Name) })
	return verbs
}

func codes() []help.Code {
	list := make([]help.Code, len(failures))
	for i, f := range failures {
		list[i] = help.Code{Code: f.Code, Status: f.Status, Meaning: f.Meaning}
	}
	return list
}
