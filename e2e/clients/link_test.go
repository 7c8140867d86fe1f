package clients

import (
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"samepage/store/pgtest"
)

// TestLinkWithPreview tells how Bob copies a link with a preview. Another person's chat program shows the preview
// card. A reader of the chat opens the link, signs in and arrives at the page. After Bob has revoked the link, it
// shows only the generic preview.
func TestLinkWithPreview(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "readers of links see the same pages")
	w := newWorld(t)
	decision := w.overHTTP("Scribe", w.token("Scribe")).find("Should we adopt weekly stand-ups?")
	bob := open(t).withoutScripts().login(w, "bob")
	bob.visit(w.url + decision)
	bob.open("More")
	bob.follow("Copy a link with a preview")
	bob.press("Copy a link with a preview")
	bob.sees("Copy this now, it is shown only once", "Links with a preview", "@bob in use")
	link := keyedLink.FindString(bob.text())
	if !strings.HasPrefix(link, w.url+decision+"?card=") {
		t.Fatalf("the link is %q", link)
	}
	carol := open(t)
	shown := func(property string) string {
		return eval[string](carol, `document.querySelector('meta[property="`+property+`"]').content`)
	}
	carol.visit(link)
	carol.sees("Sign in", "Password")
	if title, said := shown("og:title"), shown("og:description"); title != "Should we adopt weekly stand-ups?" ||
		!strings.HasPrefix(said, "Open decision · ") || strings.Contains(carol.text(), title) {
		t.Errorf("a chat shows %q, %q", title, said)
	}
	if size := eval[string](carol, `(async () => { const i = new Image(); i.src = "`+shown("og:image")+
		`"; await i.decode(); return i.naturalWidth + "x" + i.naturalHeight })()`); size != "1200x630" {
		t.Errorf("its picture is %s", size)
	}
	carol.quiet("a link with a preview")
	for _, l := range w.demo.Logins {
		if l.Member == "carol" {
			carol.fill("Email", l.Email)
			carol.fill("Password", l.Password)
		}
	}
	carol.press("Sign in")
	if carol.address() != w.url+decision {
		t.Errorf("signing in leads to %s", carol.address())
	}

	bob.visit(w.url + decision + "/actions/revoke_link")
	bob.do(chromedp.Click(chromedp.Search(`//label[starts-with(normalize-space(),"@bob")]`)))
	bob.press("Revoke a link with a preview")
	bob.sees("The link is revoked", "revoked by @bob")
	carol = open(t)
	carol.visit(link)
	carol.sees("Sign in")
	if title := shown("og:title"); title != "Sign in to Samepage" {
		t.Errorf("revoked, it shows %q", title)
	}
}

var keyedLink = regexp.MustCompile(`http://\S+\?card=[0-9a-hjkmnp-tv-z]{36}`)
