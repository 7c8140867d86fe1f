// Package keyfile stores the keys of an installation in a file of their own, so that a copy of the database is useless
// for signing and decrypting. The file has one random root, from which the key for each purpose is derived.
package keyfile

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"samepage/store/db"
)

// Name is the name of the key file in a data folder.
const Name = "samepage.keys"

const (
	rootLength = 32 // bytes
	prefix     = "samepage-keys-1 "
	preface    = "# The keys of a Samepage installation. Its database is no use to a thief without this file.\n" +
		"# Keep a copy, and keep it apart from the backups of the database.\n"
)

// Keys are the keys of an installation.
type Keys struct{ root []byte }

// New returns new random keys.
func New() *Keys {
	root := make([]byte, rootLength)
	rand.Read(root) // never returns an error
	return &Keys{root}
}

// Parse parses the content of a key file. It returns [db.Invalid] for any other text.
func Parse(text string) (*Keys, error) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		code, ok := strings.CutPrefix(strings.TrimSpace(line), prefix)
		root, err := base64.RawURLEncoding.DecodeString(code)
		if !ok || err != nil || len(root) != rootLength {
			break
		}
		return &Keys{root}, nil
	}
	return nil, db.Errorf(db.Invalid, "That is no file with the keys of an installation.")
}

// Text returns the content of the key file, for [Parse].
func (k *Keys) Text() string {
	return preface + prefix + base64.RawURLEncoding.EncodeToString(k.root) + "\n"
}

// Read reads the key file at path. It returns [fs.ErrNotExist] if there is no file, and [db.Invalid] if the file has no
// keys. If other users of the machine can read the file, Read removes their permission, or returns [db.Unavailable] if
// it cannot.
func Read(path string) (*Keys, error) {
	if open, err := Exposed(path); err != nil {
		return nil, err
	} else if open {
		if err := os.Chmod(path, 0o600); err != nil {
			return nil, db.Errorf(db.Unavailable, "Other accounts of this machine can read the keys in %s, and this one cannot "+
				"change that. Give the file to the account of the server, with the mode 0600.", path)
		}
		slog.Warn("other accounts of this machine could read the keys; now the owner of the file alone can. If one of them "+
			"may have read it, samepage keys replace makes new keys", "file", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	k, err := Parse(string(text))
	if err != nil {
		return nil, db.Errorf(db.Invalid, "%s has no keys of an installation. Put the right file there.", path)
	}
	return k, nil
}

// Exposed reports whether other users than the file's owner can read or change the file. It returns false on Windows,
// which has no such permission bits.
func Exposed(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0, nil
}

// Make writes new keys to a new file at path and returns them. If the file exists, for example because another process
// has just created it, Make returns the keys in it.
func Make(path string) (*Keys, error) {
	if k, err := Read(path); !errors.Is(err, fs.ErrNotExist) {
		return k, err
	}
	own := path + "." + rand.Text()
	if err := New().Install(own); err != nil {
		return nil, err
	}
	err := os.Link(own, path) // unlike a rename, a link fails if the file exists
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, errors.Join(fmt.Errorf("write the keys: %w", err), os.Remove(own))
	}
	if err := errors.Join(os.Remove(own), db.SyncFile(filepath.Dir(path))); err != nil {
		return nil, fmt.Errorf("write the keys: %w", err)
	}
	return Read(path)
}

// Install writes the keys to the file at path, which only the owner can read. A file with other content is renamed and
// kept. After a crash, the file is either complete or missing.
func (k *Keys) Install(path string) error {
	if err := db.MakeFolder(filepath.Dir(path)); err != nil {
		return fmt.Errorf("folder of the keys: %w", err)
	}
	if text, err := os.ReadFile(path); err == nil && string(text) != k.Text() {
		if err := os.Rename(path, path+time.Now().UTC().Format(".20060102T150405.000Z")); err != nil {
			return fmt.Errorf("move the former keys aside: %w", err)
		}
	}
	if err := db.Install(path, func(part string) error { return os.WriteFile(part, []byte(k.Text()), 0o600) }); err != nil {
		return fmt.Errorf("write the keys: %w", err)
	}
	return nil
}

// Fingerprint returns a short text that identifies the keys without revealing them.
func (k *Keys) Fingerprint() string { return hex.EncodeToString(k.Derive("fingerprint")[:8]) }

// Derive returns the 256-bit key for a purpose.
func (k *Keys) Derive(purpose string) []byte {
	key, err := hkdf.Key(sha256.New, k.root, nil, "samepage "+purpose, 32)
	if err != nil {
		panic(err) // an error is possible only for a longer key
	}
	return key
}

// Seal encrypts a value. [Keys.Open] decrypts it only with the same purpose and the same name.
func (k *Keys) Seal(purpose, name string, plain []byte) []byte {
	return k.cipher(purpose).Seal(nil, nil, plain, []byte(name))
}

// Open decrypts the output of [Keys.Seal]. It returns an error if the purpose, the name or the keys differ.
func (k *Keys) Open(purpose, name string, sealed []byte) ([]byte, error) {
	return k.cipher(purpose).Open(nil, nil, sealed, []byte(name))
}

// cipher returns an AES-256-GCM cipher for a purpose. Each sealed value begins with a random nonce.
func (k *Keys) cipher(purpose string) cipher.AEAD {
	block, err := aes.NewCipher(k.Derive(purpose))
	if err != nil {
		panic(err) // the key has the length of AES-256
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // AES has the block size that GCM requires
	}
	return aead
}
