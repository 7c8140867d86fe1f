package git

import (
	"errors"
	"strings"
	"testing"

	"samepage/actions/effect/runner/forge/forgetest"
)

// TestPush pushes a branch to a server that asks for a token, moves the branch forward and back, and deletes it. A
// push that would overwrite commits of others must be refused.
func TestPush(t *testing.T) {
	w := newWorld(t)
	server := forgetest.New(t, w.source)
	remote := Source{Remote: server.Source, Access: Access{Token: forgetest.Token, CA: server.CA}}
	for _, token := range []string{"", "wrong"} {
		stranger := remote
		stranger.Access.Token = token
		if _, err := w.repo.Fetch(t.Context(), stranger); err == nil || strings.Contains(err.Error(), "wrong") {
			t.Errorf("with the token %q: %v", token, err)
		}
	}
	if _, err := w.repo.Fetch(t.Context(), remote); err != nil {
		t.Fatal(err)
	}
	w.write(w.tree.Dir, "new.txt", "1")
	_, s := w.turn("one")
	one := s.Head
	w.write(w.tree.Dir, "new.txt", "2")
	_, s = w.turn("two")
	two := s.Head
	push := func(commit, last Hash) error {
		t.Helper()
		return w.repo.Push(t.Context(), remote, "tools/sheds", commit, last)
	}
	// In the last step, the branch is pushed after a rewind.
	for _, step := range []struct{ commit, last Hash }{{one, ""}, {one, ""}, {two, ""}, {one, two}} {
		if err := push(step.commit, step.last); err != nil {
			t.Fatal(err)
		}
		if got := server.Git("rev-parse", "tools/sheds"); got != string(step.commit) {
			t.Errorf("the branch has %s, want %s", got, step.commit)
		}
	}
	theirs := Hash(server.Commit("tools/sheds", "theirs.txt", "x"))
	if err := push(two, one); !errors.Is(err, ErrMoved) || !strings.Contains(err.Error(), theirs.Short()) {
		t.Errorf("over a commit of somebody else: %v", err)
	}
	if err := w.repo.PushDeletion(t.Context(), remote, "tools/sheds", one); !errors.Is(err, ErrMoved) {
		t.Errorf("a branch with a commit of somebody else is deleted: %v", err)
	}
	if got := server.Git("rev-parse", "tools/sheds"); got != string(theirs) {
		t.Errorf("the branch has %s, want %s", got, theirs)
	}
	for range 2 {
		if err := w.repo.PushDeletion(t.Context(), remote, "tools/sheds", theirs); err != nil {
			t.Fatal(err)
		}
	}
	if got := server.Git("branch", "--list", "tools/sheds"); got != "" {
		t.Errorf("the branch is still there: %s", got)
	}
	if err := w.repo.Push(t.Context(), remote, "--mirror", one, ""); !errors.Is(err, ErrInvalid) {
		t.Errorf("a branch like a flag: %v", err)
	}
	for _, arg := range (call{sub: "push", access: remote.Access}).arguments("") {
		if strings.Contains(arg, forgetest.Token) {
			t.Errorf("the token is in the argument %q", arg)
		}
	}
	if err := w.repo.Push(t.Context(), Source{Path: w.source}, "x", one, ""); err == nil {
		t.Error("it pushes into a folder")
	}
}
