package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"samepage/store/pgtest"
)

// TestVersionTellsItsBuild checks that the command version prints the commit, its date, the build tags and the
// system.
func TestVersionTellsItsBuild(t *testing.T) {
	story(t)
	pgtest.Folder(t, "it is about the program")
	want := []string{"samepage ", "tags sqlite_fts5", runtime.GOOS + "/" + runtime.GOARCH}
	stamp := "-buildvcs=true"
	if commit, err := exec.Command("git", "rev-parse", "HEAD").Output(); err != nil {
		t.Logf("left out: the commit and its date: this is no clone of the repository: %v", err)
		stamp = "-buildvcs=false"
	} else {
		show := exec.Command("git", "show", "-s", "--date=format-local:%Y-%m-%dT%H:%M", "--format=%cd")
		show.Env = append(os.Environ(), "TZ=UTC")
		date, err := show.Output()
		if err != nil {
			t.Fatal(err)
		}
		hash := strings.TrimSpace(string(commit))
		want = append(want, "samepage dev-"+hash[:12], "commit "+hash, "of "+strings.TrimSpace(string(date)))
	}
	path := filepath.Join(t.TempDir(), "samepage")
	build := exec.Command("go", "build", stamp, "-tags", "sqlite_fts5", "-o", path, "samepage/cmd/samepage")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	out, err := exec.Command(path, "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range want {
		if !strings.Contains(string(out), text) {
			t.Errorf("it does not say %q:\n%s", text, out)
		}
	}
}
