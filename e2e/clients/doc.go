// Package clients has the end-to-end tests with real clients, called stories. People use Chromium and, in one story,
// Firefox. Agents use the Go SDK, the MCP Inspector, and both TypeScript SDKs. Claude Code, Codex and Gemini CLI are
// driven by the Agent Client Protocol and answered by a scripted model. The checkers are the schema of that protocol,
// the MCP conformance suite, axe, Lighthouse, html-validate, Nu, stylelint and markdownlint. The tests run the built
// program with its demo workspace, and use only its listening port and its standard streams.
//
// TestEveryHand tells a story about every kind of page: without scripts and by keyboard alone, by mouse, and by touch
// on a phone. Each of the other stories is about one more client or one more part of the product.
//
// The stories are skipped unless SAMEPAGE_E2E is set. If that variable is set, a missing tool is a failure; the command
// go run ./e2e/all installs the tools. The environment variables SAMEPAGE_NODE, SAMEPAGE_CHROME and
// SAMEPAGE_FIREFOX name other programs than the pinned Node, /usr/bin/chromium and /usr/bin/firefox-esr.
package clients
