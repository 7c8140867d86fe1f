package rule

import (
	"path"
	"slices"
	"strings"
)

// plain are the characters that a word of a command in a rule may contain besides letters and digits.
const plain = "-_./:@%+,="

// Check returns a sentence about why nobody may make this rule, or "". A rule that allows needs a limit: equal
// requests, a folder, or at least two words of a command.
func (l Rule) Check() string {
	if l.Kind != "" && !slices.Contains(Kinds, l.Kind) && l.Reach != Same {
		return "There is no kind " + l.Kind + " of tools."
	}
	switch l.Reach {
	case Same:
		if l.Subject == "" {
			return "The request cannot be told from others."
		}
	case Folder:
		return l.checkFolder()
	case Command:
		return l.checkCommand()
	case Tool:
		if l.Verdict == Allow {
			return "A rule that allows needs a folder, or the first words of a command."
		}
	default:
		return "The rule covers nothing."
	}
	return ""
}

func (l Rule) checkFolder() string {
	switch {
	case !isFolder(l.Subject):
		return "Name a folder of the worktree, such as src or src/pages, without .. and outside of .git."
	case l.Kind == "" && l.Verdict != Allow, slices.Contains(FolderKinds, l.Kind):
		return ""
	}
	return "Only reading, changing, deleting and moving files can be limited to a folder."
}

func (l Rule) checkCommand() string {
	words := strings.Split(l.Subject, " ")
	if l.Kind != "execute" {
		return "Only running commands has the first words of a command."
	}
	if slices.ContainsFunc(words, func(w string) bool { return w == "" || strings.ContainsFunc(w, isSpecial) }) ||
		strings.Contains(words[0], "=") {
		return "Give plain words with one space between them, without quotes and characters that are special in a shell."
	}
	switch {
	case l.Verdict != Allow:
		return ""
	case len(words) < 2:
		return "Give at least two words: one word alone would allow too much."
	case slices.Contains(wrappers, path.Base(words[0])):
		return words[0] + " runs other programs, so that its first words do not say what runs."
	case slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") }):
		return "Leave out options, such as " + words[len(words)-1] + ": they could change what the other words mean."
	}
	return ""
}

func isSpecial(c rune) bool {
	return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune(plain, c)
}
