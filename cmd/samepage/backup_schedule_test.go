package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/archive"
)

// TestStateOfBackups checks after each event how the owner of an organization sees the state of the backups.
func TestStateOfBackups(t *testing.T) {
	start := time.Date(2026, 11, 2, 3, 0, 0, 0, time.UTC)
	s := &schedule{dir: "x", every: time.Hour}
	made := func(at time.Time) *archive.Rotated { return &archive.Rotated{At: at} }
	for _, c := range []struct {
		event func()
		after time.Duration
		want  store.Backups
	}{
		{func() {}, 0, store.Backups{}},
		{func() { s.record(start, nil, 0, errors.New("full")) }, 0, store.Backups{Failed: store.At(start), Overdue: true}},
		{func() { s.record(start, made(start), 2, nil) }, 0, store.Backups{Newest: store.At(start), Lacks: 2}},
		{func() { s.found(made(start.Add(-time.Hour))) }, 0, store.Backups{Newest: store.At(start), Lacks: 2}},
		{func() { s.found(made(start.Add(time.Hour))) }, time.Hour, store.Backups{Newest: store.At(start.Add(time.Hour))}},
		{func() {}, 3*time.Hour + 1, store.Backups{Newest: store.At(start.Add(time.Hour)), Overdue: true}},
		{func() { s.record(start.Add(4*time.Hour), nil, 0, errors.New("full")) }, 4 * time.Hour,
			store.Backups{Newest: store.At(start.Add(time.Hour)), Failed: store.At(start.Add(4 * time.Hour)), Overdue: true}},
		{func() { s.record(start.Add(5*time.Hour), made(start.Add(5*time.Hour)), 0, nil) }, 5 * time.Hour,
			store.Backups{Newest: store.At(start.Add(5 * time.Hour))}},
	} {
		c.event()
		c.want.Every = time.Hour
		if got := s.present(start.Add(c.after)); *got != c.want {
			t.Errorf("after %v: %+v, want %+v", c.after, *got, c.want)
		}
	}
}

// TestABackupIsDue checks when the next backup is due. The newest backup may have a time in the future, because of a
// wrong clock.
func TestABackupIsDue(t *testing.T) {
	now := time.Date(2026, 11, 2, 3, 0, 0, 0, time.UTC)
	s := &schedule{every: time.Hour}
	for _, c := range []struct {
		last *archive.Rotated
		want time.Duration
	}{
		{nil, 0},
		{&archive.Rotated{At: now}, time.Hour},
		{&archive.Rotated{At: now.Add(-20 * time.Minute)}, 40 * time.Minute},
		{&archive.Rotated{At: now.Add(-2 * time.Hour)}, -time.Hour},
		{&archive.Rotated{At: now.AddDate(100, 0, 0)}, time.Hour},
	} {
		if got := s.due(c.last, now); got != c.want {
			t.Errorf("%+v: %v, want %v", c.last, got, c.want)
		}
	}
}

// TestWhatIsNoBackup puts a folder and an empty file with names of backups into the folder of the backups. The doctor
// must report both.
func TestWhatIsNoBackup(t *testing.T) {
	data, dir := filepath.Join(t.TempDir(), "data"), t.TempDir()
	if out, code := runCommand(t, "demo", "--data", data); code != 0 {
		t.Fatal(out)
	}
	folder, empty := filepath.Join(dir, "samepage-20261102T030000Z.backup"), filepath.Join(dir,
		"samepage-20261103T030000Z.backup")
	if err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(empty, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if last, err := archive.LastRotated(dir); last != nil || err != nil {
		t.Errorf("the newest is %+v, %v", last, err)
	}
	out, code := runCommand(t, "doctor", "--data", data, "--backup-to", dir)
	if code != exitDamage || !strings.Contains(out, folder+" has the name of a backup") || !strings.Contains(out, empty+" has the name") {
		t.Errorf("%d: %s", code, out)
	}
}
