package web

import (
	"net/http"
	"strings"

	"samepage/store"
	"samepage/views/page"
)

// nearest names pages near a wrong address that the actor may see: the nearest page above it that exists, and studios whose
// names look alike.
func (s *Site) nearest(r *http.Request, by store.Actor) []page.Inline {
	var links []page.Inline
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
			title := subject.Ref().Title
			if title == "" {
				title = up
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
		s.log.Warn("nearest pages", "error", err)
	}
	return links
}

// alike reports that a and b are near: one begins the other, or at most two edits apart and no more than half of it.
func alike(a, b string) bool {
	if len(a) >= 3 && len(b) >= 3 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) {
		return true
	}
	if len(a) > 40 || len(b) > 40 {
		return false
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		last := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := last
			if a[i-1] != b[j-1] {
				cost++
			}
			last = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)] <= min(2, max(len(a), len(b))/2)
}
