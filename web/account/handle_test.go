package account_test

import (
	"testing"

	"samepage/web/account"
)

func TestHandlesAreMadeFromNames(t *testing.T) {
	for _, c := range []struct{ organization, name, handle, member string }{
		{"Meadow Cooperative", "Alice Adams", "meadow-cooperative", "alice"},
		{"Acme & Co.", "Åsa Ørsted", "acme-co", "asa"},
		{"Straße 7", "J Smith", "strasse-7", "j-smith"},
		{"42 Ltd", "Zoë O’Neill", "ltd", "zoe"},
		{"会社", "山田", "", ""},
		{"A", "x", "", ""},
		{"Actions", "Łukasz", "", "lukasz"}, // the handle actions is reserved
		{"Verein zur Förderung der gemeinschaftlichen Nutzung", "Bo", "verein-zur-forderung-der-gemeinschaftlic", "bo"},
	} {
		f := account.Founding{Organization: c.organization, Name: c.name}.WithHandles()
		if f.Handle != c.handle || f.Member != c.member {
			t.Errorf("%s, %s: %q, %q", c.organization, c.name, f.Handle, f.Member)
		}
	}
	if f := (account.Founding{Organization: "Acme", Handle: "other", Name: "Alice", Member: "al"}).WithHandles(); f.Handle != "other" ||
		f.Member != "al" {
		t.Errorf("given handles are replaced by %s, %s", f.Handle, f.Member)
	}
}
