package web

import (
	"strconv"
	"strings"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
	"samepage/views/page"
)

func (s *Site) organizationRoutes() []*BoundRoute {
	verbs := verbs()
	return []*BoundRoute{
		Route[*store.OrganizationsPage, *store.OrganizationsPage]{
			Pattern: orgsURL,
			Version: ByJournals,
			Find:    s.findOrganizations,
			Show:    Same[*store.OrganizationsPage],
			View:    views.Organizations,
			Actions: []*action.Spec[*store.OrganizationsPage]{actions.CreateOrganization},
		}.Close(),
		Route[*store.Organization, *store.OrganizationPage]{
			Pattern: "/orgs/{org}",
			Find:    FindOrganization,
			Show:    withVerbs(s, Whole((*store.Tx).ShowOrganization), func(p *store.OrganizationPage) []store.Entry { return p.Entries }),
			View:    views.Organization,
			Actions: []*action.Spec[*store.Organization]{actions.CreateStudio},
		}.Close(),
		Route[*store.SettingsPage, *store.SettingsPage]{
			Pattern: "/orgs/{org}/settings",
			Find:    ByArg("org", (*store.Tx).FindSettings),
			Show: func(_ *store.Tx, by store.Actor, p *store.SettingsPage, _ *Location) (*store.SettingsPage, error) {
				if s.config.Backups != nil && by.Is(p.OwnerID) {
					p.Backups = s.config.Backups()
				}
				return p, nil
			},
			View: views.Settings,
			Actions: []*action.Spec[*store.SettingsPage]{actions.UpdateSettings,
				action.Lift(actions.UpdateLimits, organizationOf), actions.TransferOwnership},
		}.Close(),
		Route[*store.Organization, *store.OpenPage]{
			Pattern: "/orgs/{org}/open",
			Version: ByJournals,
			Query:   []string{"for=" + strings.Join(store.Awaited(), "|"), "after"},
			Find:    FindOrganization,
			Show: func(tx *store.Tx, by store.Actor, o *store.Organization, at *Location) (*store.OpenPage, error) {
				return tx.ShowOpen(by, o, at.Query.Get("for"), at.Query.Get("after"))
			},
			View: views.Open,
		}.Close(),
		Route[*store.Organization, *store.Briefing]{
			Pattern: "/orgs/{org}/briefing",
			Version: ByJournals,
			Find:    FindOrganization,
			Show:    Whole((*store.Tx).ShowBriefing),
			View:    func(by store.Actor, v *store.Briefing) page.Page { return views.Briefing(by, v, verbs) },
		}.Close(),
		Route[*store.Organization, *store.TreePage]{
			Pattern: "/orgs/{org}/studios",
			Query:   []string{"after"},
			Find:    FindOrganization,
			Show:    From("after", (*store.Tx).ShowTree),
			View:    views.StudioTree,
			Actions: []*action.Spec[*store.Organization]{actions.CreateStudio},
		}.Close(),
		Route[*store.Organization, *store.RolesPage]{
			Pattern: "/orgs/{org}/roles",
			Query:   []string{"after"},
			Find:    FindOrganization,
			Show:    From("after", (*store.Tx).ShowRoles),
			View:    views.Roles,
		}.Close(),
		Route[*store.Organization, *store.MembersPage]{
			Pattern: "/orgs/{org}/members",
			Query:   []string{"after"},
			Find:    FindOrganization,
			Show:    From("after", (*store.Tx).ShowMembers),
			View: func(by store.Actor, v *store.MembersPage) page.Page {
				return views.Members(by, v, verbs[views.ToInvite])
			},
		}.Close(),
		Route[*store.Invitations, *store.Invitations]{
			Pattern: "/orgs/{org}/invitations",
			Version: ByJournals,
			Query:   []string{"after"},
			Find:    s.findInvitations,
			Show:    Same[*store.Invitations],
			View:    views.Invitations,
			Actions: []*action.Spec[*store.Invitations]{actions.Invite, actions.RevokeInvitation},
		}.Close(),
		Route[*store.Member, *store.MemberPage]{
			Pattern: "/orgs/{org}/members/{handle}",
			moving:  true,
			Find:    ByArgs("org", "handle", (*store.Tx).FindMember),
			Show:    withVerbs(s, Whole((*store.Tx).ShowMember), func(p *store.MemberPage) []store.Entry { return p.Entries }),
			View:    views.Member,
			Actions: []*action.Spec[*store.Member]{actions.UpdateProfile, actions.LeaveOrganization,
				actions.RemoveMember, actions.EraseMember},
		}.Close(),
		Route[*store.Organization, *store.JournalPage]{
			Pattern: "/orgs/{org}/journal",
			Version: ByJournals,
			Query:   []string{"studio", "member", "action", "kind", "by=agent|people", "before"},
			Find:    FindOrganization,
			Show:    withVerbs(s, showJournal, func(p *store.JournalPage) []store.Entry { return p.Entries }),
			View:    views.Journal,
		}.Close(),
		Route[*store.Organization, *views.Verification]{
			Pattern: "/orgs/{org}/journal/verify",
			Find:    FindOrganization,
			Show:    verifyJournal,
			View:    views.Verify,
		}.Close(),
		Route[entry, entry]{Pattern: "/orgs/{org}/journal/{seq}", Find: findEntry, Show: s.showEntry,
			View: func(by store.Actor, e entry) page.Page { return views.Entry(by, e.Entry) }}.Close(),
	}
}

const orgsURL = "/orgs"

func (s *Site) findOrganizations(_ *store.Tx, by store.Actor, _ *Location) (*store.OrganizationsPage, error) {
	if by.Anonymous() {
		return nil, store.Missing()
	}
	return &store.OrganizationsPage{ByOperator: s.config.OperatorFounds}, nil
}

func organizationOf(p *store.SettingsPage) (*store.Organization, error) { return p.Organization, nil }

func (s *Site) findInvitations(tx *store.Tx, by store.Actor, at *Location) (*store.Invitations, error) {
	v, err := tx.FindInvitations(by, at.Arg("org"), at.Query.Get("after"))
	if err == nil {
		v.Mails = s.config.Mail != nil
	}
	return v, err
}

// FindOrganization is the Find function of pages about an organization.
func FindOrganization(tx *store.Tx, by store.Actor, at *Location) (*store.Organization, error) {
	return tx.FindOrganization(by, at.Arg("org"))
}

func showJournal(tx *store.Tx, by store.Actor, o *store.Organization, at *Location) (*store.JournalPage, error) {
	return tx.ShowJournal(by, o, journalQuery(at.Query), at.Query.Get("member"))
}

func verifyJournal(tx *store.Tx, _ store.Actor, o *store.Organization, _ *Location) (*views.Verification, error) {
	head, err := tx.VerifyJournal(o)
	return &views.Verification{Organization: o, Head: head, At: tx.Now, Err: err}, nil
}

// entry makes a journal entry the subject of a page without actions.
type entry struct{ *store.Entry }

func (e entry) Ref() store.Ref {
	return store.Ref{OrgID: e.OrgID, Kind: "entry", Title: e.Title, URL: e.PageURL()}
}
func (e entry) Record() any { return nil }
func (e entry) Relation(by store.Actor) store.Relation {
	return (&store.Organization{ID: e.OrgID}).Relation(by)
}

func findEntry(tx *store.Tx, by store.Actor, at *Location) (entry, error) {
	seq, err := strconv.ParseInt(at.Arg("seq"), 10, 64)
	if err != nil || seq < 1 || strconv.FormatInt(seq, 10) != at.Arg("seq") {
		return entry{}, store.Missing()
	}
	e, err := tx.FindEntry(by, at.Arg("org"), seq)
	return entry{e}, err
}

// directRoutes returns the routes of the pages with direct messages, which exist for people only.
func directRoutes() []*BoundRoute {
	return []*BoundRoute{
		Route[*store.DirectTalks, *store.DirectTalks]{
			Pattern: "/orgs/{org}/dm",
			Version: ByOwn,
			Find:    ByArg("org", (*store.Tx).FindDirectTalks),
			Show:    Same[*store.DirectTalks],
			View:    views.DirectTalks,
		}.Close(),
		Route[*store.DirectTalk, *store.DirectPage]{
			Pattern: "/orgs/{org}/dm/{handle}",
			Query:   []string{"before"},
			moving:  true,
			Find:    ByArgs("org", "handle", (*store.Tx).FindDirectTalk),
			Show: func(tx *store.Tx, by store.Actor, d *store.DirectTalk, at *Location) (*store.DirectPage, error) {
				before, _ := strconv.Atoi(at.Query.Get("before")) // text that is not a number means the newest messages
				return tx.ShowDirectTalk(by, d, before)
			},
			View:    views.DirectTalk,
			Actions: []*action.Spec[*store.DirectTalk]{actions.SendDirectMessage, actions.EditDirectMessage, actions.DeleteDirectMessage},
			InSight: func(_ store.Actor, d *store.DirectTalk, at *Location) func(*store.Tx) error {
				if d.Unheard() == 0 || at.Query.Has("before") {
					return nil
				}
				return func(tx *store.Tx) error { return tx.HearDirect(d) }
			},
		}.Close(),
	}
}
