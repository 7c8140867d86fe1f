package store

import (
	"slices"
	"strings"
)

// maxMentions is the greatest number of members that one text can mention, and of items that it can link to.
const maxMentions = 50

// Mentions returns up to [maxMentions] handles that follow an @ in a text outside code, without repetitions. An @
// inside a word, as in an email address, does not count.
func Mentions(text string) []any {
	if strings.IndexByte(text, '@') < 0 {
		return nil
	}
	var list []any
	seen := map[string]bool{}
	for s := range textOutsideCode(text) {
		for {
			i := strings.IndexByte(s, '@')
			if i < 0 {
				break
			}
			before := i == 0 || !wordByte(s[i-1]) && s[i-1] != '/' && s[i-1] != '.' && s[i-1] != '@'
			s = s[i+1:]
			n := 0
			for n < len(s) && (wordByte(s[n]) || s[n] == '-') {
				n++
			}
			handle, err := Handle(strings.Trim(s[:n], "-"))
			if before && err == nil && !seen[handle] && len(list) < maxMentions {
				seen[handle] = true
				list = append(list, handle)
			}
			s = s[n:]
		}
	}
	return list
}

// mentions returns the handles that the text mentions and the previous text did not.
func (n *Notice) mentions() []any {
	was := Mentions(n.Was)
	return slices.DeleteFunc(Mentions(n.Text), func(handle any) bool { return slices.Contains(was, handle) })
}

// seenByMember returns an SQL condition, which begins with AND, that the member m may see the studio of the target, and
// its argument. Both are empty for a target that belongs to no studio.
func (r Ref) seenByMember() (condition string, args []any) {
	if r.StudioID == "" {
		return "", nil
	}
	return ` AND EXISTS (SELECT 1 FROM studios s WHERE s.id = ? AND ` + VisibleTo("m.id", "s") + `)`, []any{r.StudioID}
}

// Unreached returns the handles that the text of a notice mentions for the first time, without those of members that
// may see the target. It returns none for a target that only one member may see.
func (tx *Tx) Unreached(target Ref, n *Notice) ([]string, error) {
	if n.About != nil {
		target = *n.About
	}
	who := n.mentions()
	if len(who) == 0 || target.PrivateTo != "" {
		return nil, nil
	}
	seen, id := target.seenByMember()
	reached, err := All[string](tx, `SELECT m.handle FROM members m WHERE m.org_id = ? AND m.ended_at IS NULL
		AND m.handle IN (`+Placeholders(len(who))+`)`+seen, slices.Concat([]any{target.OrgID}, who, id)...)
	var list []string
	for _, handle := range who {
		if name, _ := handle.(string); !slices.Contains(reached, name) {
			list = append(list, name)
		}
	}
	return list, err
}

// Links returns the ids of up to [maxMentions] items to which a text has links outside code, without repetitions.
func Links(text string) []string {
	if !strings.Contains(text, "/studios/") && !strings.Contains(text, "/orgs/") {
		return nil
	}
	var list []string
	seen := map[string]bool{}
	for s := range textOutsideCode(text) {
		for id := range numberedLinks(s) {
			if !seen[id] && len(list) < maxMentions {
				seen[id] = true
				list = append(list, id)
			}
		}
		for {
			_, rest, ok := strings.Cut(s, "/studios/")
			if !ok {
				break
			}
			s = rest
			_, rest, ok = strings.Cut(rest, "/")
			if !ok || len(rest) < 2+IDLength || rest[1] != '/' {
				continue
			}
			id := rest[2 : 2+IDLength]
			if IsIDPrefix(id) && !seen[id] && len(list) < maxMentions {
				seen[id] = true
				list = append(list, id)
			}
		}
	}
	return list
}

// Paths returns up to [maxMentions] paths below /studios/ and /orgs/ that a text has outside code, without repetitions.
// They may also be parts of URLs.
func Paths(text string) []string {
	if !strings.Contains(text, "/studios/") && !strings.Contains(text, "/orgs/") {
		return nil
	}
	var list []string
	for s := range textOutsideCode(text) {
		for {
			i := strings.IndexByte(s, '/')
			if i < 0 {
				break
			}
			s = s[i:]
			n := 1
			for n < len(s) && (wordByte(s[n]) || s[n] == '-' || s[n] == '/') {
				n++
			}
			at := strings.Index(s[:n], "/studios/")
			if i := strings.Index(s[:n], "/orgs/"); at < 0 || i >= 0 && i < at {
				at = i
			}
			if at >= 0 && len(list) < maxMentions && !slices.Contains(list, s[at:n]) {
				list = append(list, s[at:n])
			}
			s = s[n:]
		}
	}
	return list
}

// numberedLinks yields the ids of the items of [Kind.Numbered] kinds that a text links to.
func numberedLinks(s string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for {
			_, rest, ok := strings.Cut(s, "/orgs/")
			if !ok {
				return
			}
			s = rest
			org, rest, ok := strings.Cut(rest, "/")
			if _, err := Handle(org); !ok || err != nil {
				continue
			}
			list, rest, _ := strings.Cut(rest, "/")
			n := 0
			for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
				n++
			}
			if n == 0 || n > 9 || rest[0] == '0' || !isNumbered(list) {
				continue
			}
			if !yield(NumberedID(org, rest[:n])) {
				return
			}
		}
	}
}

func isNumbered(list string) bool {
	for _, k := range kinds {
		if k.Numbered == list && list != "" {
			return true
		}
	}
	return false
}

// textOutsideCode yields the parts of a text outside code spans and fenced blocks.
func textOutsideCode(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		fence := ""
		for line := range strings.Lines(text) {
			bare := strings.TrimLeft(line, " >")
			ticks := len(bare) - len(strings.TrimLeft(bare, "`~"))
			if fence == "" && ticks >= 3 {
				fence = bare[:3]
				continue
			}
			if fence != "" {
				if strings.HasPrefix(bare, fence) {
					fence = ""
				}
				continue
			}
			for i, piece := range strings.Split(line, "`") {
				if i%2 == 0 && !yield(piece) {
					return
				}
			}
		}
	}
}

func wordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b >= 0x80
}

// Named has the members and items that the texts of a page refer to.
type Named struct {
	Members []string // handles
	Items   []Item
}

// FindNamed finds the members and the items to which texts in an organization refer with an @ or a link, if the actor
// may see them.
func (tx *Tx) FindNamed(by Actor, orgID string, texts func(yield func(string) bool)) (n Named, err error) {
	var handles, ids []any
	for text := range texts {
		handles = append(handles, Mentions(text)...)
		for _, id := range Links(text) {
			ids = append(ids, id)
		}
	}
	me := by.In(orgID).MemberID()
	if me != "" {
		for some := range slices.Chunk(handles, 500) {
			var list []string
			if err := tx.Select(&list, `SELECT handle FROM members WHERE org_id = ? AND ended_at IS NULL
				AND handle IN (`+Placeholders(len(some))+`)`,
				append([]any{orgID}, some...)...); err != nil {
				return n, err
			}
			n.Members = append(n.Members, list...)
		}
	}
	for some := range slices.Chunk(ids, 500) {
		list, err := tx.itemsSeen(me, `i.org_id = ? AND i.id IN (`+Placeholders(len(some))+`)`,
			append([]any{orgID}, some...)...)
		if err != nil {
			return n, err
		}
		n.Items = append(n.Items, list...)
	}
	return n, nil
}
