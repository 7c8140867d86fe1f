package git

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// Commit is one commit of a log.
type Commit struct {
	Hash      Hash
	Parents   []Hash
	Author    Person
	At        time.Time // author date
	Committer Person
	Subject   string
}

// Log lists the commits of head that base does not contain, children before their parents, and at most the given
// number. If base is empty, no commit is left out.
func (r *Repo) Log(ctx context.Context, base, head Hash, most int) ([]Commit, error) {
	c := call{sub: "log", flags: []word{"-z", "--no-color", "--no-decorate", "--no-show-signature", "--no-mailmap",
		"--topo-order"},
		opts: []option{{"--format=", "%H%x01%P%x01%an%x01%ae%x01%at%x01%cn%x01%ce%x01%s"},
			{"--max-count=", strconv.Itoa(most)}},
		values: []string{string(head)}}
	if base != "" {
		c.values = append(c.values, "^"+string(base))
	}
	out, err := r.run(ctx, c)
	if err != nil {
		return nil, err
	}
	var list []Commit
	for _, entry := range split(out) {
		p := strings.SplitN(entry, "\x01", 8)
		if len(p) != 8 {
			return nil, fmt.Errorf("git log: %q has no fields", entry)
		}
		one := Commit{Hash: Hash(p[0]), Author: Person{p[2], p[3]}, At: unix(p[4]), Committer: Person{p[5], p[6]},
			Subject: strings.ToValidUTF8(p[7], "\uFFFD")}
		for parent := range strings.FieldsSeq(p[1]) {
			one.Parents = append(one.Parents, Hash(parent))
		}
		list = append(list, one)
	}
	return list, nil
}

// unix parses a Unix time in seconds. Any other text gives the zero time.
func unix(seconds string) time.Time {
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(n, 0).UTC()
}

// Apart returns the numbers of commits that only a and only b contain.
func (r *Repo) Apart(ctx context.Context, a, b Hash) (onlyA, onlyB int, err error) {
	out, err := r.line(ctx, call{sub: "rev-list", flags: []word{"--left-right", "--count"},
		values: []string{string(a) + "..." + string(b)}})
	if err == nil {
		_, err = fmt.Sscan(out, &onlyA, &onlyB)
	}
	return onlyA, onlyB, err
}

// Limits has the maximum size of a [Diff]. Lines and Bytes are those of all patches together.
type Limits struct{ Files, Lines, Bytes int }

// Diff is the difference between two trees or commits.
type Diff struct {
	Files          []File
	Added, Deleted int  // lines in all files, also in those without a patch
	More           bool // there are more files than the limit
}

// File is one changed file of a [Diff].
type File struct {
	Path           string
	Was            string // former path, if the file was renamed
	Change         Change
	Added, Deleted int    // lines; 0 if Binary
	Binary         bool   // also true for submodules
	Patch          string // in unified format; empty if Binary or Cut
	Cut            bool   // the patch was left out, because of the limits or because it cannot be parsed
}

// Change is the kind of a file's change, after git's status letters.
type Change string

// These are the changes of a file.
const (
	Added    Change = "added"
	Deleted  Change = "deleted"
	Modified Change = "modified"
	Renamed  Change = "renamed"
	Retyped  Change = "retyped" // the file type changed, such as from a file to a symbolic link
)

var changes = map[byte]Change{'A': Added, 'D': Deleted, 'M': Modified, 'R': Renamed, 'T': Retyped}

// Diff compares two trees or commits of the repository.
func (r *Repo) Diff(ctx context.Context, from, to Hash, most Limits) (*Diff, error) {
	d, at, err := r.changed(ctx, from, to, most.Files)
	if err != nil {
		return nil, err
	}
	out, err := r.run(ctx, call{sub: "diff-tree", flags: []word{"-r", "-p", "--find-renames", "-l1000",
		"--full-index", "--no-color",
		"--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "--submodule=short", "--src-prefix=a/",
		"--dst-prefix=b/"},
		values: []string{string(from), string(to)}, limit: most.Bytes, cut: true})
	if err != nil {
		return nil, err
	}
	lines := 0
	for _, patch := range patches(out, len(out) >= most.Bytes) {
		if lines += bytes.Count(patch, []byte("\n")); lines > most.Lines {
			break
		}
		parsed, _, err := gitdiff.Parse(bytes.NewReader(patch))
		if err != nil || len(parsed) != 1 {
			continue // Cut stays true
		}
		name := parsed[0].NewName
		if parsed[0].IsDelete {
			name = parsed[0].OldName
		}
		if i, ok := at[name]; ok {
			f := &d.Files[i]
			f.Cut = false
			if f.Binary = f.Binary || parsed[0].IsBinary; !f.Binary {
				f.Patch = strings.ToValidUTF8(string(patch), "\uFFFD")
			}
		}
	}
	return d, nil
}

// changed lists the changed files without patches. The map has the index of each listed path in
// [Diff.Files].
func (r *Repo) changed(ctx context.Context, from, to Hash, most int) (*Diff, map[string]int, error) {
	out, err := r.run(ctx, call{sub: "diff-tree", flags: []word{"-r", "-z", "--raw", "--numstat", "--find-renames",
		"-l1000", "--no-abbrev",
		"--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"}, values: []string{string(from), string(to)},
		limit: 64 << 20})
	if err != nil {
		return nil, nil, err
	}
	d, at := &Diff{}, map[string]int{}
	parts := split(out)
	for i := 0; i < len(parts); {
		if part := parts[i]; len(part) > 90 && part[0] == ':' && i+1 < len(parts) {
			f := File{Path: parts[i+1], Change: changes[part[strings.LastIndexByte(part, ' ')+1]]}
			f.Binary = part[1:7] == "160000" || part[8:14] == "160000"
			if i += 2; f.Change == Renamed && i < len(parts) {
				f.Was, f.Path = f.Path, parts[i]
				i++
			}
			f.Cut = !f.Binary
			if d.More = len(d.Files) >= most; !d.More {
				at[f.Path] = len(d.Files)
				d.Files = append(d.Files, f)
			}
			continue
		}
		p := strings.SplitN(parts[i], "\t", 3)
		if len(p) != 3 {
			return nil, nil, fmt.Errorf("git diff-tree: %q has no counts", parts[i])
		}
		path := p[2]
		if i++; path == "" && i+1 < len(parts) { // in a rename the former path comes first
			path = parts[i+1]
			i += 2
		}
		added, err1 := strconv.Atoi(p[0])
		deleted, err2 := strconv.Atoi(p[1])
		d.Added, d.Deleted = d.Added+added, d.Deleted+deleted
		if k, ok := at[path]; ok {
			f := &d.Files[k]
			f.Added, f.Deleted = added, deleted
			if err1 != nil || err2 != nil {
				f.Binary, f.Cut = true, false
			}
		}
	}
	return d, at, nil
}

// patches splits the output of git diff-tree into patches. If the output was cut, it omits the last one.
func patches(out []byte, cut bool) [][]byte {
	begin := []byte("diff --git ")
	var list [][]byte
	for len(out) > 0 && bytes.HasPrefix(out, begin) {
		n := bytes.Index(out[1:], append([]byte("\n"), begin...))
		if n < 0 {
			if !cut {
				list = append(list, out)
			}
			break
		}
		list, out = append(list, out[:n+2]), out[n+2:]
	}
	return list
}

// blob returns the beginning of a file, and whether the file is longer than the limit.
func (r *Repo) blob(ctx context.Context, name string, limit int) ([]byte, bool, error) {
	of, err := r.line(ctx, call{sub: "cat-file", flags: []word{"-t"}, values: []string{name}, codes: []int{128}})
	if err != nil || of != "blob" {
		return nil, false, fmt.Errorf("%w: %s", ErrMissing, name)
	}
	data, err := r.run(ctx, call{sub: "cat-file", flags: []word{"-p"}, values: []string{name}, limit: limit + 1,
		cut: true})
	return data[:min(limit, len(data))], len(data) > limit, err
}
