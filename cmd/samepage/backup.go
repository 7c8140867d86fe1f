package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"samepage/actions"
	"samepage/store"
	"samepage/store/archive"
	"samepage/store/credential"
	"samepage/store/db"
	"samepage/store/keyfile"
)

// codesOf returns the help text about exit codes for a command that checks files. The parameters are the meanings of
// exit code 0, of exitDamage, and of exitFailed.
func codesOf(whole, broken, none string) string {
	return fmt.Sprintf("Exit codes:\n  0  %s\n  %d  %s\n  %d  wrong usage\n  %d  %s", whole,
		exitFailed, none, exitUsage, exitDamage, broken)
}

func backupCommand() *cli.Command {
	return &cli.Command{
		Name:      "backup",
		Usage:     "write a consistent copy of the database to a new file, also while it is served",
		ArgsUsage: "FILE",
		Description: "The copy holds the attached files too, each verified by its hash, and is itself " +
			"verified once it is written. Attached files that\n" +
			"are missing or damaged do not stop it: it names them, and keeps the list in the copy. With " +
			"--verify it writes nothing, and checks\n" +
			"an earlier backup: its database, and every attached file. The keys of the installation are not in it, so that a " +
			"thief of the copy can sign nothing:\n" +
			"keep the file with the keys apart, or ask with --with-keys.\n" +
			codesOf("the backup is whole", "the backup is finished, and attached files that it names are "+
				"missing or damaged, or --verify found damage", "there is no backup"),
		Flags: []cli.Flag{
			dataFlag(),
			&cli.BoolFlag{Name: "verify", Usage: "check the backup FILE instead of writing it"},
			&cli.BoolFlag{Name: "with-keys",
				Usage: "put the keys of the installation into the copy, too; guard it like a password"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			name := cmd.Args().First()
			switch {
			case cmd.Args().Len() != 1 && cmd.Bool("verify"):
				return cli.Exit("name the backup to verify", exitUsage)
			case cmd.Args().Len() != 1:
				return cli.Exit("name one new file to write to", exitUsage)
			case cmd.Bool("verify"):
				return verifyBackup(ctx, cmd.Root().Writer, name)
			}
			var found *store.FileCheck
			var lost error
			if err := withReading(ctx, cmd, func(st *store.Store) (err error) {
				var keys *keyfile.Keys
				if cmd.Bool("with-keys") {
					if keys, err = credential.Keys(ctx, st); err != nil {
						return err
					}
				}
				if found, err = archive.Backup(ctx, st, name, keys); err == nil {
					lost = lostWork(ctx, st)
				}
				return err
			}); err != nil {
				return explainFullDisk(err)
			}
			fmt.Fprintf(cmd.Root().Writer, "Written to %s and verified.\n", name)
			if cmd.Bool("with-keys") {
				fmt.Fprintln(cmd.Root().Writer, "The keys are in it: guard it like a password.")
			}
			return damages(lost, reportFiles(cmd.Root().Writer, found, "in the backup"))
		}}
}

// lostWork returns an error with the exit code exitDamage if [store.Store.CheckNotedHeads] finds that entries of a
// journal are missing or differ.
func lostWork(ctx context.Context, st *store.Store) error {
	err := st.CheckNotedHeads(ctx)
	if store.CodeOf(err) == store.Unavailable {
		return cli.Exit(err.Error(), exitDamage)
	}
	return err
}

func verifyBackup(ctx context.Context, out io.Writer, name string) error {
	if _, err := os.Stat(name); err != nil {
		return cli.Exit(
			fmt.Sprintf("there is no backup at %s: name the file that samepage backup wrote", name),
			exitUsage,
		)
	}
	found, err := archive.VerifyBackup(ctx, name)
	if store.CodeOf(err) == store.Invalid {
		return cli.Exit(err.Error(), exitDamage)
	}
	if err != nil {
		return err
	}
	if len(found.Changed) == 0 {
		fmt.Fprintf(out, "The database in %s is sound.\n", name)
	}
	reportChanged(out, found, name)
	return reportFiles(out, found, "in the backup")
}

func restoreCommand() *cli.Command {
	return &cli.Command{Name: "restore", Usage: "put a backup in place of the database; the old one is moved aside",
		ArgsUsage: "FILE",
		Description: "Attached files that are missing or damaged in the backup do not stop it: " +
			"everything else is brought back, and they are named.\n" +
			codesOf("everything is restored",
				"everything is restored but what it names",
				"nothing is restored"),
		Flags: []cli.Flag{dataFlag()},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.Args().Len() != 1 {
				return cli.Exit("name the backup to restore", exitUsage)
			}
			where, err := database(cmd)
			if err != nil {
				return err
			}
			found, err := archive.Restore(ctx, cmd.Args().First(), where)
			if err != nil {
				return explainFullDisk(err)
			}
			fmt.Fprintln(cmd.Root().Writer, "Restored to", where)
			if found.Aside != "" {
				fmt.Fprintln(cmd.Root().Writer, "The database that was there is now", found.Aside)
			}
			reportUndone(ctx, cmd.Root().Writer, where, found.Aside)
			reportChanged(cmd.Root().Writer, found, cmd.Args().First())
			brought, err := archive.RestoreKeys(ctx, cmd.Args().First(), keysPath(cmd))
			if store.CodeOf(err) == store.Invalid {
				err = cli.Exit(err.Error(), exitDamage)
			}
			return damages(reportFiles(cmd.Root().Writer, found, "in "+where), err, restoredKeys(ctx, cmd, brought),
				withStore(ctx, cmd, func(st *store.Store) error { return checkCounts(ctx, cmd.Root().Writer, st, "") }))
		}}
}

// reportUndone says what the restored database lacks. The parameter aside is the file with the former database, or
// empty if there was none.
func reportUndone(ctx context.Context, out io.Writer, dir, aside string) {
	u, err := archive.FindUndone(ctx, dir, aside)
	if u.Since.IsZero() && aside == "" {
		return
	}
	if !u.Since.IsZero() {
		fmt.Fprintf(out,
			"The last entry of a journal in the backup is of %s. What was done later is undone: tokens that were "+
				"revoked or\npaused work again, members who were removed are in, and texts that were redacted or erased can be read.\n",
			u.Since.UTC().Format(time.RFC1123))
	}
	total, counts := 0, []string{}
	for _, name := range slices.Sorted(maps.Keys(u.Entries)) {
		total += u.Entries[name]
		counts = append(counts, fmt.Sprintf("%d %s", u.Entries[name], name))
	}
	again := fmt.Sprintf("Do again what ended a right or removed a text, such as %s, %s, %s and %s.",
		actions.RevokeToken.Name,
		actions.RemoveMember.Name, actions.Redact, actions.EraseMember.Name)
	switch {
	case err != nil:
		fmt.Fprintf(out, "It could not be compared with the database that was there: %v.\n%s\n", err, again)
	case aside == "":
		fmt.Fprintf(out, "No database was there with which it could be compared.\n%s\n", again)
	case total > 0:
		fmt.Fprintf(out,
			"Newer entries in the journals of the database that was there: %d (%s).\n%s\nTo read the entries, put a "+
				"copy of that database into another folder as %s, and serve it.\n", total, strings.Join(counts, ", "),
			again,
			store.FileName)
	case len(u.Parted) == 0:
		fmt.Fprintln(out, "The database that was there has no newer entries in its journals.")
	}
	if len(u.Parted) > 0 {
		fmt.Fprintf(out,
			"The journals of these organizations in it are not those of the backup, and are not compared: %s.\n",
			strings.Join(u.Parted, ", "))
	}
}

func reportChanged(out io.Writer, found *store.FileCheck, name string) {
	if len(found.Changed) > 0 {
		fmt.Fprintf(out, "The database in %s is damaged: rows have changed since the backup was made.\n", name)
	}
}

// reportFiles prints the number of checked files, and the missing and damaged files. The error names tables with
// changed rows, too. The parameter place is a phrase such as "in the backup".
func reportFiles(out io.Writer, found *store.FileCheck, place string) error {
	var changed error
	if len(found.Changed) > 0 {
		changed = cli.Exit(fmt.Sprintf("the rows of these tables are not as they were when the backup was made: %s. All others are. "+
			"An earlier backup may be whole", strings.Join(found.Changed, ", ")), exitDamage)
	}
	return damages(changed, reportAttached(out, found, place))
}

func reportAttached(out io.Writer, found *store.FileCheck, place string) error {
	switch {
	case found.Files == 0:
		fmt.Fprintf(out, "No files are attached %s.\n", place)
		return nil
	case len(found.Broken) == 0:
		fmt.Fprintf(out, "Attached files %s, all checked and whole: %d (%d bytes).\n", place, found.Files, found.Bytes)
		return nil
	}
	fmt.Fprintf(out, "Attached files %s, all checked: %d. Missing or damaged: %d.\n", place,
		found.Files, len(found.Broken))
	for i := range found.Broken {
		fmt.Fprintln(out, "  "+found.Broken[i].String())
	}
	return cli.Exit(fmt.Sprintf("attached files missing or damaged %s: %d; all others are whole. To heal "+
		"one, attach the same bytes again to any page. "+
		"An older backup may still hold them: restore it to another folder", place, len(found.Broken)), exitDamage)
}

// explainFullDisk adds a hint for the operator if the disk is full.
func explainFullDisk(err error) error {
	if !db.IsFullDisk(err) {
		return err
	}
	return fmt.Errorf("there is no room left on the disk: free some space or name another place (%w)", err)
}
