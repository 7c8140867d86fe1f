package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"samepage/actions/tally"
	"samepage/web"
)

func importCommand() *cli.Command {
	return &cli.Command{Name: "import", Usage: "bring in what was made elsewhere", Commands: []*cli.Command{importOrganizationCommand(), {
		Name: "decisions", Usage: "make closed decisions from files of votes, and print their URLs", ArgsUsage: "FILE…",
		Description: "It reads Debian's votes (JSON), ranked and STAR examples (JSON) and ranked-choice " +
			"ballots (CSV with count,rank1,…).\n" +
			"If one file is not right, all are refused, with the place and the reason.",
		Flags: []cli.Flag{dataFlag(), orgFlag(),
			requiredFlag("studio", "the `HANDLE` of the studio"),
			requiredFlag("as", "the `HANDLE` of the member who imports"),
			textFlag("method", "how to count, where a file leaves it open: "+methodNames()), overvoteFlag(), skippedFlag()},
		Action: importDecisions,
	}}}
}

func importDecisions(ctx context.Context, cmd *cli.Command) error {
	if cmd.Args().Len() == 0 {
		return cli.Exit("name at least one file", exitUsage)
	}
	// All files are read first, so that one invalid file prevents the whole import.
	var files [][]byte
	for _, file := range cmd.Args().Slice() {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if _, err := tally.Read(filepath.Base(file), bytes.NewReader(data)); err != nil {
			return cli.Exit(err.Error(), exitUsage)
		}
		files = append(files, data)
	}
	return withSite(ctx, cmd, func(site *web.Site) error {
		by, err := site.Person(ctx, cmd.String("org"), cmd.String("as"))
		if err != nil {
			return refused(err)
		}
		for i, file := range cmd.Args().Slice() {
			urls, err := site.ImportDecisions(ctx, by, cmd.String("studio"), web.Votes{
				Name: filepath.Base(file), Data: files[i], Method: cmd.String("method"),
				Overvote: cmd.String("overvote"), Skipped: cmd.String("skipped"),
			})
			if err != nil {
				return refused(err)
			}
			for _, u := range urls {
				fmt.Fprintln(cmd.Root().Writer, u)
			}
		}
		return nil
	})
}

func overvoteFlag() *cli.StringFlag {
	return textFlag("overvote", "what several options at one rank do in an instant runoff: "+tally.Overvotes.String())
}

func skippedFlag() *cli.StringFlag {
	return textFlag("skipped", "what ranks left blank do in an instant runoff: "+tally.SkippedRanks.String())
}

func methodNames() string {
	names := make([]string, len(tally.Methods()))
	for i, m := range tally.Methods() {
		names[i] = string(m)
	}
	return strings.Join(names, ", ")
}

func tallyCommand() *cli.Command {
	return &cli.Command{
		Name: "tally", Usage: "count a file of votes, without a database", ArgsUsage: "FILE",
		Flags: []cli.Flag{textFlag("method", "how to count: "+methodNames()+"; the file's own if it names one"),
			overvoteFlag(), skippedFlag(), jsonFlag()},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.Args().Len() != 1 {
				return cli.Exit("name one file", exitUsage)
			}
			return countFile(cmd, cmd.Args().First())
		},
	}
}

func countFile(cmd *cli.Command, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	votes, err := tally.Read(filepath.Base(file), bytes.NewReader(data))
	if err != nil {
		return cli.Exit(err.Error(), exitUsage)
	}
	var reports []tally.Report
	for _, v := range votes {
		v.Rules.Reading = tally.Reading{Overvote: cmd.String("overvote"), Skipped: cmd.String("skipped")}
		result, err := v.Count(tally.Method(cmd.String("method")))
		if err != nil {
			return cli.Exit(err.Error(), exitUsage)
		}
		reports = append(reports, result.Report(v))
	}
	out := cmd.Root().Writer
	switch {
	case cmd.Bool("json") && len(reports) == 1:
		return printJSON(out, reports[0])
	case cmd.Bool("json"):
		return printJSON(out, reports)
	}
	for _, r := range reports {
		read := ""
		if r.Reading != nil {
			read = " " + r.Reading.Sentence()
		}
		fmt.Fprintf(out, "%s: %s, %s (%s, %d ballots)%s\n", r.ID, r.Outcome,
			strings.Join(r.Winners, ", "), r.Method, r.Ballots, read)
	}
	return nil
}
