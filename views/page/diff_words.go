package page

import "strings"

// mostWords is the maximum number of words in a line for which changed words are emphasized.
const mostWords = 2000

// changedWords pairs removed lines with the added lines after them, and compares the two lines of each pair by words.
// It returns the changes by the index of the line in list. A pair is left out if less than a third of the words of its
// longer line are the same, or if a line has more than mostWords words.
func changedWords(list []string) map[int][]change {
	words := map[int][]change{}
	for i := 0; i < len(list); {
		removed := signed(list, i, '-')
		added := signed(list, i+removed, '+')
		for k := range min(removed, added) {
			x, y := strings.SplitAfter(list[i+k][1:], " "), strings.SplitAfter(list[i+removed+k][1:], " ")
			if len(x) > mostWords || len(y) > mostWords {
				continue
			}
			script := compare(x, y)
			same := len(x) + len(y) - len(script)
			if 3*same >= max(len(x), len(y)) {
				words[i+k], words[i+removed+k] = script, script
			}
		}
		i += max(removed+added, 1)
	}
	return words
}

// signed returns the number of consecutive lines from list[from] on that begin with the sign.
func signed(list []string, from int, sign byte) (n int) {
	for from+n < len(list) && list[from+n] != "" && list[from+n][0] == sign {
		n++
	}
	return n
}

// changedLine writes one line of a difference, with its changed words emphasized. The sign is '-' or '+'.
func (w *htmlWriter) changedLine(sign byte, script []change) {
	w.b = append(w.b, sign)
	inside := false
	for _, word := range script {
		if word.op != ' ' && word.op != sign {
			continue
		}
		if changed := word.op == sign; changed != inside {
			inside = changed
			if changed {
				w.raw("<strong>")
			} else {
				w.raw("</strong>")
			}
		}
		w.b = appendEscaped(w.b, word.line)
	}
	if inside {
		w.raw("</strong>")
	}
}
