package store_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/effort"
)

// TestVersionsAreRaisedInOnePlace looks for SQL outside of topic.go that raises a version. Such SQL would not notify
// waiting requests.
func TestVersionsAreRaisedInOnePlace(t *testing.T) {
	effort.Slow(t)
	raising := regexp.MustCompile(`(?i)version\s*=\s*[a-z_.]*version\s*\+`)
	found := 0
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".sql") ||
			strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if n := len(raising.FindAll(text, -1)); path == "topic.go" {
			found = n
		} else if n > 0 {
			t.Errorf("%s raises a version itself: use Tx.raise", path)
		}
		return err
	})
	if err != nil || found != 9 {
		t.Errorf("topic.go raises %d counters, %v: is the pattern right?", found, err)
	}
}

// TestTopics makes changes and compares the topics that they announce with the expected ones. It journals nothing, so
// the topics of journal entries are missing. Undone changes must announce nothing.
func TestTopics(t *testing.T) {
	w := newWorld(t)
	var told [][]store.Topic
	defer w.Watch(func(topics []store.Topic) { told = append(told, topics) })()
	item, studio := store.ItemVersion.Of(w.standups.ID), store.StudioVersion.Of(w.team.ID)
	alice, bob := w.alice.Member.ID, w.bob.Member.ID
	undone := errors.New("undone")
	other := w.studio("other", "organization", w.alice)
	for _, c := range []struct {
		name string
		do   func(tx *store.Tx) error
		want []store.Topic
	}{
		{"a comment", func(tx *store.Tx) error { _, err := tx.AddComment(w.bob, &w.standups.Item, "Hm."); return err },
			[]store.Topic{item}},
		{"the same twice",
			func(tx *store.Tx) error {
				return errors.Join(tx.TouchItem(&w.standups.Item), tx.TouchItem(&w.standups.Item))
			},
			[]store.Topic{item}},
		{"another title",
			func(tx *store.Tx) error { return tx.UpdateItem(&w.standups.Item, "What?", "", w.standups.DueAt.Time) },
			[]store.Topic{item, studio}},
		{"other words", func(tx *store.Tx) error {
			return tx.UpdateItem(&w.standups.Item, w.standups.Title, "So.", w.standups.DueAt.Time)
		},
			[]store.Topic{item}},
		{"a name", func(tx *store.Tx) error { return tx.RenameMember(w.bob.Member, "bob", "Robert", "") },
			[]store.Topic{store.MemberVersion.Of(bob)}},
		{"a place in a studio", func(tx *store.Tx) error { return tx.JoinStudio(w.bob.Member, other) },
			[]store.Topic{store.MemberRights.Of(bob), store.StudioVersion.Of(other.ID)}},
		{"who may see a studio", func(tx *store.Tx) error { return tx.SetVisibility(other, "members") },
			[]store.Topic{store.StudioReaders.Of(other.ID), store.StudioVersion.Of(other.ID)}},
		{"the owner", func(tx *store.Tx) error { return tx.TransferOwnership(w.acme, w.bob.Member) },
			[]store.Topic{store.MemberVersion.Of(alice), store.MemberVersion.Of(bob), store.OrganizationVersion.Of(w.acme.ID)}},
		{"a mention", func(tx *store.Tx) error {
			e := store.Event{Seq: 1, Did: "wrote", Target: w.standups.Ref(), Item: w.standups.ID}
			_, err := tx.Notify(w.alice, e, store.Notice{Reason: store.ReasonReply, Text: "@bob, look."})
			return err
		}, []store.Topic{store.OwnVersion.Of(bob)}},
		{"a token", func(tx *store.Tx) error { _, err := tx.RevokeToken(w.alice, w.scribe.Token); return err },
			[]store.Topic{store.TokenRights.Of(w.scribe.Token)}},
		{"nothing", func(tx *store.Tx) error { return nil }, nil},
		{"something undone", func(tx *store.Tx) error {
			tx.Nested(func() error { return errors.Join(tx.TouchStudio(w.team.ID), undone) })
			return tx.TouchItem(&w.standups.Item)
		}, []store.Topic{item}},
		{"all undone", func(tx *store.Tx) error { return errors.Join(tx.TouchItem(&w.standups.Item), undone) }, nil},
	} {
		told = nil
		if err := w.Write(t.Context(), c.do); err != nil && !errors.Is(err, undone) {
			t.Errorf("%s: %v", c.name, err)
		}
		slices.Sort(c.want)
		if len(c.want) == 0 && len(told) > 0 || len(c.want) > 0 && (len(told) != 1 || !slices.Equal(told[0], c.want)) {
			t.Errorf("%s: announced %q, want %q at once", c.name, told, c.want)
		}
	}
}

// TestAccessTopics checks that a person hears of the rights in each organization.
func TestAccessTopics(t *testing.T) {
	alice := store.Actor{UserID: "u", Members: []store.Member{{ID: "1", OrgID: "acme"}, {ID: "2", OrgID: "globex"}}}
	want := []store.Topic{store.MemberRights.Of("1"), store.MemberRights.Of("2")}
	for _, org := range []string{"acme", "globex", "another"} {
		if got := alice.In(org).AccessTopics(); !slices.Equal(got, want) {
			t.Errorf("in %s: %q, want %q", org, got, want)
		}
	}
}

// TestMessages packs topics into messages for other processes and reads them back. No topic may be lost, and PostgreSQL
// must accept the size of each message.
func TestMessages(t *testing.T) {
	for _, n := range []int{1, 2, 400, 5000} {
		var topics, heard []store.Topic
		for i := range n {
			topics = append(topics, store.ItemVersion.Of(fmt.Sprintf("%010d", i)))
		}
		var there store.Watchers
		there.SetList(map[int]func([]store.Topic){1: func(topics []store.Topic) { heard = append(heard, topics...) }})
		for _, message := range store.Messages(topics) {
			if len(message) > store.MaxMessage {
				t.Errorf("%d topics: a message of %d bytes", n, len(message))
			}
			there.Received(message)
		}
		if !slices.Equal(heard, topics) {
			t.Errorf("%d topics were sent, %d received", n, len(heard))
		}
	}
}
