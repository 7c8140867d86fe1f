package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/db"
)

// tamper changes rows with raw statements, compares the error of [store.Tx.VerifyJournal] with the parameter want, and
// undoes the changes. If want is empty, there must be no error.
func (w *world) tamper(name, want string, noted []store.Head, statements ...string) {
	w.t.Helper()
	undo := errors.New("undo")
	w.Write(context.Background(), func(tx *store.Tx) error {
		for _, s := range statements {
			if s = strings.TrimSpace(s); s == "" {
				continue
			}
			if err := tx.Exec(s); err != nil {
				w.t.Errorf("%s: %v", name, err)
				return undo
			}
		}
		_, err := tx.VerifyJournal(w.acme, noted...)
		damage, ok := errors.AsType[*store.Damage](err)
		switch {
		case want == "" && err != nil:
			w.t.Errorf("%s: %v", name, err)
		case want != "" && (!ok || !strings.Contains(damage.Error(), want)):
			w.t.Errorf("%s: %v, want %q", name, err, want)
		}
		return undo
	})
}

// newVotedWorld returns a world in which Scribe and Bob have voted on the decision w.standups, and the head of Acme's
// journal.
func newVotedWorld(t *testing.T) (*world, store.Head) {
	t.Helper()
	w := newWorld(t)
	if err := w.vote(w.scribe, w.standups, `["1"]`); err != nil {
		t.Fatal(err)
	}
	if err := w.vote(w.bob, w.standups, `["2"]`); err != nil {
		t.Fatal(err)
	}
	head, err := w.verify("acme")
	if err != nil || head.Seq != 7 {
		t.Fatalf("%s, %v", head, err)
	}
	return w, head
}

func TestVerifyFindsAChangedColumn(t *testing.T) {
	w, _ := newVotedWorld(t)
	// Entry 5 opens the decision: it has a before, an after and a studio.
	var journal db.TableSchema
	w.read(func(tx *store.Tx) error {
		tables, err := tx.Tables()
		for _, t := range tables {
			if t.Name == "journal" {
				journal = t
			}
		}
		return err
	})
	if len(journal.Columns) != 31 {
		t.Fatalf("%d columns: does the hash cover the new one?", len(journal.Columns))
	}
	for _, c := range journal.Columns {
		value := map[string]string{"text": c.Name + " || 'x'", "integer": c.Name + " + 100", "blob": "CAST(" +
			w.byteZero() + " || " + c.Name + " AS BLOB)"}[c.Kind]
		if c.Kind == "blob" && w.onServer() {
			value = w.byteZero() + " || " + c.Name
		}
		if c.Name == "org_id" {
			value = "'" + w.globex.ID + "'"
			w.tamper(c.Name, "damaged at entry 5", nil, "UPDATE journal SET org_id = "+value+
				", seq = 999 WHERE org_id = '"+w.acme.ID+"' AND seq = 5")
			continue
		}
		w.tamper(c.Name, "damaged at entry 5", nil,
			fmt.Sprintf("UPDATE journal SET %s = %s WHERE org_id = '%s' AND seq = 5", c.Name, value, w.acme.ID))
	}
}

func TestVerifyFindsWhatWasChanged(t *testing.T) {
	w, head := newVotedWorld(t)
	in := "org_id = '" + w.acme.ID + "'"
	w.tamper("nothing", "", []store.Head{head})
	w.tamper("erased", "", []store.Head{head},
		"UPDATE journal SET title = '', member = '', url = '', before = NULL, after = NULL WHERE "+in)
	w.tamper("a before where there was none", "entry 1", nil, "UPDATE journal SET before = '{}' WHERE seq = 1 AND "+in)
	w.tamper("agent's name in an entry", "entry 6: it was changed", nil,
		"UPDATE journal SET agent = 'Clerk' WHERE seq = 6 AND "+in)
	w.tamper("member's name in an entry", "entry 6: the member or the page", nil,
		"UPDATE journal SET member = 'bob' WHERE seq = 6 AND "+in)
	w.tamper("an agent's entry given to its member", "entry 6: it was changed", nil,
		"UPDATE journal SET agent_id = '', agent = '', token_id = '' WHERE seq = 6 AND "+in)
	w.tamper("swapped", "entry 4: it does not follow", nil, "UPDATE journal SET seq = 1000 WHERE seq = 4 AND "+in,
		"UPDATE journal SET seq = 4 WHERE seq = 5 AND "+in, "UPDATE journal SET seq = 5 WHERE seq = 1000 AND "+in)
	w.tamper("deleted from the middle", "entry 4: it is missing", nil, "DELETE FROM journal WHERE seq = 4 AND "+in)
	w.tamper("deleted and closed up", "entry 4: it does not follow", nil, "DELETE FROM journal WHERE seq = 4 AND "+in,
		"UPDATE journal SET seq = 4 WHERE seq = 5 AND "+in, "UPDATE journal SET seq = 5 WHERE seq = 6 AND "+in,
		"UPDATE journal SET seq = 6 WHERE seq = 7 AND "+in)
	w.tamper("all deleted", "should end with entry 7", nil, "DELETE FROM journal WHERE "+in)
	w.tamper("tail cut off", "should end with entry 7", nil, "DELETE FROM journal WHERE seq = 7 AND "+in)
	cut := []string{"DELETE FROM journal WHERE seq = 7 AND " + in,
		"UPDATE organizations SET journal_seq = 6, journal_hash = (SELECT hash FROM journal WHERE seq = 6 AND " + in +
			") WHERE id = '" + w.acme.ID + "'"}
	w.tamper("tail cut off and the head edited", "", nil, cut...) // only a noted head reveals the cut
	w.tamper("the same, with the head noted", "entry 7: it was cut off", []store.Head{head}, cut...)
	w.tamper("head edited alone", "should end with entry 8", nil,
		"UPDATE organizations SET journal_seq = 8 WHERE id = '"+w.acme.ID+"'")
	w.tamper("head's hash", "should end", nil, "UPDATE organizations SET journal_hash = "+w.byteZero()+
		" WHERE id = '"+w.acme.ID+"'")
	w.tamper("a member's name", "@bob was renamed", nil, "UPDATE members SET name = 'Mallory' WHERE handle = 'bob'")
	w.tamper("a member's handle", "@mallory was renamed", nil,
		"UPDATE members SET handle = 'mallory' WHERE handle = 'bob'")
	w.tamper("two handles swapped", "was renamed", nil, "UPDATE members SET handle = 'x' WHERE handle = 'bob'",
		"UPDATE members SET handle = 'bob' WHERE handle = 'alice'",
		"UPDATE members SET handle = 'alice' WHERE handle = 'x'")
	w.tamper("a member's name, its entries erased", "@bob was renamed", nil, "UPDATE journal SET after = NULL WHERE "+
		in, "UPDATE members SET name = 'Mallory' WHERE handle = 'bob'")
	w.tamper("a member nobody let in", "@eve is in no entry", nil,
		"INSERT INTO members (id, org_id, user_id, handle, name, joined_at) SELECT 'eve', '"+w.acme.ID+
			"', user_id, 'eve', 'Eve', 1 FROM members WHERE handle = 'oscar'")
	w.tamper("an agent's label", "the agent Scribe was renamed", nil,
		"UPDATE agents SET label = 'Clerk' WHERE label = 'Scribe'")
	if _, err := w.verify("acme", head); err != nil {
		t.Error("after all that was undone:", err)
	}
	if _, err := w.verify("globex", head); err != nil {
		t.Error("another organization's head:", err)
	}
}

func TestVerifyFindsARewrittenTail(t *testing.T) {
	w := newWorld(t)
	head, err := w.verify("acme")
	if err != nil {
		t.Fatal(err)
	}
	// The changed entry gets the right hash, so only a noted head reveals the change.
	w.write(func(tx *store.Tx) error {
		e, err := tx.FindEntry(w.alice, "acme", head.Seq)
		if err == nil {
			err = tx.Get(e, `SELECT `+store.EntryColumns+`, j.role_digest, j.member_digest, j.url_digest, j.why_digest FROM journal j
				JOIN organizations o ON o.id = j.org_id WHERE j.org_id = ? AND j.seq = ?`, e.OrgID, e.Seq)
		}
		if err != nil {
			return err
		}
		e.Why, e.WhyDigest = "because", store.DigestOf("because")
		if err := tx.Exec(`UPDATE journal SET why = ?, why_digest = ?, hash = ? WHERE org_id = ? AND seq = ?`,
			e.Why, e.WhyDigest, e.Sum(), e.OrgID, e.Seq); err != nil {
			return err
		}
		return tx.Exec(`UPDATE organizations SET journal_hash = ? WHERE id = ?`, e.Sum(), e.OrgID)
	})
	if _, err := w.verify("acme"); err != nil {
		t.Error(err)
	}
	if _, err := w.verify("acme", head); err == nil || !strings.Contains(err.Error(), "noted down") {
		t.Error(err)
	}
}

func TestHeads(t *testing.T) {
	w := newWorld(t)
	head, err := w.verify("acme")
	if err != nil {
		t.Fatal(err)
	}
	again, err := store.ParseHead(head.String())
	if err != nil || again.String() != head.String() {
		t.Errorf("%s, %v", again, err)
	}
	for _, s := range []string{"", "acme", "acme:1", "acme:x:00", "acme:1:zz", "acme:1:00", head.String() + ":", "x" +
		head.String()[4:] + "00"} {
		if _, err := store.ParseHead(s); store.CodeOf(err) != store.Invalid {
			t.Errorf("%q: %v", s, err)
		}
	}
}

func TestARenamedMemberVerifies(t *testing.T) {
	w := newWorld(t)
	w.write(func(tx *store.Tx) error {
		before := w.bob.Member.Record()
		if err := tx.RenameMember(w.bob.Member, "bob", "Robert", ""); err != nil {
			return err
		}
		m, err := tx.Member(w.bob.MemberID())
		if err != nil {
			return err
		}
		_, err = tx.Journal(w.bob, store.Change{Action: "rename", Target: m.Ref(), Before: before, After: m.Record()})
		return err
	})
	if _, err := w.verify("acme"); err != nil {
		t.Error(err)
	}
}
