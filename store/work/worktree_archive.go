package work

import (
	"fmt"
	"strings"

	"samepage/store"
)

// Archived is the report of a runner that has removed the folder of a worktree.
type Archived struct {
	Head string `json:"head"` // last commit of the checkout
}

func (r *Archived) check() error {
	if len(r.Head) != 40 {
		return store.Errorf(store.Invalid, "Give the head as a full hash.")
	}
	return nil
}

// Risk says in words what of a worktree is nowhere else, as of the last report. It is empty for nothing.
func (w *Worktree) Risk() (string, error) {
	f, err := w.Reported()
	if err != nil {
		return "", err
	}
	var list []string
	if w.Dirty {
		list = append(list, "uncommitted changes")
	}
	if w.Ahead > 0 {
		list = append(list, fmt.Sprintf("commits that %s lacks (%d)", w.Base, w.Ahead))
	}
	if len(f.Nested) > 0 {
		list = append(list, "a repository inside of it")
	}
	return strings.Join(list, " and "), nil
}

// ArchiveWorktree queues a job that removes the folder of a worktree. Unless force is set, the runner refuses if
// something in it is nowhere else. A worktree that has no folder is archived at once.
func ArchiveWorktree(tx *store.Tx, w *Worktree, force bool) error {
	if w.MadeAt.IsZero() {
		return tx.Exec(`UPDATE worktrees SET archived_at = ? WHERE id = ?`, store.At(tx.Now), w.ID)
	}
	return QueueWorktreeJob(tx, w, ArchiveJob, archiveOrder{Force: force})
}

// archiveOrder has the params of an [ArchiveJob].
type archiveOrder struct {
	Force bool `json:"force,omitempty"`
	// Merged is the head of a pull request that was merged. The runner then deletes the branch, too, and refuses if the
	// worktree has anything besides that head.
	Merged string `json:"merged,omitempty"`
	// Published is set if the branch was pushed to the source of the repository. It is deleted there, too.
	Published bool `json:"published,omitempty"`
}

// RestoreWorktree queues a job that makes the folder of an archived worktree again, with the last commit of its branch.
func RestoreWorktree(tx *store.Tx, w *Worktree) error {
	return QueueWorktreeJob(tx, w, CheckoutJob, checkout{Again: true})
}

// MustBeArchivableBy refuses an actor outside of the studio, an archived worktree, and one at which the runner works.
// It refuses an agent if something in the worktree is nowhere else.
func (w *Worktree) MustBeArchivableBy(by store.Actor) error {
	if w.State() == WorktreeFailed {
		return w.Studio.MustBeJoined()
	}
	if err := w.MustBeIdle(); err != nil {
		return err
	}
	if err := w.mustBeUnworked(); err != nil || !by.IsAgent() {
		return err
	}
	risk, err := w.Risk()
	if err == nil && risk != "" {
		err = store.Errorf(store.Conflict, "It has %s, so only a person can archive it now.", risk)
	}
	return err
}

// MustBeRestorable refuses an actor outside of the studio, a worktree that is not archived or never had a folder, and
// one that the runner restores.
func (w *Worktree) MustBeRestorable() error {
	if err := w.Studio.MustBeJoined(); err != nil {
		return err
	}
	switch {
	case w.ArchivedAt.IsZero():
		return store.Errorf(store.Conflict, "This worktree is not archived.")
	case w.MadeAt.IsZero():
		return store.Errorf(store.Conflict, "This worktree never had a folder. Add another one.")
	case w.Job != nil && w.Job.Open():
		return store.Errorf(store.Conflict, "The runner %s is to %s it already.", w.Runner, w.Job.Does())
	}
	return nil
}
