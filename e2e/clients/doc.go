// Package clients has the end-to-end tests with real clients, called stories. People use Chromium, and one story is
// told in Firefox. Agents use the Go SDK, the MCP Inspector and both TypeScript SDKs, and Claude Code, Codex and Gemini
// CLI are led through the Agent Client Protocol against a scripted model. The schema of that protocol, the MCP
// conformance suite, axe, Lighthouse, html-validate, Nu, stylelint and markdownlint are checkers. The tests run the
// built program with its demo workspace. They use only its listening port and its standard streams.
//
// TestEveryHand tells stories about every noun without scripts and by keyboard alone, by mouse, and by touch on a
// phone. The other stories are about one more client or one more part of the product each.
//
// The stories run if SAMEPAGE_E2E is set, and are skipped otherwise. A missing tool is then a
// failure, and go run ./e2e/all installs the tools. The environment variables SAMEPAGE_NODE,
// SAMEPAGE_CHROME and SAMEPAGE_FIREFOX replace the pinned Node, /usr/bin/chromium and /usr/bin/firefox-esr by other
// programs.
package clients
