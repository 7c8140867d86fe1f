package e2e

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// These are the rules of style that a machine can check for lines, functions and comments. The rules for files and
// folders are in TestFiles and TestFolders.
const (
	widest        = 140 // columns of a line; a tab is 4
	wide          = 120 // columns that at most one line in 100 may exceed
	longest       = 80  // lines of a function, unless isTable reports true for it
	vagueInTree   = 5   // vague words in 1,000 words of comments, in all folders together
	vagueInFolder = 10  // the same figure for one folder
	fewWords      = 300 // a folder with fewer words of comments has no limit of its own
)

// vague lists pronouns that comments often use instead of the name of their subject.
var vague = []string{"who", "what", "whose", "whom", "whoever", "whatever"}

func TestLinesFit(t *testing.T) {
	all := 0
	var over []string
	for _, file := range goFiles(t) {
		for i, line := range strings.Split(source(t, file), "\n") {
			all++
			n := len([]rune(line)) + 3*strings.Count(line, "\t")
			if n > widest {
				t.Errorf("%s:%d: the line has %d columns, more than %d: break it", file, i+1, n, widest)
			}
			if n > wide {
				over = append(over, fmt.Sprintf("%s:%d", file, i+1))
			}
		}
	}
	if len(over)*100 > all {
		t.Errorf("%d of %d lines have more than %d columns, more than one in 100: break some of them\n%s",
			len(over), all, wide, strings.Join(over, "\n"))
	}
}

func TestFunctionsAreShort(t *testing.T) {
	for _, file := range goFiles(t) {
		fset, f := parsed(t, file)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := linesOf(fset, fn); n > longest && !isTable(fset, fn) {
				t.Errorf("%s:%d: %s has %d lines, more than %d, and is no table: split it",
					file, fset.Position(fn.Pos()).Line, fn.Name.Name, n, longest)
			}
		}
	}
}

// isTable reports whether more than half of a function's lines are in composite literals.
func isTable(fset *token.FileSet, fn *ast.FuncDecl) bool {
	inLiterals := 0
	ast.Inspect(fn, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if ok {
			inLiterals += linesOf(fset, lit)
		}
		return !ok // a literal inside another one counts once
	})
	return 2*inLiterals > linesOf(fset, fn)
}

func linesOf(fset *token.FileSet, n ast.Node) int {
	return fset.Position(n.End()).Line - fset.Position(n.Pos()).Line + 1
}

// comments holds the number of words in the comments of a folder, and the places of the vague words.
type comments struct {
	words int
	vague []string
}

func (c comments) tooVague(limit int) bool { return len(c.vague)*1000 > c.words*limit }

func (c comments) String() string {
	return fmt.Sprintf("comments have %d vague words in %d: name the subject of the sentence instead\n%s",
		len(c.vague), c.words, strings.Join(c.vague, "\n"))
}

func TestCommentsNameTheirSubject(t *testing.T) {
	var tree comments
	folders := map[string]comments{}
	for _, file := range goFiles(t) {
		found := commentsOf(t, file)
		folder := folders[path.Dir(file)]
		folder.words += found.words
		folder.vague = append(folder.vague, found.vague...)
		folders[path.Dir(file)] = folder
		tree.words += found.words
		tree.vague = append(tree.vague, found.vague...)
	}
	for name, folder := range folders {
		if folder.words > fewWords && folder.tooVague(vagueInFolder) {
			t.Errorf("%s: %s", name, folder)
		}
	}
	if tree.tooVague(vagueInTree) {
		t.Errorf("the tree: %s", tree)
	}
	t.Logf("%d vague words in %d", len(tree.vague), tree.words)
}

var word = regexp.MustCompile(`[A-Za-z']+`)

// commentsOf counts the words in a file's comments. Directives such as go:build do not count.
func commentsOf(t *testing.T, file string) (found comments) {
	t.Helper()
	fset, f := parsed(t, file)
	for _, group := range f.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:") {
				continue
			}
			for i, line := range strings.Split(c.Text, "\n") {
				for _, w := range word.FindAllString(line, -1) {
					found.words++
					if slices.Contains(vague, strings.ToLower(w)) {
						found.vague = append(found.vague,
							fmt.Sprintf("%s:%d: %s", file, fset.Position(c.Pos()).Line+i, w))
					}
				}
			}
		}
	}
	return found
}

func source(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", file))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func parsed(t *testing.T, file string) (*token.FileSet, *ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, filepath.Join("..", file), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return fset, f
}
