// Package rule decides which of a person's standing rules apply to an agent's permission request. A request is in the
// agent's words, so the package trusts only the parts that it can read without doubt: a rule allows only requests that
// it covers for certain, and a request that a rule might forbid goes to a person.
package rule

import (
	"slices"
	"strings"
)

// Verdict is the effect of a rule. If several rules apply, [Ask] beats [Deny], and [Deny] beats [Allow].
type Verdict string

// These are the verdicts.
const (
	Allow Verdict = "allow"
	Deny  Verdict = "deny"
	Ask   Verdict = "ask" // a person is asked
)

// Reach says which requests a rule covers.
type Reach string

// These are the reaches. After each semicolon is the meaning of [Rule.Subject].
const (
	Same    Reach = "same"    // equal requests; the digest of the request
	Folder  Reach = "folder"  // tools of a kind, for files below a folder; the folder, or "." for the worktree
	Command Reach = "command" // commands with the same first words; the words
	Tool    Reach = "tool"    // all tools of a kind; empty
)

// Kinds are the kinds of tools in the Agent Client Protocol that a rule may name, unless its reach is [Same]. The kind
// switch_mode is not among them, because no rule may allow a change of an agent's mode.
var Kinds = []string{"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"}

// FolderKinds are the kinds of tools that affect only the files in the request. A search is not among them, because it
// names only the folder in which it begins.
var FolderKinds = []string{"read", "edit", "delete", "move"}

// Request is a permission request of an agent.
type Request struct {
	Kind   string   // such as read
	Input  string   // JSON from the agent
	Digest string   // digest of the agent's whole report on the tool call; empty if unknown
	Paths  []string // all files, below the working folder; empty if unknown
}

// Rule is a standing rule about the requests of an agent.
type Rule struct {
	Verdict Verdict `db:"verdict"`
	Reach   Reach   `db:"reach"`
	Kind    string  `db:"kind"` // of the tool; in a rule that denies or asks, empty for all
	Subject string  `db:"subject"`
}

// Decide returns the verdict of the rules on a request, and the index of the first rule that gives it. It returns [Ask]
// and -1 if no rule applies.
func Decide(rules []Rule, r Request) (Verdict, int) {
	first := func(v Verdict, covers ...covered) int {
		return slices.IndexFunc(rules, func(l Rule) bool {
			return l.Verdict == v && slices.Contains(covers,
				l.covers(r))
		})
	}
	if i := first(Ask, yes, perhaps); i >= 0 {
		return Ask, i
	}
	if i := first(Deny, yes); i >= 0 {
		return Deny, i
	}
	if i := first(Deny, perhaps); i >= 0 {
		return Ask, i
	}
	if i := first(Allow, yes); i >= 0 {
		return Allow, i
	}
	return Ask, -1
}

type covered int

const (
	no covered = iota
	perhaps
	yes
)

// covers reports whether the rule covers the request. It never returns [perhaps] for a rule that allows.
func (l Rule) covers(r Request) covered {
	if l.Verdict == Allow {
		if l.allows(r) {
			return yes
		}
		return no
	}
	return l.restricts(r)
}

func (l Rule) allows(r Request) bool {
	if l.Check() != "" || l.Kind != r.Kind || r.Kind == "switch_mode" {
		return false
	}
	switch l.Reach {
	case Same:
		return r.Digest == l.Subject
	case Folder:
		least := 1
		if r.Kind == "move" { // a move needs the source and the target
			least = 2
		}
		return len(r.Paths) >= least && !slices.ContainsFunc(r.Paths, func(p string) bool {
			return !below(l.Subject,
				p)
		})
	case Command:
		words, ok := Words(r.Input)
		return ok && begins(words, strings.Split(l.Subject, " "))
	}
	return false
}

func (l Rule) restricts(r Request) covered {
	known := slices.Contains(Kinds, r.Kind)
	switch {
	case l.Reach == Same:
		if r.Digest == l.Subject && l.Kind == r.Kind {
			return yes
		}
		return no
	case l.Kind != "" && l.Kind != r.Kind:
		if known {
			return no
		}
		return perhaps
	}
	switch l.Reach {
	case Tool:
		return yes
	case Folder:
		return touches(l.Subject, r)
	case Command:
		return runs(l.Subject, r.Input)
	}
	return perhaps
}
