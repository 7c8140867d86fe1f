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

// maxCandidates is the number of pages in the answer to an ambiguous name.
const maxCandidates = 5

// findTarget determines the page of an order: by the action's own link, by the page's url, or,
// for a bare name, by the pages that the caller recently opened or named, if only one page is
// possible and a wrong guess does no harm.
func (w *walker) findTarget(ctx context.Context, by caller, o order) (target, error) {
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
	return named, carriesNoValues(named, o)
}

// page reads the url of an order, which may be missing. Its page counts as opened even if the
// order fails, because a bare name in the next call may mean it.
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

// fromLink returns the target of an action given by its link, which must not contradict the url, if
// there is one.
func (w *walker) fromLink(by caller, o order, named target) (target, error) {
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
	return at, carriesNoValues(at, o)
}

// carriesNoValues refuses a prefilled link without params: the link's values were meant, and an
// action without them would be another one.
func carriesNoValues(at target, o order) error {
	if at.query == "" || string(o.Params) != "{}" {
		return nil
	}
	return fmt.Errorf("That link carries values (%s). Give them as params.", at.query)
}

// guess returns the one page that the caller recently opened or named and that offers the action
// now.
func (w *walker) guess(ctx context.Context, by caller, name string) (target, error) {
	var pages []string
	var destructive bool
	opened, all := w.visits.recent(by.principal)
	for _, page := range opened {
		o, err := w.offers(ctx, by, page, name)
		if err != nil {
			return target{}, err
		}
		if !o.offered || slices.Contains(pages, o.page) {
			continue
		}
		pages = append(pages, o.page)
		destructive = o.destructive
		if len(pages) == maxCandidates {
			break
		}
	}
	switch {
	case len(pages) < 2 && !all:
		return target{}, fmt.Errorf("You opened so many pages that it cannot be told which one %s is "+
			"for. Give the page's url.", name)
	case len(pages) == 0:
		return target{}, fmt.Errorf("No page that you opened in the last 24 hours offers %s now. Open "+
			"the page with navigate, then give its url.", name)
	case len(pages) > 1:
		return target{}, fmt.Errorf(
			"More than one page that you opened offers %s. Give the url of the one you mean: %s.",
			name,
			strings.Join(pages, ", "),
		)
	case destructive:
		return target{}, fmt.Errorf(
			"%s cannot be undone, so its page must be named. If you mean %s, give it as url.",
			name,
			pages[0],
		)
	}
	return target{page: pages[0], name: name}, nil
}

// offer is a page's offer of an action.
type offer struct {
	page                 string // the page's present name
	offered, destructive bool
}

// offers asks the site whether the page offers the action to the caller now. If the answer is
// unknown, it returns an error, so that the action is not guessed.
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
		Actions []struct {
			Name        string `json:"name"`
			Destructive bool   `json:"destructive"`
		} `json:"actions"`
	}
	if err := json.Unmarshal([]byte(a.body), &offered); err != nil {
		return offer{}, unknown
	}
	o := offer{page: parseTarget(a.uri).page}
	for _, act := range offered.Actions {
		if act.Name == name {
			o.offered, o.destructive = true, act.Destructive
		}
	}
	return o, nil
}

// isName reports whether a string can be the name of an action.
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
