package runner_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"samepage/actions/effect/runner"
	"samepage/actions/effect/runner/git"
	"samepage/actions/param"
	work "samepage/store/work"
	"samepage/web/webtest"
)

// yard is a world in which a runner works on a repository with real git.
type yard struct {
	*webtest.World
	t      testing.TB
	source string // a person's repository, from which the runner fetches
	data   string // folder of the runner
	root   string // folder below which the runner accepts repositories
	repo   string // URL of the repository's page
	stop   func() // ends the runner
}

// newYard starts a runner and adds the repository shed to the studio Team.
func newYard(t testing.TB) *yard {
	t.Helper()
	root, source := shed(t)
	return yardOf(t, root, source)
}

// yardOf starts a runner and adds the repository at source to the studio Team.
func yardOf(t testing.TB, root, source string) *yard {
	t.Helper()
	return yardWith(t, source, runner.Config{Roots: []string{root}})
}

// yardWith starts a runner with a configuration, and adds the repository at source to the studio Team. Tests with a
// yard run in parallel, because they mostly wait.
func yardWith(t testing.TB, source string, c runner.Config) *yard {
	t.Helper()
	if t, ok := t.(*testing.T); ok {
		t.Parallel()
	}
	y := &yard{World: webtest.Of(t, "work"), t: t, source: source, data: t.TempDir(), root: c.Roots[0]}
	y.do("alice", y.URL("runner mill"), "update_runner", param.Input{"roots": y.root})
	y.repo = y.do("alice", y.URL("runner mill"), "add_repo", param.Input{"studio": "team", "name": "shed",
		"source": source})
	c.Site, c.Data = y.Site, y.data
	y.stop = startWith(t, y.World, c)
	becomes(t, y.World, y.repo, "Newest commits of trunk")
	return y
}

// do takes an action and returns the URL to which it leads.
func (y *yard) do(who, url, action string, in param.Input) string {
	y.t.Helper()
	r := y.As(who).Post(url, action, in)
	if r.Status != http.StatusSeeOther {
		y.t.Fatalf("%s: %s on %s: %d %s", who, action, url, r.Status, r.Body)
	}
	return r.Location()
}

// refused takes an action that must be refused with the text.
func (y *yard) refused(who, url, action string, in param.Input, text string) {
	y.t.Helper()
	r := y.As(who).PostJSON(url, action, in)
	if r.Status < 400 || !strings.Contains(r.Body, text) {
		y.t.Errorf("%s: %s on %s: %d %s, and not a refusal with %q", who, action, url, r.Status, r.Body, text)
	}
}

// folder returns the folder of a worktree.
func (y *yard) folder(name string) string {
	y.t.Helper()
	var id string
	y.Query(&id, `SELECT id FROM worktrees WHERE name = '`+name+`'`)
	return filepath.Join(y.data, "worktrees", id)
}

// git runs git in a folder, as a person or an agent would, and returns the output.
func (y *yard) git(dir string, args ...string) string {
	y.t.Helper()
	cmd := exec.CommandContext(y.t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=Bea", "-c",
		"user.email=b@x"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		y.t.Fatalf("git %v: %s", args, out)
	}
	return strings.TrimSpace(string(out))
}

func (y *yard) write(path, text string) {
	y.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		y.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		y.t.Fatal(err)
	}
}

// TestAWorktree checks that the runner makes the folder of a worktree. The page of the worktree must show what is
// changed and committed in the folder.
func TestAWorktree(t *testing.T) {
	y := newYard(t)
	tree := y.do("bob", y.repo, "create_worktree", param.Input{"name": "paint", "branch": "bob/paint"})
	becomes(t, y.World, tree, "0 ahead, 0 behind")
	dir := y.folder("paint")
	if on := y.git(dir, "branch", "--show-current"); on != "bob/paint" {
		t.Errorf("the checkout is on %s", on)
	}
	y.write(filepath.Join(dir, "door.txt"), "red\n")
	y.git(dir, "add", "-A")
	y.git(dir, "commit", "-q", "-m", "Paint the door")
	y.write(filepath.Join(dir, "walls", "-n.txt"), "white\n")
	y.do("bob", tree, "refresh_worktree", nil)
	page := becomes(t, y.World, tree, "1 ahead, 0 behind, uncommitted changes")
	for _, text := range []string{"| Paint the door | `", "` | Bea |", "[door.txt](", ") | added | +1 −0 |", "[walls/-n.txt]("} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q:\n%s", text, page)
		}
	}
	y.git(y.source, "commit", "-q", "--allow-empty", "-m", "Sweep")
	second := y.do("bob", y.repo, "create_worktree", param.Input{"name": "sweep", "fetch": "true"})
	becomes(t, y.World, second, "0 ahead, 0 behind")
	y.do("bob", tree, "refresh_worktree", nil)
	becomes(t, y.World, tree, "1 ahead, 1 behind")
	y.do("bob", y.repo, "create_worktree", param.Input{"name": "old", "base": "aside"})
	becomes(t, y.World, y.URL("team")+"/worktrees/old", "0 ahead, 0 behind")
}

// TestALongLog checks that the pages of a long log have every commit, in order. The last page must say where the
// runner's report ends.
func TestALongLog(t *testing.T) {
	y := newYard(t)
	tree := y.do("bob", y.repo, "create_worktree", param.Input{"name": "log"})
	becomes(t, y.World, tree, "0 ahead, 0 behind")
	read := func() (list []string, last string) {
		for at := tree + "/log"; at != ""; {
			last = y.As("bob").Get(at, "text/markdown").Body
			for line := range strings.Lines(last) {
				if cells := strings.Split(line, " | "); len(cells) == 4 && strings.HasPrefix(cells[1], "`") {
					list = append(list, strings.TrimPrefix(cells[0], "| "))
				}
			}
			_, rest, _ := strings.Cut(last, "[More commits](")
			at, _, _ = strings.Cut(rest, ")")
			at = strings.TrimPrefix(at, webtest.Origin)
		}
		return list, last
	}
	if list, last := read(); len(list) != 1 || !strings.Contains(last, "The history begins with this commit.") {
		t.Errorf("the log of a new worktree has %q:\n%s", list, last)
	}
	var want []string
	add := func(n int) {
		for range n {
			want = append(want, "Step "+strconv.Itoa(len(want)))
			y.git(y.folder("log"), "commit", "-q", "--allow-empty", "-m", want[len(want)-1])
		}
		y.do("bob", tree, "refresh_worktree", nil)
		becomes(t, y.World, tree, strconv.Itoa(len(want))+" ahead, 0 behind")
	}
	add(60)
	list, last := read()
	if slices.Reverse(list); !slices.Equal(list, append([]string{"Nail the boards"}, want...)) ||
		!strings.Contains(last, "## Up to the base") {
		t.Errorf("the log has %q:\n%s", list, last)
	}
	add(60)
	list, last = read()
	if slices.Reverse(list); !slices.Equal(list, want[20:]) ||
		!strings.Contains(last, "The report of the runner ends here: 20 older commits since the base") {
		t.Errorf("the log has %q:\n%s", list, last)
	}
	y.git(y.folder("log"), "push", "-q", y.source, "HEAD:trunk2")
	y.git(y.source, "merge", "-q", "--ff-only", "trunk2")
	y.do("bob", y.repo, "fetch_repo", nil)
	becomes(t, y.World, y.repo, "Step 119")
	y.do("bob", tree, "refresh_worktree", nil)
	becomes(t, y.World, tree, ": 0 ahead, 0 behind")
	list, last = read()
	if slices.Reverse(list); !slices.Equal(list, want[20:]) ||
		!strings.Contains(last, "The report of the runner ends here. Older commits are only in the repository.") {
		t.Errorf("the log has %q:\n%s", list, last)
	}
	if r := y.As("bob").Get(tree+"/log?from=nothing", "text/markdown"); r.Status != 422 && r.Status != 400 {
		t.Errorf("a commit that is none: %d", r.Status)
	}
}

// TestNamesOfWorktrees checks that dangerous names are refused, such as names that git would take for flags or that
// lead to another folder. The server and the runner must refuse the same names of branches.
func TestNamesOfWorktrees(t *testing.T) {
	y := newYard(t)
	for _, name := range []string{"-x", "..", "a/b", "a b", "A", ".git", "actions", "é"} {
		y.refused("bob", y.repo, "create_worktree", param.Input{"name": name, "branch": "fine"}, `"name"`)
	}
	branches := []string{"-x", "--upload-pack=x", "..", "a..b", "a/../b", "/a", "a/", "a//b", "HEAD", "a.lock",
		"x/.git", "@{-1}", "a b",
		"a:b",
		"a~1", "a^", "refs/heads/x\ny", strings.Repeat("0", 40), "fine", "bob/paint", "v1.2", "ö", "a.lock/b",
		"x@{y", "a_b+c@d"}
	for _, name := range branches {
		if (work.CheckBranch(name) == nil) != (git.CheckBranch(name) == nil) {
			t.Errorf("the site says %v about the branch %q, and the runner %v", work.CheckBranch(name), name,
				git.CheckBranch(name))
		}
		if work.CheckBranch(name) != nil {
			y.refused("bob", y.repo, "create_worktree", param.Input{"name": "fine", "branch": name}, `"branch"`)
		}
	}
	y.refused("bob", y.repo, "create_worktree", param.Input{"name": "fine", "base": "nowhere"}, `"base"`)
	y.refused("bob", y.repo, "create_worktree", param.Input{"name": "trunk"}, `"branch"`)
	y.do("bob", y.repo, "create_worktree", param.Input{"name": "one", "branch": "shared"})
	y.refused("bob", y.repo, "create_worktree", param.Input{"name": "two", "branch": "shared"}, `"branch"`)
	y.refused("bob", y.repo, "create_worktree", param.Input{"name": "one", "branch": "other"}, `"name"`)
	y.refused("mia", y.repo, "create_worktree", param.Input{"name": "three"}, "")
}

// TestEveryJobHasItsDoer checks that a runner can do exactly the kinds of jobs that the server declares.
func TestEveryJobHasItsDoer(t *testing.T) {
	if site, does := work.JobKinds(), runner.Kinds(); !slices.Equal(site, does) {
		t.Errorf("the site has jobs of the kinds %v, and a runner does %v", site, does)
	}
}

// TestAWorktreeIsArchived checks that a worktree with files or commits that are nowhere else is archived only if a
// member types its name. This must hold even if the server does not know these files yet. A restored worktree must
// have its commits again.
func TestAWorktreeIsArchived(t *testing.T) {
	y := newYard(t)
	tree := y.do("bob", y.repo, "create_worktree", param.Input{"name": "paint"})
	becomes(t, y.World, tree, "0 ahead, 0 behind")
	dir := y.folder("paint")
	y.write(filepath.Join(dir, "door.txt"), "red\n")
	y.do("bob", tree, "archive_worktree", nil) // the server does not know the file door.txt yet
	becomes(t, y.World, tree, "nowhere else, so its name must be typed. Members of Team can refresh it, and archive it again.")
	y.do("bob", tree, "refresh_worktree", nil)
	becomes(t, y.World, tree, "uncommitted changes")
	diff := y.As("bob").Get(tree+"/diff", "text/markdown").Body
	if !strings.Contains(diff, "## door.txt") || !strings.Contains(diff, "\n+red\n") {
		t.Errorf("the difference lacks the door:\n%s", diff)
	}
	y.refused("bob", tree, "archive_worktree", nil, "is required")
	y.refused("bob", tree, "archive_worktree", param.Input{"typed": "point"}, "The name is paint")
	y.refused("scout", tree, "archive_worktree", param.Input{"typed": "paint"}, "only a person")
	y.git(dir, "add", "-A")
	y.git(dir, "commit", "-q", "-m", "Paint the door")
	y.do("bob", tree, "refresh_worktree", nil)
	becomes(t, y.World, tree, "| Paint the door | `")
	y.write(filepath.Join(dir, "walls.txt"), "white\n")
	y.do("bob", tree, "archive_worktree", param.Input{"typed": "paint"})
	becomes(t, y.World, tree, "Its commits stay in the repository")
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
	var id string
	y.Query(&id, `SELECT repo_id FROM worktrees WHERE name = 'paint'`)
	if kept := y.git(filepath.Join(y.data, "repos", id+".git"), "log", "--all", "--name-only",
		"--format="); !strings.Contains(kept,
		"walls.txt") {
		t.Errorf("no commit has the walls: %s", kept)
	}
	y.do("bob", tree, "restore_worktree", nil)
	becomes(t, y.World, tree, "2 ahead, 0 behind") // the commit of the door, and that of the uncommitted walls.txt
	if text, err := os.ReadFile(filepath.Join(dir, "door.txt")); err != nil || string(text) != "red\n" {
		t.Errorf("the door is %q after the worktree was restored: %v", text, err)
	}
}

// TestAWorktreeIsTriedAgain checks that retry_worktree creates the folder of a worktree after the first attempt has
// failed. The second attempt must use the same params.
func TestAWorktreeIsTriedAgain(t *testing.T) {
	y := newYard(t)
	away := y.source + "-away"
	if err := os.Rename(y.source, away); err != nil {
		t.Fatal(err)
	}
	tree := y.do("bob", y.repo, "create_worktree", param.Input{"name": "paint", "fetch": "true"})
	becomes(t, y.World, tree, "Members of Team can try again, or archive it")
	y.do("bob", y.repo, "fetch_repo", nil)
	becomes(t, y.World, y.repo, "Members of Team can fetch it again.")
	y.do("scout", tree, "retry_worktree", nil)
	becomes(t, y.World, tree, "Members of Team can try again, or archive it")
	if err := os.Rename(away, y.source); err != nil {
		t.Fatal(err)
	}
	y.git(y.source, "commit", "-q", "--allow-empty", "-m", "Sweep")
	y.do("bob", tree, "retry_worktree", nil)
	becomes(t, y.World, tree, ": 0 ahead, 0 behind")
	if last := y.git(y.folder("paint"), "log", "-1", "--format=%s"); last != "Sweep" {
		t.Errorf("the second try did not fetch: the last commit is %s", last)
	}
	y.refused("bob", tree, "retry_worktree", nil, "The worktree is ready, so there is nothing to try again.")
	if r := y.As("reader").Get(tree+"/actions/retry_worktree", "text/markdown"); r.Status < 400 &&
		strings.Contains(r.Body, "## Try again") {
		t.Errorf("a reader can try again: %d", r.Status)
	}
}

// TestALongDifference checks that the pages of a long diff have every line, in order, and that each page stays within
// the limit.
func TestALongDifference(t *testing.T) {
	y := newYard(t)
	tree := y.do("bob", y.repo, "create_worktree", param.Input{"name": "long"})
	becomes(t, y.World, tree, "0 ahead, 0 behind")
	dir := y.folder("long")
	var want []string
	for _, name := range []string{"a", "b", "c"} {
		var text strings.Builder
		for i := range 700 {
			line := name + strconv.Itoa(i)
			want = append(want, line)
			text.WriteString(line + "\n")
		}
		y.write(filepath.Join(dir, name+".txt"), text.String())
	}
	y.do("bob", tree, "refresh_worktree", nil)
	becomes(t, y.World, tree, "uncommitted changes")
	var got []string
	pages := 0
	for at := tree + "/diff?full=1"; at != ""; pages++ {
		body := y.As("bob").Get(at, "text/markdown").Body
		n := 0
		for line := range strings.Lines(body) {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "+"); ok && !strings.HasPrefix(rest, "++") {
				got = append(got, rest)
				n++
			}
		}
		if n > 600 {
			t.Errorf("%s has %d lines", at, n)
		}
		at = ""
		if _, rest, ok := strings.Cut(body, "[More of the difference]("); ok {
			at, _, _ = strings.Cut(rest, ")")
			at = strings.TrimPrefix(at, webtest.Origin) + "&full=1"
		}
	}
	if pages != 4 || !slices.Equal(got, want) {
		t.Errorf("%d lines on %d pages, want %d on 4", len(got), pages, len(want))
	}
	if r := y.As("bob").Get(tree+"/diff?from=1", "text/markdown"); r.Status != 422 && r.Status != 400 {
		t.Errorf("a place that is none: %d", r.Status)
	}
}
