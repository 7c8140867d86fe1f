package rule

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
)

// IsPath reports whether p is the path of a file below the working folder that can be read in only one way. It refuses,
// for example, "..", empty parts, backslashes, drives, wildcards, percent signs, invisible characters, and parts that
// end with a space or a dot.
func IsPath(p string) bool {
	if len(p) > 1000 || p == "." || !fs.ValidPath(p) || strings.ContainsFunc(p, isOdd) {
		return false
	}
	for part := range strings.SplitSeq(p, "/") {
		if strings.TrimSpace(part) != part || strings.HasSuffix(part, ".") {
			return false
		}
	}
	return true
}

func isOdd(c rune) bool {
	return !unicode.IsGraphic(c) || c == unicode.ReplacementChar || unicode.IsSpace(c) && c != ' ' ||
		strings.ContainsRune("\\:*?\"<>|~$`%", c)
}

// isFolder reports whether a rule may name the folder. A rule may not name a folder .git, or one below it.
func isFolder(p string) bool {
	return p == "." || IsPath(p) && !slices.ContainsFunc(strings.Split(p, "/"), func(part string) bool {
		return strings.EqualFold(part, ".git")
	})
}

// below reports whether the path is below the folder, and no part after the folder begins with a dot. Files with such
// names often hold secrets, hooks or settings.
func below(folder, p string) bool {
	if !IsPath(p) {
		return false
	}
	rest, ok := p, true
	if folder != "." {
		rest, ok = strings.CutPrefix(p, folder+"/")
	}
	return ok && !strings.HasPrefix(rest, ".") && !strings.Contains(rest, "/.")
}

// touches reports whether the request concerns files in the folder of a rule that denies or asks. It ignores letter
// case, because some file systems do. The result is [perhaps] if the files of the request are not certain, and for a
// folder that contains the rule's folder.
func touches(folder string, r Request) covered {
	if !slices.Contains(FolderKinds, r.Kind) || len(r.Paths) == 0 {
		return perhaps
	}
	within := func(outer, inner string) bool {
		return outer == "." || outer == inner || strings.HasPrefix(inner, outer+"/")
	}
	found, folder := no, strings.ToLower(folder)
	for _, p := range r.Paths {
		switch p = strings.ToLower(p); {
		case IsPath(p) && within(folder, p):
			return yes
		case !IsPath(p) || within(p, folder):
			found = max(found, perhaps)
		}
	}
	return found
}

// Folders returns the folders for which a rule can allow the request. They are at most three: the deepest folder that
// contains all files of the request, the first part of that folder's path, and the working folder.
func (r Request) Folders() (list []string) {
	if len(r.Paths) == 0 {
		return nil
	}
	common := path.Dir(r.Paths[0])
	for _, p := range r.Paths[1:] {
		for common != "." && !strings.HasPrefix(p, common+"/") {
			common = path.Dir(common)
		}
	}
	outermost, _, _ := strings.Cut(common, "/")
	for _, folder := range []string{common, outermost, "."} {
		l := Rule{Verdict: Allow, Reach: Folder, Kind: r.Kind, Subject: folder}
		if !slices.Contains(list, folder) && l.allows(r) {
			list = append(list, folder)
		}
	}
	return list
}
