package seldom

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestALineThatRepeats writes the same line 5,000 times within some minutes, and once more after a pause.
func TestALineThatRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		l := Log{To: slog.New(slog.NewTextHandler(&out, nil))}
		for i := range 5000 {
			l.Warn("it failed", "n", i)
			time.Sleep(40 * time.Millisecond)
		}
		l.Error("another")
		time.Sleep(3 * time.Minute)
		l.Warn("it failed", "n", "again")
		time.Sleep(3 * time.Minute)
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		want := []string{"n=0", "times=1499 within=1m0s n=1499", "times=1500 within=1m0s n=2999", "times=1500", "another", "times=500",
			"n=again"}
		if len(lines) != len(want) {
			t.Fatalf("%d lines:\n%s", len(lines), out.String())
		}
		for i, line := range lines {
			if !strings.Contains(line, want[i]) {
				t.Errorf("line %d is %s, without %q", i, line, want[i])
			}
		}
	})
}
