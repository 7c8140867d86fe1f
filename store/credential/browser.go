package credential

import "strings"

// Name describes the browser and its operating system in words, for example "Firefox on Linux". It may be wrong,
// because a client can send any User-Agent.
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

// Each entry has a part of the User-Agent header and the name of the browser or system that sends it. More specific
// parts come first, because a User-Agent also names compatible browsers and systems.
var (
	browsers = [][2]string{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Vivaldi/", "Vivaldi"},
		{"SamsungBrowser/", "Samsung Internet"}, {"FxiOS/", "Firefox"}, {"Firefox/", "Firefox"},
		{"CriOS/", "Chrome"}, {"Chromium/", "Chromium"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
		{"curl/", "curl"}}
	systems = [][2]string{{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"},
		{"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"}, {"BSD", "BSD"}}
)
