package page

import "samepage/actions/param"

// kinds returns the page of one action whose form has a field of every kind. The form shows the
// errors of a refused call.
func kinds() (*Page, *Context) {
	var many []param.Option
	for _, v := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"} {
		many = append(many, param.Option{Value: v, Label: "Option " + v})
	}
	c := sampleContext()
	c.Failure = "Two fields need another look. Nothing was changed."
	return &Page{
		URL:      "/x/actions/everything",
		Title:    "Try everything",
		Kind:     "Action",
		Trail:    []Inline{Link("Team", "/studios/team")},
		Only:     true,
		State:    Line(T("This form was filled in from a link. It does nothing until you press the button.")),
		Audience: "studio Team: 8 people, 3 agents",
		Forms: []Form{{Name: "everything", Title: "Try everything", Doc: "Every kind of field.",
			URL: "/x/actions/everything", Key: "k", Version: "7", Destructive: true,
			Errors: param.Errors{{Field: "title", Message: "A title has at least 3 characters."},
				{Field: "due", Message: "This is not a time; write 2026-11-23 12:00 or 3d."}},
			Fields: []param.Field{
				{Name: "title", Kind: param.Text, Min: 3, Max: 200, Doc: "What it is called.", Value: "x"},
				{Name: "body", Kind: param.Markdown, Optional: true, Max: 2000, Doc: "Why."},
				{Name: "options", Kind: param.Lines, Max: 20, Doc: "What can be chosen.", Values: []string{"one", "two"}},
				{Name: "quorum", Kind: param.Number, Min: 1, Max: 8, Value: "4"},
				{Name: "secret_ballot", Kind: param.Flag, Optional: true, Doc: "Nobody sees who voted how.", Value: "true"},
				{Name: "method", Kind: param.Choice, Options: many[:3], Value: "b"},
				{Name: "letter", Kind: param.Choice, Options: many, Optional: true},
				{Name: "likes", Kind: param.Choices, Options: many[:4], Optional: true, Values: []string{"a", "c"}},
				{Name: "ranks", Kind: param.Grid, Options: many[:3], Values: []string{"a=1", "c=2"}},
				{Name: "points", Kind: param.Grid, Max: 5, Options: many[:2], Doc: "0 is worst."},
				{Name: "member", Kind: param.Ref, Doc: "Who."},
				{Name: "due", Kind: param.Time, Value: "tomorow"},
				{Name: "lease", Kind: param.Duration, Optional: true},
				{Name: "password", Kind: param.Secret, Value: "must not be shown"},
				{Name: "data", Kind: param.File, Optional: true},
			}}},
	}, c
}
