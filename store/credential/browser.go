package credential

import "strings"

// Name describes the browser and its operating system in words, for example "Firefox on Linux". It reads both from the
// User-Agent, so a client can pretend to be another browser.
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

// first returns the name of the first list entry whose mark occurs in the text, or "".
func first(text string, list [][2]string) string {
	for _, m := range list {
		if strings.Contains(text, m[0]) {
			return m[1]
		}
	}
	return ""
}

// Each entry has a mark in the User-Agent and the name that it stands for. A User-Agent also has the marks of the
// browsers and systems with which it claims to be compatible, so more specific marks come first.
var (
	browsers = [][2]string{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Vivaldi/", "Vivaldi"},
		{"SamsungBrowser/", "Samsung Internet"}, {"FxiOS/", "Firefox"}, {"Firefox/", "Firefox"},
		{"CriOS/", "Chrome"}, {"Chromium/", "Chromium"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
		{"curl/", "curl"}}
	systems = [][2]string{{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"},
		{"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"}, {"BSD", "BSD"}}
)
