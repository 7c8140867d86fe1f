package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"
)

// logOf writes two entries to the log that these flags configure, and returns the log.
func logOf(t *testing.T, args ...string) (text string, err error) {
	t.Helper()
	var out bytes.Buffer
	cmd := &cli.Command{Flags: logFlags(), Action: func(_ context.Context, cmd *cli.Command) error {
		log, err := logger(cmd, &out)
		if err != nil {
			return err
		}
		log.Debug("small", "n", 1)
		log.Warn("large", "n", 2)
		return nil
	}, ExitErrHandler: func(context.Context, *cli.Command, error) {}}
	err = cmd.Run(t.Context(), append([]string{"serve"}, args...))
	return out.String(), err
}

// TestLogFlags writes entries in both formats and at several levels. Other formats and levels are refused.
func TestLogFlags(t *testing.T) {
	text, err := logOf(t, "--log-format", "json", "--log-level", "DEBUG")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	var entry struct {
		Msg, Level string
		N          int
	}
	if err != nil || len(lines) != 2 || json.Unmarshal([]byte(lines[1]), &entry) != nil || entry.Msg != "large" ||
		entry.Level != "WARN" || entry.N != 2 {
		t.Errorf("%v: %s", err, text)
	}
	if text, err := logOf(t); err != nil || !strings.Contains(text, "level=WARN msg=large n=2") || strings.Contains(text, "small") {
		t.Errorf("%v: %s", err, text)
	}
	for says, args := range map[string][]string{
		"text or json":                   {"--log-format", "xml"},
		"debug, info, warn or error":     {"--log-level", "loud"},
		"--access-log logs at the level": {"--access-log", "--log-level", "warn"},
	} {
		if _, err := logOf(t, args...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", args, err)
		}
	}
}
