// What promises add: they settle later, off the main thread, and always settle.

import { test } from "node:test";
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import * as sync from "seatkit/inbox-claims";
import * as promises from "seatkit/inbox-claims/promises";
import { CLAIM, ITEM, STAMP, Seat, T0 } from "./inbox-seat.mjs";

const required = createRequire(import.meta.url)("seatkit/inbox-claims/promises");
const NO_TWIN = ["watchInbox"];
const CALLS = Object.keys(promises).filter(
  (name) =>
    ![...NO_TWIN, "default", "module.exports"].includes(name) && typeof promises[name] === "function" && promises[name] !== sync[name],
);

test("every call that touches the disk has its promise, and nothing else does", () => {
  const constantsAndText = [
    "SESSION_CLAIM_STALE_MS",
    "DAEMON_ORPHAN_RECLAIM_MS",
    "REPLIED_RETIRE_MS",
    "sessionMarkerLines",
    "parseSessionMarkers",
    "stripSessionMarkers",
    "default",
    "module.exports",
  ];
  assert.deepEqual(
    CALLS.sort(),
    Object.keys(sync)
      .filter((name) => !constantsAndText.includes(name))
      .sort(),
  );
  for (const name of CALLS) {
    assert.equal(promises[name].name, name);
    assert.equal(required[name], promises[name], "the same function by require");
  }
});

test("a promise comes back whatever the arguments, and an error is a rejection", async () => {
  for (const name of CALLS) {
    const answer = promises[name]();
    assert.ok(answer instanceof Promise, name);
    const settled = await answer.then(
      (value) => ({ value }),
      (error) => ({ error }),
    );
    let called;
    try {
      called = { value: sync[name]() };
    } catch (error) {
      called = { error };
    }
    assert.deepEqual(Object.keys(settled), Object.keys(called), name);
    if (called.error)
      assert.deepEqual(
        [settled.error.name, settled.error.code, settled.error.message],
        [called.error.name, called.error.code, called.error.message],
      );
    else assert.deepEqual(settled.value, called.value);
  }
});

test("arguments are read at once: what the caller changes later is too late", async (t) => {
  const seat = new Seat(t);
  seat.put("m1.yaml");
  const item = { id: "m1" };
  const options = { now: new Date(T0) };
  const claim = promises.markSessionClaim(seat.root, "cohort", item, options);
  item.id = "other";
  options.now.setTime(0);
  assert.equal((await claim).ok, true);
  assert.equal(seat.read("m1.yaml.dispatched"), ITEM + CLAIM);
});

test("the event loop turns while a call is at work", async (t) => {
  const seat = new Seat(t);
  for (let number = 0; number < 3000; number++) seat.put(`m${number}.yaml.dispatched`, ITEM + CLAIM);
  let turns = 0;
  let atWork = true;
  const turn = () => {
    turns++;
    if (atWork) setImmediate(turn);
  };
  setImmediate(turn);
  const { reopened } = await promises.sweepSessionInbox(seat.root, { now: T0 + 1e9 });
  atWork = false;
  assert.equal(reopened.length, 3000);
  assert.ok(turns > 0, "others ran between the call and its answer");
});

test("many calls at once give each its own answer", async (t) => {
  const seat = new Seat(t);
  const ids = Array.from({ length: 200 }, (_, number) => `item-${String(number).padStart(3, "0")}`);
  for (const id of ids) seat.put(`${STAMP}${id}.yaml`);
  const claims = await Promise.all(ids.map((id) => promises.markSessionClaim(seat.root, "cohort", { id }, { now: T0, token: true })));
  for (const [index, id] of ids.entries()) assert.equal(claims[index].path, seat.path(`${STAMP}${id}.yaml.dispatched`));
  assert.equal(new Set(claims.map((claim) => claim.token)).size, ids.length);
  const replies = await Promise.all(
    ids.map((id, index) => promises.markSessionReplied(seat.root, "cohort", { id }, { token: claims[index].token })),
  );
  assert.ok(replies.every((reply) => reply.ok));
});

test("a reader of the front door is asked on the calling thread, before the promise is there", (t) => {
  const seat = new Seat(t);
  mkdirSync(seat.folder("other"));
  let asked = false;
  const answer = promises.sweepSessionInboxForDaemon(seat.root, { readState: () => void (asked = true) });
  assert.equal(asked, true);
  return answer.then(({ sessionLive }) => assert.equal(sessionLive, false));
});
