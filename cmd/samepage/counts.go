package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"samepage/actions"
	"samepage/store"
)

// checkCounts compares the ballots of an organization, or of all if the handle is empty, with their counts and the
// journal, and prints the decisions in which they differ. Then the error has the exit code of damage.
func checkCounts(ctx context.Context, out io.Writer, st *store.Store, handle string) error {
	wrong := 0
	if err := st.Read(ctx, func(tx *store.Tx) error {
		list, err := tx.Organizations()
		if err != nil {
			return err
		}
		for i := range list {
			if handle != "" && list[i].Handle != handle {
				continue
			}
			found, err := actions.CheckCounts(tx, &list[i])
			if err != nil {
				return err
			}
			for _, m := range found {
				fmt.Fprintln(out, "  "+m.String())
			}
			wrong += len(found)
		}
		return nil
	}); err != nil {
		return err
	}
	if wrong == 0 {
		fmt.Fprintln(out, "The ballots make the counts and the results that are kept and recorded.")
		return nil
	}
	return cli.Exit(fmt.Sprintf("decisions whose ballots differ from their count or from the journal: %d. Somebody changed them "+
		"past Samepage: compare them with an older backup or export, restored to another folder", wrong), exitDamage)
}

// damages joins the errors of checks into one with the exit code of damage, if any has it.
func damages(list ...error) error {
	err := errors.Join(list...)
	if coded, ok := errors.AsType[cli.ExitCoder](err); ok {
		return cli.Exit(err.Error(), coded.ExitCode())
	}
	return err
}
