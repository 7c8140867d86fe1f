package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"samepage/store"
	"samepage/store/archive"
)

func filesCommand() *cli.Command {
	return &cli.Command{Name: "files", Usage: "find attached files that are missing or damaged, and heal them", Commands: []*cli.Command{
		{
			Name:        "check",
			Usage:       "read every attached file, and name those that are missing or damaged",
			Description: codesOf("all are whole", "some are missing or damaged, and are named", "they could not be checked"),
			Flags:       []cli.Flag{dataFlag()},
			Action: func(ctx context.Context, cmd *cli.Command) error {
				return withReading(ctx, cmd, func(st *store.Store) error {
					found, err := st.CheckFiles(ctx)
					if err != nil {
						return err
					}
					return reportFiles(cmd.Root().Writer, found, "here")
				})
			},
		},
		{
			Name:      "heal",
			Usage:     "look for their bytes in other files and folders, such as an old data folder, and keep those",
			ArgsUsage: "PATH…",
			Description: "Every file in the paths is compared by its hash, whatever its name. Of a single backup, name the " +
				"folder to which it was restored;\nof a folder of backups, that folder itself.\n" +
				codesOf("all are whole now", "some are still missing or damaged, and are named", "nothing could be healed"),
			Flags: []cli.Flag{dataFlag()},
			Action: func(ctx context.Context, cmd *cli.Command) error {
				if !cmd.Args().Present() {
					return cli.Exit("name files or folders in which the bytes may be", exitUsage)
				}
				out := cmd.Root().Writer
				return withExisting(ctx, cmd, func(st *store.Store) error {
					left, err := archive.Heal(ctx, st, cmd.Args().Slice(), func(f store.BrokenFile, path string) {
						fmt.Fprintf(out, "Healed %s on %s from %s.\n", f.Name, f.URL(), path)
					})
					if err != nil {
						return explainFullDisk(err)
					}
					return reportFiles(out, left, "here")
				})
			},
		},
	}}
}
