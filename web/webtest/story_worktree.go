package webtest

import (
	"fmt"
	"path"
	"strings"

	"samepage/actions/param"
	work "samepage/actions/work"
)

// worktrees adds worktrees of the repository Garden in every state.
func (m *maker) worktrees(mill string) {
	add := func(name string, report param.Input) string {
		u := m.do("bob", m.urls["repo garden"], work.CreateWorktree.Name, param.Input{"name": name})
		m.urls["worktree "+name] = u
		m.treeID(u, name)
		m.finish(mill, report)
		return u
	}
	add("watering", param.Input{"facts": treeFacts(`,"branch":"watering","ahead":2,"behind":1,"dirty":true,"size":48211,"added":4,
		"deleted":1,"commits":[` + strings.Join([]string{storyCommit(5, "Say when | to water"),
		storyCommit(4, "Count the cans")}, ",") + `],"older":[` + storyCommit(2, "Dig the beds") + `],"whole":true,
		"ignored":["node_modules/"],"files":[
		{"path":"beds/roses.txt","change":"modified","added":2,"deleted":1,"patch":"` + strings.Join([]string{
		`diff --git a/beds/roses.txt b/beds/roses.txt`, `--- a/beds/roses.txt`, `+++ b/beds/roses.txt`,
		`@@ -1,3 +1,4 @@`, ` # Roses`, `-water: never`, `+water: Mondays`, `+cans: 2`, ` <b>thorns</b>`, ``}, `\n`) + `"},
		{"path":"logo.png","change":"added","binary":true},
		{"path":"plan.md","was":"plans/old.md","change":"renamed","added":2,"deleted":0,"cut":true}]`)})
	add("empty", param.Input{"facts": treeFacts(`,"branch":"empty","size":1200`)})
	add("astray", param.Input{"facts": treeFacts(`,"branch":"main","size":1200,"nested":["vendor/seeds"]`)})
	add("broken", param.Input{"problem": "refused: there is a branch broken with other commits"})
	m.do("erin", add("archived", param.Input{"facts": treeFacts(`,"branch":"archived","ahead":1,"size":1200`)}),
		work.ArchiveWorktree.Name, param.Input{"typed": "archived"})
	m.finish(mill, param.Input{"facts": `{"head":"` + storyHash(5) + `"}`})
	m.urls["worktree waiting"] = m.do("scribe", m.urls["repo garden"], work.CreateWorktree.Name,
		param.Input{"name": "waiting", "branch": "agents/waiting", "base": "beds", "fetch": true})
	m.treeID(m.urls["worktree waiting"], "waiting")
	m.job(mill)
}

// treeID names the id of a worktree, so that [World.Stable] replaces the id.
func (m *maker) treeID(url, name string) {
	var id string
	m.get(&id, `SELECT id FROM worktrees WHERE name = ?`, path.Base(url))
	m.names[id] = "worktree-" + name
}

func (m *maker) finish(runner string, report param.Input) {
	in := param.Input{"job": m.job(runner), "claim": "0"}
	m.do("mill", runner, work.ClaimJob.Name, in)
	report["job"], report["claim"] = in["job"], "1"
	m.do("mill", runner, work.FinishJob.Name, report)
}

func storyCommit(n int, subject string) string {
	return fmt.Sprintf(`{"hash":%q,"author":"Erin Eze","at":"2026-11-1%dT10:00:00Z","subject":%q}`, storyHash(n), n%9, subject)
}

func treeFacts(more string) string {
	return fmt.Sprintf(`{"head":%q,"base":%q,"tip":%q%s}`, storyHash(5), storyHash(2), storyHash(3), more)
}

func storyHash(n int) string { return strings.Repeat(fmt.Sprintf("%d%x", n, n+9), 20)[:40] }
