package webtest

import (
	"strings"

	"samepage/actions"
	"samepage/actions/governance"
	"samepage/actions/param"
	"samepage/store"
	domain "samepage/store/governance"
)

// say posts a message in the channel of a studio and names it as a fixture.
func (m *maker) say(name, by, studio, text string) string {
	why := ""
	if m.actors[by].IsAgent() {
		why = "Somebody has to say it."
	}
	m.why(by, m.urls["channel "+studio], governance.PostMessage.Name, param.Input{"text": text}, why)
	return m.nameMessage(name, studio)
}

// nameMessage names the newest message of a channel as a fixture, and returns its URL.
func (m *maker) nameMessage(name, studio string) (url string) {
	m.write(func(tx *store.Tx) error {
		reader := m.actors["alice"]
		if studio == "lab" {
			reader = m.actors["oscar"]
		}
		c, err := domain.FindChannel(tx, reader, studio)
		if err != nil {
			return err
		}
		page, err := domain.ShowChannel(tx, reader, c, "")
		if err == nil {
			newest := &page.List[len(page.List)-1].Message
			url = newest.URL()
			m.urls["message "+name], m.names[newest.ID] = url, "message-"+strings.ReplaceAll(name, " ", "-")
			for _, carried := range newest.Carries {
				m.names[carried.Item.ID] = "carried"
			}
		}
		return err
	})
	return url
}

// channels adds messages in the channels of studios, and direct messages, on the day before [Start].
func (m *maker) channels() {
	for _, studio := range []string{"team", "plaza", "commons", "lab"} {
		m.urls["channel "+studio] = "/studios/" + studio + "/channel"
	}
	m.say("hello", "bob", "team", "Good morning. I put the *minutes* into the cupboard.\n\n- the old ones\n- the new ones")
	u := m.say("month", "erin", "team", "Could we try it for a month first, @bob?")
	m.do("dave", u, actions.Comment, param.Input{"text": "A month in winter says nothing about a month in **spring**."})
	m.do("scribe", u, actions.Comment, param.Input{"text": "I can collect what we learn."})
	m.do("bob", u, actions.Comment, param.Input{"text": "A month is fine."})
	for _, r := range [][2]string{{"bob", "👍"}, {"alice", "👍"}, {"scout", "👀"}, {"dave", "🎉"}} {
		m.do(r[0], u, governance.AddReaction.Name, param.Input{"reaction": r[1]})
	}
	u = m.say("edited", "dave", "team", "The archive is dri again.")
	m.do("dave", u, governance.EditMessage.Name, param.Input{"text": "The archive is dry again."})
	m.say("agent's", "scribe", "team", "The minutes of *November* are up.")
	m.do("erin", m.urls["channel team"], actions.CreateDecision.Name, param.Input{"question": "Do we keep the old chairs?",
		"method": "single", "options": []any{"Yes", "No"}, "closes_at": "5d"})
	m.nameMessage("carrying", "team")
	u = m.say("deleted", "dave", "team", "I did not mean that.")
	m.do("dave", u, governance.DeleteMessage.Name, nil)
	u = m.say("redacted", "dave", "team", "The landlord is a *crook*.")
	m.do("erin", u, actions.Comment, param.Input{"text": "Dave!"})
	m.do("alice", u, actions.Redact, nil)
	u = m.say("pinned", "alice", "team", "The key is under the mat.")
	m.do("alice", u, actions.Pin, nil)
	m.say("plaza", "alice", "plaza", "The plaza is swept.")
	m.say("lab", "oscar", "lab", "Nobody outside the lab knows of the rocket.")
	m.directs()
	m.urls["cellar"] = m.do("bob", "/orgs/acme", actions.CreateStudio.Name, param.Input{"handle": "cellar", "name": "Cellar",
		"visibility": "organization", "description": "What is kept cool."})
	m.urls["channel cellar"] = "/studios/cellar/channel"
	m.say("cellar", "bob", "cellar", "The last bottle is gone.")
	m.do("bob", m.urls["cellar"], actions.ArchiveStudio.Name, nil)
}

// Secret is in the text of every direct message of the world that is not deleted, and nowhere else.
const Secret = "xylophone"

func (m *maker) directs() {
	m.urls["dm"] = "/orgs/acme/dm"
	for _, who := range []string{"alice", "bob", "erin"} {
		m.urls["dm "+who] = "/orgs/acme/dm/" + who
	}
	send := func(by, to, text string) {
		m.do(by, "/orgs/acme/dm/"+to, actions.SendDirectMessage.Name, param.Input{"text": text + " " + Secret + "."})
	}
	send("alice", "bob", "The *surprise* for Erin is a")
	send("bob", "alice", "She has wanted for years a")
	m.do("bob", m.urls["dm alice"], actions.EditDirectMessage.Name, param.Input{"message": "2",
		"text": "For years she has wanted a " + Secret + "."})
	send("bob", "alice", "Not every day a")
	m.do("bob", m.urls["dm alice"], actions.DeleteDirectMessage.Name, param.Input{"message": "3"})
	send("alice", "bob", "@erin must not know that it is a")
	send("dave", "erin", "Do you still want that")
}
