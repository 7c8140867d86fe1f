package work

import (
	"fmt"
	"slices"
	"strings"

	"samepage/store"
	"samepage/store/work/rule"
)

// MaxRules is the greatest number of rules in force in one session.
const MaxRules = 50

// PermissionRule is a person's standing rule about permission requests in a session.
type PermissionRule struct {
	SessionID string `db:"session_id"`
	N         int    `db:"n"` // number within the session, from 1
	OrgID     string `db:"org_id"`
	rule.Rule
	Title       string     `db:"title"` // of the request for which the rule was made; may be empty
	Of          int        `db:"of_n"`  // number of that request; 0 for none
	Reason      string     `db:"reason"`
	MadeAt      store.Time `db:"made_at"`
	Used        int        `db:"used"` // number of requests that it answered or left to a person
	UsedAt      store.Time `db:"used_at"`
	WithdrawnBy string     `db:"withdrawn_by"`
	WithdrawnAt store.Time `db:"withdrawn_at"`

	Maker     string `db:"maker"`     // handle
	Withdrawn string `db:"withdrawn"` // handle of WithdrawnBy
	Lapsed    bool   `db:"lapsed"`    // the rule allows, but its maker may no longer answer requests of the session
	Session   *Session
}

// ruleColumns has the columns of a rule (alias r) of a session (alias s).
const ruleColumns = `r.session_id, r.n, r.org_id, r.verdict, r.reach, r.kind, r.subject, r.title, r.of_n, r.reason, r.made_at,
	r.used, r.used_at, r.withdrawn_by, r.withdrawn_at, m.handle AS maker,
	coalesce((SELECT w.handle FROM members w WHERE w.id = r.withdrawn_by), '') AS withdrawn,
	r.verdict = 'allow' AND NOT (m.ended_at IS NULL
		AND EXISTS (SELECT 1 FROM studio_members y WHERE y.studio_id = s.studio_id AND y.member_id = r.made_by)
		AND (r.made_by = s.member_id OR EXISTS (SELECT 1 FROM organizations o WHERE o.id = r.org_id AND o.owner_id = r.made_by)
			OR EXISTS (SELECT 1 FROM roles l WHERE l.studio_id = s.studio_id AND l.holder_id = r.made_by AND l.deleted_at IS NULL
				AND l.kind IN ('leader', 'secretary')))) AS lapsed`

const ruleFrom = ` FROM permission_rules r JOIN sessions s ON s.id = r.session_id JOIN members m ON m.id = r.made_by `

// FindRule finds a rule of a session by its number, or returns [store.Missing].
func FindRule(tx *store.Tx, s *Session, n int) (*PermissionRule, error) {
	l := &PermissionRule{Session: s}
	err := tx.Get(l, `SELECT `+ruleColumns+ruleFrom+`WHERE r.session_id = ? AND r.n = ?`, s.ID, n)
	return l, err
}

func rulesOf(tx *store.Tx, s *Session) (list []PermissionRule, err error) {
	err = tx.Select(&list, `SELECT `+ruleColumns+ruleFrom+`WHERE r.session_id = ? AND r.withdrawn_at IS NULL
		ORDER BY r.n DESC`+store.AtMost, s.ID, MaxRules)
	for i := range list {
		list[i].Session = s
	}
	return list, err
}

func addRules(tx *store.Tx, s *Session, list []*Permission) error {
	args := []any{s.ID}
	for _, p := range list {
		if p.RuleN > 0 && !slices.Contains(args[1:], any(p.RuleN)) {
			args = append(args, p.RuleN)
		}
	}
	if len(args) == 1 {
		return nil
	}
	var rules []PermissionRule
	if err := tx.Select(&rules, `SELECT `+ruleColumns+ruleFrom+`WHERE r.session_id = ? AND r.n IN (`+
		store.Placeholders(len(args)-1)+`)`, args...); err != nil {
		return err
	}
	for _, p := range list {
		if i := slices.IndexFunc(rules, func(l PermissionRule) bool { return l.N == p.RuleN }); i >= 0 {
			p.Rule = &rules[i]
			p.Rule.Session = s
		}
	}
	return nil
}

// answerByRule lets the rules of a session decide a new request. A rule answers only if the agent offers exactly one
// "once" choice for its verdict, and never with an "always" choice, because only the agent would know which requests
// that covers. If a rule leaves the request to a person, it is only recorded with the request.
func answerByRule(tx *store.Tx, s *Session, p *Permission) error {
	list, err := rulesOf(tx, s)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(l PermissionRule) bool { return l.Lapsed })
	rules := make([]rule.Rule, len(list))
	for i := range list {
		rules[i] = list[i].Rule
	}
	verdict, i := rule.Decide(rules, p.Asks())
	if i < 0 {
		return nil
	}
	l := &list[i]
	var at, choice any = nil, ""
	if verdict != rule.Ask {
		once := onceIn(p, verdict)
		if once == "" {
			return nil
		}
		at, choice = store.At(tx.Now), once
	}
	if err := tx.Exec(`UPDATE permissions SET answered_at = ?, choice = ?, rule_n = ? WHERE session_id = ? AND n = ?`,
		at, choice,
		l.N, s.ID, p.N); err != nil {
		return err
	}
	return tx.Exec(`UPDATE permission_rules SET used = used + 1, used_at = ? WHERE session_id = ? AND n = ?`,
		store.At(tx.Now),
		s.ID, l.N)
}

// onceIn returns the id of the only choice that allows or denies the request once, or "" if there is not exactly one.
func onceIn(p *Permission, v rule.Verdict) (id string) {
	kind := map[rule.Verdict]string{rule.Allow: "allow_once", rule.Deny: "reject_once"}[v]
	list, err := p.Choices()
	for _, c := range list {
		if c.Kind != kind {
			continue
		}
		if id != "" {
			return ""
		}
		id = c.ID
	}
	if err != nil {
		return ""
	}
	return id
}

// CanBeRuled reports whether a rule can allow or deny requests like this one.
func (p *Permission) CanBeRuled() bool {
	return onceIn(p, rule.Allow) != "" || onceIn(p, rule.Deny) != ""
}

// MustTakeRules returns [store.Conflict] if the session is archived, and an error for an actor outside the studio.
func (s *Session) MustTakeRules() error { return s.mustBeOpen() }

// MakeRule adds a rule to a session. It returns [store.Invalid] if [rule.Rule.Check] finds a problem, and
// [store.Conflict] if [MaxRules] rules are in force.
func MakeRule(tx *store.Tx, by store.Actor, s *Session, l *PermissionRule) (*PermissionRule, error) {
	if problem := l.Check(); problem != "" {
		return nil, store.Errorf(store.Invalid, "%s", problem)
	}
	var n, inForce int
	if err := tx.Get(&inForce, `SELECT count(*) FROM permission_rules WHERE session_id = ? AND withdrawn_at IS NULL`,
		s.ID); err != nil {
		return nil, err
	}
	if inForce >= MaxRules {
		return nil, store.Errorf(store.Conflict, "%d rules are in force, the most there may be. Withdraw one first.",
			MaxRules)
	}
	if err := tx.Get(&n, `SELECT coalesce(max(n), 0) + 1 FROM permission_rules WHERE session_id = ?`,
		s.ID); err != nil {
		return nil, err
	}
	if err := tx.Exec(`INSERT INTO permission_rules (session_id, n, org_id, verdict, reach, kind, subject, title, of_n, reason,
		made_by, made_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, s.ID, n, s.OrgID, l.Verdict, l.Reach, l.Kind, l.Subject,
		l.Title, l.Of, l.Reason, by.In(s.OrgID).MemberID(), store.At(tx.Now)); err != nil {
		return nil, err
	}
	if err := raiseSession(tx, s.ID); err != nil {
		return nil, err
	}
	return FindRule(tx, s, n)
}

// WithdrawRule ends the effect of a rule on later requests.
func WithdrawRule(tx *store.Tx, by store.Actor, l *PermissionRule) error {
	member := by.In(l.OrgID).Member
	l.WithdrawnAt, l.WithdrawnBy, l.Withdrawn = store.At(tx.Now), member.ID, member.Handle
	if err := tx.Exec(`UPDATE permission_rules SET withdrawn_at = ?, withdrawn_by = ? WHERE session_id = ? AND n = ?`,
		l.WithdrawnAt, l.WithdrawnBy, l.SessionID, l.N); err != nil {
		return err
	}
	return raiseSession(tx, l.SessionID)
}

// MustBeInForce returns [store.Conflict] if the rule was withdrawn, and an error for an actor outside the studio.
func (l *PermissionRule) MustBeInForce() error {
	if err := l.Session.Studio.MustBeJoined(); err != nil {
		return err
	}
	if !l.WithdrawnAt.IsZero() {
		return store.Errorf(store.Conflict, "@%s has withdrawn it.", l.Withdrawn)
	}
	return nil
}

// URL returns the path of the rule's page.
func (l *PermissionRule) URL() string { return fmt.Sprintf("%s/rules/%d", l.Session.URL(), l.N) }

// Ref returns the rule as the target of a journal entry.
func (l *PermissionRule) Ref() store.Ref {
	r := l.Session.Ref()
	r.URL, r.Title = l.URL(), l.Name()
	return r
}

// Record returns the fields that the journal stores about a rule.
func (l *PermissionRule) Record() any {
	return struct {
		Rule      string `json:"rule"`
		Reason    string `json:"reason,omitempty"`
		Withdrawn bool   `json:"withdrawn,omitempty"`
	}{l.Name(), l.Reason, !l.WithdrawnAt.IsZero()}
}

// Relation returns the actor's relations to the session.
func (l *PermissionRule) Relation(by store.Actor) store.Relation { return l.Session.Relation(by) }

// Name returns the verdict and the requests of a rule in words, such as "Deny: read files under src/".
func (l *PermissionRule) Name() string {
	return map[rule.Verdict]string{rule.Allow: "Allow", rule.Deny: "Deny",
		rule.Ask: "Always ask"}[l.Verdict] + ": " + l.Covers()
}

var doings = map[string]string{"": "use any tool", "read": "read files", "edit": "edit files", "delete": "delete files",
	"move": "move files", "search": "search", "execute": "run commands", "think": "think",
	"fetch": "fetch from the network",
	"other": "use other tools"}

// Doing returns a phrase for a kind of tool, such as "read files".
func Doing(kind string) string { return doings[kind] }

// Covers describes the requests to which a rule applies, such as "read files under src/".
func (l *PermissionRule) Covers() string {
	switch l.Reach {
	case rule.Same:
		return "the same request, " + l.Title
	case rule.Command:
		return "run commands that begin with " + l.Subject
	case rule.Folder:
		text := Doing(l.Kind) + " under " + l.Subject + "/"
		if l.Subject == "." {
			text = Doing(l.Kind) + " in the whole worktree"
		}
		if l.Verdict == rule.Allow {
			text += ", except hidden ones"
		}
		return text
	}
	return Doing(l.Kind)
}

// RulePage is a rule with the latest requests that it answered or left to a person.
type RulePage struct {
	*PermissionRule
	Uses []Permission // newest first
}

// ShowRule loads the data of the page of a rule.
func ShowRule(tx *store.Tx, _ store.Actor, l *PermissionRule) (*RulePage, error) {
	v := &RulePage{PermissionRule: l}
	err := tx.Select(&v.Uses, `SELECT `+permissionColumns+permissionFrom+`WHERE q.session_id = ? AND q.rule_n = ?
		ORDER BY q.n DESC`+store.AtMost, l.SessionID, l.N, mostListed)
	for i := range v.Uses {
		v.Uses[i].Session, v.Uses[i].Rule = l.Session, l
	}
	return v, err
}

// CleanFolder returns a folder's path in the form of rules: without "./" in front and a slash at the end, and "." for
// the worktree itself.
func CleanFolder(text string) string {
	if text = strings.TrimPrefix(text, "./"); text == "" {
		return "."
	}
	if len(text) > 1 {
		text = strings.TrimSuffix(text, "/")
	}
	return text
}
