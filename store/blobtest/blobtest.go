// Package blobtest damages attached files for tests, in ways that disks and operators can cause.
package blobtest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"samepage/store/asuser"
)

// Content is the content of the attached file in the tests.
const Content = "The minutes of Friday."

// Path returns the path of the file with this content in a data folder.
func Path(dir, content string) string {
	sum := sha256.Sum256([]byte(content))
	name := hex.EncodeToString(sum[:])
	return filepath.Join(dir, "files", name[:2], name[2:])
}

// Damage is one way to damage the file at path.
type Damage struct {
	Name string
	Says string // clause in the resulting error; empty if the file remains undamaged
	Do   func(path string) error
}

// Damages lists the ways to damage a file with [Content], and one harmless change.
var Damages = []Damage{
	{"truncated", "it has 11 bytes, not 22", func(path string) error { return os.Truncate(path, 11) }},
	{"flipped byte", "its bytes have changed",
		func(path string) error { return os.WriteFile(path, []byte("the minutes of Friday."), 0o600) }},
	{"empty", "it has 0 bytes, not 22", func(path string) error { return os.Truncate(path, 0) }},
	{"longer", "it has 44 bytes, not 22",
		func(path string) error { return os.WriteFile(path, []byte(Content+Content), 0o600) }},
	{"missing", "it is missing", os.Remove},
	{"unreadable", "it cannot be read (permission denied)", func(path string) error { return os.Chmod(path, 0) }},
	{"a folder in its place", "something that is no file is in its place", func(path string) error {
		if err := os.Remove(path); err != nil {
			return err
		}
		return os.MkdirAll(filepath.Join(path, "inside"), 0o700)
	}},
	{"a pipe in its place", "something that is no file is in its place", func(path string) error {
		if err := os.Remove(path); err != nil {
			return err
		}
		return asuser.MakePipe(path)
	}},
	{"an orphan beside it", "", func(path string) error {
		return os.WriteFile(filepath.Join(filepath.Dir(path), "stray"), []byte("stray"), 0o600)
	}},
}

// AsNobody runs the current test again as an unprivileged user if the test runs as root, because permissions do not
// restrict root. If it returns true, the caller must return.
func AsNobody(t *testing.T) (done bool) {
	t.Helper()
	if os.Getuid() != 0 {
		return false
	}
	reach := exec.Command("/bin/ls", ".")
	if err := errors.Join(asuser.Start(reach, asuser.Nobody, asuser.Nobody), reach.Run()); err != nil {
		t.Skip("only root may read the source, and root may read everything, which damage to permissions is not "+
			"seen by:", err)
	}
	dir, err := os.MkdirTemp("", "nobody-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chown(dir, asuser.Nobody, asuser.Nobody); err != nil {
		t.Fatal(err)
	}
	// The user may have no access to the path of the program, so it is started through /proc.
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), "TMPDIR="+dir, "HOME="+dir)
	if err := asuser.Start(cmd, asuser.Nobody, asuser.Nobody); err != nil {
		t.Fatal(err)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
	return true
}
