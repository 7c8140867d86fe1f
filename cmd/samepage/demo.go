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
	"samepage/store/work"
	"samepage/web"
	"samepage/web/demo"
)

// workHere starts the demo's runner in this process, with scripts as agents. If git is missing or [demo.OpenWorkshop]
// fails, workHere prints the reason and returns nil.
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
	broken, err := brokenSessions(ctx, st, w)
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
		if err := w.Tell(broken); err != nil && ctx.Err() == nil {
			slog.Error("the agents of the demo did not do all their work", "error", err)
		}
	})
	return nil
}

// brokenSessions lists the sessions of the demo's runner with a turn that has begun and not ended, or that was
// interrupted. The runner must not be running.
func brokenSessions(ctx context.Context, st *store.Store, w *demo.Workshop) (broken []demo.Broken, err error) {
	err = st.Read(ctx, func(tx *store.Tx) error {
		studio, err := tx.FindStudio(store.System(), "team")
		if err != nil {
			return err
		}
		v, err := work.ShowSessions(tx, studio, false)
		if err != nil {
			return err
		}
		for i := range v.List {
			s := &v.List[i]
			switch s.State() {
			case work.SessionRunning, work.SessionAsking, work.SessionInterrupted:
				if strings.HasSuffix(w.Page, "/"+s.RunnerID) {
					broken = append(broken, demo.Broken{Member: s.Member, URL: s.URL()})
				}
			}
		}
		return nil
	})
	if store.CodeOf(err) == store.NotFound {
		return nil, nil // somebody has removed the studio
	}
	return broken, err
}
