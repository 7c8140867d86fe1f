package webtest

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"samepage/actions/param"
)

// Headers of [RequestBody] that name the media type of the body.
const (
	FormMedia = "Content-Type: application/x-www-form-urlencoded"
	JSONMedia = "Content-Type: application/json"
)

// Request sends a request without a body, with headers such as "Accept: text/html".
func Request(c *Client, method, target string, headers ...string) *Response {
	return RequestBody(c, method, target, "", headers...)
}

// RequestBody sends a request with a body, with headers such as "Accept: text/html". The request line has the
// target as it is given.
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

// Main returns the beginning of the content of a page in HTML, for the message of a failure.
func Main(body string) string {
	if i := strings.Index(body, "<main"); i >= 0 {
		body = body[i:]
	}
	return fmt.Sprintf("%.1500s", body)
}

// Problem is an error in JSON.
type Problem struct {
	Error struct {
		Code, Message string
		Fields        []param.Error
		Actions       []string
		Next          []struct{ Title, URL string }
	}
	Page string
}

// ProblemOf reads an error in JSON.
func ProblemOf(t *testing.T, r *Response) Problem {
	t.Helper()
	var p Problem
	if err := json.Unmarshal([]byte(r.Body), &p); err != nil {
		t.Errorf("%d is not JSON: %v\n%s", r.Status, err, r.Body)
	}
	return p
}
