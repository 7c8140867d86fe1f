package webtest

import (
	"strings"
	"time"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/notice"
	"samepage/web"
)

// memberships adds Frank and removes him from Acme, but he can still sign in. It also adds invitations, and changes
// Bob's notification settings.
func (m *maker) memberships() {
	m.write(func(tx *store.Tx) error {
		return enroll(tx, m.actors["alice"], "frank", "Frank Fuchs")
	})
	m.person("frank", "acme")
	m.plants()
	m.do("frank", m.urls["commons"], actions.Join.Name, nil)
	m.do("frank", m.urls["commons open"], actions.Comment, param.Input{"text": "I shall be gone by then."})
	m.share("link lapsed", "frank", "commons open")
	m.do("alice", m.urls["@frank"], actions.RemoveMember.Name, nil)
	m.invitations()
	m.do("bob", notice.SettingsURL, actions.ChooseNotifications.Name, param.Input{"mail_at_once": []string{"mention"}})
	m.do("bob", notice.SettingsURL, actions.SetQuietHours.Name, param.Input{"from": "21:30", "to": "06:00",
		"days": []string{"sun", "mon"}})
	m.do("bob", notice.SettingsURL, actions.SetDigest.Name, param.Input{"every": "weekly", "at": "05:30", "day": "mon"})
}

// invitations adds invitations to Acme in every state, and one to Globex.
func (m *maker) invitations() {
	m.invite("acme link", "alice", "acme", "")
	m.invite("acme gina", "alice", "acme", "gina@acme.example")
	m.invite("acme frank", "alice", "acme", "frank@acme.example")
	m.invite("globex link", "oscar", "globex", "")
	end := func(email string, life time.Duration, how func(tx *store.Tx, i *store.Invitation) error) {
		m.write(func(tx *store.Tx) error {
			o, err := tx.FindOrganization(store.System(), "acme")
			if err != nil {
				return err
			}
			i, err := tx.CreateInvitation(m.actors["alice"], o, email, life)
			if err == nil {
				_, err = tx.Journal(m.actors["alice"],
					store.Change{Action: actions.Invite.Name, Target: i.Ref(), After: i.Record()})
			}
			if err != nil {
				return err
			}
			m.names[i.ID] = "invitation-" + email[:strings.IndexByte(email, '@')]
			secret, err := tx.OpenInvitation(i)
			m.secretsOf["acme "+email[:strings.IndexByte(email, '@')]] = secret
			if err != nil {
				return err
			}
			return how(tx, i)
		})
	}
	end("hugo@acme.example", time.Minute, func(*store.Tx, *store.Invitation) error { return nil })
	end("ines@acme.example", store.InvitationLife, func(tx *store.Tx, i *store.Invitation) error {
		return tx.DeclineInvitation(i)
	})
	end("jan@acme.example", store.InvitationLife, func(tx *store.Tx, i *store.Invitation) error {
		return tx.RevokeInvitation(m.actors["alice"], i)
	})
	end("kim@acme.example", store.InvitationLife, func(tx *store.Tx, i *store.Invitation) error {
		u, err := tx.CreateUser(i.Email, "-")
		if err != nil {
			return err
		}
		k, err := tx.AcceptInvitation(i, u, "kim", "Kim Kaya")
		if err == nil {
			_, err = tx.Journal(store.Actor{UserID: u},
				store.Change{Action: "join_organization", Target: k.Ref(), After: k.Record()})
		}
		return err
	})
	m.urls["acme invitations"] = "/orgs/acme/invitations"
}

// invite creates an invitation and stores its secret under a name.
func (m *maker) invite(name, by, org, email string) {
	if m.err != nil {
		return
	}
	m.clock.Advance(time.Minute)
	out, err := m.site.Do(m.ctx, web.As(m.actors[by]), web.Call{URL: "/orgs/" + org + "/invitations",
		Action: actions.Invite.Name, Params: param.Input{"email": email}})
	if err != nil {
		m.err = err
		return
	}
	m.secretsOf[name] = strings.TrimPrefix(out.Secret, store.InvitationPath(""))
	m.err = m.store.Read(m.ctx, func(tx *store.Tx) error {
		i, err := tx.InvitationBySecret(m.secretsOf[name])
		if err == nil {
			m.names[i.ID] = "invitation-" + strings.ReplaceAll(name, " ", "-")
		}
		return err
	})
}
