package work

import (
	"fmt"
	"strconv"
	"strings"

	"samepage/store"
	"samepage/store/work"
	"samepage/views"
	"samepage/views/page"
)

// BoardNoun has the words for boards.
var BoardNoun = views.DeclareNoun(views.Noun{
	Kind: work.BoardKind, One: "Board", Many: "Boards", Holds: "card", Icon: "board", Path: "/boards",
	None:   " A board has zones, and cards that are moved from zone to zone.",
	Closed: map[string]string{work.BoardActive: "made", work.BoardArchived: "archived, made"},
})

// BoardVerbs has the names of actions on zones and cards. Starts has a label for each action that a zone can start.
type BoardVerbs struct {
	Move, Add string
	// Session and Worktree are the actions that start a session and that add a worktree.
	Session, Worktree views.Verb
	Starts            map[string]string
	// MayStart returns the reason if the actor may not start the zone's action for a card.
	MayStart func(by store.Actor, v *work.CardPage) error
}

// Board returns the page of one board.
func (verbs BoardVerbs) Board(by store.Actor, v *work.BoardPage) page.Page {
	b := v.Board
	p := views.ItemPage(&b.Item, "Board", b.Title)
	p.State, p.Data = append(boardState(b), atWork(by, v)...), func() any { return boardData(v) }
	p.Script, p.New = page.BoardScript, verbs.beginnings(v)
	p.Blocks = append(p.Blocks, views.ItemBody(&b.Item))
	if len(b.Zones) == 0 {
		p.Blocks = append(p.Blocks, page.Empty(page.Line(page.T(
			"This board has no zone yet. A zone is a column of cards, such as Ideas, Doing or Done."))))
	}
	zones := make([]page.Zone, len(b.Zones))
	for i := range b.Zones {
		zones[i] = verbs.zone(by, v, &b.Zones[i])
	}
	p.Blocks = append(p.Blocks, page.Board{Move: verbs.Move, Add: verbs.Add, Zones: zones})
	p.Blocks = append(p.Blocks, zoneTriggers(b)...)
	p.Blocks = append(p.Blocks, views.Discussion(by, &b.Item, v.Discussion)...)
	return p
}

// beginnings returns links to the actions that start a session in a worktree and add a worktree of a repository. If the
// studio has several worktrees or repositories, the link leads to the list of them.
func (verbs BoardVerbs) beginnings(v *work.BoardPage) (list []page.Tile) {
	add := func(icon, say, path string, places []string, verb views.Verb) {
		path = v.Studio.URL() + path
		if len(places) == 1 {
			path = store.ActionURL(path+"/"+places[0], verb.Name)
		}
		if len(places) > 0 {
			list = append(list, page.Tile{Title: verb.Title, URL: path, Say: say, Icon: icon})
		}
	}
	if len(v.Agents) > 0 {
		add("session", "An agent, in a worktree, with a prompt.", "/worktrees", v.Places.Worktrees, verbs.Session)
	}
	add("branch", "A branch that nobody works in yet.", "/repos", v.Places.Repos, verbs.Worktree)
	return list
}

func (verbs BoardVerbs) zone(by store.Actor, v *work.BoardPage, z *work.Zone) page.Zone {
	b := v.Board
	show := page.Zone{Key: strconv.Itoa(z.N), Title: z.Title, Cards: make([]page.BoardCard, len(z.Cards))}
	if z.Rule != "" {
		show.Rule = page.Line(page.T(z.Rule))
	}
	if z.Does != "" {
		show.Rule, show.Starts = append(show.Rule, page.Sentence(" "+verbs.starts(z))), true
	}
	for i := range z.Cards {
		show.Cards[i] = boardCard(by, b, &z.Cards[i], v.States[z.Cards[i].N])
	}
	return show
}

func boardCard(by store.Actor, b *work.Board, c *work.Card, of work.CardState) page.BoardCard {
	line := page.Line(page.T("card "+strconv.Itoa(c.N)+", "+came(c)+" "), page.When(c.MovedAt.Time))
	if c.Noted {
		line = append(line, page.T(", with a text"))
	}
	if s := of.Session; s != nil {
		line = append(line, page.Sentence(spent(s)))
		if s.Live() && !s.BeganAt.IsZero() {
			line = append(line, page.T(", begun "), page.When(s.BeganAt.Time))
		}
	}
	show := page.BoardCard{Key: strconv.Itoa(c.N), Name: page.Link(c.Title, b.CardURL(c.N)), Line: line,
		Work: cardWork(c, of), Icon: "link", By: views.Author(b.Studio, c.Member, c.Agent)}
	if of.Session != nil || of.Worktree != nil {
		show.Icon = "branch"
	}
	switch {
	case c.Waits:
		show.State = page.Pill("Waits to be started", page.Late)
	case of.Session != nil:
		show.State, show.By = sessionPill(by, b.Studio, of.Session), page.Who(of.Session.Byline(), "")
	case of.Worktree != nil:
		show.State = page.Pill("No session", page.Calm)
	}
	return show
}

// spent returns words for the turns, the use of the context window and the cost of a session, as far as they are known.
func spent(s *work.Session) string {
	text := ""
	if s.Current > 0 {
		text = fmt.Sprintf(", turn %d", s.Current)
	}
	if s.Window > 0 {
		text += fmt.Sprintf(", context %d%%", 100*s.Used/s.Window)
	}
	if s.Cost != nil {
		text += ", " + views.Money(*s.Cost, s.Currency)
	}
	return text
}

// cardWork returns a line with a link to the page that a card stands for, and the state of its worktree or else the
// branch of its session.
func cardWork(c *work.Card, of work.CardState) (line []page.Inline) {
	if c.Page != "" {
		line = page.Line(standsFor(c))
	}
	w, s := of.Worktree, of.Session
	switch {
	case w != nil:
		if w.Branch != w.Name {
			line = append(line, page.T(", "), page.Mono(w.Branch))
		}
		if w.Changed == 0 {
			line = append(line, page.T(" clean"))
		} else {
			line = append(line, page.T(" "), page.Plus(w.Added), page.T(" "), page.Less(w.Deleted))
		}
		if w.Pull > 0 {
			line = append(line, page.T(", "), page.Link(fmt.Sprintf("pull request %d", w.Pull),
				work.PullURL("/studios/"+w.StudioHandle, w.Pull)))
		}
	case s != nil:
		line = append(line, page.T(", "), page.Mono(s.Branch), page.Sentence(fmt.Sprintf(", %d ahead", s.Ahead)))
	}
	return line
}

func (verbs BoardVerbs) started(z *work.Zone) string {
	if z.Agent == "" {
		return verbs.Starts[z.Does]
	}
	return verbs.Starts[z.Does] + " with " + z.Agent
}

func (verbs BoardVerbs) starts(z *work.Zone) string {
	text := "A card that is moved here starts " + verbs.started(z)
	if z.AtOnce {
		return text + ". If somebody else than @" + z.Author + " moves it, a person is asked first."
	}
	return text + ", after a person has said yes."
}

func zoneTriggers(b *work.Board) []page.Block {
	var blocks []page.Block
	for i := range b.Zones {
		if z := &b.Zones[i]; z.Does != "" {
			blocks = append(blocks, page.Para(page.Line(page.Strong(z.Title), page.T(" gives this prompt:"))),
				page.Code{Text: z.Template})
		}
	}
	if blocks == nil {
		return nil
	}
	return []page.Block{page.Section{ID: "triggers", Title: "What zones start", Blocks: blocks}}
}

func boardState(b *work.Board) []page.Inline {
	count := views.Counted(b.Cards(), "card", "cards") + " in " + views.Counted(len(b.Zones), "zone", "zones") + "."
	var line []page.Inline
	switch b.State() {
	case work.BoardDraft:
		line = append(views.DraftState(&b.Item), page.Sentence(" "+count))
	case work.BoardArchived:
		line = page.Line(page.Pill("Archived", page.Calm), page.T(" "), page.When(b.ArchivedAt.Time),
			page.Sentence(". Nothing on it changes. "+count))
	default:
		line = page.Line(page.Pill("In use", page.Good), page.Sentence(". "+count))
	}
	if b.Studio.State() == "archived" && !b.Draft() {
		line = append(line, page.Sentence(" "+b.Studio.MustBeActive().Error()))
	}
	return line
}

// atWork returns sentences on the sessions of a board's cards. If the reader may answer the only session that asks, it
// is the reader's turn.
func atWork(by store.Actor, v *work.BoardPage) []page.Inline {
	counted, runs, queued := map[string]bool{}, 0, 0
	var asks []*work.Session
	for i := range v.Board.Zones {
		for k := range v.Board.Zones[i].Cards {
			s := v.States[v.Board.Zones[i].Cards[k].N].Session
			if s == nil || counted[s.ID] {
				continue
			}
			counted[s.ID] = true
			switch s.State() {
			case work.SessionRunning:
				runs++
			case work.SessionQueued:
				queued++
			case work.SessionAsking:
				asks = append(asks, s)
			}
		}
	}
	var line []page.Inline
	if runs+queued > 0 {
		running := views.Counted(runs, "session runs", "sessions run")
		line = page.Line(page.Sentence(fmt.Sprintf(" %s, %d queued.", running, queued)))
	}
	switch n := len(asks); {
	case n == 1:
		s := *asks[0]
		s.Studio = v.Board.Studio
		link := page.Link(s.Agent+" waits for an answer", s.URL())
		if (SessionVerbs{}).answers(by, &s) {
			link = page.TurnAt(s.Agent+" waits for an answer", s.URL())
		}
		return append(line, page.T(" "), link, page.T("."))
	case n > 1:
		return append(line, page.T(" "), page.Link(asks[0].Agent, asks[0].URL()),
			page.Sentence(" and "+views.Counted(n-1, "other agent", "other agents")+" wait for an answer."))
	}
	return line
}

type cardPublic struct {
	N      int        `json:"number"`
	Title  string     `json:"title"`
	Text   string     `json:"text,omitempty"`
	Page   string     `json:"page,omitempty"`
	Author string     `json:"author"`
	Since  store.Time `json:"since"`
	Waits  bool       `json:"waits,omitempty"`
	URL    string     `json:"url"`
	*spentPublic
}

// spentPublic is the JSON form of the turn, tokens and cost of a card's session.
type spentPublic struct {
	Turn     int    `json:"turn"`
	Used     int64  `json:"context_used,omitempty"` // tokens
	Window   int64  `json:"context_size,omitempty"` // tokens
	Cost     *int64 `json:"cost,omitempty"`         // millionths of the currency
	Currency string `json:"currency,omitempty"`
}

func cardData(b *work.Board, c *work.Card) cardPublic {
	return cardPublic{N: c.N, Title: c.Title, Text: c.Body, Page: c.Page, Author: store.Byline(c.Member, c.Agent.Label),
		Since: c.MovedAt, Waits: c.Waits, URL: b.CardURL(c.N)}
}

func boardData(v *work.BoardPage) any {
	b := v.Board
	type zonePublic struct {
		Number int          `json:"number"`
		Title  string       `json:"title"`
		Rule   string       `json:"rule,omitempty"`
		Does   string       `json:"does,omitempty"`
		Agent  string       `json:"agent,omitempty"`
		Prompt string       `json:"prompt,omitempty"`
		AtOnce bool         `json:"at_once,omitempty"`
		Cards  []cardPublic `json:"cards"`
	}
	zones := make([]zonePublic, len(b.Zones))
	for i := range b.Zones {
		z := &b.Zones[i]
		zones[i] = zonePublic{z.N, z.Title, z.Rule, z.Does, z.Agent, z.Template, z.AtOnce, make([]cardPublic, len(z.Cards))}
		for k := range z.Cards {
			zones[i].Cards[k] = cardData(b, &z.Cards[k])
			if s := v.States[z.Cards[k].N].Session; s != nil {
				zones[i].Cards[k].spentPublic = &spentPublic{s.Current, s.Used, s.Window, s.Cost, s.Currency}
			}
		}
	}
	return struct {
		Title string       `json:"title"`
		State string       `json:"state"`
		Text  string       `json:"text,omitempty"`
		Zones []zonePublic `json:"zones"`
		URL   string       `json:"url"`
	}{b.Title, b.State(), b.Body, zones, b.URL()}
}

// Card returns the page of one card.
func (verbs BoardVerbs) Card(by store.Actor, v *work.CardPage) page.Page {
	b, c := v.Board, v.OnIt
	p := views.ItemPage(&b.Item, "Card", c.Title)
	p.Trail = append(p.Trail, page.Link(b.Title, b.URL()))
	p.Data = func() any { return cardData(b, c) }
	p.State = page.Line(page.Sentence("In "+b.Zone(c.Zone).Title+", "+came(c)+" "), page.When(c.MovedAt.Time),
		page.T("."))
	if err := b.MustBeActive(); err != nil && !b.ArchivedAt.IsZero() {
		p.State = append(p.State, page.Sentence(" "+err.Error()))
	}
	lead := page.Line(page.T("By "), views.Author(b.Studio, c.Member, c.Agent), page.T(", "),
		page.When(c.CreatedAt.Time))
	if c.Body == "" {
		p.Blocks = append(p.Blocks, page.Under(lead))
	} else {
		p.Blocks = append(p.Blocks, page.Prose{Lead: lead, Text: c.Body})
	}
	facts := page.Facts{{Label: "Number", Value: page.Line(page.T(strconv.Itoa(c.N)))}}
	if c.Page != "" {
		facts = append(facts, page.Fact{Label: "Stands for", Value: page.Line(standsFor(c))})
	}
	p.Blocks = append(p.Blocks, facts)
	if c.Waits {
		p.Blocks = append(p.Blocks, page.Section{ID: "start", Title: "What is to start", Blocks: verbs.toStart(by, v)})
	}
	return p
}

// toStart returns blocks on a zone's action that waits for the approval of a person.
func (verbs BoardVerbs) toStart(by store.Actor, v *work.CardPage) []page.Block {
	z := v.Zone(v.OnIt.Zone)
	blocks := []page.Block{page.Para(page.Line(page.Sentence("The zone " + z.Title + " starts " + verbs.started(z) +
		", once a person has said yes.")))}
	switch {
	case v.Problem != "":
		blocks = append(blocks, page.Para(page.Line(page.Sentence(v.Problem))))
	case v.Starts != "":
		if err := verbs.MayStart(by, v); err != nil {
			blocks = append(blocks, page.Para(page.Line(page.Sentence(err.Error()))))
		}
		blocks = append(blocks, page.Prose{Lead: page.Line(page.T("The prompt")), Text: v.Starts})
	}
	return blocks
}

func standsFor(c *work.Card) page.Inline {
	if !strings.HasPrefix(c.Page, "/") {
		return page.T(c.Page)
	}
	at := strings.Split(c.Page, "/") // such as /studios/team/worktrees/watering
	if len(at) == 5 && !strings.Contains(at[4], "?") {
		switch at[3] {
		case "worktrees":
			return page.Link("worktree "+at[4], c.Page)
		case "sessions":
			return page.Link("a session", c.Page)
		case "reviews":
			return page.Link("a review", c.Page)
		case "pulls":
			return page.Link("pull request "+at[4], c.Page)
		}
		if kind := views.KindAt(at[3]); kind != "" {
			return page.Titled(kind, c.Page)
		}
	}
	return page.Link(c.Page, c.Page)
}

func came(c *work.Card) string {
	if c.MovedAt == c.CreatedAt {
		return "added"
	}
	return "moved there"
}
