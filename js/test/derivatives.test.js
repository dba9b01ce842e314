/* Derivatives of all maps: forwards against differences, backwards against forwards, and a disc's by its formula. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "../index.js";
import { REGIONS, steps } from "./regions.js";

const hcr = await load(), ROWS = 60;
const add = (a, b, factor) => a.map((x, k) => x + factor * b[k]);
const dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);

/* Each map's input: steps, radii beside them, or points inside. */
function inputs(region) {
  const n = region.dimension, v = steps(ROWS, n, 4), p = region.parameters;
  const parameters = Float64Array.from({ length: ROWS * p }, (_, k) => {
    const [low, high] = [region.parameterLower[k % p], region.parameterUpper[k % p]];
    return low + (0.1 + 0.8 * ((k * 0.6180339887) % 1)) * (high - low);
  });
  const inside = region.soften(v, parameters).values, polar = new Float64Array(ROWS * (n + 1));
  for (let i = 0; i < ROWS; i++) polar.set([...v.subarray(i * n, (i + 1) * n), 0.1 + (0.8 * i) / ROWS], i * (n + 1));
  const maps = { gauge: v, contract: v, soften: v, softenInverse: inside, encode: inside, decode: polar };
  if (region.isConvex) maps.project = v;
  return { maps, parameters };
}

for (const [kind, text] of Object.entries(REGIONS))
  test(`${kind}: derivatives are those of the maps`, () => {
    const region = hcr.region(text), n = region.dimension, p = region.parameters;
    const { maps, parameters } = inputs(region);
    for (const [map, points] of Object.entries(maps)) {
      const width = points.length / ROWS;
      /* Within the equalities, and small beside the points: 1 − gauge is as small as 1/60 here. */
      const change = steps(ROWS, width, 0.5).map((x, k) => (map === "decode" && k % width === n ? 0.1 : x));
      const moved = steps(ROWS, p, 0.05), forwards = region.jvp(map, points, change, parameters, moved);
      /* Nearest points are found to about 1e-9, so that their differences need a longer step. */
      const h = map === "project" ? 1e-4 : 1e-6, close = map === "project" ? 1e-4 : 1e-5;
      const [ahead, behind] = [h, -h].map((step) =>
        region[map](add(points, change, step), add(parameters, moved, step)));
      const columns = forwards.length / ROWS, held = ahead.constraints.length / ROWS;
      let compared = 0;
      for (let i = 0; i < ROWS; i++) {
        const same = (a, b, many) => a.subarray(i * many, (i + 1) * many).every((x, k) => x === b[i * many + k]);
        if (!same(ahead.constraints, behind.constraints, held) || !same(ahead.outcomes, behind.outcomes, 1)) continue;
        compared++;
        const size = Math.hypot(1, ...forwards.subarray(i * columns, (i + 1) * columns));
        for (let k = i * columns; k < (i + 1) * columns; k++) {
          const difference = (ahead.values[k] - behind.values[k]) / (2 * h);
          assert.ok(Math.abs(difference - forwards[k]) <= close * size ** 2,
            `${map}, row ${i}: ${forwards[k]}, by differences ${difference}`);
        }
      }
      assert.ok(compared >= ROWS / 2, `${map}: ${compared} rows away from kinks`);

      const bar = steps(ROWS, columns, 1), back = region.vjp(map, points, bar, parameters);
      assert.deepEqual([back.values.length, back.parameters.length], [points.length, ROWS * p]);
      for (let i = 0; i < ROWS; i++) { // the transpose: the same sum of products, up to rounding
        const part = (all, many) => all.subarray(i * many, (i + 1) * many);
        const [one, other] = [dot(part(bar, columns), part(forwards, columns)),
          dot(part(back.values, width), part(change, width)) + dot(part(back.parameters, p), part(moved, p))];
        const size = 1 + Math.hypot(...part(bar, columns)) * Math.hypot(...part(forwards, columns)) +
          Math.hypot(...part(back.values, width)) * Math.hypot(...part(change, width));
        assert.ok(Math.abs(one - other) <= 1e-9 * size, `${map}, row ${i}: ${one} forwards, ${other} backwards`);
      }
    }
    region.free();
  });

test("a disc: contract and project turn with the direction, by (I − uu')/|v|", () => {
  const region = hcr.region("var y[2]\nnorm(y) <= 1"), v = [3, 4], bar = [1, 0];
  const expected = [0.64 / 5, -0.48 / 5];
  for (const map of ["contract", "project"])
    region.vjp(map, v, bar).values.forEach((x, k) => assert.ok(Math.abs(x - expected[k]) < 1e-9, map));
  assert.deepEqual([...region.vjp("contract", [0.1, 0.2], bar).values], bar);
});

test("derivatives refuse maps that there aren't, and other shapes", () => {
  const region = hcr.region("var y[2]\nnorm(y) <= 1");
  assert.throws(() => region.vjp("shrink", [1, 2], [1, 2]), /no map "shrink": gauge, encode/);
  assert.throws(() => region.vjp("gauge", [1, 2], [1, 2]), { name: "RangeError", message: /bar: 2 numbers, not 1 rows of 1/ });
  assert.throws(() => region.jvp("decode", [1, 2, 0.5], [1, 2]), RangeError);
  const beside = hcr.region(REGIONS.except); // what is left beside a curved set has no nearest points
  assert.throws(() => beside.vjp("project", [1, 2], [1, 2]), { name: "HcrError" });
});
