package clients

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"samepage/store/pgtest"
)

// as returns the email address and the password of a member of the demo.
func (w *world) as(member string) (email, password string) {
	w.t.Helper()
	for _, l := range w.demo.Logins {
		if l.Member == member {
			return l.Email, l.Password
		}
	}
	w.t.Fatalf("the demo has no login for %s", member)
	return "", ""
}

// TestFirefox tells in Firefox how a member signs in, reads, votes, comments, sees an agent's change, and navigates
// with keys. Another member does the same without scripts and by keyboard alone.
func TestFirefox(t *testing.T) {
	t.Parallel()
	story(t)
	pgtest.Folder(t, "it is about the browser")
	firefox := os.Getenv("SAMEPAGE_FIREFOX")
	if firefox == "" {
		firefox = "/usr/bin/firefox-esr"
	}
	w := newWorld(t)
	decision := w.overHTTP("Scout", w.token("Scout")).find("Which topics go on the agenda?")
	email, password := w.as("alice")
	other, _ := w.as("dave")
	res := runNode(t, "", "../clients/firefox.mjs", file(t, firefox), w.url, password, w.token("Scout"), decision,
		email, other)
	if res.code != 0 {
		t.Errorf("Firefox: exit code %d:\n%s%s", res.code, res.output, res.errors)
	}
	t.Log(res.output)
}

// TestLighthouse checks the pages that people see most. Lighthouse must find no problems with accessibility and best
// practices. On public pages except the login page, it must find nothing that keeps search engines away. The test
// logs the figure for performance and does not judge it, because that figure depends on the load of the machine.
func TestLighthouse(t *testing.T) {
	t.Parallel()
	story(t)
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	scout := w.overHTTP("Scout", w.token("Scout"))
	note := links(scout.navigate("/studios/team/notes"))["How we work together"]
	email, password := w.as("bob")
	pages := []string{"+/login", "+/help", "/", "/studios/team", scout.find("Which logo do we choose?"), note}
	res := runNode(t, "", "../clients/lighthouse.mjs",
		append([]string{chrome(t), w.url, email, password}, pages...)...)
	if res.code != 0 {
		t.Fatalf("Lighthouse: exit code %d:\n%s%s", res.code, res.output, res.errors)
	}
	judged := 0
	for line := range strings.Lines(res.output) {
		var got struct {
			Path, Error      string
			Scores           map[string]int
			Failed, Warnings []string
		}
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		judged++
		t.Log(got.Path, got.Scores, got.Warnings)
		wanted := []string{"accessibility", "best-practices"}
		if slices.Contains(pages, "+"+got.Path) && got.Path != "/login" { // the login page has nothing for search engines
			wanted = append(wanted, "seo")
		}
		for _, category := range wanted {
			if got.Scores[category] != 100 {
				t.Errorf("%s: %s %d %s:\n%s", got.Path, category, got.Scores[category], got.Error,
					strings.Join(got.Failed, "\n"))
			}
		}
	}
	if judged != len(pages) {
		t.Errorf("%d of %d pages were judged:\n%s", judged, len(pages), res.errors)
	}
}
