package mcp

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// TestLargeBatch sends batches over HTTP. A batch of more than 20 messages is refused as a whole.
func TestLargeBatch(t *testing.T) {
	h := Handler(newStub(), options())
	for n, refused := range map[int]bool{1: false, 20: false, 21: true, 5000: true} {
		body := " \n[" + strings.TrimSuffix(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"},`, n), ",") + "]"
		r := httptest.NewRequest("POST", "http://localhost:80/mcp", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Authorization", "Bearer "+alice)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if told := strings.Contains(w.Body.String(), "at most 20 messages"); told != refused {
			t.Errorf("a batch of %d is answered %d: %.200s", n, w.Code, w.Body)
		}
	}
}
