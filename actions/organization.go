package actions

import (
	"regexp"
	"time"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
)

// UpdateSettings changes an organization's settings.
var UpdateSettings = action.New(action.Action[*store.Organization, UpdateSettingsParams]{
	Name:      "update_settings",
	Title:     "Change the settings",
	Doc:       "Change the organization's name, colour and time zone, and what agents may do without asking. What you leave out stays as it is.",
	Scope:     store.ScopeGovernance,
	Who:       store.Owner,
	HumanOnly: true,
	Versioned: true,
	Guard: func(by store.Actor, o *store.Organization) error {
		if !by.Is(o.OwnerID) {
			return store.Errorf(store.Forbidden, "Only the owner, @%s, can change the settings.", o.Owner)
		}
		return nil
	},
	Offers: func(_ store.Actor, o *store.Organization) param.Offers {
		return param.Offers{"name": {Value: o.Name}, "accent": {Value: o.Accent}, "zone": {Value: o.Zone}, "agent_ballots": {Value: o.Ballots}, "agent_asks": {Values: o.Asks}}
	},
	Check: func(_ *store.Tx, _ store.Actor, _ *store.Organization, p UpdateSettingsParams, _ param.Errors) (errs param.Errors) {
		if p.Accent != "" && !colour.MatchString(p.Accent) {
			errs = append(errs, param.Error{Field: "accent", Message: "Write a colour such as #2b6cb0."})
		}
		if _, err := time.LoadLocation(p.Zone); err != nil {
			errs = append(errs, param.Error{Field: "zone", Message: "That is no time zone. Write one such as Europe/Paris."})
		}
		return append(errs, CheckAsks("agent_asks", p.AgentAsks)...)
	},
	Run: func(tx *store.Tx, _ store.Actor, o *store.Organization, p UpdateSettingsParams) (action.Done, error) {
		if p.Zone == "" {
			p.Zone = "UTC"
		}
		if p.AgentBallots == "" {
			p.AgentBallots = store.BallotsAllowed
		}
		return action.Done{Message: "The settings are changed."}, tx.UpdateOrganization(o, p.Name, p.Accent, p.Zone, store.Rules{Ballots: p.AgentBallots, Asks: p.AgentAsks})
	},
})

var colour = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// UpdateSettingsParams are an organization's settings.
type UpdateSettingsParams struct {
	Name   string `param:"name,text" max:"80" doc:"What the organization is called."`
	Accent string `param:"accent,text,optional" max:"7" doc:"Its colour, such as #2b6cb0."`
	Zone   string `param:"zone,text,optional" max:"60" doc:"Its time zone, such as Europe/Paris. UTC if it is empty."`

	AgentBallots string   `param:"agent_ballots,choice,more" options:"allowed=Count,ask=Wait for the member's approval,off=Are refused" doc:"What becomes of the votes of agents."`
	AgentAsks    []string `param:"agent_asks,lines,more" max:"50" doc:"Names of the actions for which every agent asks first, such as create_decision, one a line."`
}
