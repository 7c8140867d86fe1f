package web

import (
	"strings"

	"samepage/actions/action"
	"samepage/store"
	"samepage/store/credential"
	"samepage/store/governance"
)

// Readers says which actors may ever read a page. To all other actors the page does not exist.
type Readers string

// These are the possible readers of a page. The function that finds the page's subject excludes some of them for
// drafts, private entries and hidden results.
const (
	ForEveryone     Readers = "everyone"
	ForSignedIn     Readers = "signed-in actors, each their own data"
	ForPerson       Readers = "signed-in people, each their own data" // as ForSignedIn, but no agents
	ForOrganization Readers = "members of the organization"
	ForInviters     Readers = "members that may invite to the organization"
	ForOwner        Readers = "the organization's owner in person"
	ForStudio       Readers = "everybody that may see the studio" // depends on the visibility of the studio
	ForParties      Readers = "the agent that asked, its member, and the organization's owner"
	ForPeople       Readers = "people of the organization, each with one other"
	ForColleagues   Readers = "members of the organization that may see the studio"
)

// readers declares the readers of all pages with a pattern that begins with the prefix. The longest prefix decides, and
// the prefix "/" is only for the start page. The server does not start if a page has none of these prefixes.
var readers = map[string]Readers{
	"/":                           ForSignedIn,
	"/inbox":                      ForSignedIn,
	"/search":                     ForSignedIn, // it finds only pages that the actor may see
	"/studios":                    ForEveryone, // it lists only studios that the actor may see
	"/whoami":                     ForEveryone,
	"/help":                       ForEveryone,
	"/settings":                   ForSignedIn,
	credential.AccountURL:         ForPerson,
	governance.OwnWebhookURL:      ForPerson,
	"/studios/{studio}":           ForStudio,
	"/studios/{studio}/members":   ForColleagues,
	"/studios/{studio}/roles":     ForColleagues,
	"/studios/{studio}/policies":  ForColleagues,
	"/files/{file}":               ForStudio,
	"/orgs":                       ForSignedIn,
	"/orgs/{org}":                 ForOrganization,
	"/orgs/{org}/invitations":     ForInviters,
	"/orgs/{org}/webhooks":        ForOwner,
	"/orgs/{org}/dm":              ForPeople,
	"/studios/{studio}/repos":     ForColleagues,
	"/studios/{studio}/worktrees": ForColleagues,
	"/studios/{studio}/sessions":  ForColleagues,
	"/studios/{studio}/reviews":   ForColleagues,
	"/studios/{studio}/pulls":     ForColleagues,
	"/approvals":                  ForSignedIn,
	"/approvals/{id}":             ForParties,
}

// readersOf returns the readers of the pages with this pattern, or the empty string if none are declared.
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

// admit returns [store.Missing] for an actor that is not among the readers, even if the function that found the subject
// let the actor pass. For ForEveryone and ForStudio it leaves the decision to that function. For ForInviters,
// ForColleagues and ForParties it checks only that the actor is in the organization.
func (r Readers) admit(by store.Actor, s action.Subject) error {
	admitted := true
	switch r {
	case ForOrganization, ForInviters, ForColleagues, ForParties:
		admitted = s.Relation(by)&(store.InOrganization|store.Clock) != 0
	case ForOwner:
		admitted = by.System || !by.IsAgent() && s.Relation(by)&store.Owner != 0
	case ForPeople:
		admitted = !by.IsAgent() && s.Relation(by)&store.Self != 0
	case ForSignedIn:
		admitted = !by.Anonymous()
	case ForPerson:
		admitted = !by.Anonymous() && !by.IsAgent()
	}
	if !admitted {
		return store.Missing()
	}
	return nil
}
