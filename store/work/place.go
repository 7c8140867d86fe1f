package work

import (
	"fmt"
	"strings"

	"samepage/store"
	"samepage/store/work/wire"
)

// ChangedPaths lists the paths of the changed files in the worktree of a review.
func ChangedPaths(tx *store.Tx, v *Review) ([]string, error) {
	return store.All[string](tx, `SELECT f.path FROM worktree_files f JOIN sessions s ON s.worktree_id = f.worktree_id
		WHERE s.id = ? ORDER BY f.n`, v.SessionID)
}

// NotShown returns a sentence on the places of comments that are not in the difference of the review's worktree, or "".
// A file whose difference has no text or is incomplete counts as one with all lines.
func NotShown(tx *store.Tx, v *Review, list []Comment) (string, error) {
	var places []string
	for i := range list {
		c := &list[i]
		var f wire.ChangedFile
		err := tx.Get(&f, `SELECT f.is_binary, f.cut, f.patch FROM worktree_files f JOIN sessions s ON s.worktree_id = f.worktree_id
			WHERE s.id = ? AND f.path = ?`, v.SessionID, c.Path)
		if err != nil && store.CodeOf(err) != store.NotFound {
			return "", err
		}
		if err != nil || c.Line > 0 && !f.Binary && !f.Cut && !showsLine(f.Patch, c.Line) {
			places = append(places, c.Place())
		}
	}
	if len(places) == 0 {
		return "", nil
	}
	return " Not in the difference, as it is now: " + strings.Join(places, ", ") + ".", nil
}

// showsLine reports whether a hunk of the patch has this line of the new text.
func showsLine(patch string, line int) bool {
	for header := range strings.Lines(patch) {
		var from, count int
		_, span, ok := strings.Cut(header, " +")
		if !ok || !strings.HasPrefix(header, "@@ -") {
			continue
		}
		if n, _ := fmt.Sscanf(span, "%d,%d", &from, &count); n == 1 {
			count = 1 // left out
		}
		if line >= from && line < from+count {
			return true
		}
	}
	return false
}
