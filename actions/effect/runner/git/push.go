package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Access is the right to read and to change a remote repository.
type Access struct {
	Token string // empty for none
	CA    string // file with certificates to trust in place of those of the machine; empty for these
}

// Push gives a branch of a remote repository the commit. The branch is made if it is not there. It is moved if its last
// commit is one of those of the new commit, or the one that was pushed last. Otherwise it has something that is
// not here: Push returns [ErrMoved] and changes nothing.
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

// PushDeletion deletes a branch of a remote repository if its last commit is the one that is given. A branch that is
// not there counts as deleted.
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

// send pushes if the remote branch still has the commit that was found there.
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

// remote returns the last commit of a branch of a remote repository, or none.
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

// knows reports whether a commit is one of those of another one. A commit that is not in this repository is not.
func (r *Repo) knows(ctx context.Context, old, new Hash) (bool, error) {
	if _, err := r.ref(ctx, string(old)); errors.Is(err, ErrMissing) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return r.isAncestor(ctx, old, new)
}
