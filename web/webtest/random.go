package webtest

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"samepage/store"
	"samepage/store/effort"
)

// Step is one attempt at an action in a random story. N is a number for actions that need one.
type Step struct{ Do, Who, N int }

// Story is one random story about a subject, together with a model of the subject.
type Story interface {
	// Begin creates the subject.
	Begin(tx *store.Tx) error
	// Take attempts a step and reports whether it succeeded. It returns an error if the model predicts another outcome.
	Take(tx *store.Tx, s Step) (ok bool, err error)
	// State returns the state of the model.
	State() string
}

// Stories tests a subject against a model with random stories.
type Stories struct {
	Steps  int   // minimum number of steps of a run at the lowest level of package effort
	Do     []int // the actions to draw from; an action that is listed more often is drawn more often
	Who    int   // number of actors
	Length int   // maximum number of steps of a story
	Least  int   // minimum number of steps of a story; 0 means 1. Few stories are much longer.
	States []string
	// Rare is the factor by which Steps may be exceeded to reach every one of States.
	Rare int
	Draw func(rt *rapid.T) Story
}

// limit reduces the number of stories that [rapid.Check] runs to the number that the steps need. It does so only if
// Least is set, which makes stories long, and if the flag rapid.checks was not given.
func (of Stories) limit(t *testing.T) {
	checks := flag.Lookup("rapid.checks")
	if before := checks.Value.String(); of.Least > 0 && before == checks.DefValue {
		checks.Value.Set(strconv.Itoa(of.Steps/of.Least + 1))
		t.Cleanup(func() { checks.Value.Set(before) })
	}
}

var errUndo = errors.New("this is over")

// Run runs random stories in the world until there are enough steps and every state was reached, or until the limit
// that Rare sets. It fails the test if a state was not reached. All changes are rolled back.
func (of Stories) Run(t *testing.T, w *World) {
	steps, refused, reached := 0, 0, map[string]bool{}
	of.Steps = effort.Steps(of.Steps)
	effort.LeftOut(t, "all but %d steps", of.Steps)
	of.limit(t)
	missing := func() []string {
		return slices.DeleteFunc(slices.Clone(of.States), func(s string) bool { return reached[s] })
	}
	for steps < of.Steps || steps < of.Rare*of.Steps && len(missing()) > 0 {
		rapid.Check(t, func(rt *rapid.T) {
			story := of.Draw(rt)
			list := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) Step {
				return Step{rapid.SampledFrom(of.Do).Draw(rt, "do"), rapid.IntRange(0, of.Who-1).Draw(rt, "who"),
					rapid.IntRange(0, 1000).Draw(rt, "n")}
			}), max(1, of.Least), of.Length).Draw(rt, "steps")
			err := w.Store.Write(t.Context(), func(tx *store.Tx) error {
				err := story.Begin(tx)
				for i := 0; err == nil && i < len(list); i++ {
					steps++
					var ok bool
					if ok, err = story.Take(tx, list[i]); !ok {
						refused++
					}
					reached[story.State()] = true
					if err != nil {
						err = fmt.Errorf("step %d, %+v: %w", i, list[i], err)
					}
				}
				if err == nil {
					err = errUndo
				}
				return err
			})
			if !errors.Is(err, errUndo) {
				rt.Fatal(err)
			}
		})
		if t.Failed() {
			return
		}
	}
	if list := missing(); len(list) > 0 {
		t.Errorf("no step reached %v", list)
	}
	t.Logf("%d steps, %d of them refused", steps, refused)
}
