// Every page works without this script. With it, forms are answered without loading a page, pages show changes as they
// happen, unsent texts are kept, and keys work. It never turns a string into HTML: XMLHttpRequest parses pages.
(() => {
	"use strict";

	const root = document.documentElement;
	const all = (selector, from = document) => [...from.querySelectorAll(selector)];
	const main = () => document.getElementById("content"), here = () => location.pathname + location.search;

	// stored returns the value of a name in localStorage or sessionStorage. Given a value, it sets it; null removes the name.
	const stored = (area, name, value) => {
		try {
			if (value === undefined) return window[area].getItem(name);
			if (value === null) window[area].removeItem(name);
			else window[area].setItem(name, value);
		} catch {
			// the browser has no storage, or the storage is full
		}
		return null;
	};

	/* The theme. It is set before the page is painted if the browser has this script in its cache. */

	const themes = ["auto", "light", "dark"];
	const theme = () => themes.find((t) => t === stored("localStorage", "theme")) ?? "auto";
	const paint = () => {
		if (theme() === "auto") delete root.dataset.theme;
		else root.dataset.theme = theme();
		for (const b of all("[data-own=theme] button span")) b.textContent = "Theme: " + theme();
	};
	paint();

	/* Elements that this script adds. Morphing, see below, skips those with the attribute data-own. */

	const make = (tag, attributes, ...children) => {
		const e = document.createElement(tag);
		for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
		e.append(...children);
		return e;
	};

	const icon = (name) => {
		const file = document.querySelector("svg use")?.getAttribute("href").split("#")[0];
		if (!file) return "";
		const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
		const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
		svg.setAttribute("class", "i");
		svg.setAttribute("aria-hidden", "true");
		use.setAttribute("href", file + "#" + name);
		svg.append(use);
		return svg;
	};

	const button = (attributes, name, text, act) => {
		const b = make("button", {type: "button", ...attributes}, icon(name), make("span", {}, text));
		b.addEventListener("click", act);
		return b;
	};

	const toasts = make("div", {class: "toasts", "data-own": "toasts", role: "status"});

	// toast shows a sentence for some seconds, or until it is closed if bad is set. A button calls the function undo.
	const toast = (text, {bad = false, undo} = {}) => {
		const e = make("div", {class: bad ? "toast bad" : "toast"}, make("span", {}, text));
		const close = () => e.remove();
		if (undo) e.append(button({class: "small"}, "undo", "Undo", () => (close(), undo())));
		e.append(button({class: "small quiet"}, "cross", "Close", close));
		toasts.append(e);
		while (toasts.children.length > 3) toasts.firstChild.remove();
		const later = () => setTimeout(() => (e.matches(":hover, :focus-within") ? later() : close()), undo ? 12000 : 7000);
		if (!bad) later();
	};

	/* Morphing: this page is changed into another one. Elements that both pages have are updated, not replaced. */

	const own = (n) => n.nodeType === 1 && n.hasAttribute("data-own");

	// key identifies an element among its siblings: its id, the action of a form, a row's first link, or "" if it has none.
	const key = (n) => {
		if (n.nodeType !== 1) return "";
		if (n.hasAttribute("id")) return "#" + n.getAttribute("id");
		if (n.tagName === "FORM") return n.getAttribute("action") ?? "";
		if (n.tagName === "LI" || n.tagName === "TR") return n.querySelector("a[href]")?.getAttribute("href") ?? "";
		return "";
	};

	const attributes = (from, to) => {
		const keeps = (name) => (name === "open" && from.tagName === "DETAILS") || name.startsWith("tool");
		for (const {name} of [...from.attributes]) if (!to.hasAttribute(name) && !keeps(name)) from.removeAttribute(name);
		for (const {name, value} of to.attributes) if (from.getAttribute(name) !== value && !keeps(name)) from.setAttribute(name, value);
	};

	const ticks = (t) => t.type === "checkbox" || t.type === "radio";
	const value = (t) => (ticks(t) ? t.checked : t.value);

	// initial returns the value that a field has in the page, and typed reports whether the person has changed it.
	const initial = (t) => {
		if (t.tagName === "SELECT") return ([...t.options].find((o) => o.defaultSelected) ?? t.options[0])?.value;
		return ticks(t) ? t.defaultChecked : t.defaultValue;
	};
	const typed = (t) => value(t) !== initial(t);

	// put sets the value of a field. A drop-down list without the value gets its initial one.
	const put = (t, to) => {
		if (ticks(t)) t.checked = to;
		else if (t.value !== to) t.value = to;
		if (t.selectedIndex === -1) t.value = initial(t);
	};

	// control updates a field of a form to that of the other page. It keeps a value that the person has changed.
	const control = (from, to) => {
		const kept = typed(from), now = value(from);
		attributes(from, to);
		if (from.tagName === "SELECT") children(from, to);
		if (from.tagName === "TEXTAREA" && from.defaultValue !== to.defaultValue) from.defaultValue = to.defaultValue;
		if (from.type !== "file") put(from, kept ? now : initial(from));
	};

	// alike reports whether a node can be morphed into the node next, whose key is k. Without keys, classes must be equal.
	const alike = (n, next, k = key(next)) => n.nodeName === next.nodeName && key(n) === k &&
		(k !== "" || n.nodeType !== 1 || n.className === next.className || n.nodeName === "svg");

	// find returns the node to morph into left[0]: the node at or a sibling after it, or null if left[0] must be inserted.
	// The set wanted has the keys of all siblings of left[0].
	const find = (at, left, wanted) => {
		const next = left[0], k = key(next);
		if (k === "" && at && !alike(at, next) && left.some((l) => alike(at, l))) return null;
		for (let n = at; n; n = n.nextSibling) {
			if (own(n)) continue;
			if (alike(n, next, k)) return n;
			if (k === "" && wanted.has(key(n))) break;
		}
		return k === "" && at?.nodeName === next.nodeName && key(at) === "" ? at : null;
	};

	const children = (from, to) => {
		const wanted = new Set([...to.children].map(key).filter(Boolean)), left = [...to.childNodes];
		let at = from.firstChild;
		// pass moves at past elements of this script, and removes elements whose key the other page lacks, or all if rest is set.
		const pass = (rest) => {
			while (at && (rest || own(at) || (key(at) !== "" && !wanted.has(key(at))))) {
				const gone = at;
				at = at.nextSibling;
				if (!own(gone)) gone.remove();
			}
		};
		for (; left.length > 0; left.shift()) {
			pass();
			const next = left[0], old = find(at, left, wanted);
			if (!old) {
				from.insertBefore(document.importNode(next, true), at);
				continue;
			}
			const between = [];
			for (let n = at; n !== old; n = n.nextSibling) if (!own(n)) between.push(n);
			if (key(next) === "") for (const n of between) n.remove();
			else if (old.contains(document.activeElement)) old.after(...between); // an element that is moved loses the focus
			else if (between.length > 0) from.insertBefore(old, at);
			morph(old, next);
			at = old.nextSibling;
		}
		pass(true);
	};

	const morph = (from, to) => {
		if (from.nodeType !== 1) {
			if (from.data !== to.data) from.data = to.data;
		} else if (!from.isEqualNode(to)) {
			if (/^(INPUT|SELECT|TEXTAREA)$/.test(from.tagName)) return control(from, to);
			attributes(from, to);
			children(from, to);
		}
	};

	/* Loading and showing pages. */

	// load sends a request and returns a promise of the answer. The promise is rejected only if there is no answer.
	const load = (method, url, body = null, headers = {}) => new Promise((done, failed) => {
		const x = new XMLHttpRequest();
		x.open(method, url);
		x.responseType = "document";
		x.overrideMimeType("text/html; charset=utf-8"); // a 304 has no type; parsed as XML, it is an error page with inline style
		x.timeout = method === "GET" ? 30000 : 0;
		x.setRequestHeader("Accept", "text/html");
		for (const [name, value] of Object.entries(headers)) x.setRequestHeader(name, value);
		x.onload = () => {
			const to = new URL(x.responseURL || url, location.href);
			done({status: x.status, page: x.response, tag: x.getResponseHeader("ETag"), url: to.pathname + to.search});
		};
		x.onerror = x.ontimeout = x.onabort = () => failed(new Error("no answer"));
		x.send(body);
	});

	const files = (page) => all("head script[src], head link[rel=stylesheet]", page)
		.map((e) => e.getAttribute("src") ?? e.getAttribute("href")).join();

	// fits reports whether this page can be morphed into another: it has #content, and scripts, styles and body class equal.
	const fits = (page) => Boolean(page?.getElementById("content")) && files(page) === files(document) &&
		page.body.className === document.body.className;

	let frozen = false; // whether the page is not refreshed any more: it shows something only once, or cannot be updated
	let skew = 0; // milliseconds by which the server's clock is ahead of the browser's

	const top = (e) => e.getBoundingClientRect().top;

	// show morphs this page into another one. It returns the text of the message or failure at the top of the other page. The
	// page that refuses a form has the text and the present version already, so nothing is restored there.
	const show = (page, url = here(), refused = false) => {
		const notice = page.querySelector("main > .message, main > .failure");
		if (!frozen) notice?.remove();
		document.title = page.title;
		for (const rel of ["canonical", "alternate"]) {
			const link = document.querySelector(`head link[rel=${rel}]`), other = page.querySelector(`head link[rel=${rel}]`);
			if (link && other) attributes(link, other);
		}
		const elsewhere = url !== here();
		if (elsewhere) {
			leave();
			tag = "";
			history.pushState(null, "", url);
		}
		const menu = document.activeElement.closest("[popover]")?.id, chat = document.querySelector(".chat");
		const read = chat?.scrollTop < 0 && all(".said", chat).find((m) => top(m) > top(chat)), was = read && top(read);
		morph(document.body, page.body);
		dress();
		if (!refused) restore();
		if (elsewhere) scrollTo(0, 0);
		else if (read?.isConnected) chat.scrollTop += top(read) - was; // older messages that are being read stay in place
		const opener = menu && !elsewhere && document.querySelector(`[popovertarget="${menu}"]`);
		if (elsewhere || document.activeElement === document.body) (opener || main()).focus({preventScroll: true});
		listen();
		return notice?.textContent ?? "";
	};

	addEventListener("popstate", () => here() !== shown && location.reload());
	let shown = here();

	/* Forms. */

	let busy = 0; // how many requests that send a form or a picture have no answer yet
	let away = false; // whether the browser is loading another page

	const plainly = (form, by) => {
		away = true;
		if (by?.getAttribute("name")) form.append(make("input", {type: "hidden", name: by.name, value: by.value}));
		HTMLFormElement.prototype.submit.call(form); // the server acts once, as both requests have the same idempotency key
	};

	const chosen = (form) => all("input[type=hidden]", form).filter((i) => !i.name.startsWith("_"))
		.map((i) => i.name + "=" + i.value).join("&");

	// oneClick returns the form that takes an action, has no visible fields, and has the same chosen values as the form row.
	const oneClick = (action, row) => all(`main form[action*="/actions/${action}"]`).find((f) =>
		f.getAttribute("action").split("?")[0].endsWith("/" + action) && chosen(f) === row &&
		!f.querySelector("input:not([type=hidden]), select, textarea"));

	const sent = (form) => {
		stored("sessionStorage", draft(form), null);
		for (const e of [...all("[data-own=error]"), ...all("[data-own=draft]", form)]) e.remove();
		form.reset();
	};

	// mark shows the errors of a refused form above it and above its fields. It returns false if a field is missing.
	const mark = (form, page) => {
		const summary = page.querySelector("main .errors"), errors = all("main .field .error[id]", page);
		const field = (id) => document.getElementById(id.replace(/-error$/, ""));
		if (!summary || errors.length === 0 || !errors.every((e) => field(e.id) && form.contains(field(e.id)))) return false;
		for (const e of all("[data-own=error]")) e.remove();
		const box = document.importNode(summary, true);
		box.setAttribute("data-own", "error");
		box.setAttribute("tabindex", "-1");
		form.before(box);
		for (const e of errors) {
			const copy = document.importNode(e, true), f = field(e.id);
			copy.setAttribute("data-own", "error");
			f.before(copy);
			f.setAttribute("aria-invalid", "true");
			f.setAttribute("aria-describedby", [f.getAttribute("aria-describedby"), e.id].filter(Boolean).join(" "));
		}
		box.focus();
		return true;
	};

	// send sends a form and shows the answer. Then it replaces the entry of the history by an equal one, for tests to see.
	const send = async (form, by) => {
		await answer(form, by);
		if (!away) history.replaceState(history.state, "", location.href);
	};

	const answer = async (form, by) => {
		if (form.hasAttribute("aria-busy")) return;
		busy++;
		form.setAttribute("aria-busy", "true");
		const data = new FormData(form, by), action = form.getAttribute("action"), row = chosen(form), undo = form.dataset.undo;
		const body = form.getAttribute("enctype") === "multipart/form-data" ? data : new URLSearchParams(data);
		const got = await load("POST", action, body).catch(() => null);
		form.removeAttribute("aria-busy");
		busy--;
		const refused = got?.status >= 400, redirected = !got?.url.includes("/actions/");
		if (!got) return toast("No answer. What you wrote is still here: check the connection, and send it again.", {bad: true});
		if (!got.page || (refused && !fits(got.page))) return plainly(form, by);
		if (refused && mark(form, got.page)) return;
		if (refused) {
			const form = got.page.querySelector("main > .only"), failure = got.page.querySelector("main > .failure");
			const why = form || failure ? show(got.page, form ? got.url : here(), true) : got.page.querySelector(".state")?.textContent;
			return toast(why || "Not done.", {bad: true});
		}
		away = got.url.startsWith("/login");
		if (away) return location.assign(got.url); // after signing in, the text is restored from its draft
		sent(form);
		if (!redirected) { // the page shows a secret, which happens only once, or the result of a dry run
			frozen = true;
			leave();
			if (!fits(got.page)) return plainly(form, by);
			show(got.page);
			scrollTo(0, 0);
			return;
		}
		if (!fits(got.page)) {
			stored("sessionStorage", "message", got.page.querySelector("main > .message")?.textContent ?? null);
			away = true;
			return location.assign(got.url);
		}
		const text = show(got.page, got.url), back = undo && oneClick(undo, row);
		if (text) toast(text, back ? {undo: () => send(oneClick(undo, row) ?? back)} : {});
		if (missed) refresh();
	};

	addEventListener("submit", (e) => {
		const form = e.target, url = new URL(form.getAttribute("action") ?? "", location.href);
		if (url.pathname === "/logout") sessionStorage.clear();
		if (e.defaultPrevented || form.getAttribute("method") !== "post" || url.origin !== location.origin ||
			!/\/actions\/[a-z_]+$/.test(url.pathname)) return;
		e.preventDefault();
		send(form, e.submitter);
	});

	/* Changes: while a page is visible, an event stream says when the page has changed. The page is then loaded again. */

	let source = null, again = 0, wait = 0, missed = false, looking = false, tag = "";

	const leave = () => {
		source?.close();
		source = null;
		clearTimeout(again);
	};

	const listen = () => {
		const version = main()?.dataset.version;
		shown = here();
		if (source || frozen || document.hidden || version === undefined || !window.EventSource) return;
		const begun = Date.now();
		source = new EventSource(location.pathname + (location.search || "?") + "&since=" + encodeURIComponent(version));
		source.onmessage = (e) => e.lastEventId !== main().dataset.version && refresh();
		source.onerror = () => {
			leave();
			wait = Date.now() - begun > 20000 ? 500 : Math.min(60000, Math.max(500, 2 * wait));
			again = setTimeout(listen, wait * (1 + Math.random()));
		};
	};

	const refresh = async () => {
		missed = busy > 0 || looking;
		if (missed || frozen) return;
		looking = true;
		const url = here();
		try {
			const got = await load("GET", url, null, tag ? {"If-None-Match": tag} : {});
			if (busy > 0 || url !== here()) missed = true;
			else if (got.status === 200 && got.url === url && fits(got.page)) {
				tag = got.tag ?? "";
				show(got.page);
			} else if (got.status < 500 && got.status !== 304 && got.status !== 429) {
				frozen = true;
				leave();
				toast(got.status === 200 && got.url === url ? "Samepage has a new version. Load this page again." :
					"This page has moved, or you may no longer read it. Load it again to see.", {bad: true});
			}
		} catch {
			// the stream fails, too; when it is open again, it says whether the page has changed
		}
		looking = false;
		if (missed && busy === 0) refresh();
	};

	document.addEventListener("visibilitychange", () => (document.hidden ? leave() : listen()));
	addEventListener("pagehide", leave);
	addEventListener("pageshow", () => (away = false, listen()));

	/* Times: a text such as "5 min ago" is updated by the rules of views/page/when.go. Dates stay as they are. */

	const units = [[60, "min", 3600], [3600, "h", 2 * 86400], [86400, "days", 60 * 86400]];

	const distance = (seconds) => {
		const d = Math.abs(seconds);
		if (d < 60) return "now";
		if (seconds >= 86400 && seconds < 2 * 86400) return "in 1 day";
		const [size, unit] = units.find((u) => d < u[2]), n = Math.floor(d / size);
		const text = n + " " + unit;
		return seconds > 0 ? "in " + text : text + " ago";
	};

	const tick = () => {
		const now = Math.floor((Date.now() + skew) / 60000) * 60;
		for (const t of all("main time[datetime]")) {
			if (!/^(now|in \d+ \w+|\d+ \w+ ago)$/.test(t.textContent)) continue;
			const seconds = Date.parse(t.dateTime) / 1000 - now;
			const date = /^(\w{3}) \d+ \w{3} \d{4} (\d\d:\d\d)/.exec(t.title);
			const text = seconds > -86400 || !date ? distance(seconds) : date[1] + " " + date[2];
			if (text !== t.textContent) t.textContent = text;
		}
	};
	setInterval(tick, 15000);

	/* Drafts: what a person fills into the form of an action is kept for this person and this tab until it is sent, with the
	   version of the page that it is meant for, so that it does not overwrite a later version. Secrets are not kept. */

	const drafted = (form) => [...form?.matches("[method=post][action*='/actions/']") ? form.elements : []].filter((t) =>
		t.matches("textarea, select, input:not([type=hidden], [type=password], [type=file], [name=confirm])"));
	const draft = (form) => ["draft", document.querySelector(".side .end a[href*='/members/']")?.pathname,
		form.getAttribute("action"), chosen(form)].join(" ");
	const kept = (form) => JSON.parse(stored("sessionStorage", draft(form))) ?? {values: {}};
	const slot = (t) => (ticks(t) ? t.name + "=" + t.value : t.name);

	document.addEventListener("input", (e) => {
		const form = e.target.form, fields = drafted(form);
		if (!fields.includes(e.target)) return;
		const old = kept(form).values, values = fields.filter((t) => typed(t) || slot(t) in old).map((t) => [slot(t), value(t)]);
		const text = JSON.stringify({version: form.elements._if_version?.value, values: Object.fromEntries(values)});
		stored("sessionStorage", draft(form), fields.some(typed) ? text : null);
	});

	const restore = () => {
		for (const form of all("main form").filter((f) => drafted(f).length > 0)) {
			const {version, values} = kept(form), fields = drafted(form).filter((t) => slot(t) in values);
			const back = fields.filter((t) => !typed(t) && value(t) !== values[slot(t)]), present = form.elements._if_version;
			const since = version === present?.value ? "" : "The page has changed since. ";
			for (const t of back) put(t, values[slot(t)]);
			if (present && fields.some(typed)) present.value = version;
			if (back.length === 0 || form.querySelector("[data-own=draft]")) continue;
			const discard = button({class: "small"}, "cross", "Discard", () => (sent(form), location.reload()));
			form.prepend(make("p", {class: "hint", "data-own": "draft"}, "This is filled in as you left it. ", since, discard));
		}
	};

	/* Pictures: a picture that is pasted into a text goes into the file field of its form, or else is attached to the page. */

	document.addEventListener("paste", async (e) => {
		const picture = [...(e.clipboardData?.files ?? [])].find((f) => f.type.startsWith("image/"));
		const form = e.target.closest("form.compose"), own = form?.querySelector(".clip [type=file]");
		const to = form?.querySelector("a[href$='/actions/attach']")?.href, data = own ? new DataTransfer() : new FormData();
		if (!picture || !own && !to) return;
		e.preventDefault();
		if (own) return data.items.add(picture), own.files = data.files, own.closest("details").open = true;
		data.append("file", picture, picture.name || "picture.png"), busy++;
		toast("Attaching the picture…");
		const got = await load("POST", to, data).catch(() => null);
		busy--;
		if (!got || !fits(got.page)) return toast("The picture was not attached. Try it with Attach a file.", {bad: true});
		const why = got.page.querySelector("main .errors li, main > .failure")?.textContent;
		if (got.status >= 400) return toast(why ?? "The picture was not attached.", {bad: true});
		toast(show(got.page));
	});

	/* Keyboard shortcuts: the page /help/keyboard lists them. They do nothing while a field has the focus. */

	const keysOff = () => stored("localStorage", "keys") === "off";
	let went = 0; // when the key g was pressed, or 0 if another key came after it

	const step = (by) => {
		const links = all("main :is(tbody tr, ul > li, ol > li)").map((r) => r.querySelector(":is(td, li, .name) a[href], a[href]"))
			.filter((a, i, list) => a && a.checkVisibility() && !a.closest(".line, .menu, nav") && list.indexOf(a) === i);
		const at = links.findIndex((a) => a === document.activeElement);
		links[at < 0 ? (by > 0 ? 0 : links.length - 1) : Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
	};

	const keys = {
		"/": () => {
			const field = document.getElementById("search");
			if (field?.checkVisibility()) field.select();
			else location.assign(document.querySelector("form.find")?.getAttribute("action") ?? "/search");
		},
		"?": () => location.assign("/help/keyboard"),
		g: () => (went = Date.now()),
		j: () => step(1),
		k: () => step(-1),
		c: () => {
			const text = document.querySelector('main form[action*="/actions/comment"] textarea');
			text ? text.focus() : document.querySelector('main a[href*="/actions/comment"]')?.click();
		},
	};
	const places = {h: "/", i: "/inbox"};

	document.addEventListener("keydown", (e) => {
		if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.isComposing || e.repeat && !"jk".includes(e.key)) return;
		if (keysOff() || e.target.closest("input, textarea, select, [contenteditable]")) return;
		const place = Date.now() - went < 1500 ? places[e.key] : undefined, act = place ? () => location.assign(place) : keys[e.key];
		if (e.key !== "g") went = 0;
		if (act) e.preventDefault();
		act?.();
	});

	/* Prefetching: the page behind a link is fetched when the link is pressed, or after the pointer rests on it briefly. */

	const fetched = new Set();
	let hovered = 0;

	const ahead = (e) => {
		const a = e.target.closest?.("a[href]");
		clearTimeout(hovered);
		if (!a || a.origin !== location.origin || a.pathname + a.search === here() || a.target || a.download ||
			/\.\w+$|\/download$/.test(a.pathname) || fetched.has(a.href) || navigator.connection?.saveData) return;
		const begin = () => {
			fetched.add(a.href);
			setTimeout(() => fetched.delete(a.href), 20000);
			const link = make("link", {rel: "prefetch", href: a.href});
			link.onload = link.onerror = () => link.remove();
			document.head.append(link);
		};
		hovered = setTimeout(begin, e.type === "pointerdown" ? 0 : 120);
	};
	document.addEventListener("pointerdown", ahead, {passive: true});
	document.addEventListener("pointerover", ahead, {passive: true});

	/* What this script adds to every page: settings, buttons that copy, tools, drafts and current times. */

	const copy = (text, said) => navigator.clipboard.writeText(text).then(() => toast(said));
	document.addEventListener("click", (e) => {
		const a = navigator.clipboard && e.target.closest("a[data-link]");
		if (!a) return;
		e.preventDefault();
		a.closest("[popover]").hidePopover();
		copy(a.href, "The link is copied.");
	});

	const settings = () => {
		const list = document.querySelector(".side .end ul, .top nav ul");
		if (!list || list.querySelector("[data-own]")) return;
		const entry = (name, text, symbol, act) => make("li", {"data-own": name}, button({class: "quiet"}, symbol, text, act));
		const said = () => "Shortcuts: " + (keysOff() ? "off" : "on");
		list.prepend(
			entry("theme", "Theme: " + theme(), "eye", () => {
				stored("localStorage", "theme", themes[(themes.indexOf(theme()) + 1) % themes.length]);
				paint();
			}),
			entry("keys", said(), "settings", (e) => {
				stored("localStorage", "keys", keysOff() ? null : "off");
				e.currentTarget.querySelector("span").textContent = said();
			}));
	};

	// tools describes forms to an agent in the browser (WebMCP), with the name and the description of the action.
	const tools = () => {
		for (const form of all("form[data-doc]")) {
			const action = form.getAttribute("action").split("?")[0];
			form.setAttribute("toolname", action.slice(action.lastIndexOf("/") + 1));
			form.setAttribute("tooldescription", form.dataset.doc);
			for (const f of form.elements) {
				const hint = f.id && document.getElementById(f.id + "-hint"), text = hint?.textContent || f.labels?.[0]?.textContent;
				if (f.name && f.type !== "hidden" && text) f.setAttribute("toolparamdescription", text.trim());
			}
		}
	};

	const dress = () => {
		const line = document.querySelector("main > .line"), mine = line?.querySelector(".tools[data-own]");
		if (line && navigator.clipboard && icon("link")) {
			const bar = line.querySelector(".tools:not([data-own])") ?? mine ?? make("div", {class: "tools", "data-extra": "", "data-own": ""});
			const b = line.querySelector("[data-own=copy]") ?? button({class: "tool", "data-own": "copy"}, "link", "Copy link",
				() => copy(location.origin + here(), "The link is copied."));
			b.querySelector("span").className = "label";
			if (!bar.isConnected) line.append(bar);
			if (!bar.contains(b)) bar.insertBefore(b, bar.querySelector("[popovertarget], a"));
			if (bar !== mine) mine?.remove();
		}
		for (const pre of navigator.clipboard ? all("pre[data-copy], main > .outcome > span > code:only-child") : []) {
			if (!pre.nextElementSibling?.matches("[data-own=copy]")) pre.after(button({class: "small", "data-own": "copy"}, "link", "Copy",
				() => copy(pre.textContent.trimEnd(), "Copied.")));
		}
		for (const s of navigator.clipboard ? all("[data-link] span") : []) s.textContent = "Copy link";
		settings();
		tools();
		const now = Date.parse(main()?.dataset.now ?? "");
		if (now && performance.getEntriesByType("navigation")[0]?.type !== "back_forward") skew = now - Date.now();
		tick();
	};

	const begin = () => {
		document.body.append(toasts);
		dress();
		restore();
		listen();
		const message = stored("sessionStorage", "message"); // the answer to a form of the previous page
		if (message) toast(message);
		stored("sessionStorage", "message", null);
	};
	addEventListener("storage", paint);
	if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
	else begin();
})();
