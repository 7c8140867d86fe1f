package clients

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"samepage/store/pgtest"
)

// write writes a file for a checker.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// keep writes the page's present HTML, after its script has run, to a file for the HTML checkers.
func (b *browser) keep(dir, name string) {
	b.t.Helper()
	write(b.t, filepath.Join(dir, name+".html"), "<!DOCTYPE html>\n"+eval[string](b, `document.documentElement.outerHTML`))
}

// validHTML checks that html-validate and Nu accept all pages in a folder. The presets are sets of html-validate's
// rules in addition to the recommended ones.
func validHTML(t *testing.T, dir string, presets ...string) {
	t.Helper()
	config := filepath.Join(t.TempDir(), "html-validate.json")
	// In a list of choices, several checkboxes and buttons have the same name.
	write(t, config, `{"root": true, "extends": ["`+strings.Join(append([]string{"html-validate:recommended"}, presets...), `", "`)+
		`"], "rules": {"form-dup-name": "off"}}`)
	if res := runNode(t, dir, "html-validate/bin/html-validate.mjs", "--config", config,
		"--formatter", "text", "*.html"); res.code != 0 {
		t.Errorf("html-validate: exit code %d:\n%s%s", res.code, res.output, res.errors)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d pages: %v", len(files), err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	// Nu does not know the WebMCP attributes that the script adds to forms.
	cmd := exec.CommandContext(ctx, file(t, "/usr/bin/java"), append([]string{"-XX:TieredStopAtLevel=1", "-Xss4m", "-jar",
		file(t, modules, "vnu-jar/build/dist/vnu.jar"), "--stdout", "--format", "gnu", "--filterpattern",
		`Attribute “tool(name|description|paramdescription)” not allowed .*`}, files...)...)
	if out, err := cmd.CombinedOutput(); err != nil || len(bytes.TrimSpace(out)) > 0 {
		t.Errorf("Nu: %v\n%s", err, out)
	}
}

// TestStyleSheet checks that stylelint accepts the style sheet by its standard rules. Two rules are off. A line may
// have several declarations, because the file has a limit of lines. Selectors need not be in order of specificity,
// because they are grouped by the part of the page, and cascade layers set their order.
func TestStyleSheet(t *testing.T) {
	t.Parallel()
	story(t)
	pgtest.Folder(t, "it is about a file")
	config := filepath.Join(t.TempDir(), "stylelint.json")
	// Safari knows this property only with its prefix.
	write(t, config, `{"extends": "stylelint-config-standard", "rules": {
		"declaration-block-single-line-max-declarations": null, "no-descending-specificity": null,
		"property-no-vendor-prefix": [true, {"ignoreProperties": ["-webkit-text-size-adjust"]}]}}`)
	if res := runNode(t, "", "stylelint/bin/stylelint.mjs", "--config", config, "--config-basedir", file(t, modules),
		file(t, root, "web/static/app.css")); res.code != 0 {
		t.Errorf("stylelint: exit code %d:\n%s%s", res.code, res.output, res.errors)
	}
}

// TestPagesAreValid checks that html-validate and Nu accept the HTML of every page and that markdownlint accepts the
// markdown.
func TestPagesAreValid(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "pages are the same")
	w, list := samples(t)
	alice := w.asPerson(open(t).login(w, "alice"))["Cookie"]
	htmlDir, mdDir := t.TempDir(), t.TempDir()
	for _, s := range list {
		for accept, path := range map[string]string{
			"text/html":     filepath.Join(htmlDir, s.name+".html"),
			"text/markdown": filepath.Join(mdDir, s.name+".md"),
		} {
			header := http.Header{"Accept": {accept}}
			if !s.public {
				header["Cookie"] = alice
			}
			res := w.ask(s.path, header)
			if res.status != 200 || !strings.HasPrefix(res.header.Get("Content-Type"), accept) {
				t.Errorf("%s as %s: %d %s", s.name, accept, res.status, res.header.Get("Content-Type"))
			}
			write(t, path, res.body)
		}
	}
	// Errors are pages too.
	write(t, filepath.Join(htmlDir, "missing.html"),
		w.ask("/studios/nowhere", http.Header{"Accept": {"text/html"}, "Cookie": alice}).body)
	write(t, filepath.Join(mdDir, "missing.md"),
		w.ask("/studios/nowhere", http.Header{"Accept": {"text/markdown"}, "Cookie": alice}).body)
	write(t, filepath.Join(mdDir, "signin.md"), w.get("/", "text/markdown", "").body)

	validHTML(t, htmlDir)
	// Lines may have any length, because members write them. The title is in the front matter and in the heading,
	// which comes after the breadcrumb trail.
	write(t, filepath.Join(mdDir, ".markdownlint-cli2.jsonc"),
		`{"config": {"MD013": false, "MD010": {"code_blocks": false}, "MD025": {"front_matter_title": ""},
		"MD060": {"style": "any"}}}`)
	if res := runNode(t, mdDir, "markdownlint-cli2/markdownlint-cli2-bin.mjs", "*.md"); res.code != 0 {
		t.Errorf("markdownlint: exit code %d:\n%s%s", res.code, res.output, res.errors)
	}
	t.Logf("%d pages in both forms", len(list))
}
