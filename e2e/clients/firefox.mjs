// One story in Firefox for the end-to-end tests: a member signs in, reads, votes, comments,
// sees an agent's change and goes around with keys. Another one does the same without scripts, by keyboard alone. It
// prints the steps and fails at the first that is wrong.
// node firefox.mjs FIREFOX ORIGIN PASSWORD TOKEN DECISION EMAIL OTHER-EMAIL
import assert from "node:assert/strict";
import puppeteer from "puppeteer-core";

const [executablePath, origin, password, token, decision, email, other] = process.argv.slice(2);
const launch = (scripts) => puppeteer.launch({browser: "firefox", executablePath, headless: true,
  defaultViewport: {width: 1280, height: 900}, extraPrefsFirefox: {"javascript.enabled": scripts}});
const troubles = [];

// person starts a browser and signs in.
async function person(scripts) {
  const page = await (await launch(scripts)).newPage();
  page.setDefaultTimeout(60_000);
  page.on("console", (m) => /^(error|warn)/.test(m.type()) && troubles.push(m.text()));
  // On a busy machine Firefox reports the stream of events that a navigation ends before the page has heard of it.
  page.on("pageerror", (e) => /&since=\S+ was interrupted while the page was loading/.test(e) || troubles.push(String(e)));
  await page.goto(origin + "/login");
  await page.type("[name=email]", scripts ? email : other);
  await page.type("[name=password]", password);
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  return page;
}

const text = (page) => page.$eval("body", (b) => b.innerText.replace(/\s+/g, " "));

// sees waits until the page has a text.
async function sees(page, what) {
  const end = Date.now() + 30_000;
  let now = "";
  for (; Date.now() < end; await new Promise((r) => setTimeout(r, 50))) {
    now = await text(page).catch(() => ""); // between two pages there is none
    if (now.includes(what)) return;
  }

  assert.fail(`no ${what} at ${page.url()} in: ${now}`);
}

// tabTo presses Tab until an element has the focus.
async function tabTo(page, selector) {
  for (let i = 0; i < 120; i++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((s) => document.activeElement.matches(s), selector)) return;
  }
  assert.fail("Tab does not lead to " + selector);
}

const says = async (words) => {
  const res = await fetch(origin + decision + "/actions/comment", {
    method: "POST", body: new URLSearchParams({text: words}),
    headers: {Authorization: "Bearer " + token, Accept: "application/json"},
  });
  assert.equal(res.status, 200, await res.text());
};

async function story(scripts) {
  const how = scripts ? "with scripts" : "without scripts";
  const page = await person(scripts);
  assert.equal(page.url(), origin + "/");
  await page.goto(origin + decision);
  await sees(page, "have voted");
  console.log(how + ": signed in, reads");
  await sees(page, "You have");
  if (scripts) {
    await page.click("input[name=accept]");
    await page.click("#f-cast_vote button[type=submit]");
  } else {
    await tabTo(page, "input[name=accept]");
    await page.keyboard.press(" ");
    await tabTo(page, "#f-cast_vote button[type=submit]");
    await page.keyboard.press("Enter");
  }
  await sees(page, "You have.");
  console.log(how + ": voted");
  const words = "I write this in Firefox " + how + ".";
  if (scripts) {
    await page.type("form.compose textarea", words);
    await page.click("form.compose button[type=submit]");
  } else {
    await tabTo(page, "form.compose textarea");
    await page.keyboard.type(words);
    await tabTo(page, "form.compose button[type=submit]");
    await page.keyboard.press("Enter");
  }
  await sees(page, "Your comment is added.");
  await sees(page, words);
  console.log(how + ": commented");
  return page;
}

const page = await story(true);
await page.type("form.compose textarea", "half a text");
await says("Scout speaks to Firefox.");
await sees(page, "Scout speaks to Firefox.");
assert.equal(await page.$eval("form.compose textarea", (t) => document.activeElement === t && t.value), "half a text");
console.log("a change by an agent came by itself, and the half-typed text stayed");
await page.evaluate(() => document.activeElement.blur());
await page.keyboard.press("?");
await sees(page, "Keyboard shortcuts");
await Promise.all([page.waitForNavigation(), (async () => { await page.keyboard.press("g"); await page.keyboard.press("i"); })()]);
assert.equal(new URL(page.url()).pathname, "/inbox");
console.log("keys lead around");
await page.browser().close();
await (await story(false)).browser().close();
assert.deepEqual(troubles, []);
