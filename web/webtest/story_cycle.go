package webtest

import (
	"samepage/actions"
	"samepage/actions/param"
)

// cycles adds heartbeats of people and agents, and names past, present and future cycles as fixtures.
func (m *maker) cycles() {
	beat := func(by, studio, text string) {
		m.do(by, m.urls[studio], actions.SendHeartbeat.Name, param.Input{"text": text})
	}
	beat("alice", "team", "At the accounts until noon.")
	beat("scout", "team", "Reading the minutes.")
	beat("erin", "team", "")
	beat("bob", "plaza", "")
	m.do("oscar", m.urls["lab"], actions.UpdateStudio.Name, param.Input{"tempo": "daily"})
	m.urls["cycle told"] = m.urls["lab"] + "/cycles/2026-11-18"
	m.do("clock", m.urls["cycle told"], actions.SendDigest.Name, nil)
	for name, at := range map[string]string{"week": "team/cycles/2026-w47", "day": "team/cycles/2026-11-19",
		"month": "team/cycles/2026-11", "next": "team/cycles/2026-w48",
		"later": "team/cycles/2026-w49", "far": "team/cycles/2031-03-30", "past": "team/cycles/2026-11-18",
		"long ago": "team/cycles/2020-w01", "plaza": "plaza/cycles/2026-w47", "attic": "attic/cycles/2026-w47"} {
		m.urls["cycle "+name] = "/studios/" + at
	}
}
