package views

import (
	"strings"

	"samepage/actions/tally"
	"samepage/store/governance"
	"samepage/views/page"
)

func rulesOf(d *governance.Decision) tally.Rules { return tally.ReadRules(d.Rules) }

var (
	resultsWords = map[string]string{
		"shown": "shown at once", "after_voting": "shown to those who have voted",
		"after_closing": "hidden until closed",
	}
	reasonsWords = map[string]string{"off": "not asked for", "optional": "may be given", "required": "must be given"}
)

func rulesFacts(d *governance.Decision, rules tally.Rules) page.Facts {
	f := page.Facts{{Label: "Method", Value: page.Line(page.T(tally.Method(d.Method).Title()))}}
	add := func(label string, value ...page.Inline) { f = append(f, page.Fact{Label: label, Value: value}) }
	if !d.DueAt.IsZero() && d.State() == governance.DecisionDraft {
		add("Closes", page.Distance(d.DueAt.Time))
	}
	if rules.ParticipationPercent > 0 {
		quorum := number(rules.ParticipationPercent) + "% of the voters"
		if !d.Draft() {
			quorum += ", here " + count(rules.Needed(d.Electorate), "ballot", "ballots")
		}
		add("Quorum", page.T(quorum))
	} else if rules.Participation > 0 {
		add("Quorum", page.T(count(rules.Participation, "ballot", "ballots")))
	}
	if tally.Method(d.Method).Scale() == tally.Dots {
		add("Dots", page.T("up to "+number(rules.Dots())+" for each voter"))
	}
	if reading := readingSentence(d); reading != "" && !d.Closed() {
		add("Ballots are read", page.T(strings.TrimSpace(reading)))
	}
	if rules.PerOption() {
		add("Default option", page.T(title(d, rules.Default)))
		if rules.Quorum != (tally.Ratio{}) {
			add("Quorum of an option", page.T("at least "+number(leastBallots(rules.Quorum))+
				" ballots above the default option"))
		}
	}
	f = append(f, tieFacts(d)...)
	if lottery(d) {
		return f
	}
	add("Results", page.T(resultsWords[d.Results]))
	add("Reasons", page.T(reasonsWords[d.Reasons]))
	if d.Anonymous {
		add("Ballots", page.T("anonymous: kept apart from who voted, and found by receipt"))
	}
	if d.Everyone {
		add("Voters", page.T("members of the studio, also those who join later"))
	} else if d.Imported == "" {
		add("Voters", page.T("those who were in the studio when it opened"))
	}
	if d.Imported != "" {
		add("Imported", page.Mono(d.Imported))
	}
	return f
}

// readingSentence states the rules of an instant runoff for overvotes and skipped ranks, or returns "" for other
// methods.
func readingSentence(d *governance.Decision) string {
	if tally.Method(d.Method) != tally.IRV {
		return ""
	}
	return " " + rulesOf(d).Reading.Sentence()
}

// tieFacts returns facts on how a tie is broken, or nil if the decision names no holder of the casting vote, so that
// the proposer has it.
func tieFacts(d *governance.Decision) page.Facts {
	switch {
	case d.Tie != "lot" && d.CasterRole != "" && d.ClosedAt.IsZero():
		now := "now vacant: then of @" + d.Member + ", who asked"
		if d.CasterID != "" {
			now = "now @" + d.Caster
		}
		return page.Facts{{Label: "Tie", Value: page.Line(page.T(
			"casting vote of who holds the role " + d.CasterRole + " when it closes, " + now,
		))}}
	case d.Tie != "lot" && d.CasterID == "":
		return nil
	case d.Tie != "lot":
		return page.Facts{{Label: "Tie", Value: page.Line(page.T("casting vote of @" + d.Caster))}}
	}
	broken := page.Fact{Label: "Tie", Value: page.Line(page.T("broken by lot"))}
	if lottery(d) {
		broken = page.Fact{Label: "Drawn", Value: page.Line(page.T("by lot, when it closes"))}
	}
	if d.Commitment == "" {
		return page.Facts{broken}
	}
	return page.Facts{broken, {Label: "Lot", Value: page.Line(page.T("sealed when it opened; "),
		page.Link("how to check it", d.URL()+"/verify"))}}
}

func leastBallots(r tally.Ratio) int { return int((r.Num + r.Den - 1) / r.Den) }

// requiredMajorities returns, for each option, the majority that it needs against the default option, in words, or nil
// if none needs more than a simple majority.
func requiredMajorities(d *governance.Decision, rules tally.Rules) []string {
	if !rules.PerOption() {
		return nil
	}
	words, any := make([]string, len(d.Choice)), false
	for i := range words {
		switch {
		case i == rules.Default:
			words[i] = "is the default"
		case i < len(rules.Majority) && rules.Majority[i] != (tally.Ratio{}) &&
			rules.Majority[i] != (tally.Ratio{Num: 1, Den: 1}):
			words[i], any = rules.Majority[i].String()+" to 1", true
		default:
			words[i] = "more for than against"
		}
	}
	if !any {
		return nil
	}
	return words
}
