package main

import (
	"context"
	"fmt"

	docs "github.com/urfave/cli-docs/v3"
	"github.com/urfave/cli/v3"
)

func manCommand() *cli.Command {
	return &cli.Command{
		Name:  "man",
		Usage: "print the manual page: samepage man > /usr/local/share/man/man1/samepage.1",
		Action: func(_ context.Context, cmd *cli.Command) error {
			text, err := docs.ToManWithSection(cmd.Root(), 1)
			if err != nil {
				return fmt.Errorf("write the manual page: %w", err)
			}
			_, err = fmt.Fprint(cmd.Root().Writer, text)
			return err
		},
	}
}

// completion shows the command for shell completion in the help, where package cli hides it.
func completion(cmd *cli.Command) {
	cmd.Hidden = false
	cmd.Usage = "print the completions of a shell, bash, zsh, fish or pwsh: samepage completion bash > /etc/bash_completion.d/samepage"
}
