package web

import (
	"context"
	"fmt"
	"time"

	"samepage/store"
	"samepage/web/wire"
)

// runMail sends what is to be mailed until ctx ends, looking every interval. It has a goroutine of its own, because a server can
// be slow.
func (s *Site) runMail(ctx context.Context, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		s.SendMail(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// SendMail sends every mail whose time has come, and keeps what became of it. One of the processes that share a database does it;
// if that ends between sending a mail and writing so down, the mail is sent again.
func (s *Site) SendMail(ctx context.Context) {
	if s.config.Mail == nil {
		return
	}
	err := s.store.Alone(ctx, "mail", func() {
		var due []store.Mail
		err := s.store.Read(ctx, func(tx *store.Tx) (err error) {
			due, err = tx.DueMails(20)
			return err
		})
		for i := range due {
			if err == nil {
				err = s.sendMail(ctx, &due[i])
			}
		}
		if err != nil && ctx.Err() == nil {
			s.log.Error("mail", "error", err)
		}
	})
	if err != nil && ctx.Err() == nil { // else the server is stopping
		s.log.Error("mail", "error", err)
	}
}

// sendMail makes the words of one mail and sends it. What the mail server says is no error of ours.
func (s *Site) sendMail(ctx context.Context, m *store.Mail) error {
	var subject, body string
	err := s.store.Write(ctx, func(tx *store.Tx) error {
		var err error
		if subject, body, err = s.letter(tx, m); store.CodeOf(err) == store.NotFound {
			return tx.DropMail(m)
		}
		return err
	})
	if err != nil || subject == "" {
		return err
	}
	problem := ""
	if err := s.config.Mail.Send(ctx, m.Address, subject, body, s.store.Now()); err != nil {
		if ctx.Err() != nil {
			return err
		}
		problem = wire.Clip(err.Error(), 200)
	}
	return s.store.Write(ctx, func(tx *store.Tx) error { return tx.MarkMailed(m, problem) })
}

// letter makes the words of a mail, with the key that it brings. What nobody needs any more: [store.Missing].
func (s *Site) letter(tx *store.Tx, m *store.Mail) (subject, body string, err error) {
	switch m.Kind {
	case store.MailedReset:
		secret, err := tx.OpenReset(m.SubjectID)
		if err != nil {
			return "", "", err
		}
		subject, body = resetMail(s.config.Origin + store.ResetPath(secret))
		return subject, body, nil
	case store.MailedAddress:
		secret, err := tx.OpenAddress(m.SubjectID)
		if err != nil {
			return "", "", err
		}
		subject, body = addressMail(s.config.Origin + store.AddressPath(secret))
		return subject, body, nil
	case store.MailedAddressNotice:
		c, err := tx.RequestedAddress(m.SubjectID)
		if err != nil {
			return "", "", err
		}
		subject, body = addressNotice(c.Email, s.config.Origin+store.AccountURL)
		return subject, body, nil
	}
	i, err := tx.MailedInvitation(m)
	if err != nil {
		return "", "", err
	}
	secret, err := tx.OpenInvitation(i)
	if err != nil {
		return "", "", err
	}
	subject, body = invitationMail(i, s.config.Origin+store.InvitationPath(secret))
	return subject, body, nil
}

// invitationMail is what a mail with an invitation says.
func invitationMail(i *store.Invitation, link string) (subject, body string) {
	who := "You asked to join " + i.OrgName + " with this address."
	subject = "Join " + i.OrgName
	if i.Inviter != "" {
		who = fmt.Sprintf("@%s invites you to join %s.", i.Inviter, i.OrgName)
		subject = fmt.Sprintf("@%s invites you to %s", i.Inviter, i.OrgName)
	}
	return subject, who + "\n\nOpen this link to join, or to decline. It works once, until " + i.ExpiresAt.UTC().Format("2 January 2006 15:04 MST") + ":\n\n" + link +
		"\n\nIf you do not know what this is, do nothing.\n"
}
