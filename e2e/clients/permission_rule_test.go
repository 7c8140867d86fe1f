package clients

import (
	"os"
	"path/filepath"
	"testing"

	"samepage/store/pgtest"
)

// TestRuleFromAnAnswer tells how Bob allows his agent to read files under a folder, on a narrow screen and without
// scripts. Bob is not asked about the next two reads there. He is asked about a read outside of the folder and about
// an edit. After he has withdrawn the rule, he is asked about a read in the folder again. Scout, an agent of Alice,
// reads the rule and cannot withdraw it.
func TestRuleFromAnAnswer(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	root := t.TempDir()
	source := shed(t, root)
	script := filepath.Join(root, "script")
	if err := os.WriteFile(script, []byte(`want read src/one.txt
want read src/two.txt
want read src/deep/three.txt
want read other.txt
want edit src/one.txt
want read src/two.txt
say All is read.
`), 0o600); err != nil {
		t.Fatal(err)
	}
	alice, bob := w.signIn("alice"), w.signIn("bob")
	runner := alice.does("/orgs/meadow/runners", "create_runner",
		map[string]any{"name": "Mill", "roots": []string{root}})
	w.runs(runner.URL, runner.Secret, root)
	alice.hears(runner.URL, "Ready")
	repo := alice.does(runner.URL, "add_repo", map[string]any{"studio": "team", "name": "shed", "source": source}).URL
	alice.does("/orgs/meadow/manifests", "add_manifest", map[string]any{"key": "mason", "title": "Mason",
		"role": "coding", "mode": "ask", "asks": true, "argv": []string{w.bin, "agent-script", script}})
	bob.hears(repo, "Nail the boards")
	tree := bob.does(repo, "create_worktree", map[string]any{"name": "boards"}).URL
	bob.hears(tree, "0 ahead")
	session := bob.does(tree, "start_session", map[string]any{"agent": "mason", "prompt": "Read."}).URL
	bob.hears(session, "waits for an answer")

	phone := open(t).withoutScripts().login(w, "bob")
	phone.looks(390, "light")
	answers := func(request, choice, reach string) {
		t.Helper()
		bob.hears(session+"/permissions/"+request, "stands still until somebody answers")
		phone.visit(w.url + session + "/permissions/" + request)
		phone.tick("Choice", choice)
		if reach != "" {
			phone.tick("Reach", reach)
		}
		phone.press("Answer")
	}
	answers("1", "Allow once", "Also read files under src/, except hidden ones")
	phone.sees("Rule 1 of this session: Allow: read files under src/, except hidden ones.")
	answers("4", "Deny", "")
	answers("5", "Deny", "")
	said := bob.hears(session, "All is read.")
	contains(t, "the session", said, "Asked: [read src/two.txt]", "allowed by the rule [Allow: read files under src/, except hidden ones]",
		"that @bob made", "used 3 times")
	for request, answer := range map[string]string{"2": "Allowed", "3": "Allowed", "4": "Denied", "5": "Denied", "6": "Allowed"} {
		contains(t, "request "+request, bob.reads(session+"/permissions/"+request, "text/markdown"), answer+" by ")
	}

	scout := w.overHTTP("Scout", w.token("Scout"))
	read := scout.navigate(session + "/rules/1")
	contains(t, "the rule, as an agent reads it", read, "Made by", "3 times", "**For people**")
	lacks(t, "the actions of an agent", read, "## Actions")

	phone.visit(w.url + session)
	phone.follow("Withdraw")
	phone.press("Withdraw")
	phone.sees("Withdrawn by")
	if err := os.WriteFile(script, []byte("turn\nwant read src/two.txt\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	bob.does(session, "prompt_session", map[string]any{"prompt": "Again."})
	answers("7", "Allow once", "")
	contains(t, "the last request", bob.reads(session+"/permissions/7", "text/markdown"), "Allowed by @bob")
	phone.quiet("the phone")
}
