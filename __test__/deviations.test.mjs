// Every deviation from the JavaScript modules, seen from both sides.

import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as seatkit from "seatkit";
import { DEVIATIONS } from "./parity/deviations.mjs";
import { haveBaseline, haveReferences, loadBaseline, loadReferences } from "./parity/references.mjs";

const recorded = JSON.parse(readFileSync(new URL("./parity/deviations.json", import.meta.url), "utf8"));
const sides = {
  launch: haveReferences ? await loadReferences() : undefined,
  inbox: haveBaseline ? await loadBaseline() : undefined,
};

for (const { what, side, ask, seatkit: answer } of DEVIATIONS) {
  test(what, () => {
    assert.deepEqual(ask(seatkit), answer);
    assert.notDeepEqual(recorded[what], answer);
    if (sides[side]) assert.deepEqual(ask(sides[side]), recorded[what]);
  });
}

test("there is a record of each deviation and of no other", () => {
  assert.deepEqual(
    Object.keys(recorded),
    DEVIATIONS.map(({ what }) => what),
  );
});
