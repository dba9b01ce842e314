import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { HcrError, load, NONE, OUTCOMES } from "../index.js";
import { REGIONS, steps } from "./regions.js";

const hcr = await load();
const COUNT = 10_000;

for (const [kind, text] of Object.entries(REGIONS))
  test(`${kind}: ${COUNT} results of each map are inside at tolerance 0`, () => {
    const region = hcr.region(text), n = region.dimension, p = region.parameters;
    const v = steps(COUNT, n, 4);
    const ranges = [region.parameterLower, region.parameterUpper];
    const parameters = Float64Array.from({ length: COUNT * p }, (_, k) =>
      ranges[0][k % p] + ((k * 0.6180339887) % 1) * (ranges[1][k % p] - ranges[0][k % p]));
    const polar = new Float64Array(COUNT * (n + 1));
    for (let i = 0; i < COUNT; i++) polar.set([...v.subarray(i * n, (i + 1) * n), (i % 101) / 100], i * (n + 1));
    const results = { contract: region.contract(v, parameters), soften: region.soften(v, parameters),
      decode: region.decode(polar, parameters) };
    if (region.isConvex) results.project = region.project(v, parameters);
    for (const [map, { values }] of Object.entries(results)) {
      const { inside } = region.check(values, parameters);
      assert.equal(inside.filter((good) => !good).length, 0, map);
    }
    assert.ok(results.contract.outcomes.some((o) => OUTCOMES[o] === "frontier"), "some are stopped by the frontier");
    assert.ok(results.contract.outcomes.some((o) => OUTCOMES[o] === "inside"), "and some aren't");
    region.free();
  });

test("a disc: contract, project and soften by their formulas", () => {
  const region = hcr.region("var y[2]\nnorm(y) <= 1");
  assert.deepEqual([...region.origin], [0, 0]);
  const close = (a, b) => a.forEach((x, k) => assert.ok(Math.abs(x - b[k]) < 1e-12, `${a} and ${b}`));
  close(region.contract([[3, 4], [0.3, 0.4]]).values, [0.6, 0.8, 0.3, 0.4]);
  close(region.project([[3, 4]]).values, [0.6, 0.8]);
  close(region.soften([[3, 4]]).values, [0.5, 4 / 6]);
  close(region.gauge([[3, 4]]).values, [5]);
  close(region.encode([[0.3, 0.4]]).row(0), [0.6, 0.8, 0.5]);
  const held = region.constraint(region.contract([3, 4]).constraints[0]);
  assert.deepEqual([held.kind, held.line, held.text], ["quadratic", 2, "norm(y) <= 1"]);
  assert.equal(region.project([[0, 0.5]]).constraints[0], NONE);
});

test("the inverse of soften, and decode of encode, are the points again", () => {
  const region = hcr.region(REGIONS.linear), v = steps(200, 6, 4);
  const y = region.soften(v).values, again = region.softenInverse(y).values;
  for (let k = 0; k < v.length; k++) // 1 − gauge loses digits: gauges here are below 60
    assert.ok(Math.abs(again[k] - v[k]) <= 1e-10 * (1 + Math.abs(v[k])));
  const points = region.decode(region.encode(y).values).values;
  for (let k = 0; k < y.length; k++) assert.ok(Math.abs(points[k] - y[k]) <= 1e-12 * 10);
});

test("mistakes have a code, a place and a mark", () => {
  const error = hcr.check("var y[3]\n0 <= y <= 1\nabs(y[0] - y[1]) <= foo");
  assert.ok(error instanceof HcrError);
  assert.deepEqual([error.code, error.line, error.column], ["name", 3, 21]);
  assert.match(error.message, /unknown name "foo"[\s\S]*\^\^\^/);
  assert.equal(hcr.check("var y[2]\nnorm(y) <= 1"), null);
  assert.throws(() => hcr.region("var y[2]\ny >= 1\ny <= 0"), { name: "HcrError", code: "empty" });
  assert.throws(() => hcr.region("var y[2]\ny >= 1"), { code: "unbounded" });
  assert.throws(() => hcr.region("var y\nsqrt(abs(y)) <= 1"), { code: "convexity" });
});

test("wrong shapes are refused, bad values give NaN", () => {
  const region = hcr.region("var y[2]\nparam r in [1, 2]\nnorm(y) <= r");
  assert.throws(() => region.contract([1, 2, 3], [1]), RangeError);
  assert.throws(() => region.contract([[1, 2], [1]], [1]), RangeError);
  assert.throws(() => region.contract([[1, 2]]), RangeError);
  assert.throws(() => region.contract("12", [1]), TypeError);
  const result = region.contract([[5, 0], [NaN, 1], [5, 0]], [[1], [1], [9]]);
  assert.deepEqual(Array.from(result.outcomes, (o) => OUTCOMES[o]), ["frontier", "bad value", "out of range"]);
  assert.ok(result.row(1).every(Number.isNaN) && result.row(2).every(Number.isNaN));
  region.free();
  assert.throws(() => region.contract([1, 2], [1]), /freed/);
});

test("constants, and files for read()", () => {
  hcr.writeFile("limits.csv", "low,high\n-1,2\n-3,4\n");
  const region = hcr.region('var y[2]\nread("limits.csv", "low") <= y <= read("limits.csv", "high")\nsum(y) <= most',
    { constants: { most: 5 } });
  assert.deepEqual(region.check([[2, 3], [2, 3.5], [-1, -3]]).inside, [true, false, true]);
});

test("compiled bytes are the same region", () => {
  const region = hcr.region(REGIONS.quadratic), again = hcr.read(region.compiled());
  const v = steps(100, 3, 4);
  assert.deepEqual(again.contract(v).values, region.contract(v).values);
  assert.throws(() => hcr.read(region.compiled().subarray(0, 99)), { code: "format" });
});

test("C source comes as files, of a name that can be", () => {
  const region = hcr.region(REGIONS.cone);
  const files = region.exportC({ name: "grip", precision: "single" });
  assert.deepEqual(Object.keys(files).sort(), ["CMakeLists.txt", "README.md", "grip.c", "grip.h", "grip_test.c"]);
  assert.match(files["grip.h"], /grip_contract/);
  assert.throws(() => region.exportC({ name: "Grip!" }), { code: "argument" });
  assert.deepEqual(Object.keys(region.exportC()).includes("region.c"), true);
});

test("many regions leave the memory as it was", () => {
  const round = () => {
    for (let k = 0; k < 200; k++) {
      const region = hcr.region(REGIONS.linear);
      region.project(steps(4, 6, 8));
      region.free();
      hcr.check("var y[3]\n0 <= y <= foo");
    }
    return hcr.core.HEAPU8.length;
  };
  const size = round();
  assert.equal(round(), size);
});

test("what is loaded is at most 1.5 MB compressed", (t) => {
  const sizes = ["../dist/hcr.wasm", "../dist/hcr.mjs", "../index.js"]
    .map((file) => gzipSync(readFileSync(new URL(file, import.meta.url)), { level: 9 }).length);
  t.diagnostic(`${sizes.join(" + ")} bytes`);
  assert.ok(sizes.reduce((sum, size) => sum + size) <= 1_500_000);
});
