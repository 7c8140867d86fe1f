//go:build linux

package durability

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// harm is one way to damage any file.
type harm struct {
	name  string
	quick bool // whether a short run also tries this harm
	do    func(r *rand.Rand, path string) error
}

var harms = []harm{
	{"missing", true, func(_ *rand.Rand, path string) error { return os.RemoveAll(path) }},
	{"empty", true, func(_ *rand.Rand, path string) error { return os.Truncate(path, 0) }},
	{"cut off after a byte", false, changed(func(_ *rand.Rand, data []byte) []byte { return data[:min(1, len(data))] })},
	{"cut in half", true, changed(func(_ *rand.Rand, data []byte) []byte { return data[:len(data)/2] })},
	{"cut off by a byte", false, changed(func(_ *rand.Rand, data []byte) []byte { return data[:max(0, len(data)-1)] })},
	{"with a flipped bit at its beginning", false, changed(func(_ *rand.Rand, data []byte) []byte { return flip(data, 0) })},
	{"with a flipped bit in its middle", true, changed(func(_ *rand.Rand, data []byte) []byte { return flip(data, len(data)/2) })},
	{"with a flipped bit at its end", false, changed(func(_ *rand.Rand, data []byte) []byte { return flip(data, len(data)-1) })},
	{"with a flipped bit somewhere", false, changed(flipSomewhere)},
	{"with a flipped bit elsewhere", false, changed(flipSomewhere)},
	{"garbage", true, changed(func(r *rand.Rand, data []byte) []byte { return garble(r, data, 0, len(data)) })},
	{"longer", false, changed(func(r *rand.Rand, data []byte) []byte {
		return garble(r, append(data, make([]byte, 100)...), len(data), len(data)+100)
	})},
	{"unreadable", true, func(_ *rand.Rand, path string) error { return os.Chmod(path, 0) }},
	{"a folder", true, func(_ *rand.Rand, path string) error {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
		return os.MkdirAll(filepath.Join(path, "inside"), 0o700)
	}},
	{"a link to nowhere", true, func(_ *rand.Rand, path string) error {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
		return os.Symlink("nowhere", path)
	}},
	{"a link to itself elsewhere", false, func(_ *rand.Rand, path string) error {
		moved := filepath.Join(filepath.Dir(filepath.Dir(path)), "moved")
		if err := os.Rename(path, moved); err != nil {
			return err
		}
		return os.Symlink(moved, path)
	}},
	{"with an unknown file beside it", true, func(_ *rand.Rand, path string) error {
		return os.WriteFile(filepath.Join(filepath.Dir(path), "unknown"), []byte("unknown"), 0o600)
	}},
}

// changed returns a function that replaces the content of a file with the result of change for this content.
func changed(change func(r *rand.Rand, data []byte) []byte) func(r *rand.Rand, path string) error {
	return func(r *rand.Rand, path string) error {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, change(r, data), 0o600)
	}
}

func flip(data []byte, at int) []byte {
	if len(data) > 0 {
		data[at] ^= 4
	}
	return data
}

func flipSomewhere(r *rand.Rand, data []byte) []byte { return flip(data, r.IntN(max(1, len(data)))) }

// TestHarmToAFolder damages each file of a data folder in each way, and runs the operator's commands and the server
// on the folder. If something is lost, the command must fail and name it. If nothing is lost, the command must
// succeed or name the damaged file. Everything else must stay unchanged, and must be in a backup that is made in this
// state. A restore of the earlier backup must bring everything back.
func TestHarmToAFolder(t *testing.T) {
	e := newEstate(t)
	e.each(t, e.data, func(c *harmed) {
		lost := c.lost("data")
		if tables := c.subtle(); len(tables) > 0 {
			out, code := c.run("doctor", "--data", "data")
			c.Logf("SQLite finds nothing wrong with a change of %v; doctor exits with %d: %s", tables, code, out)
			return
		}
		c.check("doctor", lost, "doctor", "--data", "data")
		out := c.check("backup", lost.without("samepage.keys", "samepage.heads"), "backup", "--data", "data", "copy")
		c.restored("copy", lost, out)
		c.serves(lost)
		c.kept("data", lost)
		c.repaired(lost)
	})
}

// TestHarmToBackups damages each file of a folder of backups, and a single backup, in each way. If something is lost,
// verification must fail and name it. A restore must bring back everything else.
func TestHarmToBackups(t *testing.T) {
	e := newEstate(t)
	e.each(t, e.backups, func(c *harmed) {
		lost := c.lostBackups()
		known := lost.without("single")
		if _, err := os.Lstat(filepath.Join(c.at, c.file)); err != nil { // if a backup is missing, nothing else in the folder names it
			known = known.without(filepath.Base(c.file))
		}
		c.check("doctor", known, "doctor", "--data", "data", "--backup-to", "backups")
		for _, name := range append([]string{"single"}, e.rotated...) {
			path := "backups/" + name
			if name == "single" {
				path = name
			}
			own := lost.without(append([]string{"single"}, e.rotated...)...)
			if name == "single" {
				own = losses{}
			}
			if lost[name] {
				own = losses{filepath.Base(path): true}
			}
			c.check("verify", own, "backup", "--verify", path)
			c.restoredFrom(path, own)
		}
		c.kept("data", losses{})
	})
}
