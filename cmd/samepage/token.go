package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"samepage/actions/param"
	"samepage/store"
	"samepage/store/credential"
	"samepage/web"
	"samepage/web/oauth"
)

func tokenCommand() *cli.Command {
	return &cli.Command{Name: "token", Usage: "make, list and revoke agents' tokens", Commands: []*cli.Command{
		{
			Name: "create", Usage: "make a token and print it; it cannot be shown again",
			Flags: []cli.Flag{dataFlag(), orgFlag(),
				requiredFlag("member", "the `HANDLE` of the member it acts for"),
				requiredFlag("label", "the agent's `NAME`"),
				presetFlag("scopes", "what it may do: read, write, governance, joined by commas", "read,write"),
				presetFlag("expires", "how long it lives, such as 1h or 30d, at most 365d", "30d"),
				textFlag("kinds",
					"the only kinds it may act on: "+strings.Join(store.GrantKinds(), ", ")+
						", joined by commas; all unless given"),
				textFlag("asks",
					"the `ACTIONS` it asks its member for first, such as cast_vote, joined by commas"),
				switchFlag("public", "it may also write on pages that everybody can read", false)},
			Action: createToken,
		},
		{Name: "list", Usage: "list every token", Flags: []cli.Flag{dataFlag(), jsonFlag()}, Action: listTokens},
		{Name: "rekey", Usage: "put a new key in the place of those that sign OAuth access tokens, if " +
			"one became known", Flags: []cli.Flag{dataFlag()}, Action: replaceKeys},
		{Name: "revoke", Usage: "end tokens at once", ArgsUsage: "ID…", Flags: []cli.Flag{dataFlag()}, Action: revokeTokens},
	}}
}

func orgFlag() *cli.StringFlag {
	return textFlag("org", "the `HANDLE` of the organization, where there are several")
}

// withSite opens the database and calls fn with a site. Changes through the site are checked and journalled like those
// of members.
func withSite(ctx context.Context, cmd *cli.Command, fn func(*web.Site) error) error {
	return withExisting(ctx, cmd, func(st *store.Store) error {
		site, err := web.New(ctx, st, web.Config{Version: buildVersion()})
		if err != nil {
			return err
		}
		return fn(site)
	})
}

// refused adds the exit code exitUsage to an error that the arguments of the command caused.
func refused(err error) error {
	if store.CodeOf(err) == store.Invalid || param.ErrorsOf(err) != nil {
		return cli.Exit(err.Error(), exitUsage)
	}
	return err
}

func createToken(ctx context.Context, cmd *cli.Command) error {
	return withSite(ctx, cmd, func(site *web.Site) error {
		by, err := site.Person(ctx, cmd.String("org"), cmd.String("member"))
		if err != nil {
			return refused(err)
		}
		secret, err := site.IssueToken(ctx, by, web.Issue{
			Label:   cmd.String("label"),
			Scopes:  cmd.String("scopes"),
			Expires: cmd.String("expires"),
			Kinds:   cmd.String("kinds"),
			Asks:    cmd.String("asks"),
			Public:  cmd.Bool("public"),
		})
		if err != nil {
			return refused(err)
		}
		fmt.Fprintln(cmd.Root().Writer, secret)
		return nil
	})
}

// replaceKeys replaces the keys that sign OAuth access tokens. Within a minute, that ends all tokens signed before.
func replaceKeys(ctx context.Context, cmd *cli.Command) error {
	return withExisting(ctx, cmd, func(st *store.Store) error {
		keys, err := credential.Keys(ctx, st)
		if err != nil {
			return err
		}
		if err := st.Write(ctx, func(tx *store.Tx) error { return oauth.ReplaceKeys(tx, keys) }); err != nil {
			return err
		}
		fmt.Fprintln(cmd.Root().Writer, "A new key signs from now on. Access tokens signed before end "+
			"within a minute; clients renew theirs by themselves.")
		return nil
	})
}

func listTokens(ctx context.Context, cmd *cli.Command) error {
	return withExisting(ctx, cmd, func(st *store.Store) error {
		return st.Read(ctx, func(tx *store.Tx) error {
			list, err := tx.AllTokens()
			if err != nil {
				return err
			}
			type row struct {
				ID      string     `json:"id"`
				Label   string     `json:"label"`
				Member  string     `json:"member"`
				Scopes  []string   `json:"scopes"`
				State   string     `json:"state"`
				Made    store.Time `json:"made"`
				Expires store.Time `json:"expires,omitzero"`
			}
			rows := []row{}
			for i := range list {
				t := &list[i]
				rows = append(rows, row{t.ID, t.Label, t.Member, strings.Fields(t.Scopes.String()),
					t.State(), t.CreatedAt, t.Expires})
			}
			if cmd.Bool("json") {
				return printJSON(cmd.Root().Writer, rows)
			}
			out := table(cmd, "ID", "STATE", "LABEL", "MEMBER", "SCOPES", "MADE", "EXPIRES")
			for _, r := range rows {
				out.row(r.ID, r.State, r.Label, "@"+r.Member, strings.Join(r.Scopes, ","), day(r.Made), day(r.Expires))
			}
			return out.Flush()
		})
	})
}

func revokeTokens(ctx context.Context, cmd *cli.Command) error {
	if cmd.Args().Len() == 0 {
		return cli.Exit("name the tokens to revoke by their ids, as token list prints them", exitUsage)
	}
	return withSite(ctx, cmd, func(site *web.Site) error {
		for _, id := range cmd.Args().Slice() {
			if err := site.RevokeToken(ctx, id); err != nil {
				return refused(fmt.Errorf("%s: %w", id, err))
			}
			fmt.Fprintln(cmd.Root().Writer, "Revoked", id)
		}
		return nil
	})
}
