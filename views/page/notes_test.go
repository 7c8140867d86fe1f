package page

import (
	"slices"
	"testing"
)

// TestNotesComeAfterTheAuthor checks that notes come first on a page, but after a line with the author. HTML shows
// that line under the title only if it is the first block.
func TestNotesComeAfterTheAuthor(t *testing.T) {
	kinds := func(blocks []Block) (kinds []string) {
		for _, b := range blocks {
			switch b.(type) {
			case Under:
				kinds = append(kinds, "under")
			case Banner:
				kinds = append(kinds, "note")
			default:
				kinds = append(kinds, "text")
			}
		}
		return kinds
	}
	note, text := Banner{T("Note.")}, Para{T("Text.")}
	for _, c := range []struct {
		blocks []Block
		want   []string
	}{
		{nil, []string{"note"}},
		{[]Block{text}, []string{"note", "text"}},
		{[]Block{Under{T("By @bob")}, text}, []string{"under", "note", "text"}},
		{[]Block{text, Under{T("By @bob")}}, []string{"note", "text", "under"}},
	} {
		if got := kinds(WithNotes(c.blocks, note)); !slices.Equal(got, c.want) {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
	if got := kinds(WithNotes([]Block{Under{}, text})); !slices.Equal(got, []string{"under", "text"}) {
		t.Errorf("without a note: %v", got)
	}
}
