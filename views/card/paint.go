package card

import (
	"fmt"
	"image"
	"image/color"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
	"golang.org/x/text/unicode/norm"
)

// fonts returns the regular font and the bold font.
var fonts = sync.OnceValues(func() (f [2]*sfnt.Font, err error) {
	for i, data := range [][]byte{goregular.TTF, gobold.TTF} {
		if f[i], err = opentype.Parse(data); err != nil {
			return f, fmt.Errorf("parse a font: %w", err)
		}
	}
	return f, nil
})

func newPainter(bounds image.Rectangle) (*painter, error) {
	if _, err := fonts(); err != nil {
		return nil, err
	}
	return &painter{m: image.NewRGBA(bounds), faces: map[style]font.Face{}}, nil
}

// longest is the maximum number of runes of a text that a card can show.
const longest = 300

// drawable returns a text on one line, without the symbols that the fonts cannot draw. The result is empty if a letter,
// digit or combining mark cannot be drawn, because leaving it out would change the word.
func drawable(text string) string {
	list, err := fonts()
	if err != nil {
		return ""
	}
	var buf sfnt.Buffer
	var out strings.Builder
	space := false
	for _, r := range norm.NFC.String(cut(text, longest)) {
		if r == utf8.RuneError {
			continue
		}
		if unicode.IsSpace(r) {
			space = out.Len() > 0
			continue
		}
		i, err := list[1].GlyphIndex(&buf, r)
		switch {
		case (err != nil || i == 0 || unicode.IsMark(r)) && (unicode.IsLetter(r) ||
			unicode.IsNumber(r) || unicode.IsMark(r) && !unicode.Is(unicode.Variation_Selector, r)):
			return ""
		case err != nil || i == 0 || !unicode.IsGraphic(r):
			continue
		}
		if space {
			out.WriteByte(' ')
			space = false
		}
		out.WriteRune(r)
	}
	return out.String()
}

func cut(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// face returns the font in the given weight and size. After an error the result may be nil.
func (p *painter) face(bold bool, size float64) font.Face {
	k := style{bold, size}
	if f, ok := p.faces[k]; ok || p.err != nil {
		return f
	}
	list, err := fonts()
	f := list[0]
	if bold {
		f = list[1]
	}
	if err == nil {
		p.faces[k], err = opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	}
	if err != nil {
		p.err = fmt.Errorf("make a font of size %v: %w", size, err)
	}
	return p.faces[k]
}

func (p *painter) width(s string, bold bool, size float64) float64 {
	f := p.face(bold, size)
	if f == nil {
		return 0
	}
	return float64(font.MeasureString(f, s)) / 64
}

// text draws a line of text from x on the baseline y, and returns the x coordinate of the text's end.
func (p *painter) text(s string, bold bool, size, x, y float64, c color.Color) float64 {
	f := p.face(bold, size)
	if f == nil {
		return x
	}
	d := font.Drawer{
		Dst:  p.m,
		Src:  image.NewUniform(c),
		Face: f,
		Dot:  fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(y * 64)},
	}
	d.DrawString(s)
	return float64(d.Dot.X) / 64
}

// clip shortens a line of text to at most the given width in pixels, and adds an ellipsis if it cuts.
func (p *painter) clip(s string, bold bool, size, most float64) string {
	if p.width(s, bold, size) <= most {
		return s
	}
	list := []rune(s)
	low, high := 0, len(list) // invariant: list[:low] fits, and list[:high] does not
	for high-low > 1 {
		if mid := (low + high) / 2; p.width(strings.TrimRight(string(list[:mid]), " ")+"…", bold, size) <= most {
			low = mid
		} else {
			high = mid
		}
	}
	return strings.TrimRight(string(list[:low]), " ") + "…"
}

// fit breaks a text into lines of at most the given width. It uses the first size that needs at most the given number
// of lines, or else the last size, and then cuts the text.
func (p *painter) fit(s string, bold bool, sizes []float64, most float64, lines int) (size float64, list []string) {
	for _, size = range sizes {
		if list = p.wrap(s, bold, size, most); len(list) <= lines {
			return size, list
		}
	}
	last := strings.Join(list[lines-1:], " ")
	return size, append(list[:lines-1:lines-1], p.clip(last, bold, size, most))
}

// wrap breaks a text into lines between words, and also inside a word that is wider than a line.
func (p *painter) wrap(s string, bold bool, size, most float64) (list []string) {
	line := ""
	for _, word := range strings.Fields(s) {
		if longer := strings.TrimLeft(line+" "+word, " "); p.width(longer, bold, size) <= most {
			line = longer
			continue
		}
		if line != "" {
			list = append(list, line)
		}
		for line = word; p.width(line, bold, size) > most; {
			n := len([]rune(strings.TrimSuffix(p.clip(line, bold, size, most), "…")))
			n = max(n, 1)
			list = append(list, string([]rune(line)[:n]))
			line = string([]rune(line)[n:])
		}
	}
	if line != "" {
		list = append(list, line)
	}
	return list
}

func (p *painter) box(x, y, w, h, radius float64, c color.Color) {
	p.shape(x, y, w, h, c, func(r *vector.Rasterizer, left, top float64) {
		rounded(r, x-left, y-top, w, h, radius, false)
	})
}

// frame draws the outline of a rectangle with round corners. The argument wide is the width of the outline.
func (p *painter) frame(x, y, w, h, radius, wide float64, c color.Color) {
	half := wide / 2
	p.shape(x-half, y-half, w+wide, h+wide, c, func(r *vector.Rasterizer, left, top float64) {
		rounded(r, x-half-left, y-half-top, w+wide, h+wide, radius+half, false)
		rounded(r, x+half-left, y+half-top, w-wide, h-wide, radius-half, true)
	})
}

// shape fills a path inside a rectangle. The function path draws relative to the point (left, top) of the picture.
func (p *painter) shape(x, y, w, h float64, c color.Color, path func(r *vector.Rasterizer, left, top float64)) {
	b := image.Rect(int(x)-1, int(y)-1, int(x+w)+2, int(y+h)+2).Intersect(p.m.Bounds())
	r := vector.NewRasterizer(b.Dx(), b.Dy())
	path(r, float64(b.Min.X), float64(b.Min.Y))
	r.Draw(p.m, b, image.NewUniform(c), image.Point{})
}

// rounded adds a rectangle with round corners to a path. A backwards path cuts a hole into the shape around it.
func rounded(r *vector.Rasterizer, x, y, w, h, radius float64, backwards bool) {
	const bend = 0.5523 // the handle length with which a cubic curve approximates a quarter of a circle of radius 1
	k := radius * (1 - bend)
	type point struct{ x, y float64 }
	// Each corner has the start of the curve, its two control points, and its end.
	corners := [4][4]point{
		{{x + w - radius, y}, {x + w - k, y}, {x + w, y + k}, {x + w, y + radius}},
		{{x + w, y + h - radius}, {x + w, y + h - k}, {x + w - k, y + h}, {x + w - radius, y + h}},
		{{x + radius, y + h}, {x + k, y + h}, {x, y + h - k}, {x, y + h - radius}},
		{{x, y + radius}, {x, y + k}, {x + k, y}, {x + radius, y}},
	}
	for n := range corners {
		c := corners[n]
		if backwards {
			c = corners[3-n]
			c[0], c[1], c[2], c[3] = c[3], c[2], c[1], c[0]
		}
		if n == 0 {
			r.MoveTo(float32(c[0].x), float32(c[0].y))
		} else {
			r.LineTo(float32(c[0].x), float32(c[0].y))
		}
		r.CubeTo(float32(c[1].x), float32(c[1].y), float32(c[2].x), float32(c[2].y), float32(c[3].x), float32(c[3].y))
	}
	r.ClosePath()
}

// mark draws the logo, which is also in web/static/icon.svg.
func (p *painter) mark(x, y, size float64) {
	u := size / 32
	p.box(x, y, size, size, 8*u, brand)
	p.frame(x+6.5*u, y+6.5*u, 13*u, 16*u, 2.5*u, 2*u, mint)
	p.frame(x+12.5*u, y+9.5*u, 13*u, 16*u, 2.5*u, 2*u, mint)
	p.box(x+13.5*u, y+10.5*u, 5*u, 11*u, 2*u, straw)
}

// palette returns the colours of a card, with mixtures of each two colours that can meet, for smooth edges.
func palette(accent color.RGBA) color.Palette {
	const steps = 24
	var list color.Palette
	for _, pair := range [][2]color.RGBA{{paper, ink}, {paper, quiet}, {paper, brand},
		{paper, accent}, {accent, white}, {brand, white}, {brand, mint}, {brand, straw},
		{mint, straw}} {
		for i := range steps + 1 {
			mix := func(a, b uint8) uint8 { return uint8((int(a)*(steps-i) + int(b)*i + steps/2) / steps) }
			list = append(list, color.RGBA{mix(pair[0].R, pair[1].R), mix(pair[0].G, pair[1].G),
				mix(pair[0].B, pair[1].B), 0xff})
		}
	}
	return list
}

// reduced returns a picture with only the colours of a palette, for a smaller PNG file.
func reduced(m *image.RGBA, colours color.Palette) *image.Paletted {
	out := image.NewPaletted(m.Bounds(), colours)
	known := map[[4]uint8]uint8{}
	var last [4]uint8
	var index uint8
	for i := range out.Pix {
		if c := [4]uint8(m.Pix[4*i : 4*i+4]); c != last || i == 0 {
			n, ok := known[c]
			if !ok {
				n = uint8(colours.Index(color.RGBA{c[0], c[1], c[2], c[3]}))
				known[c] = n
			}
			last, index = c, n
		}
		out.Pix[i] = index
	}
	return out
}
