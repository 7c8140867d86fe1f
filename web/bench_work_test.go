package web_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"samepage/e2e/bench/world"
)

// BenchmarkWorkPages measures pages about the work of agents, as markdown for an agent and as HTML for a person. If
// SAMEPAGE_BENCH_WORLDS is a folder, it also measures them with 1,000 sessions and 5,000,000 events. Gate 19 of the
// command bench uses the same worlds.
func BenchmarkWorkPages(b *testing.B) {
	sizes := [][2]int{{}}
	if os.Getenv("SAMEPAGE_BENCH_WORLDS") != "" {
		sizes = append(sizes, [2]int{world.SessionsAtWork, world.TurnsEach})
	}
	for _, n := range sizes {
		folder := b.TempDir()
		if worlds := os.Getenv("SAMEPAGE_BENCH_WORLDS"); worlds != "" {
			folder = filepath.Join(worlds, fmt.Sprintf("work-%d-%d", n[0], n[1]))
		}
		v, err := world.MakeWork(b.Context(), folder, n[0], n[1])
		if err != nil {
			b.Fatal(err)
		}
		s := newBenchSite(b, &world.World{Folder: v.Folder, Token: v.Token})
		cookie := signIn(b, s)
		for name, path := range map[string]string{"session": v.Pages[5],
			"turn": v.Pages[5] + "/turns/3", "board": v.Board,
			"studio": "/studios/" + world.Studio, "home": "/", "inbox": "/inbox"} {
			for form, r := range map[string]*http.Request{
				"markdown": asked("GET", path, "", "Accept", "text/markdown",
					"Authorization", "Bearer "+v.Token),
				"HTML": asked("GET", path, "", "Accept", "text/html", "Cookie", cookie),
			} {
				b.Run(fmt.Sprintf("%d sessions/%s/%s", v.Sessions, name, form), func(b *testing.B) {
					p := newPaper()
					s.statements.Store(0)
					b.ReportAllocs()
					for b.Loop() {
						if status := p.ask(s, r); status != http.StatusOK {
							b.Fatal(status, p.String())
						}
					}
					s.report(b)
					b.ReportMetric(float64(p.Len()), "bytes")
				})
			}
		}
	}
}
