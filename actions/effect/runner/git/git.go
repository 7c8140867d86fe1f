// Package git runs the git command line for repositories that belong to a runner, and for checkouts that untrusted
// programs can write to.
//
// Each [Repo] is a bare repository whose configuration this package has written. A [Tree] is a checkout of the
// repository in which an agent works. Commands on its files use the bare repository and a private index. After the
// clone, git uses the git directory inside a checkout only to fetch the agent's own commits from it, so that hooks,
// filters and drivers in its configuration do not run.
//
// Command lines are built from constants of this package. Names from outside are checked, and are values of flags or
// follow --end-of-options.
package git

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

// These are errors that callers can distinguish.
var (
	ErrMissing  = errors.New("there is no such commit, branch or file")
	ErrMoved    = errors.New("the branch has changed since it was read")
	ErrInvalid  = errors.New("invalid name")
	ErrTooLarge = errors.New("too large")
	ErrRefused  = errors.New("refused")
)

// These are limits of one command. maxTime and maxOutput are the defaults.
const (
	maxTime   = 60 * time.Second
	fetchTime = 15 * time.Minute
	maxOutput = 8 << 20 // bytes
)

// oldest is the oldest supported version of git.
var oldest = [2]int{2, 39}

// Git is the git command line of this machine.
type Git struct {
	Program string // absolute path
	Version string // such as "2.39.5"
}

var versionNumber = regexp.MustCompile(`^git version (([0-9]+)\.([0-9]+)[0-9A-Za-z.]*)`)

// Find finds git in the PATH. It returns an error if there is none, or if it is older than version 2.39.
func Find(ctx context.Context) (*Git, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, errors.New("git is not installed")
	}
	g := &Git{Program: program}
	out, err := g.run(ctx, "", call{sub: "version"})
	if err != nil {
		return nil, err
	}
	m := versionNumber.FindStringSubmatch(string(out))
	if m == nil {
		return nil, fmt.Errorf("%s says no version", program)
	}
	major, _ := strconv.Atoi(m[2])
	minor, _ := strconv.Atoi(m[3])
	if major < oldest[0] || major == oldest[0] && minor < oldest[1] {
		return nil, fmt.Errorf("git %s is too old: version %d.%d or newer is needed", m[1], oldest[0], oldest[1])
	}
	g.Version = m[1]
	return g, nil
}
