package keyfile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"samepage/store/db"
	"samepage/store/keyfile"
)

// TestKeysFile creates a key file. A second call of Make must return the same keys, and Read must take the permissions
// away from other users. A sealed value must open only with the same purpose, name and keys.
func TestKeysFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, keyfile.Name)
	if _, err := keyfile.Read(path); !os.IsNotExist(err) {
		t.Fatalf("a missing file: %v", err)
	}
	first, err := keyfile.Make(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := keyfile.Make(path)
	if err != nil || again.Fingerprint() != first.Fingerprint() {
		t.Errorf("made twice: %v", err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if open, err := keyfile.Exposed(path); !open || err != nil {
		t.Errorf("readable to all and not exposed: %v", err)
	}
	if _, err := keyfile.Read(path); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v %v", info.Mode(), err)
	}
	files, err := fs.Glob(os.DirFS(folder), "*")
	if err != nil || len(files) != 1 {
		t.Errorf("beside the keys: %q %v", files, err)
	}
	for _, text := range []string{"", "samepage-keys-1 c2hvcnQ", "samepage-keys-2 " + strings.Repeat("A", 43)} {
		if _, err := keyfile.Parse(text); db.CodeOf(err) != db.Invalid {
			t.Errorf("%q is read: %v", text, err)
		}
	}
	sealed := first.Seal("a", "name", []byte("text"))
	if plain, err := first.Open("a", "name", sealed); err != nil || string(plain) != "text" {
		t.Errorf("opened: %q %v", plain, err)
	}
	for _, open := range []func() ([]byte, error){
		func() ([]byte, error) { return first.Open("b", "name", sealed) },
		func() ([]byte, error) { return first.Open("a", "other", sealed) },
		func() ([]byte, error) { return keyfile.New().Open("a", "name", sealed) },
	} {
		if _, err := open(); err == nil {
			t.Error("a sealed value opens for another purpose, name or installation")
		}
	}
}
