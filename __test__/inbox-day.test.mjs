// The day of an item: delivered once, taken by one, tried again, given up, brought back, put away.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import test from "node:test";
import { ITEM, MINUTE, STAMP, Seat, T0, eachFace, items, word } from "./inbox-seat.mjs";

eachFace("a delivery is whole, synced and there once, whatever becomes of it", async (api, seat) => {
  const deliver = () => api.deliverInboxItem(seat.root, "cohort", { sender: "Olivia", content: "the deck" }, { id: "m1", now: T0 });
  const first = await deliver();
  assert.deepEqual(first, {
    ok: true,
    created: true,
    id: "m1",
    service: "cohort",
    state: "new",
    file: "2026-09-08T10-00-00-000Z-m1.yaml",
    path: seat.path("2026-09-08T10-00-00-000Z-m1.yaml"),
  });
  const text = seat.read(first.file);
  assert.deepEqual(text.split("\n").slice(0, 3), ['id: "m1"', 'service: "cohort"', 'timestamp: "2026-09-08T10:00:00.000Z"']);
  const states = [];
  const again = async () => {
    const { created, state } = await deliver();
    states.push([created, state]);
  };
  await again();
  const claim = await api.markSessionClaim(seat.root, "cohort", { id: "m1" }, { now: T0 });
  await again();
  await api.markSessionDone(seat.root, "cohort", claim, { now: T0 });
  await again();
  await api.archiveProcessed(seat.root, { olderThanMs: 0, now: Date.now() + MINUTE });
  await again();
  assert.deepEqual(states, [
    [false, "new"],
    [false, "claimed"],
    [false, "processed"],
    [false, "processed"],
  ]);
  assert.deepEqual(seat.ls(), [], "nothing was delivered again, and nothing half-written is left");
});

eachFace("what is delivered is what is claimed", async (api, seat) => {
  const nasty = [
    "",
    " ",
    "yes",
    "null",
    "~",
    "1e3",
    "0x1f",
    "a: b",
    "- a",
    "# no",
    "a\nb\n\n",
    "\ttab",
    "claimed_by: me",
    "x\u2028y",
    "\ufeffz",
    "\u0085",
    'it\'s "quoted"',
    "...",
    "---",
    "\u0007",
    "💌",
  ];
  const item = Object.fromEntries(nasty.map((text, index) => [`${text}k${index}`, { text, list: [text, index, null, true], empty: {} }]));
  const { ok } = await api.deliverInboxItem(seat.root, "cohort", item, { id: "m1", now: T0 });
  assert.ok(ok);
  const next = await api.claimNextItem(seat.root, { now: T0 });
  const { id, service, timestamp, ...rest } = next.item;
  assert.deepEqual([id, service, timestamp], ["m1", "cohort", "2026-09-08T10:00:00.000Z"]);
  assert.deepEqual(rest, item);
});

eachFace("what cannot be delivered is refused, and leaves nothing", async (api, seat) => {
  const circle = {};
  circle.circle = circle;
  const deliver = async (item, options) => word(await api.deliverInboxItem(seat.root, "cohort", item, options));
  for (const item of [circle, { at: new Date(0) }, { big: 10n }, { call: () => 1 }, [], null, 7]) {
    assert.equal(await deliver(item, { id: "m1" }), "invalid-argument");
  }
  for (const id of ["../m1", "a/b", "a\0", ".m1", "x".repeat(300)]) assert.equal(await deliver({ a: 1 }, { id }), "invalid-argument", id);
  assert.equal(await deliver("id: m1\nclaimed_by: me\n", { id: "m1" }), "unstampable");
  assert.deepEqual(seat.ls(), []);
});

eachFace("the oldest comes first, with its text, its item and a token; what cannot be claimed is named", async (api, seat) => {
  seat.put(`${STAMP}b.yaml`, "id: b\nn: 1\n");
  seat.put("2026-09-07T09-59-00-000Z-a.yaml", "id: a\n...\n");
  seat.put("2026-09-06T09-59-00-000Z-c.yaml", ITEM, "slack");
  const first = await api.claimNextItem(seat.root, { now: T0 });
  assert.deepEqual([first.id, first.service, first.item.sender, first.attempts], ["c", "slack", "Olivia Chen", 1]);
  assert.match(first.token, /^[0-9a-f-]{36}$/);
  const second = await api.claimNextItem(seat.root, { service: "cohort", now: T0 });
  assert.deepEqual([second.id, second.text, second.item], ["b", "id: b\nn: 1\n", { id: "b", n: 1 }]);
  assert.deepEqual(
    second.skipped.map(({ file, error }) => [file, error]),
    [["2026-09-07T09-59-00-000Z-a.yaml", "unstampable"]],
  );
  const none = await api.claimNextItem(seat.root, { now: T0 });
  assert.deepEqual([none.ok, none.error, none.skipped.length], [false, "empty", 1]);
  assert.equal((await api.markSessionReplied(seat.root, first.service, first, { now: T0 })).ok, true, "the answer is itself an item");
});

test("of many processes that take the next, each item goes to one", async (t) => {
  const seat = new Seat(t);
  for (let index = 0; index < 60; index++)
    seat.put(`2026-09-08T09-59-00-${String(index).padStart(3, "0")}Z-m${index}.yaml`, `id: m${index}\n`);
  const program = `
    import { claimNextItem } from ${JSON.stringify(import.meta.resolve("seatkit/inbox-claims"))};
    for (let next; (next = claimNextItem(process.argv[1])).ok; ) console.log(next.id);`;
  const taken = await Promise.all(
    Array.from({ length: 6 }, () => {
      const child = spawn(process.execPath, ["--input-type=module", "-e", program, seat.root], { stdio: ["ignore", "pipe", "inherit"] });
      return child.stdout.toArray().then((chunks) => Buffer.concat(chunks).toString().split("\n").filter(Boolean));
    }),
  );
  const all = taken.flat();
  assert.equal(all.length, 60);
  assert.equal(new Set(all).size, 60);
});

eachFace("a failure is tried again at its time, and given up after so many attempts", async (api, seat) => {
  seat.put(`${STAMP}m1.yaml`);
  const states = [];
  for (const now of [T0, T0 + 2 * MINUTE, T0 + 4 * MINUTE]) {
    const claim = await api.claimNextItem(seat.root, { now });
    const failed = await api.failInboxItem(seat.root, "cohort", claim, { now, reason: "red", retryAt: now + MINUTE, maxAttempts: 3 });
    states.push([claim.attempts, failed.state]);
    await api.sweepSessionInbox(seat.root, { now: now + 2 * MINUTE });
  }
  assert.deepEqual(states, [
    [1, "deferred"],
    [2, "deferred"],
    [3, "dead"],
  ]);
  assert.deepEqual(seat.ls(), [`${STAMP}m1.yaml.dead`]);
  const [{ state, markers }] = await items(api, seat.root);
  assert.deepEqual([state, markers.failedReason, markers.failedAt], ["dead", "red", "2026-09-08T10:04:00.000Z"]);

  assert.equal(word(await api.reopenInboxItem(seat.root, "cohort", { id: "m1" }, { from: "deferred" })), "not-found");
  assert.equal(word(await api.reopenInboxItem(seat.root, "cohort", { id: "m1" }, { from: "dead" })), "ok");
  assert.equal(seat.read(`${STAMP}m1.yaml`), ITEM, "with its own bytes");
  assert.equal((await api.claimNextItem(seat.root, { now: T0 })).attempts, 1, "and its attempts forgotten");
});

eachFace("a failure without a time to try again gives up at once; only a claim can fail", async (api, seat) => {
  seat.put(`${STAMP}m1.yaml`);
  assert.equal(word(await api.failInboxItem(seat.root, "cohort", { id: "m1" }, { now: T0 })), "not-claimed");
  const claim = await api.markSessionClaim(seat.root, "cohort", { id: "m1" }, { now: T0, token: true });
  assert.equal(word(await api.failInboxItem(seat.root, "cohort", { id: "m1", token: "another" }, { now: T0 })), "claim-lost");
  assert.equal((await api.failInboxItem(seat.root, "cohort", claim, { now: T0 })).state, "dead");
  assert.deepEqual((await api.sweepSessionInbox(seat.root, { now: T0 + 1e10 })).reopened, [], "no sweep brings it back");
});

eachFace("a sweep gives up what was claimed too often", async (api, seat) => {
  seat.put(`${STAMP}m1.yaml`);
  for (let round = 0; round < 2; round++) {
    assert.ok((await api.claimNextItem(seat.root, { now: T0 })).ok);
    await api.sweepSessionInbox(seat.root, { now: T0 + 30 * MINUTE, maxAttempts: 2 });
  }
  assert.deepEqual(seat.ls(), [`${STAMP}m1.yaml.dead`]);
});

eachFace("a deferred item can be brought back before its time, what was added with it", async (api, seat) => {
  seat.put(`${STAMP}m1.yaml`);
  const { path } = await api.markSessionDeferral(seat.root, "cohort", { id: "m1" }, { until: T0 + 1e9, reason: "later", now: T0 });
  appendFileSync(path, "draft: thanks\n");
  assert.equal(word(await api.reopenInboxItem(seat.root, "cohort", { id: "m1" }, { from: "deferred" })), "ok");
  assert.equal(seat.read(`${STAMP}m1.yaml`), `${ITEM}draft: thanks\n`);
});

eachFace("what is archived is out of the way, and found on demand", async (api, seat) => {
  seat.put(`${STAMP}m1.yaml.processed`);
  seat.put(`${STAMP}m2.yaml`);
  assert.deepEqual((await api.archiveProcessed(seat.root, { olderThanMs: MINUTE })).archived, [], "not before its time");
  const now = Date.now() + 2 * MINUTE;
  const asked = await api.archiveProcessed(seat.root, { olderThanMs: MINUTE, now, dryRun: true });
  assert.deepEqual(
    asked.archived.map(({ id }) => id),
    ["m1"],
  );
  assert.equal(seat.ls().length, 2, "a dry run moves nothing");
  const { archived } = await api.archiveProcessed(seat.root, { olderThanMs: MINUTE, now });
  assert.deepEqual([archived.map(({ id }) => id), seat.ls()], [["m1"], [`${STAMP}m2.yaml`]]);
  assert.equal(readFileSync(archived[0].path, "utf8"), ITEM);
  assert.equal(await api.findInboxFile(seat.root, "m1"), null);
  assert.equal((await api.findInboxFile(seat.root, "m1", { archived: true })).path, archived[0].path);
  assert.deepEqual((await items(api, seat.root, { archived: true })).map(({ id }) => id).sort(), ["m1", "m2"]);
  seat.put(`${STAMP}m1.yaml`);
  assert.equal(word(await api.markSessionClaim(seat.root, "cohort", { id: "m1" })), "conflict", "it was processed once");
});
