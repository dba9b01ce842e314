/* The JavaScript of the documentation is run. A line `EXPRESSION;  // VALUE, words` says what the expression gives. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

globalThis.assert = assert; // for the modules that the blocks become
const PAGES = ["docs/javascript.md", "site/pages/index.md"];

for (const page of PAGES) {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
  const blocks = [...text.matchAll(/^( *)```js\n([^]*?)^ *```$/gm)].map(([, , code]) => code);
  for (const [k, block] of blocks.entries())
    test(`${page}, block ${k + 1}`, async () => {
      let compared = 0;
      const code = block.replaceAll('from "hcr"', `from "${new URL("../index.js", import.meta.url)}"`)
        .replace(/^( *)([^/\n]+);\s*\/\/ (\[[^\]]*\]|"[^"]*"|-?[\d.]+).*$/gm, (_, indent, expression, value) => {
          compared++;
          return `${indent}assert.deepEqual(${expression}, ${value});`;
        });
      assert.ok(compared > 0, "the block says what comes out");
      await import(`data:text/javascript,${encodeURIComponent(code)}`);
    });
  test(`${page} has JavaScript`, () => assert.ok(blocks.length > 0));
}
