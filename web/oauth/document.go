package oauth

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"samepage/store/credential"
	"samepage/web/outgoing"
)

// These are the limits of a client's metadata document (draft-ietf-oauth-client-id-metadata-document).
const (
	maxDocument     = 5 << 10 // bytes
	documentTime    = 3 * time.Second
	documentLife    = 10 * time.Minute // used if the server does not say how long
	maxDocumentLife = 24 * time.Hour
	maxDocuments    = 1000
)

// Documents configures the use of metadata documents. A client with such a document has the URL of the document as its
// ID, and this server fetches the document.
type Documents struct {
	On    bool
	Allow []netip.Prefix // addresses that documents may be fetched from besides the public internet, on any port
	Roots *x509.CertPool // certificate authorities to trust; nil for those of the system

	resolver *net.Resolver
}

type library struct {
	fetch *http.Client
	now   func() time.Time
	mu    sync.Mutex
	known map[string]document
}

type document struct {
	client credential.OAuthClient
	until  time.Time
}

func newLibrary(c Documents, now func() time.Time) *library {
	return &library{now: now, known: map[string]document{}, fetch: outgoing.New(outgoing.Options{
		Allow: c.Allow, Roots: c.Roots, Resolver: c.resolver, Dial: documentTime, Timeout: documentTime})}
}

func (l *library) client(ctx context.Context, id string) (*credential.OAuthClient, error) {
	if err := goodClientID(id); err != nil {
		return nil, err
	}
	l.mu.Lock()
	d, ok := l.known[id]
	l.mu.Unlock()
	if ok && l.now().Before(d.until) {
		return &d.client, nil
	}
	c, life, err := l.get(ctx, id)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.known) >= maxDocuments {
		clear(l.known)
	}
	l.known[id] = document{*c, l.now().Add(life)}
	return c, nil
}

func goodClientID(id string) error {
	u, err := url.Parse(id)
	if err != nil || len(id) > maxRedirect || u.Scheme != "https" || u.Host == "" || u.User != nil || u.Path == "" ||
		u.Path == "/" || strings.Contains(id, "#") ||
		strings.Contains(u.EscapedPath()+"/", "/./") || strings.Contains(u.EscapedPath()+"/", "/../") ||
		u.String() != id {
		return errors.New("the address is not one that a program can have for a name")
	}
	return nil
}

func (l *library) get(ctx context.Context, id string) (*credential.OAuthClient, time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, documentTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return nil, 0, errors.New("the address cannot be read")
	}
	req.Header.Set("Accept", "application/json")
	res, err := l.fetch.Do(req)
	if err != nil {
		if outgoing.Prohibited(err) {
			return nil, 0, errors.New("the address is not on the public internet")
		}
		return nil, 0, errors.New("it could not be fetched")
	}
	defer res.Body.Close()
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if res.StatusCode != http.StatusOK || media != "application/json" && !strings.HasSuffix(media, "+json") {
		return nil, 0, fmt.Errorf("the answer is %d and of type %q, not 200 and JSON", res.StatusCode, media)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxDocument+1))
	switch {
	case err != nil, ctx.Err() != nil:
		return nil, 0, errors.New("it could not be fetched in time")
	case len(body) > maxDocument:
		return nil, 0, errors.New("it is longer than 5 KB")
	}
	c, err := readDocument(id, body)
	return c, lifeOf(res.Header), err
}

func readDocument(id string, body []byte) (*credential.OAuthClient, error) {
	var d struct {
		metadata
		ID string `json:"client_id"`
	}
	switch err := json.Unmarshal(body, &d); {
	case err != nil:
		return nil, errors.New("it is not the JSON of a client")
	case d.ID != id:
		return nil, errors.New("its client_id is not the address it is at")
	case strings.TrimSpace(d.Name) == "":
		return nil, errors.New("client_name is missing")
	case d.AuthMethod != "" && d.AuthMethod != "none" || d.Secret != nil:
		return nil, errors.New("it has a secret, which a program that anybody can read cannot keep")
	}
	if err := d.check(); err != nil {
		if f, ok := errors.AsType[*fault](err); ok {
			err = errors.New(f.description)
		}
		return nil, err
	}
	return &credential.OAuthClient{ID: id, Name: d.Name, Redirects: d.Redirects, Verified: true}, nil
}

// lifeOf returns how long an answer may be cached, by its Cache-Control header.
func lifeOf(h http.Header) time.Duration {
	life := documentLife
	for directive := range strings.SplitSeq(h.Get("Cache-Control"), ",") {
		name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(directive)), "=")
		switch name {
		case "no-store", "no-cache":
			return 0
		case "max-age":
			if n, err := strconv.Atoi(strings.Trim(value, `"`)); err == nil {
				life = min(max(0, time.Duration(min(n, 1<<30))*time.Second), maxDocumentLife)
			}
		}
	}
	return life
}
