package web_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/web/webtest"
)

// described is the description of a parameter in one format of a page.
type described struct {
	optional bool
	most     int // largest number of characters; 0 if the format does not say
}

// TestFieldsAgree checks that a listed action has the same parameters in Markdown, in HTML and in JSON Schema. The
// three forms agree whether a parameter is optional, and how long it may be.
func TestFieldsAgree(t *testing.T) {
	aboutContent(t)
	w := webtest.New(t)
	checked, seen := 0, map[string]bool{}
	for _, actor := range []string{"alice", "bob", "erin", "scribe", "oscar"} {
		c := w.As(actor)
		for _, v := range pages(survey(t, actor)) {
			path, _, _ := strings.Cut(v.url, "?")
			if len(v.page.Actions) == 0 || seen[actor+path] {
				continue
			}
			seen[actor+path] = true
			sections := markdownFields(c.Get(path+"?full=1", "text/markdown").Body)
			for _, a := range v.page.Actions {
				checked++
				decl := v.place.Actions[slices.IndexFunc(v.place.Actions, func(d action.Decl) bool { return d.Name == a.Name })]
				s := schemaOf(t, a)
				bySchema := map[string]described{}
				for name, p := range s.Properties {
					bySchema[name] = described{!slices.Contains(s.Required, name), p.MaxLength}
				}
				byMarkdown, byHTML := sections[a.Name],
					htmlFields(t, c.Get(strings.TrimPrefix(a.URL, webtest.Origin), "text/html").Body)
				for form, fields := range map[string]map[string]described{"markdown": byMarkdown, "HTML": byHTML} {
					if !slices.Equal(slices.Sorted(maps.Keys(fields)), slices.Sorted(maps.Keys(bySchema))) {
						t.Errorf("%s on %s: %s has %v, the schema %v", a.Name, path, form, fields, bySchema)
					}
					for name, f := range fields {
						// A form sends every field with its present value, and says which choices it shows. A call of
						// a program can leave out fields that do not change, but must name its choices.
						sentAnyway := form == "HTML" && (decl.Keeps || name == "accept" || name == "yes")
						if f.optional != bySchema[name].optional && !sentAnyway || f.most != 0 && f.most != bySchema[name].most {
							t.Errorf("%s on %s: %s says %+v of %s, the schema %+v", a.Name, path, form, f, name,
								bySchema[name])
						}
					}
				}
			}
		}
	}
	t.Logf("%d listed actions agree in three forms", checked)
}

var (
	actionLine = regexp.MustCompile(`^- \*\*([a-z\\_]+)\*\*`)
	fieldLine  = regexp.MustCompile("^  - `([a-z_]+)` \\((optional)?[^)]*?(?:at most ([0-9]+) characters?)?\\)")
)

// markdownFields returns the parameters in the section about actions, by action.
func markdownFields(markdown string) map[string]map[string]described {
	all, name := map[string]map[string]described{}, ""
	_, section, _ := strings.Cut(markdown, "\n## Actions\n")
	for line := range strings.Lines(section) {
		if m := actionLine.FindStringSubmatch(line); m != nil {
			name = strings.ReplaceAll(m[1], `\`, "")
			all[name] = map[string]described{}
		} else if m := fieldLine.FindStringSubmatch(line); m != nil {
			most, _ := strconv.Atoi(m[3]) // empty means no limit
			all[name][m[1]] = described{m[2] != "", most}
		}
	}
	return all
}

// htmlFields returns the fields of the form on an action's own page. The cells of a grid or of a table's row count as
// one field.
func htmlFields(t *testing.T, body string) map[string]described {
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]described{}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || !slices.Contains([]string{"input", "select", "textarea"}, n.Data) {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(attr(n, "name"), "_cell."), ".")
		if name == "" || strings.HasPrefix(name, "_") || attr(n.Parent, "role") == "search" {
			continue
		}
		box := n
		for box.Parent != nil && !slices.Contains(strings.Fields(attr(box, "class")), "field") {
			box = box.Parent
		}
		// An unticked flag is an answer too, so the form does not call the flag optional.
		isFlag := attr(n, "type") == "checkbox" && attr(n, "value") == "true"
		optional := strings.Contains(textIn(box), "(optional)") || strings.Contains(textIn(box), "(needed for “")
		fields[name] = described{optional: isFlag || optional}
	}
	return fields
}

func textIn(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

// TestEveryActionHasItsPlace checks that every declared action is on a route and has a scope. The name of an
// action must be a string literal in exactly one place of the code, so that a search finds the declaration.
func TestEveryActionHasItsPlace(t *testing.T) {
	slow(t)
	placed := map[string]action.Decl{}
	for _, p := range webtest.New(t).Site.Places() {
		for _, a := range p.Actions {
			placed[a.Name] = a
			if a.Scope != store.ScopeRunner && !slices.Contains(store.Scopes(), a.Scope) {
				t.Errorf("%s has no scope", a.Name)
			}
			for _, f := range a.Fields {
				// TestChangePassword and TestNobodyJoinsVotersAndBallots check that these secrets are stored nowhere.
				if f.Kind == param.Secret && a.Name != actions.ChangePassword.Name && f.Name != "receipt" {
					t.Errorf("%s takes the secret %s: see that the journal and the answers leave it out, then allow "+
						"it here", a.Name, f.Name)
				}
			}
		}
	}
	declared, shared, literals := map[string]bool{}, map[string]bool{}, map[string][]string{}
	for file, tree := range sources(t) {
		ast.Inspect(tree.File, func(n ast.Node) bool {
			if !strings.HasPrefix(file, "actions"+string(filepath.Separator)) || ofRunner(file) {
			} else if kv, ok := n.(*ast.KeyValueExpr); ok && isName(kv.Key, "Name") {
				if s, ok := literal(kv.Value); ok {
					declared[s] = true
				}
			} else if v, ok := n.(*ast.ValueSpec); ok { // a constant holds the name of an action that several kinds of items have
				for _, value := range v.Values {
					if s, ok := literal(value); ok {
						shared[s] = true
					}
				}
			}
			if s, ok := literal(n); ok {
				literals[s] = append(literals[s], tree.at(n))
			}
			return true
		})
	}
	for name := range declared {
		if _, ok := placed[name]; !ok {
			t.Errorf("%s is declared and on no route", name)
		}
	}
	for name := range placed {
		if !declared[name] && !shared[name] {
			t.Errorf("%s is on a route and declared in no file of actions", name)
		}
		if at := literals[name]; len(at) != 1 {
			t.Errorf("the string %q is in the code %d times: %s", name, len(at), strings.Join(at, ", "))
		}
	}
}

// ofRunner reports whether a file is in the packages that run agents. These packages declare no actions, and use
// words of the Agent Client Protocol, such as session, in that protocol's sense.
func ofRunner(file string) bool {
	return strings.HasPrefix(file, filepath.Join("actions", "effect", "runner"))
}

// never matches terms that the product does not use, as whole words.
var never = regexp.MustCompile(
	`(?i)\b(tenants?|collectives?|bots?|personas?|kanban|audit records?|decision records?|session boards?)\b`)

// notYet matches terms that texts may use only once the product has a route with this part.
var notYet = map[string]*regexp.Regexp{
	"/tasks/": regexp.MustCompile(`(?i)\btasks?\b`),
}

var tags = regexp.MustCompile(`<[^>]*>`)

// TestVocabulary checks that texts for people and agents use no term that never matches, and a term of notYet only
// if the product has the route of that term.
func TestVocabulary(t *testing.T) {
	slow(t)
	var patterns string
	for _, p := range webtest.New(t).Site.Places() {
		patterns += p.Pattern + "\n"
	}
	check := func(at, text string, ofRunner bool) {
		text = tags.ReplaceAllString(text, "")
		if word := never.FindString(text); word != "" {
			t.Errorf("%s: %q has a name of its own here: %q", at, word, text)
		}
		if ofRunner {
			return
		}
		for route, word := range notYet {
			if !strings.Contains(patterns, route) && word.MatchString(text) {
				t.Errorf("%s: %q is kept for another noun", at, text)
			}
		}
	}
	texts := 0
	for file, tree := range sources(t) {
		if strings.HasPrefix(file, "store"+string(filepath.Separator)) && strings.Contains(file, "dialect") {
			continue // the file contains SQL
		}
		ast.Inspect(tree.File, func(n ast.Node) bool {
			if s, ok := literal(n); ok {
				texts++
				check(tree.at(n), s, ofRunner(file))
			}
			return true
		})
	}
	help, err := filepath.Glob(filepath.Join(webtest.Root(), "views", "help", "*.md"))
	if err != nil || len(help) == 0 {
		t.Fatal("no help pages", err)
	}
	for _, file := range help {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		check(file, string(text), false)
	}
	t.Logf("%d texts in the code, %d pages of help", texts, len(help))
}

type source struct {
	*ast.File
	set *token.FileSet
}

func (s source) at(n ast.Node) string { return s.set.Position(n.Pos()).String() }

// sources returns the Go files of the product, by their path in the module.
func sources(t *testing.T) map[string]source {
	t.Helper()
	root, all := webtest.Root(), map[string]source{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		if d.IsDir() && (slices.Contains([]string{"e2e", "testdata", "pagetest", "webtest"}, d.Name()) ||
			strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		all[name] = source{tree, set}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("only %d files of Go under %s", len(all), root)
	}
	return all
}

func literal(n ast.Node) (string, bool) {
	lit, ok := n.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}

func isName(n ast.Node, name string) bool {
	id, ok := n.(*ast.Ident)
	return ok && id.Name == name
}
