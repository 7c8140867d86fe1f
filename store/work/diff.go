package work

import (
	"fmt"
	"strings"

	"samepage/store"
	"samepage/store/work/wire"
)

// These are the limits of one page.
const (
	mostDiffLines = 600
	mostDiffBytes = 60_000
	mostLineBytes = 1000 // the rest of a longer line is left out
)

// DiffPage is one page of the difference between a worktree and its base.
type DiffPage struct {
	*Worktree
	Parts []DiffPart
	Next  string // position of the next page; empty on the last page
	First bool   // asked for without a position

	Review   *Review   // open review of exactly the folder's present content; nil for none
	Comments []Comment // all comments of Review
}

// DiffPart has lines of the patch of a file.
type DiffPart struct {
	wire.ChangedFile
	From int  // number of lines of the patch before Patch
	Left int  // number of lines of the patch after Patch
	Long bool // a line was shortened
}

// DiffPlace returns the name of a position in a difference: in the patch of the file with the given number, after the
// given number of lines.
func DiffPlace(file, line int) string { return fmt.Sprintf("%d.%d", file, line) }

// ShowDiff loads the page of the difference that begins at a position of [DiffPlace], or the first page if place is "".
// It returns [store.Invalid] for any other text.
func ShowDiff(tx *store.Tx, by store.Actor, w *Worktree, place string) (*DiffPage, error) {
	v := &DiffPage{Worktree: w, First: place == ""}
	file, line := 1, 0
	if place != "" {
		_, err := fmt.Sscanf(place, "%d.%d", &file, &line)
		if err != nil || DiffPlace(file, line) != place || file < 1 || line < 0 {
			return nil, store.Errorf(store.Invalid, "The difference has no place %q. Begin again at %s.", place,
				store.Address(w.URL()+"/diff"))
		}
	}
	var list []wire.ChangedFile
	if err := tx.Select(&list, `SELECT n, path, was, change, added, deleted, lines, is_binary, cut FROM worktree_files
		WHERE worktree_id = ? AND n >= ? ORDER BY n`+store.AtMost, w.ID, file, mostDiffLines+1); err != nil {
		return nil, err
	}
	room := mostDiffLines
	for i := range list {
		p := DiffPart{ChangedFile: list[i]}
		if p.N == file {
			p.From = min(line, p.Lines)
		}
		if room <= 0 {
			v.Next = DiffPlace(p.N, 0)
			break
		}
		take := min(room, p.Lines-p.From)
		p.Left = p.Lines - p.From - take
		room -= max(take, 1) // a file without a patch takes one line, too
		v.Parts = append(v.Parts, p)
		if p.Left > 0 {
			v.Next = DiffPlace(p.N, p.From+take)
			break
		}
	}
	if len(v.Parts) == 0 {
		return v, nil
	}
	var patches []string
	if err := tx.Select(&patches, `SELECT patch FROM worktree_files WHERE worktree_id = ? AND n >= ? AND n <= ? ORDER BY n`,
		w.ID, v.Parts[0].N, v.Parts[len(v.Parts)-1].N); err != nil {
		return nil, err
	}
	v.fill(patches)
	return v, v.findReview(tx, by)
}

func (v *DiffPage) findReview(tx *store.Tx, by store.Actor) error {
	var id string
	err := tx.Get(&id, `SELECT v.id FROM sessions s JOIN reviews v ON v.session_id = s.id
		WHERE s.worktree_id = ? AND v.ended_at IS NULL AND v.commit_hash = ? ORDER BY v.requested_at DESC, v.id`+store.AtMost,
		v.ID, v.Head, 1)
	if store.CodeOf(err) == store.NotFound || err == nil && v.Dirty {
		return nil
	}
	if err != nil {
		return err
	}
	if v.Review, err = FindReview(tx, by, v.Worktree.Studio.Handle, id); err != nil {
		return err
	}
	v.Comments, err = commentsOf(tx, v.Review)
	return err
}

// TakesComments reports whether the actor may comment on the lines of the page.
func (v *DiffPage) TakesComments(by store.Actor) bool {
	return v.Review != nil && !by.IsAgent() && v.Review.Relation(by)&store.InStudio != 0 && v.Review.MustTakeComments() == nil
}

// fill adds the lines of the patches, and ends the page before the line that would exceed mostDiffBytes.
func (v *DiffPage) fill(patches []string) {
	size := 0
	for i := range patches {
		p := &v.Parts[i]
		lines := strings.SplitAfter(patches[i], "\n")
		var shown strings.Builder
		for k := p.From; k < min(p.Lines-p.Left, len(lines)); k++ {
			line := lines[k]
			if len(line) > mostLineBytes {
				line, p.Long = strings.ToValidUTF8(line[:mostLineBytes], "")+"…\n", true
			}
			if size += len(line); size > mostDiffBytes {
				p.Left, p.Patch = p.Lines-k, shown.String()
				v.Next, v.Parts = DiffPlace(p.N, k), v.Parts[:i+1]
				return
			}
			shown.WriteString(line)
		}
		p.Patch = shown.String()
	}
}
