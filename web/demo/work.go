package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"samepage/actions/param"
	"samepage/actions/work"
	"samepage/store"
	"samepage/web"
)

// Workshop is the part of the demo in which scripted agents work. It needs git and a runner.
type Workshop struct {
	Scripts string
	Root    string
	Folder  string // folder of the runner
	Page    string // path of the runner's page
	Token   string // token of the runner

	seeder *seeder
	fresh  bool // whether the runner is new; the story is told only then
}

// workers lists the agents that the story adds with [work.AddManifest]. The key of an agent is also the name of its
// script.
var workers = []struct{ key, title, role string }{
	{"fern", "Fern", "coding"}, {"basil", "Basil", "coding"}, {"moss", "Moss", "coding"}, {"sage", "Sage", "planning"},
	{"thistle", "Thistle", "reviewing"},
}

// OpenWorkshop makes a repository, the scripts that the demo's agents run, and a runner in a folder, or uses the existing
// ones. The caller must give a folder that nothing else uses.
func OpenWorkshop(ctx context.Context, site *web.Site, st *store.Store, folder string) (*Workshop, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return nil, err
	}
	w := &Workshop{Scripts: filepath.Join(folder, "scripts"), Root: filepath.Join(folder, "origin"),
		Folder: filepath.Join(folder, "runner"),
		seeder: &seeder{ctx: ctx, site: site, store: st, actors: map[string]store.Actor{}}}
	for _, p := range people {
		if w.seeder.actors[p.handle], err = site.Person(ctx, organization, p.handle); err != nil {
			return nil, err
		}
	}
	if err := w.writeScripts(); err != nil {
		return nil, err
	}
	if err := makeRepository(ctx, w.source(), st.Now()); err != nil {
		return nil, err
	}
	return w, w.enlist(filepath.Join(folder, "runner-page"))
}

func (w *Workshop) source() string { return filepath.Join(w.Root, "harvest.git") }

// writeScripts writes the scripts of the workers. In a step "write PATH < FILE", FILE is replaced by its content.
func (w *Workshop) writeScripts() error {
	if err := os.MkdirAll(w.Scripts, 0o700); err != nil {
		return err
	}
	for _, a := range workers {
		lines := strings.Split(file(a.key), "\n")
		for i, line := range lines {
			if step, name, ok := strings.Cut(line, " < "); ok && strings.HasPrefix(step, "write ") {
				lines[i] = step + " " + strings.ReplaceAll(strings.TrimSuffix(file(name), "\n"), "\n", `\n`)
			}
		}
		if err := os.WriteFile(filepath.Join(w.Scripts, a.key), []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// enlist adds the runner. It stores the path of the runner's page in one file and the runner's token in another, for
// later starts. If the stored token is no longer in force, enlist makes another.
func (w *Workshop) enlist(path string) error {
	s, key := w.seeder, path+"-token"
	page, err := os.ReadFile(path)
	if err == nil {
		w.Page = string(page)
		if w.Token, err = kept(s.ctx, s.store, key); err != nil {
			return err
		}
		if _, err := s.agent(w.Token); w.Token != "" && err == nil {
			return nil
		}
		if w.Token = s.take("alice", w.Page, work.RenewRunner.Name, nil, "").Secret; s.err != nil {
			return s.err
		}
		return keep(s.ctx, s.store, key, w.Token)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	made := s.take("alice", "/orgs/"+organization+"/runners", work.CreateRunner.Name,
		param.Input{"name": "Workshop", "roots": []any{w.Root}}, "")
	if s.err != nil {
		return s.err
	}
	w.Page, w.Token, w.fresh = made.URL, made.Secret, true
	if err := keep(s.ctx, s.store, key, w.Token); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(w.Page), 0o600)
}

// patience is how long the story waits, before an action, until the page offers it.
const patience = 2 * time.Minute

// do takes an action as soon as the page offers it, because many actions need a report of the runner first.
func (w *Workshop) do(by, url, name string, in param.Input) string {
	s := w.seeder
	if s.err != nil {
		return url
	}
	for until := time.Now().Add(patience); ; {
		out, err := s.site.Do(s.ctx, web.As(s.actors[by]), web.Call{URL: url, Action: name, Params: in})
		switch {
		case err == nil:
			return out.URL
		case store.CodeOf(err) != store.Conflict || time.Now().After(until):
			s.err = fmt.Errorf("%s: %s on %s: %w", by, name, url, err)
			return url
		}
		select {
		case <-s.ctx.Done():
			s.err = s.ctx.Err()
			return url
		case <-time.After(100 * time.Millisecond):
		}
	}
}
