package web

import (
	"strconv"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
	"samepage/views/page"
)

// organizationRoutes are an organization with its members and its journal.
func (s *Site) organizationRoutes() []*boundRoute {
	return []*boundRoute{
		route[*store.OrganizationsPage, *store.OrganizationsPage]{
			pattern: orgsURL,
			version: byJournals,
			find:    s.findOrganizations,
			show:    same[*store.OrganizationsPage],
			view:    views.Organizations,
			actions: []*action.Spec[*store.OrganizationsPage]{actions.CreateOrganization},
		}.close(),
		route[*store.Organization, *store.OrganizationPage]{
			pattern: "/orgs/{org}",
			find:    findOrganization,
			show:    whole((*store.Tx).ShowOrganization),
			view:    views.Organization,
			actions: []*action.Spec[*store.Organization]{actions.CreateStudio},
		}.close(),
		route[*store.SettingsPage, *store.SettingsPage]{
			pattern: "/orgs/{org}/settings",
			find: func(tx *store.Tx, by store.Actor, at *location) (*store.SettingsPage, error) {
				return tx.FindSettings(by, at.arg("org"))
			},
			show: same[*store.SettingsPage],
			view: views.Settings,
			actions: []*action.Spec[*store.SettingsPage]{actions.UpdateSettings,
				action.Lift(actions.UpdateLimits, organizationOf), actions.TransferOwnership},
		}.close(),
		route[*store.Organization, *store.OpenPage]{
			pattern: "/orgs/{org}/open",
			version: byJournals,
			query:   []string{"after"},
			find:    findOrganization,
			show:    from("after", (*store.Tx).ShowOpen),
			view:    views.Open,
		}.close(),
		route[*store.Organization, *store.TreePage]{
			pattern: "/orgs/{org}/studios",
			query:   []string{"after"},
			find:    findOrganization,
			show:    from("after", (*store.Tx).ShowTree),
			view:    views.StudioTree,
			actions: []*action.Spec[*store.Organization]{actions.CreateStudio},
		}.close(),
		route[*store.Organization, *store.RolesPage]{
			pattern: "/orgs/{org}/roles",
			query:   []string{"after"},
			find:    findOrganization,
			show:    from("after", (*store.Tx).ShowRoles),
			view:    views.Roles,
		}.close(),
		route[*store.Organization, *store.MembersPage]{
			pattern: "/orgs/{org}/members",
			query:   []string{"after"},
			find:    findOrganization,
			show:    from("after", (*store.Tx).ShowMembers),
			view:    views.Members,
		}.close(),
		route[*store.Invitations, *store.Invitations]{
			pattern: "/orgs/{org}/invitations",
			version: byJournals,
			query:   []string{"after"},
			find:    s.findInvitations,
			show:    same[*store.Invitations],
			view:    views.Invitations,
			actions: []*action.Spec[*store.Invitations]{actions.Invite, actions.RevokeInvitation},
		}.close(),
		route[*store.Member, *store.MemberPage]{
			pattern: "/orgs/{org}/members/{handle}",
			moving:  true,
			find:    findMember,
			show:    whole((*store.Tx).ShowMember),
			view:    views.Member,
			actions: []*action.Spec[*store.Member]{actions.UpdateProfile, actions.LeaveOrganization,
				actions.RemoveMember, actions.EraseMember},
		}.close(),
		route[*store.Organization, *store.JournalPage]{
			pattern: "/orgs/{org}/journal",
			version: byJournals,
			query:   []string{"studio", "member", "action", "by", "before"},
			find:    findOrganization,
			show:    showJournal,
			view:    views.Journal,
		}.close(),
		route[*store.Organization, *views.Verification]{
			pattern: "/orgs/{org}/journal/verify",
			find:    findOrganization,
			show:    verifyJournal,
			view:    views.Verify,
		}.close(),
		route[entry, entry]{pattern: "/orgs/{org}/journal/{seq}", find: findEntry, show: same[entry],
			view: func(by store.Actor, e entry) page.Page { return views.Entry(by, e.Entry) }}.close(),
	}
}

const orgsURL = "/orgs"

func (s *Site) findOrganizations(_ *store.Tx, by store.Actor, _ *location) (*store.OrganizationsPage, error) {
	if by.Anonymous() {
		return nil, store.Missing()
	}
	return &store.OrganizationsPage{ByOperator: s.config.OperatorFounds}, nil
}

func organizationOf(p *store.SettingsPage) (*store.Organization, error) { return p.Organization, nil }

func (s *Site) findInvitations(tx *store.Tx, by store.Actor, at *location) (*store.Invitations, error) {
	v, err := tx.FindInvitations(by, at.arg("org"), at.query.Get("after"))
	if err == nil {
		v.Mails = s.config.Mail != nil
	}
	return v, err
}

func findOrganization(tx *store.Tx, by store.Actor, at *location) (*store.Organization, error) {
	return tx.FindOrganization(by, at.arg("org"))
}

func findMember(tx *store.Tx, by store.Actor, at *location) (*store.Member, error) {
	return tx.FindMember(by, at.arg("org"), at.arg("handle"))
}

func showJournal(tx *store.Tx, by store.Actor, o *store.Organization, at *location) (*store.JournalPage, error) {
	before, _ := strconv.ParseInt(at.query.Get("before"), 10, 64) // any other text begins at the newest entry
	q := store.JournalQuery{Studio: at.query.Get("studio"), Action: at.query.Get("action"),
		Agents: at.query.Get("by") == "agent", People: at.query.Get("by") == "people", Before: before, Limit: 30}
	return tx.ShowJournal(by, o, q, at.query.Get("member"))
}

func verifyJournal(tx *store.Tx, _ store.Actor, o *store.Organization, _ *location) (*views.Verification, error) {
	head, err := tx.VerifyJournal(o)
	return &views.Verification{Organization: o, Head: head, Err: err}, nil
}

// entry is a journal entry as a subject without actions.
type entry struct{ *store.Entry }

func (e entry) Ref() store.Ref {
	return store.Ref{OrgID: e.OrgID, Kind: "entry", Title: e.Title, URL: e.PageURL()}
}
func (e entry) Record() any { return nil }
func (e entry) Relation(by store.Actor) store.Relation {
	return (&store.Organization{ID: e.OrgID}).Relation(by)
}

func findEntry(tx *store.Tx, by store.Actor, at *location) (entry, error) {
	seq, err := strconv.ParseInt(at.arg("seq"), 10, 64)
	if err != nil || seq < 1 || strconv.FormatInt(seq, 10) != at.arg("seq") {
		return entry{}, store.Missing()
	}
	e, err := tx.FindEntry(by, at.arg("org"), seq)
	return entry{e}, err
}
