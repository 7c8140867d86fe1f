package page

// Plain returns a line as plain text. Times are in words.
func Plain(in []Inline, c *Context) string {
	w := &htmlWriter{c: c}
	return w.plain(in)
}

// Text returns the text of an inline, without formatting.
func (in Inline) Text() string { return in.text }

// URL returns the address of a link. For any other inline, the result is empty.
func (in Inline) URL() string { return in.url }
