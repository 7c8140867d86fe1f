package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"samepage/mcp"
	"samepage/web"
)

// run serves a handler and does the scheduled work of the site until ctx is done. Running requests then have
// stopTimeout to finish.
func run(ctx context.Context, site *web.Site, h http.Handler, listener net.Listener, s *security) error {
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      100 * time.Second,
		IdleTimeout:       60 * time.Second,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(slog.Default().Handler(), slog.LevelWarn),
	}
	server.RegisterOnShutdown(site.StopWaiting)
	keepOpen(server, keptOpen)
	clock, stopClock := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		site.Run(clock, scheduleTick)
	}()
	serve := func() error { return server.ServeTLS(listener, "", "") } // also offers HTTP/2
	if s == nil {
		whole := writeWhole(server, listener)
		serve = func() error { return server.Serve(whole) }
	} else {
		server.TLSConfig = s.config
	}
	failed := make(chan error, 1)
	go func() { failed <- serve() }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
		grace, cancel := context.WithTimeout(context.Background(), stopTimeout)
		err = server.Shutdown(grace)
		cancel()
	}
	stopClock()
	<-ended
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// serveBeside serves a second address until stop is called.
func serveBeside(listener net.Listener, h http.Handler) (stop func()) {
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       5 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(slog.Default().Handler(), slog.LevelWarn),
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		server.Serve(listener)
	}()
	return func() {
		grace, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(grace) != nil {
			server.Close()
		}
		<-ended
	}
}

func handler(site *web.Site, origin string) http.Handler {
	tools := mcp.Handler(site.FromTools(), mcp.Options{
		Authenticate: site.Authenticate,
		Challenge:    site.Challenge,
		StepUp:       site.StepUp,
		Bounded:      site.Bounded,
		Charge:       site.Charge,
		HostAllowed:  site.HostAllowed,
		Resolve:      site.Resolve,
		Origin:       strings.TrimSuffix(origin, "/"),
		Version:      buildVersion(),
	})
	tools = site.Place("/mcp", tools)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/mcp" {
			tools.ServeHTTP(w, r)
			return
		}
		site.ServeHTTP(w, r)
	})
}
