// The calls that move or mark one item, in a seat that holds it and nothing else.

import assert from "node:assert/strict";
import * as native from "../session/inbox-claims.mjs";
import { inTurn } from "./measure.mjs";
import { fileOf, idOf, NOW, putOne, seat, SERVICE } from "./seat.mjs";

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
const call = (title, name, claimed, options) => ({ javascript, limits }) => ({
  name: title,
  measure() {
    const make = (inbox) => (root) => async () => {
      putOne(root, { claimed });
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
      putOne(root, { claimed: false });
      return () => {
        const { ok } = inbox.markSessionClaim(root, SERVICE, item, { now: NOW });
        const { reopened } = inbox.sweepSessionInbox(root, { now: later });
        assert.ok(ok && reopened.length === 1);
      };
    };
    const makers = { native: make(native), javascript: make(javascript.inbox) };
    if (floor) {
      makers.floor = (root) => {
        putOne(root, { claimed: false });
        return async () => floor.time(`claim ${SERVICE} ${fileOf(0)} ${root}`);
      };
    }
    return inSeats(makers, limits);
  },
});

/** A claim that is given back, among ten thousand; `file` says where to find the item. */
const claimAndRelease = (title, file) => ({ limits }) => ({
  name: title,
  async measure() {
    const { root, remove } = seat({ processed: 10_000, fresh: 1 });
    const known = { id: idOf(10_000), file };
    try {
      return await inTurn({
        native: () => {
          const { ok } = native.markSessionClaim(root, SERVICE, known, { now: NOW });
          assert.ok(ok && native.releaseSessionClaim(root, SERVICE, known).ok);
        },
      }, limits);
    } finally {
      remove();
    }
  },
});

const ROWS = [
  claimAndReopen,
  call("claim", "markSessionClaim", false, { now: NOW }),
  call("deferral", "markSessionDeferral", false, { now: NOW, until: later, reason: "waiting" }),
  call("reply (native: on the disk when it returns)", "markSessionReplied", true, { now: NOW }),
  call("done (on the disk when it returns)", "markSessionDone", true, { now: NOW }),
  call("release", "releaseSessionClaim", true),
  call("renewal", "renewSessionClaim", true, { now: NOW }),
  claimAndRelease("claim + release among 10,000", undefined),
  claimAndRelease("claim + release among 10,000, `file` given", fileOf(10_000)),
];

/** The rows of this part. */
export const marks = (context) => ROWS.map((row) => row(context));
