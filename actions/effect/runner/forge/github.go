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
	repo   string // URL of the repository in the API
	owner  string
}

// maxAnswer is the maximum size of an answer, in bytes.
const maxAnswer = 8 << 20

// mostPages is the maximum number of pages, of 100 entries each, that are read from a list.
const mostPages = 5

// pullAnswer is a pull request in GitHub's answers.
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
	var runs struct {
		Total int `json:"total_count"`
		List  []struct {
			Name, Status, Conclusion string
		} `json:"check_runs"`
	}
	if err := g.call(ctx, http.MethodGet, "/commits/"+commit+"/check-runs?per_page=100", nil, &runs); err != nil {
		return Checks{}, err
	}
	var combined struct {
		List []struct {
			Name  string `json:"context"`
			State string `json:"state"`
		} `json:"statuses"`
	}
	if err := g.call(ctx, http.MethodGet, "/commits/"+commit+"/status?per_page=100", nil, &combined); err != nil {
		return Checks{}, err
	}
	var failed, waiting []string
	for _, c := range runs.List {
		switch {
		case c.Status != "completed":
			waiting = append(waiting, c.Name)
		case !slices.Contains([]string{"success", "neutral", "skipped"}, c.Conclusion):
			failed = append(failed, c.Name)
		}
	}
	for _, c := range combined.List {
		switch c.State {
		case "pending":
			waiting = append(waiting, c.Name)
		case "failure", "error":
			failed = append(failed, c.Name)
		}
	}
	if more := runs.Total - len(runs.List); more > 0 {
		waiting = append(waiting, fmt.Sprintf("%d more, which are not read", more))
	}
	switch {
	case len(failed) > 0:
		return Checks{Failed, failed}, nil
	case len(waiting) > 0:
		return Checks{Waiting, waiting}, nil
	case len(runs.List)+len(combined.List) > 0:
		return Checks{State: Passed}, nil
	}
	return Checks{}, nil
}

// mark returns the last line of an issue's text, which contains the key. GitHub does not show the line, because it is
// an HTML comment.
func mark(key string) string { return "<!-- samepage:" + key + " -->" }

func (g *gitHub) OpenIssue(ctx context.Context, key string, i Issue) (*Made, error) {
	for n := 1; n <= mostPages; n++ {
		var list []struct {
			Number int    `json:"number"`
			URL    string `json:"html_url"`
			Body   string `json:"body"`
		}
		newest := fmt.Sprintf("/issues?state=all&sort=created&direction=desc&per_page=100&page=%d", n)
		if err := g.call(ctx, http.MethodGet, newest, nil, &list); err != nil {
			return nil, err
		}
		for _, old := range list {
			if strings.Contains(old.Body, mark(key)) {
				return &Made{old.Number, old.URL}, nil
			}
		}
		if len(list) < 100 {
			break
		}
	}
	var made struct {
		Number int    `json:"number"`
		URL    string `json:"html_url"`
	}
	err := g.call(ctx, http.MethodPost, "/issues", map[string]any{"title": i.Title,
		"body": strings.TrimSpace(i.Text + "\n\n" + mark(key))}, &made)
	return &Made{made.Number, made.URL}, err
}

// answerError is an HTTP answer with an error status.
type answerError struct {
	status int
	said   string
}

func (e *answerError) Error() string { return fmt.Sprintf("it answers %d: %s", e.status, e.said) }

// Unwrap returns nil if a repeated request may succeed, and otherwise [ErrRefused].
func (e *answerError) Unwrap() error {
	if e.status >= 500 || e.status == http.StatusTooManyRequests {
		return nil
	}
	return ErrRefused
}

// call sends a request and decodes its JSON answer into the given variable.
func (g *gitHub) call(ctx context.Context, method, path string, send, into any) error {
	body, err := json.Marshal(send)
	if err != nil {
		return err
	}
	if send == nil {
		body = nil
	}
	r, err := http.NewRequestWithContext(ctx, method, g.repo+path, bytes.NewReader(body))
	if err != nil {
		return err
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
		return fmt.Errorf("%s: %w", r.URL.Host, unwrapURL(err))
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", r.URL.Host, err)
	case len(text) > maxAnswer:
		return fmt.Errorf("%s: an answer has more than %d bytes", r.URL.Host, maxAnswer)
	case answer.StatusCode >= 200 && answer.StatusCode < 300:
		if err := json.Unmarshal(text, into); err != nil {
			return fmt.Errorf("%s answers %d with something that cannot be read: %w", r.URL.Host, answer.StatusCode, err)
		}
		return nil
	}
	return fmt.Errorf("%s: %w", r.URL.Host, refusal(answer, text))
}

// unwrapURL returns the cause of a client's error, without the method and the URL.
func unwrapURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// refusal returns the error for an answer with an error status. The error contains GitHub's message.
func refusal(answer *http.Response, body []byte) error {
	var said struct {
		Message string `json:"message"`
		Errors  []any  `json:"errors"` // texts, or objects with a message
	}
	e := &answerError{status: answer.StatusCode, said: http.StatusText(answer.StatusCode)}
	if json.Unmarshal(body, &said) == nil && said.Message != "" {
		e.said = said.Message
	}
	for _, one := range said.Errors {
		switch one := one.(type) {
		case string:
			e.said += "; " + one
		case map[string]any:
			if text, ok := one["message"].(string); ok {
				e.said += "; " + text
			}
		}
	}
	switch {
	case answer.StatusCode/100 == 3:
		e.said = "the repository has another address by now: " + answer.Header.Get("Location")
	case answer.StatusCode == http.StatusNotFound:
		e.said = "it finds no such thing, or the token may not see it"
	case answer.Header.Get("X-RateLimit-Remaining") == "0":
		e.status = http.StatusTooManyRequests
		if at, err := strconv.ParseInt(answer.Header.Get("X-RateLimit-Reset"), 10, 64); err == nil {
			e.said = "the limit of requests is reached until " + time.Unix(at, 0).UTC().Format("15:04 UTC")
		}
	}
	return e
}
