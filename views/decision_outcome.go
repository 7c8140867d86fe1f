package views

import (
	"fmt"

	"samepage/actions/tally"
	"samepage/store/governance"
	"samepage/views/page"
)

func outcome(d *governance.Decision, r tally.Result) []page.Inline {
	names := titles(d, r.Winners)
	how := page.T(" " + tally.Method(d.Method).Title() + "." + readingSentence(d))
	switch r.Outcome {
	case tally.Decided:
		return page.Line(page.Success("Decided: "+names+"."), how, page.Sentence(reason(d, r)))
	case tally.Tied:
		if d.Tie == "lot" {
			return drawn(d, names, how)
		}
		if d.Deciding != nil {
			by := "casting vote"
			if d.DecidedBy != "" {
				by = "the casting vote of @" + d.DecidedBy
			}
			return page.Line(page.Success("Decided by "+by+": "+title(d, *d.Deciding-1)+"."),
				page.T(" Tied were "+names+"."), how)
		}
		if d.Studio.State() == "archived" {
			return page.Line(page.Strong("Tied: "+names+"."), page.T(" The studio was archived before the casting vote was given."), how)
		}
		return page.Line(page.Strong("Tied: "+names+"."), page.T(" "+decider(d)+" has the casting vote."), how)
	}
	return page.Line(page.Strong("No result:"), page.Sentence(" "+shortfall(d, r)+"."), how)
}

// reason returns a sentence on why the only winner has won, if the runoff of STAR decided or the winner beats every
// other option that was not dropped in pairs, or else "".
func reason(d *governance.Decision, r tally.Result) string {
	if len(r.Winners) != 1 {
		return ""
	}
	w := r.Winners[0]
	switch {
	case r.Method == tally.STAR && len(r.Finalists) == 2:
		o := r.Finalists[0] + r.Finalists[1] - w
		sentence := fmt.Sprintf(" In the runoff, %s it higher than %s, and %s lower",
			count(r.Matrix[w][o], "ballot scores", "ballots score"), title(d, o), number(r.Matrix[o][w]))
		switch {
		case r.Matrix[w][o] > r.Matrix[o][w]:
			return sentence + "."
		case r.Counts.Points[w] > r.Counts.Points[o]:
			return sentence + "; it has the higher total."
		}
		return sentence + "; more ballots give it the highest score."
	case r.Condorcet != nil && *r.Condorcet == w:
		return " It beats " + others(r) + " in pairs."
	}
	return ""
}

func drawn(d *governance.Decision, names string, how page.Inline) []page.Inline {
	if d.Deciding == nil {
		return page.Line(page.Strong("To be drawn by lot from: "+names+"."), how)
	}
	check := []page.Inline{page.T(" "), page.Link("Check the draw", d.URL()+"/verify"), page.T(".")}
	if lottery(d) {
		return append(page.Line(page.Success("Drawn by lot: "+title(d, *d.Deciding-1)+".")), check...)
	}
	return append(page.Line(page.Success("Decided by lot: "+title(d, *d.Deciding-1)+"."),
		page.T(" Tied were "+names+"."), how), check...)
}

// lottery reports whether nobody votes, and one option is drawn at random.
func lottery(d *governance.Decision) bool { return tally.Method(d.Method) == tally.Lottery }

// decider returns the subject of a sentence that ends with "has the casting vote".
func decider(d *governance.Decision) string {
	who := "@" + d.Decider()
	switch {
	case d.DeciderGone():
		return who + " has left; whoever may close votes"
	case d.CasterRole != "" && d.CasterID == "":
		return who + ", because the role " + d.CasterRole + " was vacant,"
	case d.CasterRole != "":
		return who + ", who held the role " + d.CasterRole + ","
	}
	return who
}

// shortfall returns the reason why a closed vote has no result.
func shortfall(d *governance.Decision, r tally.Result) string {
	switch need := rulesOf(d).Needed(d.Electorate); {
	case r.Ballots < need:
		return fmt.Sprintf("%s of the %s ballots that it takes were cast", number(r.Ballots), number(need))
	case r.Ballots == 0:
		return "nobody has voted"
	}
	return "no ballot marks an option"
}
