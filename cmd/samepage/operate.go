package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"samepage/store"
)

func jsonFlag() *cli.BoolFlag { return &cli.BoolFlag{Name: "json", Usage: "print JSON"} }

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func journalCommand() *cli.Command {
	return &cli.Command{Name: "journal", Usage: "check the journal", Commands: []*cli.Command{{
		Name:  "verify",
		Usage: "check every organization's journal, and that it still holds the heads noted down earlier, here or beside the database",
		Flags: []cli.Flag{dataFlag(), listFlag("head", "a `HEAD` printed earlier, such as acme:42:3fa9…; may be given again")},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			var heads []store.Head
			for _, text := range cmd.StringSlice("head") {
				h, err := store.ParseHead(text)
				if err != nil {
					return cli.Exit(err.Error(), exitUsage)
				}
				heads = append(heads, h)
			}
			return withReading(ctx, cmd, func(st *store.Store) error {
				return verifyJournals(ctx, cmd.Root().Writer, st, heads)
			})
		},
	}}}
}

// verifyJournals verifies every journal, and that the journals contain the given heads and those recorded beside the
// database. A head is the position and hash of an entry.
func verifyJournals(ctx context.Context, out io.Writer, st *store.Store, heads []store.Head) error {
	noted, err := st.NotedHeads(ctx)
	if store.CodeOf(err) == store.Invalid {
		return cli.Exit(err.Error(), exitDamage)
	}
	if err != nil {
		return err
	}
	heads = append(heads, noted...)
	return st.Read(ctx, func(tx *store.Tx) error {
		list, err := tx.Organizations()
		if err != nil {
			return err
		}
		known := map[string]bool{}
		for i := range list {
			known[list[i].Handle] = true
			head, err := tx.VerifyJournal(&list[i], heads...)
			if damage, ok := errors.AsType[*store.Damage](err); ok {
				hint := ""
				if len(noted) > 0 {
					hint = fmt.Sprintf(" It was compared with the heads in %s, too.",
						filepath.Join(st.Folder(), store.HeadsName))
				}
				return cli.Exit(damage.Error()+hint, exitDamage)
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%s: %d entries, whole. Head: %s\n", list[i].Handle, head.Seq, head)
		}
		for _, h := range heads {
			if !known[h.Org] {
				return cli.Exit(fmt.Sprintf("The organization %s, whose head was noted down, is not here.",
					h.Org), exitDamage)
			}
		}
		return nil
	})
}

func doctorCommand() *cli.Command {
	return &cli.Command{
		Name: "doctor",
		Usage: "check the database, journals, attached files, keys, folder and mail server; " +
			"say what is exposed, and what a runner would find",
		Description: "Every attached file is read and compared with its hash. " +
			codesOf("nothing is damaged", "something is damaged or missing, and is named", "it could not be checked"),
		Flags: slices.Concat([]cli.Flag{dataFlag(), smtpFlag(), mailFromFlag(), listenFlag()}, reachFlags(), tlsFlags(), scheduleFlags(),
			retentionFlags()),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			out := cmd.Root().Writer
			// Before the first start there is no database, but the programs for a runner can be printed.
			if err := mustExist(cmd); err != nil {
				machineState(ctx, out)
				return err
			}
			return withReading(ctx, cmd, func(st *store.Store) error {
				if err := st.Check(ctx); err != nil {
					return cli.Exit(err.Error(), exitDamage)
				}
				fmt.Fprintln(out, "The database is sound.")
				if err := verifyJournals(ctx, out, st, nil); err != nil {
					return err
				}
				found, err := st.CheckFiles(ctx)
				if err != nil {
					return err
				}
				broken := reportFiles(out, found, "here")
				broken = damages(broken, checkCounts(ctx, out, st, ""),
					backupState(ctx, out, cmd, st.Now()))
				if err := searchState(ctx, out, st); err != nil {
					return err
				}
				broken = damages(broken, headsState(ctx, st))
				// Errors about keys and files are returned at the end, so that the other checks still run.
				lost := keysState(ctx, out, st)
				if err := mailState(ctx, cmd, st); err != nil {
					return err
				}
				if err := retentionState(out, cmd); err != nil {
					return err
				}
				if err := exposure(ctx, out, st, cmd); err != nil {
					return err
				}
				machineState(ctx, out)
				if info, err := os.Stat(filepath.Dir(st.Path())); err == nil &&
					!store.OnServer(st.Path()) && info.Mode().Perm()&0o077 != 0 {
					fmt.Fprintf(out, "Others on this machine can read %s: chmod 700 it.\n", cmd.String("data"))
				}
				return cmp.Or(broken, lost)
			})
		},
	}
}

func headsState(ctx context.Context, st *store.Store) error {
	err := st.MustHaveHeads(ctx)
	if store.CodeOf(err) == store.Invalid {
		return cli.Exit(err.Error(), exitDamage)
	}
	return err
}

// exposure prints how the workspace can be reached from outside.
func exposure(ctx context.Context, out io.Writer, st *store.Store, cmd *cli.Command) error {
	var e *store.Exposure
	if err := st.Read(ctx, func(tx *store.Tx) (err error) {
		e, err = tx.Exposure()
		return err
	}); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d people can sign in with a password.\n", e.Users)
	fmt.Fprintf(out, "%d tokens of agents are in force or paused", e.Tokens)
	if e.Forever > 0 {
		fmt.Fprintf(out, ", %d of them for ever", e.Forever)
	}
	if e.Writing > 0 {
		fmt.Fprintf(out, ", %d may write where the public reads", e.Writing)
	}
	fmt.Fprintln(out, ".")
	if len(e.PublicStudios) > 0 {
		fmt.Fprintf(out, "Everybody who reaches the server can read the studios %s.\n",
			strings.Join(e.PublicStudios, ", "))
	}
	origin := cmd.String("origin")
	secured, err := securityOf(cmd)
	if err != nil {
		return err
	}
	if secured != nil {
		origin = secured.origin
	}
	switch {
	case secured != nil:
		fmt.Fprintf(out, "%s is served with TLS by this server, %s.\n", origin, secured.until())
	case origin == "":
		fmt.Fprintln(out, "Without --origin, only this machine is answered.")
	case strings.HasPrefix(origin, "http://"):
		fmt.Fprintf(out, "%s is not HTTPS: whoever is on the way can read passwords and tokens. Put a "+
			"proxy with a certificate in front.\n", origin)
	case len(cmd.StringSlice("trusted-proxies")) == 0:
		fmt.Fprintf(out, "%s is HTTPS, so a proxy stands in front. Name it with --trusted-proxies, or "+
			"everybody counts as one address.\n", origin)
	}
	if cmd.Bool("client-metadata") {
		from := append([]string{"the public internet"}, cmd.StringSlice("outgoing-allow")...)
		fmt.Fprintf(out, "The documents by which OAuth clients are known are fetched from %s.\n",
			strings.Join(from, ", "))
	}
	if !cmd.Bool("limits") {
		fmt.Fprintln(out, "Nothing is limited: everybody may ask as often as they can.")
	}
	return nil
}

func searchState(ctx context.Context, out io.Writer, st *store.Store) error {
	return st.Read(ctx, func(tx *store.Tx) error {
		s, err := tx.SearchState()
		switch {
		case err != nil:
			return err
		case !s.Built:
			fmt.Fprintln(out, "Search is missing: this program was built without it. Build it with -tags sqlite_fts5.")
		case !s.Complete:
			fmt.Fprintln(out, "Search is not complete: serve the workspace, and it is completed in the background.")
		default:
			fmt.Fprintln(out, "Search is complete.")
		}
		return nil
	})
}

func healthcheckCommand() *cli.Command {
	return &cli.Command{Name: "healthcheck", Usage: "ask a running server whether it is ready; exits with 1 if not",
		Description: "Without --url it asks the server that serves the folder, which notes its address there; without " +
			"one, and on PostgreSQL, the address of --listen.",
		Flags: []cli.Flag{dataFlag(), listenFlag(), textFlag("url", "the `ADDRESS` of the server, if it is another one")},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			url, client, err := healthOf(cmd)
			if err != nil {
				return err
			}
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(url, "/")+"/readyz", nil)
			if err != nil {
				return cli.Exit(err.Error(), exitUsage)
			}
			resp, err := client.Do(r)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				why, err := io.ReadAll(io.LimitReader(resp.Body, 1000))
				if err != nil {
					return err
				}
				return fmt.Errorf("%s is not ready: %s: %s", url, resp.Status, strings.TrimSpace(string(why)))
			}
			fmt.Fprintln(cmd.Root().Writer, "ready")
			return nil
		}}
}

// healthOf returns the URL of the server and a client that reaches it. The URL is that of --url, or that in the lock
// file of the data folder, or one made from --listen.
func healthOf(cmd *cli.Command) (string, *http.Client, error) {
	if url := cmd.String("url"); url != "" {
		return url, http.DefaultClient, nil
	}
	where, err := database(cmd)
	if err != nil {
		return "", nil, err
	}
	if !store.OnServer(where) {
		if s := store.ServerOf(where); s.URL != "" {
			return s.URL, clientAt(s.Listens), nil
		}
	}
	addr, err := net.ResolveTCPAddr("tcp", cmd.String("listen"))
	if err != nil {
		return "", nil, cli.Exit(fmt.Sprintf("--listen %s: write an address and a port, such as 127.0.0.1:8080",
			cmd.String("listen")), exitUsage)
	}
	if addr.IP == nil { // an address without a host stands for all addresses
		addr.IP = net.IPv4zero
	}
	return local(addr), http.DefaultClient, nil
}

// clientAt returns a client that connects to the given address for every URL, or the default client if the address is
// empty. It does not check the certificate, because the request has no secret, and the name in the certificate need not
// lead to this machine.
func clientAt(address string) *http.Client {
	if address == "" {
		return http.DefaultClient
	}
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		},
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
}
