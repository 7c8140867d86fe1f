package web_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"samepage/e2e/bench/world"
	"samepage/mcp"
	"samepage/store"
	"samepage/web"
)

// These benchmarks send requests to a site within the process. If SAMEPAGE_BENCH_WORLDS is a folder, they use a
// database with a million rows, and also measure a decision with 80,101 ballots and 10,000 comments. Making that
// database takes a minute, but only once.

type benchSite struct {
	store *store.Store
	*web.Site
	world      *world.World
	statements atomic.Int64
}

// benchWorld returns the database to measure. No benchmark may change it.
func benchWorld(b *testing.B) *world.World {
	b.Helper()
	folder, rows := b.TempDir(), 1000
	if worlds := os.Getenv("SAMEPAGE_BENCH_WORLDS"); worlds != "" {
		rows = 1_000_000
		folder = filepath.Join(worlds, fmt.Sprintf("world-%d", rows))
	}
	w, err := world.Make(b.Context(), folder, rows, rows > 1000)
	if err != nil {
		b.Fatal(err)
	}
	return w
}

func newBenchSite(b *testing.B, w *world.World) *benchSite {
	b.Helper()
	st, err := store.Open(b.Context(), w.Folder, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	ballast := make([]byte, 32<<20) // the server allocates the same ballast
	b.Cleanup(func() { st.Close(); runtime.KeepAlive(&ballast) })
	s := &benchSite{store: st, world: w}
	s.Site, err = web.New(b.Context(), st,
		web.Config{Unlimited: true, Observe: func(_ string, n int) { s.statements.Add(int64(n)) }})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// decisions returns the paths of the decisions to measure.
func (s *benchSite) decisions() map[string]string {
	list := map[string]string{"8 ballots": s.world.Small}
	if s.world.Large != "" {
		list["80,101 ballots"] = s.world.Large
	}
	return list
}

// report adds to the results of a benchmark the number of SQL statements per operation, counted since the last
// reset.
func (s *benchSite) report(b *testing.B) {
	b.ReportMetric(float64(s.statements.Load())/float64(b.N), "queries/op")
}

// paper is a response in memory that is reused for many requests.
type paper struct {
	header http.Header
	status int
	bytes.Buffer
}

func (p *paper) Header() http.Header    { return p.header }
func (p *paper) WriteHeader(status int) { p.status = status }

func (p *paper) ask(h http.Handler, r *http.Request) int {
	clear(p.header)
	p.status = http.StatusOK
	p.Reset()
	h.ServeHTTP(p, r)
	return p.status
}

func newPaper() *paper { return &paper{header: http.Header{}} }

// asked makes a request. The headers are pairs of a name and a value.
func asked(method, path, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host, r.RemoteAddr = "localhost", "127.0.0.1:4711"
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func signIn(b *testing.B, s *benchSite) string {
	form := url.Values{"email": {world.Email}, "password": {world.Password}}.Encode()
	p := newPaper()
	if status := p.ask(s, asked("POST", "/login", form, "Content-Type",
		"application/x-www-form-urlencoded")); status != http.StatusSeeOther {
		b.Fatal("login: ", status, p.String())
	}
	cookie, _, _ := strings.Cut(p.header.Get("Set-Cookie"), ";")
	return cookie
}

func BenchmarkDecisionPage(b *testing.B) {
	s := newBenchSite(b, benchWorld(b))
	agent, person := []string{"Authorization", "Bearer " + s.world.Token}, []string{"Cookie", signIn(b, s)}
	for size, path := range s.decisions() {
		for _, form := range []struct {
			name    string
			headers []string
			status  int
		}{
			{"markdown", append([]string{"Accept", "text/markdown"}, agent...), http.StatusOK},
			{"HTML", append([]string{"Accept", "text/html"}, person...), http.StatusOK},
			{"JSON", append([]string{"Accept", "application/json"}, agent...), http.StatusOK},
			{"unchanged", append([]string{"Accept", "text/markdown"}, agent...), http.StatusNotModified},
		} {
			b.Run(size+"/"+form.name, func(b *testing.B) {
				p := newPaper()
				r := asked("GET", path, "", form.headers...)
				s.statements.Store(0)
				b.ReportAllocs()
				for b.Loop() {
					status := p.ask(s, r)
					if form.status == http.StatusNotModified && status == http.StatusOK {
						// sends the ETag of the last answer; the page gets a new one each minute
						r.Header["If-None-Match"] = p.header["Etag"]
					} else if status != form.status {
						b.Fatal(status, p.String())
					}
				}
				s.report(b)
				b.ReportMetric(float64(p.Len()), "bytes")
			})
		}
	}
}

// BenchmarkRandomPage measures pages that were not requested recently.
func BenchmarkRandomPage(b *testing.B) {
	s := newBenchSite(b, benchWorld(b))
	p, n := newPaper(), 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		r := asked("GET", s.world.Closed[n%len(s.world.Closed)], "", "Accept", "text/markdown", "Authorization",
			"Bearer "+s.world.Token)
		if status := p.ask(s, r); status != http.StatusOK {
			b.Fatal(status, p.String())
		}
	}
	s.report(b)
}

func BenchmarkNavigate(b *testing.B) {
	s := newBenchSite(b, benchWorld(b))
	h := mcp.Handler(s, mcp.Options{Authenticate: s.Authenticate, HostAllowed: s.HostAllowed, Bounded: s.Bounded,
		Resolve: s.Resolve, Origin: "http://localhost", Version: "bench"})
	const protocol = "2026-07-28"
	headers := []string{"Authorization", "Bearer " + s.world.Token, "Content-Type", "application/json", "Accept",
		"application/json, text/event-stream",
		"MCP-Protocol-Version", protocol, "Mcp-Method", "tools/call", "Mcp-Name", "navigate"}
	for size, path := range s.decisions() {
		body := fmt.Sprintf(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"navigate","arguments":{"url":%q},"_meta":{`+
				`"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{}}}}`,
			path, protocol)
		b.Run(size+"/in process", func(b *testing.B) {
			p := newPaper()
			s.statements.Store(0)
			b.ReportAllocs()
			for b.Loop() {
				if status := p.ask(h, asked("POST", "/mcp", body, headers...)); status != http.StatusOK {
					b.Fatal(status, p.String())
				}
			}
			s.report(b)
		})
		b.Run(size+"/over HTTP", func(b *testing.B) {
			server := httptest.NewServer(h)
			defer server.Close()
			s.statements.Store(0)
			b.ReportAllocs()
			for b.Loop() {
				r := asked("POST", server.URL+"/mcp", body, headers...)
				r.RequestURI = ""
				answer, err := server.Client().Do(r)
				if err != nil {
					b.Fatal(err)
				}
				n, _ := io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
				if answer.StatusCode != http.StatusOK || n == 0 {
					b.Fatal(answer.Status)
				}
			}
			s.report(b)
		})
	}
}

func BenchmarkCastVote(b *testing.B) {
	copied, err := benchWorld(b).Copy(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	s := newBenchSite(b, copied)
	for size, path := range s.decisions() {
		for _, writers := range []int{1, 16} {
			b.Run(fmt.Sprintf("%s/%d writers", size, writers), func(b *testing.B) { castVotes(b, s, path, writers) })
		}
	}
}

// castVotes casts b.N ballots on the decision at the path. The parameter writers is the number of members who vote at
// the same time. A member votes again after the previous ballot is durable.
func castVotes(b *testing.B, s *benchSite, path string, writers int) {
	var n atomic.Int64
	var wg sync.WaitGroup
	s.statements.Store(0)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range writers {
		wg.Go(func() {
			p := newPaper()
			for {
				k := n.Add(1)
				if k > int64(b.N) {
					return
				}
				r := asked("POST", path+"/actions/cast_vote", fmt.Sprintf("accept=1&prefer=%d", 1+k%3),
					"Authorization", "Bearer "+s.world.Tokens[i],
					"Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
				if status := p.ask(s, r); status != http.StatusSeeOther {
					b.Error(status, p.String())
					return
				}
			}
		})
	}
	wg.Wait()
	s.report(b)
}

// BenchmarkStart measures the time from the start to the first answer.
func BenchmarkStart(b *testing.B) {
	folder := benchWorld(b).Folder
	for b.Loop() {
		st, err := store.Open(b.Context(), folder, store.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err = web.New(b.Context(), st, web.Config{}); err != nil {
			b.Fatal(err)
		}
		if err := st.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAuthority measures the lookup of the actor, the limits and all guards on the page of a decision, in percent
// of the rest of the page.
func BenchmarkAuthority(b *testing.B) {
	s := newBenchSite(b, benchWorld(b))
	limited, err := web.New(b.Context(), s.store, web.Config{})
	if err != nil {
		b.Fatal(err)
	}
	var by store.Actor
	// The benchmark must not reach a limit. A limit of 0 would mean that requests are not counted.
	if err := s.store.Write(b.Context(), func(tx *store.Tx) (err error) {
		if by, err = tx.ActorByToken(s.world.Token); err != nil {
			return err
		}
		o, err := tx.FindOrganization(by, by.Members[0].Org)
		if err != nil {
			return err
		}
		return tx.SetLimits(o, store.Limits{Token: [3]int{1 << 30, 1, 1}, Member: [3]int{1 << 30, 1, 1},
			Organization: [3]int{1 << 30, 1, 1}})
	}); err != nil {
		b.Fatal(err)
	}
	path := s.world.Small
	judge, err := s.Judge(b.Context(), by, path)
	if err != nil {
		b.Fatal(err)
	}
	r, p := asked("GET", path, "", "Accept", "text/markdown", "Authorization", "Bearer "+s.world.Token), newPaper()
	// Only the fastest run of each part counts, because it was disturbed least.
	asking, known, guards, page := time.Hour, time.Hour, time.Hour, time.Hour
	clocked := func(least *time.Duration, do func() error) {
		start := time.Now()
		if err := do(); err != nil {
			b.Fatal(err)
		}
		*least = min(*least, time.Since(start))
	}
	look := func(token string) func() error {
		return func() error { return limited.Look(b.Context(), token, by, path) }
	}
	for b.Loop() {
		for range 2 { // the parts run in turn, so that each finds the caches equally warm
			clocked(&asking, look(s.world.Token))
			clocked(&known, look(""))
		}
		clocked(&guards, func() error { judge(); return nil })
		clocked(&page, func() error { p.ask(limited, r); return nil })
	}
	cost := asking - known + guards
	b.ReportMetric(100*float64(cost)/float64(page-cost), "%authority")
	for unit, d := range map[string]time.Duration{"ns/page": page, "ns/identity": asking - known, "ns/guards": guards} {
		b.ReportMetric(float64(d), unit)
	}
}
