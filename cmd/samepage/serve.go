package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"samepage/mcp"
	"samepage/store"
	"samepage/web"
	"samepage/web/account"
	"samepage/web/demo"
	_ "samepage/web/governance" // registers the pages about topics, elections, policies and channels
	"samepage/web/oauth"
	_ "samepage/web/work" // registers the pages about runners, repositories and the work of agents
)

// Without these settings, the garbage collector would run almost all the time, because the MCP SDK allocates much
// memory for each call. The ballast counts as heap, but it is never touched, so it takes up only address space.
const (
	ballastSize = 128 << 20
	heapGrowth  = 25 // percent
)

// stopTimeout is the time that running requests have to finish when the server stops. With the unit of samepage
// systemd, the process is killed after 30 seconds.
const (
	stopTimeout  = 25 * time.Second
	scheduleTick = 5 * time.Second
)

func serve(ctx context.Context, cmd *cli.Command) error {
	secured, err := securityOf(cmd)
	if err != nil {
		return err
	}
	config, err := siteConfig(cmd, secured)
	if err != nil {
		return err
	}
	plan, err := backupSchedule(cmd)
	if err != nil {
		return err
	}
	slog.SetDefault(config.Log)
	ballast := make([]byte, ballastSize)
	defer runtime.KeepAlive(&ballast)
	debug.SetGCPercent(heapGrowth)
	if cmd.Bool("demo") {
		where, err := database(cmd)
		if err == nil {
			err = demo.Make(ctx, where, store.Options{Keys: cmd.String("keys")})
		}
		if err != nil {
			return fmt.Errorf("demo: %w", err)
		}
	}
	kept, err := retention(cmd)
	if err != nil {
		return err
	}
	return withServing(ctx, cmd, store.Options{Retention: kept}, func(ctx context.Context, st *store.Store) error {
		if plan.dir != "" {
			config.Backups = func() *store.Backups { return plan.present(st.Now()) }
		}
		listener, err := net.Listen("tcp", cmd.String("listen"))
		if err != nil {
			return fmt.Errorf("%w: choose another address with --listen", err)
		}
		defer listener.Close()
		config.Local = local(listener.Addr())
		site, err := web.New(ctx, st, config)
		if err != nil {
			return err
		}
		here, listens := config.Local, strings.TrimPrefix(config.Local, "http://")
		if secured != nil {
			here = config.Origin // the certificate is valid for the host of the origin
		}
		url := cmp.Or(config.Origin, here)
		if err := greet(ctx, cmd, site, st, url); err != nil {
			return err
		}
		if err := st.Announce(here, listens); err != nil {
			slog.Warn("commands beside the server do not find its address in the data folder", "error", err)
		}
		stop, err := serveMetrics(config.Metrics, cmd)
		if err != nil {
			return err
		}
		defer stop()
		unredirect, err := secured.redirect(cmd)
		if err != nil {
			return err
		}
		defer unredirect()
		if err := secured.obtain(ctx, st); err != nil {
			return err
		}
		backups, stopBackups := context.WithCancel(ctx)
		var jobs sync.WaitGroup
		defer jobs.Wait()
		defer stopBackups()
		jobs.Go(func() { plan.run(backups, st) })
		if err := runHere(backups, cmd, &jobs, site, st, url); err != nil {
			return err
		}
		return run(ctx, site, withMetrics(config.Metrics, cmd.String("metrics-token"), handler(site, url)),
			listener, secured)
	})
}

func siteConfig(cmd *cli.Command, secured *security) (c web.Config, err error) {
	founders := cmd.String("new-organizations")
	if founders != "owners" && founders != "operator" {
		return c, cli.Exit("--new-organizations takes owners or operator", exitUsage)
	}
	origin := cmd.String("origin")
	if secured != nil {
		origin = secured.origin
	}
	if err := mayReach(cmd, origin); err != nil {
		return c, err
	}
	c = web.Config{
		Origin:         origin,
		Name:           cmd.String("name"),
		OperatorFounds: founders == "operator",
		Version:        buildVersion(),
		Unlimited:      !cmd.Bool("limits"),
		AccessLog:      cmd.Bool("access-log"),
		Documents:      oauth.Documents{On: cmd.Bool("client-metadata")},
		NoWebhooks:     !cmd.Bool("webhooks"),
	}
	if c.Mail, err = mailServer(cmd); err != nil {
		return c, err
	}
	if c.Mail != nil && c.Origin == "" {
		return c, cli.Exit("--smtp needs --origin: mails carry links", exitUsage)
	}
	for _, text := range cmd.StringSlice("outgoing-allow") {
		allowed, err := netip.ParsePrefix(text)
		if err != nil {
			return c, cli.Exit(fmt.Sprintf("--outgoing-allow %s: write addresses such as 10.0.0.0/8", text), exitUsage)
		}
		c.Documents.Allow = append(c.Documents.Allow, allowed)
	}
	if c.OpenID, err = openIDProvider(cmd); err != nil {
		return c, err
	}
	if c.TrustedProxies, err = prefixes(cmd.StringSlice("trusted-proxies")); err != nil {
		return c, err
	}
	if c.Log, err = logger(cmd, cmd.Root().ErrWriter); err != nil {
		return c, err
	}
	c.Metrics, err = metricSet(cmd)
	return c, err
}

func prefixes(list []string) ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, s := range list {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			addr, err := netip.ParseAddr(s)
			if err != nil {
				return nil,
					cli.Exit(fmt.Sprintf("--trusted-proxies: %q is no address and no range such as 10.0.0.0/8", s),
						exitUsage)
			}
			p = netip.PrefixFrom(addr, addr.BitLen())
		}
		all = append(all, p)
	}
	return all, nil
}

// mayReach returns an error if other machines can reach the server without an origin, or with the public passwords of a
// demo, unless a flag allows the latter.
func mayReach(cmd *cli.Command, origin string) error {
	listen := cmd.String("listen")
	addr, err := net.ResolveTCPAddr("tcp", listen)
	if err != nil {
		return cli.Exit(fmt.Sprintf("--listen %s: write an address and a port, such as 127.0.0.1:8080", listen),
			exitUsage)
	}
	reached := !addr.IP.IsLoopback() // an address without a host stands for all addresses
	if reached && origin == "" {
		return cli.Exit(fmt.Sprintf("--listen %s: other machines reach that address, and without --origin only this one is "+
			"answered. Add --origin with the address that people open, such as --origin https://team.example.org, or "+
			"listen on 127.0.0.1:%d", listen, addr.Port), exitUsage)
	}
	if u, err := url.Parse(origin); err == nil && origin != "" {
		addr, err := netip.ParseAddr(u.Hostname())
		reached = reached || u.Hostname() != "localhost" && (err != nil || !addr.IsLoopback())
	}
	if reached && cmd.Bool("demo") && !cmd.Bool("demo-passwords-are-public") {
		return cli.Exit("--demo makes people with passwords that everybody knows, and other machines reach this server: "+
			"anybody could sign in. Serve the demo on 127.0.0.1 without --origin, or accept that with "+
			"--demo-passwords-are-public", exitUsage)
	}
	return nil
}

func local(a net.Addr) string {
	if tcp, ok := a.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d", tcp.Port)
	}
	return "http://" + a.String()
}

// greet prints the URLs to open, and for a demo also a login and a token.
func greet(ctx context.Context, cmd *cli.Command, site *web.Site, st *store.Store, url string) error {
	out := cmd.Root().Writer
	if cmd.Bool("demo") {
		w, err := demo.Reseed(ctx, site, st, filepath.Join(cmd.String("data"), "demo-tokens"))
		if err != nil {
			return fmt.Errorf("demo: %w", err)
		}
		fmt.Fprintf(out, "The demo workspace is ready.\n  Sign in as %s with the password %s\n",
			w.Logins[0].Email, w.Logins[0].Password)
		fmt.Fprintf(out, "  Agent token (%s): %s\n", w.Tokens[0].Label, w.Tokens[0].Token)
	}
	setup, err := account.SetupURL(ctx, st)
	if err != nil {
		return err
	}
	if setup != "" {
		fmt.Fprintf(out, "Nobody can sign in yet. Set the workspace up at %s%s\n", url, setup)
	}
	fmt.Fprintf(out, "Samepage serves %s (agents: %s/mcp). Stop it with Ctrl-C.\n", url, url)
	return nil
}

func demoCommand() *cli.Command {
	return &cli.Command{
		Name:  "demo",
		Usage: "fill a folder with a lively demo workspace",
		Description: "On an empty folder it makes one organization with six people, three agents, two " +
			"studios and decisions of every method,\n" +
			"ten of them real votes of the Debian project. Run again, it adds nothing, makes fresh " +
			"tokens and ends its own that are older than a day.",
		Flags: []cli.Flag{dataFlag(), jsonFlag()},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			where, err := database(cmd)
			if err == nil {
				err = demo.Make(ctx, where, store.Options{Beside: true, Keys: cmd.String("keys")})
			}
			if err != nil {
				return err
			}
			return withStore(ctx, cmd, func(st *store.Store) error {
				site, err := web.New(ctx, st, web.Config{Version: buildVersion()})
				if err != nil {
					return err
				}
				w, err := demo.Seed(ctx, site, st)
				if err != nil {
					return err
				}
				if cmd.Bool("json") {
					return printJSON(cmd.Root().Writer, w)
				}
				for _, l := range w.Logins {
					fmt.Fprintf(cmd.Root().Writer, "login  %-28s %s\n", l.Email, l.Password)
				}
				for _, t := range w.Tokens {
					fmt.Fprintf(cmd.Root().Writer, "token  %-10s %s\n", t.Label, t.Token)
				}
				fmt.Fprintln(cmd.Root().Writer, "Open it: samepage serve", opened(cmd))
				return nil
			})
		},
	}
}

// opened returns the flag with which another command opens the same database. A URL, which may contain a password, is
// replaced by an ellipsis.
func opened(cmd *cli.Command) string {
	if cmd.String("database") != "" {
		return "--database …"
	}
	return "--data " + cmd.String("data")
}

func mcpCommand() *cli.Command {
	return &cli.Command{
		Name:        "mcp",
		Usage:       "serve the two MCP tools over standard input and output",
		Description: "The agent's token is read from SAMEPAGE_TOKEN. Beside a running server it uses that server.",
		Flags: []cli.Flag{
			dataFlag(),
			textFlag("url", "the `ADDRESS` of a running server to use instead of a folder"),
			textFlag("token", "the agent's token; better given as the variable"),
		},
		Action: serveStdio,
	}
}

func serveStdio(ctx context.Context, cmd *cli.Command) error {
	token := cmd.String("token")
	if token == "" {
		return cli.Exit("there is no token: set SAMEPAGE_TOKEN to one made at /settings/tokens or with "+
			"samepage token create", exitUsage)
	}
	root := cmd.Root()
	if url := cmd.String("url"); url != "" {
		return bridge(ctx, root, url, token)
	}
	if err := mustExist(cmd); err != nil {
		return err
	}
	err := withServing(ctx, cmd, store.Options{}, func(ctx context.Context, st *store.Store) error {
		site, err := web.New(ctx, st, web.Config{Version: buildVersion()})
		if err != nil {
			return err
		}
		return mcp.Stdio(ctx, root.Reader, root.Writer, token, site,
			mcp.Options{Origin: "http://localhost", Version: buildVersion()})
	})
	if use, ok := errors.AsType[*store.InUse](err); ok && use.URL != "" {
		return bridge(ctx, root, use.URL, token)
	}
	return err
}

func bridge(ctx context.Context, root *cli.Command, url, token string) error {
	url = strings.TrimSuffix(url, "/")
	site, err := mcp.Bridge(url)
	if err != nil {
		return cli.Exit(err.Error(), exitUsage)
	}
	return mcp.Stdio(ctx, root.Reader, root.Writer, token, site, mcp.Options{Origin: url, Version: buildVersion()})
}
