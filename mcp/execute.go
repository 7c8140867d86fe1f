package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// executeArgs holds the arguments of execute_action. The field members becomes the body of the request to the site.
type executeArgs struct {
	action, url string
	key         bool // whether the model chose an idempotency key
	params      json.RawMessage
	members     map[string]json.RawMessage // all arguments except action and url
}

// readExecuteArgs also accepts dry_run, if_version and idempotency_key. The schema does not show them, because few
// calls need them, and their description would cost every conversation tokens. All other arguments are passed to the
// site.
func readExecuteArgs(raw json.RawMessage) (executeArgs, error) {
	args := readArguments(raw)
	o := executeArgs{action: args.text("action"), url: args.text("url"), members: args.members}
	set := func(name string, v any, given bool) {
		delete(o.members, name)
		if given {
			o.members[name], _ = json.Marshal(v) // cannot fail for a string or a bool
		}
	}
	if _, given := args.get("params"); given {
		o.params = args.object("params")
	}
	why, key, version := args.text("why"), args.textOrNumber("idempotency_key"), args.textOrNumber("if_version")
	dry := args.flag("dry_run")
	if err := args.err(); err != nil {
		return o, err
	}
	if o.action == "" {
		return o, errors.New("action is missing. Give the name of an action as the page lists it, such " +
			"as cast_vote, and the page's url.")
	}
	o.key = key != ""
	set("why", why, why != "")
	set("idempotency_key", key, o.key)
	set("if_version", version, version != "")
	set("dry_run", dry, dry)
	delete(o.members, "action")
	delete(o.members, "url")
	delete(o.members, "params")
	if o.params != nil {
		o.members["params"] = o.params
	}
	return o, nil
}

func (w *walker) execute(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	by := ctx.Value(callerKey{}).(caller)
	o, err := readExecuteArgs(req.Params.Arguments)
	if err != nil {
		return unchangedBecause(err), nil
	}
	at, err := w.findTarget(ctx, by, o)
	if err != nil {
		return unchangedBecause(err), nil
	}
	body, err := json.Marshal(o.members)
	if err != nil {
		return unchangedBecause(err), nil
	}
	q := siteRequest{method: http.MethodPost, uri: at.postURL(), accept: "application/json", body: body}
	if !o.key {
		q.callID = callID(req.Params.Meta)
	}
	// Only redirects that keep the method are followed, and only to an action of the same name.
	a, err := w.follow(ctx, by, q, func(status int, uri string) bool {
		return (status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect) &&
			parseTarget(uri).name == at.name
	})
	if err != nil {
		return errorResult(head(at, "", err.Error()) + "\n" + uncertain), nil
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
	return errorResult(err.Error() + "\n" + unchanged)
}

// callIDs are the metadata fields in which Claude Code and Codex send their own ID of a tool call. From a
// repeated ID, the site can tell that a client has lost the answer and sent the call again.
var callIDs = [...]string{"claudecode/toolUseId", "callId"}

func callID(meta sdk.Meta) string {
	for _, key := range callIDs {
		id, _ := meta[key].(string)
		if id != "" && len(id) <= 200 && escaped(id) == id { // the ID becomes a header
			return id
		}
	}
	return ""
}
