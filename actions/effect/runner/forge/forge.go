// Package forge opens, reads, edits and merges pull requests on the site that hosts a repository, and opens issues
// there. It supports GitHub.com and GitHub Enterprise Server.
package forge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"strings"
	"time"
)

// These are errors of a [Forge]. After any other error, a later attempt may succeed.
var (
	// ErrRefused means that the forge has refused the request, and would refuse it again. The wrapping error contains
	// the forge's message.
	ErrRefused = errors.New("refused")
	// ErrMoved means that the branch has another last commit on the forge than the caller expects.
	ErrMoved = errors.New("the branch has another last commit there")
)

// Account is an access token with the address below which it is valid, such as https://github.com/acme.
type Account struct {
	Root   string
	Token  string
	CA     string       // file with trusted certificates for git; empty for those of the machine
	Client *http.Client // trusts the same certificates; nil for the default client
}

// MaxToken is the maximum length of a token, in bytes.
const MaxToken = 1000

// ReadAccount parses an account in the form of a flag: an address, an equals sign, and the path of the token's file. It
// returns an error if this is a regular file to which other users have any access.
func ReadAccount(flag string) (Account, error) {
	root, file, ok := strings.Cut(flag, "=")
	if !ok || !strings.HasPrefix(root, "https://") || file == "" {
		return Account{}, fmt.Errorf("%q is no account: write an address and a file, such as "+
			"https://github.com/acme=/etc/samepage/github", flag)
	}
	f, err := os.Open(file)
	if err != nil {
		return Account{}, fmt.Errorf("the token for %s: %w", root, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Account{}, fmt.Errorf("the token for %s: %w", root, err)
	}
	if info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		return Account{}, fmt.Errorf("others can read the token for %s; run: chmod 600 %s", root, file)
	}
	text, err := io.ReadAll(io.LimitReader(f, MaxToken+1))
	if err != nil {
		return Account{}, fmt.Errorf("the token for %s: %w", root, err)
	}
	token := strings.TrimSpace(string(text))
	odd := strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c > '~' })
	if token == "" || len(text) > MaxToken || odd {
		return Account{}, fmt.Errorf("the file %s has no token: one line of letters, digits and signs", file)
	}
	return Account{Root: strings.TrimSuffix(root, "/"), Token: token}, nil
}

// Covers reports whether the address of a repository is at or below the account's address.
func (a Account) Covers(source string) bool {
	return source == a.Root || strings.HasPrefix(source, a.Root+"/")
}

// Forge gives access to one repository on its hosting site.
type Forge interface {
	// Find returns the open pull request of a branch, or nil if there is none.
	Find(ctx context.Context, branch string) (*Pull, error)
	// Pull returns a pull request by its number.
	Pull(ctx context.Context, n int) (*Pull, error)
	// Open opens a new pull request.
	Open(ctx context.Context, p New) (*Pull, error)
	// Change changes the fields of a pull request, and returns the changed pull request.
	Change(ctx context.Context, n int, c Change) (*Pull, error)
	// Merge merges a pull request and returns the new commit of its base. It returns [ErrMoved] if the last commit of
	// the branch is not the one in m.
	Merge(ctx context.Context, n int, m Merge) (commit string, err error)
	// Checks returns the combined result of the checks that the forge lists for a commit.
	Checks(ctx context.Context, commit string) (Checks, error)
	// OpenIssue opens an issue. If one of the newest issues has the same key, of at most 50 characters, that issue is
	// returned instead.
	OpenIssue(ctx context.Context, key string, i Issue) (*Made, error)
}

// New has the fields of a new pull request.
type New struct {
	Title, Text  string
	Branch, Base string
}

// Change has the new values of a pull request's fields. A field with its zero value is not changed.
type Change struct {
	Title string
	Text  *string
	State string // open or closed
}

// These are the states of a pull request, and of the checks of a commit.
const (
	Open   = "open"
	Closed = "closed"
	Merged = "merged"

	Waiting = "waiting"
	Passed  = "passed"
	Failed  = "failed"
)

// Pull is a pull request on the forge.
type Pull struct {
	N      int
	URL    string
	State  string // Open, Closed or Merged
	Head   string // last commit of its branch
	Commit string // last commit of the base after the merge; empty before
	By     string // forge's account that merged the pull request; empty if unknown
}

// Merge has the parameters of a merge. Head is the expected last commit of the branch.
type Merge struct {
	Squash         bool // one commit with all changes, instead of a merge commit
	Head           string
	Title, Message string
}

// Checks has the combined result of all checks of a commit.
type Checks struct {
	State string   // Waiting, Passed or Failed; empty if there are no checks
	Names []string // names of the failed checks; while State is Waiting, of the unfinished checks
}

// Issue has the texts of an issue.
type Issue struct{ Title, Text string }

// Made is an issue on the forge.
type Made struct {
	N   int
	URL string
}

const callTime = 30 * time.Second

// Of returns the forge of the repository at an address. It returns false if none of the accounts covers the address.
func Of(source string, accounts []Account) (Forge, bool) {
	a, ok := AccountOf(source, accounts)
	if !ok {
		return nil, false
	}
	host, rest, _ := strings.Cut(strings.TrimPrefix(source, "https://"), "/")
	rest = strings.TrimSuffix(strings.Trim(rest, "/"), ".git")
	owner, name := path.Split(rest)
	api := "https://" + host + "/api/v3"
	if host == "github.com" {
		api = "https://api.github.com"
	}
	client := &http.Client{Timeout: callTime}
	if a.Client != nil {
		client.Transport = a.Client.Transport
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { // a redirect could leak the token
		return http.ErrUseLastResponse
	}
	owner = strings.Trim(owner, "/")
	return &gitHub{client: client, token: a.Token, api: api, repo: api + "/repos/" + owner + "/" + name, owner: owner}, true
}

// AccountOf returns the account that covers a repository, with the longest address if there are several.
func AccountOf(source string, accounts []Account) (best Account, ok bool) {
	for _, a := range accounts {
		if a.Covers(source) && len(a.Root) > len(best.Root) {
			best, ok = a, true
		}
	}
	return best, ok
}
