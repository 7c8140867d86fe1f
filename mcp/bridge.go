package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Bridge returns a handler for Stdio that forwards each request to the server at baseURL, which has only a scheme and a
// host. The scheme must be https unless the host is this machine, since requests carry a token. The handler
// passes redirects on. It answers with status 503 if no connection was made, and with 502 if the request may have
// arrived.
func Bridge(baseURL string) (http.Handler, error) {
	base, err := url.Parse(strings.TrimSuffix(strings.TrimSpace(baseURL), "/"))
	if err != nil {
		return nil, fmt.Errorf("read the server's URL: %w", err)
	}
	if base.Host == "" || base.Path != "" || base.RawQuery != "" || base.Fragment != "" || base.User != nil {
		return nil, fmt.Errorf("%q is not the URL of a server: give its scheme and host, such as "+
			"https://samepage.example.com", baseURL)
	}
	if base.Scheme != "https" && (base.Scheme != "http" || !isLoopback(base.Host)) {
		return nil, fmt.Errorf("%q would send the token unprotected: use https, or http on this machine", baseURL)
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	t.TLSHandshakeTimeout = 10 * time.Second
	t.ResponseHeaderTimeout = patience
	t.MaxIdleConnsPerHost = 16
	return &bridge{base: base, client: &http.Client{
		Transport: t,
		Timeout:   patience,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}, nil
}

type bridge struct {
	base   *url.URL
	client *http.Client
}

func (b *bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	to := b.base.String() + r.URL.RequestURI()
	req, err := http.NewRequestWithContext(r.Context(), r.Method, to, r.Body)
	if err != nil {
		refuse(w, r, http.StatusServiceUnavailable, "That URL cannot be asked for.")
		return
	}
	req.ContentLength = r.ContentLength
	for _, name := range []string{"Accept", "Authorization", "Content-Type", "Prefer",
		"Samepage-Call-Id", "User-Agent"} {
		if v := r.Header.Get(name); v != "" {
			req.Header.Set(name, v)
		}
	}
	res, err := b.client.Do(req)
	if err != nil {
		b.unreached(w, r, err)
		return
	}
	defer res.Body.Close()
	// The whole answer is read first, so that a broken connection cannot look like a complete answer.
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		b.unreached(w, r, err)
		return
	}
	for _, name := range []string{"Content-Type", "Location", "Retry-After"} {
		if v := res.Header.Get(name); v != "" {
			w.Header().Set(name, v)
		}
	}
	w.WriteHeader(res.StatusCode)
	w.Write(body)
}

func (b *bridge) unreached(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusBadGateway
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		status = http.StatusServiceUnavailable
	}
	refuse(w, r, status, "The server at "+b.base.String()+" cannot be reached. Check that it runs, then try again.")
}

// refuse answers with an error sentence, in JSON if the request accepts only JSON, and otherwise in Markdown.
func refuse(w http.ResponseWriter, r *http.Request, status int, sentence string) {
	if r.Header.Get("Accept") != "application/json" {
		w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
		w.WriteHeader(status)
		io.WriteString(w, sentence)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"code": "unavailable", "message": sentence}})
}
