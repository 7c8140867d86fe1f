package credential

import "strings"

// Name describes the browser and its operating system in words, for example "Firefox on Linux". The client can lie.
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

func first(text string, list [][2]string) string {
	for _, m := range list {
		if strings.Contains(text, m[0]) {
			return m[1]
		}
	}
	return ""
}

// Each entry has a mark in the User-Agent and the name that it stands for. More specific marks come first, because a
// User-Agent also has the marks of compatible browsers and systems.
var (
	browsers = [][2]string{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Vivaldi/", "Vivaldi"},
		{"SamsungBrowser/", "Samsung Internet"}, {"FxiOS/", "Firefox"}, {"Firefox/", "Firefox"},
		{"CriOS/", "Chrome"}, {"Chromium/", "Chromium"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
		{"curl/", "curl"}}
	systems = [][2]string{{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"},
		{"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"}, {"BSD", "BSD"}}
)
