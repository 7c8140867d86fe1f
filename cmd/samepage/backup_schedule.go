package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"samepage/store"
	"samepage/store/archive"
)

func scheduleFlags() []cli.Flag {
	return []cli.Flag{
		backupToFlag(),
		&cli.DurationFlag{
			Name:    "backup-every",
			Usage:   "the time between two of these backups",
			Value:   24 * time.Hour,
			Sources: variable("backup-every"),
		},
		numberFlag("backup-keep", "the `NUMBER` of these backups to keep; older ones are removed", 7),
	}
}

func backupToFlag() *cli.StringFlag {
	return textFlag("backup-to",
		"make backups in this `FOLDER`, best on another disk; each has the database, and they share the "+
			"attached files, so that a file is copied once")
}

// schedule configures the backups that a running server makes. The zero value makes none.
type schedule struct {
	dir   string
	every time.Duration
	keep  int

	mu    sync.Mutex
	state store.Backups // result of the latest backup; Every and Overdue are not set
}

// present returns the state of the backups. They are overdue if the newest is older than two intervals, or if there is
// none and an attempt has failed.
func (s *schedule) present(now time.Time) *store.Backups {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.state
	b.Every = s.every
	b.Overdue = now.Sub(b.Newest.Time) > 2*s.every && (!b.Newest.IsZero() || !b.Failed.IsZero())
	return &b
}

func (s *schedule) found(last *archive.Rotated) {
	if s.present(last.At).Newest.Before(last.At) {
		s.record(last.At, last, 0, nil)
	}
}

func (s *schedule) record(now time.Time, newest *archive.Rotated, lacks int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.state.Failed = store.At(now)
		return
	}
	s.state = store.Backups{Lacks: lacks}
	if newest != nil {
		s.state.Newest = store.At(newest.At)
	}
}

func backupSchedule(cmd *cli.Command) (s *schedule, err error) {
	s = &schedule{dir: cmd.String("backup-to"), every: cmd.Duration("backup-every"), keep: cmd.Int("backup-keep")}
	where, err := database(cmd)
	switch {
	case err != nil || s.dir == "":
		return s, err
	case store.OnServer(where):
		return s, cli.Exit("--backup-to copies a data folder; of a PostgreSQL server, have pg_dump make the backups", exitUsage)
	case s.every < time.Minute || s.keep < 1:
		return s, cli.Exit("--backup-every takes a time of at least 1m, and --backup-keep at least 1", exitUsage)
	}
	if last, err := archive.LastRotated(s.dir); err == nil && last != nil { // after an error, run makes a backup at once
		s.found(last)
	}
	return s, nil
}

const retryBackup = time.Hour

func (s *schedule) due(last *archive.Rotated, now time.Time) time.Duration {
	if last == nil {
		return 0
	}
	return min(s.every, last.At.Add(s.every).Sub(now)) // the clock may have been fast when that backup was made
}

// run makes a backup whenever the newest backup is older than the interval or cannot be found, until ctx is done. After
// a failure, it waits at most retryBackup.
func (s *schedule) run(ctx context.Context, st *store.Store) {
	if s.dir == "" {
		return
	}
	for {
		last, err := archive.LastRotated(s.dir)
		wait := s.due(last, st.Now())
		if err != nil || wait <= 0 {
			wait = s.every
			if err := s.backUp(ctx, st); err != nil && ctx.Err() == nil {
				s.record(st.Now(), nil, 0, err)
				slog.Error("NO BACKUP was made", "folder", s.dir, "newest", s.present(st.Now()).Newest.Time,
					"error", err)
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

func (s *schedule) backUp(ctx context.Context, st *store.Store) error {
	begun := time.Now()
	made, err := archive.Rotate(ctx, st, s.dir, s.keep)
	if err != nil {
		return err
	}
	s.record(st.Now(), made, len(made.Lost.Broken), nil)
	for i := range made.Damaged.Broken {
		slog.Error("an attached file is missing or damaged here: attach the same bytes again, which heals it",
			"file", made.Damaged.Broken[i].String())
	}
	if made.Kept != nil {
		slog.Error("the backup is whole, but old ones could not be removed", "folder", s.dir, "error", made.Kept)
	}
	if n := len(made.Lost.Broken); n > 0 {
		slog.Error("the backup lacks attached files, so earlier backups are kept", "backup", made.Path, "files", n)
	}
	slog.Info("a backup was made and verified", "backup", made.Path, "files", made.Lost.Files, "removed", made.Removed,
		"took", time.Since(begun).Round(time.Millisecond))
	return nil
}

// backupState verifies every backup in the folder of --backup-to, if given, and prints the results. The error has the
// exit code exitDamage if a backup is damaged, missing or overdue.
func backupState(ctx context.Context, out io.Writer, cmd *cli.Command, now time.Time) error {
	dir, every := cmd.String("backup-to"), cmd.Duration("backup-every")
	if dir == "" {
		return nil
	}
	list, odd, err := archive.ListRotated(dir)
	switch {
	case err != nil:
		return cli.Exit(fmt.Sprintf("the backups in %s cannot be looked at: %v", dir, err), exitDamage)
	case len(list)+len(odd) == 0:
		return cli.Exit("there is no backup in "+dir, exitDamage)
	}
	for _, path := range odd {
		err = damages(err, cli.Exit(path+" has the name of a backup, and is none that can be read", exitDamage))
	}
	for i, b := range list {
		name := "An earlier backup"
		if i == len(list)-1 {
			name = "The newest backup"
		}
		fmt.Fprintf(out, "%s is %s, of %s (%d bytes).\n", name, b.Path, b.At.Format(time.RFC1123), b.Size)
		if broken := verifyBackup(ctx, out, b.Path); broken != nil {
			err = damages(err, cli.Exit(b.Path+": "+broken.Error(), exitDamage))
		}
		if i < len(list)-1 {
			continue
		}
		if age := now.Sub(b.At); age > 2*every {
			err = damages(err, cli.Exit(fmt.Sprintf("the newest backup is %v old, and one is due every %v: read the log of the server",
				age.Round(time.Second), every), exitDamage))
		}
	}
	return err
}
