package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	"github.com/urfave/cli/v3"

	"samepage/actions/effect/runner"
	"samepage/actions/effect/runner/forge"
	"samepage/actions/effect/runner/machine"
	"samepage/actions/work"
	"samepage/mcp"
	"samepage/store"
	"samepage/web"
)

func runnerCommand() *cli.Command {
	return &cli.Command{
		Name:  "runner",
		Usage: "keep git repositories and start agents for an organization, as its page says",
		Description: "The owner adds a runner at /orgs/…/runners, and its token is read from SAMEPAGE_TOKEN. Git runs as the user of\n" +
			"this program. It takes repositories only from below a root that is named here and on the page of the runner.",
		Flags: append(runnerFlags(""),
			requiredFlag("url", "the `ADDRESS` of the page of the runner"),
			textFlag("token", "the token of the runner; better given as the variable")),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			u, err := url.Parse(cmd.String("url"))
			if err != nil || u.Path == "" || u.Path == "/" {
				return cli.Exit("--url: write the address of the page of the runner, such as https://team.example.org/orgs/team/runners/…",
					exitUsage)
			}
			site, err := mcp.Bridge(u.Scheme + "://" + u.Host)
			if err != nil {
				return cli.Exit(err.Error(), exitUsage)
			}
			c, err := runnerConfig(cmd, "", site, u.Scheme+"://"+u.Host, u.Path, cmd.String("token"))
			if err != nil {
				return err
			}
			machineState(ctx, cmd.Root().Writer)
			return runner.Run(ctx, c)
		},
	}
}

// runnerFlags returns the flags that configure a runner, with the prefix before their names.
func runnerFlags(prefix string) []cli.Flag {
	env := "SAMEPAGE_RUNNER_"
	return []cli.Flag{
		&cli.StringFlag{
			Name:    prefix + "folder",
			Usage:   "the `FOLDER` in which the runner keeps repositories; created if missing",
			Value:   "samepage-runner",
			Sources: cli.EnvVars(env + "FOLDER"),
		},
		&cli.BoolFlag{
			Name:    prefix + "agents",
			Usage:   "start agents and checks, too; they have the rights of the user of this program",
			Sources: cli.EnvVars(env + "AGENTS"),
		},
		&cli.StringSliceFlag{
			Name:    prefix + "root",
			Usage:   "a `FOLDER` of this machine, or the start of an https address, below which repositories may be; may be repeated",
			Sources: cli.EnvVars(env + "ROOT"),
		},
		&cli.StringSliceFlag{
			Name: prefix + "forge",
			Usage: "`ADDRESS=FILE`: the start of an address at GitHub, such as https://github.com/acme, and a file with a token for it, " +
				"with which the runner fetches, pushes, and opens and merges pull requests; may be repeated",
			Sources: cli.EnvVars(env + "FORGE"),
		},
	}
}

func runnerConfig(cmd *cli.Command, prefix string, site http.Handler, origin, page, token string) (c runner.Config,
	err error) {
	if token == "" {
		return c, cli.Exit("the runner has no token: its page shows one when it is made", exitUsage)
	}
	if c, err = connectedRunner(site, origin, page, token); err != nil {
		return c, err
	}
	c.Agents, c.Roots = cmd.Bool(prefix+"agents"), cmd.StringSlice(prefix+"root")
	for _, flag := range cmd.StringSlice(prefix + "forge") {
		account, err := forge.ReadAccount(flag)
		if err != nil {
			return c, cli.Exit("--"+prefix+"forge: "+err.Error(), exitUsage)
		}
		c.Forges = append(c.Forges, account)
	}
	c.Data, err = filepath.Abs(cmd.String(prefix + "folder"))
	return c, err
}

// connectedRunner returns a configuration with the connection to the site, but without a folder, roots, forges and
// agents.
func connectedRunner(site http.Handler, origin, page, token string) (c runner.Config, err error) {
	c = runner.Config{Verbs: runner.Verbs{Announce: work.AnnounceRunner.Name, Claim: work.ClaimJob.Name,
		Renew: work.RenewJob.Name, Finish: work.FinishJob.Name, ReportPull: work.ReportPull.Name,
		ReportEnvironment: work.ReportEnvironment.Name,
		ClaimTurn:         work.ClaimTurn.Name, RenewTurn: work.RenewTurn.Name,
		ReportTurn: work.ReportTurn.Name, Ask: work.AskPermission.Name, FinishTurn: work.FinishTurn.Name}, Site: site,
		Origin: origin, Page: page, Token: token, MCP: origin + "/mcp", Version: buildVersion(), Log: slog.Default()}
	c.Program, err = os.Executable()
	return c, err
}

func machineState(ctx context.Context, out io.Writer) {
	fmt.Fprintln(out, "For a runner on this machine:")
	found := machine.Look(ctx)
	for _, f := range found {
		fmt.Fprintf(out, "- %s\n", f)
	}
	fmt.Fprintln(out, machine.Verdict(found))
}

// runHere starts the runner of --runner, and with --demo the demo's runner, in this process until ctx is done.
func runHere(ctx context.Context, cmd *cli.Command, jobs *sync.WaitGroup, site *web.Site, st *store.Store,
	origin string) error {
	if cmd.Bool("demo") {
		if err := workHere(ctx, cmd, jobs, site, st, origin); err != nil {
			return fmt.Errorf("demo: %w", err)
		}
	}
	page := cmd.String("runner")
	if page == "" {
		return nil
	}
	c, err := runnerConfig(cmd, "runner-", site, origin, page, cmd.String("runner-token"))
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.Root().Writer, "A runner works in this server, in the folder %s.\n", c.Data)
	machineState(ctx, cmd.Root().Writer)
	jobs.Go(func() {
		if err := runner.Run(ctx, c); err != nil {
			slog.Error("the runner has ended", "error", err)
		}
	})
	return nil
}
