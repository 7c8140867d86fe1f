package actions

import (
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
)

var _ = action.Describe[*store.FilePage](
	"What members make in a studio, such as a note. What all such pages have in common is listed here.")

func attach[S Item]() *action.Spec[S] {
	return action.New(action.Action[S, AttachParams]{
		Name:       Attach,
		Undo:       "Take it off: detach_file, on the file's own page.",
		Title:      "Attach a file",
		Doc:        "Add a file that everyone who sees this page can open: its contents, not its path.",
		Past:       "attached a file to",
		Scope:      store.ScopeWrite,
		AllowedFor: store.InStudio,
		Side:       true,
		Aliases:    []string{"upload"},
		Guard:      func(_ store.Actor, s S) error { return s.Common().MustTakeFiles() },
		Check: func(_ *store.Tx, _ store.Actor, _ S, p AttachParams, bad param.Errors) param.Errors {
			if !bad.Has("file") && p.File.Size() == 0 {
				return param.Errors{{Field: "file", Message: "The file is empty. Choose one with something in it."}}
			}
			return nil
		},
		Prepare: func(st *store.Store, _ S, p *AttachParams) error {
			switch temp := p.File.Temp; {
			case st == nil || p.File.Size() == 0:
				return nil
			case temp != nil:
				return st.KeepFile(temp.File, temp.Sum)
			default:
				_, err := st.KeepBlob(p.File.Data)
				return err
			}
		},
		Run: func(tx *store.Tx, by store.Actor, s S, p AttachParams) (action.Done, error) {
			name := p.Name
			if name == "" {
				name = p.File.Name
			}
			media, err := store.MediaType(p.File.Reader())
			if err != nil {
				return action.Done{}, err
			}
			return action.Done{Message: "The file is attached.", Notice: &store.Notice{Reason: store.ReasonReply}},
				tx.AttachFile(by, s.Common(), store.File{Name: name, Type: media, Size: p.File.Size(), Hash: p.File.Sum()})
		},
	})
}

// AttachParams has a file to attach and its name.
type AttachParams struct {
	File param.Upload `param:"file,file" doc:"The file."`
	Name string       `param:"name,text,optional" max:"120" doc:"What to call it, if not by its own name."`
}

// Detach removes an attached file from its page.
var Detach = action.New(action.Action[*store.FilePage, struct{}]{
	Name:       "detach_file",
	Undo:       "Attach it again: attach.",
	Title:      "Detach this file",
	Doc:        "Take this file off the page that it is attached to. Who attached it can, and who may close that page.",
	Past:       "detached a file from",
	Scope:      store.ScopeWrite,
	AllowedFor: store.Author | store.Chair,
	Guard: func(by store.Actor, f *store.FilePage) error {
		if err := f.Studio.MustBeJoined(); err != nil || by.Is(f.File.MemberID) {
			return err
		}
		return f.MustBeChairedBy(by)
	},
	Run: func(tx *store.Tx, _ store.Actor, f *store.FilePage, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The file is detached.", URL: f.Item.URL()}, tx.DetachFile(f)
	},
})
