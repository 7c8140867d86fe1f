package web

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/go-chi/chi/v5"

	"samepage/store"
)

// avatarName matches the last part of a [page.AvatarURL]: the shape, the letter and the colour.
var avatarName = regexp.MustCompile(`^(person|agent)-([a-z0-9-])-([a-p])\.svg$`)

// personColors are the background colours of pictures of people. agentColors are the inside and the rim of pictures of
// agents, with the same index as the colour of the agent's member. The contrast of each background with white text, and
// of each rim with its inside, is at least 4.5 to 1.
var (
	personColors = [...]string{"#8f3f68", "#3b6b7d", "#764889", "#5b682b", "#8a5926", "#4e5aa0", "#7a4a3a", "#2c6a56",
		"#39693a", "#a0443a", "#6b5b2e", "#5a5f6b", "#855070", "#2f6f74", "#6a4fa0", "#2d5f8d"}
	agentColors = [...][2]string{{"#3a1529", "#eba9c8"}, {"#122c36", "#9fd0e0"}, {"#2d1838", "#d9b5ea"}, {"#272d0f", "#c6d07e"},
		{"#3a2710", "#e6bd86"}, {"#1c2145", "#b3bdf2"}, {"#341d15", "#dfb3a2"}, {"#16382c", "#8fd3b8"},
		{"#152d16", "#a5d6a3"}, {"#3d1713", "#f0a99f"}, {"#2c250f", "#d9c684"}, {"#22252c", "#c3c8d4"},
		{"#351a2a", "#e5b3cc"}, {"#0f2d30", "#93d3d6"}, {"#261a42", "#c8b6f0"}, {"#12273d", "#9cc4ec"}}
)

// avatar answers with the picture of a person or an agent. Browsers may keep it for a year, because the URL determines
// it.
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
		ink = agentColors[hue][1]
		shape = `<path d="M16 1.4 28.6 8.7v14.6L16 30.6 3.4 23.3V8.7z" fill="` + agentColors[hue][0] + `" stroke="` + ink +
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
