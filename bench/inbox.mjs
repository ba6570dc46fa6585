// The inbox: sweeping, finding and marking, beside plain JavaScript and the floor.

import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import * as native from "../session/inbox-claims.mjs";
import * as promised from "../session/inbox-claims.promises.mjs";
import { inTurn, median } from "./measure.mjs";
import { fileOf, idOf, NOW, seat, SERVICE } from "./seat.mjs";

const count = (number) => number.toLocaleString("en-US");
const contents = ({ inFlight, processed = 0 }) =>
  `${count(inFlight)} in flight${processed ? `, ${count(processed)} processed` : ""}`;

/** What the folders hold; the first five and the last five are the two lines of the chart. */
const FOLDERS = [
  { inFlight: 20 },
  { inFlight: 100 },
  { inFlight: 1_000 },
  { inFlight: 10_000 },
  { inFlight: 100_000 },
  { inFlight: 100, processed: 1_000 },
  { inFlight: 100, processed: 10_000 },
  { inFlight: 100, processed: 100_000 },
  { inFlight: 1_000, processed: 100_000 },
];

/** The readers that the floor is tried with; the faster number counts. */
const READERS = [...new Set([1, availableParallelism()])];

function* sweeps({ javascript, floor, limits, quick }) {
  for (const held of FOLDERS) {
    if (quick && held.inFlight + (held.processed ?? 0) > 20_000) continue;
    yield {
      name: `sweep, ${contents(held)}`,
      chart: { job: "sweep", inFlight: held.inFlight, processed: held.processed ?? 0 },
      async measure() {
        const { root, remove } = seat(held);
        try {
          const ways = {
            native: () => native.sweepSessionInbox(root, { now: NOW }),
            javascript: () => javascript.inbox.sweepSessionInbox(root, { now: NOW }),
          };
          assert.deepEqual(ways.native(), { reopened: [], scanned: held.inFlight });
          assert.deepEqual(ways.javascript(), ways.native());
          for (const readers of floor ? READERS : []) {
            ways[`floor${readers}`] = async () => floor.time(`sweep ${readers} ${root}`);
          }
          return await inTurn(ways, limits);
        } finally {
          remove();
        }
      },
    };
  }
}

function* finds({ javascript, floor, limits, quick }) {
  for (const held of FOLDERS) {
    if (quick && held.inFlight + (held.processed ?? 0) > 20_000) continue;
    yield {
      name: `find, ${contents(held)}`,
      chart: { job: "find", inFlight: held.inFlight, processed: held.processed ?? 0 },
      async measure() {
        const { root, remove } = seat(held);
        const id = idOf(held.inFlight >> 1);
        try {
          const ways = {
            native: () => native.findInboxFile(root, id),
            javascript: () => javascript.inbox.findInboxFile(root, id),
          };
          assert.deepEqual(ways.native(), ways.javascript());
          assert.equal(ways.native().state, "claimed");
          if (floor) ways.floor = async () => floor.time(`find ${root}`);
          return await inTurn(ways, limits);
        } finally {
          remove();
        }
      },
    };
  }
}

/** One item that goes through a call and back again; `back` is not timed. */
function timed(call, back) {
  return async () => {
    const start = performance.now();
    const { ok } = call();
    const ms = performance.now() - start;
    assert.ok(ok);
    back();
    return ms;
  };
}

function* marks({ javascript, floor, limits }) {
  const later = NOW + 21 * 60_000;
  const item = { id: idOf(0) };
  const claimAndReopen = (inbox, root) => () => {
    const { ok } = inbox.markSessionClaim(root, SERVICE, item, { now: NOW });
    const { reopened } = inbox.sweepSessionInbox(root, { now: later });
    assert.ok(ok && reopened.length === 1);
  };
  const oneItem = async (measure) => {
    const { root, remove } = seat({ fresh: 1 });
    try {
      return await measure(root);
    } finally {
      remove();
    }
  };
  yield {
    name: "claim + reopen by a sweep",
    measure: () =>
      oneItem((root) => {
        const ways = { native: claimAndReopen(native, root), javascript: claimAndReopen(javascript.inbox, root) };
        if (floor) ways.floor = async () => floor.time(`claim ${SERVICE} ${fileOf(0)} ${root}`);
        return inTurn(ways, limits);
      }),
  };
  const calls = {
    markSessionClaim: (inbox, root) => inbox.markSessionClaim(root, SERVICE, item, { now: NOW }),
    markSessionDeferral: (inbox, root) => inbox.markSessionDeferral(root, SERVICE, item, { now: NOW, until: later, reason: "x" }),
    "markSessionReplied, synced to the disk": (inbox, root) => inbox.markSessionReplied(root, SERVICE, item, { now: NOW }),
    "markSessionDone, synced to the disk": (inbox, root) => inbox.markSessionDone(root, SERVICE, item, { now: NOW }),
    releaseSessionClaim: (inbox, root) => inbox.releaseSessionClaim(root, SERVICE, item),
    renewSessionClaim: (inbox, root) => inbox.renewSessionClaim(root, SERVICE, item, { now: NOW }),
  };
  for (const [name, call] of Object.entries(calls)) {
    yield {
      name,
      measure: async () => {
        const [call_name] = name.split(",");
        const seats = [];
        const way = (inbox) => {
          const { root, remove } = seat({ fresh: 1 });
          seats.push(remove);
          const reset = resetter(root);
          const starts = /Replied|Done|release|renew/.test(call_name) ? reset.claimed : reset.fresh;
          starts();
          return timed(() => call(inbox, root), starts);
        };
        try {
          const ways = { native: way(native) };
          if (javascript.inbox[call_name]) ways.javascript = way(javascript.inbox);
          return await inTurn(ways, limits);
        } finally {
          seats.forEach((remove) => remove());
        }
      },
    };
  }
  yield {
    name: "claim + release among 10,000, `file` given",
    measure: async () => {
      const { root, remove } = seat({ processed: 10_000, fresh: 1 });
      const known = { id: idOf(10_000), file: fileOf(10_000) };
      try {
        return await inTurn({
          native: () => {
            assert.ok(native.markSessionClaim(root, SERVICE, known, { now: NOW }).ok);
            assert.ok(native.releaseSessionClaim(root, SERVICE, known).ok);
          },
        }, limits);
      } finally {
        remove();
      }
    },
  };
}
