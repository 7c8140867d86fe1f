package main

import (
	"net"
	"net/http"
	"sync/atomic"
)

// keptOpen is how many connections wait for another request. An idle one takes about 20 KB.
const keptOpen = 4096

// keepOpen bounds how many connections stay open between requests: while there are more, each is closed with its answer, and
// whoever asks again connects again.
func keepOpen(server *http.Server, most int64) {
	var open atomic.Int64
	server.ConnState = func(_ net.Conn, s http.ConnState) {
		switch s {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed, http.StateHijacked:
			open.Add(-1)
		}
	}
	next := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if open.Load() > most {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
