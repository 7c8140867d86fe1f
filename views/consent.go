package views

import (
	"slices"
	"strings"
	"time"

	"samepage/store"
	"samepage/store/credential"
	"samepage/views/page"
)

// ConsentRequest is an OAuth authorization request of a program that asks to act for the reader.
type ConsentRequest struct {
	Client *credential.OAuthClient
	Host   string // host of the redirect URI, with its port unless Local; for a private-use URI scheme, the scheme and a colon
	Local  bool   // whether the redirect URI leads to the reader's own machine
	Scopes store.Set[store.Scope]
	Before *credential.Agreed // the reader's last consent; nil if there is none, or if the client is not verified
	Access time.Duration      // the lifetime of an access token
}

// Consent returns the page on which a person lets a program act for them, or refuses.
func Consent(by store.Actor, a ConsentRequest) page.Page {
	p := page.Page{Title: "Let " + a.Client.Name + " act for you?", Kind: "Consent", Audience: "you alone"}
	agent := page.Who(store.Byline(by.Member.Handle, a.Client.Name), "")
	p.Pair = page.Line(page.Who("@"+by.Member.Handle, ""), agent)
	p.State = page.Line(page.Strong(a.Client.Name), page.T(" asks to "+asksTo(a.Scopes)+" in "),
		page.Strong(by.Member.OrgName), page.T(", as "),
		agent,
		page.T(". Everything it does carries your name beside its own."))
	if a.Before != nil {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.T("You let it act for you before, on "),
			page.When(a.Before.At.Time).Dated(), page.T(", as "), page.T(a.Before.Label),
			page.T(". Then it could "+asksTo(a.Before.Scopes)+"."))))
	}
	lasts := count(int(a.Access.Hours()), "hour", "hours") + ", then it is renewed until the time you choose is over"
	facts := page.Facts{{Label: "The answer goes to", Value: page.Line(page.Mono(a.Host))},
		{Label: "Each token lasts", Value: page.Line(page.T(lasts))}}
	if a.Client.Verified {
		facts = append(facts, page.Fact{Label: "Known by",
			Value: page.Line(page.T("its address, which it controls: "), page.Mono(a.Client.ID))})
	}
	p.Blocks = append(p.Blocks, facts, page.Section{
		ID:    "never",
		Title: "What it can never do",
		Blocks: []page.Block{page.List{
			page.Line(page.T("More than you can at that moment, in this organization. It sees nothing of others.")),
			page.Line(page.T("Approve anything, or decide, close or delete what is others' to decide.")),
			page.Line(page.T("Change members, roles, studios, rules or tokens, or invite anybody.")),
			page.Line(page.T("Read direct messages.")),
		}, page.Para(page.Line(page.T("End it whenever you like, at once, at "),
			page.Link("Tokens", by.TokensURL()), page.T(".")))},
	})
	if risks := a.risks(); risks != nil {
		p.Blocks = append(p.Blocks, page.Warning(risks))
	}
	return p
}

// risks returns a warning about an unverified name or a redirect URI on the reader's device, or nil.
func (a *ConsentRequest) risks() []page.Inline {
	line := page.Line(page.Strong("Check where it goes."))
	if scheme, ok := strings.CutSuffix(a.Host, ":"); ok {
		line = append(line, page.Sentence(" The answer goes to whichever program on this device opens "+
			scheme+": links. Nobody can say which that is."))
	} else if a.Local {
		line = append(line, page.Sentence(" The answer goes to a program on the machine that you sit at. "+
			"Any program there could have asked."))
	}
	if !a.Client.Verified {
		line = append(line, page.Sentence(" Nobody vouches for this name: "+
			"anybody can register a program under any name."))
	}
	if len(line) == 1 {
		return nil
	}
	return append(line, page.Sentence(" Go on only if you started this yourself, just now."))
}

func asksTo(scopes store.Set[store.Scope]) string {
	switch write, govern := slices.Contains(scopes, store.ScopeWrite), slices.Contains(scopes, store.ScopeGovernance); {
	case write && govern:
		return "read, take part, and govern"
	case write:
		return "read and take part"
	case govern:
		return "read and govern"
	}
	return "read, and do nothing"
}

// WhichOrganization returns the page on which a member of several organizations chooses the one in which a program may
// act. The function at returns the address of the consent page for an organization.
func WhichOrganization(by store.Actor, a ConsentRequest, at func(org string) string) page.Page {
	p := page.Page{Title: "Where may " + a.Client.Name + " act for you?", Kind: "Consent", Audience: "you alone",
		State: page.Line(page.T("You are in several organizations. A program acts in one of them and " +
			"sees nothing of the others. Choose which."))}
	list := page.List{}
	for i := range by.Members {
		m := &by.Members[i]
		list = append(list, page.Line(page.Link(m.OrgName, at(m.Org)), page.T(", as @"+m.Handle)))
	}
	p.Blocks = []page.Block{list}
	return p
}

// BadConsent returns the page with the reason why a program's request cannot be granted.
func BadConsent(c *credential.OAuthClient, redirect, reason string) page.Page {
	p := page.Page{Title: "This request cannot be granted", Kind: "Consent", Audience: "you alone"}
	p.State = page.Line(page.Sentence("Nothing was allowed, and no answer was sent."))
	p.Blocks = []page.Block{page.Facts{
		{Label: "Program", Value: page.Line(page.T(c.Name))},
		{Label: "Reason", Value: page.Line(page.T(reason))},
		{Label: "It wants the answer at", Value: page.Line(page.Mono(redirect))},
	}}
	if !c.Verified {
		p.Blocks = append(p.Blocks, page.Warning(page.Line(page.Sentence("Nobody vouches for this name or this address: "+
			"anybody can register a program. Go there only if you started this yourself, just now."))))
	}
	return p
}
