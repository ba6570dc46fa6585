// Records answers of the references into golden.json and deviations.json:
//
//   node __test__/parity/record.mjs [--seed N]
//
// Calls with an answer that no earlier one gave come first. The rows that seatkit reads in
// another way on purpose are left out; deviations.json holds those.

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Calls } from "./calls.mjs";
import { outcome } from "./compare.mjs";
import { DEVIATIONS } from "./deviations.mjs";
import { GOLDEN, recordable } from "./golden.mjs";
import { haveBaseline, haveReferences, loadBaseline, loadReferences } from "./references.mjs";
import { Rng } from "./rng.mjs";

const EACH = 80;
const LONGEST = 1500;

const { values } = parseArgs({ options: { seed: { type: "string", default: "1" } } });
if (!haveReferences || !haveBaseline) {
  console.error("parity: the references are not beside the project (../shared), so there is nothing to record");
  process.exit(1);
}
const seed = Number(values.seed);
const references = await loadReferences();
const calls = [];
const names = Object.keys(new Calls(new Rng(seed)).calls);
for (const name of names) {
  const answers = new Set();
  let recorded = 0;
  for (let index = 0; recorded < EACH; index++) {
    const call = new Calls(new Rng(seed, index), { lasting: true }).call([name]);
    const reference = recordable(outcome(references, call));
    const known = answers.has(JSON.stringify(reference));
    if ((known && index % 8 > 0) || JSON.stringify({ call, reference }).length > LONGEST) continue;
    answers.add(JSON.stringify(reference));
    calls.push({ call, reference });
    recorded++;
  }
}
writeFileSync(GOLDEN, `{"seed":${seed},"calls":[\n${calls.map((entry) => JSON.stringify(entry)).join(",\n")}\n]}\n`);
const sides = { launch: references, inbox: await loadBaseline() };
const deviations = Object.fromEntries(DEVIATIONS.map(({ what, side, ask }) => [what, ask(sides[side])]));
writeFileSync(new URL("deviations.json", import.meta.url), `${JSON.stringify(deviations, null, 2)}\n`);
console.log(`parity: ${calls.length} calls of ${names.length} exports recorded`);
