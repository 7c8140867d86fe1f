// Package gittest sets traps in git repositories, and checks that git does not run them. It is for tests only.
package gittest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// hooks are names of hooks that git can run.
var hooks = strings.Fields(`applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg
	post-commit pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update
	reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman post-index-change`)

// Poison sets many traps in a checkout. A trap is a setting or a hook that makes git run a program, which writes to the
// file marker.
func Poison(t testing.TB, dir, marker string) {
	t.Helper()
	run := filepath.Join(filepath.Dir(marker), "trap.sh")
	write(t, filepath.Dir(marker), "trap.sh", "#!/bin/sh\necho \"$0 $*\" >> "+marker+"\ncat\n")
	git := filepath.Join(dir, ".git")
	for _, h := range hooks {
		write(t, git, "hooks/"+h, "#!/bin/sh\necho "+h+" >> "+marker+"\n")
	}
	write(t, filepath.Dir(marker), "more.config", "[core]\n\teditor = "+run+"\n")
	config, err := os.OpenFile(filepath.Join(git, "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer config.Close()
	fmt.Fprintf(config, `
[core]
	fsmonitor = %[1]s
	hooksPath = %[2]s/hooks
	sshCommand = %[1]s
	pager = %[1]s
	askPass = %[1]s
	gitProxy = %[1]s
	alternateRefsCommand = %[1]s
[include]
	path = %[3]s/more.config
[filter "trap"]
	clean = %[1]s
	smudge = %[1]s
	process = %[1]s
	required = true
[diff]
	external = %[1]s
[diff "trap"]
	textconv = %[1]s
	command = %[1]s
[merge "trap"]
	driver = %[1]s
[uploadpack]
	packObjectsHook = %[1]s
[credential]
	helper = %[1]s
[protocol]
	allow = always
[protocol "ext"]
	allow = always
[remote "trap"]
	url = ext::%[1]s
	promisor = true
	partialclonefilter = blob:none
[extensions]
	partialClone = trap
[gpg]
	program = %[1]s
[commit]
	gpgSign = true
[submodule "sub"]
	update = !%[1]s
	url = ext::%[1]s
	active = true
[submodule]
	recurse = true
[gc]
	auto = 1
	recentObjectsHook = %[1]s
[trace2]
	eventTarget = %[4]s
`, run, git, filepath.Dir(marker), marker)
	write(t, dir, ".gitattributes", "* filter=trap diff=trap merge=trap\n")
	write(t, dir, ".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = ext::"+run+"\n\tupdate = !"+run+"\n\tignore = none\n")
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

var execve = regexp.MustCompile(`execve\("([^"]*)", \[(.*?)\](, .*)? = 0$`)

// Traced runs another test of the same package under strace. The test t fails if the other test executes a program
// other than the test binary, git, and the shell that starts git's upload-pack. If strace cannot be used, t is skipped.
func Traced(t *testing.T, test string) {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("left out: strace is not installed")
	}
	log := filepath.Join(t.TempDir(), "log")
	cmd := exec.CommandContext(t.Context(), strace, "-f", "-s", "4096", "-e", "trace=execve", "-o", log, os.Args[0],
		"-test.run=^"+test+"$")
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "ptrace") {
		t.Skip("left out: strace may not trace here")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range strings.Lines(string(data)) {
		m := execve.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || m[1] == os.Args[0] {
			continue
		}
		seen++
		name := filepath.Base(m[1])
		if !(name == "git" || strings.HasPrefix(name, "git-")) && !(name == "sh" && strings.Contains(m[2],
			"git-upload-pack")) {
			t.Errorf("%s ran: %.300s", m[1], m[2])
		}
	}
	if seen < 20 {
		t.Errorf("only %d programs were traced", seen)
	}
}
