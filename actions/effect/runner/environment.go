package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"samepage/actions/effect/runner/git"
	"samepage/actions/effect/runner/process"
	"samepage/store/work/wire"
)

// maxCopy is the maximum size of a file that is copied into a new worktree, in bytes.
const maxCopy = 4 << 20

// setUp copies files from the repository's source into a worktree, and then runs the setup program.
func (r *Runner) setUp(ctx context.Context, j *job) (any, error) {
	var want wire.Setup
	if err := j.params(&want); err != nil {
		return nil, err
	}
	t, err := r.tree(ctx, j.RepoID, j.WorktreeID, j.Branch)
	if err != nil {
		return nil, err
	}
	report := wire.SetupReport{Passed: true, Said: "The files are copied."}
	if len(want.Copies) > 0 {
		if err := r.copyFiles(t, j, want.Copies); err != nil {
			return nil, err
		}
	}
	if len(want.Argv) == 0 {
		return report, nil
	}
	if err := r.mustStart(); err != nil {
		return nil, err
	}
	report.Passed, report.Said, err = r.runToEnd(ctx, process.Spec{Argv: want.Argv, Dir: t.Dir,
		Turn: fmt.Sprintf("setup-%s-%d", j.ID, j.Claim), Home: r.home("env-" + j.WorktreeID), Env: r.envOf(j)})
	return report, err
}

// envOf returns the environment variables of a program in a worktree. The ports become PORT, PORT2 and so on.
func (r *Runner) envOf(j *job, more ...string) []string {
	set := map[string]string{"SAMEPAGE_BRANCH": j.Branch}
	for i, port := range more {
		name := "PORT"
		if i > 0 {
			name += strconv.Itoa(i + 1)
		}
		set[name] = port
	}
	return process.Environment(os.Environ(), process.Basics, set)
}

// copyFiles copies files into a worktree from the source's folder. Existing files are not overwritten.
// [git.Tree.Ignore] keeps the copies out of commits.
func (r *Runner) copyFiles(t *git.Tree, j *job, list []string) error {
	from, err := r.source(j.Source, j.roots)
	if err != nil {
		return err
	}
	if from.Path == "" {
		return fmt.Errorf("files are copied from a folder, and the repository comes from %s", from.Remote)
	}
	source, err := os.OpenRoot(from.Path)
	if err != nil {
		return err
	}
	defer source.Close()
	into, err := os.OpenRoot(t.Dir)
	if err != nil {
		return err
	}
	defer into.Close()
	if err := t.Ignore(list); err != nil {
		return err
	}
	for _, file := range list {
		if err := copyFile(source, into, file); err != nil {
			return fmt.Errorf("the file %s of the source: %w", file, err)
		}
	}
	return nil
}

func copyFile(from, into *os.Root, name string) error {
	if err := git.CheckPath(name); err != nil {
		return err
	}
	f, err := from.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular() || info.Size() > maxCopy:
		return fmt.Errorf("it is no file of at most %d bytes", maxCopy)
	}
	if dir := filepath.Dir(name); dir != "." {
		if err := into.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	to, err := into.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600|info.Mode().Perm()&0o100)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(to, io.LimitReader(f, maxCopy))
	if err = errors.Join(err, to.Close()); err != nil { // a later attempt would take the partial copy for a complete one
		return errors.Join(err, into.Remove(name))
	}
	return nil
}

// readyTime is the time limit for the first answer of an environment's program, and answerTime for one health check.
const (
	readyTime  = time.Minute
	answerTime = 2 * time.Second
)

// program is the program of an environment. It may have ended.
type program struct {
	*process.Process
	port   string
	health string
	output process.Tail
	asked  atomic.Bool // a stop was requested
}

const environmentKind = "environment"

// environment starts or stops the program of a worktree, or only reports its state.
func (r *Runner) environment(ctx context.Context, j *job) (any, error) {
	var want wire.EnvironmentOrder
	if err := j.params(&want); err != nil {
		return nil, err
	}
	switch p := r.env(j.WorktreeID); {
	case want.Do == wire.EnvStart && (p == nil || p.over()):
		return r.startEnvironment(ctx, j, &want)
	case want.Do == wire.EnvStop && p != nil:
		p.stop()
		return p.report(), nil
	case p == nil:
		return wire.EnvironmentReport{State: wire.EnvStopped, Said: "The runner was started again, and its program ended with it."}, nil
	default:
		return p.report(), nil
	}
}

// env returns the program of a worktree, which may have ended, or nil.
func (r *Runner) env(worktree string) *program {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.envs[worktree]
}

// startEnvironment starts a program and waits until it answers or has ended. If readyTime is over, or the context is
// done, it stops the program.
func (r *Runner) startEnvironment(ctx context.Context, j *job, want *wire.EnvironmentOrder) (any, error) {
	if err := r.mustStart(); err != nil {
		return nil, err
	}
	t, err := r.tree(ctx, j.RepoID, j.WorktreeID, j.Branch)
	if err != nil {
		return nil, err
	}
	free, err := freePorts(min(max(want.Ports, 1), 5))
	if err != nil {
		return nil, err
	}
	started, err := process.Start(process.Spec{Argv: want.Argv, Dir: t.Dir, Turn: "env-" + j.WorktreeID,
		Home: r.home("env-" + j.WorktreeID), Env: r.envOf(j, free...), Runs: filepath.Join(r.Data, "runs")})
	if err != nil {
		return nil, err
	}
	started.Stdin.Close()
	p := &program{Process: started, port: free[0], health: want.Health, output: process.Tail{Most: 2 * mostOfOutput}}
	r.mu.Lock()
	r.envs[j.WorktreeID] = p
	r.mu.Unlock()
	r.beside.Go(func() {
		_, _ = io.Copy(&p.output, p.Stdout) // until the output ends
		<-p.Done()
		r.tell()
	})
	for deadline := time.Now().Add(readyTime); !p.answers(ctx); {
		select {
		case <-p.Done():
			return p.report(), nil
		case <-ctx.Done():
			p.Stop()
			return nil, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			p.Stop()
			how := fmt.Sprintf("It did not answer on its port within %s, and was stopped.", readyTime)
			return wire.EnvironmentReport{State: wire.EnvFailed, Said: withOutput(how, p.output.String(), p.Stderr())}, nil
		}
	}
	return p.report(), nil
}

// freePorts returns n different TCP ports of 127.0.0.1 on which no program listens.
func freePorts(n int) (list []string, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // after the loop, so that the ports differ
		list = append(list, strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
	}
	return list, nil
}

func (p *program) over() bool {
	select {
	case <-p.Done():
		return true
	default:
		return false
	}
}

// answers reports whether the program passes its health check, a GET request whose answer has a status from 200 to 399.
// Without a health check, an accepted connection is enough.
func (p *program) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	at := net.JoinHostPort("127.0.0.1", p.port)
	if p.health == "" {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", at)
		if err != nil {
			return false
		}
		c.Close()
		return true
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at+p.health, nil)
	if err != nil {
		return false
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(req)
	if err != nil {
		return false
	}
	answer.Body.Close()
	return answer.StatusCode >= 200 && answer.StatusCode < 400
}

func (p *program) report() wire.EnvironmentReport {
	port, _ := strconv.Atoi(p.port)
	s := wire.EnvironmentReport{State: wire.EnvRunning, Port: port, Said: "It answers on the port " + p.port + "."}
	stderr := p.Stderr()
	switch {
	case p.over():
		exit := p.Exit()
		stderr = exit.Stderr
		s = wire.EnvironmentReport{State: wire.EnvFailed, Said: ended(exit)}
		if p.asked.Load() {
			s = wire.EnvironmentReport{State: wire.EnvStopped, Said: "It was stopped."}
		}
	case !p.answers(context.Background()):
		s.State, s.Said = wire.EnvUnhealthy, "It does not answer on the port "+p.port+"."
	}
	s.Said = withOutput(s.Said, p.output.String(), stderr)
	return s
}

// stop ends the program, and marks the stop as requested.
func (p *program) stop() {
	p.asked.Store(true)
	p.Stop()
}

// endEnvironment ends and forgets the program of a worktree, if there is one.
func (r *Runner) endEnvironment(worktree string) {
	p := r.env(worktree)
	if p == nil {
		return
	}
	p.stop()
	r.mu.Lock()
	delete(r.envs, worktree)
	r.mu.Unlock()
}

func (r *Runner) stopEnvironments() {
	r.mu.Lock()
	list := make([]*program, 0, len(r.envs))
	for _, p := range r.envs {
		list = append(list, p)
	}
	r.mu.Unlock()
	var stopping sync.WaitGroup
	for _, p := range list {
		stopping.Go(p.stop)
	}
	stopping.Wait()
}

// reportEnvironments reports each environment with another state than on the server. An environment with an unfinished
// job is left out, because the job reports the state itself.
func (r *Runner) reportEnvironments(ctx context.Context, p *runnerPage) error {
	for _, up := range p.Data.Environments {
		if slices.ContainsFunc(p.Data.Jobs, func(j wire.Job) bool {
			return j.Kind == environmentKind && j.WorktreeID == up.WorktreeID && (j.State == "waiting" || j.State == "claimed")
		}) {
			continue
		}
		now := wire.EnvironmentReport{State: wire.EnvStopped, Said: "The runner was started again, and its program ended with it."}
		if own := r.env(up.WorktreeID); own != nil {
			now = own.report()
		}
		if now.State == up.State {
			continue
		}
		facts, err := encode(now)
		if err != nil {
			return err
		}
		if err := r.site.act(ctx, r.Page, r.Verbs.ReportEnvironment, map[string]any{"worktree": up.WorktreeID,
			"facts": string(facts)}); err != nil {
			return err
		}
	}
	return nil
}
