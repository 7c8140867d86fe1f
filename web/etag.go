package web

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"samepage/store"
	"samepage/web/wire"
)

// etag names the bytes of a page without making them: nothing that members are shown of their organization changes without an
// entry in its journal, but for what is theirs alone, and what the clock changes, which it does by the whole minute.
func (s *Site) etag(by store.Actor, at *location, opts renderOptions, now time.Time) string {
	if len(by.Members) == 0 {
		return ""
	}
	var room [512]byte
	b := room[:0]
	for _, text := range [...]string{s.config.Version, by.Key(), at.url(), opts.host} {
		b = append(append(b, text...), 0)
	}
	if by.IsAgent() && by.Grant.Client != "" { // of one grant there are tokens with fewer scopes
		b = append(append(b, by.Grant.Scopes.String()...), 0)
	}
	b = append(b, byte(opts.form), bit(opts.relative), bit(opts.full))
	for i := range by.Members {
		b = binary.AppendVarint(b, by.Members[i].Head)
		b = binary.AppendVarint(b, by.Members[i].Own)
	}
	sum := sha256.Sum256(binary.AppendVarint(b, now.Unix()/60))
	return wire.ETag(sum[:16])
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}
