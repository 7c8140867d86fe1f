// Lighthouse for the end-to-end tests: it signs in with Chromium and prints a line of JSON for each page.
// node lighthouse.mjs CHROMIUM ORIGIN EMAIL PASSWORD PATH… (a path that begins with + is read before signing in)
import lighthouse from "lighthouse";
import puppeteer from "puppeteer-core";

const [executablePath, origin, email, password, ...paths] = process.argv.slice(2);
const flags = ["no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking",
  "disable-component-update", "disable-sync"];
const browser = await puppeteer.launch({executablePath, headless: true, args: flags.map((f) => "--" + f)});
const page = await browser.newPage();

async function judge(path, onlyCategories) {
  // Lighthouse waits in vain for the end of the stream that tells of changes.
  const {lhr} = await lighthouse(origin + path, {onlyCategories, disableStorageReset: true, maxWaitForLoad: 5000,
    logLevel: "error"}, undefined, page);
  const scores = {}, failed = [];
  for (const c of Object.values(lhr.categories)) {
    scores[c.id] = Math.round(c.score * 100);
    for (const {id, weight} of c.auditRefs) {
      const a = lhr.audits[id];
      if (weight > 0 && a.score !== null && a.score < 1) {
        failed.push(`${c.id}: ${a.title}: ${a.displayValue ?? ""} ${JSON.stringify(a.details?.items ?? []).slice(0, 600)}`);
      }
    }
  }
  console.log(JSON.stringify({path, scores, failed, error: lhr.runtimeError?.message ?? "", warnings: lhr.runWarnings}));
}

const common = ["performance", "accessibility", "best-practices"];
for (const path of paths.filter((p) => p.startsWith("+"))) await judge(path.slice(1), [...common, "seo"]);
await page.goto(origin + "/login");
await page.type("[name=email]", email);
await page.type("[name=password]", password);
await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
for (const path of paths.filter((p) => !p.startsWith("+"))) await judge(path, common);
await browser.close();
