package web

import (
	"slices"
	"strings"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/store/credential"
	"samepage/views"
	"samepage/views/help"
	"samepage/views/page"
	"samepage/web/account"
)

// siteMap returns the routes of all pages. The routes of each kind of subject are in a file of their own.
func (s *Site) siteMap() []*BoundRoute {
	list := slices.Concat(s.ownRoutes(), studioRoutes())
	for _, n := range nouns() {
		list = append(list, n.Routes()...)
	}
	return slices.Concat(list, cycleRoutes(), roleRoutes(), fileRoutes(), s.organizationRoutes(), searchRoutes(),
		agentRoutes(), s.approvalRoutes(), s.helpRoutes())
}

// ownRoutes returns the routes of the pages about the actor's own data and of the pages from which all others are
// reached.
func (s *Site) ownRoutes() []*BoundRoute {
	verbs := verbs()
	return []*BoundRoute{
		Route[noSubject, *store.HomePage]{
			Pattern: "/",
			version: byJournals,
			Query:   []string{"q"},
			Find: func(tx *store.Tx, by store.Actor, at *Location) (noSubject, error) {
				s, err := signedIn(tx, by, at)
				if q := at.Query.Get("q"); err == nil && q != "" {
					err = &moved{urls: []string{views.SearchURL(q)}}
				}
				return s, err
			},
			Show: func(tx *store.Tx, by store.Actor, _ noSubject, _ *Location) (*store.HomePage, error) {
				return tx.ShowHome(by)
			},
			View: func(by store.Actor, v *store.HomePage) page.Page {
				return views.Home(by, v, verbs)
			},
		}.Close(),
		Route[*store.Inbox, *store.Inbox]{
			Pattern: "/inbox",
			version: byOwn,
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
				return views.You{Roles: roles, Left: s.remainingLimits(by)}, err
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
			version: byJournals,
			Query:   []string{"org"},
			Find:    findTokens,
			Show:    Same[*store.Tokens],
			View:    views.Tokens,
			Actions: []*action.Spec[*store.Tokens]{actions.CreateToken, actions.PauseToken, actions.ResumeToken,
				actions.RevokeToken},
		}.Close(),
		Route[*credential.Account, *credential.Account]{
			Pattern: credential.AccountURL,
			wide:    true, // its changes are not in a journal
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
			Actions: []*action.Spec[*credential.Account]{actions.ChangePassword, actions.ChangeEmail, actions.EndLogin,
				actions.EndOtherLogins,
				actions.RenamePasskey, actions.RemovePasskey, actions.RemovePassword, actions.Disconnect},
		}.Close(),
	}
}

func (s *Site) helpRoutes() []*BoundRoute {
	return []*BoundRoute{
		Route[noSubject, noSubject]{Pattern: "/help", Find: anybody, Show: Same[noSubject], View: text("help")}.Close(),
		Route[noSubject, noSubject]{Pattern: "/help/agents", Find: anybody, Show: Same[noSubject], View: text("agents")}.Close(),
		Route[noSubject, page.Page]{Pattern: "/help/catalogue", Query: []string{"noun", "after"}, Find: anybody,
			Show: func(_ *store.Tx, _ store.Actor, _ noSubject, at *Location) (page.Page, error) {
				return help.Catalogue(s.catalogue(), at.Query.Get("noun"), at.Query.Get("after")), nil
			},
			View: func(_ store.Actor, p page.Page) page.Page { return p }}.Close(),
		Route[noSubject, noSubject]{Pattern: "/help/errors", Find: anybody, Show: Same[noSubject],
			View: func(store.Actor, noSubject) page.Page { return help.Errors(codes()) }}.Close(),
		Route[noSubject, noSubject]{Pattern: help.SelfHostingURL, Find: anybody, Show: Same[noSubject],
			View: text("self-hosting")}.Close(),
		Route[noSubject, noSubject]{Pattern: help.SelfHostingURL + "/metrics", Find: anybody, Show: Same[noSubject],
			View: func(store.Actor, noSubject) page.Page { return help.Metrics(measured()) }}.Close(),
	}
}

// loader loads the data of a page after the subject was found.
type loader[S action.Subject, V any] = func(*store.Tx, store.Actor, S, *Location) (V, error)

// Whole makes a loader from a function that needs no query.
func Whole[S action.Subject, V any](load func(*store.Tx, store.Actor, S) (V, error)) loader[S, V] {
	return func(tx *store.Tx, by store.Actor, s S, _ *Location) (V, error) { return load(tx, by, s) }
}

// From makes a loader from a function that loads a list. The value of the query key is the place at which the list
// continues.
func From[S action.Subject, V any](key string,
	load func(*store.Tx, store.Actor, S, string) (V, error)) loader[S, V] {
	return func(tx *store.Tx, by store.Actor, s S, at *Location) (V, error) {
		return load(tx, by, s, at.Query.Get(key))
	}
}

// text returns the view of a help page that has fixed text.
func text(name string) func(store.Actor, noSubject) page.Page {
	p := help.Text(name)
	return func(store.Actor, noSubject) page.Page { return p }
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

// catalogue returns every action with the patterns of the pages that offer it. Actions with the same name but different
// descriptions are listed separately.
func (s *Site) catalogue() []help.Verb {
	at := map[string]int{}
	var verbs []help.Verb
	for _, pattern := range s.order {
		for _, d := range s.bound[pattern].decls {
			i, ok := at[d.Name+d.Doc]
			if !ok {
				i = len(verbs)
				at[d.Name+d.Doc] = i
				verbs = append(verbs, help.Verb{Name: d.Name, Noun: d.Noun, Title: d.Title, Doc: d.Doc, Scope: string(d.Scope),
					Who: d.AllowedFor.String(), HumanOnly: d.HumanOnly,
					Destructive: d.Destructive, Aliases: d.Aliases, Fields: d.Fields})
			}
			verbs[i].Pages = append(verbs[i].Pages, pattern)
			if verbs[i].Noun != d.Noun {
				verbs[i].Noun = help.Several
			}
			for _, e := range d.Effects {
				if name := string(e); name != d.Name && !d.HumanOnly && !slices.Contains(verbs[i].Effects, name) {
					verbs[i].Effects = append(verbs[i].Effects, name)
				}
			}
		}
	}
	slices.SortStableFunc(verbs, func(a, b help.Verb) int { return strings.Compare(a.Name, b.Name) })
	return verbs
}

// measured returns the declarations of the metrics for the help page.
func measured() []help.Metric {
	var list []help.Metric
	for _, d := range Metrics() {
		list = append(list, help.Metric{Name: d.Name, Type: d.Type, Meaning: d.Help, Labels: d.Labels})
	}
	return list
}

func codes() []help.Code {
	list := make([]help.Code, len(failures))
	for i, f := range failures {
		list[i] = help.Code{Code: f.Code, Status: f.Status, Meaning: f.Meaning}
	}
	return list
}
