package rule

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

func in(command string) string { return fmt.Sprintf(`{"command":%q}`, command) }

// TestWords reads commands that consist of plain words, and refuses all others.
func TestWords(t *testing.T) {
	for _, c := range []struct{ input, want string }{
		{in("make test"), "make|test"},
		{in("  go   test ./... "), "go|test|./..."},
		{in(`git commit -m 'two words' ""`), "git|commit|-m|two words|"},
		{in(`a"b c"'d'`), "ab cd"},
		{`{"command":"ls -l","description":"Lists; all","timeout":120}`, "ls|-l"},
		{in("cat größe.txt"), "cat|größe.txt"},
	} {
		words, ok := Words(c.input)
		if got := strings.Join(words, "|"); !ok || got != c.want {
			t.Errorf("%s: %v %q, want %q", c.input, ok, got, c.want)
		}
	}
	for _, input := range []string{
		in(""), in("  "), in("make test; rm x"), in("make test && rm x"), in("make test | sh"), in("make test > x"),
		in("make test < x"),
		in("make `x`"), in("make $(x)"), in("make $X"), in("make ${X}"), in("make test & x"), in("make \\x"),
		in("make (x)"),
		in("make {a,b}"), in("make *"), in("make ?"), in("make [a]"), in("make !x"), in("make # x"), in("make ~/x"),
		in("make 'a;b'"), in(`make "a$b"`), in("make\ntest"), in("make\ttest"), in("make\rtest"), in("make test\x00"),
		in("make 'test"), in(`make "test`), in(`make "test'`), in("A=1 make"), in("A=1"), in("'' make"),
		in("=make test"),
		`{"command":"make\u00a0test"}`, `{"command":"make \u202etest"}`, `{"command":"make \ud800"}`,
		`{"command":"make \u2028x"}`,
		`{"command":["make","test"]}`, `{"command":"make test","cwd":"/"}`, `{"command":"make test","env":{"A":"1"}}`,
		`{"command":"make test","dangerouslyDisableSandbox":true}`, `{"command":"make test","command":"rm x"}`,
		`{"command":"make test","Command":"rm x"}`, `{"COMMAND":"make test"}`, `{"cmd":"make test"}`,
		`{"description":"make test"}`,
		`{"command":"make test","description":{"a":1}}`, `{"command":"make test","timeout":"1"}`,
		`{"command":"make test"} x`,
		`{"command":"make test"}{}`, `{"command":"make test"`, `{"command":1}`, `{"command":null}`, `"make test"`,
		`["make test"]`,
		`make test`, ``, `{}`, `null`, `{"command":{"command":"make test"}}`,
	} {
		if words, ok := Words(input); ok {
			t.Errorf("%s has the words %q", input, words)
		}
	}
}

// TestPaths checks which paths a rule about a folder may read.
func TestPaths(t *testing.T) {
	for _, p := range []string{"a", "src/a.go", "src/größe (2).txt", "src/[id]/page.tsx", ".github/x.yml", "a/b/c/d",
		"a..b/c...d"} {
		if !IsPath(p) {
			t.Errorf("%q is refused", p)
		}
	}
	for _, p := range []string{"", ".", "..", "/", "/src/a", "src/", "src//a", "./src/a", "src/./a", "src/../a",
		"../src/a", "src/..",
		"src/a/..", "src\\a", "C:/a", "C:a", "src/a:b", "~/a", "src/~", "$HOME/a", "src/%2e%2e/a", "src/a\x00",
		"src/a\nb", "src/\ta",
		"src/ a", "src/a ", " src/a", "src./a", "src/a.", "src/...", "src/*", "src/a?", "src/`a`", "src/\u202ea",
		"src/\u00a0a", "src/\ufffd",
		"src/\u200ba", "src/a|b", "\\\\host\\share", strings.Repeat("a/", 600) + "a"} {
		if IsPath(p) {
			t.Errorf("%q is taken for a path", p)
		}
	}
}

// TestDecide decides requests by a single rule.
func TestDecide(t *testing.T) {
	folder := func(v Verdict, kind, subject string) Rule { return Rule{v, Folder, kind, subject} }
	command := func(v Verdict, subject string) Rule { return Rule{v, Command, "execute", subject} }
	files := func(kind string, paths ...string) Request { return Request{Kind: kind, Paths: paths} }
	run := func(text string) Request { return Request{Kind: "execute", Input: in(text)} }
	const none = "no rule"
	for _, c := range []struct {
		name string
		rule Rule
		of   Request
		want string // the verdict, or none
	}{
		{"a file below", folder(Allow, "read", "src"), files("read", "src/a.go"), "allow"},
		{"a file far below", folder(Allow, "read", "src"), files("read", "src/a/b/c.go"), "allow"},
		{"several files", folder(Allow, "edit", "src"), files("edit", "src/a.go", "src/b/c.go"), "allow"},
		{"one outside", folder(Allow, "edit", "src"), files("edit", "src/a.go", "docs/b.md"), none},
		{"a longer name", folder(Allow, "read", "src"), files("read", "src2/a.go"), none},
		{"a name with the folder at its end", folder(Allow, "read", "src"), files("read", "lib/src/a.go"), none},
		{"the folder itself", folder(Allow, "read", "src"), files("read", "src"), none},
		{"other case", folder(Allow, "read", "src"), files("read", "SRC/a.go"), none},
		{"another kind", folder(Allow, "read", "src"), files("edit", "src/a.go"), none},
		{"no kind", folder(Allow, "read", "src"), files("", "src/a.go"), none},
		{"no files", folder(Allow, "read", "src"), files("read"), none},
		{"dots", folder(Allow, "read", "src"), files("read", "src/../etc/passwd"), none},
		{"dots that stay inside", folder(Allow, "read", "src"), files("read", "src/a/../b.go"), none},
		{"an absolute path", folder(Allow, "read", "src"), files("read", "/src/a.go"), none},
		{"a hidden file", folder(Allow, "read", "src"), files("read", "src/.env"), none},
		{"a hidden folder", folder(Allow, "read", "src"), files("read", "src/.ssh/id"), none},
		{"in a hidden folder that is named", folder(Allow, "edit", ".github"), files("edit", ".github/ci.yml"),
			"allow"},
		{"the worktree", folder(Allow, "edit", "."), files("edit", "a.go"), "allow"},
		{"git in the worktree", folder(Allow, "edit", "."), files("edit", ".git/config"), none},
		{"git below a folder", folder(Allow, "edit", "sub"), files("edit", "sub/.git/hooks/pre-commit"), none},
		{"a rule for git", folder(Allow, "edit", ".git"), files("edit", ".git/config"), none},
		{"a rule for git in other case", folder(Allow, "edit", "sub/.GIT"), files("edit", "sub/.GIT/config"), none},
		{"a move with one file", folder(Allow, "move", "src"), files("move", "src/a.go"), none},
		{"a move", folder(Allow, "move", "src"), files("move", "src/a.go", "src/b.go"), "allow"},
		{"a move away", folder(Allow, "move", "src"), files("move", "src/a.go", "b.go"), none},
		{"a folder for commands", folder(Allow, "execute", "src"), files("execute", "src/a"), none},
		{"a folder for fetching", folder(Allow, "fetch", "src"), files("fetch", "src/a"), none},
		{"a folder for other tools", folder(Allow, "other", "src"), files("other", "src/a"), none},
		{"a folder for searching", folder(Allow, "search", "src"), files("search", "src/a"), none},
		{"a folder for all tools", folder(Allow, "", "src"), files("", "src/a"), none},
		{"a folder with dots", folder(Allow, "read", "src/.."), files("read", "src/../a"), none},
		{"a folder that is absolute", folder(Allow, "read", "/"), files("read", "/a"), none},
		{"an empty folder", folder(Allow, "read", ""), files("read", "a"), none},

		{"denied below", folder(Deny, "edit", "src"), files("edit", "src/a.go"), "deny"},
		{"denied if one is below", folder(Deny, "edit", "src"), files("edit", "docs/a.md", "src/a.go"), "deny"},
		{"denied for the folder", folder(Deny, "delete", "src"), files("delete", "src"), "deny"},
		{"denied in other case", folder(Deny, "edit", "src"), files("edit", "Src/A.go"), "deny"},
		{"denied for a folder in other case", folder(Deny, "edit", "Src"), files("edit", "src/a.go"), "deny"},
		{"denied for hidden files", folder(Deny, "edit", "src"), files("edit", "src/.env"), "deny"},
		{"asked if its folder goes", folder(Deny, "delete", "src/keep"), files("delete", "src"), "ask"},
		{"asked for an odd path", folder(Deny, "edit", "src"), files("edit", "docs/../src/a.go"), "ask"},
		{"asked without files", folder(Deny, "edit", "src"), files("edit"), "ask"},
		{"not denied outside", folder(Deny, "edit", "src"), files("edit", "docs/a.md"), none},
		{"not denied for another kind", folder(Deny, "edit", "src"), files("read", "src/a.go"), none},
		{"asked for a kind that is not known", folder(Deny, "edit", "src"), files("rewrite", "src/a.go"), "ask"},
		{"all tools below", folder(Ask, "", "src"), files("delete", "src/a.go"), "ask"},
		{"all tools outside", folder(Ask, "", "src"), files("delete", "a.go"), none},
		{"all tools with unknown files", folder(Ask, "", "src"), run("make"), "ask"},

		{"the same words", command(Allow, "make test"), run("make test"), "allow"},
		{"more words", command(Allow, "make test"), run("make test -v 'x y'"), "allow"},
		{"quoted words", command(Allow, "make test"), run(`"make" te'st'`), "allow"},
		{"a longer word", command(Allow, "make test"), run("make tests"), none},
		{"fewer words", command(Allow, "make test"), run("make"), none},
		{"words in one", command(Allow, "make test"), run("'make test'"), none},
		{"another program of that name", command(Allow, "make test"), run("./make test"), none},
		{"an option between", command(Allow, "make test"), run("make -f x test"), none},
		{"a second command", command(Allow, "make test"), run("make test; rm x"), none},
		{"an assignment", command(Allow, "make test"), run("A=1 make test"), none},
		{"another tool", command(Allow, "make test"), Request{Kind: "other", Input: in("make test")}, none},
		{"a title only", command(Allow, "make test"), Request{Kind: "execute"}, none},
		{"one word", command(Allow, "make"), run("make test"), none},
		{"a shell", command(Allow, "bash x.sh"), run("bash x.sh"), none},
		{"a shell by its path", command(Allow, "/bin/sh x.sh"), run("/bin/sh x.sh"), none},
		{"an option", command(Allow, "python -c"), run("python -c x"), none},

		{"a denied command", command(Deny, "git push"), run("git push origin"), "deny"},
		{"a denied command by its path", command(Deny, "git push"), run("/usr/bin/git push"), "deny"},
		{"a denied program", command(Deny, "git"), run("git push"), "deny"},
		{"perhaps a denied command", command(Deny, "git push"), run("true; git push"), "ask"},
		{"perhaps within another", command(Deny, "git push"), run("sudo git push"), "ask"},
		{"perhaps within a tracer", command(Deny, "git push"), run("strace git push"), "ask"},
		{"another command", command(Deny, "git push"), run("git pull"), none},
		{"asked each time", command(Ask, "git push"), run("git push"), "ask"},

		{"the same", Rule{Allow, Same, "execute", "d"}, Request{Kind: "execute", Digest: "d"}, "allow"},
		{"the same with another kind", Rule{Allow, Same, "execute", "d"}, Request{Kind: "read", Digest: "d"}, none},
		{"not the same", Rule{Allow, Same, "execute", "d"}, Request{Kind: "execute", Digest: "e"}, none},
		{"the same nothing", Rule{Allow, Same, "execute", ""}, Request{Kind: "execute"}, none},
		{"the same change of mode", Rule{Allow, Same, "switch_mode", "d"}, Request{Kind: "switch_mode", Digest: "d"},
			none},
		{"denied the same", Rule{Deny, Same, "execute", "d"}, Request{Kind: "execute", Digest: "d"}, "deny"},
		{"all of a kind", Rule{Ask, Tool, "fetch", ""}, Request{Kind: "fetch"}, "ask"},
		{"none of a kind", Rule{Ask, Tool, "fetch", ""}, Request{Kind: "read"}, none},
		{"all tools", Rule{Deny, Tool, "", ""}, Request{Kind: "think"}, "deny"},
		{"all of a kind are not allowed", Rule{Allow, Tool, "fetch", ""}, Request{Kind: "fetch"}, none},
		{"an unknown reach", Rule{Allow, "all", "read", "."}, files("read", "a"), none},
	} {
		got, i := Decide([]Rule{c.rule}, c.of)
		if have := string(got); i < 0 && c.want != none || i >= 0 && have != c.want {
			t.Errorf("%s: %s by %d, want %s", c.name, have, i, c.want)
		}
		if i < 0 && got != Ask {
			t.Errorf("%s: %s by no rule", c.name, got)
		}
	}
}

// TestPrecedence decides requests by several rules: asking beats denying, denying beats allowing, and the first of
// several equal ones counts.
func TestPrecedence(t *testing.T) {
	allow, deny := Rule{Allow, Folder, "edit", "src"}, Rule{Deny, Folder, "edit", "src/keep"}
	ask := Rule{Ask, Tool, "edit", ""}
	for _, c := range []struct {
		rules []Rule
		path  string
		want  Verdict
		by    int
	}{
		{nil, "src/a", Ask, -1},
		{[]Rule{deny, allow}, "src/a", Allow, 1},
		{[]Rule{allow, deny}, "src/keep/a", Deny, 1},
		{[]Rule{allow, deny, ask}, "src/keep/a", Ask, 2},
		{[]Rule{ask, allow}, "src/a", Ask, 0},
		{[]Rule{allow, allow}, "src/a", Allow, 0},
		{[]Rule{allow, deny}, "src", Ask, 1}, // the denied folder is within it
	} {
		if got, by := Decide(c.rules, Request{Kind: "edit", Paths: []string{c.path}}); got != c.want || by != c.by {
			t.Errorf("%v on %s: %s by %d, want %s by %d", c.rules, c.path, got, by, c.want, c.by)
		}
	}
}

// TestReachesOfRequests checks the folders and the beginnings of commands that are offered with an answer.
func TestReachesOfRequests(t *testing.T) {
	for _, c := range []struct {
		of   Request
		want string
	}{
		{Request{Kind: "read", Paths: []string{"src/auth/a.go"}}, "src/auth src ."},
		{Request{Kind: "read", Paths: []string{"src/a.go", "src/auth/b.go"}}, "src ."},
		{Request{Kind: "edit", Paths: []string{"a.go"}}, "."},
		{Request{Kind: "edit", Paths: []string{"src/a", "src2/a"}}, "."},
		{Request{Kind: "edit", Paths: []string{".github/workflows/a.yml"}}, ".github/workflows .github"},
		{Request{Kind: "edit", Paths: []string{".env"}}, ""},
		{Request{Kind: "edit", Paths: []string{".git/config"}}, ""},
		{Request{Kind: "edit", Paths: []string{"../a"}}, ""},
		{Request{Kind: "move", Paths: []string{"src/a"}}, ""},
		{Request{Kind: "edit"}, ""},
		{Request{Kind: "fetch", Paths: []string{"src/a"}}, ""},
		{Request{Kind: "execute", Input: in("go test ./store -run X")}, "go test|go test ./store"},
		{Request{Kind: "execute", Input: in("make")}, ""},
		{Request{Kind: "execute", Input: in("git -C x status")}, ""},
		{Request{Kind: "execute", Input: in("sudo make install")}, ""},
		{Request{Kind: "execute", Input: in("find src -exec rm a +")}, ""},
		{Request{Kind: "execute", Input: in("rg words --pre ./evil")}, ""},
		{Request{Kind: "execute", Input: in("sort words --compress-program ./evil")}, ""},
		{Request{Kind: "execute", Input: in("taskset 1 rm a")}, ""},
		{Request{Kind: "execute", Input: in("make 'a b' c")}, ""},
		{Request{Kind: "other", Input: in("make test")}, ""},
	} {
		got := strings.Join(c.of.Folders(), " ")
		if c.of.Kind == "execute" || c.of.Kind == "other" {
			got = strings.Join(c.of.Commands(), "|")
		}
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.of, got, c.want)
		}
	}
}

// FuzzCommands checks that no command with an operator of a shell is allowed, and that every allowed command begins
// with the words of the rule, apart from quotes.
func FuzzCommands(f *testing.F) {
	for _, s := range []string{in("make test"), in("make test; x"), in("make 'test"),
		`{"command":"make test","cwd":"/"}`} {
		f.Add(s, "make test")
	}
	f.Fuzz(func(t *testing.T, input, words string) {
		var all map[string]any
		_ = json.Unmarshal([]byte(input), &all) // an input that cannot be read has no command
		command := fmt.Sprint(all["command"])
		special := strings.ContainsAny(command, ";&|<>`$\n\r\\(){}")
		r := Request{Kind: "execute", Input: input}
		if offered := r.Commands(); len(offered) > 0 && special {
			t.Errorf("%q is offered %q", input, offered)
		}
		if verdict, _ := Decide([]Rule{{Allow, Command, "execute", words}}, r); verdict != Allow {
			return
		}
		if special || len(all) > 1 && all["description"] == nil && all["timeout"] == nil {
			t.Errorf("%q is allowed", input)
		}
		plain := strings.NewReplacer("'", "", `"`, "").Replace(command)
		if !slices.Equal(strings.Fields(plain)[:len(strings.Fields(words))], strings.Fields(words)) {
			t.Errorf("%q is allowed by %q", input, words)
		}
		if strings.Contains(strings.Fields(plain)[0], "=") {
			t.Errorf("%q is allowed with an assignment", input)
		}
	})
}

// FuzzFolders checks that a rule about a folder allows nothing outside of the folder, nothing hidden, and no tool of
// another kind.
func FuzzFolders(f *testing.F) {
	for _, p := range []string{"src/a", "src/../a", "/src/a", "src2/a", "src/.env", "src//a"} {
		f.Add("src", p, "read")
	}
	f.Add(".", "a/.git/config", "edit")
	f.Fuzz(func(t *testing.T, folder, p, kind string) {
		for _, l := range []Rule{{Allow, Folder, "read", folder}, {Allow, Folder, "edit", folder}, {Allow, Folder,
			kind, folder}} {
			verdict, _ := Decide([]Rule{l}, Request{Kind: kind, Paths: []string{p}})
			if verdict != Allow {
				continue
			}
			rest := p
			if folder != "." {
				rest = strings.TrimPrefix(path.Join("/w", p), path.Join("/w", folder)+"/")
			}
			switch {
			case kind != l.Kind || !slices.Contains(FolderKinds, kind):
				t.Errorf("%v allows the kind %q", l, kind)
			case path.Join("/w", p) != "/w/"+p || folder != "." && rest == path.Join("/w", p):
				t.Errorf("%v allows %q", l, p)
			case strings.HasPrefix(rest, ".") || strings.Contains(rest, "/."):
				t.Errorf("%v allows the hidden %q", l, p)
			}
		}
	})
}
