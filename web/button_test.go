package web_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"samepage/web/webtest"
)

// verbs are the words with which the titles and the buttons of actions begin. A noun is not one of them, and a verb
// that is also a noun, such as review, only if no button means the noun.
var verbs = strings.Fields(`Accept Add Allow Amend Answer Approve Archive Ask Assign Attach Begin Break Bring
	Cancel Cast Change Choose Claim Close Comment Confirm Copy Create Delete Detach Discard Disconnect Dismiss Duplicate
	Edit Elect End Erase Expire Fetch Follow Fork Give Go Import Invite Join Leave Let Make Mark Merge Move Mute Nominate
	Offer Open Pass Pause Pin Prompt Propose Publish React Refresh Reinstate Reject Remind Remove Rename Renew Report
	Request Resolve Respond Restore Resume Retire Revoke Rewind Rotate Rule Run Say Send Set Show Spawn Start Stop Sum
	Take Tell Tick Transfer Try Unpin Vote Withdraw Write`)

// sentences are titles and buttons that say in another way what happens: what the person who presses it says, or where
// it goes.
var sentences = []string{"Back to clarification", "Back to the phase before", "I am here", "I did it", "I did not do it",
	"I have read it", "Your objection is met"}

// shorter are buttons with another verb than their title.
var shorter = []string{"Edit", "Vote", "Rewind", "Resolve", "I have read it"}

// TestButtonsAreVerbs checks that the title and the button of each action say what happens: each begins with a verb,
// and the button with that of the title.
func TestButtonsAreVerbs(t *testing.T) {
	first := func(text string) string { word, _, _ := strings.Cut(text, " "); return word }
	seen := map[string]bool{}
	for _, place := range webtest.New(t).Site.Places() {
		for i := range place.Actions {
			d := &place.Actions[i]
			for _, text := range []string{d.Title, d.On, cmp.Or(d.Button, d.Title)} {
				seen[first(text)], seen[text] = true, true
				if text != d.On && !slices.Contains(verbs, first(text)) && !slices.Contains(sentences, text) {
					t.Errorf("%s: %q begins with no verb", d.Name, text)
				}
			}
			if d.Button != "" && first(d.Button) != first(d.Title) && !slices.Contains(shorter, d.Button) {
				t.Errorf("%s: the button %q does something else than %q", d.Name, d.Button, d.Title)
			}
		}
	}
	for _, word := range slices.Concat(verbs, sentences, shorter) {
		if !seen[word] {
			t.Errorf("nothing is called %q: take it out", word)
		}
	}
}
