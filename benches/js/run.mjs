// `npm run bench`: what each call costs, beside the same in plain JavaScript, measured in turn, and
// beside the floor: the bare system calls of the job.
//
//   --only WORDS   rows whose part or name holds these words; may be given several times
//   --quick        fewer rounds, and no folder that takes long to lay
//   --json FILE    the numbers too, as JSON
//   --chart FILE   a chart of the sweeps, as SVG

import { writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { chart } from "./chart.mjs";
import { days } from "./days.mjs";
import { startFloor } from "./floor.mjs";
import { importTime } from "./import-time.mjs";
import { loadJavaScript } from "./javascript.mjs";
import { looks } from "./looks.mjs";
import { marks } from "./marks.mjs";
import { pure } from "./pure.mjs";
import { sessions } from "./sessions.mjs";
import { table } from "./table.mjs";
import { tmux } from "./tmux.mjs";

const { values: options } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    chart: { type: "string" },
  },
});

const say = (text) => console.error(`bench: ${text}`);
const load = () =>
  loadavg()
    .map((number) => number.toFixed(1))
    .join(" ");

/** The import of the modules is measured by processes of its own. */
const imports = ({ quick }) => [
  {
    name: "import of the three modules",
    measure() {
      const times = importTime(quick ? 10 : 60);
      return times && { medians: times, rounds: quick ? 10 : 60, ratio: (a, b) => times[a] / times[b] };
    },
  },
];

const PARTS = { looks, marks, days, tmux, sessions, pure, imports };

/** What is told of one row: milliseconds, and how many times as long the others take. */
function result(part, { name, held, note }, { medians, rounds, ratio }) {
  const floors = Object.keys(medians).filter((way) => way.startsWith("floor"));
  const floor = floors.sort((a, b) => medians[a] - medians[b])[0];
  return {
    part,
    name,
    ...(held && { held }),
    ...(note && { note }),
    rounds,
    native: medians.native,
    javascript: medians.javascript ?? null,
    floor: medians[floor] ?? null,
    faster: medians.javascript ? ratio("javascript", "native") : null,
    overFloor: floor ? ratio("native", floor) : null,
  };
}

const javascript = await loadJavaScript();
const floor = startFloor();
if (!floor) say("no floor, for there is no cargo to build it with");
const limits = options.quick ? { budget: 200, least: 5 } : { budget: 3000, least: 11 };
const context = { javascript, floor, limits, quick: options.quick, say };

const { only } = options;
const machine = {
  processor: cpus()[0]?.model ?? "unknown",
  cores: availableParallelism(),
  system: `${process.platform} ${process.arch}`,
  node: process.version,
  loadBefore: load(),
};
const results = [];
for (const [part, rows] of Object.entries(PARTS)) {
  for (const row of rows(context)) {
    if (only && !only.some((word) => part.includes(word) || row.name.includes(word))) continue;
    const measured = await row.measure();
    if (measured) results.push(result(part, row, measured));
    say(`${row.name}${measured ? "" : ": nothing to compare with"}`);
  }
}
floor?.stop();
machine.loadAfter = load();

console.log(table(results));
console.log(`
Medians over rounds in which each takes its turn. JavaScript is ${javascript.from}.
${machine.processor}, ${machine.cores} cores, ${machine.system}, Node ${machine.node}, load ${machine.loadBefore} before and ${machine.loadAfter} after.`);
if (options.json) writeFileSync(options.json, `${JSON.stringify({ machine, results }, null, 2)}\n`);
if (options.chart) writeFileSync(options.chart, chart(results, machine));
