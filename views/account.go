package views

import (
	"samepage/store"
	"samepage/store/credential"
	"samepage/store/notice"
	"samepage/views/page"
)

// PasskeyScript is the address of the script for pages that register or use passkeys.
const PasskeyScript = "/static/passkey.js"

// Account returns the page of a person's own account. The argument provider is the name of the configured OpenID
// provider, or "". The argument connect is the address at which the person connects an account of that provider.
func Account(a *credential.Account, provider, connect string) page.Page {
	p := page.Page{Title: "Your account", Kind: "Account", Audience: "you alone", Script: PasskeyScript,
		State: page.Line(page.T("You sign in as "), page.Strong(a.Email), page.T("."))}
	facts := page.Facts{{Label: "Email", Value: page.Line(page.T(a.Email))}}
	if a.Next != "" {
		facts[0].Value = append(facts[0].Value, page.T("; "), page.T(a.Next),
			page.T(" once you open the link that was mailed there"))
	}
	switch {
	case a.Password == "":
		facts = append(facts, page.Fact{Label: "Password", Value: page.Line(page.T("none"))})
	case a.PasswordAt.IsZero():
		facts = append(facts, page.Fact{Label: "Password", Value: page.Line(page.T("never changed"))})
	default:
		facts = append(facts, page.Fact{
			Label: "Password",
			Value: page.Line(page.T("changed "), page.When(a.PasswordAt.Time)),
		})
	}
	for i := range a.Identities {
		d := &a.Identities[i]
		facts = append(facts, page.Fact{Label: "Connected to", Value: page.Line(page.T(d.Email),
			page.T(" at "), page.T(d.Issuer), page.T(", last used "), page.When(d.UsedAt.Time))})
	}
	t := page.Table{
		Caption: "Logins", Lines: true,
		Columns: page.Columns("Browser", "Address", "Signed in", "Last seen"),
	}
	for i := range a.Logins {
		l := &a.Logins[i]
		name := page.Line(page.T(l.Browser.Name()))
		this := string(l.Hash) == string(a.This)
		if this {
			name = append(name, page.T(", this one"))
		}
		t.Rows = append(t.Rows, page.Row{Key: l.ID(), Mark: this, Cells: [][]page.Inline{
			name,
			page.Line(page.T(l.Address)),
			page.Line(page.Extra("signed in "), page.When(l.CreatedAt.Time)),
			page.Line(page.Extra("last seen "), page.When(l.SeenAt.Time)),
		}})
	}
	keys := page.Table{Caption: "Passkeys", Lines: true, Columns: page.Columns("Passkey", "Added", "Last used")}
	for i := range a.Passkeys {
		k := &a.Passkeys[i]
		used := page.Line(page.T("never"), page.Extra(" used"))
		if !k.UsedAt.IsZero() {
			used = page.Line(page.Extra("last used "), page.When(k.UsedAt.Time))
		}
		keys.Rows = append(keys.Rows, page.Row{
			Key: k.ID,
			Cells: [][]page.Inline{page.Line(page.T(k.Name)),
				page.Line(page.Extra("added "), page.When(k.CreatedAt.Time)), used},
		})
	}
	about := "A passkey signs you in with what unlocks your device, and nobody can guess or phish it. " +
		"Add one here in a browser that has scripts turned on."
	passkeys := page.Section{
		ID:     "passkeys",
		Title:  "Passkeys",
		Blocks: []page.Block{page.Para(page.Line(page.Sentence(about)))},
	}
	if len(keys.Rows) > 0 {
		passkeys.Blocks = append([]page.Block{keys}, passkeys.Blocks...)
	}
	p.Blocks = []page.Block{facts}
	if provider != "" {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link("Connect your account at "+provider, connect))))
	}
	p.Blocks = append(p.Blocks, passkeys,
		page.Section{ID: "logins", Title: "Where you are signed in", Blocks: []page.Block{t,
			page.Para(page.Line(page.Sentence("A login ends 12 hours after it was last used, and 14 days " +
				"after you signed in. If you do not know one of these, end it and change your password.")))}},
		page.Para(page.Line(page.Link("Your tokens", store.TokensURL), page.T(" · "),
			page.Link("Your notifications", notice.SettingsURL))))
	return p
}
