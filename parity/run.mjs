// Compares seatkit with its JavaScript references on generated calls, and its inbox with a plain
// JavaScript one on generated inboxes:
//
//   node parity/run.mjs [--calls N] [--inboxes N] [--seed N] [--only INDEX]
//
// Prints the seed always, and a difference as small as it can be made. Without the references
// beside the project, the recorded answers are replayed instead.

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { differ, outcome } from "./compare.mjs";
import { Generator } from "./generate.mjs";
import { haveReferences, loadReferences, withDeviations } from "./references.mjs";
import { Rng } from "./rng.mjs";
import { shrink } from "./shrink.mjs";

const seatkit = createRequire(import.meta.url)("seatkit");

export const callOf = (seed, index) => new Generator(new Rng(seed, index)).call();

/**
 * Compares `calls` generated calls of the references with `subject`; the answer counts them by
 * export and holds the differences.
 */
export async function run({ seed, calls, first = 0, most = 3, subject = seatkit }) {
  const references = withDeviations(await loadReferences());
  const fails = (call) => differ(outcome(references, call), outcome(subject, call));
  const counts = {};
  const answers = { returned: 0, threw: 0 };
  const differences = [];
  for (let index = first; index < first + calls && differences.length < most; index++) {
    const call = callOf(seed, index);
    counts[call.name] = (counts[call.name] ?? 0) + 1;
    const expected = outcome(references, call);
    answers[expected.answer.slice(0, expected.answer.indexOf(" "))]++;
    if (!differ(expected, outcome(subject, call))) continue;
    const small = shrink(call, fails);
    differences.push({ index, call: small, reference: outcome(references, small), seatkit: outcome(subject, small) });
  }
  return { counts, answers, differences };
}

/** Replays the recorded answers and reports; whether there was no difference. */
async function replayed() {
  console.log("parity: no references in ../shared; replaying the recorded answers instead");
  const { replay } = await import("./golden.mjs");
  const { count, differences } = replay();
  for (const difference of differences) console.error(JSON.stringify(difference, null, 2));
  console.log(`parity: ${count} recorded calls, ${differences.length === 0 ? "no difference" : "DIFFERENT"}`);
  return differences.length === 0;
}

/** Compares and reports; whether there was no difference. */
async function compared(seed, calls, first) {
  const started = Date.now();
  const { counts, answers, differences } = await run({ seed, calls, first });
  for (const difference of differences) console.error(JSON.stringify(difference, null, 2));
  for (const [name, count] of Object.entries(counts).sort()) console.log(`  ${name.padEnd(48)}${String(count).padStart(8)}`);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`parity: seed ${seed}, ${calls} calls (${answers.returned} answered, ${answers.threw} threw) in ${seconds} s, ${differences.length === 0 ? "no difference" : "DIFFERENT"}`);
  return differences.length === 0;
}

async function main() {
  const text = { type: "string" };
  const { values } = parseArgs({ options: { calls: text, inboxes: text, seed: text, only: text } });
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(values.seed);
  if (!haveReferences) {
    process.exitCode = (await replayed()) ? 0 : 1;
  } else if (values.only !== undefined) {
    process.exitCode = (await compared(seed, 1, Number(values.only))) ? 0 : 1;
  } else {
    const same = await compared(seed, Number(values.calls ?? 100_000), 0);
    const { report } = await import("./inbox.mjs");
    process.exitCode = (await report({ seed, rounds: Number(values.inboxes ?? 500) })) && same ? 0 : 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
