package machine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"samepage/actions/effect/runner/machine"
)

// TestWhatIsFound checks the sentences about machines on which the programs are missing, partly missing, old, or
// broken.
func TestWhatIsFound(t *testing.T) {
	login := t.TempDir()
	codex := write(t, "{}", login, "auth.json")
	for name, value := range map[string]string{"ANTHROPIC_API_KEY": "", "CLAUDE_CODE_OAUTH_TOKEN": "secret",
		"OPENAI_API_KEY": "", "CODEX_HOME": login, "GEMINI_API_KEY": "", "GEMINI_CLI_HOME": login} {
		t.Setenv(name, value)
	}
	for _, c := range []struct {
		about string
		here  map[string]string // programs and what they do
		says  []string
	}{
		{"nothing", nil, []string{
			"git keeps repositories and worktrees, but git is not installed. To get it: apt-get install git",
			"Claude Code is an agent, but there is no claude-agent-acp in the PATH. To get it: " +
				"npm install --global @agentclientprotocol/claude-agent-acp",
			"Gemini CLI is an agent, but there is no gemini in the PATH.",
			"there is no node in the PATH. To get it: version 22 or newer",
			"but there is no bwrap in the PATH. To get it: apt-get install bubblewrap",
			"Landlock is the sandbox of the kernel", "So a runner here keeps no repository: it needs git."}},
		{"everything", map[string]string{"git": "echo git version 2.44.1", "claude-agent-acp": "", "claude": "", "codex-acp": "",
			"gemini": "", "node": "echo v24.1.0", "bwrap": "", "socat": ""}, []string{
			"git keeps repositories and worktrees: version 2.44.1 at DIR/git.",
			"Claude Code is an agent: DIR/claude-agent-acp; it starts the claude that it was installed with, or DIR/claude if " +
				"CLAUDE_CODE_EXECUTABLE says so. Its key is in CLAUDE_CODE_OAUTH_TOKEN.",
			"Codex is an agent: DIR/codex-acp; it starts the codex that it was installed with. Its login is " + codex +
				", to which each session gets access.",
			"Gemini CLI is an agent: DIR/gemini. GEMINI_CLI_HOME names a folder without a login: there is no " +
				login + "/.gemini/oauth_creds.json. To get one: gemini",
			"Node.js runs these agents: version 24.1.0 at DIR/node.",
			"bubblewrap is the sandbox of Codex and of Claude Code: DIR/bwrap.",
			"socat is needed by the sandbox of Claude Code: DIR/socat.",
			"starts Claude Code, Codex, Gemini CLI. Each needs the key or a login of its maker"}},
		{"git alone", map[string]string{"git": "echo git version 2.44.1"}, []string{
			"keeps repositories, but starts no agent of this list: install one."}},
		{"an agent without Node.js", map[string]string{"git": "echo git version 2.44.1", "gemini": ""}, []string{
			"keeps repositories, but without Node.js these agents do not start: Gemini CLI.",
			"It has no key and no login here: set GEMINI_API_KEY, or GEMINI_CLI_HOME to the folder of a login " +
				"(gemini)."}},
		{"old or broken programs", map[string]string{"git": "echo git version 2.38.5", "codex": "", "node": "echo v18.20.4",
			"bwrap": "echo 'bwrap: No permissions to create new namespace' >&2; exit 1"}, []string{
			"git 2.38.5 is too old: version 2.39 or newer is needed. To get it: apt-get install git",
			"Codex is an agent, but there is DIR/codex, and no codex-acp in the PATH, which speaks for it.",
			"version 18.20.4 at DIR/node is too old for the adapter of Claude Code. To get it: version 22",
			"but it cannot make a sandbox on this machine: DIR/bwrap: exit status 1: bwrap: No permissions to create new namespace."}},
		{"programs that say nothing", map[string]string{"git": "", "node": ""}, []string{
			"DIR/git says no version", "DIR/node says no version"}},
	} {
		t.Run(c.about, func(t *testing.T) {
			dir := t.TempDir()
			for name, does := range c.here {
				if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+does+"\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("PATH", dir)
			if c.about == "an agent without Node.js" {
				t.Setenv("GEMINI_CLI_HOME", "")
			}
			var lines []string
			found := machine.Look(t.Context())
			for _, f := range found {
				lines = append(lines, strings.ReplaceAll(f.String(), dir+"/", "DIR/"))
			}
			lines = append(lines, machine.Verdict(found))
			text := strings.Join(lines, "\n")
			if strings.Contains(text, "secret") {
				t.Errorf("it says a key:\n%s", text)
			}
			for _, say := range c.says {
				if !strings.Contains(text, say) {
					t.Errorf("%q is missing:\n%s", say, text)
				}
			}
			if _, err := machine.Git(t.Context()); err != nil && strings.ReplaceAll(err.Error(), dir+"/", "DIR/") != lines[0] {
				t.Errorf("git alone: %s", err)
			}
		})
	}
}
