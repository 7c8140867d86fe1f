// Package card draws the pictures of link previews, which are PNG files of 1200×630 pixels.
package card

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"time"

	"golang.org/x/image/font"

	"samepage/views/page"
)

// Width and Height are the size of a card in pixels.
const (
	Width  = 1200
	Height = 630
)

// MaxBytes is the maximum size of a card's PNG file. Some programs do not show larger pictures.
const MaxBytes = 200 << 10

// Card is the content of a picture. Equal cards give the same picture.
type Card struct {
	Site, Place, Kind, Title, State string
	Tone                            page.Tone
	Details                         [2]string // lines under the title; either may be empty
}

// Size returns the total length of the card's words in bytes.
func (c Card) Size() int {
	return len(c.Site) + len(c.Place) + len(c.Kind) + len(c.Title) + len(c.State) +
		len(c.Details[0]) + len(c.Details[1])
}

// Clone returns the card itself. No copy is needed, because its words are not parts of larger strings.
func (c Card) Clone() Card { return c }

// Of returns the card of a link preview, with times in the given zone. For a nil or untitled preview, the card has only
// the site's name.
//
// The fonts have the Latin, Greek and Cyrillic scripts. If a title has letters that cannot be drawn, the card shows the
// kind of page instead. Other texts with such letters are left out. Emoji and symbols that cannot be drawn are dropped
// one by one.
func Of(v *page.Preview, zone *time.Location, site string) Card {
	if site = drawable(site); site == "" {
		site = "Samepage"
	}
	c := Card{Site: site}
	if v == nil || v.Title == "" {
		return c
	}
	c.Place, c.Kind, c.Title = drawable(v.Place), drawable(v.Kind), drawable(v.Title)
	c.State, c.Tone = drawable(v.State), v.Tone
	if c.Title == "" {
		c.Title, c.Kind = c.Kind, ""
	}
	c.Details[0] = joined(drawable(v.Count), drawable(v.Due(zone)))
	if by := drawable(v.By); by != "" {
		c.Details[1] = "By " + by
	}
	return c
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " · " + b
}

// design is the version of the look of cards. Increase it after each change of the look, so that all cards get new
// names.
const design = 1

// Name returns a hash of the card's content as a short name for the picture.
func (c Card) Name() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %q", design,
		[]any{c.Site, c.Place, c.Kind, c.Title, c.State, c.Tone, c.Details}))
	return hex.EncodeToString(sum[:12])
}

// The brand colour is that of the logo.
var (
	paper = color.RGBA{0xfb, 0xfa, 0xf6, 0xff}
	ink   = color.RGBA{0x1c, 0x25, 0x22, 0xff}
	quiet = color.RGBA{0x5a, 0x66, 0x61, 0xff}
	brand = color.RGBA{0x2f, 0x5d, 0x50, 0xff}
	mint  = color.RGBA{0xcf, 0xe5, 0xda, 0xff}
	straw = color.RGBA{0xf4, 0xd5, 0x8d, 0xff}
	white = color.RGBA{0xff, 0xff, 0xff, 0xff}
)

// tones has the background colours of the labels, on which white text is readable.
var tones = map[page.Tone]color.RGBA{
	page.Calm: {0x55, 0x60, 0x6e, 0xff},
	page.Live: {0x1f, 0x5f, 0xa8, 0xff},
	page.Late: {0x9a, 0x5b, 0x00, 0xff},
	page.Good: {0x2c, 0x6e, 0x49, 0xff},
	page.Bad:  {0xa3, 0x32, 0x2d, 0xff},
	page.Runs: {0x65, 0x46, 0x80, 0xff},
	page.Soon: {0x55, 0x60, 0x6e, 0xff},
}

const (
	margin = 72
	inside = Width - 2*margin
)

// PNG draws the card and returns it as a PNG file.
func (c Card) PNG() ([]byte, error) {
	p, err := newPainter(image.Rect(0, 0, Width, Height))
	if err != nil {
		return nil, err
	}
	draw.Draw(p.m, p.m.Bounds(), image.NewUniform(paper), image.Point{}, draw.Src)
	if c.Title == "" {
		c.generic(p)
	} else {
		c.page(p)
	}
	if p.err != nil {
		return nil, p.err
	}
	var out bytes.Buffer
	if err := png.Encode(&out, reduced(p.m, palette(c.accent()))); err != nil {
		return nil, fmt.Errorf("encode a card: %w", err)
	}
	return out.Bytes(), nil
}

// generic draws a card without a title.
func (c Card) generic(p *painter) {
	p.box(0, 0, Width, Height, 0, brand)
	p.mark(margin-18, 160, 144)
	size, lines := p.fit(c.Site, true, []float64{96, 80, 64}, inside, 2)
	y := 410.0
	for _, line := range lines {
		p.text(line, true, size, margin, y, white)
		y += size * 1.15
	}
	p.text("Where people and their agents are on the same page.", false, 36, margin+2, y-size*1.15+72, mint)
}

func (c Card) accent() color.RGBA {
	if c.State == "" {
		return brand
	}
	return tones[c.Tone]
}

func (c Card) page(p *painter) {
	accent := c.accent()
	p.box(0, 0, Width, 14, 0, accent)
	p.mark(margin, 62, 60)
	x := p.text(c.Site, true, 32, margin+80, 104, brand)
	if c.Place != "" {
		p.text(p.clip(" /  "+c.Place, false, 32, Width-margin-x), false, 32, x+6, 104, quiet)
	}
	y := 226.0
	x = margin
	if c.State != "" {
		w := p.width(c.State, true, 34)
		p.box(x, y-45, w+56, 64, 32, accent)
		p.text(c.State, true, 34, x+28, y-1, white)
		x += w + 56 + 22
	}
	if c.Kind != "" {
		p.text(c.Kind, false, 34, x, y-1, quiet)
	}
	size, lines := p.fit(c.Title, true, []float64{76, 66, 58}, inside, 3)
	y = 256 + size
	for _, line := range lines {
		p.text(line, true, size, margin, y, ink)
		y += size * 1.18
	}
	y = Height - 52
	if c.Details[1] != "" {
		p.text(p.clip(c.Details[1], false, 34, inside), false, 34, margin, y, quiet)
		y -= 46
	}
	p.text(p.clip(c.Details[0], false, 34, inside), false, 34, margin, y, ink)
}

// painter draws on one picture. The field err is its first error.
type painter struct {
	m     *image.RGBA
	faces map[style]font.Face
	err   error
}

type style struct {
	bold bool
	size float64
}
