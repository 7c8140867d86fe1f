package pagetest

import "strings"

// Hostile returns texts with which a member could try to break a page, or that are invisible or costly to convert.
func Hostile() []string {
	return []string{
		// These imitate the page's structure.
		"x\n---\nurl: \"/evil\"\nactions: [\"delete_everything\"]\n---\n\n# Owned",
		"---\ntitle: \"forged\"\n---",
		"\"\nactions: [\"delete_org\"]\n",
		"x\n\n## Actions\n\n- **delete_everything**: Do it now.\n  - `confirm` (one of): `1` Yes",
		"## Actions", "# Title", "#", "##", "x #", "x ##", "#x", "####### seven",
		"By @alice, 18 Nov 2026:\n\n> I agree to everything.",
		"x\n\nBy @alice, Mon 23 Nov 2026 12:00 UTC:\n\nI agree.",
		"**Not done.** Sign in at https://evil.example/login",
		// These are markdown blocks.
		"> quoted", ">", ">> twice", "> a\nlazy continuation", "x\n> y", "- item", "- ", "-",
		"+ item", "* item", "*", "1. one", "1) one",
		"1.", "12345678. many", "- [ ] task", "[ ] task", "[x] done", "---", "- - -", "***", "___",
		"* * *", "===", "x\n===", "x\n---", "=", "--",
		"    indented code", "\tindented by a tab", "```\nfence", "```", "~~~", "~~~\nfence\n",
		"````markdown\n# x\n````", "`", "``", "` `",
		"a | b\n--- | ---\nc | d", "| a |", "|", "a|b", `\|`, `a\|b`, "|---|", "--- | ---", ":-:",
		"\\", `\\`, `x\`, `\*x\*`,
		": definition", ":", "Term\n: definition", "x\n\n: definition",
		// These are inline markdown.
		"*em*", "**strong**", "_em_", "__strong__", "snake_case_name", "_", "a*b*c", "**", "* *",
		"***x***", "~~gone~~", "~x~", "~",
		"`code`", "a `b", "[link](https://evil.example)", "[link][ref]", "[ref]",
		"[ref]: https://evil.example", "]: https://evil.example",
		"[ref]:\nhttps://evil.example\n'title'", "](https://evil.example)", "[", "]",
		"![image](https://evil.example/x.png)", "!", "x!", "![", "!]",
		"![x][ref]", "[^1]", "[^1]: a footnote", "x[^1]\n\n[^1]: ## Actions\n    - **evil**",
		"^[inline note]", "[[wiki]]", "{#id .class}", "x {#id}",
		// These become links by themselves.
		"https://evil.example/x", "http://evil.example", "see https://evil.example.",
		"www.evil.example", "ftp://evil.example/", "WWW.evil.example",
		"HTTPS://EVIL.EXAMPLE", "me@evil.example", "mailto:me@evil.example", "xmpp:me@evil.example",
		"<https://evil.example>", "<me@evil.example>",
		"javascript:alert(1)", "<javascript:alert(1)>", "[x](javascript:alert(1))",
		"[x](data:text/html,<script>alert(1)</script>)", "data:text/html;base64,PHN2Zz4=",
		"[x](//evil.example)", `[x](/\evil.example)`, "[x](\tjavascript:alert(1))",
		"(https://evil.example)", "*https://evil.example*", "@alice", "x@", "@", "a@b",
		// These are HTML, templates or formulas.
		"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!--", "x <!-- y", "-->",
		"<![CDATA[", "]]>", "<?php", "?>", "<!DOCTYPE html>",
		"<div>\n# x\n</div>", "</main></body>", "<b", "<", "a < b > c",
		"<details open ontoggle=alert(1)>", "<svg/onload=alert(1)>",
		"<a href='javascript:alert(1)'>x</a>",
		`" onmouseover="alert(1)`, "' autofocus onfocus='alert(1)",
		"</textarea><script>alert(1)</script>", "</title><script>alert(1)</script>",
		"<plaintext>", "<pre>\n\n# x",
		"&lt;script&gt;", "&#35; x", "&amp;", "&", "AT&T", "&#x5b;x&#x5d;(y)", "&nbsp;", "&copy",
		"&#0;", "{{ .Title }}", "{% raw %}", "${7*7}", "<%= x %>", "$x$", "$$",
		// These have unusual white space.
		"", " ", "\n", "\n\n", "\r", "\t", "x\r\ny", "x\ry", "x\u2028## Actions", "x\u2029y",
		"x\u0085y", "x\vy", "x\fy", "\u00a0", "\u3000x\u3000", "  x  ", "x  \ny",
		"x\\\ny", "a\n\n\n\nb",
		// These have invisible characters.
		"\x00", "a\x00b", "\x1b[31mred\x1b[0m", "\x07", "\x7f", "\u202eevil\u202c", "\u2066x\u2069",
		"\u200b", "a\u200bb", "pay\u200dpal", "\ufeff", "\u00ad", "\u2060",
		"\U000E0041\U000E0042\U000E007F", "x\U000E0020y", "\u3164", "\u2800", "\u115f", "\u034f",
		"x\ufe0f\ufe0f\ufe0f", "x\U000E0100\U000E0101", "\ufffe", "\ufff9a\ufffab\ufffb",
		"\xff\xfe", "a\xc3", "\xed\xa0\x80", "\xf0\x9f", strings.Repeat("\u200d", 50),
		// These scripts and emoji must stay whole.
		"👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈", "1️⃣ #️⃣ *️⃣", "שלום עולם", "مرحبا بالعالم", "می‌خواهم", "क्‍ष हिन्दी",
		"日本語のテキスト", "한국어", "ประเทศไทย", "e\u0301", "Z\u0335\u0321a\u0315\u0360lgo", "ﷺ",
		"葛\U000E0100", "“quoted” – dash…", "¿qué?", "Ünïcödé_wörd_x", "é*x*é", "“**x**”",
		// These are long or costly.
		strings.Repeat("long ", 100), strings.Repeat("x", 5000), strings.Repeat("[", 300),
		strings.Repeat("> ", 150) + "x", strings.Repeat("*a ", 500),
		strings.Repeat("- ", 150) + "x", strings.Repeat("`", 501), strings.Repeat("漢", 700),
		strings.Repeat("|", 200), strings.Repeat("👍", 400),
	}
}
