// Every word of refusal, and that whatever is refused stays as it was.

import { test } from "node:test";
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, linkSync, mkdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CLAIM, ITEM, STAMP, Seat, T0, eachFace, word, items } from "./inbox-seat.mjs";

const FILE = `${STAMP}m1.yaml`;
const ID = { id: "m1" };
const UNTIL = { until: T0 };

/** The calls on one item, by name; `options` go to each. */
const marks = (api) => ({
  claim: (root, service, item, options) => api.markSessionClaim(root, service, item, options),
  defer: (root, service, item, options) => api.markSessionDeferral(root, service, item, options && { ...UNTIL, ...options }),
  reply: (root, service, item, options) => api.markSessionReplied(root, service, item, options),
  done: (root, service, item, options) => api.markSessionDone(root, service, item, options),
  release: (root, service, item, options) => api.releaseSessionClaim(root, service, item, options),
  renew: (root, service, item, options) => api.renewSessionClaim(root, service, item, options),
});

eachFace("invalid arguments are refused by name, and nothing is touched", async (api, seat) => {
  seat.put(FILE);
  seat.put("busy.yaml.dispatched", ITEM + CLAIM);
  const before = seat.image();
  for (const [name, call] of Object.entries(marks(api))) {
    for (const args of [
      [undefined, "cohort", ID],
      [null, "cohort", ID],
      [5, "cohort", ID],
      [Buffer.from(seat.root), "cohort", ID],
      [`${seat.root}\0`, "cohort", ID],
      [seat.root, undefined, ID],
      [seat.root, 5, ID],
      [seat.root, "", ID],
      [seat.root, ".", ID],
      [seat.root, "..", ID],
      [seat.root, "a/b", ID],
      [seat.root, "../inbox/cohort", ID],
      [seat.root, "cohort\0", ID],
      [seat.root, "cohort", undefined],
      [seat.root, "cohort", null],
      [seat.root, "cohort", "m1"],
      [seat.root, "cohort", { id: "m1", file: {} }],
      [seat.root, "cohort", { id: "m1", token: 5 }],
      [seat.root, "cohort", ID, { token: 5 }],
      [seat.root, "cohort", ID, { token: {} }],
    ]) {
      const answer = await call(args[0], args[1], args[2], args[3] ?? {});
      assert.deepEqual([answer.ok, answer.error], [false, "invalid-argument"], `${name} ${JSON.stringify(args)}`);
      assert.equal(typeof answer.message, "string");
    }
  }
  for (const [call, options] of [
    [api.markSessionClaim, { token: "t" }],
    [api.markSessionClaim, { claimedBy: "" }],
    [api.markSessionClaim, { claimedBy: null }],
    [api.markSessionClaim, { claimedBy: 5 }],
    [api.markSessionDeferral, { until: T0, reason: 5 }],
    [api.markSessionDeferral, { until: T0, reason: "x".repeat(1 << 20) }],
  ]) {
    assert.equal(word(await call(seat.root, "cohort", ID, options)), "invalid-argument");
  }
  assert.deepEqual(seat.image(), before);
});

eachFace("a time is milliseconds or a valid Date; anything else is invalid-time", async (api, seat) => {
  seat.put(FILE);
  seat.put("c.yaml.dispatched", ITEM + CLAIM);
  const before = seat.image();
  const calls = [
    (time) => api.markSessionClaim(seat.root, "cohort", ID, { now: time }),
    (time) => api.markSessionDeferral(seat.root, "cohort", ID, { until: time }),
    (time) => api.markSessionDeferral(seat.root, "cohort", ID, { until: T0, now: time }),
    (time) => api.markSessionReplied(seat.root, "cohort", { id: "c" }, { now: time }),
    (time) => api.markSessionDone(seat.root, "cohort", { id: "c" }, { now: time }),
    (time) => api.renewSessionClaim(seat.root, "cohort", { id: "c" }, { now: time }),
  ];
  for (const time of [
    null,
    NaN,
    Infinity,
    -Infinity,
    8.64e15 + 1,
    new Date(NaN),
    "2026-09-08T10:00:00Z",
    true,
    1n,
    {},
    [T0],
    Object(T0),
    Symbol("now"),
  ]) {
    for (const [index, call] of calls.entries()) {
      const answer = await call(time);
      assert.deepEqual(Object.keys(answer), ["ok", "error", "message"]);
      assert.equal(answer.error, "invalid-time", `${index} ${String(time)}`);
    }
  }
  assert.equal(word(await api.markSessionDeferral(seat.root, "cohort", ID, {})), "invalid-time", "a deferral without an end");
  assert.equal(word(await api.markSessionDeferral(seat.root, "cohort", ID)), "invalid-time");
  assert.deepEqual(seat.image(), before);
  assert.equal(word(await api.markSessionClaim(seat.root, "cohort", ID, { now: new Date(T0) })), "ok");
  assert.equal(word(await api.renewSessionClaim(seat.root, "cohort", ID, { now: T0 })), "ok");
  assert.equal(word(await api.renewSessionClaim(seat.root, "cohort", ID, { now: undefined })), "ok", "the clock");
  assert.equal(word(await api.renewSessionClaim(seat.root, "cohort", ID, null)), "ok", "no options at all");
  assert.equal(word(await api.renewSessionClaim(seat.root, "cohort", ID)), "ok");
});

eachFace("what a getter throws comes out, the very same", async (api, seat) => {
  seat.put(FILE);
  const before = seat.image();
  const thrown = { neither: "an Error" };
  const fails = () => {
    throw thrown;
  };
  for (const call of Object.values(marks(api))) {
    for (const [item, options] of [
      [Object.defineProperty({}, "id", { get: fails }), {}],
      [ID, Object.defineProperty({}, "token", { get: fails, enumerable: true })],
    ]) {
      await assert.rejects(
        async () => call(seat.root, "cohort", item, options),
        (error) => error === thrown,
      );
    }
  }
  assert.deepEqual(seat.image(), before);
});

eachFace("conflict: a name that is taken is never replaced, and both files stay", async (api, seat) => {
  const other = 'id: "other"\n';
  const rows = [
    ["m1.yaml", ITEM, "m1.yaml.dispatched", (root) => api.markSessionClaim(root, "cohort", { id: "m1", file: "m1.yaml" })],
    ["m1.yaml", ITEM, "m1.yaml.deferred", (root) => api.markSessionDeferral(root, "cohort", { id: "m1", file: "m1.yaml" }, UNTIL)],
    [
      "m1.yaml.dispatched",
      ITEM + CLAIM,
      "m1.yaml",
      (root) => api.releaseSessionClaim(root, "cohort", { id: "m1", file: "m1.yaml.dispatched" }),
    ],
    [
      "m1.yaml.dispatched",
      ITEM + CLAIM,
      "m1.yaml.processed",
      (root) => api.markSessionDone(root, "cohort", { id: "m1", file: "m1.yaml.dispatched" }),
    ],
  ];
  for (const [file, body, taken, call] of rows) {
    for (const old of seat.ls()) rmSync(seat.path(old));
    seat.put(file, body);
    seat.put(taken, other);
    const before = seat.image();
    const answer = await call(seat.root);
    assert.deepEqual(Object.keys(answer), ["ok", "error", "message"]);
    assert.equal(answer.error, "conflict", `${file} -> ${taken}`);
    assert.ok(answer.message.includes(taken), answer.message);
    assert.deepEqual(seat.image(), before);
  }
});

eachFace("unstampable: an item that YAML reads is not made one that it cannot", async (api, seat) => {
  const items = [
    "id: 1\nclaimed_by: me\ndeferred_until: never\nb: 2\n",
    '{"id": 1}\n',
    "- a\n",
    "just text\n",
    "--- a\n",
    "id: 1\n...\n",
    "|\n  text\n",
  ];
  for (const [index, body] of items.entries()) seat.put(`m${index}.yaml`, body);
  const before = seat.image();
  for (const file of seat.ls()) {
    const item = { id: file.slice(0, -".yaml".length), file };
    assert.equal(word(await api.markSessionClaim(seat.root, "cohort", item)), "unstampable", file);
    assert.equal(word(await api.markSessionDeferral(seat.root, "cohort", item, UNTIL)), "unstampable", file);
  }
  assert.deepEqual(seat.image(), before);
  seat.put("broken.yaml", 'id: "open\n');
  seat.put("huge.yaml", "[".repeat(200_000));
  for (const id of ["broken", "huge"]) {
    assert.equal(word(await api.markSessionClaim(seat.root, "cohort", { id })), "ok", "what is no YAML anyway may carry a block");
  }
});

eachFace("a block that an item was delivered with is not believed", async (api, seat) => {
  seat.put(FILE, `${ITEM}claimed_by: "session"\nreplied_at: "2020-01-01T00:00:00.000Z"\n`);
  assert.equal(word(await api.markSessionClaim(seat.root, "cohort", ID, { now: T0 })), "ok");
  assert.equal(seat.read(`${FILE}.dispatched`), ITEM + CLAIM, "no forged reply stands under the claim");
  assert.deepEqual((await api.sweepSessionInbox(seat.root, { now: T0 + 1 })).reopened, []);
});

eachFace("busy: an item held by another process is refused, and a sweep passes it by", async (api, seat, t) => {
  if (spawnSync("perl", ["-v"]).error) return t.skip("no perl to hold a lock with");
  const hold = async (path) => {
    const holder = spawn("perl", [
      "-e",
      'use Fcntl ":flock"; open(F, "+<", $ARGV[0]) or die; flock(F, LOCK_EX) or die; $| = 1; print "held\n"; <STDIN>;',
      path,
    ]);
    t.after(() => holder.kill());
    await once(holder.stdout, "data");
    return async () => {
      holder.stdin.end();
      await once(holder, "exit");
    };
  };
  let free = await hold(seat.put(FILE));
  const answer = await api.markSessionClaim(seat.root, "cohort", ID, { now: T0 });
  assert.deepEqual(Object.keys(answer), ["ok", "error", "message"]);
  assert.equal(answer.error, "busy");
  await free();
  const { path } = await api.markSessionClaim(seat.root, "cohort", ID, { now: T0 });
  free = await hold(path);
  const before = seat.image();
  for (const [name, call] of Object.entries(marks(api))) {
    if (name !== "claim") assert.equal(word(await call(seat.root, "cohort", ID, {})), "busy", name);
  }
  const late = { now: T0 + 1e9 };
  for (const options of [late, { ...late, dryRun: true }]) {
    const { reopened, scanned, failed } = await api.sweepSessionInbox(seat.root, options);
    assert.deepEqual([reopened, scanned, failed.map(({ error }) => error)], [[], 1, ["busy"]]);
  }
  assert.deepEqual(seat.image(), before);
  await free();
  assert.equal((await api.sweepSessionInbox(seat.root, late)).reopened.length, 1);
});

eachFace("io: a name too long for its next state, with the errno's name and the item as it was", async (api, seat) => {
  const stem = "x".repeat(245);
  seat.put(`${stem}.yaml`);
  const before = seat.image();
  for (const answer of [
    await api.markSessionClaim(seat.root, "cohort", { id: stem }),
    await api.markSessionDeferral(seat.root, "cohort", { id: stem }, UNTIL),
  ]) {
    assert.deepEqual(Object.keys(answer), ["ok", "error", "code", "message"]);
    assert.deepEqual([answer.error, answer.code], ["io", "ENAMETOOLONG"]);
  }
  assert.deepEqual(seat.image(), before);
  for (const call of Object.values(marks(api))) {
    const answer = await call(`/${"x".repeat(5000)}`, "cohort", ID, {});
    assert.deepEqual([answer.error, answer.code], ["io", "ENAMETOOLONG"]);
  }
});

test('io: a folder or an item that may not be opened is EACCES to each call, and not "absent"', (t) => {
  const seat = new Seat(t);
  const file = `${STAMP}m2.yaml.dispatched`;
  seat.put(file, ITEM + CLAIM);
  // In a process of its own, which becomes another user where this one may do everything.
  const program = `
    import * as api from "seatkit/inbox-claims";
    const root = process.argv[1];
    if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
    const code = (call) => { try { const a = call(); return a?.code ?? a?.items?.[0]?.code ?? a?.failed?.map((f) => [f.file, f.error, f.code]) ?? a; } catch (error) { return error.code; } };
    console.log(JSON.stringify([
      code(() => api.markSessionReplied(root, "cohort", { id: "m2" })),
      code(() => api.findInboxFile(root, "nobody's")),
      code(() => api.listInbox(root)),
      code(() => api.sweepSessionInbox(root, { now: 1e14 })),
    ]));`;
  const answers = () =>
    JSON.parse(
      execFileSync(process.execPath, ["--input-type=module", "-e", program, seat.root], {
        cwd: fileURLToPath(new URL(".", import.meta.url)),
        encoding: "utf8",
      }),
    );
  chmodSync(seat.root, 0o755);
  chmodSync(seat.path(file), 0o000);
  assert.deepEqual(answers(), ["EACCES", null, "EACCES", [[file, "io", "EACCES"]]]);
  chmodSync(seat.folder(), 0o000);
  try {
    assert.deepEqual(answers(), ["EACCES", null, [[null, "io", "EACCES"]], [[null, "io", "EACCES"]]]);
  } finally {
    chmodSync(seat.folder(), 0o755);
  }
});

eachFace("nothing but a regular file with one name is an item", async (api, seat) => {
  seat.put("outside.txt");
  symlinkSync(seat.path("outside.txt"), seat.path("link.yaml"));
  mkdirSync(seat.path("folder.yaml"));
  linkSync(seat.put("hard.yaml"), seat.path("hard.other"));
  execFileSync("mkfifo", [seat.path("pipe.yaml"), seat.path("pipe.yaml.dispatched")]);
  const names = seat.ls();
  for (const id of ["link", "folder", "hard", "pipe"]) {
    assert.equal(word(await api.markSessionClaim(seat.root, "cohort", { id })), "not-claimable", id);
    assert.equal(word(await api.markSessionClaim(seat.root, "cohort", { id, file: `${id}.yaml` })), "not-claimable", id);
  }
  assert.deepEqual(await api.sweepSessionInbox(seat.root, { now: T0 + 1e12, sessionLive: true }), { reopened: [], scanned: 0 });
  assert.deepEqual(seat.ls(), names);
  assert.equal(seat.read("outside.txt"), ITEM);
  assert.equal(statSync(seat.path("hard.yaml")).nlink, 2);
});

eachFace("a service that is a link leads nowhere", async (api, seat) => {
  seat.put(FILE);
  symlinkSync(seat.folder(), seat.folder("linked"));
  assert.equal(word(await api.markSessionClaim(seat.root, "linked", ID)), "not-claimable");
  assert.equal(await api.findInboxFile(seat.root, "m1", { service: "linked" }), null);
});

eachFace("of many claims of one item one wins", async (api, seat) => {
  seat.put(FILE);
  const answers = await Promise.all(Array.from({ length: 64 }, async () => api.markSessionClaim(seat.root, "cohort", ID, { token: true })));
  assert.equal(answers.filter((answer) => answer.ok).length, 1);
  for (const answer of answers) assert.ok(["ok", "not-claimable", "busy"].includes(word(answer)), word(answer));
  assert.equal(answers.find((answer) => answer.ok).token, (await items(api, seat.root))[0].markers.claimToken);
});
