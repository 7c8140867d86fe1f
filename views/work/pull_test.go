package work

import (
	"fmt"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/work"
	"samepage/views/page"
)

// TestCommitsOfPull checks that the page of a pull request has its newest commits, and a link to the log for the older
// ones.
func TestCommitsOfPull(t *testing.T) {
	v := &work.PullPage{Pull: &work.Pull{N: 1, Title: "Sow", Worktree: "beans", Ahead: 30,
		Studio: &store.Studio{Handle: "team", Name: "Team"}}}
	for n := range 25 {
		v.Commits = append(v.Commits, work.Commit{Hash: strings.Repeat("a", 40), Subject: fmt.Sprintf("Commit %d.", n+1)})
	}
	p := Pull(store.Actor{}, v)
	html := string(p.AppendHTML(nil, &page.Context{}))
	if strings.Count(html, "Commit 20.") != 1 || strings.Contains(html, "Commit 21.") {
		t.Errorf("not 20 commits in\n%s", html)
	}
	if want := `<a href="/studios/team/worktrees/beans/log">10 older commits</a>`; !strings.Contains(html, want) {
		t.Errorf("no %s in\n%s", want, html)
	}
}
