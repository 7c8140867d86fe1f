package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/views/page/pagetest"
	"samepage/web"
	"samepage/web/webtest"
)

// unfurl returns the card that a chat program finds at a URL, after redirects.
func unfurl(t *testing.T, w *webtest.World, address string, headers ...string) map[string]string {
	t.Helper()
	r := request(w.As("anonymous"), "GET", address, headers...)
	if r.Status == http.StatusSeeOther {
		r = request(w.As("anonymous"), "GET", r.Location(), headers...)
	}
	if r.Status != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
		t.Errorf("%s: %d %s", address, r.Status, r.Header.Get("Content-Type"))
	}
	return pagetest.Card(t, r.Body)
}

// said returns the fields of a card that do not depend on its URL.
func said(card map[string]string) map[string]string {
	card = maps.Clone(card)
	for _, name := range []string{"og:url", "canonical", "alternatetext/markdown", "alternateapplication/json+oembed",
		"robots", "next", "stylesheet", "color-scheme"} {
		delete(card, name)
	}
	return card
}

// generic returns the card of a page that does not exist.
func generic(t *testing.T, w *webtest.World) map[string]string {
	t.Helper()
	card := said(unfurl(t, w, "/studios/nowhere/d/0000000000"))
	if card["og:title"] != "Sign in to Samepage" || card["twitter:data1"] != "" {
		t.Fatalf("the generic card is %v", card)
	}
	return card
}

// TestEveryPageUnfurls reads the card of every page of the world, as several actors and programs. The card is complete.
// If not everybody may read the page, the card equals that of a page that does not exist, even for its readers.
func TestEveryPageUnfurls(t *testing.T) {
	aboutContent(t)
	w := webtest.New(t)
	want := generic(t, w)
	public, private := 0, 0
	for _, actor := range []string{"alice", "bob", "oscar", "anonymous"} {
		for _, v := range pages(survey(t, actor)) {
			own := pagetest.Card(t, v.html)
			switch strange := said(unfurl(t, w, v.url)); {
			case v.place.Readers == "everyone", strings.HasPrefix(v.url, "/studios/plaza") &&
				v.place.Readers == web.ForStudio && !strings.Contains(v.url, "/actions"):
				public++
				if strange["og:title"] == want["og:title"] {
					t.Errorf("%s shows nothing", v.url)
				}
			default:
				private++
				if !maps.Equal(strange, want) {
					t.Errorf("%s shows %v", v.url, strange)
				}
				if !maps.Equal(said(own), want) && !v.public() {
					t.Errorf("%s shows %s %v", v.url, actor, said(own))
				}
			}
		}
	}
	if public < 20 || private < 200 {
		t.Errorf("%d public and %d private pages", public, private)
	}
	for _, at := range []string{w.URL("plaza open"), w.URL("standups"), w.Link("link to standups"), "/login"} {
		plain := request(w.As("anonymous"), "GET", at)
		for _, agent := range []string{"Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
			"Mozilla/5.0 (compatible; Discordbot/2.0)", "facebookexternalhit/1.1", "Twitterbot/1.0", "WhatsApp/2.23",
			"Synapse (bot)"} {
			if r := request(w.As("anonymous"), "GET", at, "User-Agent: "+agent,
				"Range: bytes=0-32768"); r.Body != plain.Body || r.Status != plain.Status {
				t.Errorf("%s reads another page at %s", agent, at)
			}
		}
	}
}

// public reports whether the page says that everybody may read it.
func (v *visit) public() bool {
	return !strings.Contains(v.html, `<meta name="robots" content="noindex">`)
}

// TestPreviewOfPages checks the cards of public pages: their texts, their pictures and their oEmbed answers. The URL of
// a picture changes with its content.
func TestPreviewOfPages(t *testing.T) {
	aboutContent(t)
	w := webtest.New(t)
	for _, c := range []struct{ at, title, description, state, due string }{
		{"plaza open", "What do we show at the fair?", "Open decision · 1 of 3 voted · Plaza", "Open", ""},
		{"plaza result", "Was the open day good?", "Decided · 1 of 3 voted · Plaza", "Decided", ""},
		{"plaza", "Plaza", "Studio · 3 people, 7 agents", "", ""},
	} {
		card := unfurl(t, w, w.URL(c.at))
		if card["og:title"] != c.title || card["og:description"] != c.description ||
			card["twitter:data1"] != c.state || card["twitter:data2"] != c.due || card["og:url"] != webtest.Origin+
			w.URL(c.at) || card["canonical"] != card["og:url"] {
			t.Errorf("%s: %v", c.at, card)
		}
		fetched := picture(t, w, card["og:image"])
		if !strings.HasPrefix(card["og:image"], card["og:url"]+"/card/") ||
			fetched.Header.Get("Cache-Control") != "public, max-age=86400, immutable" {
			t.Errorf("%s: %s %v", c.at, card["og:image"], fetched.Header)
		}
		var told map[string]any
		r := w.As("anonymous").Get(strings.TrimPrefix(card["alternateapplication/json+oembed"], webtest.Origin), "")
		if json.Unmarshal([]byte(r.Body), &told); r.Status != 200 || told["type"] != "link" ||
			told["version"] != "1.0" || told["title"] != c.title || told["thumbnail_url"] != card["og:image"] {
			t.Errorf("%s: oEmbed: %d %v", c.at, r.Status, told)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // so that the database cannot be read
	q := httptest.NewRequestWithContext(ctx, "GET",
		webtest.Origin+"/oembed?url="+url.QueryEscape(webtest.Origin+w.URL("plaza")), nil)
	if r := w.As("anonymous").Do(q); r.Status != http.StatusServiceUnavailable {
		t.Errorf("oEmbed without a database: %d %s", r.Status, r.Body)
	}
	card := unfurl(t, w, w.URL("commitment plaza event"))
	if !strings.HasPrefix(card["og:description"], "Bound event · 2 joined · starts in ") ||
		card["twitter:label2"] != "Due" || !strings.Contains(card["twitter:data2"], "2026") {
		t.Errorf("an event: %v", card)
	}
	list := unfurl(t, w, w.URL("plaza")+"/decisions")
	if list["og:title"] != "Decisions" || !strings.Contains(list["og:image"], webtest.Origin+"/card/") {
		t.Errorf("a list: %v", list)
	}
	before := unfurl(t, w, w.URL("plaza open"))["og:image"]
	if r := w.As("alice").Post(w.URL("plaza open"), "cast_vote",
		param.Input{"accept": []string{"2"}}); r.Status != 303 {
		t.Fatalf("%d %s", r.Status, mainOf(r.Body))
	}
	after := unfurl(t, w, w.URL("plaza open"))["og:image"]
	if before == after {
		t.Error("the picture's address has not changed with its content")
	}
	if r := picture(t, w, before); r.Header.Get("Cache-Control") != "private, no-cache" ||
		r.Body != picture(t, w, after).Body {
		t.Errorf("under its old address: %v", r.Header)
	}
}

// picture requests a picture and checks that it is complete, small, and may be shown by chat programs in browsers.
func picture(t *testing.T, w *webtest.World, address string) *webtest.Response {
	t.Helper()
	r := w.As("anonymous").Get(strings.TrimPrefix(address, webtest.Origin), "image/png")
	if r.Status != 200 || r.Header.Get("Content-Type") != "image/png" || !strings.HasPrefix(r.Body, "\x89PNG") ||
		len(r.Body) > 200<<10 || r.Header.Get("Cross-Origin-Resource-Policy") != "cross-origin" ||
		r.Header.Get("Content-Length") != fmt.Sprint(len(r.Body)) {
		t.Fatalf("%s: %d, %d bytes, %v", address, r.Status, len(r.Body), r.Header)
	}
	if again := request(w.As("anonymous"), "GET", strings.TrimPrefix(address, webtest.Origin),
		"If-None-Match: "+r.Header.Get("Etag")); again.Status != 304 || again.Body != "" {
		t.Errorf("%s again: %d", address, again.Status)
	}
	return r
}

// TestPreviewsSetting checks that only the leaders of a studio can change its previews setting, and the effect of
// each level.
func TestPreviewsSetting(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	want := generic(t, w)
	set := func(who, studio, level string) int {
		return w.As(who).JSON(w.URL(studio), "change_previews",
			webtest.Call{Params: param.Input{"previews": level}}).Status
	}
	link, note := w.Link("link to standups"), w.Link("link to note")
	for _, who := range []string{"bob", "erin", "scribe", "carol", "oscar", "anonymous"} {
		if s := set(who, "team", "off"); s < 400 {
			t.Errorf("%s: %d", who, s)
		}
	}
	if s := set("alice", "team", "title"); s != 200 {
		t.Fatal(s)
	}
	card := unfurl(t, w, link)
	if card["og:title"] != "Should we adopt weekly stand-ups?" || card["og:description"] != want["og:description"] ||
		card["twitter:data1"] != "" || card["og:image"] != want["og:image"] {
		t.Errorf("titles only: %v", card)
	}
	set("alice", "team", "off")
	none := w.As("anonymous").Get(w.URL("standups"), "text/html")
	if r := w.As("anonymous").Get(link, "text/html"); answer(r) != answer(none) {
		t.Errorf("off: %s", answer(r))
	}
	if r := w.As("bob").JSON(w.URL("standups"), "copy_link", webtest.Call{}); r.Status != 409 ||
		!strings.Contains(r.Body, "Links into Team show nothing") {
		t.Errorf("a link where previews are off: %d %s", r.Status, r.Body)
	}
	set("alice", "team", "card")
	if unfurl(t, w, link)["twitter:data1"] != "Open" {
		t.Error("on again")
	}
	for _, level := range []string{"title", "off"} {
		if s := set("alice", "plaza", level); s != 200 {
			t.Fatal(s)
		}
		for _, v := range walk(t, w, "anonymous").pages() {
			if !strings.HasPrefix(v.url, "/studios/plaza") {
				continue
			}
			card := said(pagetest.Card(t, v.html))
			if title := card["og:title"]; level == "off" && !maps.Equal(card, want) ||
				level == "title" && (title == want["og:title"] || card["og:image"] != want["og:image"]) {
				t.Errorf("%s: %s shows %v", level, v.url, card)
			}
			told := w.As("anonymous").Get("/oembed?url="+url.QueryEscape(webtest.Origin+v.url), "")
			if (told.Status == 200) != (level == "title") {
				t.Errorf("%s: oEmbed of %s: %d", level, v.url, told.Status)
			}
		}
	}
	// Links to redacted or archived pages show nothing, nor do links of members who have lost access.
	if r := w.As("erin").Post(w.URL("team"), "leave", nil); r.Status != 303 ||
		!maps.Equal(said(unfurl(t, w, note)), want) {
		t.Error("the maker has left")
	}
	if r := w.As("alice").Post(w.URL("standups"), "redact", nil); r.Status != 303 ||
		!maps.Equal(said(unfurl(t, w, link)), want) {
		t.Errorf("redacted: %d", r.Status)
	}
	link = w.Link("link to commitment")
	if unfurl(t, w, link)["twitter:data1"] != "Open" {
		t.Error("a commitment")
	}
	if r := w.As("alice").Post(w.URL("team"), "archive_studio", nil); r.Status != 303 ||
		!maps.Equal(said(unfurl(t, w, link)), want) {
		t.Error("archived")
	}
	w.As("alice").Post(w.URL("plaza"), "change_previews", param.Input{"previews": "card"})
	w.As("alice").Post(w.URL("plaza"), "archive_studio", nil)
	if !maps.Equal(said(unfurl(t, w, w.URL("plaza open"))), want) {
		t.Error("archived, public")
	}
}
