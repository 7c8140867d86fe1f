package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"samepage/store"
	"samepage/store/governance"
	"samepage/store/pgtest"
)

// oddWords are words that SQLite and PostgreSQL might split or fold differently.
var oddWords = append(strings.Fields(`apple pear plum Apple PLUM café cafe CAFÉ cafe`+"\u0301"+
	` naïve Ångström ångstrom Straße STRASSE strasse ſee see Σίσυφος ΣΊΣΥΦΟΣ
	İstanbul istanbul ıstanbul ﬁne fine Привет ёлка елка 漢字 漢 字 한국어
	हिन्दी ภาษาไทย עִבְרִית עברית العَرَبِيَّة
	Abstimmung Abstimmungen Häuser Haus dying die skies sky decisions decided plums pears apples
	3½ 42 ① x² don't dont a-b a_b a.b C++ #kdecision kdecision oacme isopen
	AND OR NOT tags title: 'x' \ % _ * ^ ☃ 🦒 "a"b`), strings.Repeat("long", 1000), strings.Repeat("long", 1000)+"er",
	strings.Repeat("é", 1100), strings.Repeat("budget", 10)+"s", strings.Repeat("budget", 11)+"s")

// fillOdd adds random documents with words of [oddWords] to a world. Every world gets the same documents.
func (w *world) fillOdd() {
	r := rand.New(rand.NewPCG(1, 2))
	text := func(most int) string {
		list := make([]string, 1+r.IntN(most))
		for i := range list {
			list[i] = oddWords[r.IntN(len(oddWords))]
			if r.IntN(3) > 0 {
				list[i] = oddWords[r.IntN(5)]
			}
		}
		return strings.Join(list, " ")
	}
	studios := []*store.Studio{w.team, w.studio("lab", "public", w.oscar), w.studio("den", "members", w.alice)}
	owners := []store.Actor{w.bob, w.oscar, w.alice}
	for i := range 150 {
		if r.IntN(2) == 0 {
			w.clock.advance(time.Hour)
		}
		which := r.IntN(len(studios))
		by, title := owners[which], fmt.Sprintf("%s (%d)", text(4), i)
		if r.IntN(5) == 0 {
			w.draft(by, studios[which], title, text(3))
			continue
		}
		d := w.decision(by, studios[which], title, text(3), text(3))
		w.write(func(tx *store.Tx) error {
			if which == 0 && r.IntN(2) == 0 {
				by = w.scribe
			}
			_, err := tx.AddComment(by, &d.Item, text(12))
			if err == nil && r.IntN(3) == 0 {
				err = governance.CloseDecision(tx, owners[which], d, text(2), "result", "", "")
			}
			return err
		})
	}
	far := strings.Repeat("of the many ", 20_000) + "of apple plum pear"
	d := w.decision(w.bob, w.team, "Far", "One")
	w.write(func(tx *store.Tx) error {
		_, err := tx.AddComment(w.bob, &d.Item, far)
		return err
	})
}

// TestSearchIsTheSame compares the results of searches on a server and in a file. They must be the same in the same
// order, on all pages.
func TestSearchIsTheSame(t *testing.T) {
	mustSearch(t)
	if pgtest.Given() == "" {
		t.Skip("left out: there is no PostgreSQL to compare with. go run ./e2e/all starts one.")
	}
	file, server := newWorldAt(t, t.TempDir()), newWorldAt(t, pgtest.Database(t))
	if !file.HasText() {
		t.Skip("built without full-text search: run go test -tags sqlite_fts5")
	}
	file.fillOdd()
	server.fillOdd()
	defer store.SetWalkLength(3)() // so that the server uses its index for most results
	filters := strings.Fields("type:decision -type:comment type:studio type:member by:agent -by:agent by:people " +
		"by:@bob -by:oscar is:open is:closed is:draft -is:draft is:mine studio:team -studio:lab studio:lab " +
		"in:title in:text in:comments before:1d after:2d sort:old sort:relevance")
	rapid.Check(t, func(r *rapid.T) {
		var query []string
		for range rapid.IntRange(0, 4).Draw(r, "words") {
			word := rapid.OneOf(rapid.SampledFrom(oddWords[:5]), rapid.SampledFrom(oddWords)).Draw(r, "word")
			if rapid.IntRange(0, 2).Draw(r, "phrase") == 0 {
				word = `"` + word + " " + rapid.SampledFrom(oddWords[:10]).Draw(r, "next") + `"`
			}
			if rapid.IntRange(0, 4).Draw(r, "not") == 0 {
				word = "-" + word
			}
			query = append(query, word)
		}
		query = append(query,
			rapid.SliceOfNDistinct(rapid.SampledFrom(filters), 0, 3, rapid.ID[string]).Draw(r, "filters")...)
		who := rapid.IntRange(0, 4).Draw(r, "who")
		text := strings.Join(query, " ")
		found := func(w *world) (list []string) {
			by := []store.Actor{w.alice, w.bob, w.scribe, w.oscar, w.nobody}[who]
			for after, more := "", true; more; more = after != "" {
				w.read(func(tx *store.Tx) error {
					p, err := tx.Search(by, text, after)
					if err != nil {
						return err
					}
					for _, f := range p.Results {
						list = append(list, fmt.Sprintf("%s %d %s %.40q", f.Kind, f.Seq, f.Title, f.Text))
					}
					list = append(list, fmt.Sprint(p.Query.Problems, p.Partial))
					after = p.Next
					return nil
				})
			}
			return list
		}
		if want, got := found(file), found(server); !slices.Equal(got, want) {
			r.Fatalf("%q\n\tin a file   %q\n\ton a server %q", text, want, got)
		}
	})
}

// TestIndexingUndoesNothing changes a document in one process while another process indexes it. A search must find the
// new text.
func TestIndexingUndoesNothing(t *testing.T) {
	w := newServerWorld(t)
	n := w.node()
	w.raw(`UPDATE documents SET indexed_at = NULL WHERE id = ?`, w.bob.MemberID())
	renamed := make(chan struct{})
	begun := false
	n.SetTrace(func(query string, _ []any) {
		if begun || !strings.HasPrefix(query, "INSERT INTO search") {
			return
		}
		begun = true
		go func() {
			defer close(renamed)
			if err := w.Write(t.Context(), func(tx *store.Tx) error {
				if _, err := tx.Serialize(w.bob, ""); err != nil {
					return err
				}
				return tx.RenameMember(w.bob.Member, "bob", "Robert", "")
			}); err != nil {
				t.Error(err)
			}
		}()
		for waits := false; !waits; {
			select {
			case <-renamed:
				return
			default:
				w.read(func(tx *store.Tx) error {
					return tx.Get(&waits, `SELECT EXISTS (SELECT 1 FROM pg_locks
						WHERE NOT granted AND database = (SELECT oid FROM pg_database
						WHERE datname = current_database()))`)
				})
			}
		}
	})
	n.write(func(tx *store.Tx) error {
		_, err := tx.IndexWaiting(store.IndexStep)
		return err
	})
	<-renamed
	if !begun {
		t.Error("nothing was indexed")
	}
	if got := w.search(w.alice, "robert type:member"); len(got) != 1 {
		t.Errorf("%q", got)
	}
}
