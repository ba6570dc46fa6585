// Text that others wrote, made fit for a terminal: no control reaches it, and its columns are known.

import { stripVTControlCharacters } from "node:util";

// Controls, line and paragraph separators, lone surrogates, and what steers the direction or the
// look of text; the two joiners only shape the letters beside them.
const UNSAFE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const SHORT = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** A name with every unsafe character spelled out, so that two names never look alike. */
export function spelled(name) {
  return name.replace(UNSAFE, (char) => SHORT[char] ?? `\\u{${char.codePointAt(0).toString(16)}}`);
}

/** A line of prose: terminal sequences and unsafe characters dropped, blanks run together. */
export function prose(text) {
  return stripVTControlCharacters(text).replace(/\s+/g, " ").replace(UNSAFE, "").trim();
}

/** JSON that is safe on a terminal and says the same: `JSON.stringify` leaves DEL and C1 as they are. */
export function json(document) {
  return JSON.stringify(document).replace(UNSAFE, (char) =>
    char
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

const NO_COLUMN = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u;
// East Asian wide and fullwidth characters, and what is shown as a picture; flags are made of two.
const TWO_COLUMNS =
  /(?![\u{1f1e6}-\u{1f1ff}])[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;

// As wcwidth counts, code point by code point, which is how most terminals move the cursor.
function columnsOf(char) {
  if (char >= " " && char <= "~") return 1;
  if (NO_COLUMN.test(char)) return 0;
  return TWO_COLUMNS.test(char) ? 2 : 1;
}

/** How many columns a text takes. */
export function width(text) {
  let columns = 0;
  for (const char of text) columns += columnsOf(char);
  return columns;
}

/** `text` within `columns`, its end replaced by `…` where it is longer. */
export function fit(text, columns) {
  if (width(text) <= columns) return text;
  let kept = "";
  let used = 0;
  for (const char of text) {
    used += columnsOf(char);
    if (used > columns - 1) break;
    kept += char;
  }
  return `${kept.trimEnd()}…`;
}

/** `text` filled up to `columns` with blanks. */
export function pad(text, columns) {
  return text + " ".repeat(Math.max(0, columns - width(text)));
}
