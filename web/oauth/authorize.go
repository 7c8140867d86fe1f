package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"samepage/store"
	"samepage/store/credential"
)

// Request is a client's request to act for the person in front of the browser.
type Request struct {
	Client    *credential.OAuthClient
	Redirect  string
	Host      string // host of Redirect, with a port unless Local; for a private-use URI scheme, the scheme and a colon
	Local     bool   // Redirect leads to a program on the person's own machine
	Scopes    store.Set[store.Scope]
	Challenge string
	state     string
	issuer    string
}

// Away is a fault in a request that may be reported to the client. Anybody can register a client with an address of
// their choice, so the browser is redirected only if the person agrees.
type Away struct {
	*Request
	Reason string // the fault, as a clause for people
	URL    string // redirects the browser to the client with the error
}

func (a *Away) Error() string { return a.Reason }

// Authorization reads the client's request from the query of [AuthorizePath]. If the client or its redirect address is
// wrong, the error is [store.Invalid], which only the person sees, because no address in the request can be trusted.
// Any other fault is an [Away].
func (s *Server) Authorization(r *http.Request) (*Request, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, store.Errorf(store.Invalid,
			"This link cannot be read. Go back to the program that sent you here and start again.")
	}
	asked := &Request{issuer: s.Origin(r)}
	if len(query["client_id"]) != 1 || len(query["redirect_uri"]) > 1 {
		return nil, store.Errorf(store.Invalid,
			"This link does not say which program sent you. Go back to it and start again.")
	}
	if asked.Client, err = s.client(r.Context(), query.Get("client_id")); err != nil {
		return nil, err
	}
	if err := asked.setRedirect(query["redirect_uri"]); err != nil {
		return nil, err
	}
	if len(query["state"]) == 1 {
		asked.state = query.Get("state")
	}
	if err := asked.read(query, s.Resource(r)); err != nil {
		f, ok := errors.AsType[*fault](err)
		if !ok {
			return nil, err
		}
		return nil, &Away{asked, f.description, asked.refusal(f)}
	}
	return asked, nil
}

// setRedirect checks and sets the redirect address. A client with one registered address may leave it out of the
// request.
func (q *Request) setRedirect(named []string) error {
	if len(named) == 0 && len(q.Client.Redirects) == 1 {
		named = q.Client.Redirects
	}
	if len(named) == 0 || !goodRedirect(named[0]) ||
		!slices.ContainsFunc(q.Client.Redirects, func(known string) bool { return sameRedirect(known, named[0]) }) {
		return store.Errorf(store.Invalid, "This link would send the answer to an address that the program has not "+
			"registered. Do not go on; if you trust the program, start again from there.")
	}
	u, err := url.Parse(named[0])
	if err != nil {
		return err
	}
	q.Redirect, q.Host = named[0], u.Host
	if scheme := privateScheme(named[0]); scheme != "" {
		q.Host, q.Local = scheme+":", true
	} else if loopbackRedirect.MatchString(named[0]) {
		q.Host, q.Local = u.Hostname(), true
	}
	return nil
}

// challenge matches a SHA-256 hash in base64url.
var challenge = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

func (q *Request) read(query url.Values, resource string) error {
	p, err := singleValues(query)
	switch {
	case err != nil:
		return err
	case len(p["state"]) > 1000:
		return newFault(invalidRequest, "state is longer than 1000 characters")
	case p["response_type"] == "":
		return newFault(invalidRequest, "response_type is missing")
	case p["response_type"] != "code":
		return newFault(unsupportedReply, "response_type must be code")
	case p["response_mode"] != "" && p["response_mode"] != "query":
		return newFault(invalidRequest, "response_mode must be query")
	case p["request"] != "" || p["request_uri"] != "":
		return newFault(invalidRequest, "say it in parameters, not in a request object")
	case p["code_challenge"] == "" || p["code_challenge_method"] != "S256":
		return newFault(invalidRequest, "send a code_challenge, and S256 as code_challenge_method")
	case !challenge.MatchString(p["code_challenge"]):
		return newFault(invalidRequest, "code_challenge must be a SHA-256 in base64url, 43 characters")
	case p["resource"] != "" && p["resource"] != resource:
		return newFault(invalidTarget, "the only resource here is "+resource)
	}
	q.Challenge = p["code_challenge"]
	q.Scopes, err = requestedScopes(p["scope"])
	return err
}

// requestedScopes returns the requested scopes, the weakest first. Reading is always among them. Unknown scopes are
// left out, but a request for unknown scopes only is an error.
func requestedScopes(scope string) (store.Set[store.Scope], error) {
	words := strings.Fields(scope)
	list := store.Set[store.Scope]{store.ScopeRead}
	known := len(words) == 0
	for _, s := range store.Scopes() {
		if slices.Contains(words, string(s)) {
			known = true
			if s != store.ScopeRead {
				list = append(list, s)
			}
		}
	}
	if !known {
		return nil, newFault(invalidScope, "the scopes here are "+store.Set[store.Scope](store.Scopes()).String())
	}
	return list, nil
}

// Refused returns the URL that tells the client that the person has refused.
func (q *Request) Refused() string {
	return q.refusal(&fault{accessDenied, "The person said no."})
}

func (q *Request) refusal(f *fault) string {
	return q.answer(url.Values{"error": {f.code}, "error_description": {f.description}})
}

// Granted returns the URL that brings the code to the client.
func (q *Request) Granted(code string) string { return q.answer(url.Values{"code": {code}}) }

// answer returns the redirect address with the answer, the client's state and the issuer (RFC 9207) in its query.
func (q *Request) answer(says url.Values) string {
	if q.state != "" {
		says.Set("state", q.state)
	}
	says.Set("iss", q.issuer)
	return withParams(q.Redirect, says)
}

// Consent returns the person's consent to this request, with the rights in g.
func (q *Request) Consent(g store.Grant) credential.Consent {
	return credential.Consent{Client: q.Client, Grant: g, Redirect: q.Redirect, Host: q.Host, Challenge: q.Challenge}
}

// FormTarget returns the source that the form-action policy of the consent page must allow, so that the browser can
// follow the redirect to the client.
func (q *Request) FormTarget() string {
	u, err := url.Parse(q.Redirect)
	if err != nil {
		return ""
	}
	if strings.HasPrefix(u.Host, "[") || privateScheme(q.Redirect) != "" {
		return u.Scheme + ":" // a policy cannot name an IPv6 address or a private-use scheme with a host
	}
	return u.Scheme + "://" + u.Host
}

var errNoClient = store.Errorf(store.Invalid,
	"The program that sent you is not known here, or not any more. Go back to it and connect again.")

// hasDocument reports whether a client's ID is the URL of a metadata document.
func hasDocument(id string) bool { return strings.Contains(id, ":") }

// client returns the client with this ID. If the ID is a URL, the client is read from the document at that URL. For an
// unknown client the error is [store.Invalid].
func (s *Server) client(ctx context.Context, id string) (*credential.OAuthClient, error) {
	if hasDocument(id) {
		if s.documents == nil {
			return nil, errNoClient
		}
		c, err := s.documents.client(ctx, id)
		if err != nil {
			s.Log.Warn("the metadata document of a client cannot be used", "client", id, "error", err)
			return nil, store.Errorf(store.Invalid, "What the program says of itself at its address could not be "+
				"used: %s. Go back to it and connect in another way.", err)
		}
		return c, nil
	}
	var c *credential.OAuthClient
	err := s.Store.Read(ctx, func(tx *store.Tx) (err error) {
		c, err = credential.FindClient(tx, id)
		return err
	})
	if store.CodeOf(err) == store.NotFound {
		err = errNoClient
	}
	return c, err
}
