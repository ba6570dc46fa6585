// What an item says of itself: its sender and subject, as far as they stand in plain lines.

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

// Both stand at the top of what daemons deliver.
const WINDOW = 4096;
const LINE = /^(sender|subject):(?:[ \t]+(.*))?$/;
const BLOCK = /^[|>][-+0-9]*(?:[ \t]+#.*)?$/;

/** The first bytes of an item, and its time; `undefined` where it moved on or is no item. */
function look(path) {
  let file;
  try {
    // Nothing is followed and nothing hangs, whatever took the item's place since it was listed.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(file);
    if (!stat.isFile()) return undefined;
    const buffer = Buffer.alloc(WINDOW);
    const length = readSync(file, buffer, 0, WINDOW, 0);
    return { text: buffer.toString("utf8", 0, length), whole: length < WINDOW, modified: stat.mtimeMs };
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** A YAML scalar on one line, as text; what is torn or odd is shown as it stands. */
function scalar(raw, next) {
  const value = raw.trim();
  if (BLOCK.test(value)) return /^[ \t]/.test(next ?? "") ? next : "";
  if (value.startsWith('"')) {
    const [quoted] = /^"(?:[^"\\]|\\.)*"/.exec(value) ?? [];
    try {
      return JSON.parse(quoted);
    } catch {
      return (quoted?.slice(0, -1) ?? value).slice(1);
    }
  }
  if (value.startsWith("'")) return (/^'((?:[^']|'')*)/.exec(value)?.[1] ?? "").replaceAll("''", "'");
  const plain = value.replace(/(?:^|[ \t])#.*$/, "").trim();
  return plain === "~" || plain === "null" ? "" : plain;
}

const DELIVERED = /^(\d{4}-\d{2}-\d{2}T\d{2})-(\d{2})-(\d{2})-(\d{3}Z)-/;

/** `{ sender, subject, deliveredAt }` of a listed item; `null` for what it does not say. */
export function describe({ path, file }) {
  const seen = look(path);
  const said = { sender: null, subject: null };
  const lines = seen?.text.replace(/^\ufeff/, "").split(/\r?\n/) ?? [];
  // The last line of a part may be the half of one.
  if (seen && !seen.whole) lines.pop();
  for (const [index, line] of lines.entries()) {
    const [, key, value] = LINE.exec(line) ?? [];
    if (key !== undefined) said[key] ??= scalar(value ?? "", lines[index + 1]);
  }
  const time = DELIVERED.exec(file);
  const delivered = time ? Date.parse(`${time[1]}:${time[2]}:${time[3]}.${time[4]}`) : NaN;
  return { ...said, deliveredAt: Number.isNaN(delivered) ? (seen ? Math.floor(seen.modified) : null) : delivered };
}
