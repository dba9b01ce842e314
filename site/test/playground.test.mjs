/* The playground as its visitors have it, in Debian's Chromium. SITE: the folder that was built. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { REGIONS, steps } from "../../js/test/regions.js";
import { openBrowser, seriousFaults } from "./browser.mjs";
import { serve } from "./server.mjs";

let server, browser, page;
const faults = [];

before(async () => {
  server = await serve(process.env.SITE ?? "../build/site");
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  server?.close();
});

async function open(hash = "", viewport = { width: 1360, height: 900 }) {
  page = await browser.context.newPage();
  await page.setViewportSize(viewport);
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  const began = performance.now();
  await page.goto(`${server.url}/playground/${hash}`);
  await page.waitForSelector("#plane .edge");
  await page.waitForSelector('#points tr[data-map="contract"]');
  return performance.now() - began;
}

const message = () => page.textContent("#message");
const cells = (map) => page.$$eval(`#points tr[data-map="${map}"] td`, (all) => all.map((cell) => cell.textContent));
async function write(text) {
  await page.fill("#text", text);
  await page.waitForFunction(() => /ms\./.test(document.querySelector("#message").textContent));
  await page.waitForTimeout(150);
}
test("the first picture comes with the page", async (t) => {
  t.diagnostic(`${(await open()).toFixed(0)} ms from the address to the picture`);
  assert.match(await message(), /2 outputs, 5 inequalities; convex, bounded/);
  assert.ok((await page.$$("#plane .edge")).length >= 5);
});

test("a mistake is underlined, with its message; mended, the region is back", async () => {
  await page.fill("#text", "var y[2]\nnorm(y) <= 2\ny[0] + yy[1] <= 1");
  await page.waitForSelector("#message.bad");
  assert.match(await message(), /^line 3.*unknown name "yy"/);
  assert.equal(await page.textContent("#paint .wrong"), "yy");
  assert.equal(await page.getAttribute("#text", "aria-invalid"), "true");
  await page.click("#message button");
  assert.equal(await page.evaluate(() => getSelection().toString() || document.querySelector("#text").value
    .slice(document.querySelector("#text").selectionStart, document.querySelector("#text").selectionEnd)), "yy");
  await page.keyboard.type("y");
  await page.waitForSelector("#message.good");
  assert.equal(await page.$("#paint .wrong"), null);
  assert.match(await message(), /2 outputs, 2 inequalities/);
});

test("columns count letters, not bytes", async () => {
  await page.fill("#text", "var y[2]\nnorm(y) <= foo # größer");
  await page.waitForSelector("#message.bad");
  assert.equal(await page.textContent("#paint .wrong"), "foo");
});

test("empty and unbounded regions say so", async () => {
  await page.fill("#text", "var y[2]\n0 <= y <= 1\nsum(y) >= 3");
  await page.waitForFunction(() => /no point|conflict|empty/i.test(document.querySelector("#message").textContent));
  await page.fill("#text", "var y[2]\ny >= 0");
  await page.waitForFunction(() => /unbounded|infinity/i.test(document.querySelector("#message").textContent));
});

test("a point that is dragged, typed or moved by keys goes through the maps", async () => {
  await write("var y[2]\nnorm(y) <= 1\ny[1] <= 0.5");
  await page.fill("#raw0", "3");
  await page.press("#raw0", "Enter");
  await page.fill("#raw1", "0");
  await page.press("#raw1", "Enter");
  await page.waitForFunction(() => Number(document.querySelector("#raw1").value) === 0 &&
    document.querySelector('#points tr[data-map="project"] td').textContent === "1");
  const typed = Number((await cells("contract"))[0]);
  assert.ok(typed > 0.9 && typed <= 1, `${typed}`);
  const [x, y, held] = await cells("project");
  assert.deepEqual([Number(x), Math.abs(Number(y)) < 1e-6, held], [1, true, "line 2, quadratic ✓"]);
  assert.match(await page.textContent("#gutter .lit"), /2/);
  assert.ok(await page.$("#plane .edge.lit"));
  await page.click("#show-rays");
  assert.ok(await page.$("#plane .ray") && await page.$("#plane .edge.lit"), "what is lit stays so when all is drawn anew");

  const box = await page.locator("#plane").boundingBox();
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.52, box.y + box.height * 0.06, { steps: 8 });
  await page.mouse.up();
  await page.waitForFunction(() => /line 3/.test(document.querySelector('#points tr[data-map="project"]').textContent));
  assert.equal(Number((await cells("project"))[1]), 0.5);
  assert.match(await page.textContent("#gutter .lit"), /3/);

  const before = await page.inputValue("#raw0");
  await page.focus("#plane-point");
  for (let k = 0; k < 3; k++) await page.keyboard.press("ArrowRight");
  await page.waitForFunction((old) => document.querySelector("#raw0").value !== old, before);
  assert.ok(Number(await page.inputValue("#raw0")) > Number(before));
  assert.match(await page.getAttribute("#plane-point", "aria-valuetext"), /y\[0\] [\d.-]+, y\[1\]/);
});

test("every example compiles and is drawn; three outputs turn in space", async () => {
  for (const name of await page.$$eval("#example option", (all) => all.map((option) => option.textContent))) {
    await page.selectOption("#example", { label: name });
    await page.waitForFunction(() => document.querySelector("#message.good") !== null);
    await page.waitForFunction(() => document.querySelectorAll("#plane .edge").length > 0);
    assert.doesNotMatch(await page.textContent("#points"), /NaN/, name);
  }
  await page.selectOption("#example", { label: "Cone" });
  await page.waitForTimeout(300);
  await page.selectOption("#axis2", "2");
  await page.waitForSelector("#space:not([hidden])");
  await page.waitForTimeout(300);
  const shot = () => page.locator("#space").screenshot();
  const first = await shot();
  await page.focus("#space");
  await page.keyboard.press("ArrowLeft");
  await page.waitForTimeout(100);
  const turned = await shot();
  assert.notDeepEqual(turned, first);
  await page.fill("#raw0", "-2");
  await page.press("#raw0", "Enter");
  await page.waitForTimeout(300);
  assert.notDeepEqual(await shot(), turned, "the point is in the picture");
});

test("sliders move the limits", async () => {
  await page.selectOption("#example", { label: "Limits that move (parameters)" });
  await page.waitForSelector("#sliders input");
  const edge = () => page.getAttribute("#plane .edge", "d");
  const before = await edge();
  await page.locator("#sliders input").nth(2).fill("1.9");
  await page.waitForFunction((old) => document.querySelector("#plane .edge")?.getAttribute("d") !== old, before);
  assert.equal(await page.locator("#sliders output").nth(2).textContent(), "1.9");
});

test("export C downloads source that compiles, and whose self-test passes", async () => {
  await page.selectOption("#example", { label: "Polygon (rows)" });
  await page.waitForFunction(() => /5 inequalities/.test(document.querySelector("#message").textContent));
  await page.click("#export");
  await page.fill("#export-name", "plan");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#export-go")]);
  const folder = mkdtempSync(join(tmpdir(), "hcr-export-"));
  try {
    await download.saveAs(join(folder, "plan.zip"));
    execFileSync("python3", ["-m", "zipfile", "-e", "plan.zip", "."], { cwd: folder });
    execFileSync("cc", ["-std=c99", "-Wall", "-Werror", "-o", "plan_test", "plan/plan.c", "plan/plan_test.c", "-lm"], { cwd: folder });
    execFileSync("./plan_test", { cwd: folder });
  } finally {
    rmSync(folder, { recursive: true });
  }
  await page.keyboard.press("Escape");
});

test("the Python button gives a program with the text and the point", async () => {
  await page.click("#python");
  const code = await page.textContent("#python-code");
  assert.match(code, /hcr\.Region\("""\n# Rows/);
  assert.match(code, /point = np\.array\(\[[\d.]+, [\d.]+\]\)/);
  await page.keyboard.press("Escape");
});

test("a link carries the text", async () => {
  const text = "var size[2] # größer ≤ 3\nnorm(size) <= 3\n";
  await write(text);
  await page.click("#link");
  await page.waitForFunction(() => location.hash.length > 5);
  const hash = await page.evaluate(() => location.hash);
  await page.close();
  await open(hash);
  assert.equal(await page.inputValue("#text"), text);
  await page.close();
  await open("#t=damaged");
  assert.match(await message(), /The link is damaged/);
});

test("a table is mapped, and comes back inside", async () => {
  await write("var a, b\n0 <= [a, b] <= 10\na + b <= 12");
  const table = "b,a,note\n9,9,1\n1,2,1\n-5,40,1\n";
  await page.setInputFiles("#file", { name: "points.csv", mimeType: "text/csv", buffer: Buffer.from(table) });
  await page.waitForFunction(() => /3 rows, 2 moved/.test(document.querySelector("#table-summary").textContent));
  assert.match(await page.textContent("#table-summary"), /3 of 3 results are inside at tolerance 0/);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#table-download")]);
  const rows = readFileSync(await download.path(), "utf8").trim().split("\n");
  assert.equal(rows[0], "a,b");
  assert.deepEqual(rows.slice(1).map((row) => row.split(",").map((x) => Math.round(1e6 * x) / 1e6)), [[6, 6], [2, 1], [10, 0]]);
  await page.setInputFiles("#file", { name: "wrong.csv", mimeType: "text/csv", buffer: Buffer.from("x,y\n1,2\n") });
  await page.waitForFunction(() => /no column "a"/.test(document.querySelector("#table-summary").textContent));
});

test("a table that is dropped brings its parameters", async () => {
  await write("var y[2]\nparam cap in [1, 9]\n0 <= y <= cap");
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(["y[0];y[1];cap\n5;5;2\n5;5;8\n"], "dropped.csv", { type: "text/csv" }));
    for (const type of ["dragover", "drop"])
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await page.waitForFunction(() => /dropped.csv: 2 rows, 1 moved/.test(document.querySelector("#table-summary").textContent));
  assert.deepEqual(await page.$$eval("#table-rows tbody tr", (rows) => rows.map((row) =>
    [...row.cells].map((cell) => Math.round(1e6 * cell.textContent) / 1e6))), [[1, 2, 2], [2, 5, 5]]);
  await page.click("#table-close");
});

test("the keyboard reaches everything, and nothing holds it", async () => {
  await page.selectOption("#example", { label: "Limits that move (parameters)" });
  await page.waitForSelector("#sliders input");
  await page.evaluate(() => document.activeElement.blur());
  await page.evaluate(() => document.querySelector(".skip").focus());
  const reached = new Set();
  for (let k = 0; k < 40; k++) {
    reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.closest("[id]")?.id || ""));
    await page.keyboard.press("Tab");
  }
  for (const id of ["example", "link", "export", "python", "file", "theme", "text", "axis0", "axis1", "show-levels", "show-rays",
    "plane-point", "sliders", "raw0", "raw1", "radius"])
    assert.ok(reached.has(id), `${id} of ${[...reached].join(" ")}`);
});

test("48 outputs are checked as one types", async (t) => {
  const text = "var load[48]\n0 <= load <= 900\nabs(load[1:] - load[:-1]) <= 12.5\nsum(load) <= 30000\nnorm(load - 400) <= ";
  const times = [];
  for (const radius of [1500, 1501, 1502, 1503, 1504]) {
    await write(`${text}${radius}`);
    times.push(Number(/([\d.]+) ms/.exec(await message())[1]));
  }
  t.diagnostic(`${times.join(", ")} ms`);
  assert.match(await message(), /48 outputs/);
});

test("10,000 results a region of ten kinds are inside at tolerance 0 in the page", { timeout: 300_000 }, async () => {
  const outside = await page.evaluate(async ([regions, source]) => {
    const { load } = await import(new URL("hcr/index.js", location.href).href);
    const makeSteps = new Function(`return ${source}`)(), hcr = await load(), found = {};
    for (const [kind, text] of Object.entries(regions)) {
      const region = hcr.region(text), n = region.dimension;
      const middle = Array.from(region.parameterLower, (low, k) => (low + region.parameterUpper[k]) / 2);
      const { values } = region.contract(makeSteps(10_000, n, 4), middle);
      found[kind] = region.check(values, middle).inside.filter((good) => !good).length;
    }
    return found;
  }, [REGIONS, steps.toString()]);
  assert.deepEqual(outside, Object.fromEntries(Object.keys(REGIONS).map((kind) => [kind, 0])));
});

test("no serious accessibility fault, in light and dark", async () => {
  assert.deepEqual(await seriousFaults(page), [], "light");
  await page.click("#theme");
  await page.waitForTimeout(100);
  assert.deepEqual(await seriousFaults(page), [], "dark");
  await page.click("#export");
  assert.deepEqual(await seriousFaults(page), [], "dialog");
  await page.keyboard.press("Escape");
  await page.fill("#text", "var y[2]\ny <= foo");
  await page.waitForSelector("#message.bad");
  assert.deepEqual(await seriousFaults(page), [], "with a mistake");
});

test("on a phone everything fits, and a finger drags", async () => {
  await page.close();
  await open("", { width: 390, height: 844 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await page.locator("#plane").scrollIntoViewIfNeeded();
  const box = await page.locator("#plane").boundingBox();
  const before = await cells("contract");
  const drag = async (type, x, y) => page.locator("#plane").dispatchEvent(type, { pointerId: 1, pointerType: "touch",
    clientX: box.x + x * box.width, clientY: box.y + y * box.height, isPrimary: true, bubbles: true });
  await page.evaluate(() => (document.querySelector("#plane").setPointerCapture = () => {})); // there is no real finger
  await drag("pointerdown", 0.7, 0.3);
  await drag("pointermove", 0.2, 0.9);
  await drag("pointerup", 0.2, 0.9);
  await page.waitForFunction((old) => document.querySelector('#points tr[data-map="contract"] td').textContent !== old, before[0]);
  const sizes = await page.$$eval("nav button, nav select", (all) => all.map((e) => e.getBoundingClientRect().height));
  assert.ok(sizes.every((height) => height >= 36), `${sizes}`);
  assert.deepEqual(await seriousFaults(page), [], "phone");
});

test("nothing was said in the console", () => assert.deepEqual(faults, []));
