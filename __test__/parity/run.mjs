// Compares seatkit with its JavaScript references on generated calls, and its inbox with a plain
// JavaScript one on generated inboxes:
//
//   node __test__/parity/run.mjs [--calls N] [--inboxes N] [--seed N] [--only INDEX]
//
// Prints the seed always; `--only` repeats one call of it. Without the references beside the project,
// the recorded answers are replayed instead.

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Calls } from "./calls.mjs";
import { differ, outcome } from "./compare.mjs";
import { haveReferences, loadReferences, withDeviations } from "./references.mjs";
import { Rng } from "./rng.mjs";

const seatkit = createRequire(import.meta.url)("seatkit");

export const callOf = (seed, index) => new Calls(new Rng(seed, index)).call();

/**
 * Compares `calls` generated calls of the references with `subject`; the answer counts them by
 * export and holds the differences.
 */
export async function run({ seed, calls, first = 0, most = 3, subject = seatkit }) {
  const references = withDeviations(await loadReferences());
  const counts = {};
  const answers = { returned: 0, threw: 0 };
  const differences = [];
  for (let index = first; index < first + calls && differences.length < most; index++) {
    const call = callOf(seed, index);
    counts[call.name] = (counts[call.name] ?? 0) + 1;
    const reference = outcome(references, call);
    answers["threw" in reference ? "threw" : "returned"]++;
    const seatkit = outcome(subject, call);
    if (differ(call, reference, seatkit)) differences.push({ index, call, reference, seatkit });
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
  console.log(
    `parity: seed ${seed}, ${calls} calls (${answers.returned} answered, ${answers.threw} threw) in ${seconds} s, ${differences.length === 0 ? "no difference" : "DIFFERENT"}`,
  );
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
