package views

import (
	"strconv"
	"strings"
	"testing"

	"samepage/store"
	"samepage/views/page"
)

// TestMemberAgents checks that a cut list of agents says so.
func TestMemberAgents(t *testing.T) {
	for n, more := range map[int]bool{0: false, 1: false, store.MostMemberAgents: false, store.MostMemberAgents + 1: true} {
		list := make([]store.MemberAgent, n)
		for i := range list {
			list[i] = store.MemberAgent{Agent: store.Agent{ID: strconv.Itoa(i), Label: "Scribe"}, Member: "alice"}
		}
		p := page.Page{Title: "Team", Blocks: MemberAgents("acme", list)}
		got := string(p.AppendHTML(nil, &page.Context{}))
		if has := strings.Contains(got, `<a href="/orgs/acme/agents">More agents</a>`); has != more {
			t.Errorf("%d agents: a link to more: %v\n%s", n, has, got)
		}
		if shown := strings.Count(got, `href="/orgs/acme/agents/`); shown != min(n, store.MostMemberAgents) {
			t.Errorf("%d agents: %d are shown", n, shown)
		}
	}
}
