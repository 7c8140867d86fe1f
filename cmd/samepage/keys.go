package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"samepage/store"
	"samepage/store/credential"
	"samepage/store/keyfile"
)

func keysFlag() *cli.StringFlag {
	return textFlag("keys",
		"the `FILE` with the keys of the installation; "+keyfile.Name+" in the folder if not given. On PostgreSQL "+
			"every server needs a copy of it")
}

const whatEnds = "Tokens that OAuth clients have end at once; a client gets the next with its refresh token, by itself. A " +
	"refresh that was under way, and a sign-in with a passkey or a provider, begins anew; the refresh may need a new " +
	"consent. No browser counts as known any more: after many wrong passwords for an account, the right one waits its " +
	"turn. Logins, passwords, passkeys, tokens made by hand, invitations, mailed links, links with a preview and the " +
	"receipts of anonymous ballots stay as they are."

func keysCommand() *cli.Command {
	return &cli.Command{Name: "keys", Usage: "the keys of the installation", Commands: []*cli.Command{{
		Name:        "replace",
		Usage:       "make new keys, if the file with them is lost or somebody has read it; not while it is served",
		Description: "The former file is renamed to a name with the time. " + whatEnds,
		Flags:       []cli.Flag{dataFlag()},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := mustExist(cmd); err != nil {
				return err
			}
			return with(ctx, cmd, store.Options{}, func(st *store.Store) error {
				keys, err := credential.ReplaceKeys(ctx, st)
				if err != nil {
					return refused(err)
				}
				out := cmd.Root().Writer
				fmt.Fprintf(out, "New keys are in %s (fingerprint %s).\n%s\n", st.KeysFile(), keys.Fingerprint(),
					whatEnds)
				if store.OnServer(st.Path()) {
					fmt.Fprintln(out, "Copy the file to every server on this database, and start each of them again: until then it "+
						"issues and accepts no tokens of OAuth clients.")
				}
				return nil
			})
		},
	}}}
}

// keysState prints whether the keys belong to the database and whether other users of the machine can read them. The
// error has the exit code exitDamage if the keys are missing or belong to another database.
func keysState(ctx context.Context, out io.Writer, st *store.Store) error {
	path := st.KeysFile()
	if path == "" {
		fmt.Fprintln(out, "The keys were not looked at: name their file with --keys.")
		return nil
	}
	open, err := keyfile.Exposed(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if open {
		fmt.Fprintf(out, "Others on this machine could read the keys in %s. If one of them may have done so, make new ones with "+
			"samepage keys replace.\n", path)
	}
	err = credential.CheckKeys(ctx, st)
	switch code := store.CodeOf(err); {
	case err == nil:
		fmt.Fprintf(out, "The keys are in %s. No backup has them unless it was made with --with-keys: keep a copy elsewhere.\n", path)
		return nil
	case code == store.Unavailable || code == store.Invalid:
		return cli.Exit(err.Error(), exitDamage)
	}
	return err
}

// restoredKeys prints whether a restored database has its keys, and if not, the next step. The parameter brought says
// that the backup contained the keys.
func restoredKeys(ctx context.Context, cmd *cli.Command, brought bool) error {
	out := cmd.Root().Writer
	return withStore(ctx, cmd, func(st *store.Store) error {
		err := credential.CheckKeys(ctx, st)
		switch code := store.CodeOf(err); {
		case err == nil && brought:
			fmt.Fprintf(out, "The keys in the backup are in %s.\n", st.KeysFile())
		case err == nil:
			fmt.Fprintf(out, "Its keys are in %s.\n", st.KeysFile())
		case code == store.Unavailable || code == store.Invalid:
			fmt.Fprintf(out, "Before you serve it: %s\nWith new keys: %s\n", err, whatEnds)
			if brought {
				return cli.Exit("the keys in the backup are not those of its database", exitDamage)
			}
		default:
			return err
		}
		return nil
	})
}

func keysPath(cmd *cli.Command) string {
	if path := cmd.String("keys"); path != "" {
		return path
	}
	return filepath.Join(cmd.String("data"), keyfile.Name)
}
