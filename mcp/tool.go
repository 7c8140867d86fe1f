package mcp

import (
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// These schemas are written by hand, because those that the SDK infers forbid additional properties, and clients add
// properties, such as wait_for_previous of Gemini CLI.
const (
	navigateSchema = `{"type":"object","properties":{` +
		`"url":{"type":"string","description":"Path such as / or /studios/team, or a full URL of this workspace"}},` +
		`"required":["url"]}`
	executeSchema = `{"type":"object","properties":{` +
		`"action":{"type":"string","description":"Name as listed on the page, such as cast_vote"},` +
		`"url":{"type":"string","description":"Page that lists the action"},` +
		`"params":{"type":"object","description":"Parameters as the page lists them","additionalProperties":true},` +
		`"why":{"type":"string","description":"A line for the record"}},` +
		`"required":["action"]}`
)

func navigateTool() *sdk.Tool {
	return &sdk.Tool{
		Name:  "navigate",
		Title: "Open a page",
		Description: "Open a page of this workspace as markdown, which ends with the actions you may " +
			"take there. " +
			"Start at /; /?q=words searches. People see the same pages at the same URLs in a browser.",
		InputSchema: json.RawMessage(navigateSchema),
		Annotations: &sdk.ToolAnnotations{
			Title:           "Open a page",
			ReadOnlyHint:    true,
			IdempotentHint:  true,
			DestructiveHint: new(false),
			OpenWorldHint:   new(false),
		},
		Meta: alwaysLoad(),
	}
}

func executeTool() *sdk.Tool {
	return &sdk.Tool{
		Name:  executeAction,
		Title: "Take an action",
		Description: "Take one of the actions that navigate listed on a page. Give the page's url, the " +
			"action's name and its params " +
			"as listed. Says what changed and shows the page after.",
		InputSchema: json.RawMessage(executeSchema),
		Annotations: &sdk.ToolAnnotations{
			Title: "Take an action", DestructiveHint: new(true), OpenWorldHint: new(false),
		},
		Meta: alwaysLoad(),
	}
}

// alwaysLoad asks Claude Code to show the model the whole definition of a tool at once, and not only its name.
func alwaysLoad() sdk.Meta { return sdk.Meta{"anthropic/alwaysLoad": true} }
