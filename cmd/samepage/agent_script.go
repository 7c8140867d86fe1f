package main

import (
	"context"
	"fmt"
	"os"

	"github.com/urfave/cli/v3"

	"samepage/actions/effect/runner/script"
)

const exitCrashed = 70

func agentScriptCommand() *cli.Command {
	return &cli.Command{
		Name:      "agent-script",
		Usage:     "an agent without a model, for tests and demonstrations: it does what a file says, over stdio",
		ArgsUsage: "FILE",
		Description: "It speaks the Agent Client Protocol, version 1, over standard input and output, and calls navigate and\n" +
			"execute_action on the MCP server that its client names.\n\n" + script.Help(),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.Args().Len() != 1 {
				return cli.Exit("name one file with a script; see samepage agent-script --help", exitUsage)
			}
			s, err := readScript(cmd.Args().First())
			if err != nil {
				return cli.Exit(err.Error(), exitUsage)
			}
			home, err := os.UserHomeDir()
			if err != nil {
				return err
			}
			return script.Run(ctx, s, script.Options{In: os.Stdin, Out: os.Stdout, Log: os.Stderr, Home: home,
				Version: buildVersion(), Crash: func() { os.Exit(exitCrashed) }})
		},
	}
}

func readScript(path string) (script.Script, error) {
	f, err := os.Open(path)
	if err != nil {
		return script.Script{}, err
	}
	defer f.Close()
	s, err := script.Read(f)
	if err != nil {
		return s, fmt.Errorf("%s, %w", path, err)
	}
	return s, nil
}
