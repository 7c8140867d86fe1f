package store

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// share calls every method about preview links.
func (w *world) share() {
	w.write(func(tx *Tx) error {
		if _, err := tx.Instance("secret", func() []byte { return []byte("s") }); err != nil {
			return err
		}
		l, key, err := tx.CreatePreviewLink(w.bob, &w.standups.Item)
		if err != nil {
			return err
		}
		w.standups.MadeLinks = 1
		for _, by := range []Actor{w.bob, w.alice} { // only one of them is the studio's leader
			if err := tx.FindPreviewLinks(by, &w.standups.Item); err != nil {
				return err
			}
		}
		if _, err := tx.Unlocks(&w.standups.Item, key); err != nil {
			return err
		}
		if err := tx.RevokePreviewLink(w.bob, l); err != nil {
			return err
		}
		return tx.SetPreviews(w.team, PreviewTitle)
	})
}

// TestPreviewLink unlocks an item by a key until the link is revoked, and not while its author is out of the studio.
func TestPreviewLink(t *testing.T) {
	w := newWorld(t)
	unlocks := func(i *Item, key string) (ok bool) {
		w.read(func(tx *Tx) (err error) {
			ok, err = tx.Unlocks(i, key)
			return err
		})
		return ok
	}
	var l *PreviewLink
	var key string
	other := w.draft(w.alice, w.team, "Another?", "One", "Two")
	w.write(func(tx *Tx) (err error) {
		if _, err = tx.Instance("secret", func() []byte { return []byte("s") }); err == nil {
			l, key, err = tx.CreatePreviewLink(w.bob, &w.standups.Item)
		}
		return err
	})
	if !unlocks(&w.standups.Item, key) || unlocks(&other.Item, key) || unlocks(&w.standups.Item, key[:35]+"u") ||
		unlocks(&w.standups.Item, "") {
		t.Error("it opens another item, or not its own")
	}
	bob := w.bob.Member
	w.write(func(tx *Tx) error { return tx.leaveStudio(bob, w.team.ID) })
	if unlocks(&w.standups.Item, key) {
		t.Error("who made it has left")
	}
	w.write(func(tx *Tx) error { return tx.JoinStudio(bob, w.team) })
	if !unlocks(&w.standups.Item, key) {
		t.Error("who made it is back")
	}
	w.write(func(tx *Tx) error { return tx.RevokePreviewLink(w.alice, l) })
	if unlocks(&w.standups.Item, key) || l.State() != "revoked" || l.RevokedBy != "alice" {
		t.Errorf("revoked: %+v", l)
	}
	w.write(func(tx *Tx) error {
		if err := tx.RevokePreviewLink(w.alice, l); CodeOf(err) != NotFound {
			t.Errorf("revoked twice: %v", err)
		}
		return nil
	})
}

// TestPreviewKeys accepts only signed keys, for their item and their installation.
func TestPreviewKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret, item := []byte(rapid.String().Draw(t, "secret")), rapid.StringMatching(`[0-9a-z]{10}`).Draw(t, "item")
		nonce := randomText(nonceLength)
		key := nonce + signPreview(secret, item, nonce)
		if !SignedPreviewKey(secret, item, key) || strings.Trim(key, crockford) != "" {
			t.Fatalf("%q is not signed", key)
		}
		at := rapid.IntRange(0, len(key)-1).Draw(t, "at")
		for _, wrong := range []string{key[:at] + string(rune('A'+at%26)) + key[at+1:], key[:at], key + "0",
			rapid.String().Draw(t, "other")} {
			if SignedPreviewKey(secret, item, wrong) {
				t.Fatalf("%q passes", wrong)
			}
		}
		if SignedPreviewKey(secret, item+"0", key) || SignedPreviewKey(append(secret, 1), item, key) {
			t.Fatal("it passes for another item, or another installation")
		}
	})
}

func TestPreviewsOfStudios(t *testing.T) {
	archived := At(friday)
	for _, c := range []struct {
		visibility, set string
		archived        Time
		want            string
	}{
		{"public", "", Time{}, PreviewCard}, {"organization", "", Time{}, PreviewCard},
		{"members", "", Time{}, PreviewOff}, {"members", PreviewCard, Time{}, PreviewCard},
		{"members", PreviewTitle, Time{}, PreviewTitle}, {"public", PreviewOff, Time{}, PreviewOff},
		{"public", PreviewCard, archived, PreviewOff}, {"organization", "", archived, PreviewOff},
	} {
		s := &Studio{Visibility: c.visibility, PreviewSet: c.set, ArchivedAt: c.archived}
		open := Item{Studio: s, OpenedAt: At(friday)}
		draft, gone := Item{Studio: s}, open
		gone.RemovedAt = At(friday)
		if s.Previews() != c.want || open.Previews() != c.want || draft.Previews() != PreviewOff ||
			gone.Previews() != PreviewOff {
			t.Errorf("%+v: %s, %s, %s, %s", c, s.Previews(), open.Previews(), draft.Previews(), gone.Previews())
		}
	}
}
