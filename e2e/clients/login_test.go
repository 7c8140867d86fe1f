package clients

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"samepage/actions/effect/runner/machine"
	"samepage/actions/effect/runner/turn"
	"samepage/store/pgtest"
)

// TestRealAgentsUseALogin lets Claude Code and Codex use a login in a folder of the machine instead of a key. The model
// hears the secret of the login. Neither agent reads or writes anything else in the folder, so the sessions of two
// agents have nothing of each other.
func TestRealAgentsUseALogin(t *testing.T) {
	pgtest.Folder(t, "it is about the folder of an agent")
	w := newWorld(t)
	const secret = "secret-of-the-login"
	for _, c := range []struct {
		name, folder string
		of           func(*testing.T, *model, string) realAgent
		file         string
		login        any
		without      []string // variables that would be a key
		rules        string   // file with rules of the machine's user, which the sessions must not get
	}{
		{"claude", "CLAUDE_CONFIG_DIR", claudeCode, ".credentials.json", object{"claudeAiOauth": object{
			"accessToken": secret, "refreshToken": "refresh", "expiresAt": time.Now().Add(time.Hour).UnixMilli(),
			"scopes": []string{"user:inference", "user:profile"}, "subscriptionType": "max"}},
			[]string{"ANTHROPIC_API_KEY"}, "settings.json"},
		{"codex", "CODEX_HOME", codex, "auth.json", object{"auth_mode": "apikey", "OPENAI_API_KEY": secret},
			[]string{"FAKE_KEY"}, "config.toml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newModel(t)
			folder, home := t.TempDir(), t.TempDir()
			text, err := json.Marshal(c.login)
			if err != nil {
				t.Fatal(err)
			}
			for name, content := range map[string]string{c.file: string(text), c.rules: "this { would be refused"} {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			a := c.of(t, m, home)
			for _, name := range c.without {
				delete(a.env, name)
			}
			a.env[c.folder] = folder
			if set := a.env["CODEX_CONFIG"]; set != "" {
				a.env["CODEX_CONFIG"] = strings.Replace(set, `"env_key":"FAKE_KEY"`, `"requires_openai_auth":true`, 1)
			}
			s := a.spec(w, home, t.TempDir())
			if s.Program.Env, err = machine.Lend(s.Program.Env, home); err != nil {
				t.Fatal(err)
			}
			s.Prompt = "The second prompt."
			to := &watcher{}
			got := turn.Run(t.Context(), s, to)
			if got.State != turn.Succeeded || !strings.Contains(to.text(), "The second answer.") {
				t.Fatalf("the turn ended as %+v\n%s", got, to.text())
			}
			other := slices.ContainsFunc(m.keys, func(k string) bool { return k != "Bearer "+secret })
			if len(m.keys) == 0 || other {
				t.Errorf("the model heard %q", m.keys)
			}
			var left []string
			list, err := os.ReadDir(folder)
			for _, f := range list {
				left = append(left, f.Name())
			}
			if want := []string{c.file, c.rules}; err != nil || !slices.Equal(left, want) {
				t.Errorf("the folder of the login has %v, want %v (%v)", left, want, err)
			}
		})
	}
}
