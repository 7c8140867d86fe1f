package work

import (
	"fmt"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/work"
	"samepage/store/work/wire"
	"samepage/views/page"
)

// TestCommitsOfPull checks that the page of a pull request has its newest commits, and a link to the log for the older
// ones.
func TestCommitsOfPull(t *testing.T) {
	v := &work.PullPage{Pull: &work.Pull{N: 1, Title: "Sow", Worktree: "beans", Ahead: 30,
		Studio: &store.Studio{Handle: "team", Name: "Team"}}}
	for n := range 25 {
		v.Commits = append(v.Commits, wire.Commit{Hash: strings.Repeat("a", 40),
			Subject: fmt.Sprintf("Commit %d.", n+1)})
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

// TestNamesOfChecks checks that the number of names that a page leaves out is true, although a report has only the
// first names.
func TestNamesOfChecks(t *testing.T) {
	all := strings.Fields("a b c d e f g h i j k l m n o p q r s t")
	for n, want := range map[int]string{0: "", 1: "a", 5: "a, b, c, d, e", 7: "a, b, c, d, e and 2 more",
		wire.MaxNames - 1: "a, b, c, d, e and 14 more", wire.MaxNames: "a, b, c, d, e and at least 15 more"} {
		if got := names(all[:n]); got != want {
			t.Errorf("%d names: %q", n, got)
		}
	}
}
