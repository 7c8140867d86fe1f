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

// word is a constant part of a git command line. Strings from outside are not of this type, so they cannot become
// flags.
type word string

// option is a flag with a value, passed as one argument.
type option struct {
	flag  word // a long flag ends in "="
	value string
}

type call struct {
	sub    word
	flags  []word   // each must be in allowed for the subcommand
	opts   []option // each flag must be in allowed, too
	values []string // arguments that are no flags, after --end-of-options
	tree   string   // folder of the checkout; empty if the command needs none
	index  string   // path of the index; empty for the repository's own
	author []string // environment variables with the author and the committer of a commit
	scheme word     // the only transport that the command may use: file or https; empty for none
	access Access
	stdin  io.Reader
	time   time.Duration // time limit; 0 for maxTime
	limit  int           // greatest number of bytes of output; 0 for maxOutput
	cut    bool          // longer output is cut instead of refused
	codes  []int         // exit codes for which the error is an *exitCode
}

// allowed lists the permitted subcommands, with the permitted flags of each.
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
	"ls-tree":      {"-z", "-r", "--name-only"},
	"diff-tree": {"-r", "-z", "-p", "--raw", "--numstat", "--find-renames", "-l1000", "--full-index", "--no-color",
		"--no-ext-diff",
		"--no-textconv", "--ignore-submodules=dirty", "--submodule=short", "--no-commit-id", "--src-prefix=a/",
		"--dst-prefix=b/",
		"--no-abbrev"},
	"cat-file":    {"-p", "-t"},
	"commit-tree": {"-p", "-F"},
	"merge-tree":  {"--write-tree", "-z", "--no-messages"},
}

// settings are passed to every git command, and override all configuration files.
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

// environment has the environment variables of every git command. In a fetch, git passes most of them, but not the
// settings above, to the process that reads the other repository.
var environment = []string{
	"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent", "LC_ALL=C", "TZ=UTC",
	"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1",
	"GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1",
	"GIT_DEFAULT_HASH=sha1", "GIT_DEFAULT_REF_FORMAT=files", "GIT_EDITOR=false", "GIT_SSH_COMMAND=false",
	"GIT_PROXY_COMMAND=false",
}

// credentialHelper makes git read the credentials from file descriptor 3, a pipe, so that the password is in no
// argument, variable or file.
const credentialHelper word = "credential.helper=!f() { cat <&3; }; f"

// credentials returns the read end of a pipe with a user name and the token. GitHub accepts any user name. The caller
// closes the pipe.
func credentials(token string) (*os.File, error) {
	from, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer to.Close()
	if _, err := fmt.Fprintf(to, "username=x-access-token\npassword=%s\n", token); err != nil { // fits into the pipe
		from.Close()
		return nil, err
	}
	return from, nil
}

// arguments returns the command line of a call in the repository at dir. It panics on a subcommand or a flag that is
// not in allowed.
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
	if c.index != "" {
		args = append(args, "-c", "core.excludesFile="+excludesOf(c.index))
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

// run runs a command in the bare repository at dir, or in no repository if dir is empty. It returns [ErrTooLarge] for
// too much output, unless c.cut is true.
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

// exitCode is the error of a command that ended with one of the exit codes in [call.codes].
type exitCode struct {
	code int
	said string
}

func (e *exitCode) Error() string { return fmt.Sprintf("exit code %d: %s", e.code, e.said) }

func exited(err error) bool {
	_, ok := errors.AsType[*exitCode](err)
	return ok
}

// lastLine returns the last line of git's error output that is not a hint, without a prefix such as "fatal: ".
func lastLine(said string) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if line := strings.TrimSpace(lines[i]); line != "" && !strings.HasPrefix(line, "hint:") {
			return strings.TrimPrefix(strings.TrimPrefix(line, "fatal: "), "error: ")
		}
	}
	return "it says nothing"
}

// capped is a buffer of at most limit bytes. A full buffer drops further bytes and calls full once, or drops its oldest
// bytes if full is nil.
type capped struct {
	bytes.Buffer
	limit int
	over  bool
	full  func()
}

// Write never fails, and returns the length of p even if bytes are dropped.
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
