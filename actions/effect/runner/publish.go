package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"samepage/actions/effect/runner/forge"
	"samepage/actions/effect/runner/git"
	"samepage/store/work/wire"
)

// mostOfName is the maximum length of a name in a [wire.ForgeReport], in characters.
const mostOfName = 100

// publish makes the branch and the pull request on the forge match the pull request in Samepage. A pull request that
// was merged on the forge, or closed there when its last known state was open, is only reported.
func (r *Runner) publish(ctx context.Context, j *job) (any, error) {
	var want wire.Publish
	if err := j.params(&want); err != nil {
		return nil, err
	}
	at, repo, from, err := r.forge(ctx, j)
	if err != nil {
		return nil, err
	}
	var q *forge.Pull
	if want.Number > 0 {
		if q, err = at.Pull(ctx, want.Number); err != nil {
			return nil, err
		}
		if q.State == forge.Merged || q.State != forge.Open && want.Was == forge.Open {
			return r.look(ctx, at, repo, from, q)
		}
	}
	head, err := git.ParseHash(want.Head)
	if err != nil {
		return nil, err
	}
	if want.State == forge.Open {
		if err := repo.Push(ctx, from, j.Branch, head, git.Hash(want.Pushed)); err != nil {
			return nil, err
		}
	}
	if q == nil { // an earlier attempt, whose report was lost, may have opened the pull request
		if q, err = at.Find(ctx, j.Branch); err == nil && q == nil {
			q, err = at.Open(ctx, forge.New{Title: want.Title, Text: want.Text, Branch: j.Branch, Base: j.Base})
			want.Write = false
		}
	}
	if err == nil && want.Write {
		q, err = at.Change(ctx, q.N, forge.Change{Title: want.Title, Text: &want.Text, State: want.State})
	}
	if err != nil {
		return nil, err
	}
	if want.State == forge.Open {
		q.Head = want.Head // the forge may not have noticed the push yet
	}
	return r.look(ctx, at, repo, from, q)
}

func (r *Runner) forge(ctx context.Context, j *job) (forge.Forge, *git.Repo, git.Source, error) {
	from, err := r.source(j.Source, j.roots)
	if err != nil {
		return nil, nil, from, err
	}
	at, ok := forge.Of(j.Source, r.Forges)
	if !ok {
		return nil, nil, from, fmt.Errorf("this runner has no account for %s; whoever runs it gives it one (--forge)",
			j.Source)
	}
	repo, err := r.repo(ctx, j.RepoID)
	return at, repo, from, err
}

// look returns the report on the state of a pull request. It fetches the new commits of a merged one.
func (r *Runner) look(ctx context.Context, at forge.Forge, repo *git.Repo, from git.Source, q *forge.Pull) (*wire.ForgeReport, error) {
	s := &wire.ForgeReport{Number: q.N, URL: q.URL, State: q.State, Head: q.Head, Merged: q.Commit, By: cut(q.By, mostOfName)}
	if q.State == forge.Merged {
		main, err := repo.Fetch(ctx, from)
		if err != nil {
			return nil, err
		}
		facts, err := factsOf(ctx, repo, main)
		s.Repo = &facts
		return s, err
	}
	checks, err := at.Checks(ctx, q.Head)
	if err != nil {
		return nil, err
	}
	s.Checks = checks.State
	s.Names = someNames(checks.Names)
	return s, nil
}

// someNames returns the alphabetically first [wire.MaxNames] names, each on one line of at most mostOfName characters.
func someNames(all []string) []string {
	var list []string
	for _, name := range all {
		list = append(list, cut(text(name), mostOfName))
	}
	slices.Sort(list)
	return list[:min(wire.MaxNames, len(list))]
}

func (r *Runner) mergeThere(ctx context.Context, j *job, want *wire.Merge) (any, error) {
	at, repo, from, err := r.forge(ctx, j)
	if err != nil {
		return nil, err
	}
	into, err := repo.Resolve(ctx, j.Base)
	if err != nil {
		return nil, err
	}
	report := wire.MergeReport{Into: string(into)}
	q, err := at.Pull(ctx, want.Number)
	if err != nil {
		return nil, err
	}
	if report.Commit = q.Commit; q.State != forge.Merged {
		report.Commit, err = at.Merge(ctx, want.Number, forge.Merge{Squash: want.Method == "squash", Head: want.Head,
			Title: want.Title, Message: want.Message + "\n\nFor " + want.By})
	}
	switch {
	case errors.Is(err, forge.ErrMoved), errors.Is(err, forge.ErrRefused):
		report.Problem = cut(err.Error(), 300)
	case err != nil:
		return nil, err
	}
	main, err := repo.Fetch(ctx, from)
	if err != nil {
		return nil, err
	}
	report.Repo, err = factsOf(ctx, repo, main)
	return report, err
}

// unpush deletes the branch of a worktree in the source, unless its last commit there is not head.
func (r *Runner) unpush(ctx context.Context, t *git.Tree, j *job, head git.Hash) error {
	from, err := r.source(j.Source, j.roots)
	if err != nil {
		return err
	}
	return t.Repo.PushDeletion(ctx, from, t.Branch, head)
}

// watchEvery is the default interval at which the runner polls published pull requests, and watchAtOnce is the
// greatest number of them in one poll. GitHub allows 5,000 requests an hour, and one pull request usually takes three.
const (
	watchEvery  = 2 * time.Minute
	watchAtOnce = 30
)

// inTurn returns the pull requests of the next poll, beginning after the one with the id in the parameter last, if that
// is in the list.
func inTurn(list []wire.Pull, last string) []wire.Pull {
	from := slices.IndexFunc(list, func(q wire.Pull) bool { return q.ID == last }) + 1
	return slices.Concat(list[from:], list[:from])[:min(len(list), watchAtOnce)]
}

// watchBeside starts a poll of published pull requests if there are any, no poll runs, and [Config.WatchEvery] is over.
func (r *Runner) watchBeside(ctx context.Context, p *runnerPage) {
	r.mu.Lock()
	due := len(p.Data.Pulls) > 0 && !r.watching && time.Since(r.watched) >= r.WatchEvery
	r.watching = r.watching || due
	list := inTurn(p.Data.Pulls, r.lastSeen)
	r.mu.Unlock()
	if !due {
		return
	}
	r.beside.Go(func() {
		again := time.Now()
		for i := range list {
			q := &list[i]
			if err := r.watch(ctx, q, p.Data.Roots); err != nil && ctx.Err() == nil {
				r.Log.Warn("a published pull request could not be looked at", "number", q.Number, "source", q.Source,
					"error", err)
				if until := forge.Until(err); until.After(again) { // the forge accepts no request before that time
					again, list = until.Add(-r.WatchEvery), list[:i+1]
					break
				}
			}
		}
		r.mu.Lock()
		r.watching, r.watched, r.lastSeen = false, latest(again, time.Now()), list[len(list)-1].ID
		r.mu.Unlock()
	})
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// watch reports a published pull request if its state, head or checks differ from the server's.
func (r *Runner) watch(ctx context.Context, q *wire.Pull, roots []string) error {
	at, repo, from, err := r.forge(ctx, &job{Job: &wire.Job{RepoID: q.RepoID, Source: q.Source}, roots: roots})
	if err != nil {
		return err
	}
	now, err := at.Pull(ctx, q.Number)
	if err != nil {
		return err
	}
	s, err := r.look(ctx, at, repo, from, now)
	if err != nil || s.State == q.State && s.Head == q.Head && s.Checks == q.Checks && slices.Equal(s.Names, q.Names) {
		return err
	}
	facts, err := encode(s)
	if err != nil {
		return err
	}
	return r.site.act(ctx, r.Page, r.Verbs.ReportPull, map[string]any{"pull": q.ID, "facts": string(facts)})
}

// issues opens issues on the forge. A repeated job finds existing issues by their keys, as [forge.Forge] describes.
func (r *Runner) issues(ctx context.Context, j *job) (any, error) {
	var want wire.Issues
	if err := j.params(&want); err != nil {
		return nil, err
	}
	at, _, _, err := r.forge(ctx, j)
	if err != nil {
		return nil, err
	}
	report := wire.MadeIssues{Issues: []wire.MadeIssue{}}
	for _, i := range want.Issues {
		made, err := at.OpenIssue(ctx, i.Key, forge.Issue{Title: i.Title, Text: i.Text})
		if err != nil {
			return nil, err
		}
		report.Issues = append(report.Issues, wire.MadeIssue{Key: i.Key, N: made.N, URL: made.URL})
	}
	return report, nil
}
