package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"samepage/store"
	"samepage/store/governance"
	"samepage/views"
)

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name: "verify", Usage: "repeat the draw of a decision's lot", ArgsUsage: "FILE|URL",
		Description: "FILE is the JSON of a decision's page /verify, saved; - reads it from standard " +
			"input. Of a path such as\n" +
			"/studios/team/d/k3v9x0a2mq the lot is read from the database.",
		Flags: []cli.Flag{dataFlag(), jsonFlag()},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.Args().Len() != 1 {
				return cli.Exit("name one file, or the path of a decision", exitUsage)
			}
			draw, err := readDraw(ctx, cmd, cmd.Args().First())
			if err != nil {
				return err
			}
			if cmd.Bool("json") {
				if err := printJSON(cmd.Root().Writer, draw); err != nil {
					return err
				}
			}
			if err := draw.Check(); err != nil {
				return cli.Exit(err.Error(), exitDamage)
			}
			if !cmd.Bool("json") {
				fmt.Fprintln(cmd.Root().Writer, drawResult(draw))
			}
			return nil
		},
	}
}

func drawResult(d views.Draw) string {
	if d.Drawn == "" {
		return "The secret is the one that was promised. No lot was needed."
	}
	return fmt.Sprintf("The secret is the one that was promised, and of %s it draws %s.",
		strings.Join(d.Tied, ", "), d.Drawn)
}

func readDraw(ctx context.Context, cmd *cli.Command, from string) (views.Draw, error) {
	if studio, id, ok := decisionPath(from); ok {
		return storedDraw(ctx, cmd, studio, id)
	}
	var text []byte
	var err error
	if from == "-" {
		text, err = io.ReadAll(io.LimitReader(os.Stdin, 1<<20))
	} else {
		text, err = os.ReadFile(from)
	}
	if err != nil {
		return views.Draw{}, err
	}
	var page struct {
		Data views.Draw `json:"data"`
	}
	if err := json.Unmarshal(text, &page); err != nil || page.Data.Commitment == "" {
		return page.Data, cli.Exit(
			"this is not the JSON of a page /verify: save it with Accept: application/json",
			exitUsage,
		)
	}
	return page.Data, nil
}

func decisionPath(path string) (studio, id string, ok bool) {
	words := strings.Split(strings.TrimSuffix(path, "/verify"), "/")
	if len(words) != 5 || words[0] != "" || words[1] != "studios" || words[3] != "d" {
		return "", "", false
	}
	return words[2], words[4], true
}

func storedDraw(ctx context.Context, cmd *cli.Command, studio, id string) (draw views.Draw, err error) {
	err = withReading(ctx, cmd, func(st *store.Store) error {
		return st.Read(ctx, func(tx *store.Tx) error {
			d, err := governance.FindDecision(tx, store.System(), studio, id)
			if err != nil {
				return err
			}
			if d.Commitment == "" {
				return cli.Exit("this decision has no lot", exitUsage)
			}
			draw, err = views.DrawOf(d)
			return err
		})
	})
	return draw, err
}
