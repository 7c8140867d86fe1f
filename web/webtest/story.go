package webtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/alexedwards/argon2id"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
	"samepage/web"
	"samepage/web/account"
)

// Password is the password of all people but Kim. Their addresses are their handles at acme.example, but Oscar's is at
// globex.example.
const Password = "correct horse"

// hash is an argon2id hash of [Password] that needs 8 KiB of memory and one pass. With the cost of the product, each
// login and each enrolment would take 30 milliseconds of processor time.
var hash = func() string {
	hash, err := argon2id.CreateHash(Password, &argon2id.Params{Memory: 8, Iterations: 1, Parallelism: 1,
		SaltLength: 16, KeyLength: 32})
	if err != nil {
		panic(err)
	}
	return hash
}()

func (m *maker) people() {
	var alice, oscar *store.Member
	m.write(func(tx *store.Tx) (err error) {
		_, alice, err = account.Found(tx, account.Founding{Organization: "Acme", Handle: "acme",
			Zone: "Europe/Berlin", Name: "Alice Anders", Member: "alice",
			Email: "alice@acme.example", Password: Password})
		if err == nil {
			err = lighten(tx, alice)
		}
		return err
	})
	m.write(func(tx *store.Tx) (err error) {
		_, oscar, err = account.Found(tx,
			account.Founding{Organization: "Globex", Handle: "globex", Name: "Oscar Olsen", Member: "oscar",
				Email: "oscar@globex.example", Password: Password})
		if err == nil {
			err = lighten(tx, oscar)
		}
		return err
	})
	join := func(owner *store.Member, name string) {
		m.write(func(tx *store.Tx) error {
			by := store.Actor{UserID: owner.UserID, Members: []store.Member{*owner}, Member: owner}
			handle := strings.ToLower(name[:strings.IndexByte(name, ' ')])
			return enroll(tx, by, handle, name)
		})
	}
	for _, name := range []string{"Bob Baker", "Carol Chen", "Dave Dogan", "Erin Eze", "Mia Moreau"} {
		join(alice, name)
	}
	join(oscar, "Mia Moreau")
	for _, name := range []string{"alice", "bob", "carol", "dave", "erin", "mia"} {
		m.person(name, "acme")
	}
	m.person("oscar", "globex")
	m.person("mia", "globex")
	m.urls["acme organization"], m.urls["globex organization"] = "/orgs/acme", "/orgs/globex"
}

// lighten replaces the hash of a member's password. The password does not count as changed.
func lighten(tx *store.Tx, m *store.Member) error {
	return tx.Exec(`UPDATE users SET password = ? WHERE id = ?`, hash, m.UserID)
}

// enroll makes a person with [Password] a member of the actor's organization, as [account.Enroll] does.
func enroll(tx *store.Tx, by store.Actor, handle, name string) error {
	m, err := tx.CreateMember(by.Member.OrgID, handle, name, handle+"@acme.example", hash)
	if err == nil {
		_, err = tx.Journal(by, store.Change{Action: "join_organization", Target: m.Ref(), After: m.Record()})
	}
	return err
}

func (m *maker) tokens() {
	const all = "read,write,governance"
	m.agent("scribe", "alice", web.Issue{Label: "Scribe", Scopes: all, Expires: "90d", Public: true})
	m.agent("scout", "bob", web.Issue{Label: "Scout", Scopes: "read,write", Expires: "90d", Public: true})
	m.agent("reader", "bob", web.Issue{Label: "Reader", Scopes: "read", Expires: "90d", Public: true})
	m.agent("owl", "oscar", web.Issue{Label: "Owl", Scopes: all, Expires: "90d", Public: true})
	m.agent("clerk", "erin", web.Issue{Label: "Clerk", Scopes: "read,write", Expires: "90d", Kinds: "decision,note",
		Asks: "cast_vote,comment,update_note,create_note"})
	m.agent("expired", "alice", web.Issue{Label: "Guest", Scopes: all, Expires: "1h", Public: true})
	m.agent("revoked", "alice", web.Issue{Label: "Former", Scopes: all, Expires: "90d", Public: true})
	m.agent("paused", "erin", web.Issue{Label: "Sleeper", Scopes: all, Expires: "90d", Public: true})
	if m.err == nil {
		m.err = m.site.RevokeToken(m.ctx, m.actors["revoked"].Token)
	}
	m.do("erin", "/settings/tokens", actions.PauseToken.Name, param.Input{"token": m.actors["paused"].Token})
}

// unconfirmed lets Erin ask for another address, which she has not confirmed yet.
func (m *maker) unconfirmed() {
	m.write(func(tx *store.Tx) error {
		return tx.Exec(`INSERT INTO address_changes (id, user_id, email, created_at) VALUES (?, ?, ?, ?)`,
			store.NewID(), m.actors["erin"].UserID, "erin@garden.example", store.At(tx.Now))
	})
}

func (m *maker) studios() {
	make := func(by, org, handle, name, visibility, parent, description string) {
		in := param.Input{"handle": handle, "name": name, "visibility": visibility, "description": description}
		if parent != "" {
			in["parent"] = parent
		}
		m.urls[handle] = m.do(by, "/orgs/"+org, actions.CreateStudio.Name, in)
	}
	m.urls["acme"], m.urls["globex"] = "/studios/acme", "/studios/globex"
	make("alice", "acme", "team", "Team", "organization", "",
		"How we work together.\n\nAsk here before you change something that *others* rely on.")
	make("bob", "acme", "commons", "Commons", "organization", "", "What everybody shares.")
	make("alice", "acme", "plaza", "Plaza", "public", "commons", "Where everybody can look in.")
	make("alice", "acme", "attic", "Attic", "organization", "commons", "What is over.")
	make("oscar", "globex", "lab", "Lab", "members", "", "Secrets of Globex.")
	for _, who := range []string{"bob", "erin"} {
		m.do(who, m.urls["team"], actions.Join.Name, nil)
	}
	for _, studio := range []string{"commons", "plaza"} {
		for _, who := range []string{"alice", "bob", "mia"} {
			if in := studio == "commons" && who == "bob" || studio == "plaza" && who == "alice"; !in {
				m.do(who, m.urls[studio], actions.Join.Name, nil)
			}
		}
	}
	m.do("bob", m.urls["attic"], actions.Join.Name, nil)
	for _, studio := range []string{"acme", "team", "commons", "plaza", "attic", "globex", "lab"} {
		m.leader("leader of "+studio, studio)
	}
}

// ask creates a decision and names it as a fixture.
func (m *maker) ask(name, by, studio, question, method string, options []any, more param.Input) string {
	in := param.Input{"question": question, "method": method, "options": options}
	for k, v := range more {
		in[k] = v
	}
	url := m.do(by, m.urls[studio], actions.CreateDecision.Name, in)
	m.urls[name] = url
	m.names[url[strings.LastIndexByte(url, '/')+1:]] = strings.ReplaceAll(name, " ", "-")
	return url
}

func (m *maker) vote(url string, ballots ...ballot) {
	for _, b := range ballots {
		why := ""
		if m.actors[b.by].IsAgent() {
			why = "My member asked me to vote as we discussed."
		}
		m.why(b.by, url, actions.CastVote.Name, b.in, why)
	}
}

type ballot struct {
	by string
	in param.Input
}

func accept(by string, reason string, options ...any) ballot {
	return ballot{by, param.Input{"accept": options, "prefer": options[:1], "reason": reason}}
}
func choose(by, option string) ballot          { return ballot{by, param.Input{"option": option}} }
func approve(by string, options ...any) ballot { return ballot{by, param.Input{"accept": options}} }
func rank(by string, n ...int) ballot          { return ballot{by, param.Input{"ranking": cells(n)}} }
func points(by string, n ...int) ballot        { return ballot{by, param.Input{"points": cells(n)}} }

func cells(list []int) map[string]any {
	m := map[string]any{}
	for i, n := range list {
		if n > 0 {
			m[fmt.Sprint(i+1)] = n
		}
	}
	return m
}

// open adds most of the decisions that are still open at [Start].
func (m *maker) open() {
	m.standups()
	m.vote(m.ask("open single", "alice", "team", "Who writes the next newsletter?", "single",
		[]any{"Carol", "Dave", "Erin"}, param.Input{"results": "after_voting", "closes_at": "7d"}),
		choose("erin", "3"))
	m.vote(m.ask("open approval", "erin", "team", "Which topics go on the agenda?", "approval",
		[]any{"Budget", "Hiring", "The garden"}, param.Input{"closes_at": "6d"}),
		approve("erin", "1", "3"), approve("scout", "1"))
	m.logo()
	m.vote(m.ask("open irv", "bob", "team", "Who speaks at the fair?", "irv", []any{"Alice", "Bob", "Erin"},
		param.Input{"results": "shown"}), rank("alice", 0, 1, 2))
	m.vote(m.ask("open score", "alice", "team", "How good were last year's events?", "score",
		[]any{"Harvest", "Lecture evening"}, param.Input{"reasons": "required", "results": "after_voting"}),
		ballot{"bob", param.Input{"points": cells([]int{5, 3}), "reason": "It was the first in years."}})
	m.vote(m.ask("open star", "erin", "team", "Which cover for the annual report?", "star",
		[]any{"Photo", "Drawing", "Plain"}, param.Input{"reasons": "off", "quorum": "2"}), points("alice", 5, 4, 1))
	m.ask("no options", "alice", "team", "What else?", "acceptance", nil, nil)
	m.ask("unvoted", "alice", "team", "In which order do we renovate?", "schulze",
		[]any{"Roof", "Windows", "Floor"}, nil)
	m.ask("unvoted star", "alice", "team", "Which of the two films?", "star", []any{"The old one", "The new one"}, nil)
	m.ask("everyone", "alice", "team", "Which day suits everyone?", "approval", []any{"Tuesday", "Thursday"},
		param.Input{"everyone": true})
	m.ask("agent's", "scribe", "team", "Shall Scribe write the minutes?", "single", []any{"Yes", "No"}, nil)
	m.talk()
	m.vote(m.ask("plaza open", "alice", "plaza", "What do we show at the fair?", "approval",
		[]any{"Chairs", "Tables"}, param.Input{"results": "shown"}), approve("bob", "1"))
	m.plants()
	m.ask("general open", "carol", "acme", "Where is the next party?", "acceptance", []any{"On the roof"}, nil)
	m.rocket()
	m.ask("globex open", "mia", "globex", "Do we move to the coast?", "approval", []any{"Yes", "No"}, nil)
}

// closed adds most of the decisions that are closed or due at [Start].
func (m *maker) closed() {
	end := func(name, by, studio, question, method string, options []any, more param.Input, statement string,
		ballots ...ballot) string {
		u := m.ask(name, by, studio, question, method, options, more)
		m.vote(u, ballots...)
		m.do(by, u, actions.CloseDecision.Name, param.Input{"statement": statement})
		return u
	}
	two := []any{"Yes", "No"}
	u := end("result acceptance", "alice", "team", "How do we name the workshop?", "acceptance",
		[]any{"Open Bench", "Show and Tell"}, nil, "Show and Tell it is.\n\n> It begins in *January*.",
		accept("alice", "", "2"), accept("scout", "", "1", "2"))
	m.do("alice", u, actions.Comment, param.Input{"text": "See you there."})
	m.do("alice", u, actions.Pin, nil)
	end("result single", "bob", "team", "Which day is our day?", "single", []any{"Tuesday", "Wednesday"}, nil, "",
		choose("alice", "2"), choose("bob", "2"), choose("erin", "1"))
	end("result approval", "erin", "team", "Which tools do we pay for?", "approval",
		[]any{"Whiteboard", "Video calls"}, nil, "Video calls stay.", approve("alice", "1", "2"), approve("bob", "2"))
	end("result schulze", "alice", "team", "Where does the plant go?", "schulze", []any{"Window", "Kitchen", "Door"},
		param.Input{"default_option": "Nowhere"}, "",
		rank("alice", 1, 2, 3, 4), rank("bob", 1, 3, 2), rank("erin", 2, 1, 3, 4))
	end("result irv", "bob", "team", "What do we plant first?", "irv", []any{"Beans", "Pumpkins", "Tomatoes"}, nil,
		"", rank("alice", 1, 2, 3), rank("bob", 2, 1, 3), rank("erin", 1, 2))
	end("result score", "alice", "team", "Which course do we book?", "score", []any{"First aid", "Beekeeping"}, nil,
		"", points("alice", 5, 3), points("bob", 4, 5))
	end("result star", "erin", "team", "Which bicycle do we buy?", "star", []any{"Cargo", "City", "Folding"}, nil, "",
		points("alice", 5, 3, 0), points("bob", 2, 4, 2), points("erin", 5, 1, 0))
	end("tie", "alice", "team", "Tea or coffee?", "single", []any{"Tea", "Coffee"}, nil, "A tie. I shall break it.",
		choose("alice", "1"), choose("bob", "2"))
	m.do("bob", end("tie decided", "bob", "team", "Red or green?", "single", []any{"Red", "Green", "Blue"}, nil, "",
		choose("alice", "1"), choose("bob", "2")),
		actions.CastDecidingVote.Name, param.Input{"option": "2", "statement": "Green is calmer."})
	end("no quorum", "bob", "team", "Do we move the archive?", "single", two, param.Input{"quorum": "4"},
		"Too few of us were here.", choose("bob", "1"))
	many := []any{}
	for _, c := range "ABCDEFGHIJKLMN" {
		many = append(many, "Name "+string(c))
	}
	end("wide", "alice", "team", "Which name for the cat?", "schulze", many, nil, "", rank("alice", 1, 2, 3),
		rank("bob", 3, 1, 2))
	m.due()
	m.vote(m.ask("due irv", "bob", "team", "Which film do we see?", "irv", []any{"A comedy", "A drama"},
		param.Input{"closes_at": "2h"}), rank("bob", 1, 2), rank("alice", 2, 1))
	m.vote(m.ask("attic open", "bob", "attic", "Do we keep the old sofa?", "single", two, nil), choose("bob", "1"))
	end("attic result", "alice", "attic", "Do we keep the old lamp?", "single", two, nil, "", choose("alice", "1"),
		choose("bob", "1"))
	end("plaza result", "alice", "plaza", "Was the open day good?", "score", []any{"The talks", "The food"}, nil,
		"Thank you all.", points("bob", 4, 5))
	end("lab result", "oscar", "lab", "Is the moon far?", "single", two, nil, "", choose("oscar", "1"))
	u = m.do("alice", m.urls["team"], actions.ImportDecisions.Name,
		param.Input{"file": param.Upload{Name: "debian.json", Data: m.debian()}})
	m.urls["imported"], m.names[u[strings.LastIndexByte(u, '/')+1:]] = u, "imported"
	m.attic()
}

// settle moves the clock to the day before [Start]. Then Dave joins Team, and Alice makes Team visible to members only.
func (m *maker) settle() {
	m.clock.Set(Start.Add(-24 * time.Hour))
	m.do("dave", m.urls["team"], actions.Join.Name, nil)
	m.do("alice", m.urls["team"], actions.ChangeVisibility.Name, param.Input{"visibility": "members"})
}

// late adds decisions on the day before [Start], most of them as drafts.
func (m *maker) late() {
	m.ask("later", "dave", "team", "Shall we welcome newcomers with cake?", "single", []any{"Yes", "No"},
		param.Input{"results": "shown"})
	m.ask("draft", "alice", "team", "Where do we meet in spring?", "approval", []any{"By the sea",
		"In the mountains"}, param.Input{"draft": true, "text": "Both have *trains*.", "closes_at": "10d"})
	m.ask("draft ranked", "alice", "team", "Which snack for the meeting?", "schulze", []any{"Fruit", "Nuts"},
		param.Input{"draft": true, "default_option": "None", "quorum": "3"})
	m.ask("draft of bob", "bob", "team", "Do we buy a printer?", "star", []any{"Yes", "No"}, param.Input{"draft": true})
	m.ask("draft empty", "scout", "team", "What does Scout not know yet?", "single", nil, param.Input{"draft": true})
}

// debian returns the first vote in a file of Debian's votes.
func (m *maker) debian() []byte {
	var votes []json.RawMessage
	data, err := os.ReadFile(filepath.Join(Root(), "actions", "tally", "testdata", "debian-2002-2010.json"))
	if err == nil {
		err = json.Unmarshal(data, &votes)
	}
	if err != nil || len(votes) == 0 {
		m.err = fmt.Errorf("debian's votes: %v", err)
		return nil
	}
	return votes[0]
}

// Root returns the path of the module's folder, relative to the working directory.
func Root() string {
	for dir := "."; len(dir) < 100; dir = filepath.Join(dir, "..") {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	return "."
}
