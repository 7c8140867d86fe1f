package work_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/work"
	"samepage/web/webtest"
)

// step is one attempt at an action in a model.
type step = webtest.Step

// These are the actors of the models. Bob is the member of the sessions. Alice is the keeper of the studio and owns the
// organization. Erin is a member of the studio, and Carol and Oscar do not see it. Scout and Reader are agents of Bob,
// and Scribe is an agent of Alice. Mill is the runner of the worktree, and Barn is another runner. The actor clock is
// the scheduler, inTurn is the agent in a turn, and judge is the agent that reviews. The agents inTurn and judge act
// for Bob.
const (
	author, keeper, member, outsider, stranger = "bob", "alice", "erin", "carol", "oscar"
	helper, reader, scribe                     = "scout", "reader", "scribe"
	runner, other                              = "mill", "barn"
	clock, inTurn, judge                       = "clock", "turn", "judge"
)

// often lists the actors. An actor that is listed more often is drawn more often.
var often = []string{author, author, author, keeper, member, helper, inTurn, inTurn, scribe, outsider, stranger, reader, runner,
	other, clock}

// memberOf returns the member for whom an actor acts. It returns the actor itself if that is not an agent.
func memberOf(who string) string {
	switch who {
	case helper, reader, inTurn, judge:
		return author
	case scribe:
		return keeper
	}
	return who
}

func isAgent(who string) bool {
	return slices.Contains([]string{helper, reader, scribe, inTurn, judge}, who)
}

// writes reports whether an actor may change something in the studio.
func writes(who string) bool {
	return who != reader && slices.Contains([]string{author, keeper, member}, memberOf(who))
}

// chairs reports whether an actor may write in the studio, and acts for the keeper or for the given member.
func chairs(who, of string) bool {
	return writes(who) && (memberOf(who) == of || memberOf(who) == keeper)
}

// likely replaces two thirds of the drawn steps by steps that the model permits, because random steps are almost always
// refused. It first looks for an actor who may take the same action, and then for an actor who may take another of
// the given actions. If there is no such actor either, likely returns the drawn step.
func likely(s step, do []int, names []string, may func(do int, who string) bool) step {
	if s.N%3 == 0 {
		return s
	}
	for i := range len(do) + 1 {
		next := s.Do
		if i > 0 {
			next = do[(s.Who+s.N+i)%len(do)]
		}
		for j := range names {
			if k := (s.Who + j) % len(names); may(next, names[k]) {
				return step{Do: next, Who: k, N: s.N}
			}
		}
	}
	return s
}

// cast maps names to actors, except for the agents inTurn and judge, whose tokens exist only during a turn.
type cast map[string]store.Actor

func castOf(t *testing.T, w *webtest.World) cast {
	t.Helper()
	by := cast{clock: store.System()}
	for _, name := range []string{author, keeper, member, outsider, stranger} {
		org := "acme"
		if name == stranger {
			org = "globex"
		}
		a, err := w.Site.Person(t.Context(), org, name)
		if err != nil {
			t.Fatal(err)
		}
		by[name] = a
	}
	secrets := map[string]string{runner: w.Secret("runner mill"), other: w.Secret("runner barn")}
	for _, name := range []string{helper, reader, scribe} {
		secrets[name] = w.Token(name)
	}
	if err := w.Store.Read(t.Context(), func(tx *store.Tx) (err error) {
		for name, secret := range secrets {
			if by[name], err = tx.ActorByToken(secret); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return by
}

// take takes an action in a nested transaction, so that a refused action changes nothing.
func take[S action.Subject](tx *store.Tx, by store.Actor, spec *action.Spec[S], subject S,
	in param.Input) (done action.Done, err error) {
	err = tx.Nested(func() (err error) {
		done, err = spec.Do(tx, by.In(subject.Ref().OrgID), subject, in, param.Clock{Now: tx.Now, Zone: time.UTC}, nil)
		return err
	})
	return done, err
}

// refused reports whether an error is a refusal that an actor can get, and not a fault of the program.
func refused(err error) bool {
	_, bad := errors.AsType[param.Errors](err)
	return bad || slices.Contains([]store.Code{store.Conflict, store.Forbidden, store.NotFound, store.Invalid,
		store.Unauthenticated}, store.CodeOf(err))
}

// agrees returns an error if err is a fault, or if the attempt succeeds or fails against the expectation of the
// model. If the argument named should is true, the model expects success.
func agrees(should bool, err error) error {
	if err != nil && !refused(err) {
		return fmt.Errorf("a fault: %w", err)
	}
	if should != (err == nil) {
		return fmt.Errorf("should succeed: %v, got: %v", should, err)
	}
	return nil
}

// differences lists the differences between the database and the model.
type differences []string

func (d *differences) check(what string, have, want any) {
	if have != want {
		*d = append(*d, fmt.Sprintf("%s is %v, not %v", what, have, want))
	}
}

func (d differences) err() error {
	if len(d) == 0 {
		return nil
	}
	return errors.New(strings.Join(d, "; "))
}

// runnerPage finds the page of a runner, as the given actor sees it: the page of Barn if who is Barn, and otherwise
// that of Mill.
func runnerPage(tx *store.Tx, w *webtest.World, by store.Actor, who string) (*work.Runner, error) {
	if who != other {
		who = runner
	}
	url := w.URL("runner " + who)
	return work.FindRunner(tx, by, "acme", url[strings.LastIndexByte(url, '/')+1:])
}

// asRunner takes an action on the page that runnerPage returns.
func asRunner(tx *store.Tx, w *webtest.World, by store.Actor, who string, spec *action.Spec[*work.Runner],
	in param.Input) (action.Done, error) {
	r, err := runnerPage(tx, w, by, who)
	if err != nil {
		return action.Done{}, err
	}
	return take(tx, by, spec, r, in)
}
