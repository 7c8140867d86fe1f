package web

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"strings"
	"time"

	"samepage/store"
	"samepage/web/wire"
)

// etag returns the ETag of a page without building the page. The ETag changes with the minute, the request, each change
// that only the actor sees, and each journal entry of the actor's organizations. It is empty for an actor without a
// membership.
func (s *Site) etag(by store.Actor, at *Location, opts renderOptions, now time.Time) string {
	if len(by.Members) == 0 {
		return ""
	}
	var room [512]byte
	b := room[:0]
	for _, text := range [...]string{s.config.Version, by.Key(), at.url(), strings.Join(at.odd, ""), opts.host} {
		b = append(append(b, text...), 0)
	}
	if by.IsAgent() && by.Grant.Client != "" { // one token of a grant may have fewer scopes than another
		b = append(append(b, by.Grant.Scopes.String()...), 0)
	}
	b = append(b, byte(opts.form), byte(bit(opts.relative)), byte(bit(opts.full)), byte(bit(opts.reads)))
	for i := range by.Members {
		b = binary.AppendVarint(b, by.Members[i].Head)
		b = binary.AppendVarint(b, by.Members[i].Own)
	}
	sum := sha256.Sum256(binary.AppendVarint(b, now.Unix()/60))
	return wire.ETag(sum[:16])
}

// versioned returns an ETag that also depends on the version. The result is empty if etag is empty or version is 0.
func versioned(etag string, version int64) string {
	if etag == "" || version == 0 {
		return ""
	}
	return strings.TrimSuffix(etag, `"`) + "-" + strconv.FormatInt(version, 10) + `"`
}

// bit returns 1 for true and 0 for false.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
