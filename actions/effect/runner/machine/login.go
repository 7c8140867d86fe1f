package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// login describes how an agent is signed in: by a key in its environment, or by a login in a folder of this machine.
type login struct {
	keys   []string // variables with a key or a token
	folder string   // variable with the folder in which the login is
	file   string   // file with the login, below that folder
	home   string   // place of that file in the HOME folder of an agent; empty if lent names the folder instead
	lent   string   // variable with a folder that the agent uses only for its login
	get    string   // command that makes the login
}

// logins has the logins of the agents, by [Tool.Name].
//
// Codex and Gemini CLI write a renewed login into the file, so a link to it is enough. Claude Code replaces the file,
// and the link with it, but has a variable for the folder of the login alone.
var logins = map[string]login{
	"claude": {keys: []string{"ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"}, folder: "CLAUDE_CONFIG_DIR",
		file: ".credentials.json", lent: "CLAUDE_SECURESTORAGE_CONFIG_DIR", get: "claude-agent-acp --cli auth login"},
	"codex": {keys: []string{"OPENAI_API_KEY"}, folder: "CODEX_HOME", file: "auth.json", home: ".codex/auth.json",
		get: "codex login"},
	"gemini": {keys: []string{"GEMINI_API_KEY"}, folder: "GEMINI_CLI_HOME", file: ".gemini/oauth_creds.json",
		home: ".gemini/oauth_creds.json", get: "gemini"},
}

// Lend gives an agent the logins in the folders that its environment names, and nothing else of these folders, which
// may have keys, rules and conversations of other sessions. The argument home is the HOME folder of the agent. Lend
// returns the environment without the variables that name these folders, but for Claude Code with the one in
// [login.lent].
func Lend(env []string, home string) ([]string, error) {
	env = slices.Clone(env)
	for _, l := range logins {
		i := slices.IndexFunc(env, func(pair string) bool { return strings.HasPrefix(pair, l.folder+"=") })
		if i < 0 {
			continue
		}
		folder := strings.TrimPrefix(env[i], l.folder+"=")
		env = slices.Delete(env, i, i+1)
		switch {
		case folder == "":
		case l.lent != "":
			env = append(env, l.lent+"="+folder)
		default:
			if err := link(home, l.home, filepath.Join(folder, l.file)); err != nil {
				return nil, fmt.Errorf("the login of %s: %w", l.folder, err)
			}
		}
	}
	return env, nil
}

// link makes a symbolic link to a file at the path place in the HOME folder of an agent, where it replaces an existing
// one. It follows no link out of HOME. If the file does not exist, link does nothing.
func link(home, place, file string) error {
	file, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	if _, err := os.Stat(file); err != nil {
		if os.IsNotExist(err) {
			return nil
		}
		return err
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(home)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Dir(place), 0o700); err != nil {
		return err
	}
	if err := root.Remove(place); err != nil && !os.IsNotExist(err) {
		return err
	}
	return root.Symlink(file, place)
}

// signInGoogle is the sign-in method of Gemini CLI with a login.
const signInGoogle = "oauth-personal"

// SignIn returns the sign-in method that an agent uses. This is the argument way, from the agent's manifest, unless way
// needs a key of Gemini CLI and the environment has only a login: then it is [signInGoogle].
func SignIn(way string, env []string) string {
	l := logins["gemini"]
	has := func(name string) bool {
		return slices.ContainsFunc(env, func(pair string) bool {
			value, ok := strings.CutPrefix(pair, name+"=")
			return ok && value != ""
		})
	}
	if way == "gemini-api-key" && !has(l.keys[0]) && has(l.folder) {
		return signInGoogle
	}
	return way
}

// signedIn returns a sentence on an agent's key or login in the environment of this process, without the key, or "" for
// another tool. It does not ask the agent's vendor whether they are valid.
func signedIn(agent string) string {
	l, ok := logins[agent]
	if !ok {
		return ""
	}
	for _, name := range l.keys {
		if os.Getenv(name) != "" {
			return "Its key is in " + name + "."
		}
	}
	folder := os.Getenv(l.folder)
	if folder == "" {
		return fmt.Sprintf("It has no key and no login here: set %s, or %s to the folder of a login (%s).",
			strings.Join(l.keys, " or "), l.folder, l.get)
	}
	file := filepath.Join(folder, l.file)
	if _, err := os.Stat(file); err != nil {
		return fmt.Sprintf("%s names a folder without a login: there is no %s. To get one: %s", l.folder, file, l.get)
	}
	return "Its login is " + file + ", to which each session gets access."
}
