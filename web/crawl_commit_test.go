package web_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/store"
	"samepage/store/pgtest"
	"samepage/web/webtest"
)

// stage is a world in which actions are committed.
type stage struct {
	w     *webtest.World
	heads map[string]string // the heads of all journals
	taken []string
}

func newStage(t *testing.T) *stage {
	w := webtest.New(t)
	return &stage{w: w, heads: journals(t, w)}
}

// commitAll commits each offer in a fresh world. A database server needs a quarter of a second for a world. There, each
// offer is first tried in the world of the offer before, and in a fresh one if the earlier actions prevent it.
func (c *census) commitAll(t *testing.T) {
	all := t // the test at whose end a world is closed that several offers use
	var used *stage
	for _, key := range slices.Sorted(maps.Keys(c.offers)) {
		t.Run(key, func(t *testing.T) {
			if pgtest.Given() == "" {
				t.Parallel()
				s := newStage(t)
				if err := s.commit(t, c.offers[key]); err != nil {
					t.Error(err)
				}
				s.check(t)
				return
			}
			if used != nil {
				err := used.commit(t, c.offers[key])
				if err == nil {
					return
				}
				t.Logf("once more in a fresh world, because after %q: %v", used.taken, err)
				used.check(t)
			}
			used = newStage(all)
			if err := used.commit(t, c.offers[key]); err != nil {
				t.Error(err)
			}
		})
	}
	if used != nil {
		used.check(t)
	}
}

// commit takes the action. It returns an error if that fails for a reason that earlier actions in this world may have. The
// action leads to a page or shows a secret. Unless the action is silent, it changes a journal or says that nothing is
// changed. All journals remain valid.
func (s *stage) commit(t *testing.T, o offer) error {
	path := o.url
	if o.fixture != "" {
		path = s.w.URL(o.fixture)
	}
	c := s.w.As(o.actor)
	v := &visit{url: path, receipt: s.w.Receipt(path)}
	if err := json.Unmarshal([]byte(c.Get(path, "application/json").Body), &v.page); err != nil {
		return err
	}
	listed, ok := v.page.action(o.decl.Name)
	if !ok {
		return fmt.Errorf("%s is not listed to %s on %s", o.decl.Name, o.actor, path)
	}
	in := required(t, o.decl, listed, v)
	r := c.Post(path, o.decl.Name, in)
	switch {
	case r.Status >= http.StatusInternalServerError: // no earlier action may be the cause of that
		t.Errorf("%s by %s on %s with %v after %q is answered %d\n%s", o.decl.Name, o.actor, path, in, s.taken,
			r.Status, mainOf(r.Body))
	case r.Status == http.StatusSeeOther:
		if next := c.Get(r.Location(), "text/html"); next.Status != http.StatusOK {
			return fmt.Errorf("%s leads to %s, which answers %d", o.decl.Name, r.Location(), next.Status)
		}
	case r.Status == http.StatusOK && strings.Contains(r.Body, "shown only once"): // a secret cannot be shown after a redirect
	default:
		return fmt.Errorf("%s by %s on %s with %v is answered %d\n%s", o.decl.Name, o.actor, path, in, r.Status,
			mainOf(r.Body))
	}
	s.taken = append(s.taken, o.decl.Name)
	before := s.heads
	s.heads = journals(t, s.w)
	switch same := maps.Equal(before, s.heads); {
	case same && !o.decl.Silent:
		return s.repeats(c, path, o, in)
	case !same && o.decl.Silent:
		return fmt.Errorf("%s is silent; the journals were %v and are %v", o.decl.Name, before, s.heads)
	}
	return nil
}

// repeats returns an error unless the answer to the same call says that it changes nothing.
func (s *stage) repeats(c *webtest.Client, path string, o offer, in param.Input) error {
	if r := c.PostJSON(path, o.decl.Name, in); r.Status != http.StatusOK || !strings.Contains(r.Body, " already.") {
		return fmt.Errorf("%s has no entry in a journal, and does not say why: %d\n%s", o.decl.Name, r.Status, r.Body)
	}
	return nil
}

// check looks for faults in the database after all actions.
func (s *stage) check(t *testing.T) {
	if err := s.w.Store.Check(t.Context()); err != nil {
		t.Errorf("after %q: %v", s.taken, err)
	}
}

// journals verifies all journals and returns their heads, by organization.
func journals(t *testing.T, w *webtest.World) map[string]string {
	t.Helper()
	heads := map[string]string{}
	err := w.Store.Read(t.Context(), func(tx *store.Tx) error {
		list, err := tx.Organizations()
		for i := range list {
			head, err := tx.VerifyJournal(&list[i])
			if err != nil {
				return err
			}
			heads[list[i].Handle] = head.String()
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return heads
}
