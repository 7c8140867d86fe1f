package store_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/pgtest"
)

// TestWhatIsNotIndexedYet opens a database without an index, as an older program or a build without search leaves it.
// The indexer must then index all documents.
func TestWhatIsNotIndexedYet(t *testing.T) {
	mustSearch(t)
	w := newWorld(t)
	for i := range 3 * store.IndexStep {
		w.draft(w.alice, w.team, fmt.Sprintf("Backlog %d", i), "One")
	}
	w.raw(`UPDATE documents SET indexed_at = NULL`)
	w.raw(`DROP TABLE search`)
	w.reopen()
	<-w.IndexDone()
	var state store.SearchState
	w.read(func(tx *store.Tx) (err error) {
		state, err = tx.SearchState()
		return err
	})
	if !state.Complete {
		t.Errorf("%+v", state)
	}
	if got := w.search(w.alice, "backlog"); len(got) != 3*store.IndexStep {
		t.Errorf("%d of %d", len(got), 3*store.IndexStep)
	}
	w.reopen()
	if w.Indexing() {
		t.Error("there is nothing left to do")
	}
}

// TestIndexingGoesOnAfterAFault lets the indexer fail once. It must index all documents without a new start.
func TestIndexingGoesOnAfterAFault(t *testing.T) {
	mustSearch(t)
	pgtest.Folder(t, "the fault is made with SQLite's statement for it")
	w := newWorld(t)
	w.draft(w.alice, w.team, "Backlog", "One")
	w.raw(`UPDATE documents SET indexed_at = NULL`)
	w.raw(`CREATE TRIGGER fault BEFORE UPDATE ON documents BEGIN SELECT RAISE(ABORT, 'a fault'); END`)
	faults, was := make(logLines, 10), slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(faults, &slog.HandlerOptions{Level: slog.LevelError})))
	defer slog.SetDefault(was)
	w.reopen()
	if said := <-faults; !strings.Contains(said, "the search index is not complete") {
		t.Fatal(said)
	}
	w.raw(`DROP TRIGGER fault`)
	<-w.IndexDone()
	if got := w.search(w.alice, "backlog"); len(got) != 1 {
		t.Errorf("%d found", len(got))
	}
}

type logLines chan string

func (l logLines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

// TestTidySearch expects the index segments of many small changes to be merged into one, and the results of searches to
// stay the same.
func TestTidySearch(t *testing.T) {
	mustSearch(t)
	w := newWorld(t)
	for i := range 21 {
		w.draft(w.alice, w.team, fmt.Sprintf("Backlog %d", i), "One")
	}
	parts := func() (n int) {
		if w.onServer() {
			return 1
		}
		w.read(func(tx *store.Tx) error { return tx.Get(&n, `SELECT count(DISTINCT segid) FROM search_idx`) })
		return n
	}
	before := w.search(w.alice, "backlog")
	if n := parts(); n < 2 && !w.onServer() {
		t.Fatalf("there is nothing to tidy: %d parts", n)
	}
	for range 2 {
		if err := w.TidySearch(t.Context()); err != nil {
			t.Fatal(err)
		}
		if after := w.search(w.alice, "backlog"); parts() != 1 || !slices.Equal(before, after) {
			t.Errorf("%d parts, and %d of %d are found", parts(), len(after), len(before))
		}
	}
}

// TestWithoutFullText runs without full-text search. A search must report that, and rows that are written meanwhile
// must be indexed later.
func TestWithoutFullText(t *testing.T) {
	w := newWorld(t)
	had := w.SwapText(nil)
	w.decision(w.alice, w.team, "Unheard of", "One")
	w.read(func(tx *store.Tx) error {
		p, err := tx.Search(w.alice, "unheard", "")
		if err == nil && (p.State.Built || p.State.Complete || len(p.Results) > 0) {
			t.Errorf("%+v", p)
		}
		return err
	})
	if w.SwapText(had); had == nil {
		return
	}
	w.reopen()
	<-w.IndexDone()
	if got := w.search(w.bob, "unheard"); len(got) != 1 {
		t.Errorf("%q", got)
	}
}
