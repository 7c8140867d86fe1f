package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web"
	"samepage/web/account"
)

func orgCommand() *cli.Command {
	return &cli.Command{Name: "org", Usage: "make and list organizations", Commands: []*cli.Command{
		{
			Name: "create", Usage: "make an organization with its owner",
			Description: "An email that can sign in already keeps its password and is in both organizations.",
			Flags: []cli.Flag{dataFlag(),
				requiredFlag("handle", "its `HANDLE` in URLs"),
				&cli.StringFlag{
					Name:     "name",
					Usage:    "what the organization is called",
					Required: true,
					Sources:  cli.EnvVars("SAMEPAGE_ORG_NAME"),
				},
				presetFlag("zone", "its time zone, such as Europe/Paris", "UTC"),
				requiredFlag("owner", "the owner's `HANDLE`"),
				requiredFlag("owner-name", "the owner's name"),
				emailFlag(), passwordFlag()},
			Action: createOrganization,
		},
		{Name: "list", Usage: "list every organization", Flags: []cli.Flag{dataFlag(), jsonFlag()}, Action: listOrganizations},
	}}
}

func memberCommand() *cli.Command {
	return &cli.Command{Name: "member", Usage: "make, list and remove members", Commands: []*cli.Command{
		{
			Name: "create", Usage: "make somebody a member of an organization",
			Description: "An email that can sign in already keeps its password.",
			Flags: []cli.Flag{dataFlag(), orgFlag(),
				requiredFlag("handle", "their `HANDLE`"),
				&cli.StringFlag{
					Name:     "name",
					Usage:    "their name",
					Required: true,
					Sources:  cli.EnvVars("SAMEPAGE_MEMBER_NAME"),
				},
				emailFlag(), passwordFlag()},
			Action: createMember,
		},
		{
			Name:   "list",
			Usage:  "list the members of every organization, or of one",
			Flags:  []cli.Flag{dataFlag(), orgFlag(), jsonFlag()},
			Action: listMembers,
		},
		{
			Name: "remove", Usage: "end a membership, in the name of the organization's owner",
			Description: "Their words stay, and the tokens of their agents end. They can be invited again.",
			Flags:       []cli.Flag{dataFlag(), orgFlag(), requiredFlag("handle", "their `HANDLE`")},
			Action:      removeMember,
		},
		{
			Name: "reset-password",
			Usage: "give somebody another password and sign them out everywhere; " +
				"their agents go on until token revoke",
			Flags:  []cli.Flag{dataFlag(), emailFlag(), passwordFlag()},
			Action: resetPassword,
		},
	}}
}

func emailFlag() *cli.StringFlag {
	return requiredFlag("email", "the `ADDRESS` to sign in with")
}

func passwordFlag() *cli.StringFlag {
	return textFlag("password", "better given as the variable; without it one is made and printed")
}

// password returns the flag's password, or a random password and true.
func password(cmd *cli.Command) (text string, made bool) {
	if given := cmd.String("password"); given != "" {
		return given, false
	}
	return strings.ToLower(rand.Text()), true
}

// welcome prints the password with which the member signs in. If known is true, the user already has a password, which
// is not printed. If made is true, the given password is random.
func welcome(cmd *cli.Command, password string, made, known bool) {
	switch email := cmd.String("email"); {
	case known:
		fmt.Fprintf(cmd.Root().Writer, "%s signs in with the password they have already.\n", email)
	case made:
		fmt.Fprintf(cmd.Root().Writer, "%s signs in with the password %s (it is not shown again).\n", email, password)
	default:
		fmt.Fprintf(cmd.Root().Writer, "%s signs in with the password you gave.\n", email)
	}
}

func createOrganization(ctx context.Context, cmd *cli.Command) error {
	// This command also works in an empty folder: it creates the database.
	return withStore(ctx, cmd, func(st *store.Store) error {
		secret, made := password(cmd)
		known, err := account.FoundOrganization(ctx, st, account.Founding{
			Organization: cmd.String("name"),
			Handle:       cmd.String("handle"),
			Zone:         cmd.String("zone"),
			Name:         cmd.String("owner-name"),
			Member:       cmd.String("owner"),
			Email:        cmd.String("email"),
			Password:     secret,
		})
		// The errors name form fields, which are replaced by the names of the flags.
		if list, ok := errors.AsType[param.Errors](err); ok {
			for i := range list {
				if flag, ok := map[string]string{
					"organization": "name", "name": "owner-name", "member": "owner",
				}[list[i].Field]; ok {
					list[i].Field = flag
				}
			}
			err = list
		}
		if err != nil {
			return refused(err)
		}
		fmt.Fprintf(cmd.Root().Writer, "The organization %s is made.\n", cmd.String("handle"))
		welcome(cmd, secret, made, known)
		return nil
	})
}

func createMember(ctx context.Context, cmd *cli.Command) error {
	return withExisting(ctx, cmd, func(st *store.Store) error {
		secret, made := password(cmd)
		known, err := account.EnrollMember(ctx, st, cmd.String("org"), account.Joining{
			Handle:   cmd.String("handle"),
			Name:     cmd.String("name"),
			Email:    cmd.String("email"),
			Password: secret,
		})
		if err != nil {
			return refused(err)
		}
		fmt.Fprintf(cmd.Root().Writer, "@%s is a member.\n", strings.TrimPrefix(cmd.String("handle"), "@"))
		welcome(cmd, secret, made, known)
		return nil
	})
}

func removeMember(ctx context.Context, cmd *cli.Command) error {
	return withSite(ctx, cmd, func(site *web.Site) error {
		handle := strings.TrimPrefix(cmd.String("handle"), "@")
		if err := site.Dismiss(ctx, cmd.String("org"), handle); err != nil {
			return refused(err)
		}
		fmt.Fprintf(cmd.Root().Writer, "@%s is no member any more.\n", handle)
		return nil
	})
}

func resetPassword(ctx context.Context, cmd *cli.Command) error {
	return withExisting(ctx, cmd, func(st *store.Store) error {
		secret, made := password(cmd)
		if err := account.ResetPassword(ctx, st, cmd.String("email"), secret); err != nil {
			return refused(err)
		}
		welcome(cmd, secret, made, false)
		return nil
	})
}

func listOrganizations(ctx context.Context, cmd *cli.Command) error {
	return withExisting(ctx, cmd, func(st *store.Store) error {
		return st.Read(ctx, func(tx *store.Tx) error {
			list, err := tx.Organizations()
			if err != nil {
				return err
			}
			type row struct {
				Handle string     `json:"handle"`
				Name   string     `json:"name"`
				Zone   string     `json:"zone"`
				Owner  string     `json:"owner"`
				Made   store.Time `json:"made"`
			}
			rows := []row{}
			for _, o := range list {
				rows = append(rows, row{o.Handle, o.Name, o.Zone, o.Owner, o.CreatedAt})
			}
			if cmd.Bool("json") {
				return printJSON(cmd.Root().Writer, rows)
			}
			out := table(cmd, "HANDLE", "NAME", "ZONE", "OWNER", "MADE")
			for _, r := range rows {
				out.row(r.Handle, r.Name, r.Zone, "@"+r.Owner, day(r.Made))
			}
			return out.Flush()
		})
	})
}

func listMembers(ctx context.Context, cmd *cli.Command) error {
	return withExisting(ctx, cmd, func(st *store.Store) error {
		return st.Read(ctx, func(tx *store.Tx) error {
			orgs, err := tx.Organizations()
			if err != nil {
				return err
			}
			type row struct {
				Org    string     `json:"org"`
				Handle string     `json:"handle"`
				Name   string     `json:"name"`
				Owner  bool       `json:"owner"`
				Joined store.Time `json:"joined"`
			}
			rows, found := []row{}, false
			for _, o := range orgs {
				if only := cmd.String("org"); only != "" && only != o.Handle {
					continue
				}
				found = true
				for after := ""; ; after = rows[len(rows)-1].Handle {
					list, err := tx.Members(o.ID, after, 1000)
					if err != nil {
						return err
					}
					if len(list) == 0 {
						break
					}
					for _, m := range list {
						rows = append(rows, row{o.Handle, m.Handle, m.Name, m.Owner, m.JoinedAt})
					}
				}
			}
			if !found && cmd.String("org") != "" {
				return cli.Exit(fmt.Sprintf("there is no organization %s: samepage org list prints them",
					cmd.String("org")), exitUsage)
			}
			if cmd.Bool("json") {
				return printJSON(cmd.Root().Writer, rows)
			}
			out := table(cmd, "ORG", "HANDLE", "NAME", "ROLE", "JOINED")
			for _, r := range rows {
				role := "member"
				if r.Owner {
					role = "owner"
				}
				out.row(r.Org, "@"+r.Handle, r.Name, role, day(r.Joined))
			}
			return out.Flush()
		})
	})
}

type columns struct{ *tabwriter.Writer }

func table(cmd *cli.Command, head ...string) columns {
	c := columns{tabwriter.NewWriter(cmd.Root().Writer, 0, 0, 2, ' ', 0)}
	c.row(head...)
	return c
}

func (c columns) row(cells ...string) { fmt.Fprintln(c, strings.Join(cells, "\t")) }

// day formats a time as a date in UTC, and the zero time as a dash.
func day(t store.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02")
}
