// With this script, people move the cards of a board by dragging. Without it, or with the keyboard, they use the menu of a
// card.
(() => {
	"use strict";
	let dragged = null;

	// below returns the card of a zone above which a card dropped at the height y is put, or null for the end of the zone.
	const below = (zone, y) => [...zone.querySelectorAll(".card")].find((card) => {
		const box = card.getBoundingClientRect();
		return card !== dragged && y < box.top + box.height / 2;
	}) ?? null;

	const clear = () => {
		for (const e of document.querySelectorAll(".zone.over, .card.over")) e.classList.remove("over");
	};

	const zoneOf = (event) => event.target.closest?.(".zone[data-zone]");

	// moves returns the form that moves a card, or null if the person may not move the card.
	const moves = (card) => card.querySelector(".menu form");

	document.addEventListener("dragstart", (event) => {
		const card = event.target.closest?.(".card[draggable]");
		if (!card || !moves(card)) return;
		dragged = card;
		event.dataTransfer.effectAllowed = "move";
		event.dataTransfer.setData("text/plain", card.querySelector("a")?.href ?? "");
	});

	document.addEventListener("dragover", (event) => {
		const zone = dragged && zoneOf(event);
		if (!zone) return;
		event.preventDefault();
		clear();
		zone.classList.add("over");
		below(zone, event.clientY)?.classList.add("over");
	});

	document.addEventListener("drop", (event) => {
		const zone = dragged && zoneOf(event);
		if (!zone) return;
		event.preventDefault();
		const form = moves(dragged), above = below(zone, event.clientY);
		if (above === dragged.nextElementSibling && zone.contains(dragged)) return; // the card is already there
		const add = (type, name, value) => {
			const e = document.createElement(type);
			Object.assign(e, {name, value, hidden: true});
			if (type === "input") e.type = "hidden";
			form.append(e);
			return e;
		};
		const extra = above && add("input", "above", above.dataset.card);
		const button = add("button", "zone", zone.dataset.zone);
		form.requestSubmit(button);
		button.remove();
		extra?.remove();
	});

	document.addEventListener("dragend", () => {
		dragged = null;
		clear();
	});
})();
