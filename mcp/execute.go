package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// order is what execute_action was asked to do. Its JSON is what the site is sent.
type order struct {
	Params         json.RawMessage `json:"params"`
	Why            string          `json:"why,omitempty"`
	DryRun         bool            `json:"dry_run,omitempty"`
	IfVersion      string          `json:"if_version,omitempty"`
	IdempotencyKey string          `json:"idempotency_key,omitempty"`

	action, url string
}

// readOrder reads the arguments. The last three members are accepted though the schema does not show them: few calls need
// them, and every call would pay for them.
func readOrder(raw json.RawMessage) (order, error) {
	args := readArguments(raw)
	o := order{
		action: args.text("action"), url: args.text("url"),
		Params: args.object("params"), Why: args.text("why"),
		DryRun: args.flag("dry_run"), IfVersion: args.textOrNumber("if_version"), IdempotencyKey: args.textOrNumber("idempotency_key"),
	}
	if err := args.err(); err != nil {
		return o, err
	}
	if o.action == "" {
		return o, errors.New("action is missing. Give the name of an action as the page lists it, such as cast_vote, and the page's url.")
	}
	return o, nil
}

// execute takes an action on the page that the arguments name, and says which page that was.
func (w *walker) execute(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	by := ctx.Value(callerKey{}).(caller)
	o, err := readOrder(req.Params.Arguments)
	if err != nil {
		return unchangedBecause(err), nil
	}
	at, err := w.where(ctx, by, o)
	if err != nil {
		return unchangedBecause(err), nil
	}
	body, err := json.Marshal(o)
	if err != nil {
		return unchangedBecause(err), nil
	}
	q := siteRequest{method: http.MethodPost, uri: at.postURL(), accept: "application/json", body: body}
	if o.IdempotencyKey == "" {
		q.callID = callID(req.Params.Meta)
	}
	// Only 307 and 308 keep the method, and only the same action under the page's other name is what was asked for.
	a, err := w.follow(ctx, by, q, func(status int, uri string) bool {
		return (status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect) && parseTarget(uri).name == at.name
	})
	if err != nil {
		return failed(head(at, err.Error()) + "\n" + uncertain), nil
	}
	at = parseTarget(a.uri)
	w.visits.add(by.principal, at.page)
	out, err := readOutcome(a)
	if err == nil && a.ok() && out.Page != "" && out.URL != "" {
		if shown, err := w.locateFrom(by, a.uri, out.URL); err == nil {
			w.visits.add(by.principal, parseTarget(shown).page)
		}
	}
	return report(at, a, out, err), nil
}

func unchangedBecause(err error) *sdk.CallToolResult {
	return failed(err.Error() + "\n" + unchanged)
}

// callIDs are where clients tell their own name of a tool call: Claude Code, Codex. A client that lost the answer sends the
// call again under the same name, and the site then gives the first answer again.
var callIDs = [...]string{"claudecode/toolUseId", "callId"}

func callID(meta sdk.Meta) string {
	for _, key := range callIDs {
		id, _ := meta[key].(string)
		if id != "" && len(id) <= 200 && escaped(id) == id { // a header's value must be plain
			return id
		}
	}
	return ""
}
