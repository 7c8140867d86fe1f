package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v3"
)

//go:embed samepage.service
var unit string

func systemdCommand() *cli.Command {
	return &cli.Command{
		Name:  "systemd",
		Usage: "print a hardened unit for systemd, which runs this program as a user of its own",
		Action: func(_ context.Context, cmd *cli.Command) error {
			program, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find this program: %w", err)
			}
			_, err = fmt.Fprint(cmd.Root().Writer, strings.Replace(unit, "PROGRAM", program, 1))
			return err
		},
	}
}
