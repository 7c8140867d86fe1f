package store

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

// commented gives the stand-ups what a decision page shows: eight ballots and ten comments.
func (w *world) commented() {
	for i := range 8 {
		by := w.member(w.acme, fmt.Sprintf("voter-%d", i))
		w.write(func(tx *Tx) error { return tx.JoinStudio(by.Member, w.team) })
		if err := w.vote(by, w.standups, `["1"]`); err != nil {
			w.t.Fatal(err)
		}
	}
	for i := range 10 {
		w.write(func(tx *Tx) error {
			d, err := tx.FindDecision(w.bob, "team", w.standups.ID)
			if err != nil {
				return err
			}
			_, err = tx.AddComment(w.bob, &d.Item, fmt.Sprintf("Comment %d, of about the length of a sentence.", i))
			return err
		})
	}
}

// grow fills the world of w with rows that no code wrote, in a few large transactions.
func (w *world) grow() {
	org, alice := w.acme.ID, w.alice.MemberID()
	series := func(n int) string {
		return fmt.Sprintf(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)`, n)
	}
	for _, s := range []string{
		series(20000) + ` INSERT INTO users SELECT printf('u%09d', i), printf('%d@many.example', i), '-', 1 FROM n`,
		series(20000) + ` INSERT INTO members SELECT printf('m%09d', i), '` + org + `', printf('u%09d', i), printf('many-%05d', i), 'Somebody', i, 1 FROM n`,
		series(2000) + ` INSERT INTO studios (id, org_id, handle, name, visibility, tempo, people, created_by, created_at)
			SELECT printf('s%09d', i), '` + org + `', printf('many-%04d', i), 'Studio', CASE i % 20 WHEN 0 THEN 'public' WHEN 1 THEN 'organization' ELSE 'members' END, 'weekly', 10, '` + alice + `', i FROM n`,
		series(20000) + ` INSERT INTO studio_members SELECT printf('s%09d', 1 + i % 2000), printf('m%09d', i), '` + org + `', i FROM n`,
		series(20000) + ` INSERT INTO studio_members SELECT '` + w.team.ID + `', printf('m%09d', i), '` + org + `', i FROM n`,
		series(20000) + ` INSERT INTO items (id, org_id, studio_id, kind, member_id, title, created_at, opened_at, comments)
			SELECT printf('d%09d', i), '` + org + `', CASE i % 2 WHEN 0 THEN '` + w.team.ID + `' ELSE printf('s%09d', 1 + i % 2000) END, 'decision', printf('m%09d', i), 'Question?', i, i, 10 FROM n`,
		series(20000) + ` INSERT INTO decisions (id, org_id, method, results, reasons, options, ballots)
			SELECT printf('d%09d', i), '` + org + `', 'acceptance', 'shown', 'off', 2, 8 FROM n`,
		series(160000) + ` INSERT INTO ballots (decision_id, voter, org_id, member_id, marks, cast_at)
			SELECT printf('d%09d', 1 + i / 8 % 20000), printf('m%09d', 1 + i % 20000), '` + org + `', printf('m%09d', 1 + i % 20000), '[1]', i FROM n WHERE true ON CONFLICT DO NOTHING`,
		series(200000) + ` INSERT INTO comments (item_id, seq, org_id, member_id, text, at)
			SELECT printf('d%09d', 1 + i / 10 % 20000), i % 10, '` + org + `', printf('m%09d', 1 + i % 20000), 'A remark about as long as most of them are.', i FROM n WHERE true ON CONFLICT DO NOTHING`,
		series(560000) + ` INSERT INTO journal SELECT '` + org + `', 1000 + i, i, printf('m%09d', 1 + i % 20000), 'many', '', '', '', printf('s%09d', 1 + i % 2000), '', CASE i % 1000 WHEN 0 THEN 'rare' ELSE 'cast_vote' END,
			'decision', printf('d%09d', 1 + i % 20000), '/studios/many', 'Question?', '{"question":"Question?","ballots":7}', '{"question":"Question?","ballots":8}', x'00', x'00', '', '', x'00', x'00', x'00' FROM n`,
		`UPDATE organizations SET journal_seq = 561000, journal_hash = x'00' WHERE id = '` + org + `'`,
		`UPDATE studios SET people = people + 20000 WHERE handle = 'team'`,
	} {
		w.raw(s)
	}
}

// largeWorld is made for the benchmark that asks for it: Acme with 20,000 members, 2,000 studios and 20,000 decisions of 8
// ballots and 10 comments each, and a journal; more than a million rows.
func largeWorld(b *testing.B) *world {
	w := newWorld(b)
	w.commented()
	w.grow()
	var rows int
	w.read(func(tx *Tx) error {
		return tx.get(&rows, `SELECT (SELECT count(*) FROM users) + (SELECT count(*) FROM members) + (SELECT count(*) FROM studio_members) + (SELECT count(*) FROM decisions)
			+ (SELECT count(*) FROM ballots) + (SELECT count(*) FROM comments) + (SELECT count(*) FROM journal)`)
	})
	if rows < 1_000_000 {
		b.Fatalf("%d rows", rows)
	}
	w.reopen()
	return w
}

// BenchmarkMillion asks of a world of a million rows what pages ask.
func BenchmarkMillion(b *testing.B) {
	w := largeWorld(b)
	b.Run("Open", func(b *testing.B) {
		for b.Loop() {
			w.reopen()
		}
	})
	run := func(name string, fn func(tx *Tx) error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := w.Read(context.Background(), fn); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("DecisionPage", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			page(b, w.Store, w.alice, "team", w.standups.ID)
		}
	})
	run("StudioPage", func(tx *Tx) error {
		s, err := tx.FindStudio(w.alice, "team")
		if err == nil {
			_, err = tx.ShowStudio(w.alice, s)
		}
		return err
	})
	run("OrganizationPage", func(tx *Tx) error {
		o, err := tx.FindOrganization(w.alice, "acme")
		if err == nil {
			_, err = tx.ShowOrganization(w.alice, o)
		}
		return err
	})
	run("OpenPage", func(tx *Tx) error {
		p, err := tx.ShowOpen(w.alice, w.acme, "")
		if err == nil && len(p.List) < p.Limit {
			err = fmt.Errorf("%d are open", len(p.List))
		}
		return err
	})
	run("MemberPage", func(tx *Tx) error {
		m, err := tx.FindMember(w.alice, "acme", "many-00777")
		if err == nil {
			_, err = tx.ShowMember(w.alice, m)
		}
		return err
	})
	run("LastDecisions", func(tx *Tx) error {
		list, err := tx.Decisions(w.alice, w.team, Cursor{At: 30}, 20)
		if err == nil && len(list) == 0 {
			err = fmt.Errorf("nothing")
		}
		return err
	})
	run("Prefix", func(tx *Tx) error {
		_, err := tx.ItemsByPrefix(w.alice, w.team, "decision", w.standups.ID[:4])
		return err
	})
	for name, by := range map[string]Actor{"Alice": w.alice, "Nobody": w.nobody, "Oscar": w.oscar} {
		run("Studios"+name, func(tx *Tx) error { _, err := tx.Studios(by, "m", 50); return err })
	}
	for name, q := range map[string]JournalQuery{"": {}, "Rare": {Action: "rare"}, "Never": {Action: "never"}, "Agents": {Agents: true}, "People": {People: true},
		"Target": {Target: w.standups.ID}, "Studio": {Studio: "many-0001"}, "Last": {Before: 30}, "RareLast": {Action: "rare", Before: 20000}} {
		q.OrgID, q.Limit = w.acme.ID, 20
		run("Journal"+name, func(tx *Tx) error { _, err := tx.journal(w.alice, q); return err })
	}
	b.Run("Check", func(b *testing.B) {
		for b.Loop() {
			if err := w.Check(context.Background()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Backup", func(b *testing.B) {
		dir := b.TempDir()
		for b.Loop() {
			if err := w.Backup(context.Background(), filepath.Join(dir, fmt.Sprint(time.Now().UnixNano()))); err != nil {
				b.Fatal(err)
			}
		}
	})
}
