package runner_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"samepage/actions/param"
	"samepage/store"
	"samepage/store/work"
	"samepage/store/work/wire"
	"samepage/web/webtest"
)

// These are the sizes of the large repository.
const (
	largeFiles   = 50_000
	largeCommits = 20_000
)

// largeText returns the 20 lines of a file.
func largeText(file, version int) string {
	var b strings.Builder
	for line := range 20 {
		fmt.Fprintf(&b, "bed %d, row %d: planted %d times\n", file, line, version)
	}
	return b.String()
}

func largePath(file int) string { return fmt.Sprintf("beds/%03d/row-%05d.txt", file/200, file) }

// large makes a repository with 50,000 files and 20,000 commits.
func large(b testing.TB) (root, path string) {
	b.Helper()
	root = b.TempDir()
	path = filepath.Join(root, "large")
	var in bytes.Buffer
	data := func(text string) { fmt.Fprintf(&in, "data %d\n%s\n", len(text), text) }
	for c := range largeCommits {
		fmt.Fprintf(&in, "commit refs/heads/trunk\ncommitter Ann <a@x> %d +0000\n", 1_700_000_000+60*c)
		data(fmt.Sprintf("Plant row %d", c))
		first, last := c, c+1
		if c == 0 {
			last = largeFiles
		}
		for file := first; file < last; file++ {
			fmt.Fprintf(&in, "M 100644 inline %s\n", largePath(file))
			data(largeText(file, c))
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "trunk", path}, {"-C", path, "fast-import", "--quiet"}} {
		cmd := exec.CommandContext(b.Context(), "git", args...)
		cmd.Env = append(cmd.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
		if len(args) == 4 && args[2] == "fast-import" {
			cmd.Stdin = &in
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Skipf("left out: git %v: %s", args, out)
		}
	}
	return root, path
}

// BenchmarkLarge measures jobs on a large repository, and the pages of a worktree whose diff has 20,000 lines.
func BenchmarkLarge(b *testing.B) {
	began := time.Now()
	seconds := map[string]float64{}
	took := func(job string) {
		seconds[job] = time.Since(began).Seconds()
		began = time.Now()
	}
	root, source := large(b)
	took("generate")
	y := yardOf(b, root, source)
	took("fetch")
	tree := y.do("bob", y.repo, "create_worktree", param.Input{"name": "long"})
	becomes(b, y.World, tree, ": 0 ahead, 0 behind")
	took("create")
	dir := y.folder("long")
	for i := range 3 {
		y.git(dir, "commit", "-q", "--allow-empty", "-m", fmt.Sprintf("Look %d", i))
	}
	for i := range 420 { // each patch has 20 removed lines, 20 added lines and 5 header lines
		y.write(filepath.Join(dir, largePath(100*i)), largeText(100*i, -1))
	}
	y.write(filepath.Join(dir, "log.txt"), strings.Repeat("watered\n", 1_000))
	began = time.Now()
	y.do("bob", tree, "refresh_worktree", nil)
	becomes(b, y.World, tree, "3 ahead, 0 behind, uncommitted changes")
	took("refresh")
	y.do("bob", tree, "refresh_worktree", nil)
	becomes(b, y.World, tree, "Ready.\n")
	took("refresh-again")
	var lines int
	y.Query(&lines, `SELECT sum(lines) FROM worktree_files`)
	b.Run("jobs", func(b *testing.B) {
		for b.Loop() {
			b.ReportMetric(float64(lines), "lines")
		}
		for job, s := range seconds {
			b.ReportMetric(s, "s/"+job)
		}
	})
	for name, url := range map[string]string{"worktree": tree, "diff": tree + "/diff", "diff in the middle": tree + "/diff?from=200.3",
		"log": tree + "/log", "repository": y.repo} {
		for _, format := range []string{"text/html", "text/markdown"} {
			b.Run(name+" "+format, func(b *testing.B) {
				client, size := y.As("bob"), 0
				for b.Loop() {
					r := client.Get(url, format)
					if r.Status != 200 {
						b.Fatalf("%s: %d %s", url, r.Status, r.Body)
					}
					size = len(r.Body)
				}
				b.ReportMetric(float64(size), "bytes")
			})
		}
	}
}

// TestNoDifferenceIsTooLong checks that each page of a very long diff stays within the limit, and that the pages
// together have every line.
func TestNoDifferenceIsTooLong(t *testing.T) {
	const limit = 10_000 // characters of a page, as in e2e/budget
	y := &yard{World: webtest.Of(t, "work"), t: t}
	tree := y.URL("worktree watering")
	var id string
	y.Query(&id, `SELECT id FROM worktrees WHERE name = 'watering'`)
	many := func(n int, line string) string {
		return "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n" + strings.Repeat(line, n-4)
	}
	for name, patches := range map[string][]string{
		"one file of 20,000 lines": {many(20_000, "+a line of about a hundred characters, because the limit of all is two megabytes\n")},
		"one endless line":         {many(5, "+"+strings.Repeat("é", 900_000)+"\n"), many(6, "+short\n")},
		"3,000 files":              strings.Split(strings.Repeat(many(6, "+x\n")+"\x00", 2999)+many(6, "+x\n"), "\x00"),
		"long lines":               {many(900, "+"+strings.Repeat("<", 1900)+"\n")},
	} {
		f := wire.WorktreeFacts{Head: strings.Repeat("1", 40), Base: strings.Repeat("2", 40)}
		want := 0
		for i, p := range patches {
			want += strings.Count(p, "\n") - 4
			f.Files = append(f.Files, wire.ChangedFile{Path: fmt.Sprintf("f%04d", i), Change: "modified", Patch: p})
		}
		if err := y.Store.Write(t.Context(), func(tx *store.Tx) error { return work.ReportWorktree(tx, id, f) }); err != nil {
			t.Fatal(err)
		}
		got, pages := 0, 0
		for at := tree + "/diff"; at != ""; pages++ {
			if body := y.As("scribe").Get(at, "text/markdown").Body; utf8.RuneCountInString(body) > limit {
				t.Errorf("%s: %s has %d characters", name, at, utf8.RuneCountInString(body))
			}
			if body := y.As("bob").Get(at, "text/html").Body; len(body) > 500_000 {
				t.Errorf("%s: %s has %d bytes of HTML", name, at, len(body))
			}
			full := "?full=1"
			if strings.Contains(at, "?") {
				full = "&full=1"
			}
			body := y.As("bob").Get(at+full, "text/markdown").Body
			if len(body) > 100_000 && len(patches) == 1 {
				t.Errorf("%s: %s has %d bytes", name, at, len(body))
			}
			got += strings.Count(body, "\n+") - strings.Count(body, "\n+++ ")
			_, rest, _ := strings.Cut(body, "[More of the difference](")
			at, _, _ = strings.Cut(rest, ")")
			at = strings.TrimPrefix(at, webtest.Origin)
		}
		if got != want {
			t.Errorf("%s: %d lines on %d pages, want %d", name, got, pages, want)
		}
		if body := y.As("scribe").Get(tree, "text/markdown").Body; utf8.RuneCountInString(body) > limit {
			t.Errorf("%s: the page of the worktree has %d characters", name, utf8.RuneCountInString(body))
		}
		t.Logf("%s: %d pages", name, pages)
	}
}
