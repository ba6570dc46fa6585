// The recorded answers of the references, for a clone that stands without them.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { differ, outcome } from "./compare.mjs";

const seatkit = createRequire(import.meta.url)("seatkit");

export const GOLDEN = new URL("golden.json", import.meta.url);

/** An outcome as JSON keeps it: what is `undefined` is a word. */
export const recordable = (value) => JSON.parse(JSON.stringify(value, (_, inner) => (inner === undefined ? "(undefined)" : inner)));

/** Repeats every recorded call and compares. */
export function replay(subject = seatkit) {
  const recorded = JSON.parse(readFileSync(GOLDEN, "utf8"));
  const differences = [];
  for (const { call, reference } of recorded.calls) {
    const now = recordable(outcome(subject, call));
    if (differ(call, reference, now)) differences.push({ call, reference, seatkit: now });
  }
  return { count: recorded.calls.length, names: new Set(recorded.calls.map(({ call }) => call.name)), differences };
}
