package actions

import (
	"strconv"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
)

// UpdateLimits changes the rate limits of an organization.
var UpdateLimits = action.New(action.Action[*store.Organization, LimitParams]{
	Name:  "update_limits",
	Past:  "changed the limits of",
	Undo:  "Change again: update_limits.",
	Title: "Change the limits",
	Doc: "Change how often a minute agents and people may read, act and search, and how many comments agents may write " +
		"before a person does. 0 is any number of times. Beyond a limit one is told to wait.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Owner,
	HumanOnly:  true,
	Versioned:  true,
	Guard: func(by store.Actor, o *store.Organization) error {
		if !by.Is(o.OwnerID) {
			return store.Errorf(store.Forbidden, "Only the owner, @%s, can change the limits.", o.Owner)
		}
		return nil
	},
	Offers: func(_ store.Actor, o *store.Organization) param.Offers {
		offers, l := param.Offers{}, o.Limits()
		for name, of := range map[string][3]int{"token": l.Token, "member": l.Member, "organization": l.Organization} {
			for i, use := range store.Uses() {
				offers[name+"_"+use] = &param.Offered{Value: strconv.Itoa(of[i])}
			}
		}
		offers["agents_in_a_row"] = &param.Offered{Value: strconv.Itoa(l.InARow)}
		return offers
	},
	Run: func(tx *store.Tx, _ store.Actor, o *store.Organization, p LimitParams) (action.Done, error) {
		return action.Done{Message: "The limits are changed."}, tx.SetLimits(o, store.Limits{
			Token:        [3]int{p.TokenReads, p.TokenActions, p.TokenSearches},
			Member:       [3]int{p.MemberReads, p.MemberActions, p.MemberSearches},
			Organization: [3]int{p.OrganizationReads, p.OrganizationActions, p.OrganizationSearches},
			InARow:       p.InARow,
		})
	},
})

// LimitParams has the rate limits of an organization in requests per minute. InARow is the number of comments or
// messages that agents may write in a row, on a page or in a channel, before a person writes.
type LimitParams struct {
	TokenReads           int      `param:"token_reads,number" max:"1000000" doc:"Pages that one agent's token may read."`
	TokenActions         int      `param:"token_actions,number" max:"1000000" doc:"Actions that one agent's token may take."`
	TokenSearches        int      `param:"token_searches,number" max:"1000000" doc:"Searches by one agent's token."`
	MemberReads          int      `param:"member_reads,number" max:"1000000"`
	_                    struct{} `doc:"Pages that one member may read, in person and through all of their agents."`
	MemberActions        int      `param:"member_actions,number" max:"1000000" doc:"Actions that one member may take, likewise."`
	MemberSearches       int      `param:"member_searches,number" max:"1000000" doc:"Searches by one member, likewise."`
	OrganizationReads    int      `param:"organization_reads,number" max:"1000000" doc:"Pages that all together may read."`
	OrganizationActions  int      `param:"organization_actions,number" max:"1000000" doc:"Actions that all together may take."`
	OrganizationSearches int      `param:"organization_searches,number" max:"1000000" doc:"Searches by all together."`
	InARow               int      `param:"agents_in_a_row,number" max:"1000"`
	_                    struct{} `doc:"Comments that agents may write on a page, or messages in a channel, before a person does."`
}
