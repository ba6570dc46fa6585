// The inbox beside a plain JavaScript one, on ordinary inputs.

import { test } from "node:test";
import assert from "node:assert/strict";
import { compareInboxes, compareTimes } from "./parity/inbox.mjs";
import { haveBaseline } from "./parity/references.mjs";

const skip = haveBaseline ? false : "the plain JavaScript inbox is not beside the project";
const seed = 20260908;

test("generated items, calls and clocks have the same answers and leave the same bytes", { skip }, async (t) => {
  t.diagnostic(`seed ${seed}`);
  const { differences, counts } = await compareInboxes({ seed, rounds: 60 });
  assert.deepEqual(differences, []);
  // Each call both succeeds and is refused, and each reason of a sweep comes up.
  const seen = Object.keys(counts);
  for (const word of [
    "claim-stale",
    "daemon-orphan",
    "deferral-due",
    "replied-retired",
    "not-claimable",
    "not-deferrable",
    "not-in-flight",
  ]) {
    assert.ok(
      seen.some((what) => what.includes(word)),
      word,
    );
  }
  for (const name of ["findInboxFile", "markSessionClaim", "markSessionDeferral", "markSessionReplied"]) {
    assert.ok(seen.includes(`${name} true`), name);
  }
});

test("a time is written as toISOString writes it, over the whole range of a Date and beyond", { skip }, async () => {
  const { differences } = await compareTimes({ seed, count: 20_000 });
  assert.deepEqual(differences, []);
});
