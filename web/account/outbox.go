package account

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"samepage/store"
	"samepage/store/credential"
	"samepage/store/notice"
)

// mailsAtOnce is the largest number of mails that one call of [Server.SendMail] sends.
const mailsAtOnce = 20

// RunMail sends queued mails at once and at every interval until ctx is done. It should run in its own goroutine,
// because a mail server can be slow.
func (s *Server) RunMail(ctx context.Context, interval time.Duration) {
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

// SendMail sends the mails that are due and stores the results. A lease on each mail keeps other processes that share
// the database from sending the same mail at the same time.
func (s *Server) SendMail(ctx context.Context) {
	if s.Mail == nil {
		return
	}
	queued := s.queueNotices(ctx)
	var due []store.Mail
	err := s.Store.Read(ctx, func(tx *store.Tx) (err error) {
		due, err = tx.DueMails(mailsAtOnce)
		return err
	})
	sender := rand.Text()
	for i := range due {
		failed := s.sendMail(ctx, due[i].ID, sender)
		err = errors.Join(err, failed)
		if store.CodeOf(failed) == store.Unavailable { // the other mails would fail, too
			break
		}
	}
	err = errors.Join(queued, err)
	if s.Mailed != nil && ctx.Err() == nil {
		s.Mailed(err)
	}
	if err != nil && ctx.Err() == nil { // an error after ctx is done only means that the server is stopping
		s.Log.Error("due mails were not sent", "error", err)
	}
}

// sendMail takes a lease on a mail, writes it and sends it. If the mail cannot be delivered, the reason is stored and
// the error is nil. The error is also nil if another process has the lease, or if the mail is no longer needed.
func (s *Server) sendMail(ctx context.Context, id, sender string) error {
	var m *store.Mail
	var l Letter
	err := s.Store.Write(ctx, func(tx *store.Tx) (err error) {
		m, l = nil, Letter{}
		if m, err = tx.LeaseMail(id, sender); err != nil {
			return err
		}
		if l, err = s.letter(tx, m); store.CodeOf(err) == store.NotFound {
			return tx.DropMail(m)
		}
		return err
	})
	if store.CodeOf(err) == store.NotFound {
		return nil // another process sends the mail or has sent it
	}
	if err != nil || l == (Letter{}) {
		return err
	}
	l.ID = m.ID
	problem := ""
	if err := s.Mail.Send(ctx, m.Address, l, s.Store.Now()); err != nil {
		if ctx.Err() != nil {
			return errors.Join(err, s.Store.Write(context.WithoutCancel(ctx),
				func(tx *store.Tx) error { return tx.ReleaseMail(m) }))
		}
		problem = clip(err.Error(), 200)
	}
	return s.Store.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error { return tx.MarkMailed(m, problem) })
}

// letter returns a mail's content. The content is empty if the mail is to be sent later. The error is [store.Missing]
// if the mail is no longer needed.
func (s *Server) letter(tx *store.Tx, m *store.Mail) (l Letter, err error) {
	switch m.Kind {
	case notice.MailedNotices, notice.MailedDigest:
		return s.noticeLetter(tx, m)
	case credential.MailedReset:
		secret, err := credential.OpenReset(tx, m.SubjectID)
		if err != nil {
			return l, err
		}
		return resetMail(s.BaseURL + credential.ResetPath(secret)), nil
	case credential.MailedAddress:
		secret, err := credential.OpenAddress(tx, m.SubjectID)
		if err != nil {
			return l, err
		}
		return addressMail(s.BaseURL + credential.AddressPath(secret)), nil
	case credential.MailedAddressNotice:
		c, err := credential.RequestedAddress(tx, m.SubjectID)
		if err != nil {
			return l, err
		}
		return addressNotice(c.Email, s.BaseURL+credential.AccountURL), nil
	}
	i, err := tx.MailedInvitation(m)
	if err != nil {
		return l, err
	}
	secret, err := tx.OpenInvitation(i)
	if err != nil {
		return l, err
	}
	return invitationMail(i, s.BaseURL+store.InvitationPath(secret)), nil
}

func invitationMail(i *store.Invitation, link string) Letter {
	reason := "You asked to join " + i.OrgName + " with this address."
	subject := "Join " + i.OrgName
	if i.Inviter != "" {
		reason = fmt.Sprintf("@%s invites you to join %s.", i.Inviter, i.OrgName)
		subject = fmt.Sprintf("@%s invites you to %s", i.Inviter, i.OrgName)
	}
	until := i.ExpiresAt.UTC().Format("2 January 2006 15:04 MST")
	return Letter{Subject: subject, Text: reason + "\n\nOpen this link to join, or to decline. It works once, until " + until +
		":\n\n" + link + "\n\nIf you do not know what this is, do nothing.\n"}
}

func resetMail(link string) Letter {
	return Letter{Subject: "Choose another password", Text: "Somebody, perhaps you, asked for another password for your account.\n\n" +
		"Open this link to choose one. It works once, for half an hour:\n\n" + link +
		"\n\nIf it was not you, do nothing: your password stays as it is.\n"}
}

// addressMail asks the owner of a new address to confirm it.
func addressMail(link string) Letter {
	return Letter{Subject: "Sign in with this address?",
		Text: "Somebody, perhaps you, wants to sign in with this address from now on.\n\n" +
			"If it was you, open this link. It works once, for a day:\n\n" + link + "\n\nIf it was not you, do nothing.\n"}
}

// addressNotice warns the owner of the old address of the change.
func addressNotice(email, account string) Letter {
	return Letter{Subject: "Your address is about to change",
		Text: "Somebody who is signed in to your account, perhaps you, wants to sign in with " + email +
			" in place of this address. A link was mailed there, and once it is opened, this address signs in no " +
			"more.\n\n" +
			"If it was not you, change your password at once. That also ends all other logins and cancels this:\n\n" + account +
			"\n\nIf you cannot sign in any more, ask whoever runs this server.\n"}
}
