package account

import (
	"cmp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"samepage/store"
)

// letters replaces Latin letters that Unicode does not decompose, such as "ß" by "ss". It drops apostrophes.
var letters = strings.NewReplacer("ß", "ss", "æ", "ae", "ø", "o", "œ", "oe", "đ", "d", "ð", "d", "ł", "l", "þ", "th",
	"ı", "i", "'", "", "’", "")

// handleFrom makes "meadow-cooperative" from "Meadow Coöperative". It returns "" if [store.Handle] refuses the result,
// for example because the name has no Latin letters.
func handleFrom(name string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(letters.Replace(strings.ToLower(name))) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		case !unicode.Is(unicode.Mn, r) && b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	s := b.String()
	handle, err := store.Handle(strings.TrimRight(s[:min(len(s), 40)], "-"))
	if err != nil {
		return ""
	}
	return handle
}

// WithHandles returns the fields with missing handles filled in. The handle of the organization is made from its name.
// The handle of the member is made from the first word of the person's name or, if that is not possible, from the whole
// name.
func (f Founding) WithHandles() Founding {
	f.Handle = cmp.Or(f.Handle, handleFrom(f.Organization))
	if f.Member == "" {
		first, _, _ := strings.Cut(strings.TrimSpace(f.Name), " ")
		if f.Member = handleFrom(first); f.Member == "" {
			f.Member = handleFrom(f.Name)
		}
	}
	return f
}
