package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Answer is an agent's answer to a prompt, at the end of the turn.
type Answer struct {
	Stop   string  `json:"stopReason"` // end_turn, max_tokens, max_turn_requests, refusal or cancelled
	Tokens *Tokens `json:"usage"`      // nil if the agent does not say
}

// Tokens are the numbers of tokens that a turn used.
type Tokens struct {
	Input       int64 `json:"inputTokens"`
	Output      int64 `json:"outputTokens"`
	Thought     int64 `json:"thoughtTokens"`
	CachedRead  int64 `json:"cachedReadTokens"`
	CachedWrite int64 `json:"cachedWriteTokens"`
	Total       int64 `json:"totalTokens"`
}

// Class is the kind of a turn's failure.
type Class string

// These are the classes of failures. The empty class means that the turn did not fail.
const (
	AgentError   Class = "agent_error"   // any other error, such as one that the agent answered
	NotSignedIn  Class = "not_signed_in" // the agent has no valid login or key
	LimitReached Class = "limit_reached" // a limit of tokens, turns, requests or money
	NoSuchModel  Class = "no_such_model"
	Refused      Class = "refused" // the model declined
	Crashed      Class = "crashed" // the agent ended before its answer, or did not start
	Lost         Class = "lost"    // this end closed the connection or stopped waiting before the answer
)

// These are error codes of the protocol.
const (
	codeNotSignedIn = -32000
	codeNotFound    = -32002
)

// Outcome describes how a turn ended.
type Outcome struct {
	Stop   string // agent's stop reason, or ""
	Class  Class
	Reason string // a sentence for people, or the agent's own message; "" after success
}

// Cancelled reports whether the agent gave cancelled as its stop reason.
func (o Outcome) Cancelled() bool { return o.Stop == "cancelled" }

// OutcomeOf classifies the result of [Client.Prompt], or of an earlier call in the same turn. The exit code of an agent
// is no help, because adapters exit with 0 after each kind of failure.
func OutcomeOf(a Answer, err error) Outcome {
	if err != nil {
		return Outcome{Class: ClassOf(err), Reason: reason(err)}
	}
	switch a.Stop {
	case "end_turn", "cancelled":
		return Outcome{Stop: a.Stop}
	case "refusal":
		return Outcome{a.Stop, Refused, "The model declined to go on."}
	case "max_tokens":
		return Outcome{a.Stop, LimitReached, "The model reached its limit of tokens."}
	case "max_turn_requests":
		return Outcome{a.Stop, LimitReached, "The agent reached its limit of requests in one turn."}
	}
	return Outcome{a.Stop, AgentError, "The agent ended the turn with a reason that Samepage does not know: " + a.Stop + "."}
}

// maxReason limits the details in a reason, in bytes.
const maxReason = 2000

// reason describes an error for people. Some agents send details beside a general message such as "Internal error".
func reason(err error) string {
	var refused *jsonrpc.Error
	if errors.Is(err, ErrEnded) {
		return "The agent's program ended in the middle of the turn."
	}
	if !errors.As(err, &refused) {
		return err.Error()
	}
	var data struct{ Details, Message string }
	if json.Unmarshal(refused.Data, &data) != nil {
		return refused.Message
	}
	details := strings.TrimSpace(cmp.Or(data.Details, data.Message))
	if details == "" || details == refused.Message {
		return refused.Message
	}
	if len(details) > maxReason {
		details = strings.ToValidUTF8(details[:maxReason], "") + "…"
	}
	return refused.Message + ": " + details
}

// signs maps words in error messages to classes, because agents send most failures with the JSON-RPC code of an
// internal error. The first class with a matching word counts.
var signs = []struct {
	class Class
	words []string
}{
	{LimitReached, []string{"maximum number of turns", "rate limit", "rate_limit", "usage limit", "quota", "too many requests",
		"budget", "credit balance", "context window", "context length", "overloaded"}},
	{NotSignedIn, []string{"not logged in", "not signed in", "log in", "/login", "unauthorized", "unauthenticated",
		"authentication", "api key", "api_key", "invalid x-api-key", "credentials"}},
}

// ClassOf returns the class of a call's error, or the empty class if err is nil.
func ClassOf(err error) Class {
	var refused *jsonrpc.Error
	switch {
	case err == nil:
		return ""
	case errors.Is(err, ErrEnded):
		return Crashed
	case errors.Is(err, ErrClosed), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Lost
	case !errors.As(err, &refused):
		return AgentError
	case refused.Code == codeNotSignedIn:
		return NotSignedIn
	}
	text := strings.ToLower(refused.Message + " " + string(refused.Data))
	if strings.Contains(text, "model") && containsAny(text, "not found", "not_found", "does not exist", "unknown model",
		"invalid model", "not supported", "no such model", "not available") {
		return NoSuchModel
	}
	for _, s := range signs {
		if containsAny(text, s.words...) {
			return s.class
		}
	}
	return AgentError
}

func containsAny(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

// IsNoSession reports whether the agent does not know the session to be continued.
func IsNoSession(err error) bool {
	var refused *jsonrpc.Error
	if !errors.As(err, &refused) {
		return false
	}
	text := strings.ToLower(refused.Message + " " + string(refused.Data))
	return refused.Code == codeNotFound || containsAny(text, "no rollout found", "session not found", "unknown session",
		"no such session", "no conversation found", "invalid session identifier")
}

// IsRefusal reports whether the agent answered with an error of the class [AgentError].
func IsRefusal(err error) bool {
	var refused *jsonrpc.Error
	return errors.As(err, &refused) && ClassOf(err) == AgentError
}
