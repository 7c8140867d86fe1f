package store_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"samepage/store"
)

// share is the part of [world.everything] about preview links.
func (w *world) share() {
	w.write(func(tx *store.Tx) error {
		if _, err := tx.Instance(store.PreviewSecret, func() []byte { return []byte("s") }); err != nil {
			return err
		}
		l, key, err := tx.CreatePreviewLink(w.bob, &w.standups.Item)
		if err != nil {
			return err
		}
		w.standups.MadeLinks = 1
		for _, by := range []store.Actor{w.bob, w.alice} { // only one of them is the studio's leader
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
		return tx.SetPreviews(w.team, store.PreviewTitle)
	})
}

// TestPreviewLink unlocks an item with the key of a link. The key must not work while the link's author is outside of
// the studio, or after the link was revoked.
func TestPreviewLink(t *testing.T) {
	w := newWorld(t)
	unlocks := func(i *store.Item, key string) (ok bool) {
		w.read(func(tx *store.Tx) (err error) {
			ok, err = tx.Unlocks(i, key)
			return err
		})
		return ok
	}
	var l *store.PreviewLink
	var key string
	other := w.draft(w.alice, w.team, "Another?", "One", "Two")
	w.write(func(tx *store.Tx) (err error) {
		if _, err = tx.Instance(store.PreviewSecret, func() []byte { return []byte("s") }); err == nil {
			l, key, err = tx.CreatePreviewLink(w.bob, &w.standups.Item)
		}
		return err
	})
	if !unlocks(&w.standups.Item, key) || unlocks(&other.Item, key) || unlocks(&w.standups.Item, key[:35]+"u") ||
		unlocks(&w.standups.Item, "") {
		t.Error("it opens another item, or not its own")
	}
	bob := w.bob.Member
	w.write(func(tx *store.Tx) error { return tx.LeaveOneStudio(bob, w.team.ID) })
	if unlocks(&w.standups.Item, key) {
		t.Error("who made it has left")
	}
	w.write(func(tx *store.Tx) error { return tx.JoinStudio(bob, w.team) })
	if !unlocks(&w.standups.Item, key) {
		t.Error("who made it is back")
	}
	w.write(func(tx *store.Tx) error { return tx.RevokePreviewLink(w.alice, l) })
	if unlocks(&w.standups.Item, key) || l.State() != "revoked" || l.RevokedBy != "alice" {
		t.Errorf("revoked: %+v", l)
	}
	w.write(func(tx *store.Tx) error {
		if err := tx.RevokePreviewLink(w.alice, l); store.CodeOf(err) != store.NotFound {
			t.Errorf("revoked twice: %v", err)
		}
		return nil
	})
}

// TestPreviewKeys expects a key to be accepted only if it is signed for the item and by the installation.
func TestPreviewKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret, item := []byte(rapid.String().Draw(t, store.PreviewSecret)), rapid.StringMatching(`[0-9a-z]{10}`).Draw(t, "item")
		nonce := store.RandomText(store.NonceLength)
		key := nonce + store.SignPreview(secret, item, nonce)
		if !store.SignedPreviewKey(secret, item, key) || strings.Trim(key, store.Crockford) != "" {
			t.Fatalf("%q is not signed", key)
		}
		at := rapid.IntRange(0, len(key)-1).Draw(t, "at")
		for _, wrong := range []string{key[:at] + string(rune('A'+at%26)) + key[at+1:], key[:at], key + "0",
			rapid.String().Draw(t, "other")} {
			if store.SignedPreviewKey(secret, item, wrong) {
				t.Fatalf("%q passes", wrong)
			}
		}
		if store.SignedPreviewKey(secret, item+"0", key) || store.SignedPreviewKey(append(secret, 1), item, key) {
			t.Fatal("it passes for another item, or another installation")
		}
	})
}

func TestPreviewsOfStudios(t *testing.T) {
	archived := store.At(friday)
	for _, c := range []struct {
		visibility, set string
		archived        store.Time
		want            string
	}{
		{"public", "", store.Time{}, store.PreviewCard}, {"organization", "", store.Time{}, store.PreviewCard},
		{"members", "", store.Time{}, store.PreviewOff}, {"members", store.PreviewCard, store.Time{}, store.PreviewCard},
		{"members", store.PreviewTitle, store.Time{}, store.PreviewTitle}, {"public", store.PreviewOff, store.Time{}, store.PreviewOff},
		{"public", store.PreviewCard, archived, store.PreviewOff}, {"organization", "", archived, store.PreviewOff},
	} {
		s := &store.Studio{Visibility: c.visibility, PreviewSet: c.set, ArchivedAt: c.archived}
		open := store.Item{Studio: s, OpenedAt: store.At(friday)}
		draft, gone := store.Item{Studio: s}, open
		gone.RemovedAt = store.At(friday)
		if s.Previews() != c.want || open.Previews() != c.want || draft.Previews() != store.PreviewOff ||
			gone.Previews() != store.PreviewOff {
			t.Errorf("%+v: %s, %s, %s, %s", c, s.Previews(), open.Previews(), draft.Previews(), gone.Previews())
		}
	}
}
