// The sweeps as a chart: what one costs against the items in flight, and against the processed ones
// beside them. Both axes are logarithmic. Its colours follow the reader's, light or dark.

import { duration } from "./table.mjs";

const WIDTH = 960;
const HEIGHT = 452;
const TOP = 104;
const BOTTOM = 372;
const PANEL = 378;
const LEFTS = [76, 544];

const STYLE = `
  :root { --paper: #ffffff; --ink: #1f2328; --faint: #59636e; --grid: #d8dee4; --native: #0969da; --javascript: #bc4c00; --floor: #59636e; }
  @media (prefers-color-scheme: dark) {
    :root { --paper: #0d1117; --ink: #f0f6fc; --faint: #9198a1; --grid: #2b323b; --native: #58a6ff; --javascript: #f0883e; --floor: #9198a1; }
  }
  .paper { fill: var(--paper); }
  text { fill: var(--ink); font: 13px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; }
  .title { font-size: 17px; font-weight: 600; }
  .head { font-weight: 600; }
  .faint { fill: var(--faint); font-size: 12px; }
  .grid { stroke: var(--grid); stroke-width: 1; }
  .line { fill: none; stroke-width: 2.5; stroke-linejoin: round; stroke-linecap: round; }
  .native { stroke: var(--native); } .dot.native, .value.native { fill: var(--native); }
  .javascript { stroke: var(--javascript); } .dot.javascript, .value.javascript { fill: var(--javascript); }
  .floor { stroke: var(--floor); stroke-dasharray: 2 5; } .dot.floor { fill: var(--floor); stroke-dasharray: none; }
  .dot { stroke: var(--paper); stroke-width: 1.5; }
  .value { stroke: none; font-size: 12px; font-weight: 600; }`;

/** The lines, the first one drawn first. */
const WAYS = [
  ["javascript", "plain JavaScript"],
  ["native", "seatkit"],
  ["floor", "floor: the bare system calls"],
];

const thousands = (number) => number.toLocaleString("en-US");
const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const text = (x, y, words, { style = "", anchor = "start" } = {}) =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}"${style && ` class="${style}"`}>${escape(words)}</text>`;
const line = (x1, y1, x2, y2, style) =>
  `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" class="${style}"/>`;

/** Where a value of `low` to `high` is between `from` and `to`, on a logarithmic axis. */
const scale =
  ([low, high], [from, to]) =>
  (value) =>
    from + ((Math.log10(value) - Math.log10(low)) / (Math.log10(high) - Math.log10(low))) * (to - from);

const decades = (low, high) => {
  const ticks = [];
  for (let tick = low; tick <= high * 1.001; tick *= 10) ticks.push(Number(tick.toPrecision(1)));
  return ticks;
};

/** One panel: `points` are results, each at its `x`; `ticks` are places on the x axis and their words. */
function panel(left, { head, axis, points, ticks, range }, y, yTicks) {
  const x = scale(range, [left, left + PANEL]);
  const parts = [text(left, TOP - 16, head, { style: "head" })];
  for (const tick of yTicks) {
    parts.push(line(left, y(tick), left + PANEL, y(tick), "grid"));
    parts.push(text(left - 8, y(tick) + 4, duration(tick).replace(/\.0+ /, " "), { style: "faint", anchor: "end" }));
  }
  for (const [at, words] of ticks) {
    parts.push(line(x(at), BOTTOM, x(at), BOTTOM + 5, "grid"));
    parts.push(text(x(at), BOTTOM + 20, words, { style: "faint", anchor: "middle" }));
  }
  parts.push(text(left + PANEL / 2, BOTTOM + 42, axis, { anchor: "middle" }));
  for (const [way] of WAYS) {
    const drawn = points.filter(({ result }) => result[way]).map((point) => [x(point.x), y(point.result[way]), point.result[way]]);
    if (drawn.length === 0) continue;
    parts.push(`<polyline points="${drawn.map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`).join(" ")}" class="line ${way}"/>`);
    for (const [px, py] of drawn) parts.push(`<circle cx="${px.toFixed(1)}" cy="${py.toFixed(1)}" r="4" class="dot ${way}"/>`);
    const [px, py, ms] = drawn.at(-1);
    if (way !== "floor") parts.push(text(px + 9, py + 4, duration(ms), { style: `value ${way}` }));
  }
  return parts;
}

/** The chart of those results that are sweeps. */
export function chart(results, machine) {
  const sweeps = results.filter(({ name, held }) => held && name.startsWith("sweep"));
  const inFlight = sweeps.filter(({ held }) => held.processed === 0);
  const beside = sweeps.filter(({ held }) => held.inFlight === 100);
  // A logarithmic axis has no zero: none processed stands where a tenth of the fewest would.
  const place = ({ held }) => held.processed || 100;
  const points = (list, at) => list.map((result) => ({ x: at(result), result })).sort((a, b) => a.x - b.x);
  const costs = sweeps.flatMap((result) => WAYS.map(([way]) => result[way])).filter(Boolean);
  const range = [10 ** Math.floor(Math.log10(Math.min(...costs))), 10 ** Math.ceil(Math.log10(Math.max(...costs)))];
  const y = scale(range, [BOTTOM, TOP]);
  const yTicks = decades(...range);
  const panels = [
    panel(
      LEFTS[0],
      {
        head: "items in flight, none processed",
        axis: "items in flight",
        points: points(inFlight, ({ held }) => held.inFlight),
        ticks: inFlight.map(({ held }) => [held.inFlight, thousands(held.inFlight)]),
        range: [16, 450_000],
      },
      y,
      yTicks,
    ),
    panel(
      LEFTS[1],
      {
        head: "100 items in flight, processed ones beside them",
        axis: "processed items",
        points: points(beside, place),
        ticks: beside.map((result) => [place(result), thousands(result.held.processed)]),
        range: [80, 320_000],
      },
      y,
      yTicks,
    ),
  ];
  const legend = [];
  let at = WIDTH - 24;
  for (const [way, words] of WAYS.toReversed()) {
    at -= words.length * 6.6;
    legend.push(text(at, 36, words));
    legend.push(line(at - 36, 32, at - 8, 32, `line ${way}`));
    at -= 56;
  }
  const from = `${machine.processor}, ${machine.cores} cores, ${machine.system}, Node ${machine.node}. Medians; both axes logarithmic.`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="What one sweep costs">
<style>${STYLE}
</style>
<rect width="${WIDTH}" height="${HEIGHT}" rx="8" class="paper"/>
${[text(24, 37, "What one sweep costs", { style: "title" }), ...legend, ...panels.flat(), text(24, HEIGHT - 10, from, { style: "faint" })].join("\n")}
</svg>
`;
}
