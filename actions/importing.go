package actions

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/actions/tally"
	"samepage/store"
	"samepage/store/governance"
)

// ImportDecisions creates closed decisions from a file with votes that were held elsewhere.
var ImportDecisions = action.New(action.Action[*store.Studio, ImportDecisionsParams]{
	Name:  "import_decisions",
	Past:  "imported",
	Undo:  "The owner of the organization can remove each page.",
	Title: "Import votes held elsewhere",
	Doc: "Make a closed decision, marked as imported, from each vote in a file: Debian's JSON, " +
		"ranked or STAR examples, a ranked-choice CSV.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.InStudio,
	HumanOnly:  true,
	Side:       true,
	Guard:      func(_ store.Actor, s *store.Studio) error { return s.MustBeJoined() },
	Offers: func(store.Actor, *store.Studio) param.Offers {
		return param.Offers{
			"method":   {Options: methodOptions(tally.Ranks, tally.Points)},
			"overvote": {Options: caseOptions(tally.Overvotes)},
			"skipped":  {Options: caseOptions(tally.SkippedRanks)},
		}
	},
	Check: func(_ *store.Tx, _ store.Actor, _ *store.Studio, p ImportDecisionsParams, bad param.Errors) param.Errors {
		if len(bad) == 0 {
			return nil // Run reads the file and returns its error
		}
		if _, err := tally.Read(p.File.Name, p.File.Reader()); err != nil {
			return badFile(err)
		}
		return nil
	},
	Run: func(tx *store.Tx, by store.Actor, s *store.Studio, p ImportDecisionsParams) (action.Done, error) {
		votes, err := tally.Read(p.File.Name, p.File.Reader())
		if err != nil {
			return action.Done{}, badFile(err)
		}
		done := action.Done{URL: s.URL()}
		for _, v := range votes {
			d, err := importDecision(tx, by, s, v, p)
			if err != nil {
				return action.Done{}, err
			}
			done.Made = append(done.Made, d)
			done.URL = d.URL()
		}
		done.Message = fmt.Sprintf("%d decisions are imported.", len(votes))
		if len(votes) == 1 {
			done.Message = "The decision is imported."
		} else {
			done.URL = s.URL()
		}
		return done, nil
	},
})

// ImportDecisionsParams has a file with votes and the method by which to count them.
type ImportDecisionsParams struct {
	File   param.Upload `param:"file,file" doc:"The file. One that is not right is refused whole, with the place and the reason."`
	Method string       `param:"method,choice,optional" doc:"How to count, where the file leaves it open."`
	ReadingParams
}

func badFile(err error) param.Errors { return param.Bad("file", err) }

func importDecision(
	tx *store.Tx, by store.Actor, s *store.Studio, v tally.Election, p ImportDecisionsParams,
) (*governance.Decision, error) {
	method := tally.Method(p.Method)
	if method == "" || v.Method != "" {
		method = v.Method
	}
	if method == "" {
		method = tally.Schulze
		if v.Scale == tally.Points {
			method = tally.STAR
		}
	}
	v.Method = method
	if errs := p.checkMethod(method, "“"+v.Title+"”"); errs != nil {
		return nil, errs
	}
	if method == tally.IRV {
		v.Rules.Reading = p.reading()
	}
	result, err := v.Count(method)
	if err != nil {
		return nil, badFile(err)
	}
	rules, err := marshal(v.Rules)
	if err != nil {
		return nil, err
	}
	if v.Closed.After(tx.Now) {
		return nil, badFile(fmt.Errorf("%q closes at %s, in the future; only past votes are imported", v.Title,
			v.Closed.Format(time.RFC3339)))
	}
	body := fmt.Sprintf("Imported from `%s`: %s of a vote held elsewhere.", cleanFileName(p.File.Name), counted(v.Voters, "ballot"))
	if v.Source != "" {
		body += "\n\nSource: " + v.Source
	}
	options := make([]governance.NewOption, len(v.Options))
	for i, title := range v.Options {
		options[i].Title = title
	}
	d, err := governance.CreateDecision(tx, by, s, governance.NewDecision{
		Question: v.Title,
		Body:     body,
		Method:   string(method),
		Rules:    rules,
		Results:  "shown",
		Reasons:  "off",
		Imported: v.ID,
		Options:  options,
	})
	if err != nil {
		return nil, err
	}
	if err := governance.OpenDecision(tx, d); err != nil {
		return nil, err
	}
	if err := storeBallots(tx, d, v, v.Rules); err != nil {
		return nil, err
	}
	text, err := marshal(result)
	if err != nil {
		return nil, err
	}
	if err := governance.CloseDecision(tx, by, d, "", string(result.Outcome), text, headline(d, result)); err != nil {
		return nil, err
	}
	if !v.Closed.IsZero() {
		if err := governance.DateDecision(tx, d, v.Opened, v.Closed); err != nil {
			return nil, err
		}
	}
	return governance.FindDecision(tx, by, s.Handle, d.ID)
}

// cleanFileName removes characters that would break a code span in markdown.
func cleanFileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == '`' {
			return -1
		}
		return r
	}, name)
}

func storeBallots(tx *store.Tx, d *governance.Decision, v tally.Election, rules tally.Rules) error {
	running, err := rules.Running(tally.Method(d.Method), len(v.Options))
	if err != nil {
		return err
	}
	ballots := make([]governance.Ballot, 0, len(v.Ballots))
	for _, b := range v.Ballots {
		if err := running.Add(b, 1); err != nil {
			return badFile(err)
		}
		ballots = append(ballots, governance.Ballot{Marks: b.String(), Weight: b.Voters()})
	}
	text, err := marshal(running)
	if err != nil {
		return err
	}
	return governance.ImportBallots(tx, d, v.ID, ballots, text)
}

// ImportBallots imports the ballots of a file into a decision that has no ballots yet.
var ImportBallots = action.New(action.Action[*governance.Decision, ImportBallotsParams]{
	Name:       "import_ballots",
	Past:       "imported ballots of",
	Undo:       "Imported ballots stay.",
	Title:      "Import ballots",
	Doc:        "Put real ballots from a file into this decision. They are marked as imported.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Chair,
	HumanOnly:  true,
	Guard: func(by store.Actor, d *governance.Decision) error {
		if err := d.MustTakeBallots(by); err != nil {
			return err
		}
		if s := tally.Method(d.Method).Scale(); s != tally.Ranks && s != tally.Points || d.Options == 0 {
			return store.Errorf(store.Conflict, "Files hold ranks or points for options. This decision "+
				"takes neither, so there is nothing to import into it.")
		}
		return nil
	},
	Run: func(tx *store.Tx, _ store.Actor, d *governance.Decision, p ImportBallotsParams) (action.Done, error) {
		votes, err := tally.Read(p.File.Name, p.File.Reader())
		if err != nil {
			return action.Done{}, badFile(err)
		}
		if len(votes) != 1 {
			return action.Done{}, badFile(fmt.Errorf("the file holds %d votes; import one at a time", len(votes)))
		}
		v := votes[0]
		titles := make([]string, len(d.Choice))
		for i, o := range d.Choice {
			titles[i] = o.Title
		}
		if !slices.Equal(titles, v.Options) {
			return action.Done{}, badFile(fmt.Errorf("its options differ from those here: the file has %q", v.Options))
		}
		if v.Scale != tally.Method(d.Method).Scale() {
			return action.Done{}, badFile(fmt.Errorf("its ballots have %s; this decision counts %s",
				v.Scale, tally.Method(d.Method).Scale()))
		}
		done := action.Done{Message: fmt.Sprintf("%d ballots are imported.", v.Voters)}
		if v.Voters == 1 {
			done.Message = "1 ballot is imported."
		}
		return done, storeBallots(tx, d, v, Rules(d))
	},
})

// ImportBallotsParams has a file with the ballots of one vote.
type ImportBallotsParams struct {
	File param.Upload `param:"file,file" doc:"A file with one vote whose options are those of this decision, in the same order."`
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
