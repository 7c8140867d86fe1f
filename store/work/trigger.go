package work

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"samepage/store"
)

// Trigger is the action of a zone. After a card is moved into the zone, the action can be taken on the card's worktree
// or session.
type Trigger struct {
	Does     string `db:"does"`     // name of the action; may be empty
	Agent    string `db:"agent"`    // key of the manifest to start; may be empty
	Template string `db:"template"` // of the prompt
	// AtOnce means that no confirmation is needed if the author, or an agent of the author, moves a card, unless the
	// action has to wait for an approval.
	AtOnce bool   `db:"at_once"`
	SetBy  string `db:"set_by"` // id of the author
	Author string `db:"author"` // handle
}

const triggerColumns = `does, agent, template, at_once, set_by`

var placeholder = regexp.MustCompile(`\{\{ *([a-z_]+) *\}\}`)

var blankLines = regexp.MustCompile(`\n{3,}`)

// Render replaces the variables of a template with values. It returns [store.Invalid] for an unknown variable, and for
// other double braces in the template or a value, so that no double braces reach an agent.
func Render(template string, values map[string]string) (text string, err error) {
	text = placeholder.ReplaceAllStringFunc(template, func(found string) string {
		name := placeholder.FindStringSubmatch(found)[1]
		value, ok := values[name]
		switch {
		case err != nil:
		case !ok:
			err = store.Errorf(store.Invalid, "There is no variable %s. There are: %s.", name,
				strings.Join(slices.Sorted(maps.Keys(values)), ", "))
		case braces(value):
			err = store.Errorf(store.Invalid, "The value of %s contains {{ or }}, which a prompt cannot. Put a space "+
				"between the braces.", name)
		}
		return value
	})
	if err == nil && braces(text) {
		err = store.Errorf(store.Invalid, "The template has {{ or }} that belongs to no variable. A variable is, for "+
			"example, {{card}}.")
	}
	if err != nil {
		return "", err
	}
	return text, nil
}

func braces(text string) bool { return strings.Contains(text, "{{") || strings.Contains(text, "}}") }

// SessionTitle returns the title of a session for the card.
func (c *Card) SessionTitle() string { return cutText(c.Title, 100) }

// Target is the worktree or the session that a card represents.
type Target struct {
	Worktree *Worktree
	Session  *Session // the represented session, or one of the worktree ([shownFor]); nil for none
}

// TargetOf finds the worktree or the session that a card represents. It returns nil if the card represents anything
// else, or a page outside the studio, or a page that the actor cannot find.
func TargetOf(tx *store.Tx, by store.Actor, b *Board, c *Card) (*Target, error) {
	studio := b.Studio.URL()
	if name, ok := strings.CutPrefix(c.Page, studio+"/worktrees/"); ok && !strings.ContainsAny(name, "/?") {
		w, err := FindWorktree(tx, by, b.Studio.Handle, name)
		if err != nil {
			return nil, gone(err)
		}
		t := &Target{Worktree: w}
		var shown string
		if err := tx.Get(&shown, `SELECT coalesce(`+shownFor(`?`)+`, '')`, w.ID); err != nil || shown == "" {
			return t, err
		}
		t.Session, err = FindSession(tx, by, b.Studio.Handle, shown)
		return t, err
	}
	if id, ok := strings.CutPrefix(c.Page, studio+"/sessions/"); ok && !strings.ContainsAny(id, "/?") {
		s, err := FindSession(tx, by, b.Studio.Handle, id)
		if err != nil {
			return nil, gone(err)
		}
		w, err := FindWorktree(tx, by, b.Studio.Handle, s.Worktree)
		return &Target{Worktree: w, Session: s}, err
	}
	return nil, nil
}

func gone(err error) error {
	if store.CodeOf(err) == store.NotFound {
		return nil
	}
	return err
}

// Prompt renders the template of a zone for a card. It returns the errors of [Render]. The text of the card becomes a
// quotation with its author.
func (z *Zone) Prompt(by store.Actor, b *Board, c *Card, t *Target) (string, error) {
	card := fmt.Sprintf("%s wrote on the card “%s”:\n\n%s", store.Byline(c.Member, c.Agent.Label), c.Title,
		quoted(c.Body)) + "\n\n"
	if c.Body == "" {
		card = fmt.Sprintf("the card “%s” of %s", c.Title, store.Byline(c.Member, c.Agent.Label))
	}
	values := map[string]string{"card": card, "page": c.Page, "zone": z.Title, "rule": z.Rule, "board": b.Title,
		"worktree": t.Worktree.Name, "branch": t.Worktree.Branch,
		"starter": store.Byline(by.In(b.OrgID).Member.Handle, by.Agent.Label)}
	text, err := Render(z.Template, values)
	if err != nil {
		return "", err
	}
	text = strings.TrimSpace(blankLines.ReplaceAllString(text, "\n\n"))
	text = fmt.Sprintf("%s started this, because the card [%s](%s) is in the zone “%s” of a board, which asks for:\n\n%s",
		values["starter"], strings.NewReplacer("[", "(", "]", ")").Replace(c.Title), b.CardURL(c.N), z.Title, text)
	if braces(text) {
		return "", store.Errorf(store.Invalid,
			"The title of the card or of the zone contains {{ or }}, which a prompt cannot. Put a "+
				"space between the braces.")
	}
	return text, nil
}

// ShowCard renders the prompt of a card that waits for a person. It sets v.Starts to the prompt, or v.Problem to the
// reason why there is none.
func ShowCard(_ *store.Tx, by store.Actor, v *CardPage) (*CardPage, error) {
	if !v.OnIt.Waits || by.In(v.OrgID).Member == nil {
		return v, nil
	}
	if v.Target == nil {
		v.Problem = "The page for which the card stands is gone."
		return v, nil
	}
	var err error
	if v.Starts, err = v.Zone(v.OnIt.Zone).Prompt(by, v.Board, v.OnIt, v.Target); err != nil {
		v.Problem = err.Error()
	}
	return v, nil
}

// Sample renders the template of a zone with example values.
func (z *Zone) Sample(by store.Actor, b *Board) (string, error) {
	return z.Prompt(by, b, &Card{N: 1, Title: "A card", Body: "Its text.", Member: by.In(b.OrgID).Member.Handle,
		Page: b.Studio.URL() + "/worktrees/example"}, &Target{Worktree: &Worktree{Name: "example", Branch: "example"}})
}

// SetTrigger sets the action of a zone. The cards in the zone then no longer wait for a person.
func SetTrigger(tx *store.Tx, b *Board, z *Zone, t Trigger) error {
	z.Trigger = t
	if err := tx.Exec(`UPDATE zones SET does = ?, agent = ?, template = ?, at_once = ?, set_by = ?
		WHERE board_id = ? AND n = ?`, t.Does, t.Agent, t.Template, number(t.AtOnce), store.Null(t.SetBy), b.ID, z.N); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE cards SET asked_by = NULL, asked_agent = NULL WHERE board_id = ? AND zone = ?`, b.ID,
		z.N); err != nil {
		return err
	}
	return tx.TouchItem(&b.Item)
}

// AskFirst records that a card waits for a person, because the actor moved it into a zone with an action.
func AskFirst(tx *store.Tx, by store.Actor, b *Board, c *Card) error {
	c.Waits = true
	if err := tx.Exec(`UPDATE cards SET asked_by = ?, asked_agent = ? WHERE board_id = ? AND n = ?`, by.MemberID(),
		store.Null(by.Agent.ID), b.ID, c.N); err != nil {
		return err
	}
	return tx.TouchItem(&b.Item)
}

// Answered records that a card no longer waits for a person.
func Answered(tx *store.Tx, b *Board, c *Card) error {
	if err := stopWaiting(tx, b, c); err != nil {
		return err
	}
	return tx.TouchItem(&b.Item)
}

func stopWaiting(tx *store.Tx, b *Board, c *Card) error {
	c.Waits = false
	return tx.Exec(`UPDATE cards SET asked_by = NULL, asked_agent = NULL WHERE board_id = ? AND n = ?`, b.ID, c.N)
}

// MustWait returns the errors of [Board.MustBeActive], and [store.Conflict] if the card does not wait for a person.
func (v *CardPage) MustWait() error {
	if err := v.MustBeActive(); err != nil {
		return err
	}
	if !v.OnIt.Waits {
		return store.Errorf(store.Conflict, "The card waits for nobody to start something.")
	}
	return nil
}

// The home pages of a studio's members list the cards that wait for a person. The query begins with the person's
// studios, because an organization can have very many waiting cards in other studios.
var _ = store.DeclareRequests(func(who store.Answerer) (string, []any) {
	return `SELECT 'Answer', c.title, '/boards/' || c.board_id || '/cards/' || c.n, c.moved_at, i.studio_id, c.asked_by,
			coalesce(a.label, ''), ` + store.NoStep + `
		FROM studio_members y CROSS JOIN items i CROSS JOIN boards b CROSS JOIN cards c LEFT JOIN agents a ON a.id = c.asked_agent
		WHERE y.member_id IN (` + store.Placeholders(len(who.Members)) + `)
			AND i.studio_id = y.studio_id AND i.kind = '` + BoardKind.Name + `'
			AND i.opened_at IS NOT NULL AND b.id = i.id AND b.archived_at IS NULL AND c.board_id = b.id
			AND c.asked_by IS NOT NULL`, who.Members
})
