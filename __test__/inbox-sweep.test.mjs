// The sweep: what is given back or retired, when exactly, and what is left alone.

import { test } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DAEMON_ORPHAN_RECLAIM_MS, REPLIED_RETIRE_MS, SESSION_CLAIM_STALE_MS, sweepSessionInboxForDaemon } from "seatkit/inbox-claims";
import { CLAIM, ITEM, MINUTE, STAMP, T0, Seat, eachFace } from "./inbox-seat.mjs";

const iso = (millis) => new Date(millis).toISOString();
const age = (path, millis) => utimesSync(path, new Date(millis), new Date(millis));
const reasons = (answer) => answer.reopened.map((item) => [item.id, item.reason]);

test("the limits are twenty, thirty and sixty minutes", () => {
  assert.deepEqual([SESSION_CLAIM_STALE_MS, DAEMON_ORPHAN_RECLAIM_MS, REPLIED_RETIRE_MS], [20 * MINUTE, 30 * MINUTE, 60 * MINUTE]);
});

// File, its end, the time of the file, the last moment at which it stays, the reason, its file then.
const RULES = [
  ["a claim", "m1.yaml.dispatched", CLAIM, T0 + 1e9, T0 + SESSION_CLAIM_STALE_MS, "claim-stale", "m1.yaml"],
  ["a claim without a time", "m1.yaml.dispatched", 'claimed_by: "session"\n', T0, T0 + SESSION_CLAIM_STALE_MS, "claim-stale", "m1.yaml"],
  [
    "a claim with an invalid time",
    "m1.yaml.dispatched",
    'claimed_by: "session"\nclaimed_at: "garbage"\n',
    T0,
    T0 + SESSION_CLAIM_STALE_MS,
    "claim-stale",
    "m1.yaml",
  ],
  ["a claim torn in its time", "m1.yaml.dispatched", CLAIM.slice(0, -9), T0, T0 + SESSION_CLAIM_STALE_MS, "claim-stale", "m1.yaml"],
  ["a deferral", "m1.yaml.deferred", `deferred_until: "${iso(T0)}"\n`, T0 + 1e9, T0 - 1, "deferral-due", "m1.yaml"],
  ["a deferral to no time", "m1.yaml.deferred", 'deferred_until: "soon"\n', T0, T0 + SESSION_CLAIM_STALE_MS, "deferral-due", "m1.yaml"],
  [
    "a reply",
    "m1.yaml.dispatched",
    `${CLAIM}replied_at: "${iso(T0)}"\n`,
    T0 - 1e9,
    T0 + REPLIED_RETIRE_MS,
    "replied-retired",
    "m1.yaml.processed",
  ],
  [
    "a reply without a claim",
    "m1.yaml.dispatched",
    `replied_at: "${iso(T0)}"\n`,
    T0 - 1e9,
    T0 + REPLIED_RETIRE_MS,
    "replied-retired",
    "m1.yaml.processed",
  ],
  [
    "a reply on a deferral",
    "m1.yaml.deferred",
    `deferred_until: "${iso(T0 - 1e9)}"\nreplied_at: "${iso(T0)}"\n`,
    T0 - 1e9,
    T0 + REPLIED_RETIRE_MS,
    "replied-retired",
    "m1.yaml.processed",
  ],
  ["a reply to no time", "m1.yaml.dispatched", 'replied_at: "?"\n', T0, T0 + REPLIED_RETIRE_MS, "replied-retired", "m1.yaml.processed"],
  ["a daemon's item", "m1.yaml.dispatched", "", T0, T0 + DAEMON_ORPHAN_RECLAIM_MS, "daemon-orphan", "m1.yaml"],
  ["a deferral that was interrupted", "m1.yaml.dispatched", `deferred_until: "${iso(T0)}"\n`, T0 + 1e9, T0 - 1, "deferral-due", "m1.yaml"],
  ["a claim that was interrupted", "m1.yaml.deferred", CLAIM, T0 + 1e9, T0 + SESSION_CLAIM_STALE_MS, "claim-stale", "m1.yaml"],
];

for (const [what, file, end, mtime, stays, reason, then] of RULES) {
  eachFace(`${what}: ${reason}, and not a millisecond early`, async (api, seat) => {
    age(seat.put(file, ITEM + end), mtime);
    const early = await api.sweepSessionInbox(seat.root, { now: stays, sessionLive: true });
    assert.deepEqual(early, { reopened: [], scanned: 1 });
    const now = new Date(stays + 1);
    const dry = await api.sweepSessionInbox(seat.root, { now, sessionLive: true, dryRun: true });
    assert.deepEqual(seat.image(), [[file, ITEM + end]], "a dry run changes nothing");
    const answer = await api.sweepSessionInbox(seat.root, { now, sessionLive: true });
    assert.deepEqual(answer, { reopened: [{ id: "m1", service: "cohort", reason, path: seat.path(then) }], scanned: 1 });
    assert.deepEqual(dry, answer, "a dry run gives the same answer");
    assert.deepEqual(seat.image(), [[then, reason === "replied-retired" ? ITEM + end : ITEM]]);
    assert.deepEqual(await api.sweepSessionInbox(seat.root, { now, sessionLive: true }), { reopened: [], scanned: 0 });
  });
}

eachFace("what no sweep touches, however late", async (api, seat) => {
  const files = {
    "new.yaml": ITEM + CLAIM,
    "done.yaml.processed": ITEM + CLAIM,
    "somebody.yaml.dispatched": ITEM + CLAIM.replace("session", "somebody"),
    "daemon.yaml.deferred": ITEM,
    "orphan.yaml.dispatched": ITEM,
    ".hidden.yaml.dispatched": ITEM + CLAIM,
    "backup.yaml.dispatched~": ITEM + CLAIM,
    "note.txt": CLAIM,
  };
  for (const [file, body] of Object.entries(files)) age(seat.put(file, body), T0);
  const before = seat.image();
  assert.deepEqual(
    await api.sweepSessionInbox(seat.root, { now: T0 + 1e12 }),
    { reopened: [], scanned: 3 },
    "only what is in flight is scanned",
  );
  assert.deepEqual(seat.image(), before);
  assert.deepEqual(reasons(await api.sweepSessionInbox(seat.root, { now: T0 + 1e12, sessionLive: true })), [["orphan", "daemon-orphan"]]);
});

eachFace("each limit can be set for one sweep, to zero and to never", async (api, seat) => {
  const rows = [
    ["staleMs", "m1.yaml.dispatched", CLAIM, "claim-stale"],
    ["orphanMs", "m1.yaml.dispatched", "", "daemon-orphan"],
    ["retireMs", "m1.yaml.dispatched", `replied_at: "${iso(T0)}"\n`, "replied-retired"],
  ];
  for (const [limit, file, end, reason] of rows) {
    const sweep = (millis, after) =>
      api.sweepSessionInbox(seat.root, { now: T0 + after, sessionLive: true, dryRun: true, [limit]: millis });
    age(seat.put(file, ITEM + end), T0);
    assert.deepEqual(reasons(await sweep(5, 5)), [], limit);
    assert.deepEqual(reasons(await sweep(5, 6)), [["m1", reason]], limit);
    assert.deepEqual(reasons(await sweep(0, 1)), [["m1", reason]], limit);
    assert.deepEqual(reasons(await sweep(Infinity, 1e14 - T0)), [], limit);
    assert.deepEqual(reasons(await sweep(undefined, 1e14 - T0)), [["m1", reason]], limit);
  }
});

eachFace("an invalid option throws before anything is touched", async (api, seat) => {
  seat.put("m1.yaml.dispatched", ITEM + CLAIM);
  const before = seat.image();
  const rejects = (options, error) => assert.rejects(async () => api.sweepSessionInbox(seat.root, options), error);
  for (const limit of ["staleMs", "orphanMs", "retireMs"]) {
    for (const value of [-1, NaN, null]) await rejects({ [limit]: value }, { name: "RangeError", code: "invalid-argument" });
    for (const value of ["5", {}])
      await rejects({ [limit]: value }, { name: "TypeError", code: "invalid-argument", message: `options.${limit} must be a number` });
  }
  for (const now of [null, NaN, "now", new Date(NaN), 8.64e15 + 1]) await rejects({ now }, { name: "RangeError", code: "invalid-time" });
  for (const root of [undefined, null, 5, {}]) {
    await assert.rejects(async () => api.sweepSessionInbox(root), {
      name: "TypeError",
      code: "invalid-argument",
      message: "root must be a string",
    });
  }
  assert.deepEqual(seat.image(), before);
});

eachFace("the answer goes by service and name, and its keys in their order", async (api, seat) => {
  for (const [service, file] of [
    ["b", `${STAMP}z.yaml.dispatched`],
    ["b", "a.yaml.dispatched"],
    ["a", "c.yaml.dispatched"],
    ["a", "b.yaml.dispatched"],
  ]) {
    seat.put(file, ITEM + CLAIM, service);
  }
  const answer = await api.sweepSessionInbox(seat.root, { now: T0 + 1e9 });
  assert.deepEqual(Object.keys(answer), ["reopened", "scanned"]);
  assert.deepEqual(
    answer.reopened.map((item) => [item.service, item.id]),
    [
      ["a", "b"],
      ["a", "c"],
      ["b", "z"],
      ["b", "a"],
    ],
  );
  assert.deepEqual(Object.keys(answer.reopened[0]), ["id", "service", "reason", "path"]);
});

eachFace("what cannot be handled is listed, and keeps nothing else from being swept", async (api, seat) => {
  seat.put("bad.yaml.dispatched", ITEM + CLAIM);
  seat.put("bad.yaml");
  seat.put("good.yaml.dispatched", ITEM + CLAIM);
  seat.put("last.yaml.dispatched", ITEM + CLAIM, "other");
  symlinkSync("/nowhere", seat.folder("linked"));
  writeFileSync(seat.folder("a-file"), "");
  const dry = await api.sweepSessionInbox(seat.root, { now: T0 + 1e9, dryRun: true });
  const answer = await api.sweepSessionInbox(seat.root, { now: T0 + 1e9 });
  assert.deepEqual(answer, dry);
  assert.deepEqual(reasons(answer), [
    ["good", "claim-stale"],
    ["last", "claim-stale"],
  ]);
  assert.deepEqual(Object.keys(answer), ["reopened", "scanned", "failed"]);
  assert.equal(answer.failed.length, 2);
  const [link, failed] = answer.failed;
  assert.deepEqual([link.service, link.file, link.error], ["linked", null, "linked"]);
  assert.deepEqual(Object.keys(failed), ["service", "file", "error", "message"]);
  assert.deepEqual([failed.service, failed.file, failed.error], ["cohort", "bad.yaml.dispatched", "conflict"]);
  assert.deepEqual(seat.ls(), ["bad.yaml", "bad.yaml.dispatched", "good.yaml"]);
});

eachFace("an inbox that cannot be read is a failure of its own", async (api) => {
  const { reopened, scanned, failed } = await api.sweepSessionInbox(`/${"x".repeat(5000)}`);
  assert.deepEqual([reopened, scanned], [[], 0]);
  assert.deepEqual(
    failed.map(({ message, ...rest }) => rest),
    [{ service: null, file: null, error: "io", code: "ENAMETOOLONG" }],
  );
});

eachFace("where there is no inbox there is nothing to do", async (api, seat) => {
  for (const root of ["/nowhere/at/all", seat.folder(), ""]) {
    assert.deepEqual(await api.sweepSessionInbox(root), { reopened: [], scanned: 0 });
    assert.deepEqual(await api.sweepSessionInboxForDaemon(root), { sessionLive: false, reopened: [], scanned: 0 });
  }
});

eachFace("a daemon's sweep believes only a front door that says so itself", async (api, seat) => {
  age(seat.put("orphan.yaml.dispatched"), T0 - DAEMON_ORPHAN_RECLAIM_MS - 1);
  const live = { frontDoor: "session", sessionLive: true };
  const sweep = (readState, rest) => api.sweepSessionInboxForDaemon(seat.root, { now: T0, dryRun: true, readState, ...rest });
  const asked = [];
  const answer = await sweep((...args) => {
    asked.push(args);
    return live;
  });
  assert.deepEqual(asked, [[seat.root]]);
  assert.deepEqual(Object.keys(answer).sort(), ["reopened", "scanned", "sessionLive"]);
  assert.deepEqual([answer.sessionLive, reasons(answer)], [true, [["orphan", "daemon-orphan"]]]);
  const readers = [
    undefined,
    null,
    "live",
    live,
    () => undefined,
    () => true,
    () => "session",
    () => [live],
    () => Promise.resolve(live),
    () => ({ frontDoor: "session" }),
    () => ({ frontDoor: "session", sessionLive: 1 }),
    () => ({ frontDoor: "daemon", sessionLive: true }),
    () => ({ sessionLive: true }),
    () => {
      throw new Error("boom");
    },
  ];
  for (const reader of readers) {
    const answer = await sweep(reader, { sessionLive: true });
    assert.deepEqual(answer, { sessionLive: false, reopened: [], scanned: 1 }, String(reader));
  }
});

test("a reader's promise that fails does not end the daemon", () => {
  const program = `
    import { sweepSessionInboxForDaemon } from "seatkit/inbox-claims";
    const { sessionLive } = sweepSessionInboxForDaemon("/nowhere", { readState: async () => { throw new Error("boom"); } });
    setTimeout(() => console.log(sessionLive), 10);`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    encoding: "utf8",
  });
  assert.deepEqual([status, stdout, stderr], [0, "false\n", ""]);
});

test("a reader that changes the inbox is swept after, not before", (t) => {
  const seat = new Seat(t);
  const readState = () => void seat.put("m1.yaml.dispatched", ITEM + CLAIM);
  assert.deepEqual(reasons(sweepSessionInboxForDaemon(seat.root, { now: T0 + 1e9, readState })), [["m1", "claim-stale"]]);
});
