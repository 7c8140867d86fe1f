// Command samepage is a workspace for people and AI agents: the server, the MCP server for stdio, and tools for the
// operator.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v3"

	"samepage/store"
)

// version is set by a release with -ldflags "-X main.version=…".
var version = "dev"

// These are the exit codes other than 0, and than exitCrashed of the command agent-script.
const (
	exitFailed = 1 // the command failed
	exitUsage  = 2 // the command line was wrong
	exitDamage = 3 // a check found damage
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := app().Run(ctx, os.Args); err != nil {
		fmt.Fprintln(os.Stderr, "samepage:", err)
		code := exitFailed
		if e, ok := errors.AsType[cli.ExitCoder](err); ok {
			code = e.ExitCode()
		}
		os.Exit(code)
	}
}

func app() *cli.Command {
	file := &configFile{known: map[string]cli.Flag{}}
	for _, f := range append(serveFlags(), placeFlags()...) {
		file.known[f.Names()[0]] = f
	}
	root := &cli.Command{
		Name:    "samepage",
		Usage:   "a workspace where people and AI agents are on the same page",
		Version: buildVersion(),
		Description: "samepage serve --demo opens a lively workspace at http://127.0.0.1:8080.\n" +
			"Every flag can be given as a variable: --data as SAMEPAGE_DATA, --listen as SAMEPAGE_LISTEN;\n" +
			"those of serve also as lines of the file of --config.",
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: completion,
		Commands: []*cli.Command{serveCommand(), demoCommand(), mcpCommand(), orgCommand(),
			memberCommand(), tokenCommand(), keysCommand(), exportCommand(), importCommand(), tallyCommand(),
			verifyCommand(), journalCommand(),
			backupCommand(), restoreCommand(), filesCommand(), doctorCommand(), file.command(), systemdCommand(),
			manCommand(), versionCommand(), healthcheckCommand(), agentScriptCommand(), runnerCommand()},
		ExitErrHandler: func(context.Context, *cli.Command, error) {}, // main prints the error and exits
	}
	strict(root, file)
	return root
}

// strict makes wrong flags, unknown commands and unexpected arguments fail with the exit code exitUsage. It adds
// placeFlags and the configuration file to each command that has dataFlag.
func strict(cmd *cli.Command, file *configFile) {
	cmd.OnUsageError = usageError
	if slices.ContainsFunc(cmd.Flags, func(f cli.Flag) bool { return f.Names()[0] == "data" }) {
		cmd.Flags = append(cmd.Flags, placeFlags()...)
		file.configurable(cmd)
	}
	if len(cmd.Commands) > 0 && cmd.Action == nil {
		cmd.Action = func(_ context.Context, cmd *cli.Command) error {
			if cmd.Args().Present() {
				return cli.Exit(fmt.Sprintf("there is no command %q; see %s --help",
					cmd.Args().First(), cmd.FullName()), exitUsage)
			}
			return cli.ShowSubcommandHelp(cmd)
		}
	}
	if act := cmd.Action; len(cmd.Commands) == 0 && cmd.ArgsUsage == "" && act != nil {
		cmd.Action = func(ctx context.Context, cmd *cli.Command) error {
			if cmd.Args().Present() {
				return cli.Exit(fmt.Sprintf(
					"%q is one word too many: this command takes flags only; see %s --help",
					cmd.Args().First(),
					cmd.FullName(),
				), exitUsage)
			}
			return act(ctx, cmd)
		}
	}
	for _, sub := range cmd.Commands {
		strict(sub, file)
	}
}

func usageError(_ context.Context, cmd *cli.Command, err error, _ bool) error {
	return cli.Exit(fmt.Sprintf("%s; see %s --help", err, cmd.FullName()), exitUsage)
}

func variable(flag string) cli.ValueSourceChain {
	return cli.EnvVars("SAMEPAGE_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_")))
}

// textFlag returns a flag for a text that can also come from an environment variable.
func textFlag(name, usage string) *cli.StringFlag {
	return &cli.StringFlag{Name: name, Usage: usage, Sources: variable(name)}
}

func presetFlag(name, usage, value string) *cli.StringFlag {
	return &cli.StringFlag{Name: name, Usage: usage, Value: value, Sources: variable(name)}
}

func requiredFlag(name, usage string) *cli.StringFlag {
	return &cli.StringFlag{Name: name, Usage: usage, Required: true, Sources: variable(name)}
}

// secretFlag is like textFlag, for a value that is never printed in full.
func secretFlag(name, usage string) *cli.StringFlag {
	return &cli.StringFlag{Name: name, Usage: usage, Category: secrets, Sources: variable(name)}
}

func fileFlag(name, usage string) *cli.StringFlag {
	return &cli.StringFlag{Name: name, Usage: usage, TakesFile: true, Sources: variable(name)}
}

func switchFlag(name, usage string, on bool) *cli.BoolFlag {
	return &cli.BoolFlag{Name: name, Usage: usage, Value: on, Sources: variable(name)}
}

func numberFlag(name, usage string, value int) *cli.IntFlag {
	return &cli.IntFlag{Name: name, Usage: usage, Value: value, Sources: variable(name)}
}

// listFlag returns a flag that can be given several times.
func listFlag(name, usage string) *cli.StringSliceFlag {
	return &cli.StringSliceFlag{Name: name, Usage: usage, Sources: variable(name)}
}

func dataFlag() *cli.StringFlag {
	return presetFlag("data", "the `FOLDER` with the database; created if missing", "samepage-data")
}

// placeFlags returns the flags that every command with dataFlag also has: the URL of a database server, and the file
// with the keys.
func placeFlags() []cli.Flag { return []cli.Flag{databaseFlag(), keysFlag()} }

func databaseFlag() *cli.StringFlag {
	return secretFlag("database",
		"a database of a PostgreSQL server in place of a folder, such as postgres://user@host/samepage")
}

// database returns the data folder, or the URL of a PostgreSQL database.
func database(cmd *cli.Command) (string, error) {
	where, folder := cmd.String("database"), cmd.String("data")
	switch {
	case where == "" && store.OnServer(folder):
		return "", cli.Exit("--data takes a folder; an address of a database server is given as --database "+
			"(SAMEPAGE_DATABASE)", exitUsage)
	case where == "":
		return folder, nil
	case !store.OnServer(where):
		return "", cli.Exit("--database takes an address that begins with postgres://; a folder is named with --data",
			exitUsage)
	}
	return where, nil
}

// withStore opens the database, calls fn and closes it. A server may run on the database at the same time.
func withStore(ctx context.Context, cmd *cli.Command, fn func(*store.Store) error) error {
	return with(ctx, cmd, store.Options{Beside: true}, fn)
}

func with(ctx context.Context, cmd *cli.Command, o store.Options, fn func(*store.Store) error) error {
	where, err := database(cmd)
	if err != nil {
		return err
	}
	o.Keys = cmd.String("keys")
	st, err := store.Open(ctx, where, o)
	if err != nil {
		return err
	}
	err = st.NameDamage(fn(st))
	if cerr := st.Close(); err == nil {
		err = cerr
	}
	return err
}

// withServing opens the database for a server, calls fn and closes it. If another process migrates the database to a
// newer schema, withServing cancels the context of fn and returns an error.
func withServing(ctx context.Context, cmd *cli.Command, o store.Options, fn func(context.Context, *store.Store) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	o.Outdated = stop
	err := with(ctx, cmd, o, func(st *store.Store) error { return fn(ctx, st) })
	if newer := context.Cause(ctx); store.CodeOf(newer) == store.Unavailable {
		return newer
	}
	return err
}

// withExisting is [withStore], but returns an error if there is no database.
func withExisting(ctx context.Context, cmd *cli.Command, fn func(*store.Store) error) error {
	if err := mustExist(cmd); err != nil {
		return err
	}
	return withStore(ctx, cmd, fn)
}

// withReading is [withExisting] for commands that only read. The data folder may be read-only.
func withReading(ctx context.Context, cmd *cli.Command, fn func(*store.Store) error) error {
	if err := mustExist(cmd); err != nil {
		return err
	}
	return with(ctx, cmd, store.Options{Beside: true, Reading: true}, fn)
}

func mustExist(cmd *cli.Command) error {
	where, err := database(cmd)
	if err != nil || store.OnServer(where) {
		return err
	}
	path := filepath.Join(cmd.String("data"), store.FileName)
	if _, err := os.Stat(path); err != nil {
		if left := store.Leftover(cmd.String("data")); left != "" {
			return cli.Exit(fmt.Sprintf("%s cannot be opened (%v), but %s is there, so this folder had a database. Put the database "+
				"back, or restore a backup with samepage restore", path, errors.Unwrap(err), left), exitFailed)
		}
		return cli.Exit(fmt.Sprintf("there is no database in %s: name its folder with --data, or make "+
			"one with samepage serve or samepage demo", cmd.String("data")), exitUsage)
	}
	return nil
}

// buildVersion returns the version of a release, "dev-" and the commit of another build, or "dev".
func buildVersion() string {
	if version != "dev" {
		return version
	}
	if revision := buildSetting("vcs.revision"); len(revision) >= 12 {
		return "dev-" + revision[:12]
	}
	return version
}

func buildSetting(key string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

func buildDetails() string {
	var parts []string
	if revision := buildSetting("vcs.revision"); revision != "" {
		parts = append(parts, "commit "+revision)
	}
	if at := buildSetting("vcs.time"); at != "" {
		parts = append(parts, "of "+at)
	}
	if buildSetting("vcs.modified") == "true" {
		parts = append(parts, "with changes that are not committed")
	}
	tags := cmp.Or(buildSetting("-tags"), "none")
	parts = append(parts, "tags "+tags, runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH)
	return strings.Join(parts, ", ")
}

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version, the commit and the tags of the build",
		Action: func(_ context.Context, cmd *cli.Command) error {
			fmt.Fprintf(cmd.Root().Writer, "samepage %s\n%s\n", buildVersion(), buildDetails())
			return nil
		},
	}
}
