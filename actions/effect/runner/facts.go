package runner

import (
	"context"
	"time"

	"samepage/actions/effect/runner/git"
)

// facts is the runner's report on a repository.
type facts struct {
	Main     string   `json:"main"`
	Head     string   `json:"head"`
	Branches []branch `json:"branches"`
	Commits  []commit `json:"commits"`
}

type branch struct {
	Name string    `json:"name"`
	Head string    `json:"head"`
	At   time.Time `json:"at"`
}

type commit struct {
	Hash    string    `json:"hash"`
	Author  string    `json:"author"`
	At      time.Time `json:"at"`
	Subject string    `json:"subject"`
}

// factsOf returns the report on a repository, with the branches of its source and the newest commits of the default
// branch main.
func factsOf(ctx context.Context, repo *git.Repo, main string) (*facts, error) {
	head, err := repo.Resolve(ctx, main)
	if err != nil {
		return nil, err
	}
	f := &facts{Main: main, Head: string(head)}
	list, err := repo.Sources(ctx)
	if err != nil {
		return nil, err
	}
	for _, b := range list[:min(mostBranches, len(list))] {
		f.Branches = append(f.Branches, branch{cut(b.Name, 200), string(b.Head), b.At})
	}
	log, err := repo.Log(ctx, "", head, mostCommits)
	for _, c := range log {
		f.Commits = append(f.Commits, commitOf(&c))
	}
	return f, err
}

func commitOf(c *git.Commit) commit {
	return commit{string(c.Hash), cut(c.Author.Name, 100), c.At, cut(c.Subject, 200)}
}

// cut shortens a text to at most the given number of characters. If something is cut off, the last character is an
// ellipsis.
func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
