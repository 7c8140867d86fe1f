package e2e

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	dockerfile "github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"samepage/store/asuser"
)

// TestCompose reads compose.yaml with Compose's own parser. The server waits for its database, and neither has more
// rights than it needs. Without a password, nothing starts.
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

// TestDockerfile checks that the image has full-text search, runs as a user without privileges, keeps its data in a
// volume, and has a health check.
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

// TestImageRuns takes the steps of the Dockerfile that need no container engine. The test runs the build command,
// without the flags that only reduce the size of the file. Then the test runs the entry point and the health check
// with the image's variables, as a user without privileges who can write only to the data folder.
func TestImageRuns(t *testing.T) {
	image := instructions(t)
	build := strings.Fields(regexp.MustCompile(`go build .* -ldflags`).FindString(image["RUN"]))
	program := filepath.Join(scratch(t), "samepage")
	build = slices.DeleteFunc(build, func(flag string) bool { return flag == "-trimpath" || flag == "-ldflags" })
	compile := exec.Command(build[0], append(build[1:], "-ldflags", "-X main.version=image", "-o", program,
		"./cmd/samepage")...)
	compile.Dir = ".."
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var entry, arguments, health []string
	for text, list := range map[string]*[]string{image["ENTRYPOINT"]: &entry, image["CMD"]: &arguments,
		image["HEALTHCHECK"][strings.Index(image["HEALTHCHECK"], "["):]: &health} {
		if err := json.Unmarshal([]byte(text), list); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	if entry[0] != health[0] || !strings.HasSuffix(image["COPY"], " /data") {
		t.Fatalf("it runs %s, checks %s and copies %s", entry, health, image["COPY"])
	}
	data := scratch(t)
	if os.Getuid() == 0 {
		if err := os.Chown(data, asuser.Nobody, asuser.Nobody); err != nil {
			t.Fatal(err)
		}
	}
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port.Close()
	address := "0.0.0.0:" + strconv.Itoa(port.Addr().(*net.TCPAddr).Port)
	env := strings.NewReplacer("/data", data, "0.0.0.0:"+image["EXPOSE"], address).Replace(image["ENV"])
	run := func(args []string, more ...string) *exec.Cmd {
		c := exec.Command(program, args...)
		c.Dir, c.Env = "/", append(append(strings.Fields(env), "TMPDIR=/nonexistent"), more...)
		if os.Getuid() == 0 {
			if err := asuser.Start(c, asuser.Nobody, asuser.Nobody); err != nil {
				t.Skip("left out: ", err)
			}
		}
		return c
	}
	if out, err := run(arguments).CombinedOutput(); err == nil || !strings.Contains(string(out), "--origin") {
		t.Errorf("without an origin: %v %s", err, out)
	}
	origin := "SAMEPAGE_ORIGIN=https://team.example.org"
	if out, err := run(health[1:], origin).CombinedOutput(); err == nil {
		t.Errorf("it is well before it runs: %s", out)
	}
	server := run(arguments, origin)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer server.Process.Kill()
	out, err := run(health[1:], origin).CombinedOutput()
	for tries := 0; err != nil && tries < 200; tries++ {
		time.Sleep(50 * time.Millisecond)
		out, err = run(health[1:], origin).CombinedOutput()
	}
	if err != nil {
		t.Errorf("it is not well: %v %s", err, out)
	}
	if err := errors.Join(server.Process.Signal(syscall.SIGTERM), server.Wait()); err != nil {
		t.Errorf("it stops with %v", err)
	}
	if out, err := run(health[1:], origin).CombinedOutput(); err == nil {
		t.Errorf("it is well after it has stopped: %s", out)
	}
}

// scratch returns a folder that every user can read, unlike [testing.T.TempDir].
func scratch(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "samepage-image-")
	if err == nil {
		err = os.Chmod(folder, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return folder
}

// instructions returns the arguments of each instruction of the Dockerfile, by its name. If an instruction occurs
// several times, the last one counts.
func instructions(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for line := range strings.Lines(strings.ReplaceAll(string(data), "\\\n", " ")) {
		if name, rest, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name == strings.ToUpper(name) && name != "#" {
			all[name] = strings.Join(strings.Fields(rest), " ")
		}
	}
	return all
}

// goVersion returns the Go version in go.mod without the patch number.
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

// TestDockerfileIsLinted parses the Dockerfile with BuildKit's own parser, and checks it with those rules of
// BuildKit's linter that need no other image.
func TestDockerfileIsLinted(t *testing.T) {
	for name, c := range map[string]struct {
		text     string
		findings int
	}{
		"the Dockerfile":  {"", 0},
		"one with faults": {"FROM golang AS Build\nMAINTAINER nobody\nCMD build\n", 2},
	} {
		if c.text == "" {
			data, err := os.ReadFile("../Dockerfile")
			if err != nil {
				t.Fatal(err)
			}
			c.text = string(data)
		}
		ast, err := parser.Parse(strings.NewReader(c.text))
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, w := range ast.Warnings {
			found = append(found, w.Short)
		}
		rules := linter.New(&linter.Config{Warn: func(rule, _, _, message string, _ []parser.Range) {
			found = append(found, rule+": "+message)
		}})
		if _, _, err := dockerfile.Parse(ast.AST, rules); err != nil || len(found) != c.findings {
			t.Errorf("%s: %v, %q", name, err, found)
		}
	}
}
