package web

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/go-chi/chi/v5"

	"samepage/store"
)

// avatarName matches the name of a picture, see [page.AvatarURL]: its shape, its letter and its colour.
var avatarName = regexp.MustCompile(`^(person|agent)-([a-z0-9-])-([a-l])\.svg$`)

// personColors has the background of the picture of a person, and agentColors the rim of that of an agent. The
// contrast of each background with white text, and of each rim with the dark inside, is at least 4.5 to 1.
var (
	personColors = [...]string{"#2d6a58", "#8a5926", "#72478f", "#2c5d8f", "#a03d33", "#5d6626", "#8f3f68", "#3b6b7d",
		"#6b5b2e", "#4e5aa0", "#7a4a3a", "#39693a"}
	agentColors = [...]string{"#8fd3b8", "#e3b784", "#cfb1e6", "#9cc4ec", "#f0a99f", "#c6d07e", "#eba9c8", "#9fd0e0",
		"#d9c684", "#b3bdf2", "#dfb3a2", "#a5d6a3"}
)

// avatar answers with the picture of a person or an agent. The URL determines the picture, so a browser may keep it for
// ever.
func (s *Site) avatar(w http.ResponseWriter, r *http.Request) {
	parts := avatarName.FindStringSubmatch(chi.URLParam(r, "name"))
	if parts == nil {
		s.fail(w, r, store.Missing())
		return
	}
	hue := parts[3][0] - 'a'
	shape := fmt.Sprintf(`<circle cx="16" cy="16" r="15.5" fill="%s"/>`, personColors[hue])
	ink := "#fff"
	if parts[1] == "agent" {
		ink = agentColors[hue]
		shape = `<path d="M16 1.4 28.6 8.7v14.6L16 30.6 3.4 23.3V8.7z" fill="#1b2a24" stroke="` + ink +
			`" stroke-width="2.2" stroke-linejoin="round"/>`
	}
	letter := fmt.Sprintf(`<text x="16" y="21" fill="%s" font-family="system-ui, sans-serif" font-size="14" `+
		`font-weight="600" text-anchor="middle">%s</text>`, ink, strings.ToUpper(parts[2]))
	if parts[2] == "-" {
		letter = fmt.Sprintf(`<circle cx="16" cy="16" r="4" fill="%s"/>`, ink)
	}
	h := w.Header()
	h.Set("Content-Type", "image/svg+xml")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">%s%s</svg>`, shape, letter)
}
