package work

import (
	"strings"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/work"
)

var _ = action.Describe[*work.Repo]("A git repository of a studio, of which a runner keeps a copy.",
	work.RepoStates()...)

// AddRepo adds a repository to a studio. The runner keeps a copy of it.
var AddRepo = ownerAction(action.Action[*work.Runner, AddRepoParams]{
	Name:    "add_repo",
	Past:    "made",
	Undo:    "Remove it: remove_repo.",
	Title:   "Add a repository",
	Doc:     "Let the runner keep a copy of a repository for a studio, with all its branches. The original is never changed.",
	Effects: []action.Effect{action.Makes(work.RepoKind)},
	Guard:   func(_ store.Actor, r *work.Runner) error { return r.MustBeOn() },
	Offers: func(_ store.Actor, r *work.Runner) param.Offers {
		studios, source := &param.Offered{}, &param.Offered{}
		for i := range r.Studios {
			s := &r.Studios[i]
			studios.Options = append(studios.Options, param.Option{Value: s.Handle, Label: s.Name})
		}
		for _, root := range r.Roots.List() {
			source.Options = append(source.Options, param.Option{Value: strings.TrimSuffix(root, "/") + "/"})
		}
		if len(r.Studios) == 1 {
			studios.Value = r.Studios[0].Handle
		}
		return param.Offers{"studio": studios, "source": source}
	},
	Check: func(tx *store.Tx, by store.Actor, r *work.Runner, p AddRepoParams, bad param.Errors) (errs param.Errors) {
		errs = param.Bad("source", r.MustAllow(p.Source))
		if !validName(p.Name) {
			errs = append(errs, badName())
		}
		s, err := repoStudio(tx, by, r, p.Studio)
		if err != nil {
			return append(errs, param.Bad("studio", err)...)
		}
		return append(errs, param.Bad("name", work.MustTakeRepo(tx, r, s, p.Name))...)
	},
	Run: func(tx *store.Tx, by store.Actor, r *work.Runner, p AddRepoParams) (action.Done, error) {
		s, err := repoStudio(tx, by, r, p.Studio)
		if err != nil {
			return action.Done{}, err
		}
		repo, err := work.CreateRepo(tx, by, r, s, p.Name, p.Source)
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{Message: "The repository is added. The runner " + r.Name + " fetches it.", URL: repo.URL(),
			Made: []action.Subject{repo}}, nil
	},
})

// repoStudio returns the active studio of the runner's organization with this handle or URL.
func repoStudio(tx *store.Tx, by store.Actor, r *work.Runner, ref string) (*store.Studio, error) {
	s, err := tx.FindStudio(by, ref[strings.LastIndexByte(ref, '/')+1:])
	if err != nil || s.OrgID != r.OrgID {
		return nil, store.Errorf(store.Invalid, "You see no such studio in this organization.")
	}
	return s, s.MustBeActive()
}

// AddRepoParams has the fields of a new repository.
type AddRepoParams struct {
	Studio string   `param:"studio,ref" doc:"The studio that works on it, by handle or URL. Who sees that sees the repository."`
	Name   string   `param:"name,text" max:"60" doc:"Its name in addresses, such as garden."`
	Source string   `param:"source,text" max:"500"`
	_      struct{} `doc:"Where it is: a folder of the runner's machine, or an https address, below a root of the runner."`
}

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
		return action.Done{Message: "The runner " + p.RunnerNoted() + " is asked to fetch it."},
			work.QueueJob(tx, by, p, work.FetchJob, nil)
	},
})

// RemoveRepo removes a repository from its studio.
var RemoveRepo = ownerAction(action.Action[*work.Repo, struct{}]{
	Name:        "remove_repo",
	Past:        "removed",
	Title:       "Remove the repository",
	Doc:         "Take this page and those of its archived worktrees away. The original stays, and so does the copy on the runner's disk.",
	Destructive: true,
	Guard:       func(_ store.Actor, p *work.Repo) error { return p.MustBeUnused() },
	Run: func(tx *store.Tx, _ store.Actor, p *work.Repo, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The repository is removed.", URL: p.Studio.URL() + "/repos", Before: p.Record(),
			After: struct{}{}}, work.RemoveRepo(tx, p)
	},
})
