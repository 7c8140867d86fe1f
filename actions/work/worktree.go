package work

import (
	"cmp"
	"slices"
	"strings"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/work"
	"samepage/store/work/wire"
)

var _ = action.Describe[*work.Worktree](
	"A checkout of a repository in a folder of its runner, with a branch of its own, in which people and agents work.",
	work.WorktreeStates()...)

// CreateWorktree adds a worktree to a repository.
var CreateWorktree = action.New(action.Action[*work.Repo, CreateWorktreeParams]{
	Name:       "create_worktree",
	Past:       "made",
	Undo:       archiveLater,
	Title:      "Add a worktree",
	Button:     "Add",
	Doc:        "Let the runner make a folder with the files of a branch, and with a new branch for the changes.",
	Effects:    []action.Effect{action.Makes(work.WorktreeKind)},
	Scope:      store.ScopeWrite,
	AllowedFor: store.InStudio,
	Guard:      func(_ store.Actor, p *work.Repo) error { return p.MustHaveCommits() },
	Offers: func(_ store.Actor, p *work.Repo) param.Offers {
		base := &param.Offered{Value: p.Main}
		if f, err := p.Reported(); err == nil {
			for i := range f.Branches {
				base.Options = append(base.Options, param.Option{Value: f.Branches[i].Name})
			}
		}
		return param.Offers{"base": base}
	},
	Check: func(tx *store.Tx, _ store.Actor, repo *work.Repo, p CreateWorktreeParams,
		_ param.Errors) (errs param.Errors) {
		n := p.worktree(repo)
		if !validName(n.Name) {
			errs = append(errs, badName())
		}
		errs = append(errs, param.Bad("branch", work.CheckBranch(n.Branch))...)
		if n.Branch == n.Base {
			errs = append(errs, param.Error{Field: "branch",
				Message: "It needs a branch of its own, with another name than the base."})
		}
		if err := checkBase(repo, n.Base); err != nil {
			errs = append(errs, param.Error{Field: "base", Message: err.Error()})
		}
		if field, err := work.WorktreeTaken(tx, repo, n); err != nil {
			errs = append(errs, param.Error{Field: field, Message: err.Error()})
		}
		return errs
	},
	Run: func(tx *store.Tx, by store.Actor, repo *work.Repo, p CreateWorktreeParams) (action.Done, error) {
		w, err := work.CreateWorktree(tx, by, repo, p.worktree(repo))
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{Message: "The worktree is added. The runner " + repo.RunnerNoted() + " makes its folder.",
			URL:  w.URL(),
			Made: []action.Subject{w}}, nil
	},
})

const archiveLater = "Archive it once its folder is made: archive_worktree."

// CreateWorktreeParams has the fields of a new worktree.
type CreateWorktreeParams struct {
	Name   string   `param:"name,text" max:"60" doc:"Its name in addresses, such as watering."`
	Branch string   `param:"branch,text,optional" max:"200" doc:"The new branch; the name if you leave it out."`
	Base   string   `param:"base,text,optional" max:"200"`
	_      struct{} `doc:"The branch from which it begins and into which the work is to go; the default branch if you leave it out."`
	Fetch  bool     `param:"fetch,flag,optional" doc:"Bring the new commits of the original first."`
}

func (p CreateWorktreeParams) worktree(repo *work.Repo) work.NewWorktree {
	return work.NewWorktree{Name: p.Name, Branch: cmp.Or(p.Branch, p.Name), Base: cmp.Or(p.Base, repo.Main),
		Fetch: p.Fetch}
}

// checkBase returns [store.Invalid] unless the runner has reported a branch with this name. A report with the maximum
// number of branches may lack it, so then every valid name is accepted.
func checkBase(repo *work.Repo, base string) error {
	if err := work.CheckBranch(base); err != nil {
		return err
	}
	f, err := repo.Reported()
	if err != nil {
		return err
	}
	if base == f.Main || len(f.Branches) >= wire.MaxBranches ||
		slices.ContainsFunc(f.Branches, func(b wire.Branch) bool { return b.Name == base }) {
		return nil
	}
	return store.Errorf(store.Invalid, "The repository has no branch %s, as of the last fetch.", base)
}

// validName reports whether a text can be the name of a repository, a worktree or a manifest in URLs. The name
// "actions" is taken: its URL lists the actions of the page above.
func validName(name string) bool {
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" && !strings.HasPrefix(name, "-") &&
		name != "actions"
}

func badName() param.Error {
	return param.Error{Field: "name",
		Message: "Use lower-case letters, digits and hyphens, and not the word actions alone."}
}

func worktreeAction[P any](a action.Action[*work.Worktree, P]) *action.Spec[*work.Worktree] {
	a.Scope, a.AllowedFor = store.ScopeWrite, store.InStudio
	return action.New(a)
}

// RetryWorktree queues another job that creates the folder of a worktree, after a failure.
var RetryWorktree = worktreeAction(action.Action[*work.Worktree, struct{}]{
	Name:  "retry_worktree",
	Past:  "tried again to make",
	Undo:  archiveLater,
	Title: "Try again",
	Doc:   "Let the runner try once more to make the folder.",
	Tool:  true,
	Guard: func(_ store.Actor, w *work.Worktree) error { return w.MustBeFailed() },
	Run: func(tx *store.Tx, by store.Actor, w *work.Worktree, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The runner " + w.RunnerNoted() + " is asked to try again."},
			work.RetryWorktree(tx, by, w)
	},
})

// RefreshWorktree queues a job that reports the state of a worktree.
var RefreshWorktree = worktreeAction(action.Action[*work.Worktree, struct{}]{
	Name:  "refresh_worktree",
	Past:  "asked to look at",
	Undo:  "It looks once, and changes nothing.",
	Title: "Refresh",
	Doc:   "Let the runner look at the folder, and report what has changed.",
	Tool:  true,
	Guard: func(_ store.Actor, w *work.Worktree) error { return w.MustBeIdle() },
	Run: func(tx *store.Tx, by store.Actor, w *work.Worktree, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The runner " + w.RunnerNoted() + " is asked to look at it."},
			work.QueueWorktreeJob(tx, by, w, work.RefreshJob, nil)
	},
})

// RewindWorktree queues a job that resets a worktree to an earlier commit.
var RewindWorktree = worktreeAction(action.Action[*work.Worktree, RewindWorktreeParams]{
	Name:   "rewind_worktree",
	Past:   "rewound",
	Undo:   "Undo: rewind_worktree, which then offers the commit before.",
	Title:  "Go back to a turn",
	Button: "Rewind",
	Doc: "Let the runner bring the files and the branch back to the end of an earlier turn. The later commits stay in its " +
		"repository, so that it can go forward to them again. Ignored files are not touched.",
	Guard: func(_ store.Actor, w *work.Worktree) error { return w.MustBeRewindable() },
	Offers: func(_ store.Actor, w *work.Worktree) param.Offers {
		var options []param.Option
		for _, p := range w.Past {
			options = append(options,
				param.Option{Value: work.Short(p.Commit), Label: work.Short(p.Commit) + ", " + p.Label})
		}
		return param.Offers{"commit": {Options: options}}
	},
	Run: func(tx *store.Tx, by store.Actor, w *work.Worktree, p RewindWorktreeParams) (action.Done, error) {
		return action.Done{Message: "The runner " + w.RunnerNoted() + " is asked to rewind it to " + p.Commit + "."},
			work.RewindWorktree(tx, by, w, p.Commit)
	},
})

// RewindWorktreeParams has the commit to which a worktree is reset.
type RewindWorktreeParams struct {
	Commit string `param:"commit,choice" doc:"The commit to which the branch goes back."`
}

// ArchiveWorktree queues a job that removes the folder of a worktree, or archives a worktree without a folder at once.
var ArchiveWorktree = worktreeAction(action.Action[*work.Worktree, ArchiveWorktreeParams]{
	Name:  "archive_worktree",
	Past:  "archived",
	Undo:  "Undo once it is archived: restore_worktree.",
	Title: "Archive the worktree",
	Doc: "Let the runner remove the folder. Files that are not committed stay in its repository as a commit, on the branch if " +
		"the folder is on it; ignored files and repositories inside of it are lost. If something is nowhere else, type the name.",
	Guard: func(by store.Actor, w *work.Worktree) error { return w.MustBeArchivableBy(by) },
	Offers: func(_ store.Actor, w *work.Worktree) param.Offers {
		risk, err := w.Risk()
		switch {
		case err != nil:
			risk = "a report that cannot be read"
		case risk == "":
			return nil
		}
		return param.Offers{"typed": {Required: true,
			Doc: "It has " + risk + ". Type its name, " + w.Name + ", to archive it nevertheless."}}
	},
	Check: func(_ *store.Tx, _ store.Actor, w *work.Worktree, p ArchiveWorktreeParams, _ param.Errors) param.Errors {
		if p.Typed != "" && p.Typed != w.Name {
			return param.Errors{{Field: "typed", Message: "The name is " + w.Name + "."}}
		}
		return nil
	},
	Run: func(tx *store.Tx, by store.Actor, w *work.Worktree, p ArchiveWorktreeParams) (action.Done, error) {
		done := action.Done{Message: "The runner " + w.RunnerNoted() + " is asked to archive it."}
		if w.MadeAt.IsZero() {
			done = action.Done{Message: "The worktree is archived. It had no folder.",
				Undo: "Add another one, with another name and branch: create_worktree."}
		}
		return done, work.ArchiveWorktree(tx, by, w, p.Typed != "")
	},
})

// ArchiveWorktreeParams are the params of [ArchiveWorktree].
type ArchiveWorktreeParams struct {
	Typed string `param:"typed,text,optional" max:"60" doc:"The name of the worktree; needed if something in it is nowhere else."`
}

// RestoreWorktree queues a job that creates the folder of an archived worktree again.
var RestoreWorktree = worktreeAction(action.Action[*work.Worktree, struct{}]{
	Name:  "restore_worktree",
	Past:  "restored",
	Undo:  archiveLater,
	Title: "Restore the worktree",
	Doc:   "Let the runner make the folder again, with the last commit of the branch.",
	Tool:  true,
	Guard: func(_ store.Actor, w *work.Worktree) error { return w.MustBeRestorable() },
	Run: func(tx *store.Tx, by store.Actor, w *work.Worktree, _ struct{}) (action.Done, error) {
		done := action.Done{Message: "The runner " + w.RunnerNoted() + " is asked to make its folder again."}
		if by.IsAgent() && w.Ahead > 0 {
			done.Undo = "A person archives it, as it has commits of its own."
		}
		return done, work.RestoreWorktree(tx, by, w)
	},
})
