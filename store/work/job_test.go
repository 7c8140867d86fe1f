package work

import "testing"

// TestAFailedJobSaysWhatItDid checks the verb of a failed job about an environment, which can be one of three.
func TestAFailedJobSaysWhatItDid(t *testing.T) {
	for params, want := range map[string]string{
		`{"do":"start","argv":["x"]}`: "could not start the environment of",
		`{"do":"stop"}`:               "could not stop the environment of",
		`{"do":"look"}`:               "could not look at the environment of",
	} {
		j := &Job{Kind: environmentName, Params: params, Problem: "No."}
		if told, _ := j.Failure(nil); told != want {
			t.Errorf("%s: %q, want %q", params, told, want)
		}
	}
	for kind, want := range map[string]string{"fetch": "could not fetch", "other": "could not other"} {
		if told, _ := (&Job{Kind: kind, Problem: "No."}).Failure(nil); told != want {
			t.Errorf("%s: %q, want %q", kind, told, want)
		}
	}
}
