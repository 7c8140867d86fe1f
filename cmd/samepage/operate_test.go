package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/blobtest"
	"samepage/store/effort"
	"samepage/store/pgtest"
)

// serving runs the command samepage serve in process until stop is called. The function stop returns the command's
// error.
func serving(t *testing.T, dir string, args ...string) (stop func() error) {
	t.Helper()
	os.Remove(filepath.Join(dir, "samepage.lock")) // the file still names the previous server
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		root := app()
		root.Writer, root.ErrWriter = new(bytes.Buffer), new(bytes.Buffer)
		ended <- root.Run(ctx, append([]string{"samepage", "serve", "--data", dir, "--listen", "127.0.0.1:0"}, args...))
	}()
	for store.ServerOf(dir).URL == "" && len(ended) == 0 { // waits until the server listens
		time.Sleep(5 * time.Millisecond)
	}
	return func() error { cancel(); return <-ended }
}

// TestHealthcheckKnowsTheAddress checks the health of a server on a random port, and gives the command only the data
// folder.
func TestHealthcheckKnowsTheAddress(t *testing.T) {
	pgtest.Folder(t, "it is about the folder")
	dir := filepath.Join(t.TempDir(), "data")
	stop := serving(t, dir)
	if out, code := runCommand(t, "healthcheck", "--data", dir); code != 0 || out != "ready\n" {
		t.Errorf("%d: %s", code, out)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	for _, args := range [][]string{{"--data", dir}, {"--data", t.TempDir(), "--listen", "127.0.0.1:1"}} {
		if out, code := runCommand(t, append([]string{"healthcheck"}, args...)...); code != exitFailed ||
			!strings.Contains(out, "refused") {
			t.Errorf("%q: %d: %s", args, code, out)
		}
	}
}

// TestOperatingOnAFolderForReading runs commands on a data folder that cannot be written. Commands that only read
// must work, and a command that writes must fail.
func TestOperatingOnAFolderForReading(t *testing.T) {
	effort.Slow(t)
	pgtest.Folder(t, "it is about the folder")
	if blobtest.AsNobody(t) {
		return
	}
	dir, out := filepath.Join(t.TempDir(), "data"), t.TempDir()
	copyDemo(t, dir)
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o700) })
	for _, path := range []string{"samepage.db", "samepage.lock"} {
		if err := os.Chmod(filepath.Join(dir, path), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"doctor", "--data", dir}, 0, "The database is sound."},
		{[]string{"journal", "verify", "--data", dir}, 0, "whole. Head: meadow:"},
		{[]string{"backup", "--data", dir, filepath.Join(out, "backup")}, 0, "verified"},
		{[]string{"export", "--data", dir, "--org", "meadow", filepath.Join(out, "export")}, 0, "Written to"},
		{[]string{"verify", "--data", dir, "/studios/team/d/0000000000"}, exitFailed, "There is no such page"},
		{[]string{"token", "create", "--data", dir, "--member", "alice", "--label", "X"}, exitFailed, "permission denied"},
	} {
		if text, code := runCommand(t, c.args...); code != c.code || !strings.Contains(text, c.says) {
			t.Errorf("%q: exit %d, want %d; it says %q, want %q", c.args, code, c.code, text, c.says)
		}
	}
}

// TestHealthcheckOverTLS checks the health of a server that serves HTTPS itself. Its certificate is for its own name
// and not for the address of the machine, and comes from an authority that the machine does not know.
func TestHealthcheckOverTLS(t *testing.T) {
	pgtest.Folder(t, "it is about the folder")
	dir := t.TempDir()
	data, cert, key := filepath.Join(dir, "data"), filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	selfMade(t, cert, key, 1, "team.example")
	stop := serving(t, data, "--tls-cert", cert, "--tls-key", key)
	if out, code := runCommand(t, "healthcheck", "--data", data); code != 0 || out != "ready\n" {
		t.Errorf("%s: %d: %s", store.ServerOf(data).URL, code, out)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestVerifyWithUnreadableHeads verifies journals while the recorded heads cannot be read. That is no damage, so the
// command says that it could not check.
func TestVerifyWithUnreadableHeads(t *testing.T) {
	pgtest.Folder(t, "it is about the folder")
	dir := filepath.Join(t.TempDir(), "data")
	copyDemo(t, dir)
	heads := filepath.Join(dir, store.HeadsName)
	if err := errors.Join(os.RemoveAll(heads), os.Mkdir(heads, 0o700)); err != nil {
		t.Fatal(err)
	}
	if out, code := runCommand(t, "journal", "verify", "--data", dir); code != exitFailed {
		t.Errorf("%d: %s", code, out)
	}
	if err := errors.Join(os.Remove(heads), os.WriteFile(heads, []byte("rubbish"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if out, code := runCommand(t, "journal", "verify", "--data", dir); code != exitDamage {
		t.Errorf("%d: %s", code, out)
	}
}
