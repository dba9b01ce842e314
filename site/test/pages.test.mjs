/* The site's pages: their links lead somewhere, and the landing page to a first result. SITE: the folder that was built. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { openBrowser } from "./browser.mjs";
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

test("pages load nothing from elsewhere", async () => {
  const page = await browser.context.newPage(), elsewhere = [];
  page.on("request", (request) => !request.url().startsWith(server.url) && elsewhere.push(request.url()));
  for (const path of ["/", "/region-language/", "/python-reference/", "/playground/"]) {
    await page.goto(server.url + path);
    await page.waitForTimeout(200);
  }
  assert.deepEqual(elsewhere.filter((url) => !url.startsWith("blob:") && !url.startsWith("data:")), []);
});
