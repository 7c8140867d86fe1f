package e2e

import (
	"os"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
)

// TestCompose reads compose.yaml with Compose's own parser. The server waits for its database, and
// neither of them has more rights than it needs; without a password nothing starts.
func TestCompose(t *testing.T) {
	load := func(env ...string) (*cli.ProjectOptions, error) {
		return cli.NewProjectOptions([]string{"../compose.yaml"}, cli.WithEnv(env))
	}
	options, err := load("POSTGRES_PASSWORD=secret", "SAMEPAGE_ORIGIN=https://team.example.org")
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	served, db := project.Services["samepage"], project.Services["db"]
	if address := served.Environment["SAMEPAGE_DATABASE"]; address == nil || !strings.Contains(*address, "samepage:secret@db/") {
		t.Errorf("the database is %v", address)
	}
	if served.DependsOn["db"].Condition != "service_healthy" || db.HealthCheck == nil {
		t.Error("the server does not wait for its database")
	}
	if !served.ReadOnly || len(served.CapDrop) == 0 || len(served.SecurityOpt) == 0 || served.Ports[0].HostIP != "127.0.0.1" {
		t.Errorf("the server has more rights than it needs: %+v", served)
	}
	options, err = load("SAMEPAGE_ORIGIN=https://team.example.org")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := options.LoadProject(t.Context()); err == nil || !strings.Contains(err.Error(), "write it into .env") {
		t.Errorf("without a password: %v", err)
	}
}

// TestDockerfile: the image has search in it, runs as a user without rights, keeps its data outside
// of itself, and says whether it is well.
func TestDockerfile(t *testing.T) {
	data, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"CGO_ENABLED=1 go build", "-tags sqlite_fts5", "\nUSER nonroot\n", "\nVOLUME /data\n",
		"\nHEALTHCHECK ", `"healthcheck"]`, "\nENTRYPOINT [", "golang:" + goVersion(t) + "-"} {
		if !strings.Contains(string(data), part) {
			t.Errorf("the Dockerfile lacks %q", part)
		}
	}
}

// goVersion is the version of Go in go.mod, without the patch.
func goVersion(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(data), "\ngo ")
	line, _, _ := strings.Cut(after, "\n")
	major, rest, _ := strings.Cut(line, ".")
	minor, _, _ := strings.Cut(rest, ".")
	return major + "." + minor
}
