package page

import "iter"

// Texts iterates over the text of every [Prose] and [Said] outside of [TraceStep.Output], and over the addresses of
// [Titled] links on a [Board].
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
		case Board:
			for url := range b.titled {
				if !yield(url) {
					return
				}
			}
		}
	}
}

// WithNotes returns the blocks of a page with notes at their beginning, but after an [Under].
func WithNotes(blocks []Block, notes ...Block) []Block {
	if len(blocks) > 0 {
		if u, is := blocks[0].(Under); is {
			return append(append([]Block{u}, notes...), blocks[1:]...)
		}
	}
	return append(notes, blocks...)
}

// inner iterates over the blocks and all blocks inside of them, the outer ones first. It leaves out those of
// [TraceStep.Output].
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
		case Prose:
			more = visit(b.Under, yield)
		case Said:
			more = visit(b.Replies, yield)
		}
		if !more {
			return false
		}
	}
	return true
}
