// Looking at an inbox: sweeps that find nothing due, searches, listings; on the loop and off it.

import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import * as native from "seatkit/inbox-claims";
import * as promised from "seatkit/inbox-claims/promises";
import { inTurn } from "./measure.mjs";
import { idOf, NOW, seat } from "./seat.mjs";

const thousands = (number) => number.toLocaleString("en-US");
const contents = ({ inFlight, processed }) => `${thousands(inFlight)} in flight${processed ? `, ${thousands(processed)} processed` : ""}`;

const FOLDERS = [
  [20, 0],
  [100, 0],
  [1_000, 0],
  [10_000, 0],
  [100_000, 0],
  [100, 1_000],
  [100, 10_000],
  [100, 100_000],
  [1_000, 100_000],
].map(([inFlight, processed]) => ({ inFlight, processed }));

/** Folders that take long to lay are not for a quick look. */
const folders = (quick) => FOLDERS.filter(({ inFlight, processed }) => !quick || inFlight + processed <= 12_000);

/** The readers that the floor of a sweep is tried with; the faster number counts. */
const READERS = [...new Set([1, availableParallelism()])];

async function inSeat(held, measure) {
  const { root, remove } = seat(held);
  try {
    return await measure(root);
  } finally {
    remove();
  }
}

const sweep = (held, { javascript, floor, limits }) => ({
  name: `sweep, ${contents(held)}`,
  held,
  measure: () =>
    inSeat(held, (root) => {
      const ways = {
        native: () => native.sweepSessionInbox(root, { now: NOW }),
        javascript: () => javascript.inbox.sweepSessionInbox(root, { now: NOW }),
      };
      assert.deepEqual(ways.native(), { reopened: [], scanned: held.inFlight });
      assert.deepEqual(ways.javascript(), { reopened: [], scanned: held.inFlight });
      for (const readers of floor ? READERS : []) {
        ways[`floor of ${readers}`] = async () => floor.time(`sweep ${readers} ${root}`);
      }
      return inTurn(ways, limits);
    }),
});

const find = (held, { javascript, floor, limits }) => ({
  name: `find, ${contents(held)}`,
  measure: () =>
    inSeat(held, (root) => {
      const id = idOf(held.inFlight >> 1);
      const ways = {
        native: () => native.findInboxFile(root, id),
        javascript: () => javascript.inbox.findInboxFile(root, id),
      };
      assert.equal(ways.native().path, ways.javascript().path);
      if (floor) ways.floor = async () => floor.time(`find ${root}`);
      return inTurn(ways, limits);
    }),
});

const list = ({ limits }) => ({
  name: "list, 1,000 in flight",
  measure: () =>
    inSeat({ inFlight: 1_000 }, (root) => {
      const ways = { native: () => native.listInbox(root) };
      assert.equal(ways.native().items.length, 1_000);
      return inTurn(ways, limits);
    }),
});

/** The longest time between two turns of the event loop, a timer of 1 ms running, until `work` is over. */
async function longestTurn(work) {
  let [last, longest, over] = [performance.now(), 0, false];
  const done = work().finally(() => {
    over = true;
  });
  while (!over) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }
  await done;
  return longest;
}

const stall = ({ javascript, limits }) => ({
  name: "longest stall of the event loop, sweep of 10,000",
  note: "promised natively; plain JavaScript blocks the loop for the whole sweep; the floor is a loop with nothing to do",
  measure: () =>
    inSeat({ inFlight: 10_000 }, (root) => {
      const rest = () => new Promise((resolve) => setTimeout(resolve, 50));
      return inTurn(
        {
          native: async () => longestTurn(() => promised.sweepSessionInbox(root, { now: NOW })),
          javascript: async () => longestTurn(async () => javascript.inbox.sweepSessionInbox(root, { now: NOW })),
          floor: async () => longestTurn(rest),
        },
        limits,
      );
    }),
});

/** The rows of this part. */
export const looks = (context) => [
  ...folders(context.quick).map((held) => sweep(held, context)),
  ...folders(context.quick).map((held) => find(held, context)),
  list(context),
  stall(context),
];
