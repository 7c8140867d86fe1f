// Passkeys: this script adds a button that signs in with a passkey, and one that adds a passkey to an account. Without the
// script, people sign in with a password.
(() => {
	"use strict";
	const found = document.getElementById("passkeys"), section = found?.tagName === "SECTION" ? found : found?.parentElement;
	const number = /^[\d.]+$|:/.test(location.hostname); // a passkey belongs to a domain name, and not to an IP address
	if (number || !window.PublicKeyCredential?.parseRequestOptionsFromJSON) {
		const why = document.createElement("p");
		why.className = "hint";
		why.textContent = number || !window.isSecureContext ?
			"Not at this address: passkeys need HTTPS and a name, or http://localhost on the server's own machine." :
			"This browser has no passkeys.";
		section?.append(why);
		return;
	}

	const post = async (url, body) => {
		const answer = await fetch(url, {method: "POST", headers: {"Content-Type": "application/json", Accept: "application/json"}, body: JSON.stringify(body)});
		const said = await answer.json();
		if (!answer.ok) throw Object.assign(new Error(said.error.message), {code: said.error.code});
		return said;
	};

	const button = (place, text, act) => {
		const line = document.createElement("p"), b = document.createElement("button"), failure = document.createElement("p");
		line.className = "submit";
		b.type = "button";
		b.textContent = text;
		failure.className = "warning";
		failure.setAttribute("role", "alert");
		failure.hidden = true;
		b.addEventListener("click", async () => {
			b.disabled = failure.hidden = true;
			try {
				location.assign((await act()).url);
			} catch (e) {
				if (e.code === "unproved") return location.assign("/login?again=1&next=" + encodeURIComponent(location.pathname));
				failure.textContent = e.name === "NotAllowedError" ? "No passkey was used. Try again, or go on without one." : e.message;
				failure.hidden = false;
				b.disabled = false;
			}
		});
		line.append(b);
		place.append(line, failure);
	};

	const form = document.querySelector('form[action^="/login"]');
	if (form) {
		button(form.parentElement, "Sign in with a passkey", async () => {
			const {options, sealed} = await post("/login/passkey/options");
			const credential = await navigator.credentials.get({publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options.publicKey)});
			return post("/login/passkey" + new URL(form.action).search, {sealed, answer: credential.toJSON()});
		});
	}
	if (section) {
		button(section, "Add a passkey", async () => {
			const {options, sealed} = await post("/settings/account/passkeys/options");
			const credential = await navigator.credentials.create({publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options.publicKey)});
			return post("/settings/account/passkeys", {sealed, answer: credential.toJSON()});
		});
	}
})();
