package actions

import (
	"cmp"

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
		Prepare: func(st *store.Store, _ S, p *AttachParams) error { return KeepUpload(st, p.File) },
		Run: func(tx *store.Tx, by store.Actor, s S, p AttachParams) (action.Done, error) {
			return action.Done{
				Message: "The file is attached." + Renamed(cmp.Or(p.Name, p.File.Name)),
				Notice:  &store.Notice{Reason: store.ReasonReply},
			}, AttachUpload(tx, by, s.Common(), p.File, p.Name)
		},
	})
}

// Renamed returns a sentence if a file cannot be attached under its whole name, or else "".
func Renamed(name string) string {
	if kept := store.BlobName(name); kept != name {
		return " Its name is now “" + kept + "”."
	}
	return ""
}

// KeepUpload stores the bytes of a file, before the transaction that attaches it. In a dry run st is nil, and nothing
// is stored.
func KeepUpload(st *store.Store, f param.Upload) error {
	switch {
	case st == nil || f.Size() == 0:
		return nil
	case f.Temp != nil:
		return st.KeepFile(f.Temp.File, f.Temp.Sum)
	}
	_, err := st.KeepBlob(f.Data)
	return err
}

// AttachUpload attaches a file to an item under a name, or under the file's own if name is "". [KeepUpload] must have
// stored the bytes.
func AttachUpload(tx *store.Tx, by store.Actor, i *store.Item, f param.Upload, name string) error {
	media, err := store.MediaType(f.Reader())
	if err != nil {
		return err
	}
	return tx.AttachFile(by, i, store.File{Name: cmp.Or(name, f.Name), Type: media, Size: f.Size(), Hash: f.Sum()})
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
