package demo

import (
	"time"

	"samepage/actions"
	"samepage/actions/param"
)

func (s *seeder) commitments(team string) {
	in := func(d time.Duration) string { return s.end.Add(d).UTC().Format(time.RFC3339) }
	propose := func(by, title string, mass int, more param.Input, joining ...string) string {
		p := param.Input{"title": title, "critical_mass": mass}
		for k, v := range more {
			p[k] = v
		}
		url := s.do(by, team, actions.CreateCommitment.Name, p)
		for _, who := range joining {
			s.why(who, url, actions.JoinCommitment.Name, nil,
				map[bool]string{true: "My member asked me to."}[s.actors[who].IsAgent()])
		}
		return url
	}
	done := propose("carol", "Answer every letter within a day, for a week", 3, nil, "carol", "dave", "Scribe")
	for _, who := range []string{"carol", "dave", "Scribe"} {
		s.do(who, done, actions.MarkDone.Name, param.Input{"note": "None is left."})
	}
	propose("frank", "Clear the cellar on Saturday", 4, param.Input{"closes_at": in(4 * day), "limit": 6,
		"text": "It takes **four** to carry the wardrobe. Bring gloves."}, "frank", "erin")
	propose("erin", "Harvest dinner", 4, param.Input{"starts_at": in(9 * day), "ends_at": in(9*day + 4*time.Hour),
		"place": "The long table in the yard", "text": "Everybody brings a dish."},
		"erin", "alice", "carol", "Scout")
	for _, b := range []said{{"carol", "Letters in the morning, choir at night."},
		{"Scribe", "Collecting the updates."}, {"dave", ""}} {
		s.do(b.by, team, actions.SendHeartbeat.Name, param.Input{"text": b.text})
	}
}
