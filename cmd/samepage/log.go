package main

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/urfave/cli/v3"
)

func logFlags() []cli.Flag {
	return []cli.Flag{
		presetFlag("log-format", "how the log is written: `FORMAT` is text or json", "text"),
		presetFlag("log-level", "the least `LEVEL` that is logged: debug, info, warn or error", "info"),
		switchFlag("access-log",
			"log every request, at the level info: its id, page, status, size, time, and who asked; never tokens, "+
				"queries or bodies", false),
	}
}

func logger(cmd *cli.Command, out io.Writer) (*slog.Logger, error) {
	var level slog.Level
	text := cmd.String("log-level")
	if err := level.UnmarshalText([]byte(text)); err != nil {
		return nil, cli.Exit(fmt.Sprintf("--log-level takes debug, info, warn or error, not %q", text), exitUsage)
	}
	if cmd.Bool("access-log") && level > slog.LevelInfo {
		return nil, cli.Exit("--access-log logs at the level info: leave --log-level out, or choose info or debug",
			exitUsage)
	}
	o := &slog.HandlerOptions{Level: level}
	switch format := cmd.String("log-format"); format {
	case "text":
		return slog.New(slog.NewTextHandler(out, o)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(out, o)), nil
	default:
		return nil, cli.Exit(fmt.Sprintf("--log-format takes text or json, not %q", format), exitUsage)
	}
}
