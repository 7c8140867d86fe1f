package hook_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/store/governance"
	"samepage/store/notice"
	"samepage/web"
	"samepage/web/webtest"
)

// TestWebhookAddresses checks that nothing is sent to the server's own network unless the operator allows it, and that
// addresses without a clear meaning are refused.
func TestWebhookAddresses(t *testing.T) {
	w := newWorld(t)
	r := listen(t)
	url, _ := add(t, w, param.Input{"address": strings.Replace(r.URL, "127.0.0.1", "localhost", 1)})
	sender(t, w)()
	if n := len(r.all()); n != 0 {
		t.Errorf("%d events reach the own machine", n)
	}
	if page := w.As("alice").Get(url, "text/markdown").Body; !strings.Contains(page, "not port 443 on the public internet") {
		t.Errorf("the log does not say why:\n%s", page)
	}
	for _, bad := range []string{"ftp://example.org", "example.org", "https://a:b@example.org/", "https://example.org/#x", "https:///x"} {
		a := w.As("alice").PostJSON("/orgs/acme/webhooks", "create_webhook", param.Input{"address": bad})
		if a.Status != http.StatusBadRequest && a.Status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", bad, a.Status, a.Body)
		}
	}
	for i := range 17 { // besides the webhook above and those of the test world
		add(t, w, param.Input{"address": fmt.Sprint("https://example.org/", i)})
	}
	if a := w.As("alice").PostJSON("/orgs/acme/webhooks", "create_webhook",
		param.Input{"address": "https://example.org"}); a.Status != http.StatusConflict {
		t.Errorf("one too many: %d %s", a.Status, a.Body)
	}
}

// TestAddressesAreRefusedAtOnce checks that an address to which nothing is ever sent is refused when somebody writes
// it, with the words of the log of deliveries, unless the operator allows it.
func TestAddressesAreRefusedAtOnce(t *testing.T) {
	const where = "is not port 443 on the public internet, and the operator has not allowed it (--outgoing-allow)"
	never := []string{"https://127.0.0.1/x", "https://localhost/x", "https://A.localhost./x", "https://[::1]/x",
		"https://10.1.2.3/x", "https://192.168.0.9/x", "https://169.254.169.254/latest", "https://[fe80::1]/x",
		"https://[fd00::1]/x", "https://0.0.0.0/x",
		"https://[::ffff:10.1.2.3]/x", "https://100.64.0.1/x", "http://93.184.216.34/x", "https://93.184.216.34:8443/x",
		"http://hooks.example.org/x", "https://hooks.example.org:8443/x"}
	some := []string{"https://hooks.example.org/x", "https://93.184.216.34/x",
		"https://[2606:2800:220:1:248:1893:25c8:1946]/x"}
	inside := webtest.New(t, func(c *web.Config) {
		c.Documents.Allow = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	})
	for _, c := range []struct {
		w             *webtest.World
		refused, open []string
	}{
		{webtest.New(t), never, some},
		{inside, []string{"https://127.0.0.1/x", "https://192.168.0.9/x", "http://93.184.216.34/x"},
			append(some, "http://10.1.2.3:8080/x", "https://[::ffff:10.1.2.3]/x", "http://localhost:3000/x",
				"http://hooks.acme.internal/x")},
	} {
		for at, name := range map[string]string{"/orgs/acme/webhooks": "create_webhook",
			c.w.URL("webhook active"): "update_webhook", governance.OwnWebhookURL: "change_address"} {
			who := "alice"
			if at == governance.OwnWebhookURL {
				who = "bob"
			}
			for _, address := range c.refused {
				a := c.w.As(who).PostJSON(at, name, param.Input{"address": address})
				if a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, "It "+where+". Write an address") {
					t.Errorf("%s to %s: %d %.300s", name, address, a.Status, a.Body)
				}
			}
			for _, address := range c.open {
				if a := c.w.As(who).PostJSON(at, name, param.Input{"address": address}); a.Status != http.StatusOK {
					t.Errorf("%s to %s: %d %.300s", name, address, a.Status, a.Body)
				}
			}
		}
		a := c.w.As("carol").PostJSON(notice.SettingsURL, "set_webhook", param.Input{"address": "https://127.0.0.1/x"})
		if a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, "It "+where+". Write an address") {
			t.Errorf("set_webhook: %d %.300s", a.Status, a.Body)
		}
	}
}
