package governance

import (
	"regexp"
	"strings"

	"samepage/store"
)

// Box is a checkbox in a text, such as "- [ ] Order seeds".
type Box struct {
	Text string // the rest of the line after the box
	Done bool
	at   int // byte offset in the text of the character between the brackets
}

var boxLine = regexp.MustCompile(`^(?:[ \t]|>)*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\][ \t]+(\S[^\r\n]*)`)

// Boxes lists the checkboxes of a Markdown text in order. It skips fenced code blocks.
func Boxes(text string) (list []Box) {
	fence, at := "", 0
	for line := range strings.Lines(text) {
		bare := strings.TrimLeft(line, " >")
		switch ticks := len(bare) - len(strings.TrimLeft(bare, "`~")); {
		case fence != "" && strings.HasPrefix(bare, fence):
			fence = ""
		case fence != "":
		case ticks >= 3:
			fence = bare[:3]
		default:
			if m := boxLine.FindStringSubmatchIndex(line); m != nil {
				list = append(list, Box{strings.TrimSpace(line[m[4]:m[5]]), line[m[2]] != ' ', at + m[2]})
			}
		}
		at += len(line)
	}
	return list
}

// Tick ticks one box of the text, or clears the box if done is false, and returns the new text. The parameter `box` is
// the number of the box, from 1. Tick returns [store.Invalid] if there is no such box.
func Tick(text string, box int, done bool) (string, error) {
	list := Boxes(text)
	if box < 1 || box > len(list) {
		return "", store.Errorf(store.Invalid, "The text has %d boxes.", len(list))
	}
	mark := " "
	if done {
		mark = "x"
	}
	at := list[box-1].at
	return text[:at] + mark + text[at+1:], nil
}
