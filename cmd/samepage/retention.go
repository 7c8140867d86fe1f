package main

import (
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v3"

	"samepage/store"
)

const oneDay = 24 * time.Hour

func retentionFlags() []cli.Flag {
	return []cli.Flag{
		numberFlag("notification-days",
			"delete notifications, read or not, after this `NUMBER` of days", int(store.DefaultRetention.Notifications/oneDay)),
		numberFlag("call-days",
			"delete the refused calls of agents after this `NUMBER` of days", int(store.DefaultRetention.Calls/oneDay)),
	}
}

func retention(cmd *cli.Command) (store.Retention, error) {
	notifications, calls := cmd.Int("notification-days"), cmd.Int("call-days")
	if notifications < 1 || calls < 1 {
		return store.Retention{}, cli.Exit("--notification-days and --call-days take at least 1", exitUsage)
	}
	return store.Retention{Notifications: time.Duration(notifications) * oneDay, Calls: time.Duration(calls) * oneDay}, nil
}

func retentionState(out io.Writer, cmd *cli.Command) error {
	kept, err := retention(cmd)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Deleted once a day: notifications after %d days, refused calls of agents after %d, answers to idempotency "+
		"keys after %d hours. The journal is kept.\n", kept.Notifications/oneDay, kept.Calls/oneDay, store.AnswerLife/time.Hour)
	return nil
}
