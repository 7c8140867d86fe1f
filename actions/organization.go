package actions

import (
	"cmp"
	"regexp"
	"strings"
	"sync"
	"time"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
)

var _ = action.Describe[*store.OrganizationsPage]("The list of the organizations in which a person is a member.")

var _ = action.Describe[*store.Organization](
	"The outer boundary, which nothing crosses. It has members, studios, an owner and a journal.")

// UpdateSettings changes an organization's settings.
var UpdateSettings = action.New(action.Action[*store.SettingsPage, UpdateSettingsParams]{
	Name:  "update_settings",
	Past:  "changed the settings of",
	Undo:  "Change again: update_settings.",
	Title: "Change the settings",
	Doc: "Change what the organization is called and who may join it, and what agents may do " +
		"without asking. What you leave out stays as it is.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Owner,
	HumanOnly:  true,
	Carried:    true,
	// The settings have email domains, and anybody with an address in one of them can join.
	Sensitive: true,
	Versioned: true,
	Guard:     func(by store.Actor, o *store.SettingsPage) error { return o.MustBeOwnedBy(by) },
	Offers: func(_ store.Actor, o *store.SettingsPage) param.Offers {
		return param.Offers{
			"name":          {Value: o.Name},
			"accent":        {Value: o.Accent},
			"zone":          {Value: o.Zone},
			"inviters":      {Value: o.Inviters},
			"governance":    {Value: o.Governance},
			"email_domains": {Values: o.Domains},
			"agent_ballots": {Value: o.Ballots},
			"agent_asks":    {Values: o.Asks},
		}
	},
	Check: func(
		_ *store.Tx, _ store.Actor, _ *store.SettingsPage, p UpdateSettingsParams, _ param.Errors,
	) (errs param.Errors) {
		if p.Accent != "" && !colour.MatchString(p.Accent) {
			errs = append(errs, param.Error{Field: "accent", Message: "Write a colour such as #2b6cb0."})
		}
		if _, err := time.LoadLocation(p.Zone); err != nil {
			errs = append(errs, param.Error{
				Field:   "zone",
				Message: "That is no time zone. Write one such as Europe/Paris.",
			})
		}
		for _, d := range p.Domains {
			if !domain().MatchString(plainDomain(d)) {
				errs = append(errs, param.Error{
					Field:   "email_domains",
					Message: "Write what follows the @ of an address, such as example.org, one to a line.",
				})
				break
			}
		}
		return append(errs, checkAsks("agent_asks", p.AgentAsks)...)
	},
	Run: func(tx *store.Tx, _ store.Actor, o *store.SettingsPage, p UpdateSettingsParams) (action.Done, error) {
		p.Zone = cmp.Or(p.Zone, "UTC")
		if p.Inviters == "" {
			p.Inviters = o.Inviters // an empty field never changes the right to invite
		}
		p.Governance = cmp.Or(p.Governance, o.Governance)
		if p.AgentBallots == "" {
			p.AgentBallots = store.BallotsAllowed
		}
		domains := make([]string, len(p.Domains))
		for i, d := range p.Domains {
			domains[i] = plainDomain(d)
		}
		return action.Done{Message: "The settings are changed."},
			tx.UpdateSettings(o.Organization, store.Settings{
				Name:       p.Name,
				Accent:     p.Accent,
				Zone:       p.Zone,
				Inviters:   p.Inviters,
				Governance: p.Governance,
				Rules:      store.Rules{Ballots: p.AgentBallots, Asks: p.AgentAsks},
			}, domains)
	},
})

var colour = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// domain matches a valid domain. It is compiled on first use, because its compiled form is large.
var domain = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$`)
})

func plainDomain(s string) string {
	return strings.ToLower(strings.TrimPrefix(strings.TrimSpace(s), "@"))
}

// UpdateSettingsParams has the settings of an organization.
type UpdateSettingsParams struct {
	Name       string   `param:"name,text" max:"80" doc:"What the organization is called."`
	Accent     string   `param:"accent,text,optional" max:"7" as:"colour" doc:"Its colour, such as #2b6cb0."`
	Zone       string   `param:"zone,text,optional" max:"60" as:"zone" doc:"Its time zone, such as Europe/Paris. UTC if it is empty."`
	Inviters   string   `param:"inviters,choice,more" options:"owner=The owner,members=Every member" doc:"Who may invite people."`
	Governance string   `param:"governance,choice,more" options:"open=Every member of a studio,consent=Accepted topics only"`
	_          struct{} `doc:"How studios and roles change; with topics only, also which policies there are."`
	Domains    []string `param:"email_domains,lines,more" max:"20"`
	_          struct{} `doc:"Whoever gets mail at an address of these domains may join without being invited, such as example.org."`
	_          struct{} `doc:"This needs a server that sends mail."`

	AgentBallots string   `param:"agent_ballots,choice,more" options:"allowed=Count,ask=Wait for the member's approval"`
	_            struct{} `options:"off=Are refused" doc:"What becomes of the votes of agents."`
	AgentAsks    []string `param:"agent_asks,lines,more" max:"50"`
	_            struct{} `doc:"What every agent asks for first, one a line: an action such as cast_vote, or an effect such as opens:note."`
}

// TransferOwnership makes another member the owner of an organization.
var TransferOwnership = action.New(action.Action[*store.SettingsPage, TransferOwnershipParams]{
	Name:        "transfer_ownership",
	Title:       "Transfer ownership",
	Doc:         "Make another member the owner. You stay a member, and only the new owner can give it back.",
	Told:        "made you the owner of",
	Past:        "made another member the owner of",
	Scope:       store.ScopeGovernance,
	AllowedFor:  store.Owner,
	HumanOnly:   true,
	Sensitive:   true,
	Destructive: true,
	Guard:       func(by store.Actor, o *store.SettingsPage) error { return o.MustBeOwnedBy(by) },
	Check: func(
		tx *store.Tx, by store.Actor, o *store.SettingsPage, p TransferOwnershipParams, _ param.Errors,
	) param.Errors {
		_, err := p.newOwner(tx, by, o)
		return memberError(err)
	},
	Run: func(tx *store.Tx, by store.Actor, o *store.SettingsPage, p TransferOwnershipParams) (action.Done, error) {
		m, err := p.newOwner(tx, by, o)
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{
				Message: "The organization has a new owner.",
				Notice:  &store.Notice{Reason: store.ReasonAssignment, To: []string{m.ID}},
			},
			tx.TransferOwnership(o.Organization, m)
	},
})

// TransferOwnershipParams has the handle of the new owner.
type TransferOwnershipParams struct {
	Member string `param:"member,ref" doc:"The new owner, by handle, such as bob."`
}

// newOwner finds the member that the params name by handle or URL. The error is [store.Invalid] for no member, a former
// one, and the present owner.
func (p TransferOwnershipParams) newOwner(tx *store.Tx, by store.Actor, o *store.SettingsPage) (*store.Member, error) {
	handle := strings.TrimPrefix(lastSegment(p.Member), "@")
	m, err := tx.FindMember(by, o.Handle, handle)
	switch {
	case store.CodeOf(err) == store.NotFound || err == nil && m.Ended():
		return nil, store.Errorf(store.Invalid, "Nobody in %s is called @%s. Name a member by handle.", o.Name, handle)
	case err == nil && m.Owner:
		return nil, store.Errorf(store.Invalid, "@%s owns it already. Name another member.", m.Handle)
	}
	return m, err
}

// memberError returns an error about an invalid member as an error of the field member. Other errors are left to Run.
func memberError(err error) param.Errors {
	if store.CodeOf(err) != store.Invalid {
		return nil
	}
	return param.Bad("member", err)
}

// CreateOrganization creates another organization. The actor becomes its owner.
var CreateOrganization = action.New(action.Action[*store.OrganizationsPage, CreateOrganizationParams]{
	Name:       "create_organization",
	Past:       "created",
	Undo:       "Change: update_settings, on its settings page.",
	Title:      "Create an organization",
	Doc:        "Make an organization of its own, which sees nothing of your others. You own it.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Self,
	HumanOnly:  true,
	Guard:      func(by store.Actor, o *store.OrganizationsPage) error { return o.MustBeFounder(by) },
	Offers: func(by store.Actor, _ *store.OrganizationsPage) param.Offers {
		return param.Offers{"member": {Value: by.Member.Handle}, "zone": {Value: by.Member.Zone}}
	},
	Check: func(
		tx *store.Tx, _ store.Actor, _ *store.OrganizationsPage, p CreateOrganizationParams, _ param.Errors,
	) (errs param.Errors) {
		errs = append(badHandle("handle", p.Handle, tx.StudioHandleFree),
			badHandle("member", p.Member, func(string) error { return nil })...)
		if _, err := time.LoadLocation(p.Zone); err != nil {
			errs = append(errs, param.Error{
				Field:   "zone",
				Message: "That is no time zone. Write one such as Europe/Paris.",
			})
		}
		return errs
	},
	Run: func(
		tx *store.Tx, by store.Actor, _ *store.OrganizationsPage, p CreateOrganizationParams,
	) (action.Done, error) {
		p.Zone = cmp.Or(p.Zone, by.Member.Zone)
		o, m, err := tx.CreateOrganization(p.Handle, p.Name, p.Zone,
			store.NewMember{Handle: p.Member, Name: by.Member.Name, UserID: by.UserID})
		if store.CodeOf(err) == store.Conflict {
			err = param.Bad("handle", err)
		}
		if err != nil {
			return action.Done{}, err
		}
		general, err := tx.FindStudio(store.Actor{UserID: by.UserID, Members: []store.Member{*m}, Member: m}, o.Handle)
		if err != nil {
			return action.Done{}, err
		}
		leader, err := tx.LeaderOf(general)
		return action.Done{
			Message: "The organization is made.",
			URL:     o.URL(),
			Made:    []action.Subject{o, m, general, leader},
		}, err
	},
})

// CreateOrganizationParams has the fields of a new organization.
type CreateOrganizationParams struct {
	Name   string `param:"name,text" max:"80" doc:"What the organization is called."`
	Handle string `param:"handle,text" max:"40" doc:"Its name in URLs: lower-case letters, digits and hyphens."`
	Zone   string `param:"zone,text,optional" max:"60" as:"zone" doc:"Its time zone, such as Europe/Paris. UTC if it is empty."`
	Member string `param:"member,text" max:"40" doc:"Your handle there."`
}
