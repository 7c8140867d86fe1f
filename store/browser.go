package store

import "strings"

// Name says which browser it is, on what, as far as its User-Agent tells: "Firefox on Linux".
func (b Browser) Name() string {
	browser, system := first(b.Agent, browsers), first(b.Agent, systems)
	switch {
	case browser == "" && system == "":
		return "Unknown browser"
	case system == "":
		return browser
	case browser == "":
		return "Unknown browser on " + system
	}
	return browser + " on " + system
}

// first is the name of the first of a list of marks that a text has.
func first(text string, list [][2]string) string {
	for _, m := range list {
		if strings.Contains(text, m[0]) {
			return m[1]
		}
	}
	return ""
}

// Every browser names those it is to be taken for, and every system those it is like: the most particular come first.
var (
	browsers = [][2]string{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Vivaldi/", "Vivaldi"},
		{"SamsungBrowser/", "Samsung Internet"}, {"FxiOS/", "Firefox"}, {"Firefox/", "Firefox"},
		{"CriOS/", "Chrome"}, {"Chromium/", "Chromium"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
		{"curl/", "curl"}}
	systems = [][2]string{{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"},
		{"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"}, {"BSD", "BSD"}}
)
