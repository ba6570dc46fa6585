// What the whole day of an inbox costs: waiting for an item, draining a backlog, and what was archived beside it.
//
// Plain JavaScript has none of these; what each is compared with stands in the column of the floor.

import assert from "node:assert/strict";
import { unlinkSync } from "node:fs";
import * as native from "seatkit/inbox-claims";
import * as promised from "seatkit/inbox-claims/promises";
import { inTurn } from "./measure.mjs";
import { fileOf, idOf, NOW, seat, SERVICE } from "./seat.mjs";

const BACKLOG = 10_000;
const ARCHIVED = 100_000;

async function inSeats(held, measure) {
  const seats = held.map((one) => seat(one));
  try {
    return await measure(...seats.map(({ root }) => root));
  } finally {
    for (const { remove } of seats) remove();
  }
}

const deliver = (root) => native.deliverInboxItem(root, SERVICE, { content: "hello" }, { durable: false });

/** From a delivery to the next value of a watch, a burst's end waited for. */
const watched = ({ limits }) => ({
  name: "watch, from a delivery to its value",
  measure: () =>
    inSeats([{}], async (root) => {
      const values = promised.watchInbox(root);
      await values.next();
      try {
        return await inTurn(
          {
            native: async () => {
              const value = values.next();
              const start = performance.now();
              deliver(root);
              await value;
              return performance.now() - start;
            },
          },
          limits,
        );
      } finally {
        await values.return();
      }
    }),
});

/** From a delivery to the claim of whoever waits for it. */
const waited = ({ limits }) => ({
  name: "next, waiting: from a delivery to its claim",
  measure: () =>
    inSeats([{}], (root) =>
      inTurn(
        {
          native: async () => {
            const waiting = promised.claimNextItem(root, { wait: true });
            // It has looked by then, and waits.
            await new Promise((resolve) => setTimeout(resolve, 20));
            const start = performance.now();
            deliver(root);
            const { ok } = await waiting;
            assert.ok(ok);
            return performance.now() - start;
          },
        },
        limits,
      ),
    ),
});

/** A backlog claimed one after the other, the oldest first, beside claims of the same items by their files. */
const drain = ({ limits }) => ({
  name: "drain of 10,000 by claimNextItem",
  note: "the floor is the claims of the same items by `file`",
  measure: () =>
    inSeats([{ fresh: BACKLOG }], (root) => {
      const items = Array.from({ length: BACKLOG }, (_, number) => ({ id: idOf(number), file: fileOf(number) }));
      const emptied = (claim) => async () => {
        const start = performance.now();
        for (const item of items) assert.ok(claim(item).ok);
        const ms = performance.now() - start;
        const { reopened } = native.sweepSessionInbox(root, { now: NOW + 21 * 60_000 });
        assert.equal(reopened.length, BACKLOG);
        return ms;
      };
      return inTurn(
        {
          native: emptied(() => native.claimNextItem(root, { service: SERVICE, now: NOW })),
          "floor by file": emptied((item) => native.markSessionClaim(root, SERVICE, item, { now: NOW, token: true })),
        },
        { ...limits, least: 3 },
      );
    }),
});

/** One call beside many archived items, and beside none. */
const beside =
  (name, call) =>
  ({ limits, quick }) => ({
    name: `${name}, 100 in flight, 100,000 archived`,
    note: "the floor is the same call where nothing was archived",
    // Too many to lay for a quick look.
    measure: () =>
      quick
        ? undefined
        : inSeats([{ inFlight: 100, archived: ARCHIVED }, { inFlight: 100 }], (full, bare) =>
            inTurn({ native: () => call(full), "floor without": () => call(bare) }, limits),
          ),
  });

const ROWS = [
  watched,
  waited,
  drain,
  beside("sweep", (root) => assert.equal(native.sweepSessionInbox(root, { now: NOW }).scanned, 100)),
  beside("find", (root) => assert.ok(native.findInboxFile(root, idOf(50)))),
  beside("delivery of an id that is there", (root) =>
    assert.equal(native.deliverInboxItem(root, SERVICE, { a: 1 }, { id: idOf(50), durable: false }).created, false),
  ),
  beside("delivery of a new id", (root) => {
    const { created, path } = native.deliverInboxItem(root, SERVICE, { a: 1 }, { id: "new", durable: false });
    assert.ok(created);
    unlinkSync(path);
  }),
];

/** The rows of this part. */
export const days = (context) => ROWS.map((row) => row(context));
