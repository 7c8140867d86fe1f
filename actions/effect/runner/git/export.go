package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Export writes the files of a commit to the folder dir and removes all other files from it. The folder has no git
// directory. The argument name is the name of a temporary private index.
func (r *Repo) Export(ctx context.Context, name, dir string, at Hash) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("%w: %s is no absolute path", ErrInvalid, dir)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := r.ref(ctx, string(at)); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	index := filepath.Join(r.dir, "samepage", name+".index")
	if err := os.Remove(index); err != nil && !os.IsNotExist(err) {
		return err
	}
	_, err := r.run(ctx, call{sub: "read-tree", flags: []word{"--reset", "-u"}, values: []string{string(at)},
		index: index, tree: dir,
		time: fetchTime})
	if gone := os.Remove(index); err == nil {
		err = gone
	}
	return err
}
