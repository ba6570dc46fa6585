// Seats to measure on, in a folder of their own.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const SERVICE = "cohort";
export const NOW = Date.parse("2026-09-08T10:00:00.000Z");

const ITEM = `id: "cohort-abc123"
from: "olivia"
thread: "2026-09-08-quarterly-deck"
received_at: "2026-09-08T09:59:00.000Z"
subject: "the deck for tomorrow"
content: |
  Hi, can you send me the deck for tomorrow before noon?
  The numbers of the second slide have changed, see the sheet that I shared.

  Thanks
`;

const stem = (number) => `${new Date(NOW - 60_000 + number).toISOString().replace(/[:.]/g, "-")}-cohort-${String(number).padStart(8, "0")}`;

/** The id of an item, counted from 0. */
export const idOf = (number) => `cohort-${String(number).padStart(8, "0")}`;

/** The bare name of an item that is new. */
export const fileOf = (number) => `${stem(number)}.yaml`;

const iso = (time) => JSON.stringify(new Date(time).toISOString());
const CLAIM = `claimed_by: "session"\nclaimed_at: ${iso(NOW)}\n`;
const DEFERRAL = `deferred_until: ${iso(NOW + 3_600_000)}\ndeferred_reason: "waiting for finance"\n`;

/** The folder of the one service below a root. */
const folderOf = (root) => join(root, "state", "inbox", SERVICE);

/**
 * A seat with so many items in flight, none of them due (three claims to one deferral), so many processed and new ones
 * beside, and so many in the archive. `remove()` removes it.
 */
export function seat({ inFlight = 0, processed = 0, fresh = 0, archived = 0 }) {
  const root = mkdtempSync(join(tmpdir(), "seatkit-bench-"));
  mkdirSync(folderOf(root), { recursive: true });
  for (let number = 0; number < inFlight + processed + fresh; number += 1) {
    let [state, body] = ["", ITEM];
    if (number < inFlight) [state, body] = number % 4 === 3 ? [".deferred", ITEM + DEFERRAL] : [".dispatched", ITEM + CLAIM];
    else if (number < inFlight + processed) [state, body] = [".processed", ITEM + CLAIM];
    writeFileSync(join(folderOf(root), fileOf(number) + state), body);
  }
  const months = join(root, "state", "inbox-archive", SERVICE);
  for (let number = 0; number < archived; number += 1) {
    const month = join(months, `2026-0${(number % 8) + 1}`);
    if (number < 8) mkdirSync(month, { recursive: true });
    writeFileSync(join(month, `${fileOf(1e6 + number)}.processed`), ITEM + CLAIM);
  }
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** What follows the name and the text of an item in each state. */
const STATES = { new: ["", ""], claimed: [".dispatched", CLAIM], deferred: [".deferred", DEFERRAL] };

/** Takes every item out of the seat. */
export function empty(root) {
  for (const file of readdirSync(folderOf(root))) rmSync(join(folderOf(root), file));
}

/** Makes the seat hold one item in this state and nothing else. */
export function putOne(root, { state }) {
  empty(root);
  const [suffix, block] = STATES[state];
  writeFileSync(join(folderOf(root), fileOf(0) + suffix), ITEM + block);
}
