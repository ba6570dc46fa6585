// A short look for leaks; `npm run leaks` makes a million calls of each export.

import { test } from "node:test";
import assert from "node:assert/strict";
import { CALLS, growth, leaks } from "../scripts/leaks.mjs";

const CALLS_EACH = 20_000;

for (const [name, make] of Object.entries(CALLS)) {
  test(`${name} leaves memory as it was`, () => {
    const grown = growth(make, CALLS_EACH);
    assert.ok(!leaks(grown), JSON.stringify(grown));
  });
}

test("a leak on either side of the binding would be seen", () => {
  const kept = [];
  assert.ok(leaks(growth((i) => [kept.push({ i, more: [i, i] })], CALLS_EACH)), "of objects");
  assert.ok(leaks(growth(() => [kept.push(Buffer.allocUnsafeSlow(1024).fill(1))], CALLS_EACH)), "of memory beside the heap");
});
