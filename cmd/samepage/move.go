package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/urfave/cli/v3"

	"samepage/store"
	"samepage/store/archive"
)

// staysBehind names what the file of an export does not have (see [archive.Stays]).
const staysBehind = "logins, passkeys,\naccounts at OpenID providers, settings of notifications, webhooks, direct messages, " +
	"and runners with their repositories,\nworktrees, sessions, reviews and pull requests"

func exportCommand() *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "write one organization to a new file, to bring it into another database",
		ArgsUsage: "FILE",
		Description: "The file holds passwords' hashes, tokens' hashes and secret ballots, too: keep it as safe as the " +
			"database. It does not hold " + staysBehind + ".\n" +
			"samepage import organization reads it, into a folder or a PostgreSQL server, whichever it " +
			"came from. Attached files that are\n" +
			"missing or damaged do not stop it: it names them, and keeps the list in the file.\n" +
			codesOf("the file is whole",
				"the file is finished, and attached files that it names are missing or damaged",
				"there is no file"),
		Flags: []cli.Flag{dataFlag(), requiredFlag("org", "the `HANDLE` of the organization")},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.Args().Len() != 1 {
				return cli.Exit("name one new file to write to", exitUsage)
			}
			var found *store.FileCheck
			if err := withReading(ctx, cmd, func(st *store.Store) (err error) {
				found, err = export(ctx, st, cmd.String("org"), cmd.Args().First())
				return err
			}); err != nil {
				return explainFullDisk(err)
			}
			fmt.Fprintln(cmd.Root().Writer, "Written to", cmd.Args().First())
			return reportFiles(cmd.Root().Writer, found, "in the file")
		},
	}
}

// export writes an organization to a new file that other users of the machine cannot read. If an error occurs, export
// removes the file.
func export(ctx context.Context, st *store.Store, org, name string) (*store.FileCheck, error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s exists already: choose a new file", name)
	}
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriter(file)
	found, err := archive.Export(ctx, st, org, out)
	if store.CodeOf(err) == store.NotFound {
		err = cli.Exit(fmt.Sprintf("there is no organization %s: samepage org list prints them", org), exitUsage)
	}
	if err == nil {
		err = out.Flush()
	}
	if err == nil {
		err = file.Sync()
	}
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		os.Remove(name)
	}
	return found, err
}

func importOrganizationCommand() *cli.Command {
	return &cli.Command{
		Name: "organization", Usage: "bring in an organization from a file of samepage export", ArgsUsage: "FILE",
		Description: "It comes as a whole, with its journal, or not at all. People sign in with the " +
			"passwords they had; who can sign in here already keeps that.\n" +
			"The file does not hold " + staysBehind + ".\n" +
			"Links to them on home, in the inbox and on cards lead nowhere, and the tokens of runners and " +
			"sessions are revoked: add the runners anew.\n" +
			"Attached files that are missing or damaged in the file do not stop it: it brings everything " +
			"else, and names them.\n" +
			codesOf("everything is here", "everything is here but the attached files that it names",
				"nothing was brought"),
		Flags: []cli.Flag{dataFlag()},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.Args().Len() != 1 {
				return cli.Exit("name the file to import", exitUsage)
			}
			file, err := os.Open(cmd.Args().First())
			if err != nil {
				return err
			}
			defer file.Close()
			// Like org create, this command also works in an empty folder.
			return withStore(ctx, cmd, func(st *store.Store) error {
				org, found, err := archive.Import(ctx, st, file)
				if err != nil {
					return explainFullDisk(refused(err))
				}
				fmt.Fprintf(cmd.Root().Writer, "The organization %s is here.\nNot in the file, and so not here: %s.\n"+
					"Links to them lead nowhere, and the tokens of runners and sessions are revoked. Add the runners anew.\n",
					org, staysBehind)
				return damages(reportFiles(cmd.Root().Writer, found, "in the organization "+org),
					checkCounts(ctx, cmd.Root().Writer, st, org))
			})
		},
	}
}
