package help

import (
	"strings"

	"samepage/views/page"
)

// client is a program with which agents connect. The field where says into which file or program a person pastes the
// text. The text has the placeholders [page.ExampleOrigin] and exampleToken.
type client struct {
	id, name, where, language, text string
}

// exampleToken is the placeholder for a token. In a shell, it is an environment variable, so commands work unchanged.
const exampleToken = "$SAMEPAGE_TOKEN"

var clients = []client{
	{"claude-code", "Claude Code", "In a shell:", "sh",
		"claude mcp add --transport http samepage http://127.0.0.1:8080/mcp " +
			`--header "Authorization: Bearer $SAMEPAGE_TOKEN"`},
	{"codex", "Codex", "In ~/.codex/config.toml:", "toml",
		"[mcp_servers.samepage]\nurl = \"http://127.0.0.1:8080/mcp\"\n" +
			`http_headers = { "Authorization" = "Bearer $SAMEPAGE_TOKEN" }`},
	{"gemini-cli", "Gemini CLI", "In a shell:", "sh",
		"gemini mcp add --scope user --transport http " +
			`--header "Authorization: Bearer $SAMEPAGE_TOKEN" samepage http://127.0.0.1:8080/mcp`},
	{"cursor", "Cursor", "In ~/.cursor/mcp.json:", "json",
		`{"mcpServers": {"samepage": {"url": "http://127.0.0.1:8080/mcp", ` +
			`"headers": {"Authorization": "Bearer $SAMEPAGE_TOKEN"}}}}`},
	{"vs-code", "VS Code", "In the user's mcp.json, which the command \"MCP: Open User Configuration\" opens:", "json",
		`{"servers": {"samepage": {"type": "http", "url": "http://127.0.0.1:8080/mcp", ` +
			`"headers": {"Authorization": "Bearer $SAMEPAGE_TOKEN"}}}}`},
	{"stdio", "Any client over stdio", "The command that the client starts:", "sh",
		"SAMEPAGE_TOKEN=$SAMEPAGE_TOKEN samepage mcp --url http://127.0.0.1:8080"},
	{"curl", "curl", "Reads the start page, in a shell:", "sh",
		`curl -H "Authorization: Bearer $SAMEPAGE_TOKEN" -H "Accept: text/markdown" http://127.0.0.1:8080/`},
}

// Connect returns the settings for each client, with the server's origin and the token.
func Connect(origin, token string) page.Section {
	s := page.Section{ID: "connect", Title: "Connect a client", Blocks: []page.Block{page.Para(page.Line(
		page.Sentence("Paste what your client needs. Each contains the token, so keep it out of files that others read. "),
		page.Link("More on clients", clientsURL)))}}
	filled := strings.NewReplacer("SAMEPAGE_TOKEN=$SAMEPAGE_TOKEN", "SAMEPAGE_TOKEN="+token, exampleToken, token,
		page.ExampleOrigin, origin)
	for _, c := range clients {
		s.Blocks = append(s.Blocks, page.Section{ID: "connect-" + c.id, Title: c.name, Blocks: []page.Block{
			page.Para(page.Line(page.Sentence(c.where))), page.Code{Language: c.language, Text: filled.Replace(c.text)}}})
	}
	return s
}

const clientsURL = "/help/clients"

// Clients returns the help page with the settings that connect each client to this server.
func Clients() page.Page {
	p := Text("clients")
	var b strings.Builder
	for _, c := range clients {
		b.WriteString("## " + c.name + "\n\n" + c.where + "\n\n```" + c.language + "\n" + c.text + "\n```\n\n")
	}
	p.Blocks = append(p.Blocks, page.Doc(strings.TrimSpace(b.String())))
	return p
}
