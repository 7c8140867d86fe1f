// Package clients has the end-to-end stories with real clients: Chromium for people; the Go SDK,
// the MCP Inspector and both TypeScript SDKs for agents; the MCP conformance suite, axe,
// html-validate and markdownlint as checkers. The product is the built binary with its demo
// workspace, reached only through its listening port and its standard streams.
//
// The stories run with SAMEPAGE_E2E=1 and are skipped without it. A missing tool is then a
// failure: go run ./e2e/all installs the tools. SAMEPAGE_NODE and SAMEPAGE_CHROME name other
// programs than the pinned Node and /usr/bin/chromium.
package clients
