package git

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Ignore makes git leave files out of the agent's commits in this tree, and out of [Tree.CommitTurn]. A file that git
// tracks already is not ignored, and an agent can still add an ignored file by force.
func (t *Tree) Ignore(paths []string) error {
	t.Repo.mu.Lock()
	defer t.Repo.mu.Unlock()
	for _, p := range paths {
		if err := CheckPath(p); err != nil {
			return err
		}
	}
	if err := addLines(t.Repo.dir, "samepage/"+filepath.Base(excludesOf(t.index())), paths); err != nil {
		return err
	}
	return addLines(filepath.Join(t.Dir, ".git"), "info/exclude", paths)
}

// excludesOf returns the path of the list of ignored files that belongs to a private index.
func excludesOf(index string) string { return strings.TrimSuffix(index, ".index") + ".exclude" }

// addLines appends paths to a file in the folder dir, unless it lists them already. It refuses symbolic links out of
// the folder.
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
