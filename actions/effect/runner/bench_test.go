package runner_test

import (
	"fmt"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/work"
	"samepage/store/work/wire"
	"samepage/web/webtest"
)

// BenchmarkReport measures how long the server takes to store the report on a worktree, for several numbers of changed
// files.
func BenchmarkReport(b *testing.B) {
	for _, n := range []int{30, 3000, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := webtest.Of(b, "work")
			var id string
			w.Query(&id, `SELECT id FROM worktrees WHERE name = 'watering'`)
			f := wire.WorktreeFacts{Head: strings.Repeat("1", 40), Base: strings.Repeat("2", 40),
				Files: make([]wire.ChangedFile, n)}
			for i := range f.Files {
				f.Files[i] = wire.ChangedFile{Path: fmt.Sprintf("beds/%05d.txt", i), Change: "modified", Added: 3,
					Deleted: 1,
					Patch:   strings.Repeat("+a line of a patch\n", 7)}
			}
			for b.Loop() {
				if err := w.Store.Write(b.Context(), func(tx *store.Tx) error {
					return work.ReportWorktree(tx, id,
						f)
				}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
