package work

import (
	"slices"
	"strings"

	"samepage/store"
	"samepage/store/work/wire"
)

// MustTakePulls returns [store.Conflict] if the worktree has no folder, has an open pull request, or has no commit that
// its base lacks. It returns an error for an actor outside the studio.
func (w *Worktree) MustTakePulls() error {
	if err := w.Studio.MustBeJoined(); err != nil {
		return err
	}
	if state := w.State(); state != WorktreeReady {
		return store.Errorf(store.Conflict, "The worktree is %s: it has no folder.", state)
	}
	return mustTakePulls(w.Studio, w.Pull, w.Ahead, w.Branch, w.Base)
}

// MustTakePulls returns [store.Conflict] if the session is archived or a review, or if its worktree has no folder, has
// an open pull request, or has no commit that its base lacks. It returns an error for an actor outside the studio.
func (s *Session) MustTakePulls() error {
	if err := s.mustBeOpen(); err != nil {
		return err
	}
	switch {
	case s.Kin == KinReview:
		return store.Errorf(store.Conflict, "The session reviews another one, and changes nothing.")
	case !s.Folder:
		return store.Errorf(store.Conflict, "The worktree %s has no folder. Restore it first.", s.Worktree)
	}
	return mustTakePulls(s.Studio, s.Pull, s.Ahead, s.Branch, s.Base)
}

func mustTakePulls(h *store.Studio, pull, ahead int, branch, base string) error {
	switch {
	case pull > 0:
		return store.Errorf(store.Conflict, "There is a pull request already: %s.",
			store.Address(PullURL(h.URL(), pull)))
	case ahead == 0:
		return store.Errorf(store.Conflict, "The branch %s has no commit that %s lacks.", branch, base)
	}
	return nil
}

// MustBeOpen returns [store.Conflict] if the pull request has ended or is being merged, and an error for an actor
// outside the studio.
func (q *Pull) MustBeOpen() error {
	if err := q.Studio.MustBeJoined(); err != nil {
		return err
	}
	switch {
	case q.Outcome != "":
		return store.Errorf(store.Conflict, "The pull request is %s.", q.Outcome)
	case q.Merging():
		return store.Errorf(store.Conflict, "The runner %s is to merge it. Wait for its report.", q.RunnerNoted())
	}
	return nil
}

// MustBeDraft returns the errors of [Pull.MustBeOpen], and [store.Conflict] unless the pull request is a draft.
func (q *Pull) MustBeDraft() error {
	if err := q.MustBeOpen(); err != nil {
		return err
	}
	if !q.Draft {
		return store.Errorf(store.Conflict, "It is no draft.")
	}
	return nil
}

// MustBeReopenable returns [store.Conflict] if the pull request is not closed, or if its worktree is archived or has
// another open pull request. It returns an error for an actor outside the studio.
func (q *Pull) MustBeReopenable() error {
	if err := q.Studio.MustBeJoined(); err != nil {
		return err
	}
	switch {
	case q.Outcome != PullClosed:
		return store.Errorf(store.Conflict, "The pull request is %s, not closed.", q.State())
	case q.Archived:
		return store.Errorf(store.Conflict, "Its worktree %s is archived. Restore it first.", q.Worktree)
	case q.Another > 0:
		return store.Errorf(store.Conflict, "Its worktree has another pull request: %s.",
			store.Address(PullURL(q.Studio.URL(), q.Another)))
	}
	return nil
}

// touches returns the paths of changed files at or below protected paths. If the runner may have left out changed
// files, the only element of the result is a phrase that says so.
func (q *Pull) touches(tx *store.Tx) ([]string, error) {
	if q.Protected == "" {
		return nil, nil
	}
	files, err := q.tree().files(tx, wire.MaxChanged)
	if err != nil {
		return nil, err
	}
	if len(files) == wire.MaxChanged {
		return []string{"more files than the runner reports"}, nil
	}
	return protectedAmong(q.Protected.List(), files), nil
}

// MustBeMergeableBy returns the errors of [Pull.MustBeOpen]. It returns [store.Conflict] for a draft, for an archived
// worktree, during a [PublishJob], and for a branch without commits of its own. Agents get [store.Forbidden] if a
// required review is missing, if a check has not passed, or if the branch changes a protected path.
func (q *Pull) MustBeMergeableBy(by store.Actor) error {
	if err := q.MustBeOpen(); err != nil {
		return err
	}
	switch {
	case q.Draft:
		return store.Errorf(store.Conflict, "It is a draft. Say first that it is ready (ready_pull_request).")
	case q.Archived:
		return store.Errorf(store.Conflict, "Its worktree %s is archived. Restore it first.", q.Worktree)
	case q.Publishing():
		return store.Errorf(store.Conflict, "The runner %s is to publish it. Wait for its report.", q.RunnerNoted())
	case q.Ahead == 0:
		return store.Errorf(store.Conflict, "The branch %s has no commit that %s lacks.", q.Branch, q.Base)
	case by.IsAgent() && q.ReviewID == "" && q.Reviews:
		return store.Errorf(store.Forbidden,
			"No review has approved the commit %s. Request one (request_review, on the page of "+
				"the session). A person can merge it with a reason.", Short(q.WorkHead))
	case by.IsAgent() && q.CheckArgv != "" && q.Check() != CheckPassed:
		return store.Errorf(store.Forbidden, "%s A person can merge it with a reason.", q.unchecked())
	case by.IsAgent() && (q.Checks == ForgeFailed || q.Checks == ForgeWaiting):
		return store.Errorf(store.Forbidden, "The checks of %s have not passed. A person can merge it with a reason.",
			q.Site())
	case by.IsAgent() && len(q.Touched) > 0:
		return store.Errorf(store.Forbidden, "It changes %s, which only people merge.", strings.Join(q.Touched, ", "))
	}
	return nil
}

// NeedsReason returns sentences about why a merge needs a person's reason, or "" if it needs none.
func (q *Pull) NeedsReason() string {
	var list []string
	if q.Reviews && q.ReviewID == "" {
		list = append(list, "No review has approved the commit "+Short(q.WorkHead)+".")
	}
	if text := q.unchecked(); text != "" {
		list = append(list, text)
	}
	switch q.Checks {
	case ForgeFailed:
		list = append(list, "Checks of "+q.Site()+" have failed.")
	case ForgeWaiting:
		list = append(list, "Checks of "+q.Site()+" have not ended.")
	}
	return strings.Join(list, " ")
}

// unchecked returns a sentence if the last commit has not passed the repository's check, or "".
func (q *Pull) unchecked() string {
	switch q.Check() {
	case CheckWaiting:
		return "The check of the commit " + Short(q.WorkHead) + " has not ended."
	case CheckMissing:
		return "The check has not run on the commit " + Short(q.WorkHead) + "."
	case CheckFailed:
		return "The commit " + Short(q.WorkHead) + " has failed the check."
	}
	return ""
}

// MustLoseItsBranch returns [store.Conflict] if the branch is the default branch, if worktrees are based on it, or if a
// turn runs or waits in its worktree.
func (q *Pull) MustLoseItsBranch() error {
	switch {
	case q.Branch == q.Main:
		return store.Errorf(store.Conflict, "%s is the default branch of %s.", q.Branch, q.Repo)
	case len(q.Based) > 0:
		return store.Errorf(store.Conflict, "The worktree %s begins from the branch %s.", q.Based[0], q.Branch)
	case q.Turns > 0:
		return store.Errorf(store.Conflict, "An agent works in its worktree, or is to.")
	}
	return nil
}

// MustHaveConflictsFor returns the errors of [Pull.MustBeOpen], and [store.Conflict] if there are no stored conflicts,
// or if there is no session or it is archived. Agents get [store.Forbidden] unless the session's agent asks before it
// acts.
func (q *Pull) MustHaveConflictsFor(by store.Actor) error {
	if err := q.MustBeOpen(); err != nil {
		return err
	}
	switch {
	case q.Clashes == "":
		return store.Errorf(store.Conflict, "The last attempt to merge found no conflict.")
	case q.SessionID == "":
		return store.Errorf(store.Conflict, "No session belongs to it, so there is no agent to prompt.")
	case q.SessionOver:
		return store.Errorf(store.Conflict, "Its session %s is archived. Bring that back first (unarchive_session).",
			q.Session)
	case by.IsAgent() && !q.Asks:
		return store.Errorf(store.Forbidden,
			"The agent of its session does not ask before it acts, so only people prompt it.")
	}
	return nil
}

// The home page of the author lists a pull request that can be merged without a reason, unless it shows the problem or
// the conflicts of an attempt to merge its head.
var _ = store.DeclareRequests(func(who store.Answerer) (string, []any) {
	return `SELECT 'Merge', q.title, '/pulls/' || q.n, q.opened_at, q.studio_id, q.member_id, coalesce(a.label, ''),
			` + store.NoStep + `
		FROM pulls q CROSS JOIN worktrees w CROSS JOIN repos p LEFT JOIN agents a ON a.id = q.agent_id
		WHERE q.ended_at IS NULL AND q.draft = 0 AND q.member_id IN (` + store.Placeholders(len(who.Members)) + `)
			AND w.id = q.worktree_id AND w.archived_at IS NULL AND w.ahead > 0 AND p.id = w.repo_id
			AND (q.tried <> w.head OR q.problem = '' AND q.conflicts = '')
			AND (p.check_argv = '' OR q.checked = w.head AND q.check_passed = 1)
			AND q.forge_checks NOT IN ('` + ForgeFailed + `', '` + ForgeWaiting + `')
			AND (p.review_required = 0 OR EXISTS (SELECT 1 FROM reviews v JOIN sessions y ON y.id = v.session_id
				WHERE y.worktree_id = w.id AND v.state = 'approved' AND v.commit_hash = w.head))
			AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.worktree_id = w.id AND j.params LIKE '%"' || q.id || '"%'
				AND (j.kind IN ('` + mergeName + `', '` + publishName + `') OR j.kind = '` + checkName + `' AND p.check_argv <> '')
				AND ` + jobOpen + `)`,
		append(slices.Clone(who.Members), store.At(who.Now))
})
