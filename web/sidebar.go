package web

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"samepage/store"
	"samepage/store/credential"
	"samepage/store/memo"
	"samepage/views"
	"samepage/views/page"
)

// surroundings is the cached data of a reader's navigation. It is valid until something changes in the reader's
// organizations, or the minute ends.
type surroundings struct {
	version string
	*store.Surroundings
}

func newSidebars() *memo.Recent[string, surroundings] {
	return memo.NewRecent[string, surroundings](4000)
}

func (s *Site) surroundings(r *http.Request, by store.Actor) (*store.Surroundings, error) {
	version := strconv.FormatInt(s.store.Now().Unix()/60, 10) + "-" + perMembership(by, func(m *store.Member) string {
		return strconv.FormatInt(m.Head, 10) + "." + strconv.FormatInt(m.Own, 10)
	})
	if kept := s.sidebars.Get(by.UserID); kept.version == version {
		return kept.Surroundings, nil
	}
	var v *store.Surroundings
	err := s.store.Read(r.Context(), func(tx *store.Tx) (err error) {
		v, err = tx.ShowSurroundings(by)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.sidebars.Put(by.UserID, func(surroundings) surroundings { return surroundings{version, v} })
	return v, nil
}

// sidebar returns the navigation for a person on a page of the organization org, which may be empty. If the data cannot
// be read, the sidebar has no studios and no agents, and counts nothing that waits.
func (s *Site) sidebar(r *http.Request, by store.Actor, org string) *page.Sidebar {
	v, err := s.surroundings(r, by)
	if err != nil {
		s.log.Warn("the navigation of a page could not be read", "error", err)
		v = &store.Surroundings{}
	}
	side := &page.Sidebar{Name: s.config.Name, SearchAt: searchURL, Unread: by.Unread(),
		Waiting: min(v.Waiting+v.Asked+len(v.Wanted), store.MostCounted), Asked: v.Asked}
	side.Name = cmp.Or(side.Name, "Samepage")
	here := by.Member
	if org == "" && len(by.Members) == 1 {
		here = &by.Members[0]
	}
	for i := range by.Members {
		m := &by.Members[i]
		if i < maxSwitch {
			side.Orgs = append(side.Orgs, page.Place{Name: m.OrgName, URL: "/orgs/" + m.Org})
		}
	}
	if here != nil {
		side.Name, side.Reader, side.Called = here.OrgName, "@"+here.Handle, here.Name
		side.Journal = "/orgs/" + here.Org + "/journal"
		side.Direct, side.DirectUnread = "/orgs/"+here.Org+"/dm", min(here.DirectUnread, mostNew)
		side.Own = append(side.Own, page.Place{Name: "Your page", URL: here.URL(), Icon: "eye"})
	}
	side.Studios = studioPlaces(v, here, r.URL.Path)
	for i := range v.Agents {
		a := &v.Agents[i]
		if here == nil || a.Org == here.Org {
			asks := slices.ContainsFunc(v.Wanted, func(r store.Request) bool { return r.IsOf(by, a.Org, a.Label) })
			side.Agents = append(side.Agents, page.Place{Name: a.Label, URL: store.AgentURL(a.Org, a.ID), Waits: a.Waits || asks})
		}
	}
	side.Own = append(side.Own, page.Place{Name: "Account", URL: credential.AccountURL, Icon: "settings"})
	if len(by.Members) > 0 {
		side.Own = append(side.Own, page.Place{Name: "Agents and tokens", URL: by.TokensURL(), Icon: "key"})
	}
	side.Own = append(side.Own, page.Place{Name: "Help", URL: "/help", Icon: "help"})
	return side
}

// studioPlaces returns the reader's studios, each under its parent. If the membership here is not nil, only the studios
// of its organization are returned. A studio's channel is included if it has new messages, and on the studio's own
// pages.
func studioPlaces(v *store.Surroundings, here *store.Member, path string) []page.Place {
	mine := map[string]bool{}
	for i := range v.Studios {
		mine[v.Studios[i].ID] = true
	}
	var below func(parent string) []page.Place
	below = func(parent string) (list []page.Place) {
		for i := range v.Studios {
			st := &v.Studios[i]
			top := st.ParentID == "" || !mine[st.ParentID]
			if here != nil && st.OrgID != here.OrgID || st.ParentID != parent && !(parent == "" && top) {
				continue
			}
			place := page.Place{Name: st.Name, URL: st.URL(), Icon: "studio", News: v.News[st.ID], Below: below(st.ID)}
			if talk := talkPlace(st); talk != nil && (talk.Count > 0 || path == st.URL() || strings.HasPrefix(path, st.URL()+"/")) {
				place.Below = append([]page.Place{*talk}, place.Below...)
			}
			list = append(list, place)
		}
		return list
	}
	return below("")
}

// talkPlace returns the link to the channel of a studio, or nil if no kind of item is [store.Kind.Spoken].
func talkPlace(st *store.Studio) *page.Place {
	for _, n := range nouns() {
		if words, ok := views.NounOf(n.Kind.Name); ok && n.Kind.Spoken {
			return &page.Place{Name: words.Many, URL: st.URL() + words.Path, Icon: words.Icon, Count: min(st.Unheard(), mostNew)}
		}
	}
	return nil
}

// mostNew is the largest number of new messages that the navigation shows.
const mostNew = 99
