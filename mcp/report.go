package mcp

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	unchanged = "Nothing was changed."
	uncertain = "It is not certain whether anything was changed: open the page again before you try again."
)

type outcome struct {
	Message string   `json:"message"`
	URL     string   `json:"url"`
	On      string   `json:"on"` // title of the page of the action
	Page    string   `json:"page"`
	Held    bool     `json:"held"`
	Error   *failure `json:"error"`
}

type failure struct {
	Message string `json:"message"`
	Fields  []struct {
		Field   string `json:"field"`
		Message string `json:"message"`
	} `json:"fields"`
	Actions []string `json:"actions"`
	Next    []struct {
		Title string `json:"title"`
		URL   string `json:"url"`
	} `json:"next"`
}

func readOutcome(a answer) (out outcome, err error) {
	err = json.Unmarshal([]byte(a.body), &out)
	return out, err
}

// report turns the site's answer into a tool result for the model. The parameter err is the error of readOutcome.
func report(at target, a answer, out outcome, err error) *sdk.CallToolResult {
	switch {
	case a.ok() && err == nil && out.Error == nil:
		return textResult(out.text(at, a.status))
	case err == nil && out.Error != nil:
		return errorResult(out.Error.text(at, out.On, a) + tail(out.Page))
	case a.ok():
		return textResult(head(at, "", "done.") + tail(a.body))
	}
	text := "The site answered " + http.StatusText(a.status) + "."
	if to := a.header.Get("Location"); to != "" && a.status < 400 {
		text = "The page has moved to " + to + "."
	}
	if err != nil && a.isText() {
		return errorResult(head(at, "", text) + "\n" + change(a.status) + tail(a.body))
	}
	return errorResult(head(at, "", text) + "\n" + change(a.status))
}

// text describes a success, or an action that waits for approval.
func (o outcome) text(at target, status int) string {
	if o.Held || status == http.StatusAccepted {
		text := head(at, o.On, "Waiting for approval: "+o.URL)
		if o.Message != "" {
			text += "\n" + o.Message
		}
		return text + tail(o.Page)
	}
	text := head(at, o.On, o.Message)
	if o.Page == "" && o.URL != "" {
		text += "\nNext: " + o.URL
	}
	return text + tail(o.Page)
}

func (f failure) text(at target, on string, a answer) string {
	var b strings.Builder
	b.WriteString(head(at, on, f.Message))
	for _, bad := range f.Fields {
		if strings.Contains(f.Message, bad.Field+": "+bad.Message) {
			continue // the message contains this already
		}
		b.WriteString("\n- " + bad.Field + ": " + bad.Message)
	}
	if after := a.header.Get("Retry-After"); after != "" {
		b.WriteString("\nTry again after " + after + " seconds.")
	}
	if len(f.Actions) > 0 {
		b.WriteString("\nAvailable here: " + strings.Join(f.Actions, ", "))
	}
	for i, next := range f.Next {
		if i == 0 {
			b.WriteString("\nNext: ")
		} else {
			b.WriteString(", ")
		}
		b.WriteString(strings.TrimSpace(oneLine(next.Title) + " " + next.URL))
	}
	b.WriteString("\n" + change(a.status))
	return b.String()
}

// head returns the first line of a result. The title is quoted, so that it cannot pretend to be the rest of the line.
func head(at target, title, what string) string {
	on := at.page
	if title != "" {
		on = strconv.Quote(oneLine(title)) + " (" + at.page + ")"
	}
	return at.name + " on " + on + ": " + what
}

// tail returns the page as the end of a result.
func tail(page string) string {
	if strings.TrimSpace(page) == "" {
		return ""
	}
	return "\n\n" + page
}

// change returns a sentence on whether the failed action may have changed anything. The status 503 means that nothing
// was done.
func change(status int) string {
	if status < 500 || status == http.StatusServiceUnavailable {
		return unchanged
	}
	return uncertain
}

// oneLine returns a text on one line, so that a title cannot add lines to a result.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
