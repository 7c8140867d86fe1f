package work

import (
	"samepage/actions/action"
	"samepage/store"
	"samepage/store/work"
)

var _ = action.Describe[*work.Repo]("A git repository of a studio, of which a runner keeps a copy.",
	work.RepoStates()...)

// FetchRepo queues a job that fetches a repository from its source again.
var FetchRepo = action.New(action.Action[*work.Repo, struct{}]{
	Name:       "fetch_repo",
	Past:       "asked to fetch",
	Undo:       "It fetches once, and loses nothing.",
	Title:      "Fetch",
	Doc:        "Let the runner bring the new commits of the original, and report what there is.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.InStudio,
	Tool:       true,
	Guard:      func(_ store.Actor, p *work.Repo) error { return p.MustBeFetchable() },
	Run: func(tx *store.Tx, by store.Actor, p *work.Repo, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The runner " + p.Runner + " is asked to fetch it."},
			work.QueueJob(tx, by, p, work.FetchJob, nil)
	},
})

// RemoveRepo removes a repository from its studio.
var RemoveRepo = action.New(action.Action[*work.Repo, struct{}]{
	Name:        "remove_repo",
	Past:        "removed",
	Title:       "Remove the repository",
	Doc:         "Take this page and those of its archived worktrees away. The original stays, and so does the copy on the runner's disk.",
	Scope:       store.ScopeGovernance,
	AllowedFor:  store.Owner,
	HumanOnly:   true,
	Destructive: true,
	Guard:       func(_ store.Actor, p *work.Repo) error { return p.MustBeUnused() },
	Run: func(tx *store.Tx, _ store.Actor, p *work.Repo, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The repository is removed.", URL: p.Studio.URL() + "/repos", Before: p.Record(),
			After: struct{}{}}, work.RemoveRepo(tx, p)
	},
})
