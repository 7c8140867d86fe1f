// Package plantest traces the statements of a test and checks how SQLite plans them.
package plantest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Trace has the statements that a test ran. Its zero value is an empty trace. It is safe for concurrent use.
type Trace struct {
	mu      sync.Mutex
	queries map[string][]any // the arguments of one run of each statement
	callers map[string]bool
}

// Add adds a statement, and the functions that are on the call stack. It leaves out the statements of package webtest
// itself. It is meant for [store.Store.SetTrace].
func (t *Trace) Add(query string, args []any) {
	var pc [32]uintptr
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc[:])])
	f, more := frames.Next()
	for ; strings.HasPrefix(f.Function, "samepage/store/db."); f, more = frames.Next() {
	}
	if strings.HasPrefix(f.Function, "samepage/web/webtest.") {
		return // a fixture's own statement
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.queries == nil {
		t.queries, t.callers = map[string][]any{}, map[string]bool{}
	}
	for ; more; f, more = frames.Next() {
		t.callers[caller(f.Function)] = true
	}
	t.queries[strings.Join(strings.Fields(query), " ")] = args
}

// MustCall reports each function in a folder's Go files that runs statements and that the trace has not seen. The
// function except selects functions that need not run.
func (t *Trace) MustCall(tb testing.TB, dir string, except func(file, function string) bool) {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(paths) == 0 {
		tb.Fatal(dir, "has no files:", err)
	}
	files := token.NewFileSet()
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			tb.Fatal(err)
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || !hasStatement(fn) {
				continue
			}
			name := file.Name.Name + "." + fn.Name.Name
			if !t.callers[name] && !except(filepath.Base(path), name) {
				tb.Errorf("%s runs statements and was not called", name)
			}
		}
	}
}

// closure matches the end of the name of a function literal, after the name of the function that has it.
var closure = regexp.MustCompile(`(\.func\d+|\.\d+|-range\d+|\[\.\.\.\])+$`)

// caller returns the package and the function of a frame's function name, for example "work.FindRepo". For a function
// literal, it returns the function that contains the literal.
func caller(function string) string {
	function = closure.ReplaceAllString(path.Base(function), "")
	pkg, _, _ := strings.Cut(function, ".")
	return pkg + function[strings.LastIndex(function, "."):]
}

// hasStatement reports whether the function runs a statement: by a method of a variable tx, or by [store.One] or
// [store.All].
func hasStatement(fn *ast.FuncDecl) (found bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return !found
		}
		switch f := call.Fun.(type) {
		case *ast.SelectorExpr:
			x, ok := f.X.(*ast.Ident)
			found = found || ok && x.Name == "tx" && slices.Contains(
				[]string{"Get", "GetLocked", "Select", "EachRow", "Exec", "Changed", "Each"}, f.Sel.Name)
		case *ast.IndexExpr:
			name, ok := f.X.(*ast.Ident)
			if sel, of := f.X.(*ast.SelectorExpr); of {
				name, ok = sel.Sel, true
			}
			found = found || ok && (name.Name == "One" || name.Name == "All")
		}
		return !found
	})
	return found
}
