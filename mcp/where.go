package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

const maxCandidates = 5

// findTarget returns the action that a call names, with its page. The page comes from the argument action if it is a
// link, or from the argument url, or else from [walker.guess].
func (w *walker) findTarget(ctx context.Context, by caller, o executeArgs) (target, error) {
	named, err := w.page(by, o.url)
	if err != nil {
		return target{}, err
	}
	if strings.Contains(o.action, "/") {
		return w.fromLink(by, o, named)
	}
	if !isName(o.action) {
		return target{}, errors.New(
			"That is not the name of an action. Give it as the page lists it, such as cast_vote.",
		)
	}
	o.action = strings.ToLower(o.action) // letter case does not matter in addresses
	if o.url == "" {
		return w.guess(ctx, by, o.action)
	}
	if named.name == "" {
		named.name = o.action
		return named, nil
	}
	if named.name != o.action {
		return target{}, fmt.Errorf("action says %s and url says %s. Give the one you mean.", o.action, named.name)
	}
	return named, carriesNoValues(named)
}

// page parses the argument url, or the argument action if it is a link. It records the page as opened, even if the
// action fails later.
func (w *walker) page(by caller, raw string) (target, error) {
	if raw == "" {
		return target{}, nil
	}
	uri, err := w.locate(by, raw)
	if err != nil {
		return target{}, err
	}
	at := parseTarget(uri)
	w.visits.add(by.principal, at.page)
	return at, nil
}

// fromLink returns the target for an action that is given as a link. It returns an error if the link has a query, or if
// the argument url contradicts the link.
func (w *walker) fromLink(by caller, o executeArgs, named target) (target, error) {
	at, err := w.page(by, o.action)
	if err != nil {
		return target{}, err
	}
	if !isName(at.name) {
		return target{}, errors.New("That is not the link of an action, which ends in /actions/ and a " +
			"name. Give the action's name and the page's url.")
	}
	if named.page != "" && (!strings.EqualFold(named.page, at.page) || named.name != "" && named.name != at.name) {
		return target{}, fmt.Errorf("action is a link to %s and url says %s. Give the one you mean.",
			at.postURL(), o.url)
	}
	return at, carriesNoValues(at)
}

// carriesNoValues returns an error for a link with a query. The model meant these values as parameters, but they would
// not reach the action.
func carriesNoValues(at target) error {
	if at.query == "" {
		return nil
	}
	return fmt.Errorf("That link carries values (%s). Give the action's name and the page's url, and all "+
		"values as params.", at.query)
}

// guess returns the page that the caller opened last, if that page offers the action now and no other recently opened
// page does. It refuses to guess if some recently opened pages are no longer known, or if a wrong guess would do harm:
// for a ballot or a destructive action.
func (w *walker) guess(ctx context.Context, by caller, name string) (target, error) {
	opened, all := w.visits.recent(by.principal)
	var last offer // the offer on the most recently opened page
	var candidates []offer
	for i, page := range opened {
		o, err := w.offers(ctx, by, page, name)
		if err != nil {
			return target{}, err
		}
		if i == 0 {
			last = o
		}
		if o.offered && !slices.Contains(candidates, o) {
			candidates = append(candidates, o)
		}
		if len(candidates) == maxCandidates {
			break
		}
	}
	names := make([]string, len(candidates))
	for i, o := range candidates {
		names[i] = o.String()
	}
	switch {
	case len(candidates) < 2 && !all:
		return target{}, fmt.Errorf("You opened so many pages that it cannot be told which one %s is "+
			"for. Give the page's url.", name)
	case len(candidates) == 0:
		return target{}, fmt.Errorf("No page that you opened in the last 24 hours offers %s now. Open "+
			"the page with navigate, then give its url.", name)
	case len(candidates) > 1:
		return target{}, fmt.Errorf("More than one page that you opened offers %s. Give the url of the one you mean: %s.",
			name, strings.Join(names, ", "))
	case !last.offered:
		return target{}, fmt.Errorf("The page that you opened last does not offer %s. If you mean %s, give it as url.",
			name, names[0])
	case last.ballot:
		return target{}, fmt.Errorf("%s is a vote, so its page must be named. If you mean %s, give it as url.", name, names[0])
	case last.destructive:
		return target{}, fmt.Errorf("%s cannot be undone, so its page must be named. If you mean %s, give it as url.",
			name, names[0])
	}
	return target{page: last.page, name: name}, nil
}

type offer struct {
	page, title                  string // current address and title
	offered, destructive, ballot bool
}

func (o offer) String() string { return fmt.Sprintf("%s (%s)", o.page, oneLine(o.title)) }

// offers asks the site whether the page offers the action to the caller now.
func (w *walker) offers(ctx context.Context, by caller, page, name string) (offer, error) {
	unknown := fmt.Errorf("It cannot be told now which page %s is for. Give the page's url.", name)
	a, err := w.get(ctx, by, page, "application/json")
	if err != nil {
		return offer{}, unknown
	}
	if !a.ok() {
		switch a.status {
		case http.StatusForbidden, http.StatusNotFound, http.StatusGone:
			return offer{}, nil // the caller can no longer see the page
		}
		return offer{}, unknown
	}
	var offered struct {
		Title   string `json:"title"`
		Actions []struct {
			Name        string `json:"name"`
			Destructive bool   `json:"destructive"`
			Ballot      bool   `json:"ballot"`
		} `json:"actions"`
	}
	if err := json.Unmarshal([]byte(a.body), &offered); err != nil {
		return offer{}, unknown
	}
	o := offer{page: parseTarget(a.uri).page, title: offered.Title}
	for _, act := range offered.Actions {
		if act.Name == name {
			o.offered, o.destructive, o.ballot = true, act.Destructive, act.Ballot
		}
	}
	return o, nil
}

func isName(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}
