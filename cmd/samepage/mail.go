package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"samepage/store"
	"samepage/web/account"
)

func smtpFlag() *cli.StringFlag {
	return secretFlag("smtp", "the `SERVER` that takes our mail, smtp://user:password@host:587 or smtps://…")
}

func mailFromFlag() *cli.StringFlag {
	return textFlag("mail-from", "the `ADDRESS` that mails come from")
}

// mailServer returns nil if the flags configure no mail server.
func mailServer(cmd *cli.Command) (*account.SMTP, error) {
	if cmd.String("smtp") == "" {
		return nil, nil
	}
	m, err := account.ParseSMTP(cmd.String("smtp"), cmd.String("mail-from"))
	if err != nil {
		return nil, cli.Exit(err.Error(), exitUsage)
	}
	return m, nil
}

func mailState(ctx context.Context, cmd *cli.Command, st *store.Store) error {
	out := cmd.Root().Writer
	m, err := mailServer(cmd)
	switch {
	case err != nil:
		return err
	case m == nil:
		fmt.Fprintln(out, "No mail is sent: give --smtp to serve, and here, to send invitations.")
	default:
		if err := m.Check(ctx); err != nil {
			fmt.Fprintf(out, "The mail server does not take our mail: %v\n", err)
		} else {
			fmt.Fprintln(out, "The mail server takes our mail.")
		}
	}
	return st.Read(ctx, func(tx *store.Tx) error {
		waiting, failed, err := tx.WaitingMails()
		if err == nil && waiting+failed > 0 {
			fmt.Fprintf(out, "Mails that wait: %d. Given up in the last 90 days: %d.\n", waiting, failed)
		}
		return err
	})
}
