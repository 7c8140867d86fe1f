package webtest

import (
	"fmt"
	"strings"

	"samepage/actions/param"
	work "samepage/actions/work"
)

// Forge is the address below which the runner Mill opens pull requests.
const Forge = "https://git.example.org/team"

// forge adds a repository at a forge where the runner has an account, with pull requests in each state of publishing,
// and issues.
func (m *maker) forge(mill string) {
	m.do("mill", mill, work.AnnounceRunner.Name, param.Input{"program": "samepage test", "git": "2.39.5", "roots": []any{"/srv"},
		"starts": "true", "forges": []any{Forge}})
	repo := m.do("alice", mill, work.AddRepo.Name, param.Input{"studio": "team", "name": "nursery",
		"source": Forge + "/nursery.git"})
	m.urls["repo nursery"] = repo
	facts := fmt.Sprintf(`{"main":"main","head":%q,"branches":[{"name":"main","head":%[1]q,"at":"2026-11-13T10:00:00Z"}],
		"commits":[%s]}`, storyHash(3), storyCommit(3, "Sow"))
	m.finish(mill, param.Input{"facts": facts})
	n := 0
	open := func(name string) string {
		tree := m.do("bob", repo, work.CreateWorktree.Name, param.Input{"name": name})
		m.urls["worktree "+name] = tree
		m.treeID(tree, name)
		m.finish(mill, param.Input{"facts": treeFacts(`,"branch":"` + name + `","ahead":1,"size":1200,
			"commits":[` + storyCommit(5, "Sow "+name) + `]`)})
		m.urls["pull "+name] = m.do("bob", tree, work.CreatePull.Name, param.Input{"title": "Sow " + name})
		return m.urls["pull "+name]
	}
	publish := func(name, how string) {
		n++
		m.do("bob", open(name), work.PublishPull.Name, nil)
		m.finish(mill, param.Input{"facts": fmt.Sprintf(`{"number":%[1]d,"url":"%[2]s/nursery/pull/%[1]d","head":%[3]q,%[4]s}`,
			n, Forge, storyHash(5), how)})
	}
	open("peas")
	publish("beans", `"state":"open","checks":"failed","names":["lint | <b>all</b>","test"]`)
	publish("kale", fmt.Sprintf(`"state":"merged","merged":%q,"by":"octo|cat","repo":%s`, storyHash(6), facts))
	m.finish(mill, param.Input{"facts": treeFacts(`,"branch":"kale","size":1200`)})
	publish("leeks", `"state":"closed"`)
	publish("chard", `"state":"open","checks":"waiting","names":["test"]`)
	m.do("bob", m.urls["pull chard"], work.UpdatePull.Name, param.Input{"title": "Sow chard", "text": "And water it."})
	m.finish(mill, param.Input{"problem": "git.example.org: it answers 403: Forbidden"})
	m.do("bob", open("mint"), work.PublishPull.Name, nil)
	m.job(mill)

	m.do("scribe", repo, work.CreateIssues.Name, param.Input{"issues": "# Water | the <b>beds</b>\n\nEach *morning*."})
	m.finish(mill, param.Input{"facts": fmt.Sprintf(`{"issues":[{"key":%q,"n":12,"url":"%s/nursery/issues/12"}]}`,
		m.issue(), Forge)})
	m.do("bob", repo, work.CreateIssues.Name, param.Input{"issues": "# Buy seeds"})
	m.issue()
	m.finish(mill, param.Input{"problem": strings.Repeat("no ", 20) + "answer"})
	m.environments(mill)
}

// environments sets the environment of the repository nursery, and adds environments in several states to its
// worktrees.
func (m *maker) environments(mill string) {
	m.do("alice", m.urls["repo nursery"], work.SetEnvironment.Name, param.Input{"setup": []any{"make", "it's | ready"},
		"start": []any{"npm", "start"}, "health": "/healthz", "ports": "2"})
	m.do("bob", m.urls["worktree chard"], work.SetUpWorktree.Name, nil)
	m.finish(mill, param.Input{"facts": `{"passed":false,"said":"It ended with the code 2.\n\nOutput:\n<b>no</b> | rule"}`})
	m.finish(mill, param.Input{"facts": treeFacts(`,"branch":"chard","ahead":1,"size":1200`)})
	for _, start := range []struct{ tree, facts string }{
		{"beans", `{"state":"running","port":4001,"said":"It answers on the port 4001.\n\nOutput:\nlistening | <i>well</i>"}`},
		{"kale", `{"state":"unhealthy","port":4002,"said":"It does not answer on the port 4002."}`},
		{"leeks", `{"state":"failed","port":0,"said":"It ended with the code 1.\n\nError output:\nno port"}`},
	} {
		m.do("scribe", m.urls["worktree "+start.tree], work.StartEnvironment.Name, nil)
		m.finish(mill, param.Input{"facts": start.facts})
	}
	m.do("bob", m.urls["worktree peas"], work.StartEnvironment.Name, nil)
	m.job(mill)
}

func (m *maker) issue() (id string) {
	m.get(&id, `SELECT id FROM issues ORDER BY created_at DESC, id LIMIT 1`)
	m.names[id] = fmt.Sprintf("issue-%d", len(m.names))
	return id
}
