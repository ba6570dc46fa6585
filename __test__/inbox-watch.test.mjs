// Waiting: whoever waits is told of what comes, whatever becomes of the folders meanwhile, and of nothing else.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, renameSync, rmSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import test from "node:test";
import { claimNextItem, deliverInboxItem, listInbox, watchInbox } from "seatkit/inbox-claims/promises";
import { ITEM, STAMP, Seat, word } from "./inbox-seat.mjs";

const deliver = (seat, id, service = "cohort") => deliverInboxItem(seat.root, service, { id }, { id, durable: false });

/** The values of a watch, of which it can be said whether the next one is there. */
function values(t, seat, options) {
  const watched = watchInbox(seat.root, options);
  t.after(() => watched.return());
  return {
    watched,
    next() {
      const value = watched.next();
      let told = false;
      value.then(
        () => (told = true),
        () => (told = true),
      );
      // Longer than a burst: what would be told is told by then.
      const quiet = () => sleep(150).then(() => !told);
      return { value, quiet };
    },
  };
}

test("whoever waits is told of an item, in a folder that comes later too", async (t) => {
  const seat = new Seat(t);
  rmSync(join(seat.root, "state"), { recursive: true });
  const waiting = claimNextItem(seat.root, { service: "later", wait: true });
  mkdirSync(seat.folder("later"), { recursive: true });
  await deliver(seat, "m1", "later");
  assert.equal((await waiting).id, "m1");
});

for (const [what, gone, service] of [
  ["the folder of the service", (seat) => seat.folder(), "cohort"],
  ["the folder of a service", (seat) => seat.folder(), undefined],
  ["the inbox", (seat) => join(seat.root, "state", "inbox"), "cohort"],
  ["the state", (seat) => join(seat.root, "state"), undefined],
  ["the root", (seat) => seat.root, undefined],
]) {
  test(`${what} may be removed and made again while somebody waits (${service ?? "all services"})`, async (t) => {
    const seat = new Seat(t);
    for (const round of ["m1", "m2", "m3"]) {
      const waiting = claimNextItem(seat.root, { service, wait: true });
      for (const pause of [0, 30]) {
        rmSync(gone(seat), { recursive: true });
        mkdirSync(seat.folder(), { recursive: true });
        await sleep(pause);
      }
      await deliver(seat, round);
      assert.equal((await waiting).id, round);
    }
  });
}

test("a folder that another one takes the place of is watched from then on", async (t) => {
  const seat = new Seat(t);
  const waiting = claimNextItem(seat.root, { service: "cohort", wait: true });
  mkdirSync(join(seat.root, "other"));
  renameSync(seat.folder(), join(seat.root, "away"));
  renameSync(join(seat.root, "other"), seat.folder());
  await sleep(30);
  await deliver(seat, "m1");
  assert.equal((await waiting).id, "m1");
});

test("a watch of one service tells of that one alone, and of no look", async (t) => {
  const seat = new Seat(t);
  const { next } = values(t, seat, { service: "cohort" });
  await next().value;
  const { value, quiet } = next();
  await deliver(seat, "m1", "another");
  writeFileSync(join(seat.root, "notes"), "beside the inbox");
  mkdirSync(join(seat.root, "state", "logs"));
  writeFileSync(seat.path(".half"), "a delivery that is not done");
  await listInbox(seat.root);
  assert.ok(await quiet());
  await deliver(seat, "m2");
  assert.deepEqual(await value, { value: undefined, done: false });
});

test("a watch tells once at first, and then after each change, until it is left", async (t) => {
  const seat = new Seat(t);
  let told = 0;
  for await (const _ of watchInbox(seat.root)) {
    told += 1;
    if (told === 3) break;
    await deliver(seat, `m${told}`);
  }
  assert.equal(told, 3);
  assert.equal(seat.ls().length, 2);
});

test("a burst is told as few changes, the last of which shows all of it", async (t) => {
  const seat = new Seat(t);
  const { next } = values(t, seat);
  await next().value;
  for (let index = 0; index < 100; index++) seat.put(`${STAMP}m${index}.yaml`);
  let shown = 0;
  let told = 0;
  for (; shown < 100; told++) {
    await next().value;
    ({ length: shown } = (await listInbox(seat.root)).items);
  }
  assert.ok(told < 20, `${told} values`);
});

test("a watch ends with its signal, and when it is left in the middle of waiting", async (t) => {
  const seat = new Seat(t);
  const over = new AbortController();
  const { next } = values(t, seat, { signal: over.signal });
  await next().value;
  const reason = new Error("enough");
  const { value } = next();
  over.abort(reason);
  await assert.rejects(value, reason);
  await assert.rejects(watchInbox(seat.root, { signal: over.signal }).next(), reason, "aborted before");

  const { watched, next: another } = values(t, seat);
  await another().value;
  const waiting = another().value;
  await watched.return();
  assert.deepEqual(await waiting, { value: undefined, done: true });
  assert.deepEqual(await watched.next(), { value: undefined, done: true });
});

test("waiting ends with its signal, and with its time", async (t) => {
  const seat = new Seat(t);
  const reason = new Error("enough");
  const over = new AbortController();
  const waiting = claimNextItem(seat.root, { wait: true, signal: over.signal });
  over.abort(reason);
  await assert.rejects(waiting, reason);
  for (const timeoutMs of [0, 20]) assert.equal(word(await claimNextItem(seat.root, { wait: true, timeoutMs })), "empty");
  seat.put(`${STAMP}m1.yaml`);
  for (const wait of [true, false]) {
    await assert.rejects(claimNextItem(seat.root, { wait, signal: over.signal }), reason, "aborted before");
    assert.deepEqual(seat.ls(), [`${STAMP}m1.yaml`], "nothing was claimed");
  }
  assert.equal((await claimNextItem(seat.root, { wait: true, timeoutMs: 0 })).id, "m1", "one look at least");
});

test("a wait that no timer is long enough for is a wait", async (t) => {
  const seat = new Seat(t);
  const program = `
    import { claimNextItem } from ${JSON.stringify(import.meta.resolve("seatkit/inbox-claims/promises"))};
    const waiting = [2 ** 31, 1e300, Infinity].map((timeoutMs) => claimNextItem(process.argv[1], { wait: true, timeoutMs }));
    console.log("waiting");
    console.log((await Promise.all(waiting)).map(({ id }) => id).sort().join());`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, seat.root], { stdio: ["ignore", "pipe", "pipe"] });
  const told = child.stdout.setEncoding("utf8")[Symbol.asyncIterator]();
  assert.equal((await told.next()).value, "waiting\n");
  for (const id of ["m1", "m2", "m3"]) await deliver(seat, id);
  assert.equal((await told.next()).value, "m1,m2,m3\n");
  assert.equal((await child.stderr.setEncoding("utf8").toArray()).join(""), "", "no warning of an overflow");
});

test("what is no option, no signal, no time or no service is refused, waiting or not", async (t) => {
  const seat = new Seat(t);
  for (const options of [
    { service: "a/b" },
    { service: 5 },
    { signal: {} },
    { timeoutMs: -1 },
    { timeoutMs: NaN },
    { timeoutMs: "5" },
    { wait: "yes" },
    { patience: 1 },
  ]) {
    await assert.rejects(claimNextItem(seat.root, { wait: true, ...options }), TypeError, JSON.stringify(options));
    await assert.rejects(claimNextItem(seat.root, options), TypeError, JSON.stringify(options));
    await assert.rejects(watchInbox(seat.root, options).next(), TypeError, JSON.stringify(options));
  }
  for (const options of [{ wait: false }, { wait: false, timeoutMs: 5 }, { wait: null, signal: null, timeoutMs: null, service: null }]) {
    assert.equal(word(await claimNextItem(seat.root, options)), "empty");
  }
});

test("an item that no claim takes does not make the one who waits busy, nor deaf", async (t) => {
  const seat = new Seat(t);
  // Its claim fails at the rename, after the file was touched: which is told as a change.
  seat.put(`${"x".repeat(245)}.yaml`);
  let changes = 0;
  const watcher = watch(seat.folder(), () => (changes += 1));
  t.after(() => watcher.close());
  const { error, skipped } = await claimNextItem(seat.root, { wait: true, timeoutMs: 2000 });
  assert.deepEqual([error, skipped.map(({ code }) => code)], ["empty", ["ENAMETOOLONG"]]);
  assert.ok(changes < 200, `${changes} changes`);
  const waiting = claimNextItem(seat.root, { wait: true });
  await sleep(50);
  seat.put(`${STAMP}m1.yaml`, ITEM);
  assert.equal((await waiting).id, "m1");
});

test("of many processes that deliver one id one creates it, and all are told where it is", async (t) => {
  const seat = new Seat(t);
  const program = `
    import { deliverInboxItem } from ${JSON.stringify(import.meta.resolve("seatkit/inbox-claims"))};
    for (let index = 0; index < 50; index++) {
      const answer = deliverInboxItem(process.argv[1], "cohort", { by: process.pid }, { id: "m" + index, durable: index % 2 === 0 });
      console.log(JSON.stringify([index, answer.ok, answer.created, answer.path]));
    }`;
  const told = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const child = spawn(process.execPath, ["--input-type=module", "-e", program, seat.root], { stdio: ["ignore", "pipe", "inherit"] });
      const lines = (await child.stdout.setEncoding("utf8").toArray()).join("").split("\n");
      return lines.filter(Boolean).map((line) => JSON.parse(line));
    }),
  );
  const answers = told.flat();
  assert.equal(answers.length, 250);
  for (let index = 0; index < 50; index++) {
    const of = answers.filter(([id]) => id === index);
    assert.deepEqual(
      of.map(([, ok]) => ok),
      Array(5).fill(true),
    );
    assert.equal(of.filter(([, , created]) => created).length, 1, `m${index}`);
    assert.equal(new Set(of.map(([, , , path]) => path)).size, 1);
  }
  assert.equal(seat.ls().length, 50);
});
