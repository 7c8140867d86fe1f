package clients

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"samepage/store/pgtest"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// sample is a page for the checkers to read.
type sample struct {
	name, path string
	public     bool // whether the page is read without signing in
}

// samples returns a world and one page of every kind in it.
func samples(t *testing.T) (*world, []sample) {
	t.Helper()
	w, ownWebhook, webhook := newWorldWithWebhooks(t)
	scribe := w.overHTTP("Scribe", w.token("Scribe"))
	find := func(title string) string { return scribe.find(title) }
	listed := func(list string) func(string) string {
		urls := links(scribe.navigate(list))
		return func(title string) string {
			if urls[title] == "" {
				t.Fatalf("%s does not list %q", list, title)
			}
			return urls[title]
		}
	}
	note, together := listed("/studios/team/notes"), listed("/studios/team/commitments")
	// first returns the address of the first page of a kind in a list.
	first := func(list, kind string) string {
		for _, u := range slices.Sorted(maps.Values(links(scribe.navigate(list)))) {
			if strings.Contains(u, kind) {
				return u
			}
		}
		t.Fatalf("%s lists no %s", list, kind)
		return ""
	}
	topic, election := first("/studios/team/topics", "/t/"), first("/studios/debian/elections", "/e/")
	board := listed("/studios/team/boards")("Open day")
	list := []sample{
		{"login", "/login", true},
		{"home", "/", false},
		{"studios", "/studios", false},
		{"studio", "/studios/team", false},
		{"members", "/studios/team/members", false},
		{"organization", "/orgs/meadow", false},
		{"open", "/orgs/meadow/open", false},
		{"organization-tokens", "/orgs/meadow/tokens", false},
		{"activity", "/orgs/meadow/activity", false},
		{"member", "/orgs/meadow/members/alice", false},
		{"acceptance", find("Should we adopt weekly stand-ups?"), false},
		{"approval", find("Which topics go on the agenda?"), false},
		{"schulze", find("Which logo do we choose?"), false},
		{"star", find("Which cover for the annual report?"), false},
		{"tied", find("Tea or coffee for the meeting?"), false},
		{"irv-closed", find("What do we plant first?"), false},
		{"imported", find("General Resolution: Status of the non-free section"), false},
		{"journal", "/orgs/meadow/journal", false},
		{"entry", first("/orgs/meadow/journal", "/journal/"), false},
		{"verify", "/orgs/meadow/journal/verify", false},
		{"inbox", "/inbox", false},
		{"search", "/search", false},
		{"results", "/search?q=meeting", false},
		{"nothing", "/search?q=zzz", false},
		{"channel", "/studios/team/channel", false},
		{"message", first("/studios/team/channel", "/m/"), false},
		{"channel-digest", "/studios/team/channel/digest?since=30d", false},
		{"direct", "/orgs/meadow/dm", false},
		{"direct-messages", "/orgs/meadow/dm/bob", false},
		{"topics", "/studios/team/topics", false},
		{"topic", topic, false},
		{"topic-briefing", topic + "/briefing", false},
		{"elections", "/studios/debian/elections", false},
		{"election", election, false},
		{"election-briefing", election + "/briefing", false},
		{"boards", "/studios/team/boards", false},
		{"board", board, false},
		{"card", board + "/cards/4", false},
		{"move-card", board + "/actions/move_card?number=4", false},
		{"policies", "/orgs/meadow/policies", false},
		{"policy", "/orgs/meadow/policies/1", false},
		{"studio-policies", "/studios/team/policies", false},
		{"open-answers", "/orgs/meadow/open?for=answers", false},
		{"briefing", "/orgs/meadow/briefing", false},
		{"tree", "/orgs/meadow/studios", false},
		{"webhooks", "/orgs/meadow/webhooks", false},
		{"webhook", webhook, false},
		{"own-webhook", ownWebhook, false},
		{"own-webhook-address", ownWebhook + "/actions/change_address", false},
		{"notifications", "/settings/notifications", false},
		{"self-hosting", "/help/self-hosting", true},
		{"decisions", "/studios/team/decisions", false},
		{"notes", "/studios/team/notes", false},
		{"commitments", "/studios/team/commitments", false},
		{"cycles", "/studios/team/cycles", false},
		{"templates", "/studios/team/templates", false},
		{"post", note("How we work together"), false},
		{"difference", note("How we work together") + "/versions/2", false},
		{"versions", note("How we work together") + "/versions", false},
		{"readers", note("How we work together") + "/readers", false},
		{"reminder", note("Send the fair its form"), false},
		{"table", note("What we lend out"), false},
		{"row", note("What we lend out") + "/actions/update_row?row=1", false},
		{"open-commitment", together("Clear the cellar on Saturday"), false},
		{"event", together("Harvest dinner"), false},
		{"done", together("Answer every letter within a day, for a week"), false},
		{"participants", together("Harvest dinner") + "/participants", false},
		{"dots", find("Where does the prize money go?"), false},
		{"time", find("When do we clear the attic?"), false},
		{"anonymous", find("Do we pay the treasurer?"), false},
		{"lottery", find("Who opens the garden in March?"), false},
		{"draw", find("Who opens the garden in March?") + "/verify", false},
		{"ask", "/studios/team/actions/create_decision", false},
		{"write", "/studios/team/actions/create_note", false},
		{"tokens", "/settings/tokens", false},
		{"account", "/settings/account", false},
		{"consent", "/oauth/authorize?response_type=code&client_id=" +
			w.register("Robot", "http://localhost/callback") +
			"&redirect_uri=http://localhost:3000/callback&scope=read+write" +
			"&code_challenge=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU&code_challenge_method=S256", false},
		{"whoami", "/whoami", false},
		{"help", "/help", true},
		{"agents", "/help/agents", true},
		{"clients", "/help/clients", true},
		{"catalogue", "/help/catalogue", true},
		{"errors", "/help/errors", true},
		{"keyboard", "/help/keyboard", true},
	}
	decision := find("Should we adopt weekly stand-ups?")
	return w, append(list, sample{"ballots", decision + "/ballots", false},
		sample{"comments", decision + "/comments", false},
		sample{"prefilled", decision + "/actions/cast_vote?accept=1&accept=2", false},
		sample{"confirm", "/studios/team/actions/leave", false})
}

// firstLoad is the maximum number of bytes of a first visit, including style, script and icons.
const firstLoad = 40 << 10

// TestPagesInChromium checks every kind of page in a wide and in a narrow window. One window has the light colours,
// and the other has the dark colours. For every second page, the narrow window has the dark colours. The checker axe
// must find no accessibility problem, and the console must show no error. No page may be wider than a screen of 320
// pixels, and a first visit must be small. On a phone, links and buttons must be large enough for a finger, even in
// lines that a long date makes wrap. The HTML after the page's script has run must be valid too.
func TestPagesInChromium(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "a browser sees the same pages")
	w, list := samples(t)
	axe, err := os.ReadFile(file(t, modules, "axe-core/axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	dom := t.TempDir()
	const parts = 2 // browsers that run side by side, each with its part of the pages
	t.Run("parts", func(t *testing.T) {
		for part := range parts {
			t.Run(fmt.Sprint(part), func(t *testing.T) {
				t.Parallel()
				nobody, alice := open(t), open(t).login(w, "alice")
				found, heaviest := map[string][]string{}, 0 // the findings of axe, each with its position
				for i, s := range list {
					b := alice
					if s.public {
						b = nobody
					}
					if i%parts == part {
						heaviest = max(heaviest, b.check(w, s, string(axe), i/parts, found))
						b.keep(dom, s.name)
						b.picture(s.name)
					}
				}
				for _, v := range slices.Sorted(maps.Keys(found)) {
					t.Errorf("%s (%s)", v, strings.Join(found[v], "; "))
				}
				t.Logf("the heaviest first visit takes %d bytes", heaviest)
			})
		}
	})
	validHTML(t, dom, "html-validate:browser")
	t.Logf("%d pages", len(list))
}

// check checks one page, adds the findings of axe to found, and returns the bytes of a first visit. The narrow window
// has the dark colours if the page's number is odd.
func (b *browser) check(w *world, s sample, axe string, number int, found map[string][]string) int {
	b.t.Helper()
	b.looks(320, "light")
	n := b.firstVisit(w.url + s.path)
	if n > firstLoad { // a page that changes during the visit is loaded twice
		n = b.firstVisit(w.url + s.path)
	}
	if n == 0 || n > firstLoad {
		b.t.Errorf("%s: the first visit takes %d bytes; want some, and at most %d", s.name, n, firstLoad)
	}
	if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 320 {
		b.t.Errorf("%s is %d pixels wide on a screen of 320", s.name, wide)
	}
	for j, scheme := range []string{"light", "dark"} {
		width := []int64{1280, 390}[(number+j)%2]
		b.looks(width, scheme)
		if width == 390 {
			eval[bool](b, `document.querySelectorAll("main time").forEach(e => e.textContent = "23 minutes ago"), true`)
		}
		for _, v := range axeFinds(b, axe, accessible...) {
			v = s.name + ": axe: " + v
			found[v] = append(found[v], fmt.Sprintf("%d pixels wide, %s", width, scheme))
		}
	}
	b.quiet(s.name)
	return n
}

// firstVisit visits a page with an empty cache, and returns the number of bytes received.
func (b *browser) firstVisit(url string) int {
	b.t.Helper()
	b.do(command(network.ClearBrowserCache, cdp.Empty{}))
	b.loaded()
	b.visit(url)
	return b.loaded()
}

// accessible lists the sets of axe's rules that a page must satisfy.
var accessible = []string{"wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"}

// axeFinds returns the violations of rules, or of sets of rules, that axe finds on the page. Each violation has its
// position and reason.
func axeFinds(b *browser, axe string, rules ...string) []string {
	b.t.Helper()
	if !eval[bool](b, `typeof axe == "object"`) {
		eval[bool](b, axe+"; true")
	}
	return eval[[]string](b,
		`axe.run(document, {resultTypes: ["violations"], runOnly: ["`+strings.Join(rules, `", "`)+`"]})
		.then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.target.join(" ") + ": " + n.failureSummary)))`)
}

// TestTheBrowserHearsTroubles checks that the browser records failures. Other tests rely on this when they require
// that there are no failures.
func TestTheBrowserHearsTroubles(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	b := open(t)
	for name, script := range map[string]string{
		"image of another site": `document.body.append(Object.assign(new Image(), {src: "https://other.example/x.png"})); true`,
		"console error":         `console.error("broken"); true`,
		"exception":             `setTimeout(() => { throw new Error("broken") }); true`,
		"missing file":          `fetch("/static/nowhere"); true`,
	} {
		b.visit(w.url + "/login")
		eval[bool](b, script)
		heard := ""
		for begun := time.Now(); heard == "" && time.Since(begun) < time.Minute; {
			// The browser sends the page's events and the result of this evaluation in order.
			eval[bool](b, `new Promise(done => setTimeout(() => done(true), 20))`)
			b.mu.Lock()
			heard = strings.Join(b.troubles, "; ")
			b.troubles = nil
			b.mu.Unlock()
		}
		t.Logf("%s: heard %q", name, heard)
		if heard == "" {
			t.Errorf("%s: the browser heard nothing", name)
		}
	}
}

// picture saves pictures of the page for people to look at, if the environment variable
// SAMEPAGE_PICTURES has the name of a folder.
func (b *browser) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("SAMEPAGE_PICTURES")
	if dir == "" {
		return
	}
	for width, scheme := range map[int64]string{1280: "light", 390: "dark"} {
		b.looks(width, scheme)
		b.do(func(ctx context.Context, t *chromedp.Target) (v chromedp.Void, err error) {
			got, err := cdp.Call(ctx, t, page.CaptureScreenshot,
				page.CaptureScreenshotParams{CaptureBeyondViewport: new(true)})
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, name+"-"+scheme+".png"), got.Data, 0o600)
			}
			return v, err
		})
	}
}
