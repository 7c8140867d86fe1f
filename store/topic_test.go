package store

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
)

// TestVersionsAreRaisedInOnePlace looks for other SQL that raises a version, which would not notify waiting requests.
func TestVersionsAreRaisedInOnePlace(t *testing.T) {
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
	if err != nil || found != 6 {
		t.Errorf("topic.go raises %d counters, %v: is the pattern right?", found, err)
	}
}

// TestTopics lists the topics that each change announces, besides those of the journal.
func TestTopics(t *testing.T) {
	w := newWorld(t)
	var told [][]Topic
	defer w.Watch(func(topics []Topic) { told = append(told, topics) })()
	item, studio := itemVersion.of(w.standups.ID), studioVersion.of(w.team.ID)
	alice, bob := w.alice.Member.ID, w.bob.Member.ID
	undone := errors.New("undone")
	other := w.studio("other", "organization", w.alice)
	for _, c := range []struct {
		name string
		do   func(tx *Tx) error
		want []Topic
	}{
		{"a comment", func(tx *Tx) error { _, err := tx.AddComment(w.bob, &w.standups.Item, "Hm."); return err },
			[]Topic{item}},
		{"the same twice",
			func(tx *Tx) error { return errors.Join(tx.TouchItem(&w.standups.Item), tx.TouchItem(&w.standups.Item)) },
			[]Topic{item}},
		{"another title",
			func(tx *Tx) error { return tx.UpdateItem(&w.standups.Item, "What?", "", w.standups.DueAt.Time) },
			[]Topic{item, studio}},
		{"other words", func(tx *Tx) error {
			return tx.UpdateItem(&w.standups.Item, w.standups.Title, "So.", w.standups.DueAt.Time)
		},
			[]Topic{item}},
		{"a name", func(tx *Tx) error { return tx.RenameMember(w.bob.Member, "bob", "Robert") },
			[]Topic{memberVersion.of(bob)}},
		{"a place in a studio", func(tx *Tx) error { return tx.JoinStudio(w.bob.Member, other) },
			[]Topic{memberRights.of(bob), studioVersion.of(other.ID)}},
		{"who may see a studio", func(tx *Tx) error { return tx.SetVisibility(other, "members") },
			[]Topic{studioReaders.of(other.ID), studioVersion.of(other.ID)}},
		{"the owner", func(tx *Tx) error { return tx.TransferOwnership(w.acme, w.bob.Member) },
			[]Topic{memberVersion.of(alice), memberVersion.of(bob), organizationVersion.of(w.acme.ID)}},
		{"a mention", func(tx *Tx) error {
			e := Event{Seq: 1, Did: "wrote", Target: w.standups.Ref(), Item: w.standups.ID}
			return tx.Notify(w.alice, e, Notice{Reason: ReasonReply, Text: "@bob, look."})
		}, []Topic{ownVersion.of(bob)}},
		{"a token", func(tx *Tx) error { _, err := tx.RevokeToken(w.alice, w.scribe.Token); return err },
			[]Topic{tokenRights.of(w.scribe.Token)}},
		{"nothing", func(tx *Tx) error { return nil }, nil},
		{"something undone", func(tx *Tx) error {
			tx.Nested(func() error { return errors.Join(tx.touchStudio(w.team.ID), undone) })
			return tx.TouchItem(&w.standups.Item)
		}, []Topic{item}},
		{"all undone", func(tx *Tx) error { return errors.Join(tx.TouchItem(&w.standups.Item), undone) }, nil},
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

// TestMessages packs topics into messages for other processes and reads them back: all of them, in messages
// that PostgreSQL accepts.
func TestMessages(t *testing.T) {
	for _, n := range []int{1, 2, 400, 5000} {
		var topics, heard []Topic
		for i := range n {
			topics = append(topics, itemVersion.of(fmt.Sprintf("%010d", i)))
		}
		var there watchers
		there.list = map[int]func([]Topic){1: func(topics []Topic) { heard = append(heard, topics...) }}
		for _, message := range messages(topics) {
			if len(message) > maxMessage {
				t.Errorf("%d topics: a message of %d bytes", n, len(message))
			}
			there.received(message)
		}
		if !slices.Equal(heard, topics) {
			t.Errorf("%d topics were sent, %d received", n, len(heard))
		}
	}
}
