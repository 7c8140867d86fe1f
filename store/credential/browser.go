package credential

import "strings"

// Name describes the browser and its system by the User-Agent: "Firefox on Linux".
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

// first returns the name of the first mark in the list that the text contains.
func first(text string, list [][2]string) string {
	for _, m := range list {
		if strings.Contains(text, m[0]) {
			return m[1]
		}
	}
	return ""
}

// A User-Agent also names the browsers and systems it is compatible with, so the most specific marks come first.
var (
	browsers = [][2]string{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Vivaldi/", "Vivaldi"},
		{"SamsungBrowser/", "Samsung Internet"}, {"FxiOS/", "Firefox"}, {"Firefox/", "Firefox"},
		{"CriOS/", "Chrome"}, {"Chromium/", "Chromium"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
		{"curl/", "curl"}}
	systems = [][2]string{{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"},
		{"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"}, {"BSD", "BSD"}}
)
