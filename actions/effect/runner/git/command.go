package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// word is a part of a command line that is written in the source of this package. A string from elsewhere is no word,
// so it cannot become a flag.
type word string

// option is a flag with a value. They form one argument.
type option struct {
	flag  word // ends in = if it is long
	value string
}

// call is one command of git.
type call struct {
	sub    word
	flags  []word   // each must be in the list of the subcommand in allowed
	opts   []option // likewise
	values []string // names of commits, branches or folders; they follow --end-of-options
	tree   string   // folder of the checkout; empty for none
	index  string   // file of the index; empty for that of the repository
	author []string // variables of the environment with the author and the committer of a commit
	scheme word     // the only transport that the command may use: file or https; empty for none
	access Access   // to the other repository
	stdin  io.Reader
	time   time.Duration // limit; 0 for maxTime
	limit  int           // bytes of output; 0 for maxOutput
	cut    bool          // longer output is cut instead of refused
	codes  []int         // exit codes that are no failure, besides 0
}

// allowed lists the subcommands and the flags with which they may be called.
var allowed = map[word][]word{
	"version": nil,
	"init":    {"--bare", "--quiet", "--template=", "--initial-branch="},
	"clone":   {"--shared", "--quiet", "--no-tags", "--single-branch", "--template=", "--branch=", "--origin="},
	"fetch": {"--quiet", "--prune", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head",
		"--no-auto-maintenance", "--no-show-forced-updates", "--refmap="},
	"ls-remote":    {"--quiet", "--symref"},
	"push":         {"--quiet", "--no-verify", "--recurse-submodules=no", "--force-with-lease="},
	"for-each-ref": {"--format=", "--sort=-committerdate"},
	"rev-parse":    {"--verify", "--quiet"},
	"rev-list":     {"--count", "--left-right"},
	"log": {"-z", "--no-color", "--no-decorate", "--no-show-signature", "--no-mailmap", "--topo-order", "--format=",
		"--max-count="},
	"merge-base":   {"--is-ancestor"},
	"update-ref":   {"--stdin", "-z", "--no-deref"},
	"read-tree":    {"--reset", "-u"},
	"write-tree":   nil,
	"add":          {"--all", "--no-warn-embedded-repo", "--pathspec-from-file=-", "--pathspec-file-nul"},
	"update-index": {"-z", "--index-info"},
	"ls-files":     {"-z", "--stage", "--others", "--ignored", "--directory", "--exclude-standard"},
	"ls-tree":      {"-z", "-r", "--long"},
	"diff-tree": {"-r", "-z", "-p", "--raw", "--numstat", "--find-renames", "-l1000", "--full-index", "--no-color",
		"--no-ext-diff",
		"--no-textconv", "--ignore-submodules=dirty", "--submodule=short", "--no-commit-id", "--src-prefix=a/",
		"--dst-prefix=b/",
		"--no-abbrev"},
	"cat-file":    {"-p", "-t"},
	"commit-tree": {"-p", "-F"},
	"merge-tree":  {"--write-tree", "-z", "--no-messages"},
}

// settings are given to every command. They come before all files of configuration.
var settings = []word{
	"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.untrackedCache=false", "core.splitIndex=false",
	"core.attributesFile=/dev/null", "core.excludesFile=/dev/null", "core.bigFileThreshold=50m",
	"core.useReplaceRefs=false",
	"core.quotePath=false", "core.pager=cat", "core.askPass=",
	"protocol.allow=never", "protocol.ext.allow=never", "credential.helper=", "http.followRedirects=false",
	"submodule.recurse=false", "diff.ignoreSubmodules=all", "fetch.recurseSubmodules=false", "fetch.fsckObjects=true",
	"fetch.fsck.zeroPaddedFilemode=ignore", "fetch.fsck.missingSpaceBeforeDate=ignore", "fetch.fsck.badTimezone=ignore",
	"fetch.fsck.missingEmail=ignore",
	"fetch.writeCommitGraph=false", "transfer.bundleURI=false", "safe.bareRepository=explicit", "safe.directory=*",
	"gc.auto=0", "maintenance.auto=false", "commit.gpgSign=false", "log.showSignature=false",
	"advice.detachedHead=false",
	"checkout.guess=false",
}

// environment has the variables of every command. Nothing is inherited. Git hands the variables, but not the
// settings, to the process that reads the other repository of a fetch.
var environment = []string{
	"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent", "LC_ALL=C", "TZ=UTC",
	"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1",
	"GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1",
	"GIT_DEFAULT_HASH=sha1", "GIT_DEFAULT_REF_FORMAT=files", "GIT_EDITOR=false", "GIT_SSH_COMMAND=false",
	"GIT_PROXY_COMMAND=false",
}

// credentialHelper lets git read a name and a password from a pipe that is open as the file 3. So they are in no
// argument, no variable and no file.
const credentialHelper word = "credential.helper=!f() { cat <&3; }; f"

// credentials returns a pipe from which git reads a token once. GitHub takes any name.
func credentials(token string) (*os.File, error) {
	from, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer to.Close()
	if _, err := fmt.Fprintf(to, "username=x-access-token\npassword=%s\n", token); err != nil { // less than a pipe holds
		from.Close()
		return nil, err
	}
	return from, nil
}

// arguments returns the command line of a call in the repository at dir. It panics if the source of this package uses
// a subcommand or a flag that is not in the list.
func (c call) arguments(dir string) []string {
	flags, ok := allowed[c.sub]
	args := []string{"--no-pager", "--no-replace-objects"}
	for _, s := range settings {
		args = append(args, "-c", string(s))
	}
	if c.scheme != "" {
		args = append(args, "-c", "protocol."+string(c.scheme)+".allow=always")
	}
	if c.access.Token != "" {
		args = append(args, "-c", string(credentialHelper))
	}
	if dir != "" {
		args = append(args, "--git-dir="+dir)
	}
	if c.tree != "" {
		args = append(args, "--work-tree="+c.tree)
	}
	args = append(args, string(c.sub))
	for _, f := range c.flags {
		ok = ok && slices.Contains(flags, f)
		args = append(args, string(f))
	}
	for _, o := range c.opts {
		ok = ok && slices.Contains(flags, o.flag)
		args = append(args, string(o.flag)+o.value)
	}
	if !ok {
		panic("git " + string(c.sub) + ": the subcommand or a flag of it is not allowed")
	}
	if len(c.values) > 0 {
		args = append(append(args, "--end-of-options"), c.values...)
	}
	return args
}

// run runs a command in the bare repository at dir and returns its output. An empty dir stands for no repository.
func (g *Git) run(ctx context.Context, dir string, c call) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.time, maxTime))
	defer cancel()
	cmd := exec.CommandContext(ctx, g.Program, c.arguments(dir)...)
	cmd.Dir = cmp.Or(c.tree, dir, "/")
	cmd.Env = append(slices.Clone(environment), "GIT_ALLOW_PROTOCOL="+cmp.Or(string(c.scheme), "none"))
	if c.index != "" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+c.index)
	}
	cmd.Env = append(cmd.Env, c.author...)
	if c.access.CA != "" {
		cmd.Env = append(cmd.Env, "GIT_SSL_CAINFO="+c.access.CA)
	}
	if c.access.Token != "" {
		pipe, err := credentials(c.access.Token)
		if err != nil {
			return nil, err
		}
		defer pipe.Close()
		cmd.ExtraFiles = []*os.File{pipe}
	}
	inGroup(cmd)
	cmd.WaitDelay = 2 * time.Second
	out := &capped{limit: cmp.Or(c.limit, maxOutput), full: cancel}
	said := &capped{limit: 4096}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.stdin, out, said
	err := cmd.Run()
	switch {
	case out.over && c.cut:
		return out.Bytes(), nil
	case out.over:
		return nil, fmt.Errorf("git %s: its answer is %w", c.sub, ErrTooLarge)
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git %s: %w", c.sub, ctx.Err())
	case err == nil:
		return out.Bytes(), nil
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && slices.Contains(c.codes, exit.ExitCode()) {
		return out.Bytes(), &exitCode{exit.ExitCode(), lastLine(said.String())}
	}
	return nil, fmt.Errorf("git %s: %w: %s", c.sub, err, lastLine(said.String()))
}

// exitCode is the error of a command that ended with one of its codes.
type exitCode struct {
	code int
	said string
}

func (e *exitCode) Error() string { return fmt.Sprintf("exit code %d: %s", e.code, e.said) }

// exited reports whether a command ended with one of its codes.
func exited(err error) bool {
	_, ok := errors.AsType[*exitCode](err)
	return ok
}

// lastLine returns the last line of git's messages, without what it says about other ways to do something.
func lastLine(said string) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if line := strings.TrimSpace(lines[i]); line != "" && !strings.HasPrefix(line, "hint:") {
			return strings.TrimPrefix(strings.TrimPrefix(line, "fatal: "), "error: ")
		}
	}
	return "it says nothing"
}

// capped is a buffer for at most limit bytes. When more are written, it keeps the first ones, or the last ones if full
// is nil, and calls full.
type capped struct {
	bytes.Buffer
	limit int
	over  bool
	full  func()
}

// Write adds bytes to the buffer.
func (b *capped) Write(p []byte) (int, error) {
	n := len(p)
	room := b.limit - b.Len()
	switch {
	case n <= room:
		return b.Buffer.Write(p)
	case b.full == nil:
		all := append(bytes.Clone(b.Bytes()), p...)
		b.Reset()
		b.Buffer.Write(all[max(0, len(all)-b.limit):])
		return n, nil
	}
	b.Buffer.Write(p[:room])
	if !b.over {
		b.over = true
		b.full()
	}
	return n, nil
}
