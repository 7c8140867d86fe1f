package forge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// gitHub is the [Forge] of a repository on GitHub. It uses version 2022-11-28 of https://docs.github.com/rest.
type gitHub struct {
	client *http.Client
	token  string
	api    string // URL of the API
	repo   string // URL of the repository in the API
	owner  string
}

// maxAnswer is the maximum size of an answer, in bytes.
const maxAnswer = 8 << 20

// mostPages is the maximum number of pages, of 100 entries each, that are read from a list.
const mostPages = 5

type pullAnswer struct {
	Number int    `json:"number"`
	URL    string `json:"html_url"`
	State  string `json:"state"`
	Merged bool   `json:"merged"`
	Commit string `json:"merge_commit_sha"`
	Head   struct {
		SHA string `json:"sha"`
	} `json:"head"`
	MergedBy *struct {
		Login string `json:"login"`
	} `json:"merged_by"`
}

func (p *pullAnswer) pull() *Pull {
	q := &Pull{N: p.Number, URL: p.URL, State: p.State, Head: p.Head.SHA}
	if p.Merged { // before the merge, GitHub returns the commit of a test merge
		q.State, q.Commit = Merged, p.Commit
	}
	if p.MergedBy != nil {
		q.By = p.MergedBy.Login
	}
	return q
}

func (g *gitHub) Find(ctx context.Context, branch string) (*Pull, error) {
	var list []pullAnswer
	query := url.Values{"state": {"open"}, "head": {g.owner + ":" + branch}}
	if err := g.call(ctx, http.MethodGet, "/pulls?"+query.Encode(), nil, &list); err != nil || len(list) == 0 {
		return nil, err
	}
	return g.Pull(ctx, list[0].Number)
}

func (g *gitHub) Pull(ctx context.Context, n int) (*Pull, error) {
	var p pullAnswer
	err := g.call(ctx, http.MethodGet, "/pulls/"+strconv.Itoa(n), nil, &p)
	return p.pull(), err
}

func (g *gitHub) Open(ctx context.Context, p New) (*Pull, error) {
	var made pullAnswer
	err := g.call(ctx, http.MethodPost, "/pulls", map[string]any{"title": p.Title, "body": p.Text, "head": p.Branch,
		"base": p.Base}, &made)
	return made.pull(), err
}

func (g *gitHub) Change(ctx context.Context, n int, c Change) (*Pull, error) {
	set := map[string]any{}
	if c.Title != "" {
		set["title"] = c.Title
	}
	if c.Text != nil {
		set["body"] = *c.Text
	}
	if c.State != "" {
		set["state"] = c.State
	}
	var p pullAnswer
	err := g.call(ctx, http.MethodPatch, "/pulls/"+strconv.Itoa(n), set, &p)
	return p.pull(), err
}

func (g *gitHub) Merge(ctx context.Context, n int, m Merge) (string, error) {
	method := "merge"
	if m.Squash {
		method = "squash"
	}
	var done struct {
		SHA string `json:"sha"`
	}
	err := g.call(ctx, http.MethodPut, "/pulls/"+strconv.Itoa(n)+"/merge", map[string]any{"commit_title": m.Title,
		"commit_message": m.Message, "sha": m.Head, "merge_method": method}, &done)
	if said, ok := errors.AsType[*answerError](err); ok && said.status == http.StatusConflict {
		err = fmt.Errorf("%w: %w", ErrMoved, err)
	}
	return done.SHA, err
}

// Checks combines GitHub's two kinds of checks: the check runs of apps, and the commit statuses of other programs.
func (g *gitHub) Checks(ctx context.Context, commit string) (Checks, error) {
	var failed, waiting []string
	count := 0
	more, err := pages(ctx, g, "/commits/"+commit+"/check-runs?per_page=100", func(runs *checkRuns) bool {
		for _, c := range runs.List {
			count++
			switch {
			case c.Status != "completed":
				waiting = append(waiting, c.Name)
			case !slices.Contains([]string{"success", "neutral", "skipped"}, c.Conclusion):
				failed = append(failed, c.Name)
			}
		}
		return true
	})
	if err != nil {
		return Checks{}, err
	}
	others, err := pages(ctx, g, "/commits/"+commit+"/status?per_page=100", func(combined *statuses) bool {
		for _, c := range combined.List {
			count++
			switch c.State {
			case "pending":
				waiting = append(waiting, c.Name)
			case "failure", "error":
				failed = append(failed, c.Name)
			}
		}
		return true
	})
	if err != nil {
		return Checks{}, err
	}
	if more || others {
		waiting = append(waiting, "more, which are not read")
	}
	switch {
	case len(failed) > 0:
		return Checks{Failed, failed}, nil
	case len(waiting) > 0:
		return Checks{Waiting, waiting}, nil
	case count > 0:
		return Checks{State: Passed}, nil
	}
	return Checks{}, nil
}

type checkRuns struct {
	List []struct{ Name, Status, Conclusion string } `json:"check_runs"`
}

type statuses struct {
	List []struct {
		Name  string `json:"context"`
		State string `json:"state"`
	} `json:"statuses"`
}

// mark returns the last line of an issue's text, an HTML comment, which GitHub does not show.
func mark(key string) string { return "<!-- samepage:" + key + " -->" }

func (g *gitHub) OpenIssue(ctx context.Context, key string, i Issue) (*Made, error) {
	var there *Made
	newest := "/issues?state=all&sort=created&direction=desc&per_page=100"
	if _, err := pages(ctx, g, newest, func(list *[]issueAnswer) bool {
		for _, old := range *list {
			if strings.Contains(old.Body, mark(key)) {
				there = &Made{old.Number, old.URL}
			}
		}
		return there == nil
	}); err != nil || there != nil {
		return there, err
	}
	var made issueAnswer
	err := g.call(ctx, http.MethodPost, "/issues", map[string]any{"title": i.Title,
		"body": strings.TrimSpace(i.Text + "\n\n" + mark(key))}, &made)
	return &Made{made.Number, made.URL}, err
}

type issueAnswer struct {
	Number int    `json:"number"`
	URL    string `json:"html_url"`
	Body   string `json:"body"`
}

// pages reads up to [mostPages] pages of a list, until take returns false. It returns true if
// the list has more pages than these.
func pages[T any](ctx context.Context, g *gitHub, path string, take func(page *T) bool) (more bool, err error) {
	address := g.repo + path
	for range mostPages {
		page := new(T)
		links, err := g.send(ctx, http.MethodGet, address, nil, page)
		if err != nil {
			return false, err
		}
		next := nextLink(links)
		if !take(page) || next == "" {
			return false, nil
		}
		if !strings.HasPrefix(next, g.api+"/") { // another site must not get the token
			return false, fmt.Errorf("the next page of a list is elsewhere: %s: %w", next, ErrRefused)
		}
		address = next
	}
	return true, nil
}

// nextLink returns the address of the next page in the headers Link of an answer (RFC 8288), or "".
func nextLink(headers []string) string {
	for part := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		address, rest, ok := strings.Cut(strings.TrimSpace(part), ">")
		if ok && strings.HasPrefix(address, "<") && strings.Contains(rest, `rel="next"`) {
			return address[1:]
		}
	}
	return ""
}

type answerError struct {
	status int
	said   string
	until  time.Time // time of the first request that can succeed; zero if unknown
}

// Until returns the time before which the forge accepts no further request, according to an error of a [Forge]. It
// returns zero if the time is unknown.
func Until(err error) time.Time {
	if e, ok := errors.AsType[*answerError](err); ok {
		return e.until
	}
	return time.Time{}
}

func (e *answerError) Error() string { return fmt.Sprintf("it answers %d: %s", e.status, e.said) }

// Unwrap returns [ErrRefused], or nil if a repeated request may succeed.
func (e *answerError) Unwrap() error {
	if e.status >= 500 || e.status == http.StatusTooManyRequests {
		return nil
	}
	return ErrRefused
}

func (g *gitHub) call(ctx context.Context, method, path string, send, into any) error {
	_, err := g.send(ctx, method, g.repo+path, send, into)
	return err
}

// send sends a request, decodes its JSON answer, and returns the headers Link.
func (g *gitHub) send(ctx context.Context, method, address string, send, into any) (links []string, err error) {
	body, err := json.Marshal(send)
	if err != nil {
		return nil, err
	}
	if send == nil {
		body = nil
	}
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+g.token)
	r.Header.Set("Accept", "application/vnd.github+json")
	r.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	r.Header.Set("User-Agent", "samepage-runner")
	if send != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := g.client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.URL.Host, unwrapURL(err))
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", r.URL.Host, err)
	case len(text) > maxAnswer:
		return nil, fmt.Errorf("%s: an answer has more than %d bytes", r.URL.Host, maxAnswer)
	case answer.StatusCode >= 200 && answer.StatusCode < 300:
		if err := json.Unmarshal(text, into); err != nil {
			return nil, fmt.Errorf("%s answers %d with something that cannot be read: %w", r.URL.Host,
				answer.StatusCode, err)
		}
		return answer.Header.Values("Link"), nil
	}
	return nil, fmt.Errorf("%s: %w", r.URL.Host, refusal(answer, text, time.Now()))
}

// unwrapURL returns a client's error without the method and the URL.
func unwrapURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// refusal returns an error with GitHub's message and its errors about single fields, or with another message for a
// redirect, a 404 or a limit of requests.
func refusal(answer *http.Response, body []byte, now time.Time) error {
	var said struct {
		Message string `json:"message"`
		Errors  []any  `json:"errors"` // texts, or objects with a message, or with a field and a code
	}
	e := &answerError{status: answer.StatusCode, said: http.StatusText(answer.StatusCode)}
	if json.Unmarshal(body, &said) == nil && said.Message != "" {
		e.said = strings.Join(strings.Fields(said.Message), " ")
	}
	for _, one := range said.Errors {
		switch one := one.(type) {
		case string:
			e.said += "; " + one
		case map[string]any:
			text, _ := one["message"].(string)
			field, _ := one["field"].(string)
			code, _ := one["code"].(string)
			if text == "" && field != "" && code != "" {
				text = field + ": " + strings.ReplaceAll(code, "_", " ")
			}
			if text != "" {
				e.said += "; " + text
			}
		}
	}
	switch {
	case answer.StatusCode/100 == 3:
		e.said = "the repository has another address by now: " + answer.Header.Get("Location")
	case answer.StatusCode == http.StatusNotFound:
		e.said = "it finds no such thing, or the token may not see it"
	case answer.StatusCode == http.StatusForbidden, answer.StatusCode == http.StatusTooManyRequests:
		e.limit(answer.Header, now)
	}
	return e
}

// usualWait is the wait after GitHub's limit of requests is reached, if the answer does not say how long to wait.
// mostWait is the longest wait.
const (
	usualWait = time.Minute
	mostWait  = time.Hour
)

// limit reads the headers of an answer with the status 403 or 429. If a limit of requests is reached, it sets the time
// of the next request, and the status 429, so that Unwrap does not return [ErrRefused].
func (e *answerError) limit(h http.Header, now time.Time) {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	reset, rerr := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
	switch {
	case err == nil && seconds >= 0:
		e.until = now.Add(time.Duration(seconds) * time.Second)
	case h.Get("X-RateLimit-Remaining") == "0" && rerr == nil:
		e.until = time.Unix(reset, 0)
	case e.status == http.StatusTooManyRequests || h.Get("X-RateLimit-Remaining") == "0" ||
		strings.Contains(strings.ToLower(e.said), "secondary rate limit"):
		e.until = now.Add(usualWait)
	default:
		return
	}
	if latest := now.Add(mostWait); e.until.After(latest) {
		e.until = latest
	}
	e.status = http.StatusTooManyRequests
	e.said = "the limit of requests is reached until " + e.until.UTC().Format("15:04 UTC")
}
