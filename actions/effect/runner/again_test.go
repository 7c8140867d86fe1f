package runner

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

// TestPauses counts the attempts within 59 seconds; an attempt at exactly 60 seconds would make the count uncertain.
// While a server cannot be reached at all, the pauses between attempts grow. If each attempt fails only after some
// time, for example behind a proxy that ends requests after a few seconds, the pauses stay short.
func TestPauses(t *testing.T) {
	for _, c := range []struct {
		took time.Duration
		want int
	}{{0, 6}, {2 * time.Second, 20}, {20 * time.Second, 3}} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), 59*time.Second)
			defer stop()
			n := 0
			r := &Runner{Config: Config{Log: slog.New(slog.DiscardHandler)}}
			r.again(ctx, func(context.Context) error {
				n++
				time.Sleep(c.took)
				return errors.New("the connection was cut")
			})
			if n != c.want {
				t.Errorf("%d attempts that take %s each, want %d", n, c.took, c.want)
			}
		})
	}
}
