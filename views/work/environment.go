package work

import (
	"strconv"
	"strings"

	"samepage/store/work"
	"samepage/store/work/wire"
	"samepage/views/page"
)

// recipe returns facts on how a repository's new worktrees are set up and their environment is started, or nil.
func recipe(r *work.Repo) (facts page.Facts) {
	if list := r.Copies.List(); len(list) > 0 {
		facts = append(facts, page.Fact{Label: "Copied into new folders", Value: page.Line(page.Mono(strings.Join(list, ", ")))})
	}
	if r.Recipe.Setup != "" {
		facts = append(facts, page.Fact{Label: "Setup", Value: page.Line(page.Mono(commandLine(r.Recipe.Setup)),
			page.T(", in new folders"))})
	}
	if r.Recipe.Start != "" {
		line := page.Line(page.Mono(commandLine(r.Recipe.Start)))
		if r.Health != "" {
			line = append(line, page.T(", ready once it answers "), page.Mono(r.Health))
		}
		if r.Ports > 1 {
			line = append(line, page.T(", with "+strconv.Itoa(r.Ports)+" ports"))
		}
		facts = append(facts, page.Fact{Label: "Environment", Value: line})
	}
	return facts
}

func settingFacts(w *work.Worktree) (facts page.Facts) {
	if how, _ := work.Parted(w.SetupSaid); w.SetupState != "" {
		pill := page.Pill("Passed", page.Good)
		if w.SetupState == work.SetupFailed {
			pill = page.Pill("Failed", page.Bad)
		}
		facts = append(facts, page.Fact{Label: "Setup", Value: page.Line(pill, page.Sentence(": "+how))})
	}
	if w.Recipe.Start == "" && w.EnvState == "" {
		return facts
	}
	how, _ := work.Parted(w.EnvSaid)
	var line []page.Inline
	since := func(pill page.Inline) []page.Inline {
		return page.Line(pill, page.T(" "), page.When(w.EnvAt.Time), page.T(": "))
	}
	switch w.EnvState {
	case wire.EnvRunning:
		line = append(since(page.Pill("Running", page.Live)), page.Mono("http://127.0.0.1:"+strconv.Itoa(w.EnvPort)),
			page.T(" on the machine of the runner."))
	case wire.EnvUnhealthy:
		line = append(since(page.Pill("Unhealthy", page.Bad)), page.Sentence(how))
	case wire.EnvFailed:
		line = append(since(page.Pill("Failed", page.Bad)), page.Sentence(how))
	case wire.EnvStopped:
		line = append(since(page.Pill("Stopped", page.Calm)), page.Sentence(how))
	default:
		line = page.Line(page.T("not started."))
	}
	switch j := w.SettingJob; {
	case j == nil:
	case j.Open():
		line = append(line, page.Sentence(" The runner "+w.RunnerNoted()+" is to "+w.SettingDoes()+" it."))
	case j.State() != work.JobDone:
		line = append(line, page.Sentence(" The last job, to "+w.SettingDoes()+" it, "+jobState(j)+"."+remedy(w.Studio, j.Else())))
	}
	return append(facts, page.Fact{Label: "Environment", Value: line})
}

// settingOutputs returns the ends of the outputs of the setup and of the environment.
func settingOutputs(w *work.Worktree) (blocks []page.Block) {
	for _, of := range []struct{ id, title, said string }{{"setup", "Output of the setup", w.SetupSaid},
		{"environment", "Output of the environment", w.EnvSaid}} {
		if _, output := work.Parted(of.said); output != "" {
			blocks = append(blocks, page.Details{ID: of.id, Title: of.title, Blocks: []page.Block{page.Code{Text: output, End: true}}})
		}
	}
	return blocks
}
