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

// checkCounts recounts the ballots and compares the pages with the journal. An empty handle stands for all
// organizations. If a page has a wrong stored count, result or text, the error has the exit code exitDamage.
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
			items, err := tx.VerifyItems(&list[i])
			if err != nil {
				return err
			}
			found = append(found, items...)
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
		fmt.Fprintln(out, "The ballots make the counts and the results that are kept and recorded, and the texts of pages are those "+
			"in the journal.")
		return nil
	}
	return cli.Exit(fmt.Sprintf("pages that differ from their count or from the journal: %d. Somebody changed them past Samepage, "+
		"or the disk did: compare them with an older backup or export, restored to another folder", wrong), exitDamage)
}

// damages joins errors, with the exit code of the first error that has one.
func damages(list ...error) error {
	err := errors.Join(list...)
	if coded, ok := errors.AsType[cli.ExitCoder](err); ok {
		return cli.Exit(err.Error(), coded.ExitCode())
	}
	return err
}
