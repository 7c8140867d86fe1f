// Package e2e has the tests of the built program from outside, and tests that enforce rules on the
// source code, called house rules.
package e2e

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// direction maps the path of each package to the packages of this module that it may import. A path in a list of
// imports also stands for the packages below it. A path that ends in a slash stands only for the packages below it.
var direction = map[string][]string{
	"samepage/store/memo":       {},
	"samepage/store/seldom":     {},
	"samepage/store/db":         {"samepage/store/seldom"},
	"samepage/store/blob":       {"samepage/store/db"},
	"samepage/store/keyfile":    {"samepage/store/db"},
	"samepage/store":            {"samepage/store/blob", "samepage/store/db", "samepage/store/keyfile", "samepage/store/memo"},
	"samepage/store/credential": {"samepage/store", "samepage/store/db", "samepage/store/keyfile"},
	"samepage/store/notice":     {"samepage/store"},
	"samepage/store/archive":    {"samepage/store", "samepage/store/blob", "samepage/store/db", "samepage/store/keyfile"},
	"samepage/actions/param":    {},
	"samepage/actions/tally":    {"samepage/store/memo"},
	"samepage/actions/action":   {"samepage/actions/param", "samepage/store"},
	"samepage/actions/password": {},
	"samepage/actions":          {"samepage/actions/", "samepage/store"},

	"samepage/actions/effect/runner/git":     {},
	"samepage/actions/effect/runner/forge":   {},
	"samepage/actions/effect/runner/acp":     {},
	"samepage/actions/effect/runner/process": {},
	"samepage/actions/effect/runner/script":  {"samepage/actions/effect/runner/acp"},
	"samepage/actions/effect/runner/turn":    {"samepage/actions/effect/runner/acp", "samepage/actions/effect/runner/process"},
	"samepage/actions/effect/runner/machine": {"samepage/actions/effect/runner/git"},
	"samepage/actions/effect/runner": {"samepage/actions/effect/runner/git", "samepage/actions/effect/runner/machine",
		"samepage/actions/effect/runner/forge",
		"samepage/actions/effect/runner/acp", "samepage/actions/effect/runner/process", "samepage/actions/effect/runner/turn"},

	"samepage/views/page": {"samepage/actions/param", "samepage/store/memo"},
	"samepage/views/card": {"samepage/views/page"},
	"samepage/views/help": {"samepage/views/page", "samepage/actions/param", "samepage/store"},
	"samepage/views":      {"samepage/views/page", "samepage/actions/tally", "samepage/actions/param", "samepage/store"},
	"samepage/mcp":        {},
	"samepage/web": {"samepage/web/account", "samepage/web/hook", "samepage/web/oauth",
		"samepage/web/metric", "samepage/web/wire", "samepage/actions", "samepage/views", "samepage/store"},
	"samepage/web/metric":  {},
	"samepage/web/account": {"samepage/web/oauth", "samepage/web/wire", "samepage/actions", "samepage/views", "samepage/store"},
	"samepage/web/wire":    {"samepage/actions/param", "samepage/views/page", "samepage/store"},
	"samepage/web/oauth":   {"samepage/actions", "samepage/store", "samepage/web/outgoing"},
	"samepage/web/hook":    {"samepage/store", "samepage/web/outgoing"},

	"samepage/web/outgoing": {},
	"samepage/web/demo":     {"samepage/web", "samepage/actions", "samepage/views", "samepage/store"},
	"samepage/cmd/samepage": {"samepage/web", "samepage/mcp", "samepage/actions/effect/runner",
		"samepage/actions/effect/runner/forge", "samepage/actions/tally",
		"samepage/actions", "samepage/views", "samepage/store"},
}

// domains lists the names of domains. The code of a domain is in folders with its name in store, actions, views and
// web.
var domains = []string{"governance", "work", "orchestration"}

// older maps the package of a domain to other packages that may import it, although they belong to no domain. The
// packages actions, views and web have the actions and pages of decisions, notes and commitments, which are not in
// the folders of the domain governance. The demo takes actions of every domain, and opens their pages. The program
// of a runner knows the JSON that it exchanges with the server.
var older = map[string][]string{
	"samepage/store/governance":   {"samepage/actions", "samepage/views", "samepage/web", "samepage/web/hook"},
	"samepage/actions/governance": {"samepage/web/demo"},
	"samepage/actions/work":       {"samepage/web/demo"},
	"samepage/web/governance":     {"samepage/web/demo"},
	"samepage/web/work":           {"samepage/web/demo"},
	"samepage/store/work/wire":    {"samepage/actions/effect/runner"},
}

// rooms has as keys the folders in which each domain may have a folder. Such a folder is called a room. The value of
// a room lists the packages that the domains' packages in this room may import. A package of a domain may also import
// packages of the same domain in its own room and in the rooms of that list. No other package may import a package of
// a domain, except for the command line and the packages in the map older.
var rooms = map[string][]string{
	"store":   {"store"},
	"actions": {"store", "actions", "actions/action", "actions/param"},
	"views":   {"store", "views", "views/page"},
	"web":     {"store", "actions", "actions/action", "views", "views/page", "web"},
}

// domainOf returns the room and the domain of a package, or false if it belongs to no domain.
func domainOf(path string) (room, domain string, ok bool) {
	for room := range rooms {
		for _, d := range domains {
			if home := "samepage/" + room + "/" + d; path == home || strings.HasPrefix(path, home+"/") {
				return room, d, true
			}
		}
	}
	return "", "", false
}

// known reports whether a package has a place in the layout of the source code.
func known(path string) bool {
	_, listed := direction[path]
	_, _, ofDomain := domainOf(path)
	return listed || ofDomain
}

// mayImport reports whether the first package may import the second. Both are packages of this
// module.
func mayImport(from, to string) bool {
	room, domain, of := domainOf(from)
	toRoom, toDomain, toOf := domainOf(to)
	switch {
	case isForTests(to):
		return false
	case of && toOf:
		return domain == toDomain && (room == toRoom || slices.Contains(rooms[room], toRoom))
	case of:
		return slices.Contains(rooms[room], strings.TrimPrefix(to, "samepage/"))
	case toOf:
		return from == "samepage/cmd/samepage" || slices.Contains(older[to], from)
	}
	return slices.ContainsFunc(direction[from], func(m string) bool {
		return to == m || strings.HasPrefix(to, strings.TrimSuffix(m, "/")+"/")
	})
}

// TestDirectionOfDomains checks mayImport with examples about the packages of domains.
func TestDirectionOfDomains(t *testing.T) {
	for _, c := range []struct {
		from, to string
		may      bool
	}{
		{"store/governance", "store", true},
		{"store/governance", "store/db", false}, // store exports the parts of the engine that a domain needs
		{"store/governance", "store/work", false},
		{"store/governance/vote", "store/governance", true},
		{"actions/governance", "store/governance", true},
		{"actions/governance", "actions/action", true},
		{"actions/governance", "views", false},
		{"actions/governance", "store/work", false},
		{"views/work", "store/work", true},
		{"views/work", "views/page", true},
		{"views/work", "actions/work", false},
		{"web/orchestration", "actions/orchestration", true},
		{"web/orchestration", "views/orchestration", true},
		{"web/orchestration", "web", true},
		{"web/orchestration", "web/account", false},
		{"web/orchestration", "store/blob", false},
		{"web/orchestration", "web/webtest", false},
		{"store", "store/governance", false},
		{"actions", "actions/governance", false},
		{"views", "store/governance", true},
		{"views", "store/work", false},
		{"store/credential", "store/governance", false},
		{"web", "web/governance", false},
		{"web/account", "store/work", false},
		{"cmd/samepage", "web/governance", true},
		{"mcp", "store/governance", false},
	} {
		if got := mayImport("samepage/"+c.from, "samepage/"+c.to); got != c.may {
			t.Errorf("%s may import %s: %v, want %v", c.from, c.to, got, c.may)
		}
		if !known("samepage/" + c.from) {
			t.Errorf("%s has no place in the layout", c.from)
		}
	}
}

// forTests lists the packages that only tests may import.
var forTests = []string{"samepage/e2e", "samepage/actions/effect/runner/gittest",
	"samepage/actions/effect/runner/forge/forgetest", "samepage/store/asuser", "samepage/store/blobtest",
	"samepage/store/effort", "samepage/store/faulttest", "samepage/store/pgtest", "samepage/store/plantest",
	"samepage/store/shm",
	"samepage/views/page/pagetest", "samepage/web/webtest"}

func isForTests(path string) bool {
	return slices.ContainsFunc(forTests, func(p string) bool { return path == p || strings.HasPrefix(path, p+"/") })
}

func TestDirection(t *testing.T) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,Doc,GoFiles", "samepage/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p struct {
			ImportPath, Doc  string
			Imports, GoFiles []string
		}
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		if p.Doc == "" && len(p.GoFiles) > 0 {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
		if isForTests(p.ImportPath) {
			continue
		}
		if !known(p.ImportPath) {
			t.Errorf("%s is not in the layout: give it a place in the direction of imports", p.ImportPath)
		}
		for _, i := range p.Imports {
			if !strings.HasPrefix(i, "samepage/") {
				continue
			}
			if !mayImport(p.ImportPath, i) {
				t.Errorf("%s must not import %s", p.ImportPath, i)
			}
		}
	}
}

var saysNothing = regexp.MustCompile(
	`(^|[_/])(util|utils|helper|helpers|common|misc|manager|service|services)([_./]|$)`,
)

func TestFiles(t *testing.T) {
	for _, file := range goFiles(t) {
		if saysNothing.MatchString(file) {
			t.Errorf("%s: a name that says nothing", file)
		}
		data, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(data, []byte("\n")); n > 400 {
			t.Errorf("%s has %d lines; split it by what a reader looks for", file, n)
		}
	}
}

// mostFiles is the maximum number of Go files in a folder, not counting tests.
const mostFiles = 60

func TestFolders(t *testing.T) {
	files := map[string]int{}
	for _, file := range goFiles(t) {
		if !strings.HasSuffix(file, "_test.go") {
			files[path.Dir(file)]++
		}
	}
	for folder, n := range files {
		if n > mostFiles {
			t.Errorf("%s has %d Go files beside its tests, more than %d; split it by what a reader looks for",
				folder, n, mostFiles)
		}
	}
}

func TestTopLevel(t *testing.T) {
	allowed := []string{"cmd", "web", "views", "actions", "mcp", "store", "e2e", "go.mod", "go.sum",
		"README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "Dockerfile", "compose.yaml"}
	out, err := exec.Command("git", "-C", "..", "ls-files").Output()
	if err != nil {
		t.Skip("left out: this is no git checkout")
	}
	for _, file := range strings.Fields(string(out)) {
		top, _, _ := strings.Cut(file, "/")
		if !strings.HasPrefix(top, ".") && !slices.Contains(allowed, top) {
			t.Errorf("%s is not in the layout", top)
		}
	}
}

// TestDocs checks that every exported name outside of tests has a comment, except methods called
// Error.
func TestDocs(t *testing.T) {
	fset := token.NewFileSet()
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, filepath.Join("..", file), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Name.Name != "Error" && d.Doc == nil && exportedReceiver(d) {
					t.Errorf("%s: %s has no comment", fset.Position(d.Pos()), d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok && s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
						t.Errorf("%s: %s has no comment", fset.Position(s.Pos()), s.Name.Name)
					}
				}
			}
		}
	}
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if index, ok := typ.(*ast.IndexExpr); ok {
		typ = index.X
	}
	id, ok := typ.(*ast.Ident)
	return ok && id.IsExported()
}

// goFiles lists the Go files of the module, relative to its root.
func goFiles(t *testing.T) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" ||
			strings.HasPrefix(d.Name(), ".") && d.Name() != "..") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") {
			list = append(list, strings.TrimPrefix(filepath.ToSlash(path), "../"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
