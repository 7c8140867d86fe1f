package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web/wire"
)

// errUnproved asks for a password or a passkey before what is sensitive is done.
var errUnproved error = &wire.Error{Code: "unproved", Message: "You signed in a while ago. Sign in again at /login?again=1 to show that it is you, then do this once more."}

// againURL is where somebody who is signed in proves who they are, and goes on to next.
func againURL(next string) string { return "/login?again=1&next=" + url.QueryEscape(next) }

// proved reports that a person has proved of late who they are. Whoever has not is led to doing so, and then back here.
func (s *Site) proved(w http.ResponseWriter, r *http.Request, by store.Actor) bool {
	if !by.Unproved(s.store.Now()) {
		return true
	}
	http.Redirect(w, r, againURL(r.URL.RequestURI()), http.StatusSeeOther)
	return false
}

// filledIn is the page of the location's action with what was sent filled in, but for what is secret or too long for a URL.
func (at *location) filledIn(in param.Input) string {
	back := *at
	back.fill = url.Values{}
	i := at.route.index(at.name)
	for name, v := range in {
		if !slices.ContainsFunc(at.route.decls[i].Fields, func(f param.Field) bool { return f.Name == name && f.Kind != param.Secret && f.Kind != param.File }) {
			continue
		}
		switch v := v.(type) {
		case []string:
			back.fill[name] = v
		case []any:
			for _, x := range v {
				back.fill.Add(name, fmt.Sprint(x))
			}
		case map[string]any:
			for option, x := range v {
				back.fill.Set(name+"."+option, fmt.Sprint(x))
			}
		case nil:
		default:
			back.fill.Set(name, fmt.Sprint(v))
		}
	}
	if u := back.url(); len(u) <= wire.MaxURL {
		return u
	}
	back.fill = nil
	return back.url()
}
