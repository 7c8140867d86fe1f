package webtest

import "strings"

// Example returns the URL of a page with this pattern.
func (w *World) Example(pattern string) string {
	if pattern == "/studios/{studio}/sessions/{session}/rules/{n}" {
		return w.URL("rule deny")
	}
	for own, name := range map[string]string{"/studios/{studio}/d/{id}": "standups",
		"/studios/{studio}/n/{id}": "note post",
		"/studios/{studio}/c/{id}": "commitment open", "/studios/{studio}/t/{id}": "topic consent",
		"/studios/{studio}/e/{id}": "election consent", "/approvals/{id}": "approval pending",
		"/studios/{studio}/m/{id}": "message edited", "/orgs/{org}/dm/{handle}": "dm erin",
		"/orgs/{org}/agents/{agent}": "agent scribe", "/studios/{studio}/roles/{id}": "role vacant",
		"/orgs/{org}/webhooks/{webhook}": "webhook active", "/orgs/{org}/runners/{runner}": "runner mill",
		"/studios/{studio}/repos/{repo}": "repo garden", "/studios/{studio}/worktrees/{worktree}": "worktree watering",
		"/studios/{studio}/sessions/{session}": "session done",
		"/studios/{studio}/reviews/{review}":   "review changes",
		"/studios/{studio}/pulls/{n}":          "pull conflicts",
		"/orgs/{org}/manifests/{manifest}":     "manifest mason",
		"/orgs/{org}/policies/{number}":        "policy money", "/studios/{studio}/boards/{id}": "board"} {
		if rest, ok := strings.CutPrefix(pattern, own); ok {
			pattern = w.URL(name) + rest
		}
	}
	return strings.NewReplacer("{name}", "2026-w47", "{studio}", "team", "{n}", "2", "{org}", "acme", "{handle}",
		"alice", "{seq}", "1", "{card}", "5", "{file}", w.URL("agenda")[len("/files/"):]).Replace(pattern)
}
