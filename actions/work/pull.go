package work

import (
	"cmp"
	"strings"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/work"
)

var _ = action.Describe[*work.Pull](
	"A request to merge the branch of a worktree into its base. A review of its last commit must approve it, or a "+
		"person gives a reason.", work.PullStates()...)

// PullParams has the texts of a pull request.
type PullParams struct {
	Title string `param:"title,text" max:"100" doc:"What it changes, in a line."`
	Text  string `param:"text,markdown,optional" max:"20000" doc:"What was done, and why."`
}

// NewPullParams has the fields of a new pull request.
type NewPullParams struct {
	PullParams
	Draft bool `param:"draft,flag,optional" doc:"It is not ready to be merged yet."`
}

// createPull declares the action that opens a pull request, on the page of a worktree or a session. The function from
// returns the worktree, and the session or nil.
func createPull[T action.Subject](allowed store.Relation, guard func(store.Actor, T) error,
	from func(tx *store.Tx, by store.Actor, subject T) (*work.Worktree, *work.Session, error)) *action.Spec[T] {
	return action.New(action.Action[T, NewPullParams]{
		Name:       "create_pull_request",
		Past:       "opened a pull request for",
		Told:       "opened",
		Undo:       "Close it: close_pull_request, on its page.",
		Title:      "Open a pull request",
		Button:     "Open",
		Doc:        "Ask to merge the branch into its base.",
		Effects:    []action.Effect{action.Makes(work.PullKind)},
		Scope:      store.ScopeWrite,
		AllowedFor: allowed,
		Guard:      guard,
		Run: func(tx *store.Tx, by store.Actor, subject T, p NewPullParams) (action.Done, error) {
			w, s, err := from(tx, by, subject)
			if err != nil {
				return action.Done{}, err
			}
			q, err := work.CreatePull(tx, by, w, work.NewPull{Title: p.Title, Text: p.Text, Draft: p.Draft, Session: s})
			if err != nil {
				return action.Done{}, err
			}
			done := action.Done{Message: "The pull request is there, as a draft.", URL: q.URL(),
				Made: []action.Subject{q}}
			if !p.Draft {
				done.Message = "The pull request is open."
				done.Notice = &store.Notice{Reason: store.ReasonChange, Text: p.Text, Studio: true}
			}
			return done, nil
		},
	})
}

// CreatePull opens a pull request for a worktree, and CreateSessionPull one for the worktree of a session.
var (
	CreatePull = createPull(store.InStudio, func(_ store.Actor, w *work.Worktree) error { return w.MustTakePulls() },
		func(_ *store.Tx, _ store.Actor, w *work.Worktree) (*work.Worktree, *work.Session, error) {
			return w, nil, nil
		})
	CreateSessionPull = createPull(store.Author,
		func(by store.Actor, s *work.Session) error { return cmp.Or(s.MustTakePulls(), s.MustBelongTo(by)) },
		func(tx *store.Tx, by store.Actor, s *work.Session) (*work.Worktree, *work.Session, error) {
			w, err := work.FindWorktree(tx, by, s.Studio.Handle, s.Worktree)
			return w, s, err
		})
)

func pullAction[P any](a action.Action[*work.Pull, P]) *action.Spec[*work.Pull] {
	a.Scope = store.ScopeWrite
	a.AllowedFor = cmp.Or(a.AllowedFor, store.Chair)
	if a.Guard == nil {
		a.Guard = func(_ store.Actor, q *work.Pull) error { return q.MustBeOpen() }
	}
	return action.New(a)
}

// UpdatePull changes the title and the text of a pull request.
var UpdatePull = pullAction(action.Action[*work.Pull, PullParams]{
	Name:  "update_pull_request",
	Past:  "changed",
	Undo:  "Change it again: update_pull_request.",
	Title: "Change the pull request",
	Doc:   "Change the title and the text.",
	Keeps: true,
	Offers: func(_ store.Actor, q *work.Pull) param.Offers {
		return param.Offers{"title": {Value: q.Title}, "text": {Value: q.Text}}
	},
	Run: func(tx *store.Tx, _ store.Actor, q *work.Pull, p PullParams) (action.Done, error) {
		return action.Done{Message: "The pull request is changed."}, work.RewritePull(tx, q, p.Title, p.Text)
	},
})

// ReadyPull marks a draft of a pull request as ready to be merged.
var ReadyPull = pullAction(action.Action[*work.Pull, struct{}]{
	Name:  "ready_pull_request",
	Past:  "said that it can be merged:",
	Undo:  "Close it, or leave it open.",
	Title: "Mark as ready",
	Doc:   "Say that the draft is ready to be merged.",
	Tool:  true,
	Guard: func(_ store.Actor, q *work.Pull) error { return q.MustBeDraft() },
	Run: func(tx *store.Tx, _ store.Actor, q *work.Pull, _ struct{}) (action.Done, error) {
		return action.Done{Message: "It is ready to be merged.",
			Notice: &store.Notice{Reason: store.ReasonChange, Text: q.Text, Studio: true}}, work.ReadyPull(tx, q)
	},
})

// MergePull queues a job that merges a pull request.
var MergePull = pullAction(action.Action[*work.Pull, MergePullParams]{
	Name:  "merge_pull_request",
	Past:  "asked to merge",
	Undo:  "A merge stays. Revert it with another pull request.",
	Title: "Merge",
	Slot:  "merge",
	Doc: "Let the runner merge the last commit of the branch into its base: in its own repository, or, if the pull request is " +
		"published, on its site. Files in folders are not touched, and the branch stays unless you say so.",
	AllowedFor: store.InStudio,
	Guard:      func(by store.Actor, q *work.Pull) error { return q.MustBeMergeableBy(by) },
	Offers: func(by store.Actor, q *work.Pull) param.Offers {
		methods := []param.Option{{Value: work.MergeCommit,
			Label: "Merge commit: the commits stay, and one joins them to the base"},
			{Value: work.MergeSquash, Label: "Squash: one commit with all changes"},
			{Value: work.MergeFast, Label: "Fast-forward: the commits as they are; the base has no others"}}
		offers := param.Offers{"method": {Value: work.MergeMethods()[0], Options: methods[:len(q.Methods())]},
			"head": {Value: q.WorkHead, Proposed: true}, "delete_branch": {Omit: q.MustLoseItsBranch() != nil}}
		switch why := q.NeedsReason(); {
		case why == "":
			offers["reason"] = &param.Offered{Omit: true}
		case !by.IsAgent():
			offers["reason"] = &param.Offered{Required: true, Doc: why + " Say why it is merged nevertheless."}
		}
		return offers
	},
	Check: func(_ *store.Tx, _ store.Actor, q *work.Pull, p MergePullParams, _ param.Errors) param.Errors {
		if p.Head != "" && p.Head != q.WorkHead {
			return param.Errors{{Field: "head",
				Message: "The last commit of the branch is " + q.WorkHead + " by now. Read the page again."}}
		}
		if !p.DeleteBranch {
			return nil
		}
		return param.Bad("delete_branch", q.MustLoseItsBranch())
	},
	Run: func(tx *store.Tx, by store.Actor, q *work.Pull, p MergePullParams) (action.Done, error) {
		where := ""
		if q.Published.N > 0 {
			where = " at " + q.Site()
		}
		return action.Done{Message: "The runner " + q.RunnerNoted() + " is asked to merge it" + where + ". This page says how that ends."},
			work.MergePull(tx, by, q, work.Merging{Method: cmp.Or(p.Method, work.MergeMethods()[0]),
				Override: strings.TrimSpace(p.Reason), Deletes: p.DeleteBranch})
	},
})

// MergePullParams are the params of [MergePull].
type MergePullParams struct {
	Method       string   `param:"method,choice,optional" doc:"How the commits get into the base; by a merge commit if you leave it out."`
	Reason       string   `param:"reason,text,optional" max:"500"`
	_            struct{} `doc:"Needed, from a person, if no review has approved the last commit, or if it has not passed the check."`
	Head         string   `param:"head,text,more" max:"40" doc:"The last commit as you have read it. Another one is refused."`
	DeleteBranch bool     `param:"delete_branch,flag,optional" doc:"After the merge, archive the worktree and delete its branch."`
}

// ClosePull closes a pull request without a merge.
var ClosePull = pullAction(action.Action[*work.Pull, struct{}]{
	Name:  "close_pull_request",
	Past:  "closed",
	Undo:  "Undo: reopen_pull_request.",
	Title: "Close",
	Doc:   "End the pull request without a merge. The branch and the worktree stay.",
	Run: func(tx *store.Tx, by store.Actor, q *work.Pull, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The pull request is closed."}, work.ClosePull(tx, by, q)
	},
})

// ReopenPull opens a closed pull request again.
var ReopenPull = pullAction(action.Action[*work.Pull, struct{}]{
	Name:  "reopen_pull_request",
	Past:  "reopened",
	Undo:  "Undo: close_pull_request.",
	Title: "Open again",
	Doc:   "Open the closed pull request again.",
	Tool:  true,
	Guard: func(_ store.Actor, q *work.Pull) error { return q.MustBeReopenable() },
	Run: func(tx *store.Tx, by store.Actor, q *work.Pull, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The pull request is open again."}, work.ReopenPull(tx, by, q)
	},
})

// SendConflicts sends the conflicts of a pull request to its session's agent, as a prompt to resolve them.
var SendConflicts = pullAction(action.Action[*work.Pull, struct{}]{
	Name:       "send_conflicts",
	Past:       "sent the conflicts of",
	Undo:       "Stop the agent: stop_session, on the page of the session.",
	Title:      "Let the agent resolve the conflicts",
	Button:     "Resolve",
	Doc:        "Give the agent of the session both sides of each conflict as its next prompt.",
	AllowedFor: store.Author,
	Guard:      func(by store.Actor, q *work.Pull) error { return q.MustHaveConflictsFor(by) },
	Run: func(tx *store.Tx, by store.Actor, q *work.Pull, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The conflicts are its next prompt."}, work.SendConflicts(tx, by, q)
	},
})

// RunCheck queues a job that checks the last commit of a pull request.
var RunCheck = pullAction(action.Action[*work.Pull, struct{}]{
	Name:       "run_check",
	Past:       "asked to check",
	Undo:       "It runs once, and changes nothing.",
	Title:      "Run the check",
	Doc:        "Let the runner run the check of the repository on the last commit again. It runs by itself on each new commit.",
	Tool:       true,
	AllowedFor: store.InStudio,
	Guard:      func(_ store.Actor, q *work.Pull) error { return q.MustBeCheckable() },
	Run: func(tx *store.Tx, by store.Actor, q *work.Pull, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The runner " + q.RunnerNoted() + " is asked to check it."},
			work.QueueCheck(tx, by, q)
	},
})

// SetCheck sets the program that checks the pull requests of a repository.
var SetCheck = ownerAction(action.Action[*work.Repo, CheckParams]{
	Name:   "set_check",
	Past:   "set the check of",
	Undo:   "Set it again: set_check.",
	Title:  "Set the check",
	Button: "Set",
	Doc: "Name the program that checks each commit of a pull request, such as its tests. It runs on the machine of the runner, " +
		"as the user of that runner, in a folder with the files of the commit and without a git directory. The check has failed " +
		"if the program ends with another code than 0, or takes more than 15 minutes. It begins with the next commit. An agent " +
		"that opens a pull request runs what it has written in this way, without asking.",
	Sensitive: true,
	Guard:     func(_ store.Actor, p *work.Repo) error { return p.Studio.MustBeActive() },
	Keeps:     true,
	Offers: func(_ store.Actor, p *work.Repo) param.Offers {
		return param.Offers{"argv": {Values: p.CheckArgv.List()}}
	},
	Check: func(_ *store.Tx, _ store.Actor, _ *work.Repo, p CheckParams, _ param.Errors) param.Errors {
		if len(p.Argv) == 0 {
			return nil
		}
		return param.Bad("argv", work.CheckArgv(p.Argv))
	},
	Run: func(tx *store.Tx, _ store.Actor, p *work.Repo, in CheckParams) (action.Done, error) {
		message := "The check runs on each new commit of a pull request from now on."
		if len(in.Argv) == 0 {
			message = "The repository has no check now."
		}
		return action.Done{Message: message}, work.SetCheck(tx, p, in.Argv)
	},
})

// CheckParams has the check program of a repository.
type CheckParams struct {
	Argv []string `param:"argv,lines,optional" max:"30"`
	_    struct{} `doc:"The program, and then its arguments, one a line; no shell reads them. Nothing means no check."`
}

// UpdateRepo changes the rules for merging pull requests of a repository.
var UpdateRepo = action.New(action.Action[*work.Repo, MergeRules]{
	Name:       "update_repo",
	Past:       "changed the rules of",
	Undo:       "Change them again: update_repo.",
	Title:      "Change the rules for merges",
	Button:     "Change",
	Doc:        "Say what a merge needs.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Keeper,
	HumanOnly:  true,
	Guard:      func(_ store.Actor, p *work.Repo) error { return p.Studio.MustBeJoined() },
	Keeps:      true,
	Offers: func(_ store.Actor, p *work.Repo) param.Offers {
		rule := "any"
		if p.Reviews {
			rule = "approved"
		}
		return param.Offers{"rule": {Value: rule}, "protected": {Value: string(p.Protected)}}
	},
	Run: func(tx *store.Tx, _ store.Actor, p *work.Repo, in MergeRules) (action.Done, error) {
		return action.Done{Message: "The rules hold from now on."},
			work.SetMergeRules(tx, p, in.Rule == "approved", in.Protected)
	},
})

// MergeRules has the requirements for merging pull requests.
type MergeRules struct {
	Rule      string   `param:"rule,choice" options:"approved=An approved review of the last commit,any=No review"`
	_         struct{} `doc:"What a merge needs. Without that review people merge with a reason, and agents do not."`
	Protected []string `param:"protected,lines,optional" max:"50" doc:"Files and folders, a line each, of which only people merge changes."`
}
