package web

import (
	"net/http"
	"strings"

	"samepage/actions/param"
	"samepage/store"
	"samepage/views/page"
)

// nearest returns links to pages that the actor may see and may have meant by a wrong address: the closest existing
// page above the address, and studios with a similar name.
func (s *Site) nearest(r *http.Request, by store.Actor) []page.Inline {
	var links []page.Inline
	if by.Runs() {
		return nil
	}
	path, _, _ := strings.Cut(r.URL.Path, "/actions")
	err := s.store.Read(r.Context(), func(tx *store.Tx) error {
		for up := path; len(up) > 1; {
			up = up[:strings.LastIndexByte(up, '/')]
			if up == "" {
				break
			}
			at, ok := s.locate(up, nil)
			if !ok {
				continue
			}
			subject, err := at.route.find(tx, by, at)
			if err != nil {
				continue
			}
			last := up[strings.LastIndexByte(up, '/')+1:]
			title, list := subject.Ref().Title, strings.ToUpper(last[:1])+last[1:] // such as "Studios"
			switch {
			case title == "":
				title = list
			case subject.Ref().URL != at.path:
				title = list + " of " + title
			}
			links = append(links, page.Link(title, up))
			break
		}
		parts := strings.Split(strings.Trim(path, "/"), "/")
		name := parts[min(1, len(parts)-1)]
		list, err := tx.Studios(by, "", 200)
		if err != nil {
			return err
		}
		for i := range list {
			if h := list[i].Handle; len(links) < 5 && h != name && alike(name, h) {
				links = append(links, page.Link(list[i].Name, list[i].URL()))
			}
		}
		return nil
	})
	if err != nil {
		s.log.Warn("the pages near a wrong address were not found", "error", err)
	}
	return links
}

// alike reports whether both names have at least three bytes and one begins with the other, or the names differ by at
// most two edits and at most half the length of the longer name.
func alike(a, b string) bool {
	if len(a) >= 3 && len(b) >= 3 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) {
		return true
	}
	return param.Distance(a, b) <= min(2, max(len(a), len(b))/2)
}
