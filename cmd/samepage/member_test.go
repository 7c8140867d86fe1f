package main

import (
	"path/filepath"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/effort"
)

// TestOperatingMembers creates a second organization and a second person at the command line, and checks the entries in
// the journal.
func TestOperatingMembers(t *testing.T) {
	effort.Slow(t)
	dir := t.TempDir()
	org := func(handle, owner, email string, more ...string) []string {
		return append([]string{"org", "create", "--data", dir, "--handle", handle, "--name",
			"The " + handle, "--owner", owner, "--owner-name", "Owner", "--email", email}, more...)
	}
	member := func(handle, email string, more ...string) []string {
		return append([]string{"member", "create", "--data", dir, "--handle", handle, "--name",
			"Somebody", "--email", email}, more...)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{org("acme", "alice", "alice@acme.example", "--password", "correct horse", "--zone", "Europe/Paris"), 0, "the password you gave"},
		{member("bob", "bob@acme.example"), 0, "not shown again"},
		{member("bob", "bobby@acme.example"), exitFailed, "@bob is taken"},
		{member("carol", "carol"), exitUsage, "not an email address"},
		{member("carol", "carol@acme.example", "--password", "short"), exitUsage, "8 to 200"},
		{org("globex", "alice", "Alice@acme.example"), 0, "the password they have already"},
		{org("globex", "oscar", "oscar@globex.example"), exitFailed, "is taken"},
		{org("initech", "oscar", "oscar@initech.example", "--zone", "Nowhere"), exitUsage, "no time zone"},
		{org("initech", "1", "oscar@initech.example"), exitUsage, "owner: A handle has"},
		{member("dave", "dave@acme.example"), exitUsage, "There are 2 organizations"},
		{member("dave", "dave@acme.example", "--org", "nowhere"), exitUsage, "no organization nowhere"},
		{member("dave", "bob@acme.example", "--org", "globex"), 0, "the password they have already"},
		{[]string{"org", "list", "--data", dir}, 0, "Europe/Paris"},
		{[]string{"member", "list", "--data", dir}, 0, "@dave"},
		{[]string{"member", "list", "--data", dir, "--org", "nowhere"}, exitUsage, "no organization nowhere"},
		{[]string{"journal", "verify", "--data", dir}, 0, "globex: 5 entries, whole"},
		{[]string{"member", "remove", "--data", dir, "--org", "globex", "--handle", "@dave"}, 0, "@dave is no member any more"},
		{[]string{"member", "remove", "--data", dir, "--org", "globex", "--handle", "dave"}, exitUsage, "no member dave"},
		{[]string{"member", "remove", "--data", dir, "--org", "globex", "--handle", "alice"},
			exitFailed, "Give it to another member first"},
		{[]string{"member", "reset-password", "--data", dir, "--email", "bob@acme.example"}, 0, "not shown again"},
		{[]string{"member", "reset-password", "--data", dir, "--email", "bob@acme.example", "--password", "short"}, exitUsage, "8 to 200"},
		{[]string{"member", "reset-password", "--data", dir, "--email", "eve@acme.example"}, exitUsage, "Nobody signs in"},
		{[]string{"doctor", "--data", dir}, 0, "No mail is sent"},
		{[]string{"doctor", "--data", dir, "--smtp", "smtp://127.0.0.1:1", "--mail-from", "a@example.org"}, 0, "does not take our mail"},
		{[]string{"doctor", "--data", dir, "--smtp", "mail.example.org"}, exitUsage, "smtps://"},
		{[]string{"serve", "--data", dir, "--smtp", "smtp://127.0.0.1:1", "--mail-from", "a@example.org"}, exitUsage, "needs --origin"},
		{[]string{"serve", "--data", dir, "--new-organizations", "everybody"}, exitUsage, "owners or operator"},
	} {
		if out, code := runCommand(t, c.args...); code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("samepage %s: exit %d, want %d; it says %q, want %q",
				strings.Join(c.args, " "), code, c.code, out, c.says)
		}
	}
	if out, _ := runCommand(t, "member", "list", "--data", dir, "--org",
		"acme"); strings.Contains(out, "@dave") || !strings.Contains(out, "owner") {
		t.Error(out)
	}
	for _, e := range journal(t, dir, "acme") {
		if e.Why != "at the command line" || e.Member != "alice" {
			t.Errorf("%d %s by %s: %q", e.Seq, e.Action, e.Member, e.Why)
		}
	}
}

// journal returns the journal entries of an organization, except those that are private to a member, such as entries
// about tokens.
func journal(t *testing.T, dir, org string) (list []store.Entry) {
	t.Helper()
	st, err := store.Open(t.Context(), dir, store.Options{Beside: true})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	err = st.Read(t.Context(), func(tx *store.Tx) error {
		o, err := tx.FindOrganization(store.System(), org)
		if err != nil {
			return err
		}
		p, err := tx.ShowJournal(store.System(), o, store.JournalQuery{Limit: 10_000}, "")
		list = p.Entries
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestDemoBesideAnother checks that an organization with the same handle as the demo's is not taken for the demo.
func TestDemoBesideAnother(t *testing.T) {
	dir := t.TempDir()
	if out, code := runCommand(t, "org", "create", "--data", dir, "--handle", "meadow", "--name", "Meadow",
		"--owner", "alice", "--owner-name", "Alice", "--email", "alice@acme.example"); code != 0 {
		t.Fatal(out)
	}
	out, code := runCommand(t, "demo", "--data", dir)
	if code != exitFailed || !strings.Contains(out, "there is an organization here already") {
		t.Errorf("%d: %s", code, out)
	}
}

// TestOperatingWithoutArguments checks that an extra word on the command line is wrong usage.
func TestOperatingWithoutArguments(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	for _, c := range []string{"serve", "demo", "mcp", "doctor", "version", "healthcheck",
		"journal verify", "token create --member a --label b", "token list", "org list",
		"member list",
		"member remove --handle a", "member reset-password --email e",
		"member create --handle a --name b --email c",
		"org create --handle a --name b --owner c --owner-name d --email e"} {
		args := append(strings.Fields(c), "extra")
		if out, code := runCommand(t, args...); code != exitUsage ||
			!strings.Contains(out, `"extra" is one word too many`) {
			t.Errorf("samepage %s: exit %d, %s", strings.Join(args, " "), code, out)
		}
	}
	if out, code := runCommand(t, "doctor", "--data", dir); code != exitUsage {
		t.Error(out)
	}
}
