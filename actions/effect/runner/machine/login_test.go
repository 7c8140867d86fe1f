package machine_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"samepage/actions/effect/runner/machine"
)

func write(t *testing.T, text string, elem ...string) string {
	t.Helper()
	path := filepath.Join(elem...)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLend checks that an agent gets the logins that its environment names, also a renewed one, and nothing else of
// their folders.
func TestLend(t *testing.T) {
	folder, home := t.TempDir(), filepath.Join(t.TempDir(), "home")
	write(t, "codex", folder, "codex/auth.json")
	write(t, "rules", folder, "codex/config.toml")
	write(t, "google", folder, "gemini/.gemini/oauth_creds.json")
	env := []string{"A=b", "CLAUDE_CONFIG_DIR=/login", "CODEX_HOME=" + folder + "/codex",
		"GEMINI_CLI_HOME=" + folder + "/gemini"}
	for range 2 { // again, when the links are there
		got, err := machine.Lend(env, home)
		if want := []string{"A=b", "CLAUDE_SECURESTORAGE_CONFIG_DIR=/login"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("the environment is %v, want %v (%v)", got, want, err)
		}
	}
	for place, want := range map[string]string{".codex/auth.json": "codex", ".codex/config.toml": "",
		".gemini/oauth_creds.json": "google"} {
		if text, _ := os.ReadFile(filepath.Join(home, place)); string(text) != want {
			t.Errorf("%s has %q, want %q", place, text, want)
		}
	}
	write(t, "renewed", home, ".codex/auth.json")
	if text, _ := os.ReadFile(filepath.Join(folder, "codex/auth.json")); string(text) != "renewed" {
		t.Errorf("the login is %q after the agent has renewed it", text)
	}
	got, err := machine.Lend([]string{"CODEX_HOME=", "GEMINI_CLI_HOME=" + folder}, home)
	if err != nil || len(got) != 0 {
		t.Errorf("without a login: %v, %v", got, err)
	}
}

// TestLendStaysInTheHome checks that nothing outside the HOME folder changes if the agent has put a link there.
func TestLendStaysInTheHome(t *testing.T) {
	folder, home := t.TempDir(), t.TempDir()
	login := write(t, "login", folder, "auth.json")
	if err := os.Symlink(folder, filepath.Join(home, ".codex")); err != nil {
		t.Fatal(err)
	}
	if _, err := machine.Lend([]string{"CODEX_HOME=" + folder}, home); err == nil {
		t.Error("a link out of the HOME folder was followed")
	}
	if text, err := os.ReadFile(login); string(text) != "login" {
		t.Errorf("the login is %q, %v", text, err)
	}
}

func TestSignIn(t *testing.T) {
	for _, c := range []struct{ way, env, want string }{
		{"gemini-api-key", "GEMINI_API_KEY=k GEMINI_CLI_HOME=/login", "gemini-api-key"},
		{"gemini-api-key", "GEMINI_API_KEY= GEMINI_CLI_HOME=/login", "oauth-personal"},
		{"gemini-api-key", "GEMINI_CLI_HOME=", "gemini-api-key"},
		{"other", "GEMINI_CLI_HOME=/login", "other"},
		{"", "GEMINI_CLI_HOME=/login", ""},
	} {
		if got := machine.SignIn(c.way, strings.Fields(c.env)); got != c.want {
			t.Errorf("%s with %s: %q, want %q", c.way, c.env, got, c.want)
		}
	}
}
