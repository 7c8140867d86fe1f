package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"samepage/actions/effect/runner/acp"
	"samepage/store/work/wire"
)

// places returns the files of a tool call as paths below the folder dir, separated by slashes. It returns nil if the
// call has no location or names more than wire.MaxPaths files, if [pathsIn] cannot read its input or finds a path that
// is not one of these files, or if [placeIn] refuses a file.
func places(dir string, t acp.Tool) []string {
	var named, paths []string
	for _, l := range t.Locations {
		named = append(named, l.Path)
	}
	for _, d := range t.Diffs {
		named = append(named, d.Path)
	}
	if len(t.Locations) == 0 || len(named) > wire.MaxPaths {
		return nil
	}
	var input any
	if len(t.Input) > 0 && json.Unmarshal(t.Input, &input) != nil {
		return nil
	}
	if others, ok := pathsIn(input, false); !ok || slices.ContainsFunc(others, func(p string) bool {
		return !slices.Contains(named, p)
	}) {
		return nil
	}
	for _, p := range named {
		inside, ok := placeIn(dir, p)
		if real, err := filepath.EvalSymlinks(dir); !ok && err == nil { // agents may resolve symbolic links
			inside, ok = placeIn(real, p)
		}
		if !ok {
			return nil
		}
		if !slices.Contains(paths, inside) {
			paths = append(paths, inside)
		}
	}
	return paths
}

// placeIn returns a path as a path below the folder dir. It returns false if the path is not absolute and clean, has
// control characters or invalid UTF-8, leads out of dir or through a symbolic link, or is neither a regular file nor
// missing.
func placeIn(dir, p string) (string, bool) {
	if !filepath.IsAbs(p) || filepath.Clean(p) != p {
		return "", false
	}
	inside, ok := strings.CutPrefix(p, dir+string(filepath.Separator))
	if !ok || !filepath.IsLocal(inside) || text(inside) != inside {
		return "", false
	}
	at := dir
	parts := strings.Split(inside, string(filepath.Separator))
	for i, part := range parts {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		switch last := i == len(parts)-1; {
		case os.IsNotExist(err):
			return filepath.ToSlash(inside), true
		case err != nil, last && !info.Mode().IsRegular(), !last && !info.IsDir():
			return "", false
		}
	}
	return filepath.ToSlash(inside), true
}

// pathWords are words in the names of JSON members that have the path of a file, such as "file_path".
var pathWords = []string{"path", "file", "folder", "dir", "root", "uri", "url", "cwd", "source", "target",
	"destination", "src", "dst", "dest"}

// pathsIn returns all paths in a JSON value: the strings in members with one of the pathWords in their names, and names
// of members that are absolute paths themselves. The argument inPath means that v is in a member with one of the
// pathWords. In such a member, pathsIn returns false for a number, a boolean or null.
func pathsIn(v any, inPath bool) (list []string, ok bool) {
	add := func(e any, inPath bool) {
		more, fine := pathsIn(e, inPath)
		list, ok = append(list, more...), ok && fine
	}
	ok = true
	switch v := v.(type) {
	case string:
		if inPath {
			list = append(list, v)
		}
	case []any:
		for _, e := range v {
			add(e, inPath)
		}
	case map[string]any:
		for name, e := range v {
			if filepath.IsAbs(name) { // a map of changes by file, such as {"/home/a.txt": {…}}
				list = append(list, name)
				add(e, inPath)
				continue
			}
			name = strings.ToLower(name)
			add(e, inPath || slices.ContainsFunc(pathWords, func(w string) bool { return strings.Contains(name, w) }))
		}
	default:
		ok = !inPath
	}
	return list, ok
}

// digest returns the SHA-256 of a tool call without its id and status, or "" if the call cannot be encoded.
func digest(t acp.Tool) string {
	t.ID, t.Status = "", ""
	text, err := encode(t)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
