package store_test

import (
	"testing"

	"samepage/store"
	"samepage/store/governance"
)

// everyTalk is the part of [world.everything] about messages, in channels and between two members.
func (w *world) everyTalk(must func(...error) error) {
	w.write(func(tx *store.Tx) error {
		m, err := governance.PostMessage(tx, w.alice, w.team, "Look at "+w.standups.URL()+".", "", "")
		if err := must(err); err != nil {
			return err
		}
		_, err1 := tx.AddComment(w.scribe, &m.Item, "I did.")
		err = must(err1, governance.AddReaction(tx, w.bob, m, "👍"), governance.RemoveReaction(tx, w.bob, m, "👍"),
			governance.EditMessage(tx, w.alice, m, "Look at it."), tx.TouchTalk(w.team.ID))
		if err != nil {
			return err
		}
		for _, by := range []store.Actor{w.alice, w.scribe, w.nobody} {
			c, err := governance.FindChannel(tx, by, w.team.Handle)
			if store.CodeOf(err) == store.NotFound {
				continue
			}
			if err := must(err); err != nil {
				return err
			}
			_, err = governance.ShowChannel(tx, by, c, "")
			found, err2 := governance.FindMessage(tx, by, w.team.Handle, m.ID)
			if err := must(err, err2); err != nil {
				return err
			}
			_, err = governance.ShowMessage(tx, by, found)
			if err := must(err); err != nil {
				return err
			}
		}
		c, err := governance.FindChannel(tx, w.bob, w.team.Handle)
		return must(err, governance.HearChannel(tx, w.bob, c), tx.RefreshOwn(w.bob.Member),
			tx.RemoveItem(w.alice, &m.Item, "Deleted message"))
	})
	w.write(func(tx *store.Tx) error {
		d, err := tx.FindDirectTalk(w.alice, "acme", "bob")
		if err := must(err, tx.SendDirectMessage(d, "Psst.")); err != nil {
			return err
		}
		d, err = tx.FindDirectTalk(w.alice, "acme", "bob")
		err = must(err, tx.EditDirectMessage(d, 1, "Hush."))
		_, err1 := tx.ShowDirectTalk(w.alice, d, 0)
		_, err2 := tx.FindDirectTalks(w.bob, "acme")
		bob := w.bob
		bob.Members = []store.Member{*bob.Member}
		bob.Members[0].DirectUnread = 1
		_, err3 := tx.FindInbox(bob, "", "")
		mine, err4 := tx.FindDirectTalk(w.bob, "acme", "alice")
		return must(err, err1, err2, err3, err4, tx.HearDirect(mine), tx.DeleteDirectMessage(d, 1))
	})
}

func TestTalkTitles(t *testing.T) {
	for text, want := range map[string]string{
		"Hello.": "Hello.", "# A *big* day\n\nIt was.": "A big day", "\n\n> quoted\nmine": "quoted", "- [x] done": "done",
		"See [the minutes](/studios/team/n/abc).": "See the minutes.", "👍": "👍", "***": "Message", "": "Message",
		"One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen": "One two three four " +
			"five six seven eight nine ten eleven twelve thirteen…",
	} {
		if have := governance.MessageTitle(text, "Message"); have != want {
			t.Errorf("%q is called %q, not %q", text, have, want)
		}
	}
}

// TestUnheard checks the number of new messages that a studio shows a member. Messages that the member posted, has
// read, or has missed before joining do not count, but those of the member's agents do.
func TestUnheard(t *testing.T) {
	w := newWorld(t)
	post := func(by store.Actor) {
		t.Helper()
		w.write(func(tx *store.Tx) error {
			_, err := governance.PostMessage(tx, by, w.team, "Hello.", "", "")
			return err
		})
	}
	fresh := func(by store.Actor, want int) {
		t.Helper()
		w.read(func(tx *store.Tx) error {
			s, err := tx.FindStudio(by, w.team.Handle)
			if err == nil && s.Unheard() != want {
				t.Errorf("%s has %d new messages, not %d", by.Name(), s.Unheard(), want)
			}
			return err
		})
	}
	post(w.alice)
	fresh(w.alice, 0)
	fresh(w.bob, 1)
	post(w.scribe) // Scribe acts for Alice, who has not read the message
	fresh(w.alice, 1)
	fresh(w.scribe, 1)
	fresh(w.bob, 2)
	post(w.bob)
	fresh(w.bob, 0)
	fresh(w.alice, 2)
	w.write(func(tx *store.Tx) error {
		c, err := governance.FindChannel(tx, w.alice, w.team.Handle)
		if err != nil {
			return err
		}
		return governance.HearChannel(tx, w.alice, c)
	})
	fresh(w.alice, 0)
	carol := w.member(w.acme, "carol")
	w.write(func(tx *store.Tx) error { return tx.JoinStudio(carol.Member, w.team) })
	fresh(carol, 0)
	post(w.alice)
	fresh(carol, 1)
}
