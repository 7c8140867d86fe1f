package page

// Plain is a line as plain text, with its times in words.
func Plain(in []Inline, c *Context) string {
	w := &htmlWriter{c: c}
	return w.plain(in)
}

// Text is what an inline says.
func (in Inline) Text() string { return in.text }

// URL is where a link leads; empty for what is no link.
func (in Inline) URL() string { return in.url }
