package runner

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"samepage/actions/effect/runner/acp"
	"samepage/actions/effect/runner/git"
	"samepage/actions/effect/runner/machine"
	"samepage/actions/effect/runner/process"
	"samepage/actions/effect/runner/turn"
)

func (w *working) author() git.Person {
	return git.Person{Name: w.Agent, Email: "agent@samepage.invalid"}
}

func (w *working) message(origin string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(w.Prompt), "\n")
	return fmt.Sprintf("%s\n\nTurn %d of %s%s\n", cut(line, 70), w.N, origin, w.URL)
}

func (r *Runner) spec(w *working, secret, dir string) (turn.Spec, error) {
	if git.CheckName(w.ID) != nil || git.CheckName(w.Session) != nil || git.CheckName(w.Home) != nil {
		return turn.Spec{}, fmt.Errorf("%q is no turn", w.ID)
	}
	argv, err := r.argv(w.Argv)
	if err != nil {
		return turn.Spec{}, err
	}
	name := w.author()
	env := process.Environment(os.Environ(), append(process.Basics, w.Env...), map[string]string{
		"GIT_AUTHOR_NAME": name.Name, "GIT_AUTHOR_EMAIL": name.Email, "GIT_COMMITTER_NAME": name.Name,
		"GIT_COMMITTER_EMAIL": name.Email})
	home := filepath.Join(r.Data, "homes", w.Home)
	signIn := machine.SignIn(w.SignIn, env)
	if env, err = machine.Lend(env, home); err != nil {
		return turn.Spec{}, err
	}
	s := turn.Spec{Program: process.Spec{Argv: argv, Dir: dir, Env: env,
		Home: home, Turn: w.ID, Runs: filepath.Join(r.Data, "runs")},
		Us:     acp.Implementation{Name: "samepage", Title: "Samepage", Version: cmp.Or(r.Version, "0")},
		SignIn: signIn, Session: w.AgentSession, Fork: w.Fork, Mode: w.Mode, Model: w.Model,
		Plain: w.Adapter == "plain", Prompt: w.preamble() + w.Prompt}
	if w.N > 1 || w.Fork {
		s.Memory = "What was said before is on the page " + cmp.Or(w.Parent, w.URL) + " of Samepage."
	}
	if s.Session == "" && s.Memory != "" && !s.Plain { // the agent has no session to continue
		s.Prompt = s.Memory + "\n\n" + s.Prompt
	}
	if r.MCP != "" {
		s.Server = acp.Server{Name: "samepage", URL: r.MCP, Headers: []acp.Pair{{Name: "Authorization",
			Value: "Bearer " + secret}}}
	}
	if r.Program != "" {
		s.Stdio = acp.Server{Name: "samepage", Command: r.Program, Args: []string{"mcp", "--url", r.Origin},
			Env: []acp.Pair{{Name: "SAMEPAGE_TOKEN", Value: secret}}}
	}
	return s, nil
}

// argv returns the program of a turn and its arguments, from the agent's manifest. A runner with a folder of scripts
// accepts only a manifest that names one of these scripts.
func (r *Runner) argv(manifest []string) ([]string, error) {
	if r.Scripts == "" {
		return manifest, nil
	}
	if len(manifest) != 3 || manifest[0] != "samepage" || manifest[1] != "agent-script" || git.CheckName(manifest[2]) != nil {
		return nil, errors.New("this runner starts no other agents than its own scripts: samepage agent-script, and the name of one")
	}
	return []string{r.Program, "agent-script", filepath.Join(r.Scripts, manifest[2])}, nil
}

// preamble returns the text before a prompt. A plain program ([turn.Spec]) gets only the instructions of its manifest.
func (w *working) preamble() string {
	if w.Adapter == "plain" {
		if w.Instructions == "" {
			return ""
		}
		return w.Instructions + "\n\n"
	}
	text := fmt.Sprintf("You are %s, an agent of @%s in the studio %s of Samepage. Your page is %s (%s). The "+
		"tools navigate and "+
		"execute_action of the server samepage read and change pages; /whoami says more. ", w.Agent, w.Member,
		w.Studio, w.URL, w.Title)
	if w.Commit != "" {
		text += fmt.Sprintf("Your working folder has the files of the commit %s. What you change there is not "+
			"kept.\n\n", w.Commit)
	} else {
		text += fmt.Sprintf("Your working folder is a git worktree on the branch %s. At the end of your turn its "+
			"files are committed for you.\n\n", w.Branch)
	}
	if w.moved != "" {
		text += fmt.Sprintf("Since your last turn the branch has gone from the commit %s to %s, so files may be other ones "+
			"than you remember. Read them again.\n\n", w.LastHead, w.moved)
	}
	if w.Instructions != "" {
		text += w.Instructions + "\n\n"
	}
	return text
}
