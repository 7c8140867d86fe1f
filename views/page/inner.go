package page

import "iter"

// Texts calls yield with the text of every [Prose] and [Said] on the page, until yield returns false.
func (p *Page) Texts(yield func(string) bool) {
	for b := range inner(p.Blocks) {
		switch b := b.(type) {
		case Prose:
			if !yield(b.Text) {
				return
			}
		case Said:
			if !yield(b.Text) {
				return
			}
		}
	}
}

// inner iterates over the blocks and all blocks inside of them. A block comes before those inside of it.
func inner(bs []Block) iter.Seq[Block] {
	return func(yield func(Block) bool) { visit(bs, yield) }
}

func visit(bs []Block, yield func(Block) bool) bool {
	for _, b := range bs {
		if !yield(b) {
			return false
		}
		more := true
		switch b := b.(type) {
		case Section:
			more = visit(b.Blocks, yield)
		case Details:
			more = visit(b.Blocks, yield)
		case Rail:
			more = visit(b, yield)
		case Talk:
			more = visit(b.Blocks, yield)
		}
		if !more {
			return false
		}
	}
	return true
}
