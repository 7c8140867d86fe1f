package archive

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"samepage/store"
)

// Heal restores missing and damaged attached files from files under the given paths that have the right size and hash,
// under any name. It calls healed for each restored file. It returns the result of a check after the last file.
func Heal(ctx context.Context, s *store.Store, paths []string, healed func(f store.BrokenFile, path string)) (*store.FileCheck, error) {
	found, err := s.CheckFiles(ctx)
	if err != nil {
		return nil, err
	}
	lost := map[string][]store.BrokenFile{} // by hash
	sizes := map[int64]bool{}
	for _, f := range found.Broken {
		lost[string(f.Hash)] = append(lost[string(f.Hash)], f)
		sizes[f.Size] = true
	}
	for _, path := range paths {
		if err := filepath.WalkDir(path, func(path string, e fs.DirEntry, err error) error {
			if err != nil || ctx.Err() != nil || !e.Type().IsRegular() || len(lost) == 0 {
				return err
			}
			info, err := e.Info()
			if err != nil || !sizes[info.Size()] {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(data)
			files := lost[string(sum[:])]
			if len(files) == 0 {
				return nil
			}
			if _, err := s.KeepBlob(data); err != nil {
				return err
			}
			delete(lost, string(sum[:]))
			for _, f := range files {
				healed(f, path)
			}
			return nil
		}); err != nil {
			return nil, fmt.Errorf("heal files: %w", err)
		}
	}
	return s.CheckFiles(ctx)
}
