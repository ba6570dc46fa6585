// The calls that move or mark one item, in a seat that holds it and nothing else.

import assert from "node:assert/strict";
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as native from "seatkit/inbox-claims";
import { inTurn } from "./measure.mjs";
import { empty, fileOf, idOf, NOW, putOne, seat, SERVICE } from "./seat.mjs";

const item = { id: idOf(0) };
const later = NOW + 21 * 60_000;

/** Measures ways that each have a seat of their own: `makers` get its root and give a way. */
async function inSeats(makers, limits) {
  const seats = [];
  const ways = {};
  try {
    for (const [name, make] of Object.entries(makers)) {
      const { root, remove } = seat({});
      seats.push(remove);
      ways[name] = make(root);
    }
    return await inTurn(ways, limits);
  } finally {
    for (const remove of seats) remove();
  }
}

/** One call on an item that is put there for it; what plain JavaScript lacks has no way there. */
const call =
  (title, name, state, options) =>
  ({ javascript, limits }) => ({
    name: title,
    measure() {
      const make = (inbox) => (root) => async () => {
        putOne(root, { state });
        const start = performance.now();
        const { ok } = inbox[name](root, SERVICE, item, options);
        const ms = performance.now() - start;
        assert.ok(ok);
        return ms;
      };
      const makers = { native: make(native) };
      if (javascript.inbox[name]) makers.javascript = make(javascript.inbox);
      return inSeats(makers, limits);
    },
  });

const claimAndReopen = ({ javascript, floor, limits }) => ({
  name: "claim + reopen by a sweep",
  measure() {
    const make = (inbox) => (root) => {
      putOne(root, { state: "new" });
      return () => {
        const { ok } = inbox.markSessionClaim(root, SERVICE, item, { now: NOW });
        const { reopened } = inbox.sweepSessionInbox(root, { now: later });
        assert.ok(ok && reopened.length === 1);
      };
    };
    const makers = { native: make(native), javascript: make(javascript.inbox) };
    if (floor) {
      makers.floor = (root) => {
        putOne(root, { state: "new" });
        return async () => floor.time(`claim ${SERVICE} ${fileOf(0)} ${root}`);
      };
    }
    return inSeats(makers, limits);
  },
});

/** What one writes by hand: a file under another name, renamed, and synced where that is wanted. Twice delivered is twice there. */
function writeAndRename(root, durable) {
  const folder = join(root, "state", "inbox", SERVICE);
  writeFileSync(join(folder, ".new"), "content: hello\n", { flush: durable });
  renameSync(join(folder, ".new"), join(folder, fileOf(0)));
  if (!durable) return;
  const opened = openSync(folder, "r");
  fsyncSync(opened);
  closeSync(opened);
}

/** A delivery to a folder with nothing in it, beside one by hand. */
const deliver =
  (title, durable) =>
  ({ limits }) => ({
    name: title,
    measure() {
      const make = (delivered) => (root) => async () => {
        empty(root);
        const start = performance.now();
        delivered(root);
        return performance.now() - start;
      };
      const byCall = (root) => assert.ok(native.deliverInboxItem(root, SERVICE, { content: "hello" }, { durable }).ok);
      return inSeats({ native: make(byCall), javascript: make((root) => writeAndRename(root, durable)) }, limits);
    },
  });

/** The oldest new item claimed and given back, among processed ones. */
const next = ({ limits }) => ({
  name: "next + release among 10,000 processed",
  async measure() {
    const { root, remove } = seat({ processed: 10_000, fresh: 1 });
    try {
      return await inTurn(
        {
          native: () => {
            const claimed = native.claimNextItem(root, { service: SERVICE, now: NOW });
            assert.ok(claimed.ok && native.releaseSessionClaim(root, SERVICE, claimed).ok);
          },
        },
        limits,
      );
    } finally {
      remove();
    }
  },
});

/** A thousand processed items moved to the archive, laid anew each time. */
const archive = ({ limits }) => ({
  name: "archive of 1,000 processed",
  async measure() {
    return inTurn(
      {
        native: async () => {
          const { root, remove } = seat({ processed: 1_000 });
          try {
            const start = performance.now();
            const { archived } = native.archiveProcessed(root, { olderThanMs: 0, now: Date.now() + 1_000 });
            const ms = performance.now() - start;
            assert.equal(archived.length, 1_000);
            return ms;
          } finally {
            remove();
          }
        },
      },
      { ...limits, least: 3 },
    );
  },
});

/** A claim that is given back, among ten thousand; `file` says where to find the item. */
const claimAndRelease =
  (title, file) =>
  ({ limits }) => ({
    name: title,
    async measure() {
      const { root, remove } = seat({ processed: 10_000, fresh: 1 });
      const known = { id: idOf(10_000), file };
      try {
        return await inTurn(
          {
            native: () => {
              const { ok } = native.markSessionClaim(root, SERVICE, known, { now: NOW });
              assert.ok(ok && native.releaseSessionClaim(root, SERVICE, known).ok);
            },
          },
          limits,
        );
      } finally {
        remove();
      }
    },
  });

const ROWS = [
  claimAndReopen,
  call("claim", "markSessionClaim", "new", { now: NOW }),
  call("deferral", "markSessionDeferral", "new", { now: NOW, until: later, reason: "waiting" }),
  call("reply (native: on the disk when it returns)", "markSessionReplied", "claimed", { now: NOW }),
  call("done (on the disk when it returns)", "markSessionDone", "claimed", { now: NOW }),
  call("release", "releaseSessionClaim", "claimed"),
  call("renewal", "renewSessionClaim", "claimed", { now: NOW }),
  call("giving up", "failInboxItem", "claimed", { now: NOW }),
  call("reopening a deferred item", "reopenInboxItem", "deferred", { from: "deferred" }),
  deliver("delivery (on the disk when it returns)", true),
  deliver("delivery, not durable", false),
  next,
  archive,
  claimAndRelease("claim + release among 10,000", undefined),
  claimAndRelease("claim + release among 10,000, `file` given", fileOf(10_000)),
];

/** The rows of this part. */
export const marks = (context) => ROWS.map((row) => row(context));
