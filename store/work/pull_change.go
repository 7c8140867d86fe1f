package work

import (
	"encoding/json"
	"fmt"
	"strings"

	"samepage/store"
	"samepage/store/work/wire"
)

// NewPull has the fields of a new pull request.
type NewPull struct {
	Title, Text string
	Draft       bool
	Session     *Session // session that did the work; may be nil
}

// CreatePull opens a pull request for the branch of a worktree, and queues the repository's check, if there is one.
func CreatePull(tx *store.Tx, by store.Actor, w *Worktree, n NewPull) (*Pull, error) {
	id, session := store.NewID(), ""
	if n.Session != nil {
		session = n.Session.ID
	}
	if err := tx.Exec(`INSERT INTO pulls (id, org_id, studio_id, worktree_id, session_id, n, title, text, draft, opened_at,
		member_id, agent_id) VALUES (?, ?, ?, ?, ?, (SELECT coalesce(max(n), 0) + 1 FROM pulls WHERE studio_id = ?), ?, ?, ?, ?, ?, ?)`,
		id, w.OrgID, w.StudioID, w.ID, store.Null(session), w.StudioID, n.Title, n.Text, number(n.Draft), store.At(tx.Now),
		by.In(w.OrgID).MemberID(), store.Null(by.Agent.ID)); err != nil {
		return nil, err
	}
	var made int
	if err := tx.Get(&made, `SELECT n FROM pulls WHERE id = ?`, id); err != nil {
		return nil, err
	}
	if err := raiseSessionsIn(tx, w.ID); err != nil {
		return nil, err
	}
	q, err := FindPull(tx, by, w.Studio.Handle, made)
	if err != nil {
		return nil, err
	}
	if err := QueueCheck(tx, by, q); err != nil {
		return nil, err
	}
	return q, q.loadCheck(tx)
}

// RewritePull changes the title and the text of a pull request, and of its copy on a forge.
func RewritePull(tx *store.Tx, q *Pull, title, text string) error {
	q.Title, q.Text = title, text
	if err := q.change(tx, `title = ?, text = ?`, title, text); err != nil {
		return err
	}
	return q.republish(tx, true)
}

// ReadyPull ends the draft state of a pull request, so that it can be merged.
func ReadyPull(tx *store.Tx, q *Pull) error {
	q.Draft = false
	return q.change(tx, `draft = 0`)
}

func (q *Pull) change(tx *store.Tx, set string, args ...any) error {
	return tx.Exec(`UPDATE pulls SET `+set+` WHERE id = ?`, append(args, q.ID)...)
}

// ClosePull ends a pull request without a merge, and closes its copy on a forge.
func ClosePull(tx *store.Tx, by store.Actor, q *Pull) error {
	q.Outcome, q.EndedAt, q.EndHead = PullClosed, store.At(tx.Now), q.WorkHead
	if err := q.change(tx, `state = ?, ended_at = ?, head = ?, ended_by = ?, ended_agent = ?`, q.Outcome, q.EndedAt, q.EndHead,
		store.Null(by.In(q.OrgID).MemberID()), store.Null(by.Agent.ID)); err != nil {
		return err
	}
	if err := q.republish(tx, true); err != nil {
		return err
	}
	return raiseSessionsIn(tx, q.WorktreeID)
}

// ReopenPull opens a closed pull request again, and its copy on a forge. It queues the repository's check unless the
// check of the last commit has a result or is queued.
func ReopenPull(tx *store.Tx, by store.Actor, q *Pull) error {
	q.Outcome, q.EndedAt, q.EndHead = "", store.Time{}, ""
	if err := q.change(tx, `state = '', ended_at = NULL, head = '', ended_by = NULL, ended_agent = NULL`); err != nil {
		return err
	}
	if err := q.loadCheck(tx); err != nil { // a check from before the closing may still be waiting
		return err
	}
	if q.Check() == CheckMissing {
		if err := QueueCheck(tx, by, q); err != nil {
			return err
		}
	}
	if err := q.republish(tx, true); err != nil {
		return err
	}
	return raiseSessionsIn(tx, q.WorktreeID)
}

// These are the merge methods.
const (
	MergeCommit = "merge"        // a merge commit
	MergeSquash = "squash"       // one commit with all changes of the branch
	MergeFast   = "fast_forward" // the base moves to the head of the branch, which must contain the base
)

// MergeMethods returns all merge methods.
func MergeMethods() []string { return []string{MergeCommit, MergeSquash, MergeFast} }

// Methods returns the merge methods for the pull request. A published one is merged on the forge, which cannot
// fast-forward.
func (q *Pull) Methods() []string {
	if q.Published.N > 0 {
		return []string{MergeCommit, MergeSquash}
	}
	return MergeMethods()
}

// Merging describes how to merge a pull request.
type Merging struct {
	Method   string // one of [MergeMethods]
	Override string // reason for a merge without an approved review or a passed check; may be empty
	Deletes  bool   // archive the worktree and delete its branch
}

// MergePull queues a [MergeJob] for the last commit of the branch, and deletes the results of an earlier attempt.
func MergePull(tx *store.Tx, by store.Actor, q *Pull, m Merging) error {
	q.Method, q.Override, q.DeletesBranch, q.Tried, q.Problem, q.Clashes = m.Method, m.Override, m.Deletes, q.WorkHead, "", ""
	if err := q.change(tx, `method = ?, reason = ?, deletes_branch = ?, tried = ?, into_base = '', problem = '', conflicts = '',
		ended_by = ?, ended_agent = ?`, m.Method, m.Override, number(m.Deletes), q.Tried, store.Null(by.In(q.OrgID).MemberID()),
		store.Null(by.Agent.ID)); err != nil {
		return err
	}
	text := q.Text
	if text != "" {
		text += "\n\n"
	}
	text += "Pull request " + q.URL()
	handle := by.In(q.OrgID).Member.Handle
	return QueueWorktreeJob(tx, by, q.tree(), MergeJob,
		wire.Merge{Pull: q.ID, Main: q.Main, Method: m.Method, Head: q.Tried, Title: q.Title, Message: text,
			By: store.Byline(handle, by.Agent.Label), Email: handle + "@samepage.invalid", Number: q.Published.N})
}

const mergeName = "merge"

// MergeJob merges the head of a pull request into its base, on the forge if the pull request is published.
var MergeJob = declareJob(mergeName, "merge", "merge it again", checkMerge, reportMerge).about(subjectOfMerge)

func checkMerge(r *wire.MergeReport) error {
	outcomes := 0
	for _, is := range []bool{r.Commit != "", len(r.Conflicts) > 0, r.Problem != ""} {
		outcomes += number(is)
	}
	switch {
	case outcomes != 1:
		return store.Errorf(store.Invalid, "Report a commit, or conflicts, or a problem.")
	case r.Commit != "" && len(r.Commit) != 40 || len(r.Into) != 40:
		return store.Errorf(store.Invalid, "Give commits as full hashes.")
	case len(r.Conflicts) > wire.MaxConflicts || len(r.Problem) > 500 || len(r.Place) > 1000:
		return store.Errorf(store.Invalid, "Report at most %d conflicts, and a problem of 500 bytes.", wire.MaxConflicts)
	}
	for i := range r.Conflicts {
		if c := &r.Conflicts[i]; c.Path == "" || len(c.Path) > 1000 || len(c.Ours) > wire.MaxSide || len(c.Theirs) > wire.MaxSide {
			return store.Errorf(store.Invalid, "Report at most %d bytes of each side of a conflict.", wire.MaxSide)
		}
	}
	return checkRepo(&r.Repo)
}

// reportMerge stores the result of an attempt to merge. After a merge, it queues a refresh of the worktree, because the
// base has changed, or its archiving if the branch is to be deleted.
func reportMerge(tx *store.Tx, j *Job, r *wire.MergeReport) error {
	q, err := pullOf(tx, j)
	if err != nil {
		return err
	}
	if err := ReportRepo(tx, j.RepoID, r.Repo); err != nil {
		return err
	}
	clashes := ""
	if len(r.Conflicts) > 0 {
		text, err := json.Marshal(r.Conflicts)
		if err != nil {
			return err
		}
		clashes = string(text)
	}
	if err := q.change(tx, `into_base = ?, problem = ?, conflicts = ?, place = ?`, r.Into, r.Problem, clashes,
		r.Place); err != nil || r.Commit == "" {
		return err
	}
	if err := q.change(tx, `state = ?, ended_at = ?, head = tried, merged = ?,
		forge_state = CASE forge_n WHEN 0 THEN '' ELSE 'merged' END`, PullMerged, store.At(tx.Now), r.Commit); err != nil {
		return err
	}
	if !q.DeletesBranch {
		return queueAbout(tx, q.EnderID, q.tree(), RefreshJob, nil)
	}
	return queueAbout(tx, q.EnderID, q.tree(), ArchiveJob, wire.Archive{Merged: q.Tried, Published: q.Published.N > 0})
}

// EndOfJob notifies the author, and the member that requested the merge.
func (q *Pull) EndOfJob() (told string, n *store.Notice) {
	told = "could not merge"
	if q.Outcome == PullMerged {
		told = "merged"
	}
	return told, &store.Notice{Reason: store.ReasonOutcome, To: []string{q.MemberID, q.EnderID},
		By: store.Byline(q.Ender, q.EnderAgent)}
}

func pullOf(tx *store.Tx, j *Job) (*Pull, error) {
	var order struct {
		Pull string `json:"pull"`
	}
	if err := j.order(&order); err != nil {
		return nil, err
	}
	return pullByID(tx, order.Pull)
}

func subjectOfMerge(tx *store.Tx, j *Job) (Subject, error) { return pullOf(tx, j) }

// SendConflicts sends the conflicts of the last attempt to merge as a prompt to the pull request's session, and deletes
// the stored conflicts. It returns the errors of [FindSession], [Session.MustTakePromptsFrom] and [ContinueSession].
func SendConflicts(tx *store.Tx, by store.Actor, q *Pull) error {
	s, err := FindSession(tx, by, q.Studio.Handle, q.SessionID)
	if err != nil {
		return err
	}
	if err := s.MustTakePromptsFrom(by); err != nil {
		return err
	}
	v, err := ShowPull(tx, by, q)
	if err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "The branch %s cannot be merged into %s: both have changed the same lines. Bring the changes of %[2]s "+
		"into your branch, so that what both sides meant is kept, and say how you have joined them on %s.\n", q.Branch, q.Base,
		q.URL())
	for i := range v.Conflicts {
		c := &v.Conflicts[i]
		fmt.Fprintf(&text, "\n`%s`", c.Path)
		if c.Binary {
			text.WriteString(" is not text.\n")
			continue
		}
		fmt.Fprintf(&text, " in %s:\n\n%s\n\nand in %s:\n\n%s\n", q.Base, quoted(c.Ours), q.Branch, quoted(c.Theirs))
		if c.Cut {
			text.WriteString("\nThese are the beginnings.\n")
		}
	}
	q.Clashes = ""
	if err := q.change(tx, `conflicts = ''`); err != nil {
		return err
	}
	return ContinueSession(tx, by, s, text.String(), originOf(by.Agent.ID))
}
