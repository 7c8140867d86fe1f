//go:build linux

// Command bench measures the built program from outside against a list of limits, called gates. Some gates limit the
// cost of a page relative to F, a server that only writes 1 KB for each request. The command exits with 1 if a gate
// fails or cannot be measured.
//
//	go run -tags sqlite_fts5 ./e2e/bench          # over about a million rows
//	go run -tags sqlite_fts5 ./e2e/bench -short   # shorter, over about 100,000 rows
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"samepage/e2e/bench/world"
)

func main() {
	if len(os.Args) == 2 && (os.Args[1] == "floor" || os.Args[1] == "tool") {
		serve := map[string]func() error{"floor": serveFloor, "tool": serveTool}
		fmt.Fprintln(os.Stderr, serve[os.Args[1]]())
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx)
	stop()
	os.Exit(code)
}

type bench struct {
	report
	plan   plan
	short  bool
	pages  string // for gates 6, 18 and 19, only pages with names that contain this text are measured
	folder string // folder for temporary files
	worlds string
	binary string
	floor  *process
	small  *world.World // the smallest world
	large  *world.World // about a million rows, or as many as -rows or -short says

	running []*process
}

func run(ctx context.Context) int {
	b := &bench{plan: plan{window: 250 * time.Millisecond, rounds: 15, tries: 2}}
	asJSON := flag.Bool("json", false, "print JSON")
	flag.BoolVar(&b.short, "short", false, "measure less: a minute, and a tenth of the rows")
	rows := flag.Int("rows", 0,
		"ballots, and journal entries, in the large world; 0 is a million, or a tenth of that with -short")
	worlds := flag.String("worlds", "", "a `folder` in which worlds are kept from one run to the next")
	only := flag.String("only", "", "measure only these gates, such as 1,2,9")
	flag.StringVar(&b.pages, "pages", "", "of gates 6, 18 and 19 measure only the pages with this in their names, such as search")
	flag.Parse()
	out := io.Writer(os.Stdout)
	b.show = func(x result) { fmt.Fprintln(os.Stderr, strings.Join(x.cells(), "  ")) }
	if b.short {
		b.plan = plan{window: 200 * time.Millisecond, rounds: 3, tries: 4}
	}
	switch {
	case *rows == 0 && b.short:
		*rows = 100_000
	case *rows == 0:
		*rows = 1_000_000
	}
	err := b.all(ctx, *rows, *worlds, *only)
	if *asJSON {
		b.json(out)
	} else {
		b.table(out)
	}
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	case !b.passed():
		fmt.Fprintln(os.Stderr, "bench: a gate fails, or the machine was too busy to say")
		return 1
	}
	return 0
}

// all measures the gates with the numbers in the parameter "only", separated by commas, or every gate if it is empty.
func (b *bench) all(ctx context.Context, rows int, worlds, only string) (err error) {
	if b.folder, err = os.MkdirTemp("", "samepage-bench-"); err != nil {
		return err
	}
	defer func() {
		for _, p := range b.running {
			p.stop()
		}
		os.RemoveAll(b.folder)
	}()
	if err := b.prepare(ctx, rows, worlds, only); err != nil {
		return err
	}
	asked := strings.FieldsFunc(only, func(r rune) bool { return r == ',' })
	for _, g := range []struct {
		gates   []string
		measure func(context.Context) error
	}{
		{[]string{"16"}, b.size},
		{[]string{"14"}, b.starts},
		{[]string{"1", "2", "3", "4", "5"}, b.decisionPage},
		{[]string{"6"}, b.growth},
		{[]string{"7"}, b.keysets},
		{[]string{"8"}, b.searches},
		{[]string{"11"}, b.peer},
		{[]string{"9", "10"}, b.tools},
		{[]string{"15"}, b.memories},
		{[]string{"17"}, b.waits},
		{[]string{yearGate}, b.year},
		{[]string{workGate}, b.work},
		{[]string{"12", "13"}, b.writes},
	} {
		if only != "" && !slices.ContainsFunc(g.gates, func(n string) bool { return slices.Contains(asked, n) }) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := g.measure(ctx); err != nil {
			return fmt.Errorf("gates %s: %w", strings.Join(g.gates, ", "), err)
		}
	}
	slices.SortStableFunc(b.list, func(x, y result) int { return x.Gate - y.Gate })
	return nil
}

// prepare builds the binary and starts the bare server F. It also makes the small and the large world, unless the only
// gate is one with worlds of its own.
func (b *bench) prepare(ctx context.Context, rows int, worlds, only string) (err error) {
	b.binary = filepath.Join(b.folder, "samepage")
	build := exec.CommandContext(ctx, "go", "build", "-tags", "sqlite_fts5", "-trimpath",
		"-ldflags", "-s -w", "-o", b.binary, "samepage/cmd/samepage")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	if b.worlds = worlds; worlds == "" {
		b.worlds = b.folder
	}
	if b.floor, err = b.child("", "floor"); err != nil || only == yearGate || only == workGate {
		return err // these gates make worlds of their own
	}
	worlds = b.worlds
	begin := time.Now()
	if b.small, err = world.Make(ctx, filepath.Join(worlds, "world-1000"), 1000, false); err != nil {
		return err
	}
	if b.large, err = world.Make(ctx, filepath.Join(worlds, fmt.Sprintf("world-%d", rows)), rows, true); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "worlds of 1,000 and %d rows in %.1f s\n", rows, time.Since(begin).Seconds())
	return mustSearch(b.small, b.large)
}

// child starts this program as the comparison server with the given name. The input is its standard input.
func (b *bench) child(input, name string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return b.keep(startWith(strings.NewReader(input), ownAddress, self, name))
}

// serve starts the product on a data folder, with a free port and without rate limits.
func (b *bench) serve(folder string) (*process, error) {
	p, err := b.keep(startWith(nil, ownAddress, b.binary, "serve", "--data", folder, "--listen", "127.0.0.1:0", "--limits=false"))
	if err == nil {
		p.data = folder
	}
	return p, err
}

// keep records a started process, so that it is stopped at the end of the run.
func (b *bench) keep(p *process, err error) (*process, error) {
	if err == nil {
		b.running = append(b.running, p)
	}
	return p, err
}

func (b *bench) end(p *process) error {
	b.running = slices.DeleteFunc(b.running, func(x *process) bool { return x == p })
	return p.stop()
}
