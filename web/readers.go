package web

import (
	"strings"

	"samepage/actions/action"
	"samepage/store"
)

// Readers are the actors that may ever read a page. All others get the answer of a page that does
// not exist.
type Readers string

// The readers of pages. Finders narrow them further for drafts, private entries and hidden results.
const (
	ForEveryone     Readers = "everyone"                           // the page has no data of any member
	ForWhom         Readers = "whoever is signed in, of their own" // each reader finds only their own
	ForPerson       Readers = "a person signed in, of their own"   // no agents
	ForOrganization Readers = "members of the organization"
	ForInviters     Readers = "those who may invite to the organization"
	ForStudio       Readers = "whoever may see the studio" // by the studio's visibility
	ForParties      Readers = "the agent that asked, whom it acts for, and the organization's owner"
	ForColleagues   Readers = "members of the organization who may see the studio"
)

// readers declares the readers of all pages under a prefix; the longest prefix counts. A page
// without a prefix here stops the start.
var readers = map[string]Readers{
	"/":                         ForWhom,
	"/inbox":                    ForWhom,
	"/search":                   ForWhom,     // it finds only pages that the actor may see
	"/studios":                  ForEveryone, // it lists only studios that the actor may see
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

// readersOf returns the readers of the pages with this pattern; empty if none are declared.
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

// admit refuses actors that are not among the readers, even if the finder let them pass. The
// scheduler is always admitted.
func (r Readers) admit(by store.Actor, s action.Subject) error {
	admitted := true
	switch r {
	case ForOrganization, ForInviters, ForColleagues, ForParties:
		admitted = s.Relation(by)&(store.InOrganization|store.Clock) != 0
	case ForWhom:
		admitted = !by.Anonymous()
	case ForPerson:
		admitted = !by.Anonymous() && !by.IsAgent()
	}
	if !admitted {
		return store.Missing()
	}
	return nil
}
