package demo

import (
	"strings"

	"samepage/actions/governance"
	"samepage/actions/param"
	"samepage/store"
)

func (s *seeder) policies(team string) {
	write := func(by, role, title, abstract, text string) string {
		return s.do(by, team+"/policies", governance.CreatePolicy.Name, param.Input{"role": s.roleID(team, role), "title": title,
			"abstract": abstract, "text": text})
	}
	const spending = "Who holds a role may spend money on what the role is for, and says in the channel what it was.\n\n" +
		"| up to | who agrees |\n| ---: | --- |\n| 50 € | nobody else |\n| %500 € | one other member, in writing |\n" +
		"| more | a decision |\n\n" +
		"Receipts go to the secretary within a month."
	money := write("carol", "Secretary", "Spending money", "Up to 50 € alone, up to 500 € with one other, above that a decision.",
		strings.ReplaceAll(spending, "%", ""))
	write("erin", "Head gardener", "No poison in the garden", "Nothing that kills bees, worms or us.",
		"Neither sprays nor powders, also not *a little*. Whoever finds slugs picks them up, in the evening.\n\n"+
			"If a plant cannot live without poison here, we grow another one.")
	shoes := write("carol", "Secretary", "Shoes off in the archive", "The floor was new then.", "Slippers are behind the door.")
	s.do("carol", money, governance.EditPolicy.Name, param.Input{"text": strings.ReplaceAll(spending, "%500", "300"),
		"abstract": "Up to 50 € alone, up to 300 € with one other, above that a decision.",
		"reason":   "The roof took most of what we had."})
	s.do("carol", shoes, governance.RetirePolicy.Name, nil)
}

func (s *seeder) roleID(studio, title string) (id string) {
	if s.err != nil {
		return ""
	}
	s.err = s.store.Read(s.ctx, func(tx *store.Tx) error {
		st, err := tx.FindStudio(store.System(), studio[strings.LastIndexByte(studio, '/')+1:])
		if err != nil {
			return err
		}
		roles, err := tx.Roles(st)
		for i := range roles {
			if roles[i].Title == title {
				id = roles[i].ID
			}
		}
		return err
	})
	return id
}
