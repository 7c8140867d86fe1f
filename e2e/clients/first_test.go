package clients

import (
	"net/url"
	"strings"
	"testing"

	"samepage/store/pgtest"
)

// TestFirstMinutes tells how a first person sets up an empty installation and invites a second person, who joins and
// lets a program act for them. The story is told twice: without scripts and by keyboard alone, and with scripts and a
// mouse.
func TestFirstMinutes(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	for _, way := range []struct {
		name    string
		hand    func(*browser) hand
		scripts bool
	}{{"keys", keys, false}, {"mouse", mouse, true}} {
		t.Run(way.name, func(t *testing.T) {
			w := emptyWorld(t)
			b := open(t)
			if !way.scripts {
				b.withoutScripts()
			}
			h := way.hand(b)
			h.setsUp(w)
			h.joinsBy(w, h.invites(w))
			h.letsActBy(w, "Allow")
			h.letsActBy(w, "Refuse")
			h.keepsPasskeys(w, way.scripts)
			b.quiet(way.name)
		})
	}
}

// emptyWorld serves an installation in which nobody can sign in.
func emptyWorld(t *testing.T) *world {
	t.Helper()
	story(t)
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, bin: bin, keys: "SAMEPAGE_KEYS=", data: t.TempDir()}
	w.at = "SAMEPAGE_DATA=" + w.data
	w.serve()
	return w
}

// setsUp founds an organization with the link that the server prints.
func (h hand) setsUp(w *world) {
	h.t.Helper()
	if w.setup == "" {
		h.t.Fatal("the server prints no link with which to begin")
	}
	h.visit(w.setup)
	h.write("#f-setup-organization", "Orchard")
	h.write("#f-setup-name", "Olive Ost")
	h.write("#f-setup-email", "olive@orchard.example")
	h.write("#f-setup-password", "apples and pears")
	h.press(`main form[action^="/setup"] button[type=submit]`)
	h.sees("Welcome, Olive Ost", "To begin", "Invite somebody")
}

// invites creates an invitation, and returns its link, which is shown once.
func (h hand) invites(w *world) string {
	h.t.Helper()
	h.press(`main a[href$="/actions/invite_member"]`)
	h.submit("invite_member")
	h.sees("shown only once")
	link := eval[string](h.browser, `document.body.innerText.match(/http\S+\/invitations\/[\w-]+/)?.[0] ?? ""`)
	if link == "" {
		h.t.Fatalf("no link of an invitation on:\n%s", h.text())
	}
	w.secrets = append(w.secrets, link[strings.LastIndexByte(link, '/')+1:])
	return link
}

// joinsBy logs the first person out, and lets the second person join with the link of the invitation.
func (h hand) joinsBy(w *world, link string) {
	h.t.Helper()
	h.visit(w.url + "/")
	h.sheet()
	h.tap(".side .end summary")
	h.press(`.side form[action="/logout"] button`)
	h.visit(link)
	h.sees("Orchard", "Join")
	h.write("#f-accept-name", "Per Birn")
	h.write("#f-accept-handle", "per")
	h.write("#f-accept-email", "per@orchard.example")
	h.write("#f-accept-password", "quinces and plums")
	h.press(`main form[action$="/accept"] button[type=submit]`)
	h.visit(w.url + "/whoami")
	h.sees("You are @per.")
}

// letsActBy answers a program that asks to act for the second person, by pressing the given button. It checks that
// the program gets the answer.
func (h hand) letsActBy(w *world, button string) {
	h.t.Helper()
	redirect, answers := backTo(h.t)
	h.visit(w.url + "/oauth/authorize?" + url.Values{"response_type": {"code"}, "client_id": {w.register("Robot", redirect)},
		"redirect_uri": {redirect}, "scope": {"read"}, "state": {button}, "code_challenge_method": {"S256"},
		"code_challenge": {"47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"}}.Encode())
	h.sees("act for you?", "Robot", "What it can never do")
	place := `main form[action^="/oauth/authorize?"] button[type=submit]`
	if button == "Refuse" {
		h.press(place + "[form]") // it submits a form of its own
	} else {
		h.press(place + ":not([form])")
	}
	said := <-answers
	if allowed := said.Get("code") != ""; said.Get("state") != button || allowed != (button == "Allow") {
		h.t.Errorf("having pressed %s, the program is told %v", button, said)
	}
}

// keepsPasskeys checks that the login page has a button for passkeys if and only if scripts run, which passkeys need.
func (h hand) keepsPasskeys(w *world, scripts bool) {
	h.t.Helper()
	h.visit(strings.Replace(w.url, "127.0.0.1", "localhost", 1) + "/login") // a passkey belongs to a host name
	h.sees("Password")
	seen := eval[bool](h.browser, `[...document.querySelectorAll("button")].some(b =>
		b.checkVisibility() && b.textContent.includes("passkey"))`)
	if seen != scripts {
		h.t.Errorf("with scripts (%v), a button for passkeys is shown: %v", scripts, seen)
	}
}
