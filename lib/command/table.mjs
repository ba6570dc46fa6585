// Aligned columns, whatever their cells hold.

import { fit, pad, width } from "./text.mjs";

const GAP = "  ";

/** How wide each column is, within the terminal if that can be. */
function widthsOf(columns, cells, output) {
  const widths = columns.map(({ title = "", most = Infinity }, index) =>
    Math.max(width(title), Math.min(most, Math.max(0, ...cells.map((row) => width(row[index]))))),
  );
  for (let index = columns.length - 1; index >= 0; index--) {
    const used = widths.reduce((sum, columns) => sum + columns, GAP.length * (columns.length - 1));
    const least = Math.min(columns[index].least ?? Infinity, widths[index]);
    widths[index] = Math.max(least, widths[index] - Math.max(0, used - output.columns));
  }
  return widths;
}

/**
 * The lines of a table. A column is `{ title?, cell, paint?, most?, least? }`: `cell(row)` is its text,
 * `paint(text, row)` colours it once it has its width, `most` is how wide it gets, and a column with a
 * `least` gives way down to that, the last one first, where the whole is wider than the terminal.
 */
export function table(columns, rows, output) {
  const cells = rows.map((row) => columns.map((column) => column.cell(row)));
  const widths = widthsOf(columns, cells, output);
  const line = (texts, paint) => {
    const last = texts.findLastIndex((text) => text !== "");
    const shown = texts.slice(0, last + 1).map((text, index) => {
      const within = fit(text, widths[index]);
      return paint(index === last ? within : pad(within, widths[index]), index);
    });
    return shown.join(GAP);
  };
  const lines = cells.map((texts, row) => line(texts, (text, index) => columns[index].paint?.(text, rows[row]) ?? text));
  const titles = columns.map(({ title = "" }) => title);
  return titles.every((title) => title === "") ? lines : [line(titles, (text) => output.colour("dim", text)), ...lines];
}
