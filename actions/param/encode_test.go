package param_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"samepage/actions/param"
)

func TestEncode(t *testing.T) {
	src := every{
		Title: "Say \"hi\"\u2028 <b> é \x01", Body: "a\nb", Agenda: []string{"one"}, Open: true, Tempo: "weekly",
		Accept: []string{"3", "1"}, Score: map[string]int{"2": 0, "1": 9}, Owner: "alice",
		Closes: time.Date(2026, 11, 23, 13, 0, 0, 0, berlin), Lease: 26*time.Hour + 5*time.Second,
		Key: "s3cret", Logo: param.Upload{Name: "a.png", Data: []byte("png")},
	}
	want := `{"title":"Say \"hi\"\u2028 <b> é \u0001","body":"a\nb","agenda":["one"],"open":true,"tempo":"weekly",` +
		`"accept":["3","1"],"score":{"1":9,"2":0},"owner":"alice","closes_at":"2026-11-23T12:00:00Z","lease":"1d2h5s"}`
	if got := string(param.Encode(fields, &src)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := string(param.Encode(fields, every{})); got != `{}` {
		t.Errorf("nothing: got %s", got)
	}
	type score struct {
		Points int `param:"points,number" doc:"How many."`
	}
	if got := string(param.Encode(param.Fields(reflect.TypeFor[score]()), score{})); got != `{"points":0}` {
		t.Errorf("a required number: got %s", got)
	}
}

// drawn returns random params that Decode could have made, without a secret or a file.
func drawn(t *rapid.T) every {
	// The first character can be seen: it is no mark, filler or blank.
	word := rapid.StringMatching(`[^\s\x00\p{C}\p{Z}\p{M}\x{115F}\x{1160}\x{2800}\x{3164}\x{FFA0}@]` +
		`([^\x00\p{C}\p{Z}]{0,8}[^\s\x00\p{C}\p{Z}])?`)
	e := every{Title: rapid.StringMatching(`[a-zé"<\\]{3,20}`).Draw(t, "title")}
	if rapid.Bool().Draw(t, "more") {
		e.Body = word.Draw(t, "b") + "\n\n" + word.Draw(t, "ody")
		e.Agenda = rapid.SliceOfN(word, 1, 3).Draw(t, "agenda")
		e.Seats = rapid.IntRange(-5, 12).Draw(t, "seats")
		e.Open = rapid.Bool().Draw(t, "open")
		e.Tempo = rapid.SampledFrom([]tempo{"", "daily", "weekly"}).Draw(t, "tempo")
		e.Accept = rapid.Permutation([]string{"1", "2", "3"}).Draw(t, "accept")[:rapid.IntRange(1, 3).Draw(t, "n")]
		e.Score = rapid.MapOfN(rapid.SampledFrom([]string{"1", "2", "3"}), rapid.IntRange(0, 9), 1, 3).Draw(t, "score")
		e.Owner = word.Draw(t, "owner")
		e.Closes = time.Unix(60*rapid.Int64Range(0, 1e8).Draw(t, "closes"), 0).UTC()
		e.Lease = time.Duration(rapid.Int64Range(1, 3650*24*3600).Draw(t, "lease")) * time.Second
	}
	return e
}

// TestNotations writes random params as a form and as JSON, and expects both to decode to these params.
func TestNotations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawn(t)
		text := param.Encode(fields, want)
		if !json.Valid(text) {
			t.Fatalf("not JSON: %s", text)
		}
		in, err := param.FromJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		for notation, in := range map[string]param.Input{"json": in, "form": param.FromForm(asForm(want), nil)} {
			var got every
			if err := param.Decode(fields, in, clock, &got); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s %v:\n got %+v, %v\nwant %+v", notation, in, got, err, want)
			}
		}
	})
}

func asForm(e every) url.Values {
	v := url.Values{
		"title": {e.Title}, "body": {strings.ReplaceAll(e.Body, "\n", "\r\n")}, "agenda": {strings.Join(e.Agenda, "\r\n")},
		"seats": {strconv.Itoa(e.Seats)}, "tempo": {string(e.Tempo)}, "accept": e.Accept, "owner": {"@" + e.Owner},
		"closes_at": {""}, "lease": {""}, "_why": {"control"},
	}
	if e.Open {
		v.Set("open", "on")
	}
	for _, o := range options {
		v.Set("score."+o.Value, "")
	}
	for o, n := range e.Score {
		v.Set("score."+o, strconv.Itoa(n))
	}
	if !e.Closes.IsZero() {
		v.Set("closes_at", e.Closes.In(berlin).Format("2006-01-02T15:04Z07:00"))
	}
	if e.Lease != 0 {
		v.Set("lease", fmt.Sprintf("%ds", e.Lease/time.Second))
	}
	return v
}
