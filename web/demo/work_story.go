package demo

import (
	"samepage/actions/governance"
	"samepage/actions/param"
	"samepage/actions/work"
)

// Tell takes the actions of the story, each as soon as its page offers it. The runner must be running. In the end, one
// agent waits for an answer, one review is in its second round, and one pull request can be merged. If an earlier start
// has told the story, Tell only resumes the broken sessions.
func (w *Workshop) Tell(broken []Broken) error {
	if !w.fresh {
		return w.goOn(broken)
	}
	team := "/studios/team"
	for _, a := range workers {
		w.do("alice", "/orgs/"+organization+"/manifests", work.AddManifest.Name, param.Input{"key": a.key,
			"title": a.title, "role": a.role, "mode": "ask", "asks": true, "argv": []any{"samepage", "agent-script", a.key}})
	}
	repo := w.do("alice", w.Page, work.AddRepo.Name, param.Input{"studio": "team", "name": "harvest", "source": w.source()})
	w.do("alice", repo, work.UpdateRepo.Name, param.Input{"rule": "approved"})
	tree := func(by, name string) string {
		return w.do(by, repo, work.CreateWorktree.Name, param.Input{"name": name, "base": "main"})
	}
	start := func(by, tree, agent, title, prompt string) string {
		return w.do(by, tree, work.StartSession.Name, param.Input{"agent": agent, "title": title, "prompt": prompt})
	}
	watering := tree("bob", "watering")
	start("carol", watering, "sage", "What is missing", "Read the repository and our notes. What should the programs do next? "+
		"Write it down as a note.")
	w.board(team, watering, tree("alice", "frost"), tree("alice", "labels"), tree("dave", "compost"))
	water := start("bob", watering, "fern", "Water after rain", "Write a program that says how much water each bed "+
		"needs. It takes the rain in litres.")
	w.do("bob", water, work.AddPermissionRule.Name, param.Input{"verdict": "deny", "tool": "fetch",
		"reason": "What it needs to know is in the repository."})

	frost := start("alice", team+"/worktrees/frost", "basil", "Warn before a frost", "Write a program that says which beds to "+
		"cover before a frost. Leave out what stands it.")
	review := w.do("alice", frost, work.RequestReview.Name, param.Input{"text": "Is the list of hardy plants right?"})
	w.do("bob", review, work.ApproveReview.Name, param.Input{"text": "It is. Winter peas stand -5, and it is rarely colder here."})
	pull := w.do("alice", frost, work.CreateSessionPull.Name, param.Input{"title": "Warn before a frost",
		"text": "A program names the beds to cover. It leaves out what stands a frost."})
	w.do("bob", team+"/channel", governance.PostMessage.Name, param.Input{"text": "The frost warning is approved. Whoever is at a " +
		"computer first may merge it: " + pull})
	return w.seeder.err
}

// Broken is a session with a turn that broke off when the program was stopped.
type Broken struct{ Member, URL string }

func (w *Workshop) goOn(broken []Broken) error {
	for _, b := range broken {
		w.do(b.Member, b.URL, work.ResumeSession.Name, nil)
	}
	return w.seeder.err
}

// board adds a board with a zone that starts an agent for each card that is moved into it: at once if Alice moves the
// card, because she wrote the agent's prompt, and only after a person has agreed if Dave does.
func (w *Workshop) board(team, watering, frost, labels, compost string) {
	board := w.do("alice", team, work.CreateBoard.Name, param.Input{"title": "Harvest programs",
		"text":  "Each card is a worktree. Whoever wants an agent to begin moves the card to *At work*.",
		"zones": []any{"Next", "At work", "Review"}})
	for _, c := range []struct{ zone, title, text, page string }{
		{"Next", "Labels for the beds", "For newcomers: the number and the plant.", labels},
		{"Next", "When to turn the compost", "We have not decided how we know.", compost},
		{"Next", "Ask the neighbours what they would use", "", ""},
		{"Review", "Water after rain", "", watering},
		{"Review", "Warn before a frost", "", frost},
	} {
		in := param.Input{"zone": c.zone, "title": c.title}
		if c.text != "" {
			in["text"] = c.text
		}
		if c.page != "" {
			in["page"] = c.page
		}
		w.do("alice", board, work.AddCard.Name, in)
	}
	w.do("alice", board, work.SetTrigger.Name, param.Input{"zone": "At work", "does": work.StartSession.Name, "agent": "moss",
		"at_once": true, "prompt": "Work in {{worktree}} on this card:\n\n{{card}}"})
	// zones have the numbers 1 to 3, and cards those from 4 on
	w.do("alice", board, work.MoveCard.Name, param.Input{"number": "4", "zone": "At work"})
	w.do("dave", board, work.MoveCard.Name, param.Input{"number": "5", "zone": "At work"})
}
