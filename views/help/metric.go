package help

import (
	"strings"

	"samepage/views/page"
)

// Metric describes one metric that a server collects, for the help page.
type Metric struct {
	Name, Type, Meaning string
	Labels              []string
}

// Metrics returns the help page that lists the metrics of a server.
func Metrics(list []Metric) page.Page {
	t := page.Table{Caption: "Metrics", Columns: page.Columns("Metric", "Type", "Labels", "Meaning")}
	for _, m := range list {
		t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{
			page.Line(page.Mono(m.Name)),
			page.Line(page.T(m.Type)),
			page.Line(page.T(strings.Join(m.Labels, ", "))),
			page.Line(page.Sentence(m.Meaning)),
		}})
	}
	return page.Page{Title: "What is measured", Kind: "Metrics", Public: true,
		Trail: page.Line(page.Link("Help", "/help"), page.Link("Running your own server", SelfHostingURL)),
		State: page.Line(page.Sentence("The server counts these for Prometheus, if its operator turns that on. No label has a name, " +
			"an address or a word of anybody: pages are told by their patterns.")),
		Blocks: []page.Block{t, page.List{
			page.Line(page.Sentence("A request that a tool makes counts by the door mcp, and its message by the page /mcp, too. A " +
				"message that waits for a page to change counts with its time; other requests that wait do not.")),
			page.Line(page.Sentence("The outcome of an action is done, held, dry_run, or the code of its error.")),
			page.Line(page.Sentence("Writes are undone if they are refused, dry runs, or failed.")),
			page.Line(page.Sentence("Only a database in a file has a writer and a write-ahead log. Mails are missing while the database " +
				"cannot be read.")),
			page.Line(page.Sentence("Beside these are the metrics of the Go runtime (go_…) and of the process (process_…).")),
		}}}
}

// SelfHostingURL is the address of the help page for operators of a server.
const SelfHostingURL = "/help/self-hosting"
