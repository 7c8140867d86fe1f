package views

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"samepage/store"
)

// TestAnswers checks which comments are answers to what Dave said: those that begin with his handle, and his own that
// begin with the handle of somebody who answered him. Earlier and removed comments are none.
func TestAnswers(t *testing.T) {
	at := store.Time{Time: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	texts := []struct{ member, text string }{
		{"erin", "@dave Too early."}, {"carol", "@dave Would it be enough?"}, {"dave", "@carol Then yes."},
		{"dave", "@frank You never asked."}, {"bob", "What about @dave?"}, {"carol", "@davena Are you there?"},
		{"bob", "@Dave, me too."}, {"erin", "@dave Removed."}, {"dave", "@bob Good."}, {"carol", "@bob Good."}}
	list := make([]store.Comment, len(texts))
	for i, x := range texts {
		list[i] = store.Comment{Seq: i + 1, Member: x.member, Text: x.text, At: store.Time{Time: at.Add(time.Duration(i-1) * time.Hour)}}
	}
	list[7].RemovedAt = at
	answers, rest := Answers(&store.Studio{}, list, "dave", at)
	var left []string
	for i := range rest {
		left = append(left, strconv.Itoa(rest[i].Seq))
	}
	if len(answers) != 4 || strings.Join(left, " ") != "1 4 5 6 8 10" {
		t.Errorf("%d answers, and comments %s are left", len(answers), left)
	}
}

// TestPlacedComments checks what the section of the comments says if all or some of them are shown elsewhere.
func TestPlacedComments(t *testing.T) {
	item := &store.Item{Studio: &store.Studio{Handle: "team"}, Comments: 12}
	item.Kind = "note"
	one := []store.Comment{{Seq: 11, Member: "bob", Text: "Here."}}
	for _, c := range []struct {
		total, placed int
		newest        []store.Comment
		blocks        int
	}{{12, 1, one, 2}, {2, 1, one, 1}, {2, 2, nil, 1}, {12, 2, nil, 1}} {
		item.Comments = c.total
		if s := comments(store.Actor{}, item, store.Discussion{Newest: c.newest, Placed: c.placed}); len(s.Blocks) != c.blocks {
			t.Errorf("%d comments of which %d are placed: %d blocks", c.total, c.placed, len(s.Blocks))
		}
	}
}
