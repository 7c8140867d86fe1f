package web

import (
	"strings"

	"samepage/actions/action"
	"samepage/store"
)

// Readers are who may ever read a page. Whoever it leaves out gets the answer that a page which does not exist gets.
type Readers string

// Who may read a page. What a draft, a private entry or a hidden result narrows further is for
// who finds it.
const (
	ForEveryone     Readers = "everyone"                           // it says nothing of anybody
	ForWhom         Readers = "whoever is signed in, of their own" // nobody finds another's
	ForPerson       Readers = "a person signed in, of their own"   // no agent
	ForOrganization Readers = "members of the organization"
	ForInviters     Readers = "those who may invite to the organization"
	ForStudio       Readers = "whoever may see the studio" // by its visibility
	ForParties      Readers = "the agent that asked, whom it acts for, and the organization's owner"
	ForColleagues   Readers = "members of the organization who may see the studio"
)

// readers declare who may read the pages under a prefix; the longest that fits counts. A page under none of them stops the
// start.
var readers = map[string]Readers{
	"/":                         ForWhom,
	"/inbox":                    ForWhom,
	"/search":                   ForWhom,     // it finds what one may see
	"/studios":                  ForEveryone, // it lists what one may see
	"/whoami":                   ForEveryone,
	"/help":                     ForEveryone,
	"/settings":                 ForWhom,
	store.AccountURL:            ForPerson,
	"/studios/{studio}":         ForStudio,
	"/studios/{studio}/members": ForColleagues,
	"/studios/{studio}/roles":   ForColleagues,
	"/files/{file}":             ForStudio,
	"/orgs":                     ForWhom,
	"/orgs/{org}":               ForOrganization,
	"/orgs/{org}/invitations":   ForInviters,
	"/approvals":                ForWhom,
	"/approvals/{id}":           ForParties,
}

// readersOf are the readers of the pages with this pattern, empty if none are declared.
func readersOf(pattern string) Readers {
	if pattern == "/" {
		return readers["/"]
	}
	for prefix := pattern; prefix != ""; prefix = prefix[:strings.LastIndexByte(prefix, '/')] {
		if p, ok := readers[prefix]; ok {
			return p
		}
	}
	return ""
}

// admit refuses whoever is not among them, whatever its finder let through. The scheduler may go anywhere.
func (r Readers) admit(by store.Actor, s action.Subject) error {
	if (r == ForOrganization || r == ForInviters || r == ForColleagues || r == ForParties) && s.Relation(by)&(store.InOrganization|store.Clock) == 0 || (r == ForWhom || r == ForPerson) && by.Anonymous() || r == ForPerson && by.IsAgent() {
		return store.Missing()
	}
	return nil
}
