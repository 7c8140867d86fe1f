package work

import (
	"strconv"

	"samepage/actions/action"
	actions "samepage/actions/work"
	"samepage/store"
	"samepage/store/work"
	view "samepage/views/work"
	"samepage/web"
)

var _ = web.DeclareRoutes(func() []*web.BoundRoute {
	const session = "/studios/{studio}/sessions/{session}"
	return []*web.BoundRoute{
		web.Route[*work.Manifests, *work.Manifests]{
			Pattern: work.ManifestsURL("{org}"),
			Version: web.ByJournals,
			Find:    web.ByArg("org", work.FindManifests),
			Show:    web.Same[*work.Manifests],
			View:    view.Manifests,
			Actions: []*action.Spec[*work.Manifests]{actions.AddManifest},
		}.Close(),
		web.Route[*work.Manifest, *work.ManifestPage]{
			Pattern: work.ManifestsURL("{org}") + "/{manifest}",
			Version: web.ByJournals,
			Find:    web.ByArgs("org", "manifest", work.FindManifest),
			Show:    web.Whole(work.ShowManifest),
			View:    view.Manifest,
			Actions: []*action.Spec[*work.Manifest]{actions.ReviseManifest, actions.RetireManifest},
		}.Close(),
		web.Route[*store.Studio, *work.Sessions]{
			Pattern: "/studios/{studio}/sessions",
			Version: web.ByJournals,
			Query:   []string{"show=archived"},
			Find:    web.FindStudio,
			Quiet:   true,
			Show: func(tx *store.Tx, _ store.Actor, s *store.Studio, at *web.Location) (*work.Sessions, error) {
				return work.ShowSessions(tx, s, at.Query.Get("show") == "archived")
			},
			View: view.Sessions,
		}.Close(),
		web.Route[*work.Session, *work.SessionPage]{
			Pattern: session,
			Quiet:   true,
			Find:    findSession,
			Show:    web.Whole(work.ShowSession),
			View: view.SessionVerbs{Answer: actions.AnswerPermission.Name, MakeRule: actions.AddPermissionRule.Name,
				WithdrawRule: actions.WithdrawPermissionRule.Name}.Session,
			Actions: []*action.Spec[*work.Session]{actions.PromptSession, actions.StopSession, actions.ResumeSession,
				actions.RequestReview, actions.ExtendReviews, actions.CreateSessionPull, actions.ForkSession,
				actions.SpawnSession, actions.AddPermissionRule, actions.RenameSession, actions.UnarchiveSession,
				actions.ArchiveSession,
				actions.LoseRunner},
			Due:     actions.LoseRunner,
			Overdue: work.DueSessions,
		}.Close(),
		web.Route[*work.Session, *work.TurnPage]{
			Pattern: session + "/turns/{n}",
			Quiet:   true,
			Query:   []string{"after"},
			Find:    findSession,
			Show: func(tx *store.Tx, _ store.Actor, s *work.Session, at *web.Location) (*work.TurnPage, error) {
				n, err := number(at.Arg("n"))
				if err != nil {
					return nil, err
				}
				after := -1
				if text := at.Query.Get("after"); text != "" {
					if after, err = strconv.Atoi(text); err != nil || after < 0 {
						return nil, store.Errorf(store.Invalid, "after is the number of an event, such as 200.")
					}
				}
				return work.ShowTurn(tx, s, n, after)
			},
			View: view.TurnVerbs{Rewind: actions.RewindWorktree.Name}.Turn,
		}.Close(),
		web.Route[*work.Permission, *work.Permission]{
			Pattern: session + "/permissions/{n}",
			Quiet:   true,
			Find:    inSession(work.FindPermission),
			Show:    web.Same[*work.Permission],
			View:    view.Permission,
			Actions: []*action.Spec[*work.Permission]{actions.AnswerPermission},
		}.Close(),
		web.Route[*work.PermissionRule, *work.RulePage]{
			Pattern: session + "/rules/{n}",
			Quiet:   true,
			Find:    inSession(work.FindRule),
			Show:    web.Whole(work.ShowRule),
			View:    view.Rule,
			Actions: []*action.Spec[*work.PermissionRule]{actions.WithdrawPermissionRule},
		}.Close(),
	}
})

var findSession = web.ByArgs("studio", "session", work.FindSession)

// inSession returns a function that finds a part of a session, such as a permission request, by the number in the URL.
func inSession[S any](find func(*store.Tx, *work.Session, int) (S, error)) func(*store.Tx, store.Actor, *web.Location) (S, error) {
	return func(tx *store.Tx, by store.Actor, at *web.Location) (part S, err error) {
		s, err := findSession(tx, by, at)
		if err != nil {
			return part, err
		}
		n, err := number(at.Arg("n"))
		if err != nil {
			return part, err
		}
		return find(tx, s, n)
	}
}

// number parses a positive number in a URL. It returns [store.Missing] for any other text.
func number(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || strconv.Itoa(n) != text {
		return 0, store.Missing()
	}
	return n, nil
}
