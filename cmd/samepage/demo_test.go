package main

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// demoFile is a file of the data folder of the demo.
type demoFile struct {
	path    string // relative to the data folder
	mode    fs.FileMode
	content []byte
}

// demoFiles makes the demo once and returns its files. A copy takes far less time than the command.
var demoFiles = sync.OnceValues(func() (files []demoFile, err error) {
	dir, err := os.MkdirTemp("", "samepage-demo-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	root := app()
	root.Writer, root.ErrWriter = io.Discard, io.Discard
	if err := root.Run(context.Background(), []string{"samepage", "demo", "--data", dir}); err != nil {
		return nil, err
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		files = append(files, demoFile{rel, info.Mode().Perm(), content})
		return err
	})
	return files, err
})

// copyDemo puts a copy of the demo into an empty or new data folder. Each copy has the same keys and tokens.
func copyDemo(t *testing.T, dir string) {
	t.Helper()
	files, err := demoFiles()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		to := filepath.Join(dir, f.path)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, f.content, f.mode); err != nil {
			t.Fatal(err)
		}
	}
}
