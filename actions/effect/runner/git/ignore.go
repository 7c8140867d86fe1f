package git

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// exclude is the path, inside a git directory, of the list of ignored files that git does not commit.
const exclude = "info/exclude"

// Ignore makes git leave files out of the agent's commits in this tree, and out of [Tree.CommitTurn] for all trees of
// the repository. A file that git tracks already is not ignored, and an agent can still add an ignored file by force.
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
