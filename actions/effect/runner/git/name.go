package git

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Hash is the SHA-1 hash of a commit, a tree or a blob, in 40 lower-case hexadecimal digits.
type Hash string

// none is git's hash for a branch that does not exist.
const none Hash = "0000000000000000000000000000000000000000"

var hash = regexp.MustCompile(`^[0-9a-f]{40}$`)

// ParseHash returns [ErrInvalid] if the text is not a full hash.
func ParseHash(s string) (Hash, error) {
	if !hash.MatchString(s) {
		return "", fmt.Errorf("%w: %.60q is no full hash of a commit", ErrInvalid, s)
	}
	return Hash(s), nil
}

// Short returns the first ten digits of the hash.
func (h Hash) Short() string { return string(h[:min(10, len(h))]) }

var branchPart = regexp.MustCompile(`^[\p{L}\p{N}_][\p{L}\p{N}_.+@-]*$`)

// CheckBranch returns [ErrInvalid] unless the text is a valid name of a branch. The rules are stricter than git's.
func CheckBranch(name string) error {
	bad := len(name) == 0 || len(name) > 200 || name == "HEAD" || strings.Contains(name, "..") ||
		strings.Contains(name, "@{") ||
		!utf8.ValidString(name) || hash.MatchString(name)
	for part := range strings.SplitSeq(name, "/") {
		bad = bad || !branchPart.MatchString(part) || strings.HasSuffix(part, ".") || strings.HasSuffix(part, ".lock")
	}
	if bad {
		return fmt.Errorf("%w: %.60q cannot be a branch; use letters, digits, and . _ - / between them", ErrInvalid,
			name)
	}
	return nil
}

var treeName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,99}$`)

// CheckName returns [ErrInvalid] unless the text is a valid name, such as of a tree: at most 100 lower-case letters,
// digits, hyphens and underscores. The first character must be a letter or a digit.
func CheckName(name string) error {
	if !treeName.MatchString(name) {
		return fmt.Errorf("%w: %.60q cannot be a name; use lower-case letters, digits, hyphens and underscores", ErrInvalid, name)
	}
	return nil
}

// CheckPath returns [ErrInvalid] unless the text is a clean relative path of a file outside of .git.
func CheckPath(p string) error {
	bad := p == "" || p == "." || len(p) > 1024 || path.IsAbs(p) || path.Clean(p) != p || p == ".." ||
		strings.HasPrefix(p, "../") ||
		strings.ContainsAny(p, "\x00\n") || !utf8.ValidString(p)
	for part := range strings.SplitSeq(p, "/") {
		bad = bad || strings.EqualFold(part, ".git")
	}
	if bad {
		return fmt.Errorf("%w: %.60q is no path of a file in a checkout", ErrInvalid, p)
	}
	return nil
}

// CheckRemote returns [ErrInvalid] unless the text is an https URL of at most 1000 bytes with a clean path, and without
// user information, query or fragment.
func CheckRemote(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || len(address) > 1000 ||
		strings.ContainsAny(address, " \t\r\n\x00#?") || strings.HasPrefix(u.Host, "-") ||
		path.Clean("/"+u.Path) != "/"+strings.Trim(u.Path, "/") {
		return fmt.Errorf("%w: %.100q is no address such as https://git.example.org/team/garden.git", ErrInvalid,
			address)
	}
	return nil
}
