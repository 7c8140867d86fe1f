package git

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	for _, bad := range []string{"", "-x", "a..b", "a/-b", "a/", "/a", "a//b", "HEAD", "a.lock", "a/b.lock/c", "a b",
		"a~1", "a^",
		"a:b", "a?", "a@{1}", "a\\b", "a\x00", ".a", "a.", strings.Repeat("a", 40), "--upload-pack=x"} {
		if CheckBranch(bad) == nil {
			t.Errorf("%q may be a branch", bad)
		}
	}
	for _, good := range []string{"main", "tools/sheds-2", "feature_1", "größe", "v1.2"} {
		if err := CheckBranch(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"http://x/y", "ext::sh -c x", "file:///x", "https://u:p@x/y", "https://x/y?z",
		"https://x/y#z",
		"ssh://x/y", "git@x:y",
		"-x", "https://", "https://x/../y", "https://-x/y"} {
		if CheckRemote(bad) == nil {
			t.Errorf("%q may be a remote", bad)
		}
	}
	if err := CheckRemote("https://git.example.org/team/garden.git"); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", ".", "..", "../x", "/x", "a/../b", "a//b", "a/", ".git/config", "a/.GIT/x",
		"a\nb"} {
		if CheckPath(bad) == nil {
			t.Errorf("%q may be a path", bad)
		}
	}
}

func TestSource(t *testing.T) {
	w := newWorld(t)
	root, other := filepath.Dir(w.source), t.TempDir()
	link := filepath.Join(root, "link")
	if err := os.Symlink(other, link); err != nil {
		t.Fatal(err)
	}
	for at, roots := range map[string][]string{
		w.source:                         {other},
		root + "/../" + "x":              {root},
		link:                             {root},
		"https://git.example.org/b/x":    {"https://git.example.org/a"},
		"https://git.example.org.evil/a": {"https://git.example.org"},
		"garden":                         {root},
		"ext::sh":                        {"ext::sh"},
	} {
		if s, err := ParseSource(at, roots); err == nil {
			t.Errorf("%s is taken for %+v below %s", at, s, roots)
		}
	}
	if s, err := ParseSource("https://git.example.org/a/x.git", []string{"https://git.example.org/a/"}); err != nil ||
		s.Remote == "" {
		t.Errorf("%+v %v", s, err)
	}
	w.write(w.source, ".git/objects/info/alternates", "/elsewhere\n")
	if _, err := w.repo.Fetch(t.Context(), Source{Path: w.source}); !errors.Is(err, ErrRefused) {
		t.Errorf("a repository that takes objects from elsewhere: %v", err)
	}
}

// TestOnlyLiterals checks that no code of this package converts a string to the type word. So every value of that
// type is a constant.
func TestOnlyLiterals(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	for _, file := range files {
		f, err := parser.ParseFile(fset, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if id, ok := c.Fun.(*ast.Ident); ok && id.Name == "word" {
				t.Errorf("%s: a string becomes a word", fset.Position(c.Pos()))
			}
			return true
		})
	}
}
