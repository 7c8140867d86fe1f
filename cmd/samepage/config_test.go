package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"samepage/store/effort"
)

// written writes a configuration file and returns its path.
func written(t *testing.T, text string, mode os.FileMode) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "samepage.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestConfigOrder checks the order of sources: a flag comes before a variable, a variable before the file, and the file
// before the default. The config command says which source each value has, and shows no secrets.
func TestConfigOrder(t *testing.T) {
	t.Setenv("SAMEPAGE_NAME", "Of the variable")
	t.Setenv("SAMEPAGE_OPENID_NAME", "Of the variable")
	t.Setenv("SAMEPAGE_DATABASE", "postgres://meadow:hunter2@db.example/samepage?password=hunter2")
	file := written(t, `
name = "Of the file"
listen = "127.0.0.1:81"
origin = "https://file.example"
trusted-proxies = ["10.0.0.0/8", "127.0.0.1"]
limits = false
openid-name = "Of the file"
openid-client-secret = "hunter2"
smtp = "smtps://meadow:hunter2@mail.example"
`, 0o600)
	args := []string{"config", "--config", file, "--openid-name", "Of the flag", "--listen=127.0.0.1:82"}
	out, code := runCommand(t, args...)
	for _, line := range []string{
		`name = "Of the variable"  # SAMEPAGE_NAME`,
		`listen = "127.0.0.1:82"  # flag`,
		`origin = "https://file.example"  # ` + file,
		`trusted-proxies = ["10.0.0.0/8","127.0.0.1"]  # ` + file,
		`limits = false  # ` + file,
		`openid-name = "Of the flag"  # flag`,
		`demo = false  # default`,
		`# openid-client-secret = "…"  # ` + file,
		`# smtp = "smtps://meadow:…@mail.example"  # ` + file,
		`# database = "postgres://meadow:…@db.example/samepage?…"  # SAMEPAGE_DATABASE`,
	} {
		if !strings.Contains("\n"+out, "\n"+line+"\n") {
			t.Errorf("no line %q", line)
		}
	}
	if code != 0 || strings.Contains(out, "hunter2") {
		t.Errorf("%d %s", code, out)
	}
	again, code := runCommand(t, "config", "--config", written(t, out, 0o600), "--json")
	var list []setting
	if err := json.Unmarshal([]byte(again), &list); err != nil || code != 0 || strings.Contains(again, "hunter2") {
		t.Errorf("the output is no configuration file: %d %v %s", code, err, again)
	}
	t.Setenv("SAMEPAGE_CONFIG", file)
	if out, code := runCommand(t, "config"); code != 0 || !strings.Contains(out, `listen = "127.0.0.1:81"  # `+file) {
		t.Errorf("by the variable: %d %s", code, out)
	}
}

// TestConfigRefused gives configuration files with errors. Every command names the place of the error and its cause.
func TestConfigRefused(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.toml")
	for _, c := range []struct {
		text, says string
	}{
		{`lisen = "127.0.0.1:81"`, `there is no setting "lisen"; the nearest is "listen"`},
		{"orign = \"x\"\ntrusted-proxy = []", `the nearest is "trusted-proxies"`},
		{"[serve]\nlisten = \"127.0.0.1:81\"", `there is no setting "serve"`},
		{`config = "other.toml"`, `there is no setting "config"`},
		{`limits = "no"`, "limits takes true or false"},
		{`listen = 8080`, "listen takes a text"},
		{`trusted-proxies = [1]`, "trusted-proxies takes texts"},
		{`trusted-proxies = 1`, "trusted-proxies takes texts"},
		{`listen = `, "line 1"},
		{"listen = \"a\"\nlisten = \"b\"", "listen"},
	} {
		file := written(t, c.text, 0o600)
		for _, command := range []string{"serve", "doctor", "config"} {
			out, code := runCommand(t, command, "--data", t.TempDir(), "--config", file)
			if code != exitUsage || !strings.Contains(out, c.says) || !strings.Contains(out, file) {
				t.Errorf("%s with %s: %d %s", command, c.text, code, out)
			}
		}
	}
	if out, code := runCommand(t, "doctor", "--config", missing); code != exitUsage || !strings.Contains(out, missing+": no such file") {
		t.Errorf("%d %s", code, out)
	}
}

// TestConfigSetsEveryCommand gives a configuration file to a command that has only some flags of serve. The command
// takes the values of these flags and ignores the others.
func TestConfigSetsEveryCommand(t *testing.T) {
	effort.Slow(t)
	dir := t.TempDir()
	file := written(t, "data = \""+dir+"\"\nlisten = \"127.0.0.1:1\"\nsmtp = \"smtp://a:hunter2@mail.example\"\n", 0o644)
	out, code := runCommand(t, "demo", "--config", file)
	if _, err := os.Stat(filepath.Join(dir, "samepage.db")); err != nil || code != 0 {
		t.Errorf("%v: %d %s", err, code, out)
	}
	if !strings.Contains(out, "everybody on this machine can read "+file+", which has secrets (smtp): chmod o-rwx it.") {
		t.Errorf("no warning: %s", out)
	}
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	if out, code := runCommand(t, "org", "list", "--config", file); code != 0 || !strings.Contains(out, "meadow") ||
		strings.Contains(out, "can read") {
		t.Errorf("%d %s", code, out)
	}
}

// TestMisspeltVariables checks that a command warns of an environment variable with a misspelt name, and of no other.
func TestMisspeltVariables(t *testing.T) {
	t.Setenv("SAMEPAGE_LISTN", "127.0.0.1:82")
	t.Setenv("SAMEPAGE_NODE", "/usr/bin/node") // not SAMEPAGE_NAME
	t.Setenv("SAMEPAGE_WHOLLY_OTHER", "1")
	t.Setenv("SAMEPAGE_RUNNER_TOKEN", "for another command")
	out, code := runCommand(t, "config")
	const warning = "there is no variable SAMEPAGE_LISTN, so it has no effect; the nearest is SAMEPAGE_LISTEN.\n"
	if code != 0 || !strings.Contains(out, warning) || strings.Count(out, "there is no variable") != 1 {
		t.Errorf("%d %s", code, out)
	}
}
