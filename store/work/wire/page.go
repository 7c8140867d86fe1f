// Package wire declares the JSON that runners and the server exchange: the runner's page, the parameters of jobs, and
// the runner's reports.
package wire

import "encoding/json"

// Runner is the page of a runner, which is a program that does jobs and turns on its machine.
type Runner struct {
	ID           string        `json:"id"`
	Name         string        `json:"name"`
	State        string        `json:"state"`
	Git          string        `json:"git,omitempty"`
	Roots        []string      `json:"roots"`
	Jobs         []Job         `json:"jobs"`
	Turns        []Turn        `json:"turns,omitempty"`
	Pulls        []Pull        `json:"pulls,omitempty"`
	Environments []Environment `json:"environments,omitempty"`
}

// Job is a task on the page of its runner.
type Job struct {
	ID         string          `json:"id"`
	Kind       string          `json:"kind"`
	State      string          `json:"state"`
	Claim      int             `json:"claim"` // number of claims so far
	Repo       string          `json:"repo"`
	RepoID     string          `json:"repo_id"`
	Source     string          `json:"source,omitempty"`
	Worktree   string          `json:"worktree,omitempty"`
	WorktreeID string          `json:"worktree_id,omitempty"`
	Branch     string          `json:"branch,omitempty"`
	Base       string          `json:"base,omitempty"`
	Params     json.RawMessage `json:"params,omitempty"`
}

// Turn is one prompt to an agent, on the page of the runner that starts the agent.
type Turn struct {
	ID           string   `json:"id"`
	State        string   `json:"state"`
	Claim        int      `json:"claim"` // number of claims so far
	Stop         bool     `json:"stop,omitempty"`
	Answers      []Answer `json:"answers,omitempty"`
	N            int      `json:"n"`
	Session      string   `json:"session"`
	URL          string   `json:"url"`
	Title        string   `json:"title"`
	RepoID       string   `json:"repo_id"`
	WorktreeID   string   `json:"worktree_id"`
	Branch       string   `json:"branch"`
	Base         string   `json:"base"`
	Agent        string   `json:"agent"`
	Member       string   `json:"member"`
	Studio       string   `json:"studio"`
	Adapter      string   `json:"adapter"`
	Argv         []string `json:"argv"`
	Env          []string `json:"env,omitempty"`
	Mode         string   `json:"mode,omitempty"`
	Model        string   `json:"model,omitempty"`
	SignIn       string   `json:"sign_in,omitempty"`
	AgentSession string   `json:"agent_session,omitempty"`
	Fork         bool     `json:"fork,omitempty"`
	Home         string   `json:"home"`                // id of the session with the home folder that the agent gets
	Parent       string   `json:"parent,omitempty"`    // URL of the session that a fork copies
	Commit       string   `json:"commit,omitempty"`    // reviewed commit; empty if the turn is no review
	LastHead     string   `json:"last_head,omitempty"` // head after the session's previous turn; may be empty
	Instructions string   `json:"instructions,omitempty"`
	Prompt       string   `json:"prompt"`
}

// Answer is the answer to a permission request.
type Answer struct {
	Event  int    `db:"event" json:"event"` // number of the turn's event about the request
	Choice string `db:"choice" json:"choice"`
}

// Pull is a pull request with a copy on a forge ([Publish]), on the page of its runner.
type Pull struct {
	ID     string   `json:"id"`
	RepoID string   `json:"repo_id"`
	Source string   `json:"source"`
	Number int      `json:"number"`
	State  string   `json:"state"`
	Head   string   `json:"head"`
	Checks string   `json:"checks,omitempty"`
	Names  []string `json:"names,omitempty"`
}

// Environment is an environment on the page of its runner, with its last known state.
type Environment struct {
	WorktreeID string `json:"worktree_id"`
	State      string `json:"state"`
}
