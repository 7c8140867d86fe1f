package governance

import (
	"unicode/utf8"

	"samepage/store"
)

// mostEmoji is the greatest number of different reactions to one message.
const mostEmoji = 20

// MustBeEditableBy returns [store.Forbidden] unless the actor is the author and is in the studio. It returns
// [store.Conflict] for an archived studio.
func (m *Message) MustBeEditableBy(by store.Actor) error {
	if err := m.Studio.MustBeJoined(); err != nil {
		return err
	}
	if !by.Is(m.MemberID) {
		return store.Errorf(store.Forbidden, "Only @%s can edit this message.", m.Member)
	}
	return nil
}

// MustBeDeletableBy returns [store.Forbidden] unless the actor is the author, the studio's leader or secretary, or the
// organization's owner. It refuses actors outside the studio.
func (m *Message) MustBeDeletableBy(by store.Actor) error {
	if err := m.Studio.MustBeJoined(); err != nil {
		return err
	}
	return m.MustBeChairedBy(by)
}

// MustTakeBackReactionOf returns [store.Conflict] if the acting member has not reacted to the message. It refuses
// actors outside the studio.
func (m *Message) MustTakeBackReactionOf(_ store.Actor) error {
	if err := m.Studio.MustBeJoined(); err != nil {
		return err
	}
	for _, r := range m.Reactions {
		if r.Mine {
			return nil
		}
	}
	return store.Errorf(store.Conflict, "You have not reacted to this message.")
}

// MustTakeReaction returns [store.Invalid] if the text is not a single emoji, if the acting member has reacted with it
// already, or if the message has [mostEmoji] others.
func (m *Message) MustTakeReaction(emoji string) error {
	if !isEmoji(emoji) {
		return store.Errorf(store.Invalid, "Give a single emoji, such as 👍.")
	}
	for _, r := range m.Reactions {
		if r.Emoji == emoji {
			if r.Mine {
				return store.Errorf(store.Invalid, "You have reacted with %s already.", emoji)
			}
			return nil
		}
	}
	if len(m.Reactions) >= mostEmoji {
		return store.Errorf(store.Invalid, "This message has %d different reactions. Use one of them.", mostEmoji)
	}
	return nil
}

// These code points, and ends of ranges of code points, combine with others into one emoji.
const (
	joiner       = 0x200D
	emojiLook    = 0xFE0F
	keycap       = 0x20E3
	tagFirst     = 0xE0020
	tagLast      = 0xE007F
	skinFirst    = 0x1F3FB
	skinLast     = 0x1F3FF
	flagFirst    = 0x1F1E6
	flagLast     = 0x1F1FF
	longestEmoji = 12 // in code points
)

// isEmoji reports whether a text is one emoji. It knows only the Unicode blocks with emoji, so it is also true for
// other symbols of these blocks.
func isEmoji(s string) bool {
	if !utf8.ValidString(s) || utf8.RuneCountInString(s) > longestEmoji {
		return false
	}
	runes := []rune(s)
	if n := len(runes); n >= 2 && n <= 3 && runes[n-1] == keycap && (n == 2 || runes[1] == emojiLook) {
		c := runes[0]
		return c >= '0' && c <= '9' || c == '#' || c == '*'
	}
	if len(runes) == 2 && isFlag(runes[0]) && isFlag(runes[1]) {
		return true
	}
	wanted := true // a pictograph must come next
	for _, c := range runes {
		switch {
		case wanted && pictograph(c):
			wanted = false
		case wanted:
			return false
		case c == joiner:
			wanted = true
		case c == emojiLook, c >= skinFirst && c <= skinLast, c >= tagFirst && c <= tagLast:
		default:
			return false
		}
	}
	return !wanted
}

func isFlag(c rune) bool { return c >= flagFirst && c <= flagLast }

func pictograph(c rune) bool {
	switch {
	case isFlag(c), c >= skinFirst && c <= skinLast:
		return false
	}
	return c >= 0x1F000 && c <= 0x1FAFF || c >= 0x2600 && c <= 0x27BF || c >= 0x2B00 && c <= 0x2BFF || c >= 0x2190 && c <= 0x21FF ||
		c >= 0x2300 && c <= 0x23FF || c >= 0x25A0 && c <= 0x25FF || c == 0x203C || c == 0x2049 || c == 0x3030 || c == 0x303D ||
		c == 0x3297 || c == 0x3299 || c == 0x2122 || c == 0x2139
}
