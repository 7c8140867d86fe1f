package webtest

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"samepage/actions/param"
)

// These are headers for [RequestBody] that give the media type of the body.
const (
	FormMedia = "Content-Type: application/x-www-form-urlencoded"
	JSONMedia = "Content-Type: application/json"
)

// Request sends a request without a body, with headers such as "Accept: text/html".
func Request(c *Client, method, target string, headers ...string) *Response {
	return RequestBody(c, method, target, "", headers...)
}

// RequestBody sends a request with a body and with headers such as "Accept: text/html". The request line contains the
// target exactly as given.
func RequestBody(c *Client, method, target, body string, headers ...string) *Response {
	r := httptest.NewRequest(method, Origin+"/", strings.NewReader(body))
	to := httptest.NewRequest("GET", Origin+target, nil)
	r.URL, r.RequestURI = to.URL, target
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Add(name, value)
	}
	return c.Do(r)
}

// Main returns the first 1,500 characters of an HTML page's main content, for the message of a failed test.
func Main(body string) string {
	if i := strings.Index(body, "<main"); i >= 0 {
		body = body[i:]
	}
	return fmt.Sprintf("%.1500s", body)
}

// Problem is the JSON form of the site's errors.
type Problem struct {
	Error struct {
		Code, Message string
		Fields        []param.Error
		Actions       []string
		Next          []struct{ Title, URL string }
	}
	Page string
}

// ProblemOf reads an error from a response in JSON.
func ProblemOf(t *testing.T, r *Response) Problem {
	t.Helper()
	var p Problem
	if err := json.Unmarshal([]byte(r.Body), &p); err != nil {
		t.Errorf("%d is not JSON: %v\n%s", r.Status, err, r.Body)
	}
	return p
}
