// The recorded answers of the references, for a clone that stands without them.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { differ, outcome } from "./compare.mjs";

const seatkit = createRequire(import.meta.url)("seatkit");

export const GOLDEN = new URL("golden.json", import.meta.url);

/** Repeats every recorded call and compares. */
export function replay(subject = seatkit) {
  const recorded = JSON.parse(readFileSync(GOLDEN, "utf8"));
  const differences = [];
  for (const { call, answer, log } of recorded.calls) {
    const now = outcome(subject, call);
    if (differ({ answer, log }, now)) differences.push({ call, reference: { answer, log }, seatkit: now });
  }
  return { count: recorded.calls.length, names: new Set(recorded.calls.map(({ call }) => call.name)), differences };
}
