package runner

import (
	"context"

	"samepage/actions/effect/runner/git"
	"samepage/store/work/wire"
)

// factsOf returns the report on a repository. The parameter main is the name of the default branch.
func factsOf(ctx context.Context, repo *git.Repo, main string) (f wire.RepoFacts, err error) {
	head, err := repo.Resolve(ctx, main)
	if err != nil {
		return f, err
	}
	f.Main, f.Head = main, string(head)
	list, err := repo.Sources(ctx)
	if err != nil {
		return f, err
	}
	for _, b := range list[:min(wire.MaxBranches, len(list))] {
		f.Branches = append(f.Branches, wire.Branch{Name: cut(b.Name, 200), Head: string(b.Head), At: b.At})
	}
	log, err := repo.Log(ctx, "", head, wire.MaxCommits)
	for _, c := range log {
		f.Commits = append(f.Commits, commitOf(&c))
	}
	return f, err
}

func commitOf(c *git.Commit) wire.Commit {
	return wire.Commit{Hash: string(c.Hash), Author: cut(c.Author.Name, 100), At: c.At, Subject: cut(c.Subject, 200)}
}

// cut shortens a text to at most the given number of characters, with an ellipsis at the end.
func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
