package web

import (
	"net/http"
	"strconv"
	"strings"
	"sync"

	"samepage/actions/action"
	"samepage/store"
	"samepage/store/memo"
	"samepage/views/card"
	"samepage/views/page"
	"samepage/web/wire"
)

// picturesURL is where the generic picture is, and the end of the address of a page's own, before its name.
const picturesURL = "/card/"

// pictureURL is where the picture of a page is. Its name changes with what it shows.
func pictureURL(path string, c card.Card) string {
	return strings.TrimSuffix(path, "/") + picturesURL + c.Name() + ".png"
}

// picturesKept is how many bytes of drawn pictures are remembered.
const picturesKept = 4 << 20

// drawing is a picture, or why there is none.
type drawing struct {
	png []byte
	err error
}

// Size is how many bytes it takes.
func (d *drawing) Size() int { return len(d.png) }

// newPictures remembers cards that were drawn. They are drawn one at a time, so that strangers who ask for them take no more than
// one processor.
func newPictures() *memo.Memo[card.Card, *drawing] {
	var one sync.Mutex
	return memo.New(picturesKept, func(c card.Card) *drawing {
		one.Lock()
		defer one.Unlock()
		data, err := c.PNG()
		return &drawing{data, err}
	})
}

var (
	anyOrigin      = []string{"cross-origin"}
	publicForDay   = []string{"public, max-age=86400, immutable"}
	privateForHour = []string{"private, max-age=3600, immutable"}
	pngMedia       = []string{"image/png"}
)

// genericPicture answers with the picture of all that says nothing of itself.
func (s *Site) genericPicture(w http.ResponseWriter, r *http.Request) {
	s.sendPicture(w, r, s.card(nil, nil), publicForDay)
}

// picture answers with the picture of a page: with its own to everybody if the page is public, or to whoever has a key; with
// the generic one of any other page, and of those that do not exist.
func (s *Site) picture(w http.ResponseWriter, r *http.Request) {
	if _, err := s.limits.take(s.crowd(r)); err != nil {
		s.fail(w, r, err)
		return
	}
	at, ok := s.locate(r.URL.Path[:strings.LastIndex(r.URL.Path, picturesURL)], nil)
	if !ok {
		s.fail(w, r, store.Missing())
		return
	}
	v, subject, err := s.publicPreview(r, at)
	cache := publicForDay
	if err == nil && v == nil {
		v, subject, err = s.unlocked(r, at)
		cache = privateForHour
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if v == nil || v.Image == "" {
		v, cache = nil, wire.PrivateNoCache
	}
	s.sendPicture(w, r, s.card(v, subject), cache)
}

// publicPreview is what a link to a page shows if everybody may see the page, else nil.
func (s *Site) publicPreview(r *http.Request, at *location) (v *page.Preview, subject action.Subject, err error) {
	err = s.store.Read(r.Context(), func(tx *store.Tx) (err error) {
		subject, err = at.route.find(tx, store.Actor{}, at)
		return err
	})
	if store.CodeOf(err) == store.NotFound {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return s.shows(at, subject, ""), subject, nil
}

// sendPicture answers with a card. It may be kept for so long as the cache says if it was asked for by its name: what was
// asked for by another has changed since.
func (s *Site) sendPicture(w http.ResponseWriter, r *http.Request, c card.Card, cache []string) {
	h := w.Header()
	etag := `"` + c.Name() + `"`
	h["Etag"], h["Cache-Control"], h["X-Robots-Tag"] = []string{etag}, cache, wire.NoIndex
	h["Cross-Origin-Resource-Policy"] = anyOrigin // a chat in a browser shows it on its own pages
	if !strings.HasSuffix(r.URL.Path, picturesURL+c.Name()+".png") {
		h["Cache-Control"] = wire.PrivateNoCache
	}
	if wire.Matches(r.Header.Get("If-None-Match"), etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	d := s.pictures.Get(c)
	if d.err != nil {
		for _, name := range []string{"Etag", "Cache-Control", "X-Robots-Tag"} {
			delete(h, name)
		}
		s.fail(w, r, d.err)
		return
	}
	h["Content-Type"], h["Content-Length"] = pngMedia, []string{strconv.Itoa(len(d.png))}
	w.Write(d.png)
}

// fits reports that a width or height that somebody can show at most, empty for any, is enough.
func fits(most string, n int) bool {
	if most == "" {
		return true
	}
	m, err := strconv.Atoi(most)
	return err == nil && m >= n
}
