// Shows the same thing again and again until somebody has seen enough.

import { EXIT } from "./failure.mjs";

// The other screen, so that what was on this one is there again afterwards; no cursor on it.
const ENTER = "\u001b[?1049h\u001b[?25l";
const LEAVE = "\u001b[?25h\u001b[?1049l";
const HOME = "\u001b[H";
const REST_OF_LINE = "\u001b[K";
const REST_OF_SCREEN = "\u001b[J";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** As many lines as the terminal has rows, the last one always among them. */
function clipped({ lines, last }, rows) {
  if (lines.length + 1 <= rows) return [...lines, last];
  const kept = lines.slice(0, Math.max(0, rows - 2));
  return [...kept, `… ${lines.length - kept.length} more`, last].slice(-rows);
}

/**
 * Draws `frame()`, `{ document, lines, last }`, every `interval` milliseconds: on a terminal in its place,
 * and at once when that gets another size; elsewhere one after the other.
 */
export async function watch(frame, interval, output) {
  const { stdout } = output;
  const inPlace = Boolean(stdout.isTTY) && !output.json;
  let over = false;
  let wake = () => {};
  const end = () => {
    over = true;
    wake();
  };
  const resized = () => wake();
  for (const signal of SIGNALS) process.on(signal, end);
  stdout.on("resize", resized);
  if (inPlace) stdout.write(ENTER);
  try {
    while (!over) {
      const shown = frame();
      if (inPlace) {
        const text = clipped(shown, output.rows)
          .map((line) => line + REST_OF_LINE)
          .join("\r\n");
        stdout.write(`${HOME}${text}${REST_OF_SCREEN}`);
      } else {
        output.answer(shown.document, [...shown.lines, shown.last, ""]);
      }
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, interval);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  } finally {
    if (inPlace) stdout.write(LEAVE);
    stdout.off("resize", resized);
    for (const signal of SIGNALS) process.off(signal, end);
  }
  return EXIT.ok;
}
