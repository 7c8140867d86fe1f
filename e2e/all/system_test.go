package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOtherSystems checks a module that fits Linux alone, one with a mistake that go vet finds, and one without faults.
func TestOtherSystems(t *testing.T) {
	for name, c := range map[string]struct{ file, text, says string }{
		"Linux alone":    {"a.go", "package a\n\nimport \"syscall\"\n\nvar _ = syscall.EpollCreate1\n", "EpollCreate1"},
		"in a test":      {"a_test.go", "package a\n\nimport \"syscall\"\n\nvar _ = syscall.EpollCreate1\n", "EpollCreate1"},
		"a copied lock":  {"a.go", "package a\n\nimport \"sync\"\n\nfunc F(m sync.Mutex) {}\n", "passes lock by value"},
		"without faults": {"a.go", "package a\n\nimport \"sync\"\n\nfunc F(m *sync.Mutex) { m.Lock() }\n", ""},
		"no package":     {"a.txt", "", "0 packages"},
	} {
		dir := t.TempDir()
		for file, text := range map[string]string{"go.mod": "module a\n\ngo 1.26\n", c.file: c.text} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := vetFor(t.Context(), dir, "CGO_ENABLED=0", "GOOS=darwin", "GOARCH=arm64")
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
