/* The site's pages: links, accessibility, the references' completeness, versions, and the way from the landing page to a
 * first result. SITE: the folder that was built. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openBrowser, seriousFaults } from "./browser.mjs";
import { serve } from "./server.mjs";

const site = resolve(process.env.SITE ?? "../build/site");
let server, browser;
before(async () => {
  server = await serve(site);
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  server?.close();
});

function pages(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? pages(path) : path.endsWith(".html") ? [path] : [];
  });
}

const root = fileURLToPath(new URL("../..", import.meta.url));

test("every function of the headers and every public name in Python has its place in the references", () => {
  const idsOf = (page) => new Set([...readFileSync(join(site, page, "index.html"), "utf8").matchAll(/ id="([^"]+)"/g)]
    .map(([, id]) => id));
  const c = idsOf("c-reference"), python = idsOf("python-reference"), missing = [];
  let functions = 0, names = 0;
  for (const header of readdirSync(join(root, "include/hcr")))
    for (const [, name] of readFileSync(join(root, "include/hcr", header), "utf8").matchAll(/^HCR_API[^(]*?\b(hcr_\w+)\(/gm)) {
      functions++;
      if (!c.has(name)) missing.push(name);
    }
  const files = (folder) => readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? files(join(folder, entry.name)) : entry.name.endsWith(".py") ? [join(folder, entry.name)] : []);
  for (const file of files(join(root, "python/src/hcr"))) {
    const module = relative(join(root, "python/src"), file).replace(/(\/__init__)?\.py$/, "").replaceAll("/", ".");
    const exported = /^__all__ = \[([^\]]*)\]/m.exec(readFileSync(file, "utf8"))?.[1];
    if (exported === undefined || module.split(".").some((part) => part.startsWith("_"))) continue;
    for (const [, name] of exported.matchAll(/"([a-zA-Z]\w*)"/g)) {
      names++;
      const packages = module.split(".").map((_, k, parts) => parts.slice(0, k + 1).join(".")); // it may stand in any of them
      if (!packages.some((one) => python.has(`${one}.${name}`))) missing.push(`${module}.${name}`);
    }
  }
  assert.deepEqual(missing, []);
  assert.ok(functions > 150 && names > 50, `${functions} functions, ${names} names`);
});

test("links and pictures of all pages are there", () => {
  const missing = [];
  for (const page of pages(site)) {
    const html = readFileSync(page, "utf8");
    for (const [, target] of html.matchAll(/(?:href|src)="([^"]*)"/g)) {
      if (target === "" || /^([a-z]+:|\/\/|#|\/)/.test(target)) continue;
      const path = resolve(dirname(page), decodeURIComponent(target.split(/[?#]/)[0]));
      const file = existsSync(path) && statSync(path).isDirectory() ? join(path, "index.html") : path;
      if (!existsSync(file)) missing.push(`${page.slice(site.length)}: ${target}`);
    }
  }
  assert.deepEqual(missing, []);
});

test("one click from the landing page to the first result", async (t) => {
  const page = await browser.context.newPage();
  await page.goto(`${server.url}/`);
  const began = performance.now();
  await page.click("text=Try it in the playground");
  await page.waitForSelector('#points tr[data-map="contract"]');
  t.diagnostic(`${(performance.now() - began).toFixed(0)} ms from the click`);
});

test("every picture of the gallery leads to its region in the playground", async () => {
  const page = await browser.context.newPage();
  await page.goto(`${server.url}/gallery/`);
  const links = await page.$$eval("a.md-button", (all) => all.map((link) => link.href));
  assert.equal(links.length, await page.locator("article img").count());
  for (const link of links) {
    await page.goto("about:blank");
    await page.goto(link);
    await page.waitForSelector("#message.good");
    await page.waitForSelector("#plane .edge");
    assert.doesNotMatch(await page.textContent("#points"), /NaN/, link);
  }
  await page.close();
});

test("pages load nothing from elsewhere", async () => {
  const page = await browser.context.newPage(), elsewhere = [];
  page.on("request", (request) => !request.url().startsWith(server.url) && elsewhere.push(request.url()));
  for (const path of ["/", "/region-language/", "/python-reference/", "/playground/"]) {
    await page.goto(server.url + path);
    await page.waitForTimeout(200);
  }
  assert.deepEqual(elsewhere.filter((url) => !url.startsWith("blob:") && !url.startsWith("data:")), []);
});

for (const scheme of ["light", "dark"])
  test(`no serious accessibility fault on any page, ${scheme}`, { timeout: 600_000 }, async () => {
    const own = await openBrowser({ colorScheme: scheme }); // the theme keeps the first scheme that it sees
    const page = await own.context.newPage();
    await page.goto(`${server.url}/`);
    assert.equal(await page.getAttribute("body", "data-md-color-scheme"), scheme === "dark" ? "slate" : "default");
    const found = [];
    for (const path of pages(site).filter((path) => !path.includes("/playground/"))) {
      await page.goto(`${server.url}${path.slice(site.length)}`);
      found.push(...(await seriousFaults(page)).map((fault) => `${path.slice(site.length)}: ${fault}`));
    }
    await own.close();
    assert.deepEqual(found, []);
  });

test("published versions are in the menu, and each leads to the other", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hcr-versions-")), publish = () =>
    execFileSync(join(root, "site/publish"), [folder], { encoding: "utf8" });
  const published = await serve(folder);
  try {
    publish();
    const [now] = readdirSync(folder).filter((name) => /^\d/.test(name));
    renameSync(join(folder, now), join(folder, "0.1.10")); // as if it were an older one
    assert.match(publish(), new RegExp(`: ${now.replaceAll(".", "\\.")}, 0\\.1\\.10$`, "m"));
    const page = await browser.context.newPage();
    await page.goto(`${published.url}/`);
    await page.waitForURL(`${published.url}/${now}/`);
    await page.waitForSelector(".md-version__link");
    const menu = await page.$$eval(".md-version__link", (links) => links.map((link) => link.textContent.trim()));
    assert.deepEqual(menu, [now, "0.1.10"]);
    await page.hover(".md-version");
    await page.click('.md-version__link >> text="0.1.10"');
    await page.waitForURL(/\/0\.1\.10\//);
  } finally {
    published.close();
    rmSync(folder, { recursive: true });
  }
});
