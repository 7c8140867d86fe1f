package webtest

import (
	"fmt"
	"path"
	"strings"

	"samepage/actions/param"
	work "samepage/actions/work"
)

// pulls adds pull requests in every state, and a worktree without a pull request.
func (m *maker) pulls(mill string) {
	tree := func(name string) string {
		u := m.do("bob", m.urls["repo garden"], work.CreateWorktree.Name, param.Input{"name": name})
		m.urls["worktree "+name] = u
		m.treeID(u, name)
		m.finish(mill, param.Input{"facts": treeFacts(`,"branch":"` + name + `","ahead":1,"size":1200,"added":1,"commits":[` +
			storyCommit(5, "Mend the "+name) + `],"files":[{"path":"` + name + `.txt","change":"added","added":1}]`)})
		return u
	}
	open := func(name, by, at string, in param.Input) string {
		m.urls["pull "+name] = m.do(by, at, work.CreatePull.Name, in)
		return m.urls["pull "+name]
	}
	report := func(more string) {
		branches := fmt.Sprintf(`[{"name":"main","head":%q,"at":"2026-11-13T10:00:00Z"},
			{"name":"beds","head":%q,"at":"2026-11-12T10:00:00Z"}]`,
			storyHash(3), storyHash(2))
		commits := strings.Join([]string{storyCommit(3, "Water the | beds"), storyCommit(2, "Dig the beds"), storyCommit(1, "Begin")}, ",")
		m.finish(mill, param.Input{"facts": fmt.Sprintf(`{"into":%q,"place":"/srv/samepage/repos/it's.git",
			"repo":{"main":"main","head":%[1]q,"branches":%s,"commits":[%s]},%s}`, storyHash(3), branches, commits, more)})
	}
	m.do("alice", m.urls["repo garden"], work.UpdateRepo.Name, param.Input{"rule": "approved", "protected": []any{"beds"}})

	gate := m.do("bob", tree("gate"), work.StartSession.Name, param.Input{"agent": "mason", "prompt": "Mend the gate."})
	m.urls["session gate"] = gate
	m.names[path.Base(gate)] = "session-gate"
	m.beginTurn(mill)
	m.finishTurn(mill, `{"state":"succeeded","agent_session":"mason-gate","head_after":"`+storyHash(5)+`"}`)
	review := m.do("bob", gate, work.RequestReview.Name, nil)
	m.urls["review gate"] = review
	m.names[path.Base(review)] = "review-gate"
	m.do("alice", review, work.ApproveReview.Name, nil)
	approved := open("approved", "bob", gate, param.Input{"title": "Mend the | gate", "text": "It *closes* now.\n\n- hinges"})

	conflicts := open("conflicts", "bob", m.urls["session done"], param.Input{"title": "Water on Mondays"})
	m.do("alice", conflicts, work.MergePull.Name, param.Input{"reason": "It is dry."})
	report(`"conflicts":[{"path":"beds/roses.txt","ours":"# Roses\nwater: <Sundays>\n","theirs":"# Roses\nwater: Mondays\n","cut":true},
		{"path":"logo.png","ours":"","theirs":"","binary":true},{"path":"gone.txt","ours":"","theirs":"still here\n"}]`)

	merged := open("merged", "erin", tree("fence"), param.Input{"title": "Mend the fence"})
	m.do("alice", merged, work.MergePull.Name, param.Input{"method": "squash", "reason": "Only | words."})
	report(`"commit":"` + storyHash(6) + `"`)
	m.finish(mill, param.Input{"facts": treeFacts(`,"branch":"fence","size":1200`)})

	m.do("alice", open("closed", "scribe", tree("hedge"), param.Input{"title": "Cut the hedge"}), work.ClosePull.Name, nil)
	open("draft", "bob", tree("pond"), param.Input{"title": "Dig a pond", "draft": "true"})
	m.do("dave", open("merging", "bob", tree("arch"), param.Input{"title": "Mend the arch"}), work.MergePull.Name,
		param.Input{"method": "fast_forward", "reason": "Dave needs it."})
	m.job(mill)
	tree("bench")
	m.do("alice", m.urls["repo garden"], work.SetCheck.Name, param.Input{"argv": []any{"make", "check it | twice"}})
	check := func(pull, result string) {
		m.do("bob", pull, work.RunCheck.Name, nil)
		m.finish(mill, param.Input{"facts": fmt.Sprintf(`{"commit":%q,%s}`, storyHash(5), result)})
	}
	check(approved, `"passed":true,"said":"It ended with the code 0."`)
	check(conflicts, `"passed":false,"said":"It ended with the code 2.\n\nOutput:\nroses.txt:3: <b>dry</b>\n| 1 failed"`)
	m.forge(mill)
	m.workshop()
}
