package webtest

import (
	"testing"
	"time"
)

func TestWorld(t *testing.T) {
	begin := time.Now()
	w := New(t)
	t.Logf("made in %v", time.Since(begin))
	begin = time.Now()
	New(t)
	t.Logf("copied in %v", time.Since(begin))
	for name, want := range map[string]int{"bob": 200, "scout": 200, "carol": 404, "oscar": 404, "anonymous": 401,
		"revoked": 401, "expired": 401} {
		if got := w.As(name).Get(w.URL("standups"), "text/markdown"); got.Status != want {
			t.Errorf("%s reads standups: %d, want %d\n%s", name, got.Status, want, got.Body)
		}
	}
}
