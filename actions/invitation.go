package actions

import (
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
)

// Invite invites a person to an organization, by mail or with a link.
var Invite = action.New(action.Action[*store.Invitations, InviteParams]{
	Name:  "invite_member",
	Past:  "made",
	Undo:  "Take back: revoke_invitation.",
	Title: "Invite somebody",
	Doc: "Make an invitation that one person can accept within 30 days. Its link is shown once, " +
		"or mailed where this server sends mail.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.InOrganization,
	HumanOnly:  true,
	Discreet:   true,
	// The page is visible only to members with the right to invite.
	Guard: func(store.Actor, *store.Invitations) error { return nil },
	Offers: func(_ store.Actor, v *store.Invitations) param.Offers {
		doc := "Whom alone it is for. You give them the link yourself, because this server sends no " +
			"mail. Without it, whoever has the link can join."
		if v.Mails {
			doc = "Where it is mailed, and whom alone it is for. Without it you get a link, and whoever " +
				"has that can join."
		}
		return param.Offers{"email": {Doc: doc}}
	},
	Check: func(tx *store.Tx, _ store.Actor, v *store.Invitations, p InviteParams, _ param.Errors) param.Errors {
		if p.Email == "" {
			return nil
		}
		if err := p.check(tx, v); store.CodeOf(err) == store.Invalid {
			return param.Bad("email", err)
		}
		return nil // Run returns any other error
	},
	Run: func(tx *store.Tx, by store.Actor, v *store.Invitations, p InviteParams) (action.Done, error) {
		email := ""
		if p.Email != "" {
			var err error
			if email, err = store.Email(p.Email); err != nil {
				return action.Done{}, err
			}
		}
		i, err := tx.CreateInvitation(by, v.Organization, email, store.InvitationLife)
		if err != nil {
			return action.Done{}, err
		}
		if email != "" && v.Mails {
			return action.Done{
				Message: "The invitation is made, and its mail is on the way.",
				Made:    []action.Subject{i},
			}, tx.QueueMail(store.MailedInvitation, i.ID, email)
		}
		secret, err := tx.OpenInvitation(i)
		return action.Done{
			Message: "The invitation is made. Give its link to whom you invite.",
			Made:    []action.Subject{i},
			Secret:  store.InvitationPath(secret),
		}, err
	},
})

// InviteParams has the email address of the invited person.
type InviteParams struct {
	Email string `param:"email,text,optional" max:"254" as:"email" doc:"Whom alone it is for. Without it, whoever has the link can join."`
}

func (p InviteParams) check(tx *store.Tx, v *store.Invitations) error {
	email, err := store.Email(p.Email)
	if err != nil {
		return err
	}
	in, err := tx.IsMember(v.Organization, email)
	if err != nil {
		return err
	}
	if in {
		return store.Errorf(store.Invalid, "Who signs in with this address is a member already.")
	}
	pending, err := tx.PendingFor(v.Organization, email, store.InvitationLife)
	if err == nil && pending {
		return store.Errorf(store.Invalid,
			"This address has been invited already. Revoke that invitation to make another.")
	}
	return err
}

// RevokeInvitation makes a pending invitation invalid.
var RevokeInvitation = action.New(action.Action[*store.Invitations, RevokeInvitationParams]{
	Name:        "revoke_invitation",
	Past:        "revoked",
	Title:       "Revoke",
	Doc:         "Take an invitation back. Its link stops working at once.",
	Scope:       store.ScopeGovernance,
	AllowedFor:  store.InOrganization,
	HumanOnly:   true,
	Destructive: true,
	Guard:       func(by store.Actor, v *store.Invitations) error { return v.MustBeRevocableBy(by) },
	Offers: func(by store.Actor, v *store.Invitations) param.Offers {
		return param.Offers{"invitation": {Options: revocable(by, v), Refused: irrevocable(by, v)}}
	},
	Run: func(tx *store.Tx, by store.Actor, v *store.Invitations, p RevokeInvitationParams) (action.Done, error) {
		for i := range v.List {
			if x := &v.List[i]; x.ID == p.Invitation {
				return action.Done{
					Message: "The invitation is revoked.",
					Made:    []action.Subject{x},
					As:      by.Through(x.RevocableBy),
				}, tx.RevokeInvitation(by, x)
			}
		}
		return action.Done{}, store.Missing()
	},
})

// RevokeInvitationParams are the params of [RevokeInvitation].
type RevokeInvitationParams struct {
	Invitation string `param:"invitation,choice" doc:"Which invitation."`
}

func revocable(by store.Actor, v *store.Invitations) []param.Option {
	var list []param.Option
	for i := range v.List {
		if x := &v.List[i]; x.RevocableBy(by) {
			label := x.Email
			if label == "" {
				label = "Link of " + x.CreatedAt.In(store.Location(v.Zone)).Format("2 Jan 2006 15:04 MST")
				if x.Inviter != "" {
					label += " by @" + x.Inviter
				}
			}
			list = append(list, param.Option{Value: x.ID, Label: label})
		}
	}
	return list
}

// irrevocable returns the reasons why the actor cannot revoke invitations, by the invitation's id.
func irrevocable(by store.Actor, v *store.Invitations) map[string]string {
	why := map[string]string{}
	for i := range v.List {
		switch x := &v.List[i]; {
		case x.RevocableBy(by):
		case x.State() == "expired":
			why[x.ID] = "has expired already"
		case x.State() != "pending":
			why[x.ID] = "was " + x.State() + " already"
		case x.Inviter == "":
			why[x.ID] = "was requested by the person whom it is for, and only the owner, @" +
				v.Owner + ", can revoke it"
		default:
			why[x.ID] = "was made by @" + x.Inviter + ", and only @" + x.Inviter + " and the owner, @" +
				v.Owner + ", can revoke it"
		}
	}
	return why
}
