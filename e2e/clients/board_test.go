package clients

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"samepage/store/pgtest"
)

// TestFromACardToAMerge tells the whole story of a piece of work. Bob drags a card onto a zone, which starts an
// agent. The agent asks for a permission, and Bob gives it on his phone, from the link in the inbox. The agent then
// asks another agent for a review, and the feedback is its next prompt. It opens a pull request and asks people for a
// review. Bob approves and merges. Meanwhile, another agent of Bob reads the same pages.
func TestFromACardToAMerge(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the browser")
	w := newWorld(t)
	root := t.TempDir()
	source := shed(t, root)
	alice, bob := w.signIn("alice"), w.signIn("bob")
	runner := alice.does("/orgs/meadow/runners", "create_runner",
		map[string]any{"name": "Mill", "roots": []string{root}})
	w.runs(runner.URL, runner.Secret, root)
	alice.hears(runner.URL, "Ready")
	repo := alice.does(runner.URL, "add_repo", map[string]any{"studio": "team", "name": "shed", "source": source}).URL
	for key, script := range map[string]string{
		"mason": `write door.txt red\n
ask Buy a pot of paint
allowed say The paint is bought.
navigate /whoami
open /sessions/
act request_review {"reviewer":"judge","text":"Is the door right?"}
turn
write door.txt green\n
navigate /whoami
open /sessions/
act create_pull_request {"title":"A green door"}
act request_review {"text":"And now?"}
`,
		"judge": `navigate /whoami
open /reviews/
act send_feedback {"type":"needs_work","priority":"high","text":"It is red.","items":["door.txt:1 Green, please."]}
`,
	} {
		file := filepath.Join(root, key)
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		alice.does("/orgs/meadow/manifests", "add_manifest", map[string]any{"key": key, "title": strings.ToUpper(key[:1]) + key[1:],
			"role": "coding", "mode": "ask", "asks": true, "argv": []string{w.bin, "agent-script", file}})
	}
	bob.hears(repo, "Nail the boards")
	tree := bob.does(repo, "create_worktree", map[string]any{"name": "door"}).URL
	bob.hears(tree, "0 ahead")
	board := bob.does("/studios/team", "create_board", map[string]any{"title": "The shed", "zones": []string{"Ideas", "Doing"}}).URL
	bob.does(board, "set_trigger", map[string]any{"zone": "2", "does": "start_session", "agent": "mason", "at_once": true,
		"prompt": "Do what the card says. {{card}}"})
	bob.does(board, "add_card", map[string]any{"zone": "1", "title": "Paint the door", "page": tree})

	desk := open(t).login(w, "bob")
	desk.visit(w.url + board)
	desk.drag(`.zone[data-zone="1"] .card`, `.zone[data-zone="2"]`)
	desk.until(`!!document.querySelector('.zone[data-zone="2"] .card')`)
	scout := w.overHTTP("Scout", w.token("Scout"))
	contains(t, "the board, as an agent reads it", scout.navigate(board), "Paint the door", "Mason")

	bob.hears("/inbox", "Buy a pot of paint")
	phone := finger(open(t))
	phone.signsIn(w, "bob")
	phone.visit(w.url + "/inbox")
	phone.press(`main a[href*="/permissions/1"]`)
	phone.sees("Buy a pot of paint")
	phone.press(`main form[action*="/actions/answer_permission"] .option button`)
	session := strings.TrimSuffix(strings.TrimPrefix(phone.address(), w.url), "/permissions/1")

	said := bob.hears(session, "Review 2 of")
	contains(t, "the session", said, "The paint is bought.", "It is red.", "Green, please.")
	bob.hears(session, "In review")
	contains(t, "the session, as an agent reads it", scout.navigate(session), "Green, please.")
	desk.seesLineNumbers(w.url + tree + "/diff")
	desk.visit(w.url + "/")
	desk.follow("Review 2 of Paint the door")
	desk.sees("And now?")
	desk.goes(chromedp.Click(`main form[action*="/actions/approve_review"] button[type=submit]`))
	desk.visit(w.url + "/")
	desk.follow("A green door")
	desk.goes(chromedp.Click(`main form[action*="/actions/merge_pull_request"] button[type=submit]`))
	desk.sees("Merged")
	bob.hears(repo, "A green door")
	desk.quiet("the desk")
	phone.quiet("the phone")
	w.run("journal", "verify")
}

// drag drags an element onto another element. Without a screen, Chromium does not complete a drag. Therefore the
// debugger intercepts the dragged data and then drops the data on the target.
func (b *browser) drag(from, to string) {
	b.t.Helper()
	x, y := b.spot(from)
	tox, toy := b.spot(to)
	taken := make(chan *input.DragData, 1)
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	if err := chromedp.Listen(ctx, func(event any) {
		if e, ok := event.(*input.EventDragIntercepted); ok {
			taken <- e.Data
		}
	}); err != nil {
		b.t.Fatal(err)
	}
	at := func(kind input.DispatchMouseEventType, x, y float64) chromedp.Action[chromedp.Void] {
		return command(input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: input.MouseButtonLeft,
			Buttons: 1, ClickCount: 1})
	}
	b.do(command(input.SetInterceptDrags, input.SetInterceptDragsParams{Enabled: true}),
		at(input.DispatchMouseEventTypeMousePressed, x, y), at(input.DispatchMouseEventTypeMouseMoved, x+8, y+8))
	select {
	case data := <-taken:
		for _, kind := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter,
			input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
			b.do(command(input.DispatchDragEvent, input.DispatchDragEventParams{Type: kind, X: tox, Y: toy,
				Data: data}))
		}
	case <-time.After(20 * time.Second):
		b.t.Fatalf("%s cannot be dragged", from)
	}
	b.do(at(input.DispatchMouseEventTypeMouseReleased, tox, toy),
		command(input.SetInterceptDrags, input.SetInterceptDragsParams{}))
}
