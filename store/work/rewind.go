package work

import (
	"encoding/json"
	"fmt"
	"slices"

	"samepage/store"
	"samepage/store/work/wire"
)

// RewindJob resets the files and the branch of a worktree to a commit.
var RewindJob = declareJob("rewind", "rewind", "refresh it, and rewind it again", checkWorktree,
	reportWorktree).holding()

// Past is a commit to which a worktree can be rewound.
type Past struct {
	Commit string
	Label  string // such as "after turn 2 of Paint the door"
}

// These are the greatest numbers of turns and of rewinds that are searched for commits, the latest first.
const (
	pastTurns   = "40"
	pastRewinds = "10"
)

// loadPast loads the commits to which the worktree can be rewound: those after turns, the latest first, those before
// the first turns of sessions, and those before rewinds.
func (w *Worktree) loadPast(tx *store.Tx) error {
	var turns []struct {
		N      int    `db:"n"`
		Before string `db:"head_before"`
		After  string `db:"head_after"`
		Title  string `db:"title"`
	}
	if err := tx.Select(&turns, `SELECT t.n, t.head_before, t.head_after, s.title FROM turns t CROSS JOIN sessions s
		WHERE t.worktree_id = ? AND t.reads = 0 AND t.head_after <> '' AND s.id = t.session_id
		ORDER BY t.ended_at DESC, t.id LIMIT `+pastTurns, w.ID); err != nil {
		return err
	}
	for _, t := range turns {
		w.addPast(t.After, fmt.Sprintf("after turn %d of %s", t.N, t.Title))
		if t.N == 1 {
			w.addPast(t.Before, "before turn 1 of "+t.Title)
		}
	}
	var rewinds []string
	if err := tx.Select(&rewinds, `SELECT j.params FROM jobs j WHERE j.worktree_id = ? AND j.kind = '`+RewindJob.Name+
		`' ORDER BY j.created_at DESC, j.id LIMIT `+pastRewinds, w.ID); err != nil {
		return err
	}
	for _, text := range rewinds {
		var order wire.Rewind
		if err := json.Unmarshal([]byte(text), &order); err != nil {
			return fmt.Errorf("a job of the worktree %s: %w", w.ID, err)
		}
		w.addPast(order.From, "before it was rewound to "+Short(order.To))
	}
	return nil
}

func (w *Worktree) addPast(commit, label string) {
	if IsHash(commit) && commit != w.Head && !slices.ContainsFunc(w.Past, func(p Past) bool { return p.Commit == commit }) {
		w.Past = append(w.Past, Past{commit, label})
	}
}

// MustBeRewindable returns the errors of [Worktree.MustBeIdle], and [store.Conflict] if the worktree has uncommitted
// changes, a turn that runs or waits, or no commit to which it can be rewound.
func (w *Worktree) MustBeRewindable() error {
	if err := w.MustBeIdle(); err != nil {
		return err
	}
	if err := w.mustBeUnworked(); err != nil {
		return err
	}
	switch {
	case w.Dirty:
		return store.Errorf(store.Conflict, "It has uncommitted changes. Commit them first, and refresh the page.")
	case len(w.Past) == 0:
		return store.Errorf(store.Conflict, "No turn of an agent in it has ended with another commit than the present one.")
	}
	return nil
}

// RewindWorktree queues a job that rewinds a worktree to the commit of [Worktree.Past] with this [Short] hash. It
// returns [store.Missing] for any other text.
func RewindWorktree(tx *store.Tx, by store.Actor, w *Worktree, commit string) error {
	for _, p := range w.Past {
		if Short(p.Commit) == commit {
			return QueueWorktreeJob(tx, by, w, RewindJob, wire.Rewind{To: p.Commit, From: w.Head})
		}
	}
	return store.Missing()
}
