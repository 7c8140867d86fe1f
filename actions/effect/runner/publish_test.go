package runner_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"samepage/actions/effect/runner"
	"samepage/actions/effect/runner/forge"
	"samepage/actions/effect/runner/forge/forgetest"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/work"
)

// atForge returns a yard whose repository comes from a test server that works like GitHub.
func atForge(t *testing.T) (*yard, *forgetest.Server) {
	t.Helper()
	_, source := shed(t)
	s := forgetest.New(t, source)
	account := s.Account()
	y := yardWith(t, s.Source, runner.Config{Roots: []string{account.Root}, Forges: []forge.Account{account},
		WatchEvery: 50 * time.Millisecond})
	y.do("alice", y.repo, "update_repo", param.Input{"rule": "any"})
	return y, s
}

// pull lets an agent follow a script in a new worktree, and opens a pull request for its commit.
func (y *yard) pull(name, lines string) (session, pull string) {
	y.t.Helper()
	session = y.done("bob", y.worktree(name), "agent-"+name, lines)
	return session, y.do("bob", session, "create_pull_request",
		param.Input{"title": "Add " + name, "text": "It is **new**."})
}

// TestAPullRequestIsPublished tells the story of a published pull request. The pull request on the forge gets the
// same commits, texts and state. The page shows the forge's checks, which keep agents from merging until they pass.
// The pull request is merged on the forge.
func TestAPullRequestIsPublished(t *testing.T) {
	y, there := atForge(t)
	says(t, y.World, y.repo, "can be published at 127.0.0.1")
	says(t, y.World, y.URL("runner mill"), "**Opens pull requests at**: `https://127.0.0.1")
	s, pull := y.pull("door", "write door.txt red\\n\nturn\nwrite walls.txt white\\n")
	y.refused("oscar", pull, "publish_pull_request", nil, "")
	y.do("bob", pull, "publish_pull_request", nil)
	page := becomes(t, y.World, pull, "[#1](https://127.0.0.1")
	if got := there.Titles(); !slices.Equal(got, []string{"Add door (open)"}) {
		t.Errorf("there are %q:\n%s", got, page)
	}
	y.refused("bob", pull, "publish_pull_request", nil, "It is published: https://127.0.0.1")
	head := there.Git("rev-parse", "door")
	if got := y.git(y.folder("door"), "rev-parse", "HEAD"); got != head {
		t.Errorf("the branch there has %s, want %s", head, got)
	}

	there.Check(head, map[string]string{"lint": "", "build": "success"})
	becomes(t, y.World, pull, "checks have not ended: lint")
	y.refused("scribe", pull, "merge_pull_request", nil, "have not passed. A person can merge it")
	there.Check(head, map[string]string{"lint": "failure", "build": "success"})
	becomes(t, y.World, pull, "checks failed: lint")
	y.refused("alice", pull, "merge_pull_request", nil, "reason")

	y.do("bob", s, "prompt_session", param.Input{"prompt": "The walls, too."})
	becomes(t, y.World, pull, "[walls.txt](")
	for range 400 {
		if head = there.Git("rev-parse", "door"); there.Git("ls-tree", "--name-only", head, "walls.txt") != "" {
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	there.Check(head, map[string]string{"lint": "success", "build": "skipped"})
	becomes(t, y.World, pull, "its checks passed")
	y.do("bob", pull, "update_pull_request", param.Input{"title": "Paint", "text": "All."})
	y.do("bob", pull, "close_pull_request", nil)
	y.becomesThere(there, "Paint (closed)")
	y.do("bob", pull, "reopen_pull_request", nil)
	y.becomesThere(there, "Paint (open)")
	becomes(t, y.World, pull, "It waits for somebody to merge it")

	y.refused("scribe", pull, "merge_pull_request", param.Input{"method": "fast_forward"}, "method")
	there.FailMerge(http.StatusMethodNotAllowed, "At least 1 approving review is required.")
	y.do("scribe", pull, "merge_pull_request", nil)
	becomes(t, y.World, pull, "it answers 405: At least 1 approving review is required.")
	y.do("scribe", pull, "merge_pull_request", param.Input{"method": "squash", "delete_branch": "true"})
	becomes(t, y.World, pull, "deleted with the worktree; restore_worktree")
	if got := there.Git("log", "-1", "--format=%s", "trunk"); got != "Paint" {
		t.Errorf("the last commit there is %q", got)
	}
	if got := there.Git("branch", "--list", "door"); got != "" {
		t.Errorf("the branch is still there: %s", got)
	}
	says(t, y.World, y.repo, "| Paint | `", "` | GitHub |")
	for _, call := range there.Calls() {
		if strings.Contains(call, forgetest.Token) {
			t.Errorf("the token is in %q", call)
		}
	}
}

// becomesThere waits until the forge has exactly one pull request or issue: the one in the parameter want, such as
// "Door (open)".
func (y *yard) becomesThere(there *forgetest.Server, want string) {
	y.t.Helper()
	for range 400 {
		if slices.Equal(there.Titles(), []string{want}) {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	y.t.Fatalf("there are %q, not %q", there.Titles(), want)
}

// TestWhatHappensThere merges and closes published pull requests on the forge. The pages of the pull requests and of
// the worktree must follow. A branch that somebody else has changed on the forge must not be overwritten.
func TestWhatHappensThere(t *testing.T) {
	y, there := atForge(t)
	_, one := y.pull("door", "write door.txt red\\n")
	_, two := y.pull("walls", "write walls.txt white\\n")
	for i, pull := range []string{one, two} {
		y.do("bob", pull, "publish_pull_request", nil)
		becomes(t, y.World, pull, []string{"[#1](", "[#2]("}[i])
	}
	there.Press(1, "merge")
	page := becomes(t, y.World, one, "by octocat")
	if !strings.Contains(page, "Merged at 127.0.0.1") {
		t.Errorf("the page:\n%s", page)
	}
	becomes(t, y.World, "/studios/team/worktrees/door", "0 ahead")
	there.Press(2, "close")
	becomes(t, y.World, two, "Closed at 127.0.0.1")
	y.refused("scribe", one, "merge_pull_request", nil, "is merged")
	says(t, y.World, "/inbox?all=1", "merged")

	theirs := there.Commit("walls", "theirs.txt", "x")
	y.do("bob", two, "reopen_pull_request", nil)
	becomes(t, y.World, two, "nothing there was overwritten")
	if got := there.Git("rev-parse", "walls"); got != theirs {
		t.Errorf("the branch has %s, want that of somebody else, %s", got, theirs)
	}
}

// TestAFullForgeIsLeftAlone lets the forge ask for a pause. The runner must make no other request before its end, and
// look at the pull request after it.
func TestAFullForgeIsLeftAlone(t *testing.T) {
	y, there := atForge(t)
	_, pull := y.pull("door", "write door.txt red\\n")
	y.do("bob", pull, "publish_pull_request", nil)
	becomes(t, y.World, pull, "[#1](")
	there.Answer(1, http.StatusForbidden, map[string]string{"Retry-After": "2"}, "A secondary rate limit.")
	before := len(there.Calls())
	for range 400 { // the runner hears it
		if len(there.Calls()) > before {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	heard := len(there.Calls())
	time.Sleep(time.Second)
	if n := len(there.Calls()) - heard; n > 0 {
		t.Errorf("there were %d requests in the pause", n)
	}
	there.Press(1, "merge")
	becomes(t, y.World, pull, "by octocat")
}

// TestIssuesAreMade opens issues on the forge from a text. A text is refused if it begins without a title, or has an
// empty title.
func TestIssuesAreMade(t *testing.T) {
	y, there := atForge(t)
	y.refused("scribe", y.repo, "create_issues", param.Input{"issues": "no title\n\n# Oil"}, "belongs to no issue")
	y.refused("scribe", y.repo, "create_issues", param.Input{"issues": "# \nempty"}, "has 0 characters")
	y.do("scribe", y.repo, "create_issues", param.Input{"issues": "# Oil the door\n\nIt *squeaks*.\n\n" +
		"```sh\n# no title\n```\n# Mend | the roof"})
	page := becomes(t, y.World, y.repo, "[#1001 Mend")
	if !strings.Contains(page, "[#1000 Oil the door](https://127.0.0.1") || strings.Contains(page, "not made yet") {
		t.Errorf("the page:\n%s", page)
	}
	y.refused("bob", y.repo, "retry_issues", nil, "All issues are made")
	if got := there.Titles(); !slices.Equal(got, []string{"Oil the door", "Mend | the roof"}) {
		t.Errorf("there are %q", got)
	}
	missing := 2*work.MaxIssues + 5 // more than one job makes
	if err := y.Store.Write(t.Context(), func(tx *store.Tx) (err error) {
		for i := range missing {
			err = errors.Join(err, tx.Exec(`INSERT INTO issues (id, org_id, repo_id, title, text, created_at, member_id)
				SELECT ?, org_id, repo_id, 'Missing', '', created_at + ?, member_id FROM issues WHERE title = 'Oil the door'`,
				fmt.Sprint("missing", i), 10+i))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	y.do("bob", y.repo, "retry_issues", nil)
	becomes(t, y.World, y.repo, fmt.Sprintf("[#%d Missing]", 1001+missing))
	y.refused("bob", y.repo, "retry_issues", nil, "All issues are made")
}
