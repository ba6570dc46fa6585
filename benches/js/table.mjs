// Results as a Markdown table that is also legible as it stands.

/** Milliseconds, in the unit that suits them. */
export function duration(ms) {
  if (ms === null) return "";
  const [number, unit] = ms >= 1000 ? [ms / 1e3, "s"] : ms >= 1 ? [ms, "ms"] : ms >= 0.001 ? [ms * 1e3, "µs"] : [ms * 1e6, "ns"];
  return `${number >= 100 ? number.toFixed(0) : number >= 10 ? number.toFixed(1) : number.toFixed(2)} ${unit}`;
}

const times = (number) => (number === null ? "" : `${number >= 10 ? number.toFixed(0) : number.toFixed(2)} ×`);

const COLUMNS = [
  ["", ({ name }) => name],
  ["native", ({ native }) => duration(native)],
  ["JavaScript", ({ javascript }) => duration(javascript)],
  ["speed-up", ({ faster }) => times(faster)],
  ["floor", ({ floor }) => duration(floor)],
  ["native / floor", ({ overFloor }) => times(overFloor)],
];

/** One table of all the results, without columns that are empty; a speed-up below 1 is a loss. */
export function table(results) {
  const columns = COLUMNS.filter(([, cell]) => results.some((result) => cell(result)));
  const rows = [columns.map(([title]) => title), ...results.map((result) => columns.map(([, cell]) => cell(result)))];
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column].length), 3));
  const line = (cells) =>
    `| ${cells.map((cell, column) => (column ? cell.padStart(widths[column]) : cell.padEnd(widths[column]))).join(" | ")} |`;
  const rule = `|${widths.map((width, column) => (column ? `${"-".repeat(width + 1)}:` : `:${"-".repeat(width + 1)}`)).join("|")}|`;
  const notes = results.filter(({ note }) => note).map(({ name, note }) => `\n${name}: ${note}.`);
  return [line(rows[0]), rule, ...rows.slice(1).map(line), ...notes].join("\n");
}
