package work

import (
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/work"
)

var _ = action.Describe[*work.Board]("Columns of cards, called zones. Cards are moved from zone to zone.",
	work.BoardKind.States...)

// CommonBoard has the actions that a board shares with other items (see [actions.Common]).
var CommonBoard = actions.Common(work.BoardKind.Name,
	func(tx *store.Tx, by store.Actor, b *work.Board) (*work.Board, error) {
		return work.CopyBoard(tx, by, b)
	})

// CreateBoard adds a board to a studio.
var CreateBoard = action.New(action.Action[*store.Studio, CreateBoardParams]{
	Name:       "create_board",
	Effects:    []action.Effect{action.Makes(work.BoardKind.Name), action.Opens(work.BoardKind.Name)},
	Undo:       "Change: update_board. End it: archive_board.",
	Title:      "Make a board",
	Past:       "made the board",
	Doc:        "Make columns of cards for what is to be done. Cards are notes, or stand for other pages.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.InStudio,
	Side:       true,
	Aliases:    []string{"new_board"},
	Guard:      func(_ store.Actor, s *store.Studio) error { return s.MustBeJoined() },
	Offers: func(store.Actor, *store.Studio) param.Offers {
		return param.Offers{"zones": {Values: []string{"Ideas", "Doing", "Done"}, Proposed: true}}
	},
	Check: func(_ *store.Tx, _ store.Actor, _ *store.Studio, p CreateBoardParams, _ param.Errors) param.Errors {
		for i, title := range p.Zones {
			switch {
			case utf8.RuneCountInString(title) > maxZoneTitle:
				return param.Errors{{Field: "zones",
					Message: fmt.Sprintf("The title of zone %d has more than %d characters.", i+1, maxZoneTitle)}}
			case slices.Contains(p.Zones[:i], title):
				return param.Errors{{Field: "zones", Message: fmt.Sprintf("Two zones have the title %s.", title)}}
			}
		}
		return nil
	},
	Run: func(tx *store.Tx, by store.Actor, s *store.Studio, p CreateBoardParams) (action.Done, error) {
		b, err := work.CreateBoard(tx, by, s, p.Title, p.Text, p.Zones)
		if err != nil {
			return action.Done{}, err
		}
		return actions.DraftOrOpen(tx, by, b, p.Draft, work.PublishBoard, work.FindBoard, "The board is made.")
	},
})

// maxZoneTitle is in characters.
const maxZoneTitle = 60

// BoardParams has the texts of a board.
type BoardParams struct {
	Title string `param:"title,text" doc:"What it is for, such as Autumn release."`
	Text  string `param:"text,markdown,optional" max:"20000" doc:"What there is to say about it."`
}

// CreateBoardParams has the fields of a new board.
type CreateBoardParams struct {
	BoardParams
	Zones []string `param:"zones,lines,optional" max:"12" doc:"The titles of its zones, one a line, from left to right."`
	Draft bool     `param:"draft,flag,optional" doc:"Keep it as a draft of yours."`
}

// PublishBoard shows a draft to the studio.
var PublishBoard = action.New(action.Action[*work.Board, struct{}]{
	Name:       "publish_board",
	Effects:    []action.Effect{action.Opens(work.BoardKind.Name)},
	Undo:       "Change: update_board. End it: archive_board.",
	Title:      "Publish",
	Past:       "made the board",
	Doc:        "Show this draft to the studio, as it looks here.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.Author,
	Guard:      func(by store.Actor, b *work.Board) error { return b.MustBeDraftBy(by) },
	Run: func(tx *store.Tx, _ store.Actor, b *work.Board, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The board is published.", Notice: b.OpeningNotice()}, work.PublishBoard(tx, b)
	},
})

func boardAction[P any](a action.Action[*work.Board, P]) *action.Spec[*work.Board] {
	a.Scope, a.AllowedFor = store.ScopeWrite, store.InStudio
	return action.New(a)
}

// UpdateBoard changes the texts of a board.
var UpdateBoard = boardAction(action.Action[*work.Board, BoardParams]{
	Name:      "update_board",
	Effects:   []action.Effect{action.Edits(work.BoardKind.Name)},
	Undo:      "Change again: update_board. The journal keeps the former text.",
	Title:     "Edit the board",
	Past:      "changed",
	Doc:       "Change the title or the text of this board. What you leave out stays.",
	Versioned: true,
	Side:      true,
	Guard:     func(_ store.Actor, b *work.Board) error { return b.MustBeActive() },
	Offers: func(_ store.Actor, b *work.Board) param.Offers {
		return param.Offers{"title": {Value: b.Title}, "text": {Value: b.Body}}
	},
	Run: func(tx *store.Tx, _ store.Actor, b *work.Board, p BoardParams) (action.Done, error) {
		return action.Done{Message: "The board is changed.", Notice: &store.Notice{Reason: store.ReasonChange,
			Text: p.Text,
			Was:  b.Body}}, tx.UpdateItem(&b.Item, p.Title, p.Text, time.Time{})
	},
})

// ArchiveBoard archives a board. It can no longer be changed.
var ArchiveBoard = boardAction(action.Action[*work.Board, struct{}]{
	Name:  "archive_board",
	Undo:  "Undo: restore_board.",
	Title: "Archive the board",
	Past:  "archived",
	Doc:   "Let this board and its cards stay as they are.",
	Side:  true,
	Guard: func(_ store.Actor, b *work.Board) error { return b.MustBeArchivable() },
	Run: func(tx *store.Tx, _ store.Actor, b *work.Board, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The board is archived."}, work.ArchiveBoard(tx, b)
	},
})

// RestoreBoard makes an archived board active again.
var RestoreBoard = boardAction(action.Action[*work.Board, struct{}]{
	Name:  "restore_board",
	Undo:  "Undo: archive_board.",
	Title: "Restore the board",
	Past:  "restored",
	Doc:   "Take this board into use again, as it was when it was archived.",
	Tool:  true,
	Guard: func(_ store.Actor, b *work.Board) error { return b.MustBeRestorable() },
	Run: func(tx *store.Tx, _ store.Actor, b *work.Board, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The board is in use again."}, work.RestoreBoard(tx, b)
	},
})

func zoneOptions(zones []work.Zone) *param.Offered {
	list := make([]param.Option, len(zones))
	for i := range zones {
		list[i] = param.Option{Value: strconv.Itoa(zones[i].N), Label: zones[i].Title}
	}
	return &param.Offered{Options: list}
}

func zoneOf(b *work.Board, chosen string) *work.Zone {
	n, _ := strconv.Atoi(chosen) // the value of every offered option is a number
	return b.Zone(n)
}

// titleTaken returns an error if the board has a zone with this title, except the given one, which is nil for a new zone.
func titleTaken(b *work.Board, title string, except *work.Zone) param.Errors {
	for i := range b.Zones {
		if z := &b.Zones[i]; z.Title == title && z != except {
			return param.Errors{{Field: "title", Message: "There is a zone of this title."}}
		}
	}
	return nil
}

// ZoneParams has the fields of a zone.
type ZoneParams struct {
	Title  string `param:"title,text" max:"60" doc:"Its title, such as Doing."`
	Rule   string `param:"rule,text,optional" max:"300" doc:"What belongs there, in a sentence."`
	Before string `param:"before,choice,optional" doc:"The zone to the right of it."`
}

// AddZone adds a zone to a board.
var AddZone = boardAction(action.Action[*work.Board, ZoneParams]{
	Name:  "add_zone",
	Undo:  "Remove it: remove_zone.",
	Title: "Add a zone",
	Past:  "added a zone to",
	Doc:   "Add a column to this board, at the right end unless you name the zone before which it stands.",
	Guard: func(_ store.Actor, b *work.Board) error { return b.MustTakeZones() },
	Offers: func(_ store.Actor, b *work.Board) param.Offers {
		if len(b.Zones) == 0 {
			return param.Offers{"before": {Omit: true}}
		}
		return param.Offers{"before": zoneOptions(b.Zones)}
	},
	Check: func(_ *store.Tx, _ store.Actor, b *work.Board, p ZoneParams, _ param.Errors) param.Errors {
		return titleTaken(b, p.Title, nil)
	},
	Run: func(tx *store.Tx, by store.Actor, b *work.Board, p ZoneParams) (action.Done, error) {
		n, err := work.AddZone(tx, b, work.Zone{Title: p.Title, Rule: p.Rule}, zoneOf(b, p.Before))
		if err != nil {
			return action.Done{}, err
		}
		now, err := work.FindBoard(tx, by, b.Studio.Handle, b.ID)
		return action.Done{Message: "The zone is added.", Before: b.ZoneRecord(n), After: now.ZoneRecord(n)}, err
	},
})

// UpdateZone changes the texts and the position of a zone.
var UpdateZone = boardAction(action.Action[*work.Board, UpdateZoneParams]{
	Name:  "update_zone",
	Undo:  "Change again: update_zone. The journal keeps what it was.",
	Title: "Change a zone",
	Past:  "changed a zone of",
	Doc:   "Change the title of a zone, what belongs there, or its place. What you leave out stays.",
	Side:  true,
	Guard: func(_ store.Actor, b *work.Board) error { return b.MustHaveZones() },
	Offers: func(_ store.Actor, b *work.Board) param.Offers {
		return param.Offers{"zone": zoneOptions(b.Zones), "before": zoneOptions(b.Zones)}
	},
	Check: func(_ *store.Tx, _ store.Actor, b *work.Board, p UpdateZoneParams, bad param.Errors) (errs param.Errors) {
		if bad.Has("zone") {
			return nil
		}
		z := zoneOf(b, p.Zone)
		if p.Rule != "" && p.NoRule {
			errs = append(errs, param.Error{Field: "no_rule",
				Message: "Give a rule, or say that there is none, not both."})
		}
		if p.Before == p.Zone {
			errs = append(errs, param.Error{Field: "before",
				Message: "A zone cannot stand before itself. Name another one."})
		}
		if p.Title != "" {
			errs = append(errs, titleTaken(b, p.Title, z)...)
		}
		return errs
	},
	Run: func(tx *store.Tx, by store.Actor, b *work.Board, p UpdateZoneParams) (action.Done, error) {
		z := zoneOf(b, p.Zone)
		title, rule := z.Title, z.Rule
		if p.Title != "" {
			title = p.Title
		}
		if p.Rule != "" {
			rule = p.Rule
		}
		if p.NoRule {
			rule = ""
		}
		right := zoneOf(b, p.Before)
		if title == z.Title && rule == z.Rule && (right == nil || b.IsLeftOf(z, right)) {
			return action.Done{Message: "The zone is like this already.", Unchanged: true}, nil
		}
		before := b.ZoneRecord(z.N)
		if err := work.UpdateZone(tx, b, z, title, rule, right); err != nil {
			return action.Done{}, err
		}
		now, err := work.FindBoard(tx, by, b.Studio.Handle, b.ID)
		return action.Done{Message: "The zone is changed.", Before: before, After: now.ZoneRecord(z.N)}, err
	},
})

// UpdateZoneParams are the params of [UpdateZone].
type UpdateZoneParams struct {
	Zone   string `param:"zone,choice" doc:"Which zone."`
	Title  string `param:"title,text,optional" max:"60" doc:"Its new title."`
	Rule   string `param:"rule,text,optional" max:"300" doc:"What belongs there from now on."`
	NoRule bool   `param:"no_rule,flag,optional" doc:"Say no more what belongs there."`
	Before string `param:"before,choice,optional" doc:"The zone to the right of it from now on."`
}

// RemoveZone removes an empty zone.
var RemoveZone = boardAction(action.Action[*work.Board, ZoneChoice]{
	Name:  "remove_zone",
	Undo:  "Add it again: add_zone.",
	Title: "Remove an empty zone",
	Past:  "removed a zone of",
	Doc:   "Take a zone without cards off this board.",
	Side:  true,
	Guard: func(_ store.Actor, b *work.Board) error { return b.MustHaveEmptyZones() },
	Offers: func(_ store.Actor, b *work.Board) param.Offers {
		return param.Offers{"zone": zoneOptions(b.EmptyZones())}
	},
	Run: func(tx *store.Tx, _ store.Actor, b *work.Board, p ZoneChoice) (action.Done, error) {
		z := zoneOf(b, p.Zone)
		return action.Done{Message: "The zone is removed.", Before: b.ZoneRecord(z.N),
			After: (&work.Board{}).ZoneRecord(z.N)}, work.RemoveZone(tx, b, z)
	},
})

// ZoneChoice has the number of a zone.
type ZoneChoice struct {
	Zone string `param:"zone,choice" doc:"Which zone."`
}
