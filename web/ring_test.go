package web_test

import (
	"maps"
	"regexp"
	"strings"
	"testing"

	"samepage/web/webtest"
)

var (
	waitingRow = regexp.MustCompile(`(?s)<tr><td>.*?</tr>`)
	rowRing    = regexp.MustCompile(`<svg class="(ring[^"]*)".*?<path class="([a-z]+)".*?</svg><a href="([^"]+)"`)
)

// ringsAtHome returns the rings of the requests on the home page of a reader, by the path of the page on which the
// reader answers: "hexagon", "circle", or the classes of any other ring. A yellow ring is only a hexagon there.
func ringsAtHome(t *testing.T, c *webtest.Client) map[string]string {
	t.Helper()
	page, rings, yellow := c.Get("/?full=1", "text/html").Body, map[string]string{}, 0
	_, list, _ := strings.Cut(page, `<section id="waiting"`)
	list, _, _ = strings.Cut(list, "</section>")
	for _, row := range waitingRow.FindAllString(list, -1) {
		found := rowRing.FindStringSubmatch(row)
		if found == nil || !strings.Contains(row, "asked by") {
			continue // an item, whose ring counts the answers
		}
		switch looks := found[1] + " " + found[2]; looks {
		case "ring waits hex":
			rings[found[3]] = "hexagon"
			yellow++
		case "ring track":
			rings[found[3]] = "circle"
		default:
			rings[found[3]] = looks
		}
	}
	if n := strings.Count(page, `class="ring waits"`); n != yellow {
		t.Errorf("%d rings are yellow, and %d of them belong to a request", n, yellow)
	}
	return rings
}

// TestRingsOfRequests checks the rings of requests at home. A request of an agent has a yellow hexagon, and a request of
// a person has a circle that is not yellow. Only readers who may answer a request have its ring: an agent has none, not
// even for its own requests.
func TestRingsOfRequests(t *testing.T) {
	w := webtest.Of(t, "work")
	card, asking, rows := w.URL("card waiting"), w.URL("session asking"), w.URL("session rows")
	var review string
	w.Query(&review, `SELECT '/studios/team/reviews/' || v.id FROM reviews v JOIN agents a ON a.id = v.agent_id
		WHERE v.ended_at IS NULL AND v.manifest_id IS NULL AND v.commit_hash <> ''`)
	for who, want := range map[string]map[string]string{
		"alice": {card: "hexagon", review: "hexagon"},
		"erin":  {card: "hexagon", review: "hexagon", rows: "hexagon"},
		"bob": {card: "hexagon", review: "hexagon", "/studios/team/pulls/1": "circle",
			asking + "/permissions/1": "hexagon", asking + "/permissions/2": "hexagon"},
		"oscar": {}, "scribe": {}, // not in the studio, and an agent
	} {
		if got := ringsAtHome(t, w.As(who)); !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", who, got, want)
		}
	}
	w = webtest.Of(t, "approval")
	pending := w.URL("approval pending")
	for who, want := range map[string]string{"erin": "hexagon", "alice": "hexagon", "clerk": "", "bob": ""} {
		if got := ringsAtHome(t, w.As(who))[pending]; got != want {
			t.Errorf("%s: an approval of Clerk's has the ring %q, want %q", who, got, want)
		}
	}
}
