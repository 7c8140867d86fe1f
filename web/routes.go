package web

import (
	"slices"
	"strconv"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
	"samepage/views/help"
	"samepage/views/page"
)

// siteMap is every page there is: its address, how it is found and loaded, how it looks, and what can be done there.
func (s *Site) siteMap() []*place {
	return slices.Concat([]*place{
		route[here, *store.HomePage]{
			pattern: "/",
			find:    signedIn,
			show: func(tx *store.Tx, by store.Actor, _ here, _ *location) (*store.HomePage, error) {
				return tx.ShowHome(by)
			},
			view: views.Home,
		}.close(),
		route[here, here]{pattern: "/whoami", find: anybody, show: same[here], view: func(by store.Actor, _ here) page.Page { return views.WhoAmI(by) }}.close(),
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
		route[*store.Studio, *store.StudioPage]{
			pattern: "/studios/{studio}",
			find:    findStudio,
			show:    whole((*store.Tx).ShowStudio),
			view:    views.Studio,
			actions: []*action.Spec[*store.Studio]{actions.CreateDecision, actions.Join, actions.UpdateStudio, actions.ImportDecisions, actions.Leave,
				actions.ArchiveStudio},
		}.close(),
		route[*store.Studio, *store.StudioMembersPage]{
			pattern: "/studios/{studio}/members",
			query:   []string{"after"},
			find:    findStudioOfMine,
			show:    from("after", (*store.Tx).ShowStudioMembers),
			view:    views.StudioMembers,
		}.close(),
		route[*store.Studio, *store.DecisionsPage]{
			pattern: "/studios/{studio}/decisions",
			query:   []string{"after"},
			find:    findStudio,
			show:    from("after", (*store.Tx).ShowDecisions),
			view:    views.Decisions,
		}.close(),
	},
		items(route[*store.Decision, *store.DecisionPage]{
			pattern: "/studios/{studio}/d/{id}",
			kind:    "decision",
			due:     actions.CloseDecision,
			find:    findDecision,
			show:    whole(actions.ShowDecision),
			view:    views.Decision,
			actions: []*action.Spec[*store.Decision]{actions.CastVote, actions.OpenDecision, actions.CastDecidingVote, actions.AddOption,
				actions.UpdateDecision, actions.RemoveOption, actions.RetractVote, actions.Extend, actions.Duplicate, actions.ImportBallots, actions.CloseDecision},
		}, actions.CommonDecision),
		[]*place{
			route[*store.Decision, *store.BallotsPage]{
				pattern: "/studios/{studio}/d/{id}/ballots",
				kind:    "decision",
				query:   []string{"after"},
				find:    findCounted,
				show:    from("after", (*store.Tx).ShowBallots),
				view:    views.Ballots,
			}.close(),
			route[*store.Decision, *store.Decision]{
				pattern: "/studios/{studio}/d/{id}/count",
				kind:    "decision",
				find:    findCounted,
				show:    same[*store.Decision],
				view:    views.Count,
			}.close(),
			route[*store.Organization, *store.OrganizationPage]{
				pattern: "/orgs/{org}",
				find:    findOrganization,
				show:    whole((*store.Tx).ShowOrganization),
				view:    views.Organization,
				actions: []*action.Spec[*store.Organization]{actions.CreateStudio, actions.UpdateSettings},
			}.close(),
			route[*store.Organization, *store.MembersPage]{
				pattern: "/orgs/{org}/members",
				query:   []string{"after"},
				find:    findOrganization,
				show:    from("after", (*store.Tx).ShowMembers),
				view:    views.Members,
			}.close(),
			route[*store.Member, *store.MemberPage]{
				pattern: "/orgs/{org}/members/{handle}",
				find:    findMember,
				show:    whole((*store.Tx).ShowMember),
				view:    views.Member,
				actions: []*action.Spec[*store.Member]{actions.UpdateProfile},
			}.close(),
			route[*store.Organization, *store.JournalPage]{
				pattern: "/orgs/{org}/journal",
				query:   []string{"studio", "member", "action", "by", "before"},
				find:    findOrganization,
				show:    showJournal,
				view:    views.Journal,
			}.close(),
			route[*store.Organization, *views.Verification]{
				pattern: "/orgs/{org}/journal/verify",
				find:    findOrganization,
				show:    verifyJournal,
				view:    views.Verify,
			}.close(),
			route[entry, entry]{pattern: "/orgs/{org}/journal/{seq}", find: findEntry, show: same[entry], view: func(by store.Actor, e entry) page.Page { return views.Entry(by, e.Entry) }}.close(),
			route[*store.Tokens, *store.Tokens]{
				pattern: tokensURL,
				find:    findTokens,
				show:    same[*store.Tokens],
				view:    views.Tokens,
				actions: []*action.Spec[*store.Tokens]{actions.CreateToken, actions.RevokeToken},
			}.close(),
			route[here, here]{pattern: "/help", find: anybody, show: same[here], view: text("help")}.close(),
			route[here, here]{pattern: "/help/agents", find: anybody, show: same[here], view: text("agents")}.close(),
			route[here, here]{pattern: "/help/catalogue", find: anybody, show: same[here], view: func(store.Actor, here) page.Page { return help.Catalogue(s.catalogue()) }}.close(),
			route[here, here]{pattern: "/help/errors", find: anybody, show: same[here], view: func(store.Actor, here) page.Page { return help.Errors(codes()) }}.close(),
		})
}

// whole is a loader that needs no query.
func whole[S action.Subject, V any](load func(*store.Tx, store.Actor, S) (V, error)) func(*store.Tx, store.Actor, S, *location) (V, error) {
	return func(tx *store.Tx, by store.Actor, s S, _ *location) (V, error) { return load(tx, by, s) }
}

// from is a loader of a stretch of a list that goes on where the query key says.
func from[S action.Subject, V any](key string, load func(*store.Tx, store.Actor, S, string) (V, error)) func(*store.Tx, store.Actor, S, *location) (V, error) {
	return func(tx *store.Tx, by store.Actor, s S, at *location) (V, error) {
		return load(tx, by, s, at.query.Get(key))
	}
}

// text is the view of a help page.
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

func findStudio(tx *store.Tx, by store.Actor, at *location) (*store.Studio, error) {
	return tx.FindStudio(by, at.arg("studio"))
}

// findStudioOfMine finds a studio of an organization that the actor is a member of.
func findStudioOfMine(tx *store.Tx, by store.Actor, at *location) (*store.Studio, error) {
	st, err := tx.FindStudio(by, at.arg("studio"))
	if err == nil && by.In(st.OrgID).Member == nil {
		err = store.Missing()
	}
	return st, err
}

func findDecision(tx *store.Tx, by store.Actor, at *location) (*store.Decision, error) {
	return tx.FindDecision(by, at.arg("studio"), at.arg("id"))
}

// findCounted finds a decision if the actor may see how it stands.
func findCounted(tx *store.Tx, by store.Actor, at *location) (*store.Decision, error) {
	d, err := findDecision(tx, by, at)
	if err == nil && !d.ShowsResults() {
		err = store.Missing()
	}
	return d, err
}

func findOrganization(tx *store.Tx, by store.Actor, at *location) (*store.Organization, error) {
	return tx.FindOrganization(by, at.arg("org"))
}

func findMember(tx *store.Tx, by store.Actor, at *location) (*store.Member, error) {
	return tx.FindMember(by, at.arg("org"), at.arg("handle"))
}

func findTokens(tx *store.Tx, by store.Actor, _ *location) (*store.Tokens, error) {
	return tx.FindTokens(by)
}

func showJournal(tx *store.Tx, by store.Actor, o *store.Organization, at *location) (*store.JournalPage, error) {
	before, _ := strconv.ParseInt(at.query.Get("before"), 10, 64) // anything else begins at the newest
	q := store.JournalQuery{Studio: at.query.Get("studio"), Action: at.query.Get("action"), Agents: at.query.Get("by") == "agent",
		People: at.query.Get("by") == "people", Before: before, Limit: 30}
	return tx.ShowJournal(by, o, q, at.query.Get("member"))
}

func verifyJournal(tx *store.Tx, _ store.Actor, o *store.Organization, _ *location) (*views.Verification, error) {
	head, err := tx.VerifyJournal(o)
	return &views.Verification{Organization: o, Head: head, Err: err}, nil
}

// entry is a journal entry as a page: nothing can be done to one.
type entry struct{ *store.Entry }

func (e entry) Ref() store.Ref {
	return store.Ref{OrgID: e.OrgID, Kind: "entry", Title: e.Title, URL: e.PageURL()}
}
func (e entry) Record() any { return nil }

func findEntry(tx *store.Tx, by store.Actor, at *location) (entry, error) {
	seq, err := strconv.ParseInt(at.arg("seq"), 10, 64)
	if err != nil || seq < 1 || strconv.FormatInt(seq, 10) != at.arg("seq") {
		return entry{}, store.Missing()
	}
	e, err := tx.FindEntry(by, at.arg("org"), seq)
	return entry{e}, err
}

// catalogue is every action of the site map, by name, with the pages that may offer it.
func (s *Site) catalogue() []help.Verb {
	at := map[string]int{}
	var verbs []help.Verb
	for _, pattern := range s.order {
		for _, d := range s.places[pattern].decls {
			i, ok := at[d.Name]
			if !ok {
				i = len(verbs)
				at[d.Name] = i
				verbs = append(verbs, help.Verb{Name: d.Name, Title: d.Title, Doc: d.Doc, Scope: string(d.Scope), HumanOnly: d.HumanOnly,
					Destructive: d.Destructive, Aliases: d.Aliases, Fields: d.Fields})
			}
			verbs[i].Pages = append(verbs[i].Pages, pattern)
		}
	}
	slices.SortFunc(verbs, func(a, b help.Verb) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return verbs
}

func codes() []help.Code {
	list := make([]help.Code, len(failures))
	for i, f := range failures {
		list[i] = help.Code{Code: f.Code, Status: f.Status, Meaning: f.Meaning}
	}
	return list
}
