package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestOrderOfPackages(t *testing.T) {
	got := ordered([]string{"samepage/actions", "samepage/actions/param", "samepage/cmd/samepage", "samepage/e2e/toy",
		"samepage/store", "samepage/actions/effect/runner", "samepage/actions/effect/runner/git", "samepage/actions/effect/runner/acp",
		"samepage/viewsbeside", "samepage/views", "samepage/web",
		"samepage/web/wire", "samepage/web/hook"}, isRaced)
	if want := []string{"samepage/web", "samepage/actions/effect/runner", "samepage/store", "samepage/cmd/samepage",
		"samepage/actions/effect/runner/acp", "samepage/viewsbeside",
		"samepage/web/hook"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestSequentialPackages checks that the packages that run without the race detector start no goroutines.
func TestSequentialPackages(t *testing.T) {
	for _, folder := range sequential {
		files := 0
		err := filepath.WalkDir(filepath.Join("../..", folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || !isSequential(filepath.ToSlash(path)[len("../../"):]) {
				return err
			}
			files++
			parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			if starts(parsed) {
				t.Errorf("%s starts a goroutine: take its folder out of sequential in race.go", path)
			}
			return nil
		})
		if err != nil || files == 0 {
			t.Errorf("%s: %d files, %v", folder, files, err)
		}
	}
}

// TestGoroutinesAreFound checks that starts finds each way to start a goroutine.
func TestGoroutinesAreFound(t *testing.T) {
	for body, want := range map[string]bool{"go f()": true, "wg.Go(f)": true, "t.Parallel()": true,
		"time.AfterFunc(1, f)": true, "b.RunParallel(f)": true, "f()": false, "t.Run(n, f)": false} {
		parsed, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nfunc g() { "+body+" }", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := starts(parsed); got != want {
			t.Errorf("%s: %v", body, got)
		}
	}
}

// starts reports whether a file starts a goroutine.
func starts(file *ast.File) (found bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			if call, ok := n.Fun.(*ast.SelectorExpr); ok {
				found = found || slices.Contains([]string{"Go", "Parallel", "RunParallel", "AfterFunc"}, call.Sel.Name)
			}
		}
		return true
	})
	return found
}
