// Package clients has the end-to-end tests with real clients, called stories. People use Chromium and Firefox, and
// agents use the Go SDK, the MCP Inspector, the TypeScript SDKs, and Claude Code, Codex and Gemini CLI with a scripted
// model. The stories run the built program with its demo workspace, and use only its listening port and its standard
// streams. Checkers for protocols, accessibility and markup run beside them.
//
// The stories are skipped unless SAMEPAGE_E2E is set. If that variable is set, a missing tool is a failure; the command
// go run ./e2e/all installs the tools. The environment variables SAMEPAGE_NODE, SAMEPAGE_CHROME and SAMEPAGE_FIREFOX
// name other programs than the pinned Node, /usr/bin/chromium and /usr/bin/firefox-esr.
package clients
