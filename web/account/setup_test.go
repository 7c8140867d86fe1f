package account_test

import (
	"log/slog"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"samepage/store"
	"samepage/store/pgtest"
	"samepage/web"
	"samepage/web/account"
	"samepage/web/webtest"
)

// founding returns the form that the first person fills in.
func founding(change ...string) string {
	v := url.Values{"organization": {"Acme & Co"}, "handle": {"acme"}, "zone": {"Europe/Berlin"}, "name": {"Alice <b>"},
		"member": {"alice"}, "email": {"Alice@acme.example"}, "password": {"correct horse"}}
	for i := 0; i < len(change); i += 2 {
		v.Set(change[i], change[i+1])
	}
	return v.Encode()
}

func empty(t *testing.T, st *store.Store) *web.Site {
	t.Helper()
	s, err := web.New(t.Context(), st, web.Config{Origin: webtest.Origin, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func setupURL(t *testing.T, st *store.Store) string {
	t.Helper()
	u, err := account.SetupURL(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func ask(s *web.Site, method, target, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, webtest.Origin+target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, r)
	return rec
}

// isAway checks that a request is redirected to the login form, like one for a page that does not exist.
func isAway(t *testing.T, s *web.Site, name, method, target, body string) {
	t.Helper()
	r := ask(s, method, target, body)
	if r.Code != 303 || !strings.HasPrefix(r.Header().Get("Location"), "/login?next=") ||
		strings.Contains(r.Body.String(), "Set up") || len(r.Header()["Set-Cookie"]) > 0 {
		t.Errorf("%s: %d %v", name, r.Code, r.Header())
	}
	missing := ask(s, method, "/nowhere"+target[len("/setup"):], body)
	if missing.Code != r.Code ||
		strings.ReplaceAll(missing.Header().Get("Location"), "nowhere", "setup") != r.Header().Get("Location") {
		t.Errorf("%s differs from a page that is missing: %d %v", name, missing.Code, missing.Header())
	}
}

// TestSetup checks that the setup link works until it is used or replaced by a newer link.
func TestSetup(t *testing.T) {
	where := webtest.Where(t)
	st, err := store.Open(t.Context(), where, store.Options{Keys: pgtest.Keys(where)})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	old := setupURL(t, st)
	s := empty(t, st) // a restart while there are no users
	link := setupURL(t, st)
	if old == link || !strings.HasPrefix(link, "/setup?token=") {
		t.Fatalf("links %s, %s", old, link)
	}
	away := func(name, method, target, body string) {
		t.Helper()
		isAway(t, s, name, method, target, body)
	}
	for _, target := range []string{old, "/setup", "/setup?token=", "/setup?token=x", link + "x",
		"/setup?token=" + url.QueryEscape(strings.ToUpper(link[len("/setup?token="):]))} {
		away("a wrong link", "GET", target, "")
		away("a wrong link", "POST", target, founding())
		away("a wrong link and a bad form", "POST", target, founding("handle", "x", "name", ""))
	}
	if r := ask(s, "GET", "/login", ""); !strings.Contains(r.Body.String(), "is not set up yet") ||
		strings.Contains(r.Body.String(), "<form") {
		t.Errorf("before the setup, the page to sign in is %s", r.Body)
	}
	page := ask(s, "GET", link, "")
	if page.Code != 200 || !strings.Contains(page.Body.String(), "Set up your workspace") ||
		page.Header().Get("Etag") != "" || page.Header().Get("Referrer-Policy") != "no-referrer" {
		t.Fatalf("%d %v", page.Code, page.Header())
	}
	refused := ask(s, "POST", link, founding("email", "nobody")).Body.String()
	if strings.Count(refused, "Not done") != 1 || strings.Contains(refused, `href="/login"`) {
		t.Errorf("a refused setup says:\n%s", refused)
	}
	founded, cookie := foundAtOnce(t, s, link)
	if founded != 1 {
		t.Fatalf("%d founded", founded)
	}
	r := httptest.NewRequest("GET", webtest.Origin+"/orgs/acme", nil)
	r.Header.Set("Cookie", cookie)
	rec := httptest.NewRecorder()
	if s.ServeHTTP(rec, r); rec.Code != 200 || !strings.Contains(rec.Body.String(), "Acme &amp; Co") {
		t.Errorf("the owner sees %d", rec.Code)
	}
	away("a second use", "GET", link, "")
	away("a second use", "POST", link, founding("handle", "other"))
	if u := setupURL(t, st); u != "" {
		t.Errorf("after a restart there is a link again: %s", u)
	}
	if r := ask(s, "POST", "/login", url.Values{"email": {"alice@acme.example"},
		"password": {"correct horse"}}.Encode()); r.Code != 303 || r.Header().Get("Location") != "/" {
		t.Errorf("the founder signs in: %d", r.Code)
	}
}

// foundAtOnce lets eight people use the link at the same time. It returns how many of them founded the organization,
// and the login cookie of the last one.
func foundAtOnce(t *testing.T, s *web.Site, link string) (founded int, cookie string) {
	t.Helper()
	var wait sync.WaitGroup
	codes, cookies := [8]string{}, [8]string{}
	for i := range codes {
		wait.Go(func() {
			r := ask(s, "POST", link, founding("member", "alice"+string(rune('a'+i))))
			codes[i], cookies[i] = r.Header().Get("Location"), r.Header().Get("Set-Cookie")
		})
	}
	wait.Wait()
	for i := range codes {
		if codes[i] == "/" {
			founded++
			cookie, _, _ = strings.Cut(cookies[i], ";")
		} else if cookies[i] != "" {
			t.Errorf("a latecomer is signed in: %s", cookies[i])
		}
	}
	return founded, cookie
}

// TestSetupForm sends forms with errors. Each form comes back with its errors and its values, except for the password.
func TestSetupForm(t *testing.T) {
	where := webtest.Where(t)
	st, err := store.Open(t.Context(), where, store.Options{Keys: pgtest.Keys(where)})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	link := setupURL(t, st)
	s := empty(t, st)
	for _, c := range []struct{ change, says []string }{
		{[]string{"handle", "A!"}, []string{"A handle has"}},
		{[]string{"handle", "", "organization", "", "name", ""},
			[]string{"Organization</a>: is required", "Name</a>: is required", "Handle</a>: None can be made"}},
		{[]string{"handle", "", "member", "", "password", ""}, []string{`value="acme-co"`, `value="alice"`}},
		{[]string{"member", "1x", "email", "nobody", "zone", "Mars/Base", "password", "short pw"[:7]},
			[]string{"Member</a>", "That is not an email address", "That is no time zone", "8 to 200 characters"}},
		{[]string{"organization", "", "handle", "Bad One", "zone", "Mars/Base", "name", "", "member", "1x",
			"email", "nobody", "password", "short p"},
			[]string{"Handle</a>: A handle has", "Zone</a>: That is no", "Name</a>: is required",
				"Member</a>: A handle has", "Email</a>: That is not", "Password</a>: A password has"}},
		{[]string{"password", ""}, []string{"Password</a>: is required"}},
		{[]string{"password", strings.Repeat("p", 201)}, []string{"Password</a>"}},
	} {
		r := ask(s, "POST", link, founding(c.change...))
		body := r.Body.String()
		if r.Code != 422 || len(r.Header()["Set-Cookie"]) > 0 {
			t.Errorf("%v: %d", c.change, r.Code)
		}
		for _, says := range append(c.says, `value="Alice@acme.example"`, `action="`+link+`"`) {
			if strings.HasPrefix(says, "value=") && strings.Contains(strings.Join(c.change, " "), "email") {
				says = `value="nobody"`
			}
			if !strings.Contains(body, says) {
				t.Errorf("%v: the form does not say %s", c.change, says)
			}
		}
		for _, password := range []string{"correct horse", "short p", strings.Repeat("p", 201)} {
			if strings.Contains(body, password) {
				t.Errorf("%v: the password is shown again", c.change)
			}
		}
	}
	if r := ask(s, "POST", link, "name="+strings.Repeat("x", 256<<10)); r.Code != 413 {
		t.Errorf("a long form: %d", r.Code)
	}
}
