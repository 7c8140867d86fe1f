package webtest

import (
	"fmt"
	"path"
	"strings"
	"time"

	"samepage/actions/param"
	work "samepage/actions/work"
	"samepage/store"
	"samepage/web"
	_ "samepage/web/work" // registers the pages of runners and repositories
)

// runners adds an active runner with repositories: one that was fetched, one with a failed fetch, and one that waits
// for its fetch. It also adds a stopped runner, worktrees and sessions.
func (m *maker) runners() {
	add := func(name, title string, roots ...any) string {
		in := param.Input{"name": title, "roots": roots}
		if m.err != nil {
			return ""
		}
		m.clock.Advance(time.Minute)
		out, err := m.site.Do(m.ctx, web.As(m.actors["alice"]), web.Call{URL: "/orgs/acme/runners",
			Action: work.CreateRunner.Name,
			Params: in})
		if m.err = err; err != nil {
			return ""
		}
		var by store.Actor
		m.err = m.store.Read(m.ctx, func(tx *store.Tx) (err error) {
			by, err = tx.ActorByToken(out.Secret)
			return err
		})
		m.actors[name] = by
		m.secretsOf["runner "+name] = out.Secret
		m.urls["runner "+name] = out.URL
		m.names[path.Base(out.URL)], m.names[by.Token], m.names[by.Agent.ID] = "runner-"+name, "token-"+name,
			"agent-"+name
		return out.URL
	}
	mill := add("mill", "Mill", "/srv/git", "https://git.example.org/team")
	barn := add("barn", "Barn")
	m.do("alice", barn, work.StopRunner.Name, nil)
	m.do("mill", mill, work.AnnounceRunner.Name, param.Input{"program": "samepage test", "git": "2.39.5",
		"roots": []any{"/srv"}, "starts": "true"})
	repo := func(name, source string) string {
		u := m.do("alice", mill, work.AddRepo.Name, param.Input{"studio": "team", "name": name, "source": source})
		m.urls["repo "+name] = u
		return u
	}
	finish := func(report param.Input) { m.finish(mill, report) }
	repo("garden", "/srv/git/garden")
	finish(param.Input{"facts": `{"main":"main","head":"` + storyHash(3) + `","branches":[{"name":"main","head":"` + storyHash(3) +
		`","at":"2026-11-13T10:00:00Z"},{"name":"beds","head":"` + storyHash(2) + `","at":"2026-11-12T10:00:00Z"}],"commits":[` +
		strings.Join([]string{storyCommit(3, "Water the | beds"), storyCommit(2, "Dig the beds"), storyCommit(1, "Begin")}, ",") + `]}`})
	repo("orchard", "/srv/git/orchard")
	finish(param.Input{"problem": "/srv/git/orchard does not exist below an allowed root"})
	repo("meadow", "https://git.example.org/team/meadow.git")
	m.job(mill)
	m.worktrees(mill)
	m.sessions(mill)
}

func (m *maker) job(runner string) (id string) {
	m.get(&id, `SELECT id FROM jobs WHERE runner_id = ? ORDER BY created_at DESC, id LIMIT 1`, path.Base(runner))
	m.names[id] = fmt.Sprintf("job-%d", len(m.names))
	return id
}
