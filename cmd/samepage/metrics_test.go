package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"samepage/store"
	"samepage/web"
	"samepage/web/metric"
)

// TestMetricsAreForTheOperator requests metrics and profiles with and without the token, at both addresses. At the main
// address a request without the right token gets the same answer as if there were no metrics.
func TestMetricsAreForTheOperator(t *testing.T) {
	st, err := store.Open(t.Context(), t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	set := metric.New(metric.Build{Version: "test"})
	site, err := web.New(t.Context(), st, web.Config{Origin: "https://team.example", Metrics: set})
	if err != nil {
		t.Fatal(err)
	}
	const token = "0123456789abcdef"
	main, off := withMetrics(set, token, handler(site, "https://team.example")), withMetrics(nil, "", handler(site, ""))
	own, open := operatorsHandler(set, token), operatorsHandler(set, "")
	for _, c := range []struct {
		name          string
		h             http.Handler
		path, sent    string
		status        int
		says, saysNot string
	}{
		{"main", main, "/metrics", "Bearer " + token, 200, "samepage_build_info{", "sign"},
		{"main, another token", main, "/metrics", "Bearer 0123456789abcdee", 401, "", "samepage_"},
		{"main, no token", main, "/metrics", "", 303, "", "samepage_"},
		{"main, profiles", main, "/debug/pprof/heap", "Bearer " + token, 401, "", "samepage_"},
		{"off", off, "/metrics", "", 303, "", "samepage_"},
		{"own", own, "/metrics", "bearer " + token, 200, "go_goroutines", "sign"},
		{"own, no token", own, "/metrics", "", 401, "--metrics-token", "go_goroutines"},
		{"own, profile, no token", own, "/debug/pprof/goroutine?debug=1", "", 401, "", "goroutine profile"},
		{"open, profile", open, "/debug/pprof/goroutine?debug=1", "", 200, "goroutine profile", "sign"},
		{"open, command line", open, "/debug/pprof/cmdline", "", 404, "", "samepage"},
		{"open, a page", open, "/", "", 404, "", "samepage"},
	} {
		r := httptest.NewRequest("GET", "https://team.example"+c.path, nil)
		if c.sent != "" {
			r.Header.Set("Authorization", c.sent)
		}
		rec := httptest.NewRecorder()
		c.h.ServeHTTP(rec, r)
		if body := rec.Body.String(); rec.Code != c.status || !strings.Contains(body, c.says) || strings.Contains(body, c.saysNot) {
			t.Errorf("%s: %d %.300s", c.name, rec.Code, body)
		}
	}
}

// TestMetricsRefuseStrangers starts servers whose metrics other machines could read. These servers must refuse to
// start.
func TestMetricsRefuseStrangers(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, c := range []struct {
		code int
		args []string
		says string
	}{
		{exitUsage, []string{"--metrics-listen", "0.0.0.0:9090"}, "--metrics-token"},
		{exitUsage, []string{"--metrics-listen", ":9090"}, "--metrics-token"},
		{exitUsage, []string{"--metrics-listen", "9090"}, "127.0.0.1:9090"},
		{exitUsage, []string{"--metrics-token", "short"}, "at least 16 characters"},
		{exitFailed, []string{"--metrics-listen", taken.Addr().String()}, "another address with --metrics-listen"},
	} {
		out, code := runCommand(t, append([]string{"serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0"},
			c.args...)...)
		if code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("%s: %d %s", c.args, code, out)
		}
	}
}
