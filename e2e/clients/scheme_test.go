package clients

import (
	"net/url"
	"strings"
	"testing"

	"samepage/store/pgtest"

	"github.com/chromedp/chromedp"
)

// TestOwnScheme checks that a person can let a program with its own URL scheme act. The browser must pass the answer
// on to the program that opens such links, and the page's content security policy must allow this.
func TestOwnScheme(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	story(t)
	w := newWorld(t)
	const redirect = "cursor://anysphere.cursor-retrieval/oauth/callback"
	b := open(t).login(w, "alice")
	question := url.Values{
		"response_type":         {"code"},
		"client_id":             {w.register("Cursor", redirect)},
		"redirect_uri":          {redirect},
		"scope":                 {"read"},
		"state":                 {"s"},
		"code_challenge":        {strings.Repeat("c", 43)},
		"code_challenge_method": {"S256"},
	}
	b.visit(w.url + "/oauth/authorize?" + question.Encode())
	b.sees("Let Cursor act for you?", "Nobody vouches for this name",
		"The answer goes to whichever program on this device opens cursor: links")
	b.do(chromedp.Click(chromedp.Search(`//button[normalize-space()="Allow"]`)))
	if !eval[bool](b, `(async () => {
		for (let i = 0; i < 200; i++) {
			const journal = await (await fetch("/orgs/meadow/journal?action=create_token", {headers: {Accept: "text/markdown"}})).text();
			if (journal.includes("asked for by Cursor at cursor")) return true;
			await new Promise(r => setTimeout(r, 50));
		}
		return false;
	})()`) {
		t.Error("nothing was granted")
	}
	b.quiet("consent")
}
