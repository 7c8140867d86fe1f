package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Access has the credentials for a remote repository.
type Access struct {
	Token string // empty for none
	CA    string // file with trusted certificates for git; empty for those of the machine
}

// Push sets a branch of a remote repository to the commit, and creates the branch if necessary. It returns [ErrMoved]
// if the last commit of the remote branch is neither an ancestor of the commit nor the commit of the previous push, in
// the parameter last.
func (r *Repo) Push(ctx context.Context, to Source, branch string, commit, last Hash) error {
	at, scheme, err := to.check()
	if err == nil {
		err = CheckBranch(branch)
	}
	if err != nil {
		return err
	}
	if _, err := r.ref(ctx, string(commit)); err != nil {
		return err
	}
	there, err := r.remote(ctx, to, branch)
	switch {
	case err != nil || there == commit:
		return err
	case there != none && there != last:
		known, err := r.knows(ctx, there, commit)
		if err != nil {
			return err
		}
		if !known {
			return fmt.Errorf("%w: %s has the commit %s, which is not in this branch; nothing there was overwritten",
				ErrMoved, branch, there.Short())
		}
	}
	return r.send(ctx, call{scheme: scheme, access: to.Access,
		values: []string{at, string(commit) + ":refs/heads/" + branch}}, branch, there)
}

// PushDeletion deletes a branch of a remote repository. It returns [ErrMoved] if the last commit of the branch is not
// the given one. A missing branch is not an error.
func (r *Repo) PushDeletion(ctx context.Context, to Source, branch string, commit Hash) error {
	at, scheme, err := to.check()
	if err == nil {
		err = CheckBranch(branch)
	}
	if err != nil {
		return err
	}
	there, err := r.remote(ctx, to, branch)
	switch {
	case err != nil || there == none:
		return err
	case there != commit:
		return fmt.Errorf("%w: %s has the commit %s", ErrMoved, branch, there.Short())
	}
	return r.send(ctx, call{scheme: scheme, access: to.Access, values: []string{at, ":refs/heads/" + branch}}, branch,
		there)
}

// send pushes if the last commit of the remote branch is still the one in the parameter there.
func (r *Repo) send(ctx context.Context, c call, branch string, there Hash) error {
	if there == none {
		there = ""
	}
	c.sub, c.time = "push", fetchTime
	c.flags = []word{"--quiet", "--no-verify", "--recurse-submodules=no"}
	c.opts = []option{{"--force-with-lease=", "refs/heads/" + branch + ":" + string(there)}}
	_, err := r.run(ctx, c)
	return err
}

// remote returns the last commit of a branch of a remote repository, or [none] if there is no such branch.
func (r *Repo) remote(ctx context.Context, at Source, branch string) (Hash, error) {
	out, err := r.line(ctx, call{sub: "ls-remote", scheme: "https", access: at.Access, flags: []word{"--quiet"},
		values: []string{at.Remote, "refs/heads/" + branch}})
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(out) {
		if commit, name, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && name == "refs/heads/"+branch {
			return ParseHash(commit)
		}
	}
	return none, nil
}

// knows reports whether the commit old is an ancestor of the commit new, or the same commit.
func (r *Repo) knows(ctx context.Context, old, new Hash) (bool, error) {
	if _, err := r.ref(ctx, string(old)); errors.Is(err, ErrMissing) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return r.isAncestor(ctx, old, new)
}
