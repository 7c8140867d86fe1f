package main

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"

	"github.com/urfave/cli/v3"

	"samepage/actions/effect/runner"
	"samepage/actions/effect/runner/machine"
	"samepage/store"
	"samepage/web"
	"samepage/web/demo"
)

// workHere starts the demo's runner in this process. Its agents are scripts, and on the first start they are given
// their work. If the runner cannot be prepared, for example because git is missing, workHere prints the reason and
// returns nil.
func workHere(ctx context.Context, cmd *cli.Command, jobs *sync.WaitGroup, site *web.Site, st *store.Store,
	origin string) error {
	out := cmd.Root().Writer
	_, err := machine.Git(ctx)
	var w *demo.Workshop
	if err == nil {
		w, err = demo.OpenWorkshop(ctx, site, st, filepath.Join(cmd.String("data"), "demo"))
	}
	if err != nil {
		fmt.Fprintf(out, "The demo is without agents at work: %s.\n", strings.TrimSuffix(err.Error(), "."))
		return nil
	}
	c, err := connectedRunner(site, origin, w.Page, w.Token)
	if err != nil {
		return err
	}
	c.Agents, c.Scripts, c.Roots, c.Data = true, w.Scripts, []string{w.Root}, w.Folder
	jobs.Go(func() {
		if err := runner.Run(ctx, c); err != nil {
			slog.Error("the runner of the demo has ended", "error", err)
		}
	})
	jobs.Go(func() {
		if err := w.Tell(); err != nil && ctx.Err() == nil {
			slog.Error("the agents of the demo did not do all their work", "error", err)
		}
	})
	return nil
}
