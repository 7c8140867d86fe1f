// Package machine finds the programs of this machine that a runner uses, such as git, agents and sandboxes.
package machine

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"samepage/actions/effect/runner/git"
)

// Tool is a program that a runner uses, or a feature of the kernel.
type Tool struct {
	Name  string // key in manifests and reports
	Title string // for people
	Use   string // the purpose, as the rest of a sentence that begins with Title
	Get   string // installation command or hint; empty if nothing can be installed
	find  func(ctx context.Context) (place string, err error)
}

// Found is a tool with its place on this machine, or the reason why it cannot be used.
type Found struct {
	*Tool
	Place    string
	Problem  error  // nil if the tool can be used
	SignedIn string // a sentence on the key or the login of an agent; otherwise empty
}

const isAgent = "is an agent"

// tools has every tool, in the order of the report.
var tools = []Tool{
	{Name: "git", Title: "git", Use: "keeps repositories and worktrees", Get: "apt-get install git", find: findGit},
	{Name: "claude", Title: "Claude Code", Use: isAgent, Get: npm("@agentclientprotocol/claude-agent-acp"),
		find: adapter("claude-agent-acp", "claude", "CLAUDE_CODE_EXECUTABLE")},
	{Name: "codex", Title: "Codex", Use: isAgent, Get: npm("@agentclientprotocol/codex-acp"),
		find: adapter("codex-acp", "codex", "CODEX_PATH")},
	{Name: "gemini", Title: "Gemini CLI", Use: isAgent, Get: npm("@google/gemini-cli"), find: program("gemini")},
	{Name: "node", Title: "Node.js", Use: "runs these agents", Get: "version 22 or newer from https://nodejs.org", find: findNode},
	{Name: "bubblewrap", Title: "bubblewrap", Use: "is the sandbox of Codex and of Claude Code", Get: "apt-get install bubblewrap",
		find: tryBubblewrap},
	{Name: "socat", Title: "socat", Use: "is needed by the sandbox of Claude Code", Get: "apt-get install socat", find: program("socat")},
	{Name: "landlock", Title: "Landlock", Use: "is the sandbox of the kernel, which Samepage does not use yet", find: findLandlock},
}

const patience = 5 * time.Second

// Look searches for every tool.
func Look(ctx context.Context) []Found {
	list := make([]Found, len(tools))
	for i := range tools {
		list[i].Tool = &tools[i]
		if list[i].Place, list[i].Problem = tools[i].find(ctx); list[i].Problem == nil {
			list[i].SignedIn = signedIn(tools[i].Name)
		}
	}
	return list
}

// Verdict returns sentences on the abilities of a runner with these tools.
func Verdict(list []Found) string {
	var agents []string
	ready := map[string]bool{}
	for _, f := range list {
		ready[f.Name] = f.Problem == nil
		if f.Use == isAgent && f.Problem == nil {
			agents = append(agents, f.Title)
		}
	}
	switch {
	case !ready["git"]:
		return "So a runner here keeps no repository: it needs git."
	case len(agents) == 0:
		return "So a runner here keeps repositories, but starts no agent of this list: install one."
	case !ready["node"]:
		return "So a runner here keeps repositories, but without Node.js these agents do not start: " +
			strings.Join(agents, ", ") + "."
	}
	return "So a runner here keeps repositories, and with its flag for agents starts " + strings.Join(agents, ", ") +
		". Each needs the key or a login of its maker in the environment of the runner; /help/work says how."
}

// Agents returns the [Tool.Name] of each agent that is found in the PATH, without running it.
func Agents(ctx context.Context) (names []string) {
	for i := range tools {
		if tools[i].Use != isAgent {
			continue
		}
		if _, err := tools[i].find(ctx); err == nil {
			names = append(names, tools[i].Name)
		}
	}
	return names
}

// Git searches for git. The error is a sentence with an installation hint.
func Git(ctx context.Context) (*git.Git, error) {
	g, err := git.Find(ctx)
	if err != nil {
		return nil, errors.New(Found{Tool: &tools[0], Problem: err}.String())
	}
	return g, nil
}

// String returns a sentence for the operator.
func (f Found) String() string {
	if f.Problem == nil {
		return strings.TrimSpace(fmt.Sprintf("%s %s: %s. %s", f.Title, f.Use, f.Place, f.SignedIn))
	}
	text := fmt.Sprintf("%s %s, but %s.", f.Title, f.Use, f.Problem)
	if f.Get != "" {
		text += " To get it: " + f.Get
	}
	return text
}

func npm(name string) string { return "npm install --global " + name }

func errMissing(name string) error { return fmt.Errorf("there is no %s in the PATH", name) }

func program(name string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		path, err := exec.LookPath(name)
		if err != nil {
			return "", errMissing(name)
		}
		return path, nil
	}
}

// adapter returns a function that searches the PATH for an agent's adapter, which speaks the Agent Client Protocol. The
// adapter starts the agent that it was installed with, or the program that an environment variable names.
func adapter(name, agent, variable string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		own, _ := exec.LookPath(agent) // optional
		path, err := exec.LookPath(name)
		switch {
		case err != nil && own != "":
			return "", fmt.Errorf("there is %s, and no %s in the PATH, which speaks for it", own, name)
		case err != nil:
			return "", errMissing(name)
		case own != "":
			return fmt.Sprintf("%s; it starts the %s that it was installed with, or %s if %s says so", path, agent, own, variable), nil
		}
		return fmt.Sprintf("%s; it starts the %s that it was installed with", path, agent), nil
	}
}

func findGit(ctx context.Context) (string, error) {
	g, err := git.Find(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("version %s at %s", g.Version, g.Program), nil
}

// newNode is the minimum major version of Node.js.
const newNode = 22

func findNode(ctx context.Context) (string, error) {
	path, err := exec.LookPath("node")
	if err != nil {
		return "", errMissing("node")
	}
	version, err := run(ctx, path, "--version")
	if err != nil {
		return "", err
	}
	version = strings.TrimPrefix(version, "v")
	first, _, _ := strings.Cut(version, ".")
	major, err := strconv.Atoi(first)
	switch {
	case err != nil:
		return "", fmt.Errorf("%s says no version", path)
	case major < newNode:
		return "", fmt.Errorf("version %s at %s is too old for the adapter of Claude Code", version, path)
	}
	return fmt.Sprintf("version %s at %s", version, path), nil
}

// tryBubblewrap starts a program in a sandbox, because many machines and containers have bubblewrap but forbid
// sandboxes.
func tryBubblewrap(ctx context.Context) (string, error) {
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return "", errMissing("bwrap")
	}
	if _, err := run(ctx, path, "--ro-bind", "/", "/", "--unshare-user", "--", path, "--version"); err != nil {
		return "", fmt.Errorf("it cannot make a sandbox on this machine: %w", err)
	}
	return path, nil
}

func findLandlock(context.Context) (string, error) {
	version, err := landlock()
	if err != nil {
		return "", errors.New("this kernel lacks it")
	}
	return fmt.Sprintf("version %d", version), nil
}

func run(ctx context.Context, path string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("%s: %w: %s", path, err, firstLine(exit.Stderr))
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return firstLine(out), nil
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return line[:min(200, len(line))]
}
