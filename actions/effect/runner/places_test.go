package runner

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"samepage/actions/effect/runner/acp"
	"samepage/store/work/wire"
)

// TestPlaces checks which files of a tool call are reported. If one of them may be outside of the folder, none is
// reported.
func TestPlaces(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tree, outside := filepath.Join(dir, "tree"), filepath.Join(dir, "tree2")
	for _, err := range []error{os.MkdirAll(filepath.Join(tree, "src", "in"), 0o700), os.Mkdir(outside, 0o700),
		os.WriteFile(filepath.Join(tree, "src", "a"), nil, 0o600), os.WriteFile(filepath.Join(outside, "a"), nil,
			0o600),
		os.Symlink(outside, filepath.Join(tree, "src", "link")), os.Symlink("a", filepath.Join(tree, "src", "near")),
		os.Symlink("nowhere", filepath.Join(tree, "src", "broken")), os.Symlink(tree, filepath.Join(dir, "alias"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	at := func(paths ...string) (t acp.Tool) {
		for _, p := range paths {
			t.Locations = append(t.Locations, acp.Location{Path: strings.ReplaceAll(p, "TREE", tree)})
		}
		return t
	}
	with := func(input string, paths ...string) acp.Tool {
		c := at(paths...)
		c.Input = json.RawMessage(strings.ReplaceAll(input, "TREE", tree))
		return c
	}
	diff := at("TREE/src/a")
	diff.Diffs = []acp.Diff{{Path: filepath.Join(tree, "src", "b")}}
	away := at("TREE/src/a")
	away.Diffs = []acp.Diff{{Path: outside + "/a"}}
	diffOnly := acp.Tool{Diffs: []acp.Diff{{Path: filepath.Join(tree, "src", "b")}}}
	for _, c := range []struct {
		name, dir string
		tool      acp.Tool
		want      string
	}{
		{"a file", tree, at("TREE/src/a"), "src/a"},
		{"files", tree, at("TREE/src/a", "TREE/b", "TREE/src/a"), "src/a b"},
		{"a new file in a new folder", tree, at("TREE/new/x"), "new/x"},
		{"a folder by another name", filepath.Join(dir, "alias"), at("TREE/src/a"), "src/a"},
		{"agreeing input", tree, with(`{"file_path":"TREE/src/a","limit":3}`, "TREE/src/a"), "src/a"},
		{"a changed file", tree, diff, "src/a src/b"},
		{"none", tree, at(), ""},
		{"a diff alone", tree, diffOnly, ""},
		{"the folder itself", tree, at("TREE"), ""},
		{"a relative path", tree, at("src/a"), ""},
		{"dots", tree, at("TREE/../tree2/a"), ""},
		{"dots that stay inside", tree, at("TREE/src/../src/a"), ""},
		{"a slash too many", tree, at("TREE/src//a"), ""},
		{"a slash at the end", tree, at("TREE/src/"), ""},
		{"a sibling with a longer name", tree, at("TREE2/a"), ""},
		{"elsewhere", tree, at("/etc/passwd"), ""},
		{"one of two elsewhere", tree, at("TREE/src/a", "/etc/passwd"), ""},
		{"through a link", tree, at("TREE/src/link/a"), ""},
		{"a link", tree, at("TREE/src/near"), ""},
		{"a broken link", tree, at("TREE/src/broken"), ""},
		{"a folder", tree, at("TREE/src/in"), ""},
		{"below a file", tree, at("TREE/src/a/b"), ""},
		{"a line break", tree, at("TREE/src/a\nb"), ""},
		{"bytes that are no text", tree, at("TREE/src/\xff"), ""},
		{"a changed file elsewhere", tree, away, ""},
		{"input about another file", tree, with(`{"file_path":"TREE/src/b"}`, "TREE/src/a"), ""},
		{"input about another file within", tree, with(`{"edits":[{"path":"/etc/passwd"}]}`, "TREE/src/a"), ""},
		{"input about several files", tree, with(`{"paths":["TREE/src/a","/etc/passwd"]}`, "TREE/src/a"), ""},
		{"input with a destination", tree, with(`{"newTarget":"/etc/passwd"}`, "TREE/src/a"), ""},
		{"input with a short destination", tree, with(`{"dst":"/etc/passwd"}`, "TREE/src/a"), ""},
		{"changes of another file", tree, with(`{"changes":{"/etc/passwd":{"content":"x"}}}`, "TREE/src/a"), ""},
		{"changes of the file", tree, with(`{"changes":{"TREE/src/a":{"content":"x"}}}`, "TREE/src/a"), "src/a"},
		{"input with something else", tree, with(`{"file":7}`, "TREE/src/a"), ""},
		{"input that is no JSON", tree, with(`{"file`, "TREE/src/a"), ""},
		{"too many", tree, at(slices.Repeat([]string{"TREE/src/a"}, wire.MaxPaths+1)...), ""},
	} {
		if got := strings.Join(places(c.dir, c.tool), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestDigests checks that the digests of two calls are equal only if the agent says the same about both.
func TestDigests(t *testing.T) {
	same := acp.Tool{ID: "1", Title: "Edit", Kind: "edit", Status: "pending", Input: json.RawMessage(`{"a":1}`)}
	again := same
	again.ID, again.Status = "2", "completed"
	if digest(same) == "" || digest(same) != digest(again) {
		t.Error("the same call has another digest")
	}
	long := json.RawMessage(`{"a":"` + strings.Repeat("x", 20_000) + `"}`)
	longer := json.RawMessage(`{"a":"` + strings.Repeat("x", 20_001) + `"}`)
	seen := map[string]string{digest(same): "the first"}
	for name, change := range map[string]func(*acp.Tool){
		"title":     func(c *acp.Tool) { c.Title = "Edit it" },
		"kind":      func(c *acp.Tool) { c.Kind = "delete" },
		"input":     func(c *acp.Tool) { c.Input = json.RawMessage(`{"a":2}`) },
		"long":      func(c *acp.Tool) { c.Input = long },
		"longer":    func(c *acp.Tool) { c.Input = longer },
		"locations": func(c *acp.Tool) { c.Locations = []acp.Location{{Path: "/a"}} },
		"diffs":     func(c *acp.Tool) { c.Diffs = []acp.Diff{{Path: "/a", New: "b"}} },
		"text":      func(c *acp.Tool) { c.Text = []string{"a"} },
	} {
		other := same
		change(&other)
		if was, found := seen[digest(other)]; found {
			t.Errorf("another %s has the digest of %s", name, was)
		}
		seen[digest(other)] = name
	}
	same.Input = json.RawMessage(`{`)
	if digest(same) != "" {
		t.Error("a call that cannot be encoded has a digest")
	}
}
