package demo

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

//go:embed harvest
var harvest embed.FS

func file(name string) string {
	b, err := harvest.ReadFile("harvest/" + name)
	if err != nil {
		panic(err) // the files are part of the program
	}
	return string(b)
}

type commit struct {
	by, message string
	before      time.Duration // time from the commit to the present
	files       map[string]string
}

func commits() []commit {
	beds := file("beds.csv")
	return []commit{
		{"dave", "Begin with the list of the beds", 19 * day, map[string]string{
			"beds.csv": strings.Replace(beds, "5,winter peas,2026-10-20,200\n", "", 1)}},
		{"alice", "Say which beds are ready", 16 * day, map[string]string{"harvest.py": file("harvest_first.py")}},
		{"carol", "Tell newcomers how it is used", 11 * day, map[string]string{"README.md": file("README.md")}},
		{"dave", "Winter peas are in bed 5", 6 * day, map[string]string{"beds.csv": beds}},
		{"alice", "Count the last day, and name the plant", 3 * day, map[string]string{"harvest.py": file("harvest.py")}},
	}
}

// makeRepository makes a bare repository with the commits. It does nothing if the repository exists.
func makeRepository(ctx context.Context, dir string, now time.Time) error {
	if _, err := os.Stat(filepath.Join(dir, "HEAD")); err == nil {
		return nil
	}
	var stream bytes.Buffer
	names := map[string]string{}
	for _, p := range people {
		names[p.handle] = p.name
	}
	data := func(text string) { fmt.Fprintf(&stream, "data %d\n%s\n", len(text), text) }
	for _, c := range commits() {
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter %s <%s> %d +0000\n", names[c.by], email(c.by), now.Add(-c.before).Unix())
		data(c.message)
		for path, text := range c.files {
			fmt.Fprintf(&stream, "M 100644 inline %s\n", path)
			data(text)
		}
	}
	half := dir + ".new" // may exist after an interrupted start
	if err := os.RemoveAll(half); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q", "--bare", "--initial-branch=main", half}, {"-C", half, "fast-import", "--quiet"}} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Stdin = bytes.NewReader(stream.Bytes()) // git init does not read it
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(out))
		}
	}
	return os.Rename(half, dir)
}
