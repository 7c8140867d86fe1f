package oauth

import "testing"

// TestPrivateSchemes checks that a redirect address may have a private-use URI scheme. A scheme with a meaning for
// browsers or operating systems is refused, and so is an address that only looks like a web address.
func TestPrivateSchemes(t *testing.T) {
	for _, to := range []string{"cursor://anysphere.cursor-retrieval/oauth/callback",
		"vscode://vscode.github-authentication/did-authenticate", "vscode-insiders://x/y", "com.example.app:/callback",
		"com.example.app:/callback?a=b", "zed:/oauth"} {
		if !goodRedirect(to) || privateScheme(to) == "" {
			t.Errorf("%s is refused", to)
		}
	}
	for _, to := range []string{"javascript:alert(1)", "javascript:/a", "javascript://a/%0aalert(1)",
		"data:text/html,x", "data:/x", "data://x", "file:///etc/passwd", "file:/etc/passwd", "blob:https://a.example/x",
		"blob:/x", "blob://x", "vbscript:/x", "about:/blank", "view-source:/x", "filesystem:/x", "http:/a.example",
		"https:/a.example", "https:///a.example", "ws://a.example/", "wss://a.example/", "ftp://a.example/",
		"mailto:/a@b.example", "tel:/1", "sms:/1", "intent://x/", "chrome://settings/", "chrome-extension://x/",
		"moz-extension://x/", "ms-msdt:/x", "ms-settings:/x", "search-ms:/x", "microsoft-edge://x",
		"ssh://a.example/", "ldap://a.example/", "smb://a.example/x", "jar:/x", "CURSOR://x/", "Cursor://x/",
		"cursor:x", "cursor:", "cursor:/", "cursor:?x", "cursor://", "cursor:///x#y", "cursor://x#y",
		"cursor://x y", "1x:/a",
		"a:/b", "//x/y", ":/x", "cursor://x\\y", "cursor://x\"y", "cursor://x<y", "cursor://x\r\ny"} {
		if goodRedirect(to) {
			t.Errorf("%q is taken", to)
		}
	}
	if sameRedirect("cursor://x/cb", "cursor://x/cb?a") || sameRedirect("cursor://x:1/cb", "cursor://x:2/cb") {
		t.Error("an address with a scheme of its own is not compared as a whole")
	}
}
