// Package clients has the end-to-end tests with real clients, called stories. For people these are Chromium and, in one
// story, Firefox. For agents these are the Go SDK, the MCP Inspector, both TypeScript SDKs, and Claude Code, Codex and
// Gemini CLI, which the Agent Client Protocol drives and a scripted model answers. The checkers are the schema of that
// protocol, the MCP conformance suite, axe, Lighthouse, html-validate, Nu, stylelint and markdownlint. The tests run
// the built program with its demo workspace, and use only its listening port and its standard streams.
//
// TestEveryHand tells a story about every kind of page: without scripts and by keyboard alone, by mouse, and by touch
// on a phone. Each of the other stories is about one more client or one more part of the product.
//
// The stories run if SAMEPAGE_E2E is set, and are skipped otherwise. If it is set, a missing tool is a failure; the
// command go run ./e2e/all installs the tools. The environment variables SAMEPAGE_NODE, SAMEPAGE_CHROME and
// SAMEPAGE_FIREFOX name other programs than the pinned Node, /usr/bin/chromium and /usr/bin/firefox-esr.
package clients
