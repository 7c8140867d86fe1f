package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/passes/buildtag"
	"golang.org/x/tools/go/analysis/passes/copylock"
	"golang.org/x/tools/go/analysis/passes/stdmethods"
	"golang.org/x/tools/go/analysis/passes/structtag"
	"golang.org/x/tools/go/analysis/passes/unusedresult"
	"golang.org/x/tools/go/packages"
)

// otherSystems type-checks all packages and their tests for Windows on amd64 and for macOS on arm64, without cgo, and
// runs some analyses of go vet that need no facts about other packages. go vet itself would first compile 500 packages
// for each system, which takes a minute on two cores in place of some seconds.
func otherSystems(ctx context.Context) error {
	var failed error
	for _, system := range []string{"windows/amd64", "darwin/arm64"} {
		name, arch, _ := strings.Cut(system, "/")
		n, err := vetFor(ctx, ".", "CGO_ENABLED=0", "GOOS="+name, "GOARCH="+arch)
		fmt.Printf("%s: %d packages of this module, with their tests\n", system, n)
		failed = errors.Join(failed, err)
	}
	return failed
}

var withoutFacts = []*analysis.Analyzer{buildtag.Analyzer, copylock.Analyzer, stdmethods.Analyzer, structtag.Analyzer,
	unusedresult.Analyzer}

// vetFor checks the module in a folder in this environment. It returns the number of checked packages, and an error if
// it finds anything or there are none.
func vetFor(ctx context.Context, folder string, env ...string) (checked int, err error) {
	if folder, err = filepath.Abs(folder); err != nil {
		return 0, err
	}
	all, err := packages.Load(&packages.Config{Context: ctx, Mode: packages.LoadAllSyntax, Dir: folder, Tests: true,
		Env: append(os.Environ(), env...), ParseFile: bodiesIn(folder)}, "./...")
	if err != nil {
		return 0, err
	}
	var list []*packages.Package
	var found []error
	for _, p := range all {
		if strings.HasSuffix(p.ID, ".test") {
			continue // the generated main package of a test
		}
		p.IllTyped = false // it is true because dependencies without bodies have unused imports
		list = append(list, p)
		for _, e := range p.Errors {
			found = append(found, e)
		}
	}
	if len(found) > 0 || len(list) == 0 {
		return len(list), errors.Join(append(found, fmt.Errorf("%d packages, %d errors", len(list), len(found)))...)
	}
	graph, err := checker.Analyze(withoutFacts, list, nil)
	if err != nil {
		return len(list), err
	}
	for _, action := range graph.Roots {
		if action.Err != nil {
			found = append(found, action.Err)
		}
		for _, d := range action.Diagnostics {
			found = append(found, fmt.Errorf("%s: %s", action.Package.Fset.Position(d.Pos), d.Message))
		}
	}
	return len(list), errors.Join(found...)
}

// bodiesIn returns a parser of files that drops the bodies of functions in files outside of the folder.
func bodiesIn(folder string) func(*token.FileSet, string, []byte) (*ast.File, error) {
	return func(set *token.FileSet, name string, text []byte) (*ast.File, error) {
		file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution|parser.ParseComments)
		if file == nil || within(name, folder) {
			return file, err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				f.Body = nil
			}
		}
		return file, err
	}
}
