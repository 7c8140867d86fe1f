package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"samepage/actions/param"
	"samepage/store"
)

// asked returns the error of a guard of a command. The command itself does not run.
func asked(t *testing.T, guard func(*cli.Command) error, args ...string) error {
	t.Helper()
	root, called := app(), false
	root.Command(args[0]).Action = func(_ context.Context, cmd *cli.Command) error {
		called = true
		return guard(cmd)
	}
	root.ExitErrHandler = func(context.Context, *cli.Command, error) {}
	err := root.Run(t.Context(), append([]string{"samepage"}, args...))
	if !called {
		t.Fatalf("%q: the guard was not asked: %v", args, err)
	}
	return err
}

// checkRefusal compares an error with the expected part of its sentence and its exit code. The part is empty if there
// must be no error.
func checkRefusal(t *testing.T, name string, err error, want string, code int) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return
	}
	exit, ok := errors.AsType[cli.ExitCoder](err)
	if !ok || exit.ExitCode() != code || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want the exit code %d and %q", name, err, code, want)
	}
}

// TestServeMayBeReached checks which servers may start. An address that only this machine reaches is always
// permitted.
func TestServeMayBeReached(t *testing.T) {
	const public, origin = "--demo-passwords-are-public", "Add --origin"
	for args, want := range map[string]string{
		"":                                       "",
		"--demo":                                 "",
		"--listen 127.0.0.1:0":                   "",
		"--listen [::1]:0 --demo":                "",
		"--listen localhost:0 --demo":            "",
		"--origin https://a.example":             "",
		"--listen :0":                            origin,
		"--listen nowhere":                       "write an address and a port",
		"--listen 192.0.2.1:80 --demo":           origin,
		"--listen 192.0.2.1:80 " + public:        origin,
		"--listen :0 --origin https://a.example": "",
		"--listen :0 --origin http://localhost --demo":              public,
		"--listen :0 --origin http://127.0.0.1 --demo":              public,
		"--listen :0 --origin http://localhost --demo " + public:    "",
		"--demo --origin http://localhost:8080":                     "",
		"--demo --origin http://127.0.0.1:8080":                     "",
		"--demo --origin http://[::1]:8080":                         "",
		"--demo --origin http://192.0.2.1":                          public,
		"--demo --origin http://[2001:db8::1]":                      public,
		"--demo --origin https://a.example":                         public,
		"--demo --origin https://a.example --listen 127.0.0.1:0":    public,
		"--demo --origin https://a.example " + public:               "",
		"--demo --origin http://localhost.example":                  public,
		"--demo --origin https://a.example --listen :0 " + public:   "",
		"--demo --origin http://127.0.0.1.example --listen [::1]:0": public,
	} {
		err := asked(t, func(cmd *cli.Command) error { return mayReach(cmd, cmd.String("origin")) },
			append([]string{"serve"}, strings.Fields(args)...)...)
		checkRefusal(t, "serve "+args, err, want, exitUsage)
	}
}

// TestADatabaseMustExist checks the error for a folder without a database. The error for a folder that has lost its
// database has another sentence and another exit code than the error for an empty folder.
func TestADatabaseMustExist(t *testing.T) {
	folder := func(names ...string) string {
		dir := t.TempDir()
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	lost, linked := folder(store.HeadsName), folder()
	if err := os.Symlink(filepath.Join(linked, "gone"), filepath.Join(linked, store.FileName)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"--data", folder(store.FileName)}, "", 0},
		{[]string{"--data", folder()}, "there is no database in", exitUsage},
		{[]string{"--data", lost}, filepath.Join(lost, store.HeadsName) + " is there, so this folder had a database", exitFailed},
		{[]string{"--data", linked}, "so this folder had a database", exitFailed},
		{[]string{"--data", folder(), "--database", "postgres://u@db.example/samepage"}, "", 0},
		{[]string{"--data", folder(store.FileName), "--database", "elsewhere"}, "begins with postgres://", exitUsage},
		{[]string{"--data", "postgres://u:secret@db.example/samepage"}, "is given as --database", exitUsage},
	} {
		err := asked(t, mustExist, append([]string{"doctor"}, c.args...)...)
		checkRefusal(t, strings.Join(c.args, " "), err, c.want, c.code)
	}
}

// TestRefusedArguments checks that an error which was caused by the arguments of a command gets the exit code for
// wrong usage. Other errors must stay unchanged.
func TestRefusedArguments(t *testing.T) {
	checkRefusal(t, "an invalid value", refused(fmt.Errorf("id: %w", store.Errorf(store.Invalid, "No."))), "No.",
		exitUsage)
	checkRefusal(t, "a parameter", refused(param.Errors{{Field: "label", Message: "is missing"}}), "label", exitUsage)
	for _, err := range []error{nil, errors.New("the disk is full"), store.Errorf(store.Conflict, "It exists.")} {
		if got := refused(err); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
}
