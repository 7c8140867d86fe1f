package clients

import (
	"bufio"
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestThreeHundredTabs opens 300 event streams about one page over HTTP, and changes the page three times. Each
// stream gets each change. The log has the times from a change to the first and to the last event.
func TestThreeHundredTabs(t *testing.T) {
	w := newWorld(t)
	at := w.standups()
	const tabs, changes = 300, 3
	told := make(chan time.Time, tabs*changes)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var opened, ended sync.WaitGroup
	client := &http.Client{Transport: &http.Transport{}}
	for range tabs {
		opened.Add(1)
		ended.Go(func() {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url+at+"?since=0", nil)
			if err != nil {
				t.Error(err)
				opened.Done()
				return
			}
			req.Header = http.Header{"Accept": {"text/event-stream"}, "Authorization": {"Bearer " + w.token("Scout")}}
			resp, err := client.Do(req)
			if err != nil || resp.StatusCode != 200 {
				t.Errorf("%v %v", resp, err)
				opened.Done()
				return
			}
			defer resp.Body.Close()
			seen := 0
			for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
				if lines.Text() != "data: changed" {
					continue
				}
				if seen++; seen == 1 { // the first event has the present version
					opened.Done()
				} else {
					told <- time.Now()
				}
			}
		})
	}
	opened.Wait()
	for i := range changes {
		time.Sleep(1500 * time.Millisecond) // longer than the minimum time between two events
		begun := time.Now()
		w.says("Scribe", at, "Change "+strings.Repeat("I", i+1))
		answered := time.Since(begun)
		var times []time.Duration
		for range tabs {
			select {
			case at := <-told:
				times = append(times, at.Sub(begun))
			case <-time.After(20 * time.Second):
				t.Fatalf("change %d: %d of %d tabs were told", i+1, len(times), tabs)
			}
		}
		t.Logf("change %d: answered after %v; the first tab is told after %v, the median after %v, the last after %v", i+1,
			answered.Round(time.Millisecond), slices.Min(times).Round(time.Millisecond),
			times[tabs/2].Round(time.Millisecond), slices.Max(times).Round(time.Millisecond))
	}
	cancel()
	ended.Wait()
}
