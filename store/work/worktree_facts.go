package work

import (
	"encoding/json"
	"fmt"
	"strings"

	"samepage/store"
	"samepage/store/work/wire"
)

func checkWorktree(f *wire.WorktreeFacts) error {
	if len(f.Head) != 40 || len(f.Base) != 40 {
		return store.Errorf(store.Invalid, "Give the head and the base as full hashes.")
	}
	size, lines := 0, 0
	for i := range f.Files {
		size += len(f.Files[i].Patch)
		lines += strings.Count(f.Files[i].Patch, "\n")
	}
	if len(f.Files) > wire.MaxChanged || size > wire.MaxPatches || lines > wire.MaxLines || len(f.Commits) > wire.MaxAhead ||
		len(f.Older) > wire.MaxOlder ||
		len(f.Ignored) > wire.MaxUntracked || len(f.Nested) > wire.MaxUntracked {
		return store.Errorf(store.Invalid,
			"Report at most %d files, %d lines and %d bytes of patches, %d commits, %d older ones and "+
				"%d ignored files.", wire.MaxChanged, wire.MaxLines, wire.MaxPatches, wire.MaxAhead, wire.MaxOlder, wire.MaxUntracked)
	}
	return nil
}

// ReportWorktree stores a runner's report on a worktree. It does not restore an archived worktree.
func ReportWorktree(tx *store.Tx, id string, f wire.WorktreeFacts) error {
	files := f.Files
	f.Files = nil
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	now, before := store.At(tx.Now), ""
	if err := tx.Get(&before, `SELECT head FROM worktrees WHERE id = ?`, id); err != nil {
		return err
	}
	if err := raiseReviews(tx, id, before, f.Head); err != nil {
		return err
	}
	if err := raiseSessionsIn(tx, id); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE worktrees SET head = ?, facts = ?, facts_at = ?, made_at = coalesce(made_at, ?),
		dirty = ?, ahead = ?, behind = ?, size = ?, changed = ?, added = ?, deleted = ? WHERE id = ?`,
		f.Head, string(text), now, now, number(f.Dirty), f.Ahead, f.Behind, f.Size, len(files), f.Added,
		f.Deleted,
		id); err != nil {
		return err
	}
	if err := tx.Exec(`DELETE FROM worktree_files WHERE worktree_id = ?`, id); err != nil {
		return err
	}
	if err := insertFiles(tx, id, files); err != nil {
		return err
	}
	return followHead(tx, id, before, f.Head)
}

// insertFiles stores the changed files of a worktree, 100, 10 or 1 at a time, so that the database caches only three
// statements.
func insertFiles(tx *store.Tx, id string, files []wire.ChangedFile) error {
	var org string
	if err := tx.Get(&org, `SELECT org_id FROM worktrees WHERE id = ?`, id); err != nil {
		return err
	}
	const insert, row = `INSERT INTO worktree_files (worktree_id, n, org_id, path, was, change, added, deleted, lines, is_binary, cut,
		patch) VALUES `, `(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	for i := 0; i < len(files); {
		n := 1
		for _, most := range []int{100, 10} {
			if len(files)-i >= most {
				n = most
				break
			}
		}
		var args []any
		for ; len(args) < 12*n; i++ {
			c := &files[i]
			args = append(args, id, i+1, org, c.Path, c.Was, c.Change, c.Added, c.Deleted, strings.Count(c.Patch, "\n"),
				number(c.Binary), number(c.Cut), c.Patch)
		}
		if err := tx.Exec(insert+row+strings.Repeat(`, `+row, n-1), args...); err != nil {
			return err
		}
	}
	return nil
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// WorktreePage is a worktree with the data of its page.
type WorktreePage struct {
	*Worktree
	Found wire.WorktreeFacts
	Files []wire.ChangedFile // first [mostChanged], without patches
	// Sessions has the most recently active session first.
	Sessions []Session
}

const mostChanged = 50

// ShowWorktree loads the data of the page of a worktree.
func ShowWorktree(tx *store.Tx, _ store.Actor, w *Worktree) (*WorktreePage, error) {
	f, err := w.Reported()
	if err != nil {
		return nil, err
	}
	v := &WorktreePage{Worktree: w, Found: *f}
	if v.Files, err = w.files(tx, mostChanged); err != nil {
		return nil, err
	}
	v.Sessions, err = sessionsIn(tx, w)
	return v, err
}

// Reported returns the runner's last report without files, or an empty one.
func (w *Worktree) Reported() (*wire.WorktreeFacts, error) {
	f := &wire.WorktreeFacts{}
	if w.Facts == "" {
		return f, nil
	}
	if err := json.Unmarshal([]byte(w.Facts), f); err != nil {
		return nil, fmt.Errorf("the facts of the worktree %s: %w", w.ID, err)
	}
	return f, nil
}

// SessionPage is a session with the data of its page. Turns has the latest turns, the newest last.
type SessionPage struct {
	*Session
	Turns       []TurnPage
	Permissions []Permission // open requests of the current turn, if it is among Turns
	Children    []Session
	Around      []Session          // family without the session and its children
	Reviews     []Review           // newest first
	Rules       []PermissionRule   // in force, newest first
	Files       []wire.ChangedFile // first changed files of the worktree, without patches
}

const mostOfSession = 5

func (s *Session) files(tx *store.Tx) ([]wire.ChangedFile, error) {
	if s.Changed == 0 {
		return nil, nil
	}
	return (&Worktree{ID: s.WorktreeID}).files(tx, mostOfSession)
}

func (w *Worktree) files(tx *store.Tx, most int) ([]wire.ChangedFile, error) {
	return store.All[wire.ChangedFile](tx, `SELECT n, path, was, change, added, deleted, lines, is_binary, cut FROM worktree_files
		WHERE worktree_id = ? ORDER BY n`+store.AtMost, w.ID, most)
}
