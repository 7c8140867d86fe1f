package demo

import (
	"samepage/actions"
	"samepage/actions/governance"
	"samepage/actions/param"
)

func (s *seeder) elections(studio string) {
	for _, who := range []string{"carol", "dave", "erin"} {
		s.do(who, studio, actions.Join.Name, nil)
	}
	begin := func(by, title, mission, qualifications, term string) string {
		s.do(by, studio+"/roles", actions.CreateRole.Name, param.Input{"title": title, "mission": mission})
		return s.do(by, studio, governance.CreateElection.Name,
			param.Input{"role": title, "qualifications": qualifications, "term": term})
	}
	nominate := func(url, by, nominee, reason string) {
		s.do(by, url, governance.Nominate.Name, param.Input{"nominee": nominee, "reason": reason})
	}
	respond := func(url, by, position, reason string) {
		s.do(by, url, governance.RespondToElection.Name, param.Input{"position": position, "reason": reason})
	}
	curator := begin("alice", "Curator", "Chooses which votes we add.", "Somebody who reads the old lists, for a year.", "365d")
	nominate(curator, "alice", "dave", "Knows every constitution there is.")
	nominate(curator, "bob", "erin", "Asks first whether a vote teaches anything.")
	nominate(curator, "dave", "erin", "She asked me once why 2005 was missing.")
	nominate(curator, "carol", "dave", "He has read them all anyway.")
	s.do("alice", curator, governance.AdvanceElection.Name, nil)
	s.do("dave", curator, actions.Comment, param.Input{"text": "I travel in spring. I would rather not."})
	s.do("alice", curator, governance.AdvanceElection.Name, nil)
	s.do("carol", curator, governance.ChangeNomination.Name,
		param.Input{"nominee": "erin", "reason": "As @dave travels."})
	s.do("alice", curator, governance.ProposeCandidate.Name,
		param.Input{"candidate": "erin", "reason": "She asks what a vote teaches, and she is here all year."})
	for _, who := range []string{"alice", "bob", "dave", "erin"} {
		respond(curator, who, "consent", "")
	}
	respond(curator, "carol", "stand_aside", "I hardly know the votes.")
	s.do("alice", curator, governance.Elect.Name, param.Input{"statement": "The list of *missing* votes goes with the role."})
	proofreader := begin("bob", "Proofreader", "Compares our ballots with the published ones.",
		"Somebody who likes to count, and who says no.\n\n- about an hour a week\n- the differences are kept in the open", "180d")
	nominate(proofreader, "alice", "carol", "She counts everything.")
	nominate(proofreader, "bob", "carol", "She says no.")
}
