package main

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"runtime"
	"strings"

	"github.com/urfave/cli/v3"

	"samepage/web/metric"
)

func metricsFlags() []cli.Flag {
	return []cli.Flag{
		textFlag("metrics-listen",
			"an `ADDRESS` of its own for /metrics and Go's profiles at /debug/pprof/, such as 127.0.0.1:9090; "+
				"one that other machines reach needs --metrics-token"),
		secretFlag("metrics-token",
			"the bearer `TOKEN` that reads /metrics, also at the main address; at least 16 characters"),
	}
}

// leastToken is the minimum length of the token, in characters.
const leastToken = 16

// metricSet returns nil if metrics are off, and an error if the flags are wrong or would let strangers read the
// metrics.
func metricSet(cmd *cli.Command) (*metric.Set, error) {
	listen, token := cmd.String("metrics-listen"), cmd.String("metrics-token")
	if token != "" && len(token) < leastToken {
		return nil, cli.Exit(fmt.Sprintf("--metrics-token: it is too short to keep strangers out; use at least %d characters",
			leastToken), exitUsage)
	}
	if listen != "" {
		addr, err := net.ResolveTCPAddr("tcp", listen)
		if err != nil {
			return nil, cli.Exit(fmt.Sprintf("--metrics-listen %s: write an address and a port, such as 127.0.0.1:9090",
				listen), exitUsage)
		}
		if !addr.IP.IsLoopback() && token == "" {
			return nil, cli.Exit(fmt.Sprintf("--metrics-listen %s: other machines reach that address. Add --metrics-token, or "+
				"listen on 127.0.0.1:%d", listen, addr.Port), exitUsage)
		}
	}
	if listen == "" && token == "" {
		return nil, nil
	}
	return metric.New(metric.Build{
		Version:  buildVersion(),
		Revision: buildSetting("vcs.revision"),
		Tags:     buildSetting("-tags"),
		Go:       runtime.Version(),
	}), nil
}

// withMetrics serves /metrics to requests with the token. All other requests go to h, as if metrics were off.
func withMetrics(set *metric.Set, token string, h http.Handler) http.Handler {
	if set == nil || token == "" {
		return h
	}
	scrape := set.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/metrics" && bears(r, token) {
			scrape.ServeHTTP(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// bears reports whether a request has the token. The comparison takes constant time.
func bears(r *http.Request, token string) bool {
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	want, got := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(strings.TrimSpace(given)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

// operatorsHandler serves the metrics and the profiles of the process. The command line is left out, because it may
// contain secrets.
func operatorsHandler(set *metric.Set, token string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", set.Handler())
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", http.NotFound)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token != "" && !bears(r, token) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "Send the token of --metrics-token in the Authorization header, as Bearer.",
				http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// serveMetrics serves the set at the address of --metrics-listen, if given, until stop is called.
func serveMetrics(set *metric.Set, cmd *cli.Command) (stop func(), err error) {
	if cmd.String("metrics-listen") == "" {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", cmd.String("metrics-listen"))
	if err != nil {
		return nil, fmt.Errorf("%w: choose another address with --metrics-listen", err)
	}
	fmt.Fprintf(cmd.Root().Writer, "Metrics are at http://%s/metrics.\n", listener.Addr())
	return serveBeside(listener, operatorsHandler(set, cmd.String("metrics-token"))), nil
}
