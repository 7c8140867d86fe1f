package git

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// exclude is the file of a git directory that lists ignored files. It is in no commit.
const exclude = "info/exclude"

// Ignore keeps files out of all commits of the repository, and out of those that are made in the tree with git itself
// unless they are added by force. Files that a commit has already are not kept out of others.
func (t *Tree) Ignore(paths []string) error {
	t.Repo.mu.Lock()
	defer t.Repo.mu.Unlock()
	for _, p := range paths {
		if err := CheckPath(p); err != nil {
			return err
		}
	}
	for _, dir := range []string{t.Repo.dir, path.Join(t.Dir, ".git")} {
		if err := addLines(dir, exclude, paths); err != nil {
			return err
		}
	}
	return nil
}

// addLines adds lines with paths from the top to a file of a folder, unless they are there. Links that lead out of the
// folder are refused.
func addLines(dir, file string, paths []string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll(path.Dir(file), 0o700); err != nil {
		return err
	}
	text, err := root.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	have := strings.Split(string(text), "\n")
	f, err := root.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	for _, p := range paths {
		if slices.Contains(have, "/"+p) {
			continue
		}
		if _, err := f.WriteString("\n/" + p + "\n"); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return f.Close()
}
