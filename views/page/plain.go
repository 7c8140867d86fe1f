package page

// Plain returns a line as plain text, with times in words.
func Plain(in []Inline, c *Context) string {
	w := &htmlWriter{c: c}
	return w.plain(in)
}

// Text returns the text of an inline, without formatting.
func (in Inline) Text() string { return in.text }

// URL returns the address to which the inline leads, or "". For a pill with an icon from [Inline.Sign], it returns the
// name of the icon.
func (in Inline) URL() string { return in.url }
