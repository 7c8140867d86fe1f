package work

import (
	"fmt"
	"strings"

	"samepage/store"
	"samepage/store/work/wire"
)

func checkArchived(r *wire.Archived) error {
	if len(r.Head) != 40 {
		return store.Errorf(store.Invalid, "Give the head as a full hash.")
	}
	return nil
}

// Risk lists uncommitted changes, commits that the base lacks, and repositories inside of the folder, according to the
// last report. It returns "" if there are none.
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

// ArchiveWorktree queues a job that removes the folder of a worktree. Unless force is set, the job fails if work exists
// only there. A worktree without a folder is archived at once.
func ArchiveWorktree(tx *store.Tx, by store.Actor, w *Worktree, force bool) error {
	if w.MadeAt.IsZero() {
		return tx.Exec(`UPDATE worktrees SET archived_at = ? WHERE id = ?`, store.At(tx.Now), w.ID)
	}
	return QueueWorktreeJob(tx, by, w, ArchiveJob, wire.Archive{Force: force})
}

// RestoreWorktree queues a [CheckoutJob] that makes the folder of an archived worktree again, from its branch. It
// returns [store.Conflict] if the studio has [MaxWorktrees] worktrees in use.
func RestoreWorktree(tx *store.Tx, by store.Actor, w *Worktree) error {
	var live int
	if err := tx.Get(&live, `SELECT count(*) FROM worktrees WHERE studio_id = ? AND archived_at IS NULL`, w.StudioID); err != nil {
		return err
	}
	if err := mustTakeWorktree(w.Studio, live); err != nil {
		return err
	}
	return QueueWorktreeJob(tx, by, w, CheckoutJob, wire.Checkout{Again: true})
}

// MustBeArchivableBy returns [store.Conflict] if the worktree is archived, if [Worktree.Job] is open, or if a turn runs
// or waits in it. Agents get [store.Forbidden] if there is a [Worktree.Risk]. An actor outside the studio gets an
// error.
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
		err = store.Errorf(store.Forbidden, "It has %s, so only a person can archive it now.", risk)
	}
	return err
}

// MustBeRestorable returns [store.Conflict] if the worktree is not archived, never had a folder, or is being restored.
// It returns an error for an actor outside the studio.
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
		return store.Errorf(store.Conflict, "The runner %s is to %s it already.", w.RunnerNoted(), w.Job.Does())
	}
	return nil
}
