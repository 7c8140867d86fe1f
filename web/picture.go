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

// picturesURL separates the URL of a page from the name of the page's picture. It also begins the URL of the generic
// picture.
const picturesURL = "/card/"

// pictureURL returns the URL of a page's picture. The URL changes with the card, because it has a digest of the card.
func pictureURL(path string, c card.Card) string {
	return strings.TrimSuffix(path, "/") + picturesURL + c.Name() + ".png"
}

// picturesKept is the size of the cache of pictures, in bytes.
const picturesKept = 4 << 20

type drawing struct {
	png []byte
	err error
}

// Size returns the size of the picture for the cache, in bytes.
func (d *drawing) Size() int { return len(d.png) }

// newPictures returns the cache of pictures. Only one picture is drawn at a time, so that anonymous requests occupy at
// most one processor.
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

func (s *Site) genericPicture(w http.ResponseWriter, r *http.Request) {
	s.sendPicture(w, r, s.card(nil, nil), publicForDay)
}

// picture answers with the picture of a page that is public, or if the request has the preview key of the page. For any
// other path of a route it answers with the generic picture, so that the answer does not tell whether the subject
// exists.
func (s *Site) picture(w http.ResponseWriter, r *http.Request) {
	at, ok := s.locate(r.URL.Path[:strings.LastIndex(r.URL.Path, picturesURL)], nil)
	if !ok {
		s.fail(w, r, store.Missing())
		return
	}
	v, subject, err := s.publicPreview(r, at)
	cache := publicForDay
	if err == nil && v == nil {
		v, subject, err = s.previewByKey(r, at)
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

// publicPreview returns the preview and the subject of a page that everybody may see. Both are nil for any other page.
func (s *Site) publicPreview(r *http.Request, at *Location) (v *page.Preview, subject action.Subject, err error) {
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
	return s.previewOf(at, subject, ""), subject, nil
}

// sendPicture answers with the picture of a card. The answer has the given Cache-Control only if the URL has the name
// of this card.
func (s *Site) sendPicture(w http.ResponseWriter, r *http.Request, c card.Card, cache []string) {
	h := w.Header()
	etag := `"` + c.Name() + `"`
	h["Etag"], h["Cache-Control"], h["X-Robots-Tag"] = []string{etag}, cache, wire.NoIndex
	h["Cross-Origin-Resource-Policy"] = anyOrigin // chat programs on the web show the picture on their own pages
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

// fits reports whether n is within a limit that is given as text. An empty text means no limit. If the text is not a
// number, nothing fits.
func fits(most string, n int) bool {
	if most == "" {
		return true
	}
	m, err := strconv.Atoi(most)
	return err == nil && m >= n
}
