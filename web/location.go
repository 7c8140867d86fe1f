package web

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web/wire"
)

// canonical returns the canonical form of a path: lower-case, decoded and without a trailing slash. It returns false
// for a path that programs may read in two ways, such as one with doubled slashes, dot segments, encoded slashes or
// backslashes. It also returns false for a path that is too long, does not begin with a slash, or has characters that a
// path must encode (RFC 3986 §3.3), even if they are encoded.
func canonical(escaped string) (string, bool) {
	if len(escaped) > wire.MaxURL || !strings.HasPrefix(escaped, "/") {
		return "", false
	}
	lower := strings.ToLower(escaped)
	if strings.Contains(lower, "%2f") || strings.Contains(lower, "%5c") || strings.Contains(lower, "%00") {
		return "", false
	}
	path, err := url.PathUnescape(escaped)
	if err != nil {
		return "", false
	}
	for i := range len(path) {
		if c := path[i] | 0x20; (c < 'a' || c > 'z') && strings.IndexByte("/0123456789-._~!$&'()*+,;=:@", path[i]) < 0 {
			return "", false
		}
	}
	if strings.Contains(path, "//") || strings.Contains(path+"/", "/./") || strings.Contains(path+"/", "/../") {
		return "", false
	}
	path = strings.ToLower(path)
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	return path, true
}

// withoutForm removes the suffix of the Markdown form from a canonical path, and reports whether there was one. "/x.md"
// becomes "/x", and "/index.md" becomes "/".
func withoutForm(path string) (string, bool) {
	rest, ok := strings.CutSuffix(path, ".md")
	switch {
	case !ok || rest == "/":
		return path, false
	case rest == "/index":
		return "/", true
	}
	return rest, true
}

// found pools the contexts of the router, because locate needs one only for a moment.
var found = sync.Pool{New: func() any { return chi.NewRouteContext() }}

// locate finds the page or action at a canonical path. It returns false if there is none.
func (s *Site) locate(path string, query url.Values) (*Location, bool) {
	at := &Location{path: path}
	if page, rest, ok := cutActions(path); ok {
		at.path, at.name, at.list = page, rest, rest == ""
	}
	match := found.Get().(*chi.Context)
	defer found.Put(match)
	match.Reset()
	route, ok := s.bound[s.pages.Find(match, http.MethodGet, at.path)]
	if !ok {
		return nil, false
	}
	at.route, at.args = route, slices.Clone(match.URLParams.Values)
	at.read(query)
	return at, true
}

// read divides the keys of a query into groups. A key that the route declares selects a view of the page. Any other key
// fills in the form on an action's page. On any other page such a key is ignored, with a note on the page, and so is a
// value that the route does not allow. A wait that ends at once is noted, too. The preview key and the viewKeys are
// skipped.
func (at *Location) read(query url.Values) {
	keep := func(to *url.Values, key string, v []string) {
		if *to == nil {
			*to = url.Values{}
		}
		(*to)[key] = v
	}
	for _, key := range slices.Sorted(maps.Keys(query)) {
		v, values := query[key], at.route.values[key]
		switch {
		case slices.Equal(values, timeValue):
			if _, ok := param.ParsePast(v[0], param.Clock{}); ok && len(v) == 1 {
				keep(&at.Query, key, v)
			} else if v[0] != "" {
				at.odd = append(at.odd, fmt.Sprintf("In the address %s is not read as a time. Write %s.",
					wire.Clip(key+"="+strings.Join(v, ","), 60), param.PastForms))
			}
		case values != nil && slices.ContainsFunc(v, func(s string) bool { return s != "" && !slices.Contains(values, s) }):
			at.odd = append(at.odd, fmt.Sprintf("In the address %s means nothing here: %s is one of %s.",
				wire.Clip(key+"="+strings.Join(v, ","), 60), key, strings.Join(values, ", ")))
		case slices.Contains(at.route.query, key):
			keep(&at.Query, key, v)
			if len(v) > 1 && !slices.Contains(repeatable, key) {
				at.odd = append(at.odd, fmt.Sprintf("In the address %s is there %d times: the first counts, and the rest "+
					"means nothing here.", key, len(v)))
			}
		case key == waitKey && at.name == "":
			if problem := waitProblem(v[0], query.Get(sinceKey)); problem != "" {
				at.odd = append(at.odd, problem)
			}
		case key == store.PreviewKey || slices.Contains(viewKeys, key):
		case at.name != "":
			keep(&at.fill, key, v)
		default:
			known := "it takes no such part"
			if len(at.route.query) > 0 {
				known = "it takes " + strings.Join(at.route.query, ", ")
			}
			at.odd = append(at.odd, fmt.Sprintf("In the address %s means nothing here: %s.", wire.Clip(key, 60), known))
		}
	}
}

// repeatable are the query keys that may occur several times. All their values count.
var repeatable = []string{"where"}

// timeValue declares that the values of a query key are times in the past, as in "since=TIME".
var timeValue = []string{"TIME"}

// Since returns the value of a query key as a time in the past, or the zero time if the key is missing or its value
// cannot be read.
func (at *Location) Since(key string, now time.Time, zone *time.Location) time.Time {
	since, _ := param.ParsePast(at.Query.Get(key), param.Clock{Now: now, Zone: zone})
	return since
}

// cutActions splits "/x/actions/name" into "/x" and "name", and "/x/actions" into "/x" and "". It returns false for any
// other path.
func cutActions(path string) (page, name string, ok bool) {
	if page, ok = strings.CutSuffix(path, "/actions"); !ok {
		i := strings.LastIndex(path, "/actions/")
		if i < 0 || strings.Contains(path[i+len("/actions/"):], "/") {
			return "", "", false
		}
		page, name = path[:i], path[i+len("/actions/"):]
	}
	page = cmp.Or(page, "/")
	return page, name, true
}

func (at *Location) url() string {
	u := at.path
	switch {
	case at.list:
		u = store.ActionURL(at.path, "")
	case at.name != "":
		u = store.ActionURL(at.path, at.name)
	}
	if len(at.fill) > 0 {
		all := maps.Clone(at.fill)
		maps.Copy(all, at.Query) // no key is in both maps
		return u + "?" + all.Encode()
	}
	return at.with(u)
}

func (at *Location) page() string { return at.with(at.path) }

// with returns the path u with the query that selects the view.
func (at *Location) with(u string) string {
	if len(at.Query) > 0 {
		u += "?" + at.Query.Encode()
	}
	return u
}

// resolve finds the location of a URL in text: a path, or an absolute URL of one of the origins. The error names the
// fault of the URL, or is [store.Missing] if there is no such page.
func (s *Site) resolve(raw string, origins ...string) (*Location, error) {
	raw = strings.TrimSpace(raw)
	bad := func(why string) (*Location, error) {
		return nil, store.Errorf(store.Invalid,
			"%s Give a path such as / or /whoami, or a full URL of this workspace.", why)
	}
	if len(raw) > wire.MaxURL {
		return bad("That URL is longer than 2,048 bytes.")
	}
	for _, o := range origins {
		if rest, ok := cutOrigin(raw, o); ok {
			raw = rest
			break
		}
	}
	if !strings.HasPrefix(raw, "/") {
		return bad("That is not a path of this workspace.")
	}
	if strings.HasPrefix(raw, "//") || strings.HasPrefix(raw, `/\`) {
		return bad("That names another host.")
	}
	raw, _, _ = strings.Cut(raw, "#")
	escaped, rawQuery, _ := strings.Cut(raw, "?")
	path, ok := canonical(escaped)
	if !ok {
		return bad("That path cannot be read in one way only.")
	}
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return bad("The part behind the question mark cannot be read.")
	}
	path, _ = withoutForm(path)
	at, ok := s.locate(path, query)
	if !ok {
		return nil, store.Missing()
	}
	if len(at.url()) > wire.MaxURL {
		return bad("That URL is longer than 2,048 bytes when it is written out.")
	}
	return at, nil
}

// cutOrigin removes the origin from an absolute URL, without regard to case. It returns false if the URL has another
// origin.
func cutOrigin(raw, origin string) (string, bool) {
	if origin == "" || len(raw) < len(origin) || !strings.EqualFold(raw[:len(origin)], origin) {
		return "", false
	}
	rest := raw[len(origin):]
	switch {
	case rest == "", rest[0] == '?', rest[0] == '#':
		return "/" + rest, true
	case rest[0] == '/':
		return rest, true
	}
	return "", false
}

// input returns the values of the address that are to fill in the form. Control fields count as unknown parameters,
// because they have no effect in an address.
func (at *Location) input() param.Input {
	in := param.FromForm(at.fill, nil)
	for name := range at.fill {
		if strings.HasPrefix(name, "_") && !param.OfPart(name) {
			in[name] = ""
		}
	}
	return in
}

// filledIn returns the URL of the action's page with the input in the form, except for secrets and files. If that URL
// would be too long, it has no input.
func (at *Location) filledIn(in param.Input) string {
	back := *at
	back.fill = url.Values{}
	i := at.route.index(at.name)
	for name, v := range in {
		if !slices.ContainsFunc(at.route.decls[i].Fields, func(f param.Field) bool {
			return f.Name == name && f.Kind != param.Secret && f.Kind != param.File
		}) {
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
