package store_test

import (
	"testing"
	"time"

	"samepage/store"
	"samepage/store/governance"
)

// open returns an open item in a studio that the actor has joined. The parameter due is the time until the item's
// deadline.
func open(due time.Duration) *store.Item {
	return &store.Item{Kind: "decision", OpenedAt: store.At(friday.Add(-time.Hour)), DueAt: store.At(friday.Add(due)), Now: friday,
		Studio: &store.Studio{Name: "Team", Handle: "team", Visibility: "organization",
			JoinedAt: store.At(friday.Add(-time.Hour))}}
}

// refuses reports whether a guard refuses because of the state of its subject.
func refuses(err error) bool { return store.CodeOf(err) == store.Conflict && err != nil }

// TestGuardsAtTheirLimits asks guards about subjects that have just reached a limit, and about those just below it.
func TestGuardsAtTheirLimits(t *testing.T) {
	for files, want := range map[int]bool{store.MaxFiles - 1: false, store.MaxFiles: true, store.MaxFiles + 1: true} {
		i := open(time.Hour)
		if i.Files = files; refuses(i.MustTakeFiles()) != want {
			t.Errorf("with %d files an upload is refused: %t", files, !want)
		}
	}
	for _, c := range []struct {
		links, revoked, lapsed int
		want                   bool
	}{{0, 30, 30, false}, {19, 1, 1, false}, {20, 0, 0, true}, {20, 9, 9, true}, {1, 19, 0, false}, {1, 0, 20, false}} {
		i := open(time.Hour)
		i.PreviewLinks = make([]store.PreviewLink, c.links+c.revoked+c.lapsed)
		for k := range i.PreviewLinks {
			i.PreviewLinks[k].Gone = k >= c.links+c.revoked
			if k >= c.links && k < c.links+c.revoked {
				i.PreviewLinks[k].RevokedAt = store.At(friday)
			}
		}
		if refuses(i.MustBeLinkable()) != c.want {
			t.Errorf("with %+v another link is refused: %t", c, !c.want)
		}
	}
	for due, want := range map[time.Duration]bool{
		-time.Minute: true, 0: true, time.Minute: false, store.DueSoon: false, store.DueSoon + time.Minute: true,
	} {
		if refuses(open(due).MustBeSoon()) != want {
			t.Errorf("%s before its deadline a reminder is refused: %t", due, !want)
		}
	}
	told := open(time.Hour)
	told.Reminded = store.At(friday)
	draft := open(time.Hour)
	draft.OpenedAt = store.Time{}
	closed := open(time.Hour)
	closed.ClosedAt = store.At(friday)
	endless := open(time.Hour)
	endless.DueAt = store.Time{}
	for name, i := range map[string]*store.Item{"told": told, "draft": draft, "closed": closed, "endless": endless} {
		if !refuses(i.MustBeSoon()) {
			t.Errorf("a reminder is sent of an item that is %s", name)
		}
	}
}

// TestNounsAtTheirLimits asks the guards of items with the greatest permitted number of parts, and with one part more
// or fewer.
func TestNounsAtTheirLimits(t *testing.T) {
	by := store.Actor{Member: &store.Member{ID: "m"}}
	for _, c := range []struct {
		name  string
		most  int
		guard func(n int) error
	}{
		{"questions", governance.MaxQuestions, func(n int) error {
			return (&governance.Topic{Item: *open(time.Hour), Phase: governance.TopicClarification,
				Questions: n}).MustTakeQuestions()
		}},
		{"rows", governance.MaxRows, func(n int) error {
			return (&governance.Note{Item: *open(time.Hour), Type: governance.Table, Rows: n}).MustTakeRows()
		}},
		{"options", governance.MaxOptions, func(n int) error {
			return (&governance.Decision{Item: *open(time.Hour), Method: "acceptance", Options: n}).MustTakeOptions(by)
		}},
	} {
		for n, want := range map[int]bool{c.most - 1: false, c.most: true, c.most + 1: true} {
			if err := c.guard(n); refuses(err) != want {
				t.Errorf("with %d of at most %d %s another is refused: %t (%v)", n, c.most, c.name, !want, err)
			}
		}
	}
}

// TestWhoMayLoseMembers checks that the organization's owner may remove members from a studio, and that a plain member
// may not. An owner who is the only member may not remove anybody.
func TestWhoMayLoseMembers(t *testing.T) {
	studio := func(people int, joined bool) *store.Studio {
		s := &store.Studio{Name: "Team", Handle: "team", Visibility: "organization", People: people}
		if joined {
			s.JoinedAt = store.At(friday)
		}
		return s
	}
	owner := store.Actor{Member: &store.Member{ID: "a", Owner: true}}
	member := store.Actor{Member: &store.Member{ID: "b"}}
	for _, c := range []struct {
		name   string
		by     store.Actor
		studio *store.Studio
		want   store.Code
	}{
		{"the owner, alone", owner, studio(1, true), store.Forbidden},
		{"the owner, with another", owner, studio(2, true), ""},
		{"the owner, outside of one", owner, studio(1, false), ""},
		{"a member", member, studio(2, true), store.Forbidden},
	} {
		err := c.studio.MustLoseMembersTo(c.by)
		if err == nil && c.want != "" || err != nil && store.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
