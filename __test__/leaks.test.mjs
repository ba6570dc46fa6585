// A short look for leaks; `npm run leaks` makes a million calls of each pure export.

import { test } from "node:test";
import assert from "node:assert/strict";
import * as seatkit from "seatkit";
import * as promises from "seatkit/inbox-claims/promises";
import * as mux from "seatkit/mux";
import * as muxPromises from "seatkit/mux/promises";
import * as placement from "seatkit/mux-placement";
import * as placementPromises from "seatkit/mux-placement/promises";
import { growth, leaks } from "../scripts/leaks.mjs";
import { CALLS } from "../scripts/leak-calls.mjs";

const CALLS_EACH = 8_000;

for (const [name, { round, share }] of CALLS) {
  test(`${name} leaves memory as it was`, async () => {
    const grown = await growth(round, CALLS_EACH * share);
    assert.ok(!leaks(grown), JSON.stringify(grown));
  });
}

test("every function of every module is looked at", () => {
  const isFunction = ([, value]) => typeof value === "function" && !/^class\b/.test(value);
  const twins = (all, sync, prefix) =>
    Object.entries(all)
      .filter(isFunction)
      .filter(([name, value]) => value !== sync[name])
      .map(([name]) => `promises.${prefix}${name}`);
  const names = [
    ...Object.entries(seatkit)
      .filter(isFunction)
      .map(([name]) => name),
    ...twins(promises, seatkit, ""),
    ...twins(muxPromises, mux, "mux."),
    ...twins(placementPromises, placement, "mux-placement."),
  ];
  assert.deepEqual([...CALLS.keys()].sort(), names.sort());
});

test("a leak on either side of the binding would be seen", async () => {
  const kept = [];
  assert.ok(leaks(await growth((i) => [kept.push({ i, more: [i, i, i, i, i] })], CALLS_EACH)), "of objects");
  assert.ok(leaks(await growth(() => [kept.push(Buffer.allocUnsafeSlow(4096).fill(1))], CALLS_EACH)), "of memory beside the heap");
});
