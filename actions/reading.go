package actions

import (
	"samepage/actions/param"
	"samepage/actions/tally"
)

// ReadingParams has the rules by which an instant runoff reads ballots.
type ReadingParams struct {
	Overvote string   `param:"overvote,choice,more"`
	_        struct{} `doc:"For instant runoff: what several options at one rank do to a ballot: the first unless set."`
	Skipped  string   `param:"skipped,choice,more"`
	_        struct{} `doc:"For instant runoff: what ranks left blank above a marked one do to a ballot: the first unless set."`
}

// reading returns the rules, with the defaults in place of empty fields.
func (p ReadingParams) reading() tally.Reading {
	return tally.Reading{Overvote: p.Overvote, Skipped: p.Skipped}.Named()
}

// changed returns, for IRV, the params with the stored rules in place of empty fields. For other methods, it clears a
// rule that equals the stored one, because that value comes from the draft and not from the request.
func (p ReadingParams) changed(m tally.Method, stored tally.Reading) ReadingParams {
	for _, rule := range []struct {
		given *string
		had   string
	}{{&p.Overvote, stored.Overvote}, {&p.Skipped, stored.Skipped}} {
		switch {
		case m == tally.IRV && *rule.given == "":
			*rule.given = rule.had
		case m != tally.IRV && *rule.given == rule.had:
			*rule.given = ""
		}
	}
	return p
}

// checkMethod returns an error for each given rule if the method is not IRV. The argument vote names the vote in the
// errors, such as "this vote".
func (p ReadingParams) checkMethod(m tally.Method, vote string) (errs param.Errors) {
	if m == tally.IRV {
		return nil
	}
	for _, f := range []struct{ field, value string }{{"overvote", p.Overvote}, {"skipped", p.Skipped}} {
		if f.value != "" {
			errs = append(errs, param.Error{
				Field:   f.field,
				Message: "Only an instant runoff reads ballots by this rule, and " + vote + " is counted otherwise. Leave this empty.",
			})
		}
	}
	return errs
}

func caseOptions(c tally.Case) []param.Option {
	list := make([]param.Option, len(c))
	for i, r := range c {
		list[i] = param.Option{Value: r.Name, Label: r.Title()}
	}
	return list
}
