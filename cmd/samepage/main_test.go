package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"samepage/store/effort"
)

// runCommand runs one command in process and returns its output and its exit code.
func runCommand(t *testing.T, args ...string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	root := app()
	root.Writer, root.ErrWriter = &out, &out
	err := root.Run(context.Background(), append([]string{"samepage"}, args...))
	if err == nil {
		return out.String(), 0
	}
	code := exitFailed
	if e, ok := errors.AsType[cli.ExitCoder](err); ok {
		code = e.ExitCode()
	}
	return out.String() + err.Error(), code
}

func TestDemoIsMadeOnce(t *testing.T) {
	effort.Slow(t)
	dir := t.TempDir()
	type world struct {
		Logins []struct{ Email, Password, Member string }
		Tokens []struct {
			Label, Member, Token string
			Scopes               []string
		}
		Studios []string
	}
	var first, second world
	entries := 0
	for _, w := range []*world{&first, &second} {
		if w == &second {
			entries = len(journal(t, dir, "meadow"))
		}
		out, code := runCommand(t, "demo", "--data", dir, "--json")
		if code != 0 {
			t.Fatal(out)
		}
		if err := json.Unmarshal([]byte(out), w); err != nil {
			t.Fatalf("%v in %s", err, out)
		}
	}
	if len(first.Logins) != 6 || len(first.Tokens) != 3 || len(first.Studios) != 2 {
		t.Errorf("%d logins, %d tokens, %d studios", len(first.Logins), len(first.Tokens), len(first.Studios))
	}
	if first.Tokens[0].Token == second.Tokens[0].Token {
		t.Error("the tokens of the second run are not fresh")
	}
	if n := len(journal(t, dir, "meadow")); n != entries {
		t.Errorf("the second run made %d entries", n-entries)
	}
	out, code := runCommand(t, "journal", "verify", "--data", dir)
	if code != 0 || !strings.Contains(out, "whole") {
		t.Errorf("%d: %s", code, out)
	}
}

func TestOperating(t *testing.T) {
	dir := t.TempDir()
	copyDemo(t, dir)
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte(`[{"id":"x"`), 0o600); err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(t.TempDir(), "backup.db")
	examples := "../../actions/tally/testdata/ranked-examples.json"
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"version"}, 0, "samepage"},
		{[]string{"nonsense"}, exitUsage, `no command "nonsense"`},
		{[]string{"token", "nonsense"}, exitUsage, "samepage token --help"},
		{[]string{"serve", "--nonsense"}, exitUsage, "samepage serve --help"},
		{[]string{"token", "create", "--data", dir, "--member", "alice", "--label", "Clerk",
			"--scopes", "read,write", "--expires", "1h"}, 0, "sp_"},
		{[]string{"token", "create", "--data", dir, "--member", "nobody", "--label", "Clerk"}, exitUsage, "no member nobody"},
		{[]string{"token", "create", "--data", dir, "--member", "alice", "--label", "Clerk",
			"--scopes", "root", "--expires", "3y"}, exitUsage, "expires_in"},
		{[]string{"token", "list", "--data", dir}, 0, "EXPIRES\n"},
		{[]string{"token", "list", "--data", dir}, 0, "Clerk"},
		{[]string{"token", "revoke", "--data", dir, "nosuchtoken"}, exitUsage, "There is no token"},
		{[]string{"import", "decisions", "--data", dir, "--studio", "team", "--as", "alice", examples}, 0, "/studios/team/d/"},
		{[]string{"import", "decisions", "--data", dir, "--studio", "team", "--as", "alice", bad}, exitUsage, "bad.json"},
		{[]string{"import", "decisions", "--data", dir, "--studio", "nowhere", "--as", "alice", examples}, exitUsage, "no studio nowhere"},
		{[]string{"tally", "--method", "schulze", examples}, 0, "schulze-ex1: result, D"},
		{[]string{"tally", "--overvote", "skip", "../../actions/tally/testdata/minneapolis-2017-mayor.csv"}, 0,
			"Overvotes are skipped; a second skipped rank in a row ends a ballot."},
		{[]string{"tally", "--method", "schulze", "--overvote", "skip", examples}, exitUsage, "are for irv, not for schulze"},
		{[]string{"tally", "--method", "irv", "--skipped", "two", examples}, exitUsage, "expected one (a second skipped rank"},
		{[]string{"tally", "--method", "guess", examples}, exitUsage, "guess"},
		{[]string{"tally", bad}, exitUsage, "bad.json"},
		{[]string{"backup", "--data", dir, backup}, 0, backup},
		{[]string{"backup", "--data", dir, backup}, exitFailed, "exists already"},
		{[]string{"doctor", "--data", dir}, 0, "sound"},
		{[]string{"doctor", "--data", dir}, 0, "For a runner on this machine:\n- git keeps repositories and worktrees"},
		{[]string{"doctor", "--data", dir, "--client-metadata", "--outgoing-allow", "10.1.0.0/16"},
			0, "fetched from the public internet, 10.1.0.0/16"},
		{[]string{"restore", "--data", filepath.Join(t.TempDir(), "other"), backup}, 0, "Restored"},
		{[]string{"journal", "verify", "--data", dir, "--head", "rubbish"}, exitUsage, "A head looks like"},
		{[]string{"doctor", "--data", t.TempDir()}, exitUsage, "no database"},
		{[]string{"healthcheck", "--url", "http://127.0.0.1:1"}, exitFailed, "refused"},
	} {
		out, code := runCommand(t, c.args...)
		if code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("samepage %s: exit %d, want %d; it says %q, want %q",
				strings.Join(c.args, " "), code, c.code, out, c.says)
		}
	}
}

// TestOperatingImports checks that one wrong file among several prevents the whole import.
func TestOperatingImports(t *testing.T) {
	dir := t.TempDir()
	copyDemo(t, dir)
	bad := filepath.Join(dir, "bad.json")
	if err := os.WriteFile(bad, []byte(`[{"id":"x"`), 0o600); err != nil {
		t.Fatal(err)
	}
	before := len(journal(t, dir, "meadow"))
	out, code := runCommand(t, "import", "decisions", "--data", dir, "--studio", "team", "--as",
		"alice", "../../actions/tally/testdata/ranked-examples.json", bad)
	if code != exitUsage || !strings.Contains(out, "bad.json") {
		t.Errorf("%d: %s", code, out)
	}
	if n := len(journal(t, dir, "meadow")); n != before {
		t.Errorf("%d decisions are imported", n-before)
	}
}

// TestListeningEverywhere checks the URL that is printed for a listener on all addresses, because nobody can open
// http://[::].
func TestListeningEverywhere(t *testing.T) {
	for _, c := range []struct {
		ip  net.IP
		url string
	}{{net.IPv6zero, "http://127.0.0.1:8304"}, {net.IPv4zero, "http://127.0.0.1:8304"},
		{net.IPv4(192, 0, 2, 1), "http://192.0.2.1:8304"}, {net.IPv6loopback, "http://[::1]:8304"}} {
		if url := local(&net.TCPAddr{IP: c.ip, Port: 8304}); url != c.url {
			t.Errorf("%s: %s", c.ip, url)
		}
	}
}

// TestServeRefusesToBeReached starts servers that other machines can reach, some without an origin and some with a
// demo. Each server refuses to start before it writes anything, and says which flag to add.
func TestServeRefusesToBeReached(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--listen", "0.0.0.0:0"}, "--origin"},
		{[]string{"--listen", ":0"}, "--origin"},
		{[]string{"--listen", "[::]:0"}, "--origin"},
		{[]string{"--listen", "192.0.2.1:8080"}, "--origin"},
		{[]string{"--listen", "8080"}, "127.0.0.1:8080"},
		{[]string{"--listen", "0.0.0.0:0", "--origin", "https://a.example", "--demo"}, "--demo-passwords-are-public"},
		{[]string{"--listen", "127.0.0.1:0", "--origin", "https://a.example", "--demo"}, "--demo-passwords-are-public"},
	} {
		dir := t.TempDir()
		out, code := runCommand(t, append([]string{"serve", "--data", dir}, c.args...)...)
		if left, _ := os.ReadDir(dir); code != exitUsage || !strings.Contains(out, c.says) || len(left) > 0 {
			t.Errorf("%s: %d %s, and %d files", c.args, code, out, len(left))
		}
	}
}

// TestTallyJSON checks the JSON for programs: one object for a file with one vote, and a list for several votes.
func TestTallyJSON(t *testing.T) {
	out, code := runCommand(t, "tally", "--json",
		"../../actions/tally/testdata/minneapolis-2013-mayor.csv", "--method", "irv")
	if code != 0 {
		t.Fatal(out)
	}
	var one struct {
		ID      string
		Winners []string
		Rounds  []struct {
			Counts     map[string]int
			Eliminated []string
		}
	}
	if err := json.Unmarshal([]byte(out), &one); err != nil {
		t.Fatal(err)
	}
	if len(one.Winners) != 1 || one.Winners[0] != "BETSY HODGES" || one.Rounds[0].Counts["BETSY HODGES"] != 28951 {
		t.Errorf("%s: %v", one.ID, one.Winners)
	}
	out, code = runCommand(t, "tally", "--json", "--method", "schulze",
		"../../actions/tally/testdata/debian-2002-2010.json")
	if code != 0 {
		t.Fatal(out)
	}
	var many []struct {
		ID        string
		Winners   []string
		Matrix    [][]int
		Strengths map[string]map[string]int
		Dropped   []string
		Quorum    any
	}
	if err := json.Unmarshal([]byte(out), &many); err != nil {
		t.Fatal(err)
	}
	if len(many) != 25 || len(many[3].Matrix) != 3 || len(many[3].Strengths) == 0 ||
		len(many[3].Dropped) != 1 || many[3].Quorum == nil {
		t.Errorf("%d votes: %+v", len(many), many[min(3, len(many)-1)])
	}
}
