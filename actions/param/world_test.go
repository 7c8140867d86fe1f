package param_test

import (
	"reflect"
	"testing"
	"time"

	"samepage/actions/param"
)

// every has a field of each kind, and both required and optional fields.
type every struct {
	Title  string         `param:"title,text" doc:"What it is called." max:"20" min:"3"`
	Body   string         `param:"body,markdown,optional" doc:"The whole story." max:"40"`
	Agenda []string       `param:"agenda,lines,optional" doc:"One point per line." max:"3"`
	Seats  int            `param:"seats,number,optional" doc:"How many." min:"-5" max:"12"`
	Open   bool           `param:"open,flag,optional" doc:"Anyone may join."`
	Tempo  tempo          `param:"tempo,choice,optional" doc:"How often." options:"daily,weekly=Once a week"`
	Accept []string       `param:"accept,choices,optional" doc:"What you can live with."`
	Score  map[string]int `param:"score,grid,optional" doc:"Points for each." max:"9"`
	Owner  string         `param:"owner,ref,optional" doc:"Who looks after it."`
	Closes time.Time      `param:"closes_at,time,optional" doc:"When it ends."`
	Lease  time.Duration  `param:"lease,duration,optional" doc:"For how long."`
	Key    string         `param:"key,secret,optional" doc:"The key." max:"12"`
	Logo   param.Upload   `param:"logo,file,optional" doc:"A picture." max:"16"`
}

type tempo string

var (
	options = []param.Option{{Value: "1", Label: "Yes, every Monday"},
		{Value: "2", Label: "Yes, async"}, {Value: "3", Label: "No change"}}
	offers = param.Offers{"accept": {Options: options}, "score": {Options: options}}
	fields = param.Apply(param.Fields(reflect.TypeFor[every]()), offers)

	berlin = func() *time.Location {
		zone, err := time.LoadLocation("Europe/Berlin")
		if err != nil {
			panic(err)
		}
		return zone
	}()
	clock = param.Clock{Now: time.Date(2026, 11, 20, 9, 30, 15, 0, time.UTC), Zone: berlin}
)

func utc(s string) time.Time {
	t, err := time.Parse("2006-01-02 15:04", s)
	if err != nil {
		panic(err)
	}
	return t
}

func fromJSON(t testing.TB, s string) param.Input {
	t.Helper()
	in, err := param.FromJSON([]byte(s))
	if err != nil {
		t.Fatalf("FromJSON(%s): %v", s, err)
	}
	return in
}
