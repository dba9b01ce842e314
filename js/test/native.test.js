/* The same numbers as the native command's. HCR: a build's `hcr`; without one these tests are skipped. The kernels without
 * fused products (HCR_KERNELS=baseline) do the same operations in the same order. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { load } from "../index.js";
import { REGIONS, steps } from "./regions.js";

const command = process.env.HCR, hcr = await load(), folder = mkdtempSync(join(tmpdir(), "hcr-native-"));
after(() => rmSync(folder, { recursive: true }));

/* Functions of the C library (exp, log, cos) differ in last digits; roots that depend on them settle to about 1e-14. */
const CLOSE = { expression: 1e-12, equality: 1e-12, lmi: 1e-12 };

for (const [kind, text] of Object.entries(REGIONS))
  test(`${kind}: numbers as native`, { skip: command === undefined }, () => {
    const paths = Object.fromEntries(["text", "compiled", "table", "parameters", "out"].map((name) => [name, join(folder, name)]));
    writeFileSync(paths.text, `${text}\n`);
    execFileSync(command, ["compile", paths.text, "-o", paths.compiled]);
    const region = hcr.read(readFileSync(paths.compiled)), n = region.dimension, rows = 2000;
    const v = steps(rows, n, 4), middle = Array.from(region.parameterLower, (low, k) => (low + region.parameterUpper[k]) / 2);
    const table = (names, values) => `${names.map((name) => `"${name}"`).join(",")}\n` +
      Array.from({ length: rows }, (_, i) => values(i).join(",")).join("\n") + "\n";
    writeFileSync(paths.table, table(region.outputNames, (i) => [...v.subarray(i * n, (i + 1) * n)]));
    const given = ["contract", paths.compiled, paths.table, "-o", paths.out];
    if (region.parameters > 0) {
      writeFileSync(paths.parameters, table(region.parameterNames, () => middle));
      given.push("--parameters", paths.parameters);
    }
    execFileSync(command, given, { env: { ...process.env, HCR_KERNELS: "baseline" } });
    const native = readFileSync(paths.out, "utf8").trim().split("\n").slice(1).flatMap((row) => row.split(",").map(Number));
    const ours = region.contract(v, middle).values;
    assert.equal(native.length, ours.length);
    const close = CLOSE[kind] ?? 0;
    ours.forEach((x, k) => assert.ok(Math.abs(x - native[k]) <= close * Math.max(1, Math.abs(x)),
      `row ${Math.floor(k / n)}: ${x} here, ${native[k]} native`));
    /* From the text: an origin is good enough once its ball is about as large as can be, and needn't be the same one. */
    const [here, there] = [hcr.region(text), region].map((made) => made.describe().inradius);
    assert.ok(Math.abs(here - there) <= 0.02 * there, `inradius ${here} here, ${there} native`);
  });
