package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/archive"
	"samepage/store/blobtest"
	"samepage/store/effort"
	"samepage/store/pgtest"
)

// attached attaches a file to a decision of the demo and returns the URL of the decision's page.
func attached(t *testing.T, dir, content string) (url string) {
	t.Helper()
	st, err := store.Open(t.Context(), dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	hash, err := st.KeepBlob([]byte(content))
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Write(t.Context(), func(tx *store.Tx) error {
		var d struct {
			Studio string `db:"studio"`
			ID     string `db:"id"`
			Member string `db:"member"`
		}
		if err := tx.Get(&d,
			`SELECT s.handle AS studio, i.id, m.handle AS member FROM items i JOIN studios s ON s.id = i.studio_id
			JOIN members m ON m.id = i.member_id WHERE i.kind = 'decision' AND i.opened_at IS NOT NULL ORDER BY i.id LIMIT 1`); err != nil {
			return err
		}
		m, err := tx.FindMember(store.System(), "meadow", d.Member)
		if err != nil {
			return err
		}
		item, err := tx.FindItem(store.System(), d.ID)
		if err != nil {
			return err
		}
		url = item.URL()
		return tx.AttachFile(store.Actor{Member: m}, item, store.File{
			Name: "Minutes.txt",
			Type: "text/plain; charset=utf-8",
			Size: int64(len(content)),
			Hash: hash,
		})
	}); err != nil {
		t.Fatal(err)
	}
	return url
}

// TestOperatingOnDamagedFiles runs commands while attached files are missing or damaged. Every command finishes, lists
// these files, and has the exit code for damage. Uploading the same bytes again repairs a file. A test in package store
// covers the other kinds of damage, which the commands report in the same way.
func TestOperatingOnDamagedFiles(t *testing.T) {
	effort.Slow(t)
	pgtest.Folder(t, "it is about files")
	if blobtest.AsNobody(t) {
		return
	}
	demo := t.TempDir()
	copyDemo(t, demo)
	url := attached(t, demo, blobtest.Content)
	for _, d := range blobtest.Damages {
		if !slices.Contains([]string{"flipped byte", "missing", "unreadable", "an orphan beside it"}, d.Name) {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			dir, out := filepath.Join(t.TempDir(), "data"), t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(demo)); err != nil {
				t.Fatal(err)
			}
			path := blobtest.Path(dir, blobtest.Content)
			if err := d.Do(path); err != nil {
				t.Fatal(err)
			}
			backup, export := filepath.Join(out, "backup"), filepath.Join(out, "export")
			restored, imported := filepath.Join(out, "restored"), filepath.Join(out, "imported")
			for _, c := range []struct {
				args []string
				does string
			}{
				{[]string{"doctor", "--data", dir}, "tokens of agents are in force"},
				{[]string{"backup", "--data", dir, "--with-keys", backup}, "Written to " + backup},
				{[]string{"backup", "--verify", backup}, "sound"},
				{[]string{"restore", "--data", restored, backup}, "Restored to"},
				{[]string{"export", "--data", dir, "--org", "meadow", export}, "Written to"},
				{[]string{"import", "organization", "--data", imported, export}, "meadow is here"},
			} {
				want, says := 0, "all checked and whole: "
				if d.Says != "" {
					want, says = exitDamage, "Minutes.txt on "+url+" (sha256 "+strings.ReplaceAll(
						strings.TrimPrefix(path, filepath.Join(dir, "files")), "/", "",
					)+"): "+d.Says
				}
				text, code := runCommand(t, c.args...)
				if code != want || !strings.Contains(text, says) || !strings.Contains(text, c.does) {
					t.Errorf("samepage %s: exit %d, want %d; it says %q, want %q and %q",
						strings.Join(c.args, " "), code, want, text, says, c.does)
				}
				if strings.Contains(text, "reached") ||
					want != 0 && !strings.Contains(text, "attach the same bytes again") {
					t.Errorf("samepage %s says %q", strings.Join(c.args, " "), text)
				}
			}
			for _, where := range []string{dir, restored, imported} {
				st, err := store.Open(t.Context(), where, store.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := st.KeepBlob([]byte(blobtest.Content)); err != nil {
					t.Error(err)
				}
				st.Close()
				if text, code := runCommand(t, "doctor", "--data", where); code != 0 {
					t.Errorf("healed, but doctor exits with %d: %s", code, text)
				}
			}
		})
	}
}

// TestVerifyingBackups gives files of several kinds to backup --verify and checks the answers.
func TestVerifyingBackups(t *testing.T) {
	effort.Slow(t)
	dir, out := t.TempDir(), t.TempDir()
	copyDemo(t, dir)
	backup := filepath.Join(out, "backup")
	if text, code := runCommand(t, "backup", "--data", dir, backup); code != 0 {
		t.Fatal(text)
	}
	data, err := os.ReadFile(backup)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"whole": data, "cut": data[:len(data)/2], "other": []byte(strings.Repeat("text ", 100)),
		"empty": {},
	} {
		if err := os.WriteFile(filepath.Join(out, name), content, 0o400); err != nil {
			t.Fatal(err)
		}
	}
	// Make the folder of the backup read-only.
	if err := os.Chmod(out, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(out, 0o700)
	for name, c := range map[string]struct {
		code int
		says string
	}{
		"whole": {0, "is sound"}, "cut": {exitDamage, "it is cut off"},
		"other": {exitDamage, "not begin like an SQLite database"},
		"empty": {exitDamage, "no backup"}, "none": {exitUsage, "no backup"},
	} {
		if text, code := runCommand(t, "backup", "--verify",
			filepath.Join(out, name)); code != c.code || !strings.Contains(text, c.says) {
			t.Errorf("%s: exit %d, want %d: %s", name, code, c.code, text)
		}
	}
	if text, code := runCommand(t, "backup", "--verify"); code != exitUsage {
		t.Errorf("exit %d: %s", code, text)
	}
	if left, err := os.ReadDir(out); err != nil || len(left) != 5 {
		t.Errorf("left are %v (%v)", left, err)
	}
}

// TestServeMakesBackups expects a server to make a backup at its start if the newest is too old, and doctor to verify
// it.
func TestServeMakesBackups(t *testing.T) {
	pgtest.Folder(t, "a server's tool makes its backups")
	dir, backups := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "backups")
	copyDemo(t, dir)
	attached(t, dir, blobtest.Content)
	if out, code := runCommand(t, "doctor", "--data", dir, "--backup-to", backups); code != exitDamage ||
		!strings.Contains(out, "there is no backup in "+backups) {
		t.Errorf("%d: %s", code, out)
	}
	for range 2 { // the second start is too early for another backup
		stop := serving(t, dir, "--backup-to", backups)
		var last *archive.Rotated
		for last == nil {
			var err error
			if last, err = archive.LastRotated(backups); err != nil {
				t.Fatal(err)
			}
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	}
	if list, err := filepath.Glob(filepath.Join(backups, "*.backup")); err != nil || len(list) != 1 {
		t.Fatalf("%q, %v", list, err)
	}
	if out, code := runCommand(t, "doctor", "--data", dir, "--backup-to", backups); code != 0 ||
		!strings.Contains(out, "The newest backup is "+backups) || !strings.Contains(out, "in the backup, all checked and whole: 1") {
		t.Errorf("%d: %s", code, out)
	}
	if err := os.Truncate(blobtest.Path(backups, blobtest.Content), 3); err != nil {
		t.Fatal(err)
	}
	if out, code := runCommand(t, "doctor", "--data", dir, "--backup-to", backups, "--backup-every", "1ns"); code != exitDamage ||
		!strings.Contains(out, "it has 3 bytes, not 22") || !strings.Contains(out, "and one is due every 1ns") {
		t.Errorf("%d: %s", code, out)
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--data", dir, "--backup-every", "5s"}, "at least 1m"},
		{[]string{"--data", dir, "--backup-keep", "0"}, "at least 1"},
		{[]string{"--database", "postgres://nobody@127.0.0.1:1/x"}, "pg_dump"},
	} {
		if out, code := runCommand(t, append([]string{"serve", "--backup-to", backups}, c.args...)...); code != exitUsage ||
			!strings.Contains(out, c.says) {
			t.Errorf("%q: %d: %s", c.args, code, out)
		}
	}
}

// TestHealingFiles damages an attached file in each way and repairs it with the same bytes from another folder.
func TestHealingFiles(t *testing.T) {
	effort.Slow(t)
	pgtest.Folder(t, "it is about files")
	if blobtest.AsNobody(t) {
		return
	}
	demo, other := t.TempDir(), t.TempDir()
	copyDemo(t, demo)
	url := attached(t, demo, blobtest.Content)
	for name, text := range map[string]string{"a.txt": "another of 22 bytes ..", "renamed": blobtest.Content} {
		if err := os.WriteFile(filepath.Join(other, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range blobtest.Damages {
		if d.Says == "" {
			continue
		}
		dir := filepath.Join(t.TempDir(), "data")
		if err := os.CopyFS(dir, os.DirFS(demo)); err != nil {
			t.Fatal(err)
		}
		if err := d.Do(blobtest.Path(dir, blobtest.Content)); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			args []string
			code int
			says string
		}{
			{[]string{"check"}, exitDamage, d.Says},
			{[]string{"heal"}, exitUsage, "name files or folders"},
			{[]string{"heal", filepath.Join(other, "a.txt")}, exitDamage, d.Says},
			{[]string{"heal", filepath.Join(other, "a.txt"), other}, 0, "Healed Minutes.txt on " + url + " from "},
			{[]string{"check"}, 0, "all checked and whole: 1"},
		} {
			args := append([]string{"files", c.args[0], "--data", dir}, c.args[1:]...)
			if out, code := runCommand(t, args...); code != c.code || !strings.Contains(out, c.says) {
				t.Errorf("%s: %q: exit %d, want %d; it says %q, want %q", d.Name, c.args, code, c.code, out, c.says)
			}
		}
	}
}

// TestRestoreSaysWhereTheFormerDatabaseIs restores a backup twice. Only the second restore replaces a database, and it
// says where that is now.
func TestRestoreSaysWhereTheFormerDatabaseIs(t *testing.T) {
	pgtest.Folder(t, "it is about files")
	dir, restored, backup := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "backup")
	st, err := store.Open(t.Context(), dir, store.Options{})
	if err == nil {
		err = st.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, code := runCommand(t, "backup", "--data", dir, "--with-keys", backup); code != 0 {
		t.Fatalf("%d %s", code, out)
	}
	const moved = "The database that was there is now "
	if out, code := runCommand(t, "restore", "--data", restored, backup); code != 0 || strings.Contains(out, moved) {
		t.Errorf("%d %s", code, out)
	}
	out, code := runCommand(t, "restore", "--data", restored, backup)
	_, aside, _ := strings.Cut(out, moved)
	aside, _, _ = strings.Cut(aside, "\n")
	if _, err := os.Stat(aside); code != 0 || err != nil {
		t.Errorf("%d %s (%v)", code, out, err)
	}
}
