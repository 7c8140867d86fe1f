package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"samepage/actions/effect/runner/git"
	"samepage/actions/effect/runner/process"
	"samepage/store/work/wire"
)

// checkTime is the default of [Config.CheckTime]. mostOfOutput is less than half of wire.MaxCheckOutput, so that
// a report has room for the ends of both outputs. mostBeside is the maximum number of jobs of one kind that run at the
// same time, among the kinds with doer.aside.
const (
	checkTime    = 15 * time.Minute
	mostOfOutput = 8 << 10 // bytes of the end of each output in a report
	mostBeside   = 2
)

func (r *Runner) check(ctx context.Context, j *job) (any, error) {
	var want wire.Check
	if err := j.params(&want); err != nil {
		return nil, err
	}
	at, err := git.ParseHash(want.Commit)
	if err != nil {
		return nil, err
	}
	if err := r.mustStart(); err != nil {
		return nil, err
	}
	repo, err := r.repo(ctx, j.RepoID)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("check-%s-%d", j.ID, j.Claim)
	dir, err := filepath.Abs(filepath.Join(r.Data, "checks", name))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			r.Log.Warn("the folder of a check could not be removed", "error", err)
		}
	}()
	if err := repo.Export(ctx, name, dir, at); err != nil {
		return nil, err
	}
	passed, said, err := r.runToEnd(ctx, process.Spec{Argv: want.Argv, Dir: dir, Turn: name, Home: r.home("check-" + j.RepoID),
		Env: process.Environment(os.Environ(), process.Basics,
			map[string]string{"CI": "true", "SAMEPAGE_COMMIT": string(at), "SAMEPAGE_BRANCH": j.Branch})})
	return wire.CheckReport{Commit: string(at), Passed: passed, Said: said}, err
}

// home returns the path of the folder with this name, which becomes the HOME of a program.
func (r *Runner) home(name string) string { return filepath.Join(r.Data, "homes", name) }

func (r *Runner) mustStart() error {
	switch {
	case !r.Agents:
		return errors.New("this runner starts no programs; whoever runs it allows that (--agents, or --runner-agents of serve)")
	case r.Scripts != "":
		return errors.New("this runner starts no other programs than its own scripts")
	}
	return nil
}

// runToEnd runs a program until it ends, [Config.CheckTime] is over, or the context is done. The text says how the
// program ended, and contains the ends of its outputs.
func (r *Runner) runToEnd(ctx context.Context, s process.Spec) (passed bool, said string, err error) {
	s.Runs = filepath.Join(r.Data, "runs")
	p, err := process.Start(s)
	if err != nil {
		return false, "", err
	}
	p.Stdin.Close()
	out := process.Tail{Most: 2 * mostOfOutput}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(&out, p.Stdout) // until the output ends
	}()
	over := false
	select {
	case <-p.Done():
	case <-ctx.Done():
	case <-time.After(r.CheckTime):
		over = true
	}
	exit := p.Stop()
	<-read
	if ctx.Err() != nil {
		return false, "", ctx.Err()
	}
	how := ended(exit)
	if over {
		how = fmt.Sprintf("It was stopped after %s.", r.CheckTime)
	}
	return !over && exit.Signal == "" && exit.Code == 0, withOutput(how, out.String(), exit.Stderr), nil
}

func ended(exit process.Exit) string {
	if exit.Signal != "" {
		return fmt.Sprintf("It was ended by the signal %q.", exit.Signal)
	}
	return fmt.Sprintf("It ended with the code %d.", exit.Code)
}

// withOutput appends the ends of both outputs to a sentence. Empty outputs are left out.
func withOutput(said, stdout, stderr string) string {
	for _, part := range []struct{ title, text string }{{"Output", end(stdout)}, {"Error output", end(stderr)}} {
		if part.text != "" {
			said += "\n\n" + part.title + ":\n" + part.text
		}
	}
	return said
}

// end returns the last mostOfOutput bytes of a text, if possible from the beginning of a line, without control
// characters. A cut text begins with an ellipsis.
func end(text string) string {
	if over := len(text) - mostOfOutput; over > 0 {
		text = text[over:]
		if _, rest, ok := strings.Cut(text, "\n"); ok {
			text = rest
		}
		text = "…\n" + text
	}
	text = strings.Map(func(c rune) rune {
		if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return -1
		}
		return c
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.TrimRight(text, "\n ")
}
