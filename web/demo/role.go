package demo

import (
	"strings"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
)

func (s *seeder) roles(org, team string) {
	s.role("alice", team, param.Input{"title": "Secretary", "kind": "secretary", "holder": "carol", "until": "180d",
		"mission": "What we decided can be found, and nobody has to ask twice.",
		"duties":  "- closes votes when they are due\n- keeps the list of what we agreed"})
	s.role("bob", team, param.Input{"title": "Greeter", "mission": "Nobody who is new stays a stranger.",
		"duties": "- writes to whoever joins\n- shows them around"})
	keeper := s.role("alice", team, param.Input{"title": "Head gardener", "holder": "erin",
		"mission": "The garden feeds us and the bees."})
	garden := s.do("erin", org, actions.CreateStudio.Name,
		param.Input{"handle": "garden", "name": "Garden", "visibility": "organization", "parent": "team",
			"description": "What grows behind the house."})
	s.do("erin", s.leader(garden), actions.MirrorRole.Name,
		param.Input{"source": keeper[strings.LastIndexByte(keeper, '/')+1:]})
	s.do("erin", garden, actions.AddMember.Name, param.Input{"member": "@frank"})
	s.role("erin", garden, param.Input{"title": "Beekeeper", "holder": "frank", "mission": "The bees are well."})
}

func (s *seeder) leader(studio string) (url string) {
	if s.err != nil {
		return ""
	}
	s.err = s.store.Read(s.ctx, func(tx *store.Tx) error {
		st, err := tx.FindStudio(store.System(), studio[strings.LastIndexByte(studio, '/')+1:])
		if err != nil {
			return err
		}
		r, err := tx.LeaderOf(st)
		if err == nil {
			url = r.URL()
		}
		return err
	})
	return url
}

func (s *seeder) role(by, studio string, in param.Input) string {
	return s.do(by, studio+"/roles", actions.CreateRole.Name, in)
}
