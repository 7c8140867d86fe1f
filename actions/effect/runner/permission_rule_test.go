package runner_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/store"
)

// TestTheSameRequest checks that a rule answers an agent's repeated request, and that a person is asked about a
// different request. A rule must not answer after it was withdrawn, or after the person who made it has left the
// studio.
func TestTheSameRequest(t *testing.T) {
	y := newYard(t)
	tree := y.worktree("paint")
	ask := "ask Open the paint\nallowed say I may.\ndenied say I may not.\n"
	key := y.agent("one", ask+ask+"ask Throw it away\nallowed say Gone.\ndenied say Kept.\nturn\n"+ask+"turn\n"+ask)
	s := y.do("bob", tree, "start_session", param.Input{"agent": key, "prompt": "Paint."})
	becomes(t, y.World, s, "waits for an answer")
	first := s + "/permissions/1"
	y.do("bob", first, "answer_permission", param.Input{"choice": "once", "reach": "same"})
	becomes(t, y.World, s+"/permissions/3", "Throw it away")
	says(t, y.World, s+"/permissions/2", "Allowed", "by the rule [Allow: the same request, Open the paint](")
	says(t, y.World, s, "## Rules", "used 1 time", "allowed by the rule")
	if r := y.As("bob").Get("/inbox", "text/markdown"); strings.Count(r.Body, "Open the paint") != 1 {
		t.Errorf("bob is told of a request that has its answer:\n%s", r.Body)
	}
	y.do("bob", s+"/permissions/3", "answer_permission", param.Input{"choice": "no"})
	becomes(t, y.World, s, "Done")
	y.refused("scribe", s+"/rules/1", "withdraw_permission_rule", nil, "person")
	y.refused("erin", s+"/rules/1", "withdraw_permission_rule", nil, "author")
	y.do("bob", s+"/rules/1", "withdraw_permission_rule", nil)
	y.refused("bob", s+"/rules/1", "withdraw_permission_rule", nil, "@bob has withdrawn it")
	y.do("bob", s, "prompt_session", param.Input{"prompt": "Again."})
	becomes(t, y.World, s, "waits for an answer")
	y.do("bob", s+"/permissions/4", "answer_permission", param.Input{"choice": "once", "reach": "same"})
	becomes(t, y.World, s, "Done")
	if err := y.Store.Write(t.Context(), func(tx *store.Tx) error { // carol is not in the studio
		return tx.Exec(`UPDATE permission_rules SET made_by = (SELECT id FROM members WHERE handle = 'carol') WHERE n = 2`)
	}); err != nil {
		t.Fatal(err)
	}
	says(t, y.World, s+"/rules/2", "Without effect", "@carol may not answer requests of this session any more")
	y.do("bob", s, "prompt_session", param.Input{"prompt": "Once more."})
	becomes(t, y.World, s, "waits for an answer")
}

// TestRulesOfASession tells the story of wider rules. A person allows reads below a folder. Nobody is asked about
// further reads there. A person is still asked about a read through a symbolic link, of a hidden file or outside of
// the folder, and about an edit. A rule about commands covers only commands of plain words, and a rule that asks
// takes precedence over it. A rule that denies asks nobody. An agent cannot make rules.
func TestRulesOfASession(t *testing.T) {
	y := newYard(t)
	tree := y.worktree("paint")
	becomes(t, y.World, tree, "0 ahead, 0 behind")
	dir := y.folder("paint")
	for _, err := range []error{os.MkdirAll(filepath.Join(dir, "src", "inner"), 0o700), os.Symlink("/etc",
		filepath.Join(dir, "src", "link"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	steps := []string{"want read src/a.txt", "want read src/b.txt", "want read src/inner/c.txt", // 1 to 3
		"want read src/link/passwd", "want read src/../d.txt", "want read src/.env", "want edit src/a.txt", // 4 to 7
		"ask make test", "ask make test -v", "ask make test; rm -r x", // 8 to 10
		"turn", "want read src/a.txt", "ask make test", "ask make clean"} // 11 to 13
	s := y.do("bob", tree, "start_session", param.Input{"agent": y.agent("one", strings.Join(steps, "\n")),
		"prompt": "Read."})
	asks := func(n string) string {
		t.Helper()
		becomes(t, y.World, s+"/permissions/"+n, "stands still until somebody answers")
		return s + "/permissions/" + n
	}
	first := asks("1")
	if form := y.As("bob").Get(first, "text/html").Body; !strings.Contains(form,
		"Also read files under src/, except hidden ones") ||
		!strings.Contains(form, "Also read files in the whole worktree, except hidden ones") {
		t.Errorf("the page does not say how far an answer can reach:\n%s", form)
	}
	y.refused("scribe", first, "answer_permission", param.Input{"choice": "once", "reach": "folder1"}, "person")
	y.refused("erin", first, "answer_permission", param.Input{"choice": "once", "reach": "folder1"}, "author")
	y.refused("bob", first, "answer_permission", param.Input{"choice": "once", "reach": "command1"}, "reach")
	y.do("bob", first, "answer_permission", param.Input{"choice": "once", "reach": "folder1",
		"reason": "They are ours."})
	for _, n := range []string{"4", "5", "6", "7"} {
		y.do("bob", asks(n), "answer_permission", param.Input{"choice": "no"})
	}
	const name = "[Allow: read files under src/, except hidden ones]("
	says(t, y.World, s+"/permissions/2", "Allowed by the rule "+name, "that @bob made ", "`src/b.txt`")
	says(t, y.World, s+"/permissions/3", "Allowed by the rule "+name)
	says(t, y.World, s+"/permissions/4", "Denied by @bob")
	says(t, y.World, s+"/rules/1", "2 times, last", "[read src/inner/c.txt](", "They are ours.", "[request 1](")

	y.do("bob", asks("8"), "answer_permission", param.Input{"choice": "once", "reach": "command1"})
	y.do("bob", asks("10"), "answer_permission", param.Input{"choice": "once"})
	becomes(t, y.World, s, "Done")
	says(t, y.World, s+"/permissions/9", "Allowed by the rule [Allow: run commands that begin with make test](")

	y.do("bob", s+"/rules/1", "withdraw_permission_rule", nil)
	in := param.Input{"verdict": "ask", "tool": "execute", "command": "make test"}
	y.refused("scribe", s, "add_permission_rule", in, "person")
	y.refused("erin", s, "add_permission_rule", in, "author")
	y.do("alice", s, "add_permission_rule", in)
	y.do("alice", s, "add_permission_rule", param.Input{"verdict": "deny", "tool": "execute", "command": "make clean"})
	y.do("bob", s, "prompt_session", param.Input{"prompt": "Again."})
	y.do("bob", asks("11"), "answer_permission", param.Input{"choice": "once"}) // the rule is withdrawn
	says(t, y.World, asks("12"),
		"A person was asked because of the rule [Always ask: run commands that begin with make test](")
	y.do("bob", s+"/permissions/12", "answer_permission", param.Input{"choice": "once"})
	becomes(t, y.World, s+"/permissions/13", "Denied by the rule [Deny: run commands that begin with make clean](")
	says(t, y.World, s+"/permissions/12", "Allowed by @bob", "A person was asked because of")
	says(t, y.World, "/orgs/acme/journal?kind=session", "@bob answered the request [make test](",
		"made the rule [Deny: run commands that begin with make clean](",
		"passed on the request [make clean](", "@bob withdrew the rule [Allow: read files under src/, except hidden ones](")
	for _, n := range []string{"2", "3", "9", "13"} {
		if r := y.As("bob").Get("/inbox?show=all", "text/markdown"); strings.Contains(r.Body, s+"/permissions/"+n+")") {
			t.Errorf("bob is told of request %s, which a rule has answered", n)
		}
	}
}
