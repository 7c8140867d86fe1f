package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/store"
	"samepage/store/db"
	"samepage/views/page/pagetest"
	"samepage/web"
	"samepage/web/webtest"
)

// answer returns everything that a client sees of an answer: status, headers and body.
func answer(r *webtest.Response) string {
	h := r.Header.Clone()
	return fmt.Sprint(r.Status, h, r.Body)
}

// keyless returns the URL of a link without its key.
func keyless(link string) string {
	page, _, _ := strings.Cut(link, "?")
	return page
}

// TestLinkWithPreview opens a member's link with a preview key. Anonymous callers see the page's card until the link
// is revoked. After that, the answer is exactly the answer without a key.
func TestLinkWithPreview(t *testing.T) {
	w := webtest.New(t)
	want := generic(t, w)
	link := w.Link("link to standups")
	page := w.As("anonymous").Get(link, "text/html")
	if page.Status != 200 || page.Header.Get("Cache-Control") != "private, no-cache" ||
		!strings.Contains(page.Body, `<meta name="robots" content="noindex">`) {
		t.Fatalf("%d %v", page.Status, page.Header)
	}
	card := pagetest.Card(t, page.Body)
	if card["og:title"] != "Should we adopt weekly stand-ups?" || card["og:description"] != "Open decision · 2 of 3 "+
		"voted · closes in 3 days · Team" || card["twitter:data2"] != "Mon 23 Nov 2026 12:00 CET" ||
		card["og:url"] != webtest.Origin+link || card["canonical"] != card["og:url"] ||
		card["alternateapplication/json+oembed"] != "" {
		t.Errorf("the card: %v", card)
	}
	_, body, _ := strings.Cut(page.Body, "</head>")
	login := w.As("anonymous").Get("/login?next="+url.QueryEscape(w.URL("standups")), "text/html")
	if _, plain, _ := strings.Cut(login.Body, "</head>"); body != plain {
		t.Errorf("the page that it shows is not that to sign in on:\n%s", body)
	}
	shown := picture(t, w, card["og:image"])
	if shown.Header.Get("Cache-Control") != "private, max-age=3600, immutable" ||
		!strings.HasSuffix(card["og:image"], link[strings.IndexByte(link, '?'):]) {
		t.Errorf("the picture: %s %v", card["og:image"], shown.Header)
	}
	plain := picture(t, w, want["og:image"])
	if shown.Body == plain.Body {
		t.Error("the picture is the generic one")
	}
	if r := w.As("anonymous").Get(strings.TrimPrefix(keyless(card["og:image"]), webtest.Origin),
		""); r.Body != plain.Body {
		t.Error("its own picture without the key")
	}
	if r := w.As("bob").Get(link, "text/html"); r.Status != 200 || strings.Contains(r.Body,
		link[strings.IndexByte(link, '=')+1:]) || !strings.Contains(r.Body, "We meet too rarely") {
		t.Errorf("who may read the page: %d", r.Status)
	}
	for _, who := range []string{"erin", "carol", "scribe"} { // another member, a member outside the studio, an agent
		if r := w.As(who).JSON(w.URL("standups"), "revoke_link",
			webtest.Call{Params: param.Input{"link": "x"}}); r.Status < 400 ||
			unfurl(t, w, link)["og:title"] == want["og:title"] {
			t.Errorf("%s revokes it: %d", who, r.Status)
		}
	}
	options := func(who string) (ids []string) {
		var p jsonPage
		json.Unmarshal([]byte(w.As(who).Get(w.URL("standups"), "application/json").Body), &p)
		if a, ok := p.action("revoke_link"); ok {
			for _, o := range schemaOf(t, a).Properties["link"].OneOf {
				ids = append(ids, o.Const)
			}
		}
		return ids
	}
	id := options("bob")
	if len(id) != 1 || !slices.Equal(options("alice"), id) || options("erin") != nil || options("dave") != nil {
		t.Fatalf("bob may revoke %v, alice %v, erin %v", id, options("alice"), options("erin"))
	}
	if r := w.As("alice").Post(w.URL("standups"), "revoke_link", param.Input{"link": id[0]}); r.Status != 303 {
		t.Fatalf("revoking: %d %s", r.Status, mainOf(r.Body))
	}
	if got, none := w.As("anonymous").Get(link, "text/html"),
		w.As("anonymous").Get(w.URL("standups"), "text/html"); answer(got) != answer(none) {
		t.Errorf("revoked: %s\nwithout a key: %s", answer(got), answer(none))
	}
	at := strings.TrimPrefix(card["og:image"], webtest.Origin)
	if got, none := w.As("anonymous").Get(at, ""),
		w.As("anonymous").Get(keyless(at), ""); answer(got) != answer(none) || got.Body != plain.Body {
		t.Error("the picture of a revoked link")
	}
	if md := w.As("bob").Get(w.URL("standups"), "text/markdown").Body; !strings.Contains(md, "revoked by @alice") ||
		options("bob") != nil {
		t.Error(md)
	}
	if r := w.As("bob").JSON(w.URL("standups"), "revoke_link",
		webtest.Call{Params: param.Input{"link": id[0]}}); r.Status != 409 {
		t.Errorf("revoked twice: %d", r.Status)
	}
}

// TestKeyOpensNothingElse requests every page, action, form and file with a key, as an anonymous caller and as other
// actors. Every answer equals the answer without the key. The only exception is the HTML page that shows the card to
// callers who are not signed in.
func TestKeyOpensNothingElse(t *testing.T) {
	aboutContent(t)
	w := webtest.New(t)
	link := w.Link("link to standups")
	_, key, _ := strings.Cut(link, "?")
	asked := 0
	same := func(who, method, at, accept string) {
		asked++
		with := at + "?" + key
		if strings.Contains(at, "?") {
			with = at + "&" + key
		}
		headers := []string{"Accept: " + accept, "Content-Type: application/x-www-form-urlencoded"}
		a, b := request(w.As(who), method, at, headers...), request(w.As(who), method, with, headers...)
		if who == "anonymous" && at == w.URL("standups") && accept == "text/html" && method == "GET" {
			if a.Status != 303 || b.Status != 200 {
				t.Errorf("the page itself: %d and %d", a.Status, b.Status)
			}
			return
		}
		if answer(a) != answer(b) {
			t.Errorf("%s %s %s as %s: %d, and %d with the key", who, method, at, accept, a.Status, b.Status)
		}
	}
	found := map[string]bool{"/nowhere": true, "/files/0000000000/download": true, "/login": true,
		"/studios/lab/d/0000000000": true}
	for _, actor := range []string{"alice", "oscar"} {
		for _, v := range pages(survey(t, actor)) {
			found[v.url] = true
		}
	}
	standups := w.URL("standups")
	for at := range found {
		for _, accept := range []string{"text/html", "text/markdown", "application/json"} {
			same("anonymous", "GET", at, accept)
		}
	}
	place, _ := w.Site.PlaceOf(standups)
	for _, who := range []string{"anonymous", "carol", "oscar", "reader"} {
		for _, below := range []string{"", ".md", "/comments", "/ballots", "/count", "/verify", "/actions",
			"/actions.md"} {
			for _, accept := range []string{"text/html", "text/markdown", "application/json", "image/png", ""} {
				if who == "anonymous" && below == "" && accept == "" {
					continue // the answer is HTML, which shows the card
				}
				same(who, "GET", standups+below, accept)
			}
		}
		for _, a := range place.Actions {
			same(who, "POST", standups+"/actions/"+a.Name, "application/json")
			same(who, "GET", standups+"/actions/"+a.Name, "text/html")
		}
	}
	for _, at := range []string{link, standups, w.URL("team"), "/nowhere", "//evil.example/", "/", ""} {
		r := w.As("anonymous").Get("/oembed?url="+url.QueryEscape(webtest.Origin+at), "")
		if r.Status != 404 || r.Body != w.As("anonymous").Get("/oembed", "").Body {
			t.Errorf("oEmbed of %s: %d %s", at, r.Status, r.Body)
		}
	}
	t.Logf("%d answers compared", asked)
}

// TestWrongKeys sends keys of other pages and revoked keys. The answers for the page and its picture equal those
// without a key.
func TestWrongKeys(t *testing.T) {
	w := webtest.New(t)
	_, key, _ := strings.Cut(w.Link("link to standups"), "?card=")
	_, other, _ := strings.Cut(w.Link("link to note"), "?card=")
	_, revoked, _ := strings.Cut(w.Link("link revoked"), "?card=")
	_, lapsed, _ := strings.Cut(w.Link("link lapsed"), "?card=")
	c := w.As("anonymous")
	none := func(page, query string) {
		t.Helper()
		for _, at := range []string{page, page + "/card/0123456789abcdef01234567.png"} {
			if a, b := c.Get(at, "text/html"), c.Get(at+query, "text/html"); answer(a) != answer(b) {
				t.Errorf("%s%s: %s\nwithout: %s", at, query, answer(b), answer(a))
			}
		}
	}
	for i := range key { // with each character altered in turn
		x := byte('0')
		if key[i] == x {
			x = '1'
		}
		none(w.URL("standups"), "?card="+key[:i]+string(x)+key[i+1:])
	}
	for _, k := range []string{"", "x", other, key[:20] + other[20:], other[:20] + key[20:], key + "0", key[:35],
		strings.ToUpper(key), "%00", key + "%00", strings.Repeat("0", 36)} {
		none(w.URL("standups"), "?card="+k)
	}
	if r := c.Get(w.URL("standups")+"?CARD="+key, "text/html"); r.Status != 303 {
		t.Errorf("in capitals: %d", r.Status)
	}
	none(w.URL("note post"), "?card="+key)
	none(w.URL("note post"), "?card="+revoked)
	none(w.URL("commons open"), "?card="+lapsed)
	none(w.URL("team"), "?card="+key)
	// The URL has another studio than the item's.
	none("/studios/commons/d/"+w.URL("standups")[len("/studios/team/d/"):], "?card="+key)
	none("/studios/team/n/"+w.URL("standups")[len("/studios/team/d/"):], "?card="+key) // as another kind of item
	none(w.URL("standups")[:len("/studios/team/d/")+6], "?card="+key)                  // with the ID shortened
	if c.Get(w.Link("link to note"), "text/html").Status != 200 {
		t.Error("the right key opens nothing")
	}
	if r := c.Get("/studios/team/d/"+w.URL("standups")[len("/studios/team/d/"):]+"?x=1&c%61rd="+key+"&y=2",
		"text/html"); r.Status != 200 {
		t.Errorf("among others: %d", r.Status)
	}
	if r := c.Get(w.URL("note post")+"?x=1&c%61rd="+key+"&y=%20", "text/html"); r.Location() != "/login?next="+
		url.QueryEscape(w.URL("note post")+"?x=1&y=%20") {
		t.Errorf("the key goes on: %s", r.Location())
	}
}

// TestPrivatePictures checks that the pictures of private pages are the same as those of pages that do not exist.
func TestPrivatePictures(t *testing.T) {
	w := webtest.New(t)
	plain := ""
	for _, at := range []string{w.URL("standups"), w.URL("team"), w.URL("lab open"), w.URL("note draft"),
		w.URL("note deleted"), w.URL("note attic"), w.URL("redacted"), w.URL("attic"), "/studios/nowhere",
		"/studios/team/d/0000000000", "/studios/lab/c/zzzzzzzzzz"} {
		r := picture(t, w, at+"/card/0123456789abcdef01234567.png")
		if plain == "" {
			plain = answer(r)
		}
		if answer(r) != plain || r.Header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("%s: %v", at, r.Header)
		}
		if r := w.As("alice").Get(at+"/card/0123456789abcdef01234567.png", ""); answer(r) != plain {
			t.Errorf("%s as alice: %v", at, r.Header)
		}
	}
}

// TestKeysAreKeptNowhere checks that a key is not in the database, the journal or a log, and on no page except its
// own.
func TestKeysAreKeptNowhere(t *testing.T) {
	slow(t)
	var log bytes.Buffer
	w := webtest.New(t, func(c *web.Config) {
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	made := w.As("bob").JSON(w.URL("standups"), "copy_link", webtest.Call{Why: "For the newsletter."})
	var out struct{ Secret string }
	if err := json.Unmarshal([]byte(made.Body), &out); err != nil || made.Header.Get("Cache-Control") != "no-store" ||
		strings.Count(made.Body, "?card=") != 2 {
		t.Fatalf("%v %d %s", err, made.Status, made.Body)
	}
	link := strings.TrimPrefix(out.Secret, webtest.Origin)
	w.As("anonymous").Get(link, "text/html")
	w.As("anonymous").Get(strings.Replace(link, "?", "/nothing?", 1), "text/html")
	w.As("scout").Get(link, "")
	w.As("scout").JSON(link, "copy_link", webtest.Call{})
	request(w.As("anonymous"), "POST", link, "Sec-Fetch-Site: cross-site")
	request(w.As("anonymous"), "GET", link, "Host: evil.example")
	data := log.Bytes()
	past := w.Database()
	var tables []db.TableSchema
	if err := w.Store.Read(t.Context(), func(tx *store.Tx) (err error) {
		tables, err = tx.Tables()
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		rows, err := past.Queryx(`SELECT * FROM "` + table.Name + `"`)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			cells, err := rows.SliceScan()
			if err != nil {
				t.Fatal(err)
			}
			data = fmt.Appendf(data, "%s\n", cells)
		}
		rows.Close()
	}
	for _, v := range walk(t, w, "bob").pages() {
		data = append(data, v.html...)
		data = append(data, v.page.Markdown...)
	}
	for _, l := range []string{link, w.Link("link to standups"), w.Link("link to note"), w.Link("link revoked"),
		w.Link("link lapsed")} {
		_, key, _ := strings.Cut(l, "?card=")
		if len(key) != 36 || bytes.Contains(data, []byte(key)) || bytes.Contains(data, []byte(key[:20])) ||
			bytes.Contains(data, []byte(key[20:])) {
			t.Errorf("the key %s is somewhere", key)
		}
	}
	if !bytes.Contains(data, []byte("For the newsletter.")) || !bytes.Contains(data, []byte("host refused")) {
		t.Error("neither the journal nor the log was looked at")
	}
}

// TestWhoMakesLinks checks that only people in the studio can create a link with a preview, and agents cannot. The link
// is refused if previews are off, if there is nothing to preview, or if the page has too many links.
func TestWhoMakesLinks(t *testing.T) {
	w := webtest.New(t)
	for _, c := range []struct {
		who, at string
		want    int
	}{
		{"bob", "standups", 200}, {"dave", "note post", 200}, {"alice", "commitment open", 200},
		{"bob", "commons open", 200},
		{"scribe", "standups", 403}, {"scout", "note post", 403}, {"carol", "commons open", 403},
		{"carol", "standups", 404}, {"oscar", "standups", 404}, {"anonymous", "plaza open", 401},
		{"anonymous", "standups", 401},
		{"alice", "plaza open", 409}, {"alice", "draft", 409}, {"bob", "attic open", 409},
		// Lab is visible to its members only, so its previews are off by default.
		{"alice", "note deleted", 409}, {"oscar", "lab open", 409},
	} {
		r := w.As(c.who).JSON(w.URL(c.at), "copy_link", webtest.Call{})
		if r.Status != c.want || c.want == 200 &&
			!strings.Contains(r.Body, `"secret":"`+webtest.Origin+w.URL(c.at)+`?card=`) {
			t.Errorf("%s, %s: %d, want %d: %s", c.who, c.at, r.Status, c.want, r.Body)
		}
	}
	for range 19 {
		w.As("bob").JSON(w.URL("commons open"), "copy_link", webtest.Call{})
	}
	if r := w.As("bob").JSON(w.URL("commons open"), "copy_link", webtest.Call{}); r.Status != 409 ||
		!strings.Contains(r.Body, "Revoke one first") {
		t.Errorf("one too many: %d %s", r.Status, r.Body)
	}
}

// TestPicturesAreCounted checks that requests for pictures from an address count against the same limit as requests for
// pages.
func TestPicturesAreCounted(t *testing.T) {
	w := webtest.New(t, limited)
	ask := func(path, from string) int {
		r := httptest.NewRequest("GET", webtest.Origin+path, nil)
		r.RemoteAddr = from + ":1"
		return w.As("anonymous").Do(r).Status
	}
	at := w.URL("plaza open") + "/card/0123456789abcdef01234567.png"
	for i := range 301 {
		if s := ask(at, "192.0.2.50"); (s == 429) != (i == 300) {
			t.Fatalf("picture %d: %d", i, s)
		}
	}
	if ask("/oembed?url="+url.QueryEscape(webtest.Origin+w.URL("plaza open")), "192.0.2.50") != 429 ||
		ask("/oembed?url=x", "192.0.2.50") != 429 || ask(w.URL("plaza open"), "192.0.2.50") != 429 ||
		ask(at, "192.0.2.51") != 200 {
		t.Error("they are not counted together, or another's are counted with them")
	}
	w.Clock.Advance(2 * time.Minute)
	if ask(at, "192.0.2.50") != 200 {
		t.Error("for ever")
	}
}
