package seldom

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestALineThatRepeats writes the same line 5,000 times within some minutes, and once more after a pause. The log must
// have seven lines, and their counts must add up to the number of writes.
func TestALineThatRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		l := Log{To: slog.New(slog.NewTextHandler(&out, nil))}
		const times = 5000
		for range times {
			l.Warn("it failed", "n", 7)
			time.Sleep(40 * time.Millisecond)
		}
		l.Error("another")
		time.Sleep(3 * time.Minute)
		l.Warn("it failed", "n", "again")
		time.Sleep(3 * time.Minute)
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 7 || strings.Contains(lines[0], "times") || !strings.HasSuffix(lines[6], "n=again") {
			t.Errorf("%d lines:\n%s", len(lines), out.String())
		}
		sum := 0
		for _, line := range lines {
			n := 1
			if _, text, counted := strings.Cut(line, "times="); counted {
				fmt.Sscan(text, &n)
			}
			sum += n
		}
		if sum != times+2 {
			t.Errorf("the lines count %d, not %d:\n%s", sum, times+2, out.String())
		}
	})
}
