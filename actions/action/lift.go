package action

import (
	"slices"

	"samepage/actions/param"
	"samepage/store"
)

// Lift makes an action on subjects of type S available on pages of type T. The function subject returns the subject of
// a page, or an error if the page does not permit the action.
func Lift[T, S Subject](a *Spec[S], subject func(T) (S, error)) *Spec[T] {
	lifted := &Spec[T]{
		Decl: a.Decl,
		guard: func(by store.Actor, t T) error {
			s, err := subject(t)
			if err != nil {
				return err
			}
			return a.guard(by, s)
		},
		run: func(
			tx *store.Tx, by store.Actor, t T, fields []param.Field, in param.Input, clock param.Clock, ready any,
		) (Done, error) {
			s, err := subject(t)
			if err != nil {
				return Done{}, err
			}
			return a.run(tx, by, s, fields, in, clock, ready)
		},
	}
	if a.offers != nil {
		lifted.offers = func(by store.Actor, t T) param.Offers {
			s, err := subject(t)
			if err != nil {
				return nil // the guard reports the error
			}
			return a.offers(by, s)
		}
	}
	if a.Prepare != nil {
		lifted.Prepare = func(st *store.Store, t T, in param.Input, clock param.Clock) (any, error) {
			s, err := subject(t)
			if err != nil {
				return nil, err
			}
			return a.Prepare(st, s, in, clock)
		}
	}
	if a.fill != nil {
		lifted.fill = func(tx *store.Tx, t T, in param.Input) (param.Offers, error) {
			s, err := subject(t)
			if err != nil {
				return nil, nil // the guard reports the error
			}
			return a.fill(tx, s, in)
		}
	}
	return lifted
}

// Then returns a copy of the action that calls more after Run, in the same transaction. The result of more replaces the
// result of Run.
func (a *Spec[S]) Then(more func(tx *store.Tx, by store.Actor, s S, done Done) (Done, error), effects ...Effect) *Spec[S] {
	then, run := *a, a.run
	then.Effects = append(slices.Clone(a.Effects), effects...)
	then.run = func(
		tx *store.Tx, by store.Actor, s S, fields []param.Field, in param.Input, clock param.Clock, ready any,
	) (Done, error) {
		done, err := run(tx, by, s, fields, in, clock, ready)
		if err != nil {
			return done, err
		}
		return more(tx, by, s, done)
	}
	return &then
}
