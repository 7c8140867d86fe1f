package param_test

import (
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
)

// TestDecode decodes values of each kind, as a form, as JSON or both. It expects a struct, or the message of the
// refusal.
func TestDecode(t *testing.T) {
	long := strings.Repeat("é", 201)
	for _, c := range []struct {
		name, form, json string
		want             every
		err              string
	}{
		{"text", "title=+Stand-ups%0D%0Aweekly+", `{"title": " Stand-ups\r\nweekly "}`, every{Title: "Stand-ups weekly"}, ""},
		{"text of other line ends", "", `{"title": "one\u2028two\u0085three"}`, every{Title: "one two three"}, ""},
		{"text in runes", "", `{"title": "éééééééééééééééééééé"}`, every{Title: "éééééééééééééééééééé"}, ""},
		{"text too long", "title=ééééééééééééééééééééé", `{"title": "ééééééééééééééééééééé"}`,
			every{}, "title: has 21 characters; at most 20 fit"},
		{"text too short", "title=ab", `{"title": "ab"}`, every{}, "title: has 2 characters; at least 3 are needed"},
		{"text missing", "title=", `{"title": null}`, every{}, "title: is required"},
		{"text of spaces", "title=++", `{"title": "  "}`, every{}, "title: is required"},
		{"text twice", "title=abc&title=def", "", every{}, "title: was given more than once; send it once"},
		{"text that is invisible", "title=%E2%80%8B%E2%80%8D%E2%80%8B", `{"title": "\u200b\u200d\u200b"}`, every{},
			"title: has only invisible characters; write some that can be seen"},
		{"text that is blank in other ways", "", `{"title": "\u3164 \ufe0f\u2800\ufeff\udb40\udc41\u034f\u202e\ufffe"}`, every{},
			"title: has only invisible characters; write some that can be seen"},
		{"text with invisible characters", "", `{"title": "\u200babc"}`, every{Title: "\u200babc"}, ""},
		{"short texts that can be seen", "", `{"title": "👍🏽❤️漢"}`, every{Title: "👍🏽❤️漢"}, ""},
		{"text as number", "", `{"title": 2026}`, every{Title: "2026"}, ""},
		{"text as list", "", `{"title": ["abc"]}`, every{}, "title: must be text, not a list"},
		{"text with NUL", "title=a%00bc", `{"title": "a\u0000bc"}`, every{}, "title: contains a NUL character; leave it out"},
		{"text not UTF-8", "title=ab%ff", "", every{}, "title: is not valid UTF-8"},

		{"markdown", "body=++a%0D%0Ab%0Dc++%0A%0A", `{"body": "  a\r\nb\rc  \n\n"}`, every{Body: "  a\nb\nc"}, ""},
		{"markdown too long", "body=" + long, `{"body": "` + long + `"}`, every{}, "body: has 201 characters; at most 40 fit"},

		{"markdown that is invisible", "", `{"body": "\n\u2060\n\u200b"}`, every{},
			"body: has only invisible characters; write some that can be seen"},

		{"lines", "agenda=+one%0D%0A%0D%0Atwo", `{"agenda": [" one", "", "two"]}`, every{Agenda: []string{"one", "two"}}, ""},
		{"lines as one text", "agenda=one&agenda=two%0Athree", `{"agenda": "one\ntwo\nthree"}`,
			every{Agenda: []string{"one", "two", "three"}}, ""},
		{"lines with a line end inside", "", `{"agenda": ["one\ntwo"]}`, every{Agenda: []string{"one two"}}, ""},
		{"lines too many", "agenda=1%0A2%0A3%0A4", `{"agenda": ["1", "2", "3", "4"]}`, every{}, "agenda: has 4 lines; at most 3 fit"},
		{"lines too long", "agenda=" + long, `{"agenda": ["` + long + `"]}`, every{},
			`agenda: has a line of 201 characters, "` + strings.Repeat("é", 40) + `…"; at most 200 fit`},
		{"lines of which one is invisible", "", `{"agenda": ["one", "\u200b"]}`, every{},
			"agenda: has a line that has only invisible characters; write some that can be seen"},
		{"lines of numbers", "", `{"agenda": [1]}`, every{}, "agenda: has an item that must be text, not a number"},
		{"lines as object", "", `{"agenda": {}, "title": {}}`, every{},
			"title: must be text, not an object; agenda: must be a list of texts, not an object"},

		{"number", "seats=+7", `{"seats": 7}`, every{Seats: 7}, ""},
		{"number as text", "seats=-5", `{"seats": "-5"}`, every{Seats: -5}, ""},
		{"number with a point", "seats=7.0", `{"seats": 0.7e+1}`, every{Seats: 7}, ""},
		{"number too large", "seats=13", `{"seats": 13}`, every{}, "seats: must be from -5 to 12, not 13"},
		{"number of 40 digits", "seats=7." + strings.Repeat("0", 38), "", every{Seats: 7}, ""},
		{"number of 41 digits", "seats=7." + strings.Repeat("0", 39), "", every{},
			`seats: must be a whole number, not "7.` + strings.Repeat("0", 38) + `…"`},
		{"number none", "seats=", `{"seats": " "}`, every{}, ""},
		{"number beyond fractions", "seats=9007199254740993", `{"seats": 9007199254740993}`, every{},
			"seats: must be from -5 to 12, not 9007199254740993"},
		{"number with the last point", "seats=9007199254740992.0", `{"seats": 9007199254740992.0}`, every{},
			"seats: must be from -5 to 12, not 9007199254740992"},
		{"number broken", "seats=7.5", `{"seats": 7.5}`, every{}, `seats: must be a whole number, not "7.5"`},
		{"number endless", "seats=1e999", `{"seats": 1e999}`, every{}, `seats: must be a whole number, not "1e999"`},
		{"number as flag", "", `{"seats": true}`, every{}, "seats: must be a number, not true or false"},
		{"number that is none", "seats=NaN", `{"seats": "NaN"}`, every{}, `seats: must be a whole number, not "NaN"`},

		{"flag", "open=on", `{"open": true}`, every{Open: true}, ""},
		{"flag as text", "open=true", `{"open": "true"}`, every{Open: true}, ""},
		{"flag as number", "open=1", `{"open": 1}`, every{Open: true}, ""},
		{"flag off", "open=false", `{"open": false}`, every{}, ""},
		{"flag not ticked", "_none=open", `{"open": false}`, every{}, ""},
		{"number none, said", "_none=seats", `{"seats": null}`, every{}, ""},
		{"flag unknown", "open=maybe", `{"open": "maybe"}`, every{}, `open: must be true or false, not "maybe"`},

		{"choice", "tempo=weekly", `{"tempo": "weekly"}`, every{Tempo: "weekly"}, ""},
		{"choice none", "tempo=", `{"tempo": ""}`, every{}, ""},
		{"choice not offered", "tempo=yearly", `{"tempo": "yearly"}`, every{},
			`tempo: cannot be "yearly"; the options are daily, weekly (Once a week)`},

		{"choices", "accept=1&accept=3", `{"accept": ["1", "3"]}`, every{Accept: []string{"1", "3"}}, ""},
		{"choices one", "accept=2&accept=", `{"accept": "2"}`, every{Accept: []string{"2"}}, ""},
		{"choices as numbers", "", `{"accept": [3, 1]}`, every{Accept: []string{"3", "1"}}, ""},
		{"choices none", "accept=", `{"accept": ""}`, every{}, ""},
		{"choices none, said", "_none=accept", `{"accept": []}`, every{Accept: []string{}}, ""},
		{"choices twice", "accept=1&accept=1", `{"accept": ["1", "1"]}`, every{}, `accept: names "1" twice`},
		{"choices not offered", "accept=1&accept=4", `{"accept": ["1", "4"]}`, every{},
			`accept: cannot be "4"; the options are 1 (Yes, every Monday), 2 (Yes, async), 3 (No change)`},
		{"choices one, not offered", "accept=4", `{"accept": "4"}`, every{},
			`accept: cannot be "4"; the options are 1 (Yes, every Monday), 2 (Yes, async), 3 (No change)`},
		{"choices as object", "", `{"accept": {"1": true}}`, every{}, "accept: must be a list of options, not an object; " +
			"the options are 1 (Yes, every Monday), 2 (Yes, async), 3 (No change)"},

		{"grid", "score.1=9&score.2=&score.3=0", `{"score": {"1": 9, "2": null, "3": 0}}`,
			every{Score: map[string]int{"1": 9, "3": 0}}, ""},
		{"grid empty", "score.1=", `{"score": {}}`, every{}, ""},
		{"grid of spaces", "score=+", `{"score": " "}`, every{}, ""},
		{"grid wrong", "score.1=10&score.2=x&score.4=1", `{"score": {"1": 10, "2": "x", "4": 1}}`, every{},
			`score: at "1" must be from 0 to 9, not 10; at "2" must be a whole number, not "x"; has no option "4"; ` +
				`the options are 1 (Yes, every Monday), 2 (Yes, async), 3 (No change)`},
		{"grid as list", "score=1", `{"score": "1"}`, every{}, "score: must be an object from option to number, not a text; " +
			"the options are 1 (Yes, every Monday), 2 (Yes, async), 3 (No change)"},
		{"grid twice", "score.1=1&score.1=2", "", every{}, `score: at "1" was given more than once; send it once`},
		{"grid of lists", "", `{"score": {"1": ["1", "2"]}}`, every{}, `score: at "1" must be a number, not a list`},
		{"number twice", "seats=1&seats=1", "", every{}, "seats: was given more than once; send it once"},
		{"flag twice", "open=on&open=on", "", every{}, "open: was given more than once; send it once"},
		{"time twice", "closes_at=3d&closes_at=3d", "", every{}, "closes_at: was given more than once; send it once"},

		{"ref handle", "owner=@alice", `{"owner": " @alice "}`, every{Owner: "alice"}, ""},
		{"ref url", "owner=https://x.test/@bob", `{"owner": "https://x.test/@bob"}`, every{Owner: "https://x.test/@bob"}, ""},

		{"time in the zone", "closes_at=2026-11-23T12:00", `{"closes_at": "2026-11-23 12:00"}`, every{Closes: utc("2026-11-23 11:00")}, ""},
		{"time in UTC", "closes_at=2026-11-23T12:00Z", `{"closes_at": "2026-11-23 12:00 UTC"}`, every{Closes: utc("2026-11-23 12:00")}, ""},
		{"time RFC 3339", "closes_at=2026-11-23T12:00:30%2B03:00",
			`{"closes_at": "2026-11-23T09:00:00.5Z"}`, every{Closes: utc("2026-11-23 09:01")}, ""},
		{"time as date", "closes_at=2026-11-23", `{"closes_at": "2026-11-23"}`, every{Closes: utc("2026-11-23 22:59")}, ""},
		{"time as date in UTC", "closes_at=2026-11-23+UTC", `{"closes_at": "2026-11-23 UTC"}`, every{Closes: utc("2026-11-23 23:59")}, ""},
		{"time from now", "closes_at=3d", `{"closes_at": "72h"}`, every{Closes: utc("2026-11-23 09:31")}, ""},
		{"time now", "closes_at=0d", `{"closes_at": "0m"}`, every{}, "closes_at: must be longer than nothing from now"},
		{"time soon", "closes_at=30m", `{"closes_at": "29m 46s"}`, every{Closes: utc("2026-11-20 10:01")}, ""},
		{"time of 40 characters", "", `{"closes_at": "3d` + strings.Repeat(" ", 36) + `1h"}`, every{Closes: utc("2026-11-23 10:31")}, ""},
		{"time of 41 characters", "", `{"closes_at": "3d` + strings.Repeat(" ", 37) + `1h"}`, every{},
			`closes_at: cannot be "3d` + strings.Repeat(" ", 37) + `1…". ` + param.TimeForms},
		{"words of 40 characters", "", `{"closes_at": "tomorrow` + strings.Repeat(" ", 28) + `noon"}`,
			every{Closes: utc("2026-11-21 11:00")}, ""},
		{"time wrong", "closes_at=soon", `{"closes_at": "soon"}`, every{}, `closes_at: cannot be "soon". ` + param.TimeForms},
		{"time no such day", "closes_at=2026-02-30", `{"closes_at": "2026-02-30"}`, every{},
			`closes_at: cannot be "2026-02-30". ` + param.TimeForms},
		{"time far", "closes_at=2345-01-01", `{"closes_at": "0001-01-01"}`, every{}, "closes_at: must be in a year from 1900 to 2199"},
		{"time further than ten years", "closes_at=530w", `{"closes_at": "530w"}`, every{},
			`closes_at: cannot be "530w". ` + param.TimeForms},

		{"duration", "lease=90m", `{"lease": "1h30m"}`, every{Lease: 90 * time.Minute}, ""},
		{"duration in weeks", "lease=1w", `{"lease": "6d 24h"}`, every{Lease: 7 * 24 * time.Hour}, ""},
		{"duration zero", "lease=0m", `{"lease": "0d0s"}`, every{}, "lease: must be longer than nothing"},
		{"duration endless", "lease=99999999999999999999w", `{"lease": "3650d1s"}`, every{}, "lease: must be at most 3650 days"},
		{"duration endless in seconds", "lease=315360001s", `{"lease": "400000000s"}`, every{}, "lease: must be at most 3650 days"},
		{"duration wrong", "lease=3m2h", `{"lease": "3m2h"}`, every{}, `lease: cannot be "3m2h". ` + param.DurationForms},
		{"duration negative", "lease=-3d", `{"lease": "-3d"}`, every{}, `lease: cannot be "-3d". ` + param.DurationForms},

		{"secret", "key=+s3cret+", `{"key": " s3cret "}`, every{Key: " s3cret "}, ""},
		{"file", "logo=hello", `{"logo": "hello"}`, every{Logo: param.Upload{Name: "logo.txt", Data: []byte("hello")}}, ""},
		{"file as a path", "logo=/etc/x", `{"logo": "/etc/x"}`, every{},
			`logo: is "/etc/x", a path or an address, which is not read. Send the contents: their text, or a data URL`},
		{"file too large", "logo=12345678901234567", `{"logo": "12345678901234567"}`, every{}, "logo: has 17 bytes; at most 16 fit"},

		{"unknown", "titel=x", `{"titel": "x"}`, every{}, "titel: is not a parameter here; did you mean title?"},
		{"unknown and far off", "zzzzzz=x", `{"zzzzzz": "x"}`, every{},
			"zzzzzz: is not a parameter here; it takes title, body, agenda, seats, open, tempo, accept, " +
				"score, owner, closes_at, lease, key, logo"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.form != "" {
				values, err := url.ParseQuery(c.form)
				if err != nil {
					t.Fatal(err)
				}
				check(t, param.FromForm(values, nil), c.want, c.err)
			}
			if c.json != "" {
				check(t, fromJSON(t, c.json), c.want, c.err)
			}
		})
	}
}

// check decodes the input, and compares the result with want, or the error with wantErr. It fills in the required
// title, except in cases about the title.
func check(t *testing.T, in param.Input, want every, wantErr string) {
	t.Helper()
	if _, ok := in["title"]; !ok && !strings.HasPrefix(wantErr, "title:") {
		in["title"] = "Weekly"
		want.Title = "Weekly"
	}
	var got every
	err := param.Decode(fields, in, clock, &got)
	switch {
	case wantErr == "" && err != nil:
		t.Errorf("%v: %v", in, err)
	case wantErr != "" && (err == nil || err.Error() != wantErr):
		t.Errorf("%v:\n got %v\nwant %s", in, err, wantErr)
	case wantErr == "" && !reflect.DeepEqual(got, want):
		t.Errorf("%v:\n got %+v\nwant %+v", in, got, want)
	}
}

// TestNoFarSuggestion sends an unknown name of two letters. The error suggests the declared name, "at", only if both
// names have a letter in common.
func TestNoFarSuggestion(t *testing.T) {
	var got struct {
		At string `param:"at,text" doc:"Where."`
	}
	for name, want := range map[string]string{"xy": "; it takes at", "ay": "; did you mean at?"} {
		err := param.Decode(param.Fields(reflect.TypeOf(got)), param.Input{"at": "x", name: "y"}, clock, &got)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// TestPartlyDecoded sends good and bad fields together. The good ones are set, and the bad ones keep their values.
func TestPartlyDecoded(t *testing.T) {
	got := every{Title: "As it was", Seats: 4, Accept: []string{"2"}}
	in := fromJSON(t,
		`{"title": "x", "body": "Kept", "seats": 99, "open": true, "accept": ["9"], "lease": "1d", "surprise": 1}`)
	err := param.Decode(fields, in, clock, &got)
	want := every{Title: "As it was", Body: "Kept", Seats: 4, Open: true, Accept: []string{"2"}, Lease: 24 * time.Hour}
	if errs, ok := err.(param.Errors); !ok || len(errs) != 4 || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n got %+v\nwant %+v", err, got, want)
	}
}

// TestOptionWords lists options in an error message. The labels, which members write, are cleaned and shortened there.
func TestOptionWords(t *testing.T) {
	type one struct {
		Option string `param:"option,choice" doc:"Which."`
	}
	list := []param.Option{{Value: "1", Label: "Yes\n\u202eno\x07"},
		{Value: "once_a_week", Label: "Once a week"}, {Value: "3", Label: strings.Repeat("é", 31)},
		{Value: "4"}}
	offered := param.Apply(param.Fields(reflect.TypeFor[one]()),
		param.Offers{"option": {Options: list, Refused: map[string]string{"0": "is gone"}}})
	for json, want := range map[string]string{
		`{"option": "5"}`: `option: cannot be "5"; the options are 1 (Yes no), once_a_week, 3 (` +
			strings.Repeat("é", 30) + `…), 4`,
		`{"option": 0}`: `option: cannot be "0": it is gone`,
	} {
		if err := param.Decode(offered, fromJSON(t, json), clock, new(one)); err == nil || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", json, err, want)
		}
	}
}
