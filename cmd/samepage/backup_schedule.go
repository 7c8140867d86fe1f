package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/urfave/cli/v3"

	"samepage/store"
	"samepage/store/archive"
)

// scheduleFlags are the flags of the backups that a server makes by itself.
func scheduleFlags() []cli.Flag {
	return []cli.Flag{
		backupToFlag(),
		&cli.DurationFlag{
			Name:    "backup-every",
			Usage:   "the time between two of these backups",
			Value:   24 * time.Hour,
			Sources: cli.EnvVars("SAMEPAGE_BACKUP_EVERY"),
		},
		&cli.IntFlag{
			Name:    "backup-keep",
			Usage:   "the `NUMBER` of these backups to keep; older ones are removed",
			Value:   7,
			Sources: cli.EnvVars("SAMEPAGE_BACKUP_KEEP"),
		},
	}
}

func backupToFlag() *cli.StringFlag {
	return &cli.StringFlag{
		Name: "backup-to",
		Usage: "make backups in this `FOLDER`, best on another disk; each has the database, and they share the " +
			"attached files, so that a file is copied once",
		Sources: cli.EnvVars("SAMEPAGE_BACKUP_TO"),
	}
}

// schedule makes backups while a server runs. The zero value makes none.
type schedule struct {
	dir   string
	every time.Duration
	keep  int
}

// backupSchedule reads the flags of the schedule.
func backupSchedule(cmd *cli.Command) (s schedule, err error) {
	s = schedule{cmd.String("backup-to"), cmd.Duration("backup-every"), cmd.Int("backup-keep")}
	where, err := database(cmd)
	switch {
	case err != nil || s.dir == "":
		return s, err
	case store.OnServer(where):
		return s, cli.Exit("--backup-to copies a data folder; of a PostgreSQL server, have pg_dump make the backups", exitUsage)
	case s.every < time.Minute || s.keep < 1:
		return s, cli.Exit("--backup-every takes a time of at least 1m, and --backup-keep at least 1", exitUsage)
	}
	return s, nil
}

// retryBackup is the longest time after which a backup that failed is tried again.
const retryBackup = time.Hour

// run makes a backup whenever the newest is older than the interval, until ctx ends.
func (s schedule) run(ctx context.Context, st *store.Store) {
	if s.dir == "" {
		return
	}
	for {
		wait := s.every
		last, err := archive.LastRotated(s.dir)
		if err == nil && last != nil {
			wait = last.At.Add(s.every).Sub(st.Now())
		}
		if err != nil || last == nil || wait <= 0 {
			wait = s.every
			if err := s.backUp(ctx, st); err != nil && ctx.Err() == nil {
				slog.Error("NO BACKUP was made", "folder", s.dir, "error", err)
				wait = min(s.every, retryBackup)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// backUp makes one backup, and logs what is in it.
func (s schedule) backUp(ctx context.Context, st *store.Store) error {
	begun := time.Now()
	made, err := archive.Rotate(ctx, st, s.dir, s.keep)
	if err != nil {
		return err
	}
	for i := range made.Damaged.Broken {
		slog.Error("an attached file is missing or damaged here: attach the same bytes again, which heals it",
			"file", made.Damaged.Broken[i].String())
	}
	if n := len(made.Lost.Broken); n > 0 {
		slog.Error("the backup lacks attached files, so earlier backups are kept", "backup", made.Path, "files", n)
	}
	slog.Info("a backup was made and verified", "backup", made.Path, "files", made.Lost.Files, "removed", made.Removed,
		"took", time.Since(begun).Round(time.Millisecond))
	return nil
}

// backupState prints the newest backup in the folder, and verifies it. One that is missing, overdue or damaged is an
// error with the exit code of damage.
func backupState(ctx context.Context, out io.Writer, cmd *cli.Command, now time.Time) error {
	dir, every := cmd.String("backup-to"), cmd.Duration("backup-every")
	if dir == "" {
		return nil
	}
	last, err := archive.LastRotated(dir)
	switch {
	case err != nil:
		return err
	case last == nil:
		return cli.Exit("there is no backup in "+dir, exitDamage)
	}
	info, err := os.Stat(last.Path)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "The newest backup is %s, of %s (%d bytes).\n", last.Path, last.At.Format(time.RFC1123), info.Size())
	err = verifyBackup(ctx, out, last.Path)
	if age := now.Sub(last.At); age > 2*every {
		err = damages(err, cli.Exit(fmt.Sprintf("the newest backup is %v old, and one is due every %v: read the log of the server",
			age.Round(time.Second), every), exitDamage))
	}
	return err
}
