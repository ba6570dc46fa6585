// The life of an item: who may move it from where to where, and what every call answers.

import assert from "node:assert/strict";
import { readFileSync, statSync, utimesSync } from "node:fs";
import { CLAIM, ITEM, MINUTE, NO_MARKERS, STAMP, T0, eachFace, word } from "./inbox-seat.mjs";
import { parseSessionMarkers } from "seatkit/inbox-claims";

const FILE = `${STAMP}m1.yaml`;
const ID = { id: "m1" };
const iso = (millis) => new Date(millis).toISOString();

/** The item in one of its conditions, and the name of its file there. */
const CONDITIONS = {
  new: (api, seat) => seat.put(FILE),
  claimed: (api, seat) => seat.put(`${FILE}.dispatched`, ITEM + CLAIM),
  "the daemon's": (api, seat) => seat.put(`${FILE}.dispatched`),
  replied: (api, seat) => seat.put(`${FILE}.dispatched`, `${ITEM}${CLAIM}replied_at: "${iso(T0)}"\n`),
  deferred: (api, seat) => seat.put(`${FILE}.deferred`, `${ITEM}deferred_until: "${iso(T0)}"\ndeferred_reason: "later"\n`),
  "deferred by the daemon": (api, seat) => seat.put(`${FILE}.deferred`),
  processed: (api, seat) => seat.put(`${FILE}.processed`, ITEM + CLAIM),
  absent: () => {},
};

const CALLS = {
  claim: (api, root) => api.markSessionClaim(root, "cohort", ID, { now: T0 }),
  defer: (api, root) => api.markSessionDeferral(root, "cohort", ID, { until: T0 + MINUTE, reason: "later", now: T0 }),
  reply: (api, root) => api.markSessionReplied(root, "cohort", ID, { now: T0 + 1 }),
  done: (api, root) => api.markSessionDone(root, "cohort", ID, { now: T0 }),
  release: (api, root) => api.releaseSessionClaim(root, "cohort", ID),
  renew: (api, root) => api.renewSessionClaim(root, "cohort", ID, { now: T0 + 1 }),
};

// The ending of the file's name after the call, or the word of the refusal.
const OUTCOMES = {
  claim: { new: ".dispatched" },
  defer: { new: ".deferred", claimed: ".deferred", "the daemon's": ".deferred", replied: "already-replied" },
  reply: { claimed: ".dispatched", "the daemon's": ".dispatched", replied: ".dispatched" },
  done: { claimed: ".processed", "the daemon's": ".processed", replied: ".processed" },
  release: { claimed: "", "the daemon's": "", replied: "already-replied" },
  renew: { claimed: ".dispatched", "the daemon's": "not-in-flight", replied: "already-replied" },
};
const REFUSED = {
  claim: "not-claimable",
  defer: "not-deferrable",
  reply: "not-in-flight",
  done: "not-in-flight",
  release: "not-in-flight",
  renew: "not-in-flight",
};

for (const [call, run] of Object.entries(CALLS)) {
  for (const [condition, prepare] of Object.entries(CONDITIONS)) {
    const past = !["claim", "defer", "reply"].includes(call);
    const outcome = OUTCOMES[call][condition] ?? (past && condition === "absent" ? "not-found" : REFUSED[call]);
    const moves = outcome === "" || outcome.startsWith(".");
    eachFace(`${call} of an item that is ${condition}: ${moves ? FILE + outcome : outcome}`, async (api, seat) => {
      prepare(api, seat);
      const before = seat.image();
      const answer = await run(api, seat.root);
      if (moves) {
        const claimed = call === "claim" ? { id: "m1", service: "cohort", file: FILE + outcome } : {};
        assert.deepEqual(answer, { ok: true, path: seat.path(FILE + outcome), ...claimed });
        assert.deepEqual(seat.ls(), [FILE + outcome]);
        assert.ok(seat.read(FILE + outcome).startsWith(ITEM), "the item's own bytes are untouched");
      } else {
        assert.deepEqual(Object.keys(answer), ["ok", "error", "message"]);
        assert.deepEqual([answer.ok, answer.error], [false, outcome]);
        assert.deepEqual(seat.image(), before, "a refused call changes nothing");
      }
    });
  }
}

eachFace("what each call leaves at the end of the file", async (api, seat) => {
  const block = async (answer) => parseSessionMarkers(readFileSync((await answer).path, "utf8"));
  seat.put(FILE);
  const claim = { ...NO_MARKERS, claimedBy: "session", claimedAt: iso(T0) };
  assert.deepEqual(await block(CALLS.claim(api, seat.root)), claim);
  assert.equal(seat.read(`${FILE}.dispatched`), ITEM + CLAIM, "byte for byte");
  assert.deepEqual(await block(CALLS.renew(api, seat.root)), { ...claim, claimedAt: iso(T0 + 1) });
  assert.deepEqual(
    await block(CALLS.defer(api, seat.root)),
    { ...NO_MARKERS, deferredUntil: iso(T0 + MINUTE), deferredReason: "later" },
    "no claim is left",
  );
  await api.sweepSessionInbox(seat.root, { now: T0 + MINUTE });
  assert.equal(seat.read(FILE), ITEM);
  await CALLS.claim(api, seat.root);
  assert.deepEqual(await block(CALLS.reply(api, seat.root)), { ...claim, repliedAt: iso(T0 + 1) }, "the claim stays");
  assert.deepEqual(await block(api.markSessionReplied(seat.root, "cohort", ID, { now: T0 + 2 })), { ...claim, repliedAt: iso(T0 + 2) });
  assert.equal(seat.read(`${FILE}.dispatched`).match(/replied_at/g).length, 1, "a second reply only moves the time on");
  await CALLS.done(api, seat.root);
  assert.equal(parseSessionMarkers(seat.read(`${FILE}.processed`)).repliedAt, iso(T0 + 2), "what was answered stays on record");
});

eachFace("a whole life in one file: the same inode, and at the end the very bytes of the start", async (api, seat) => {
  const bodies = {
    plain: ITEM,
    "no line break": 'id: "m1"\ncontent: hi',
    crlf: "id: 1\r\nb: 2\r\n",
    binary: Buffer.from([0, 255, 254, 10, 128, 13]),
    "a bare LF": "\n",
    "a comment": "id: 1\n# end",
  };
  for (const [name, body] of Object.entries(bodies)) {
    const path = seat.put(`${name}.yaml`, body);
    const inode = statSync(path).ino;
    const item = { id: name };
    const steps = [
      () => api.markSessionClaim(seat.root, "cohort", item, { now: T0, token: true }),
      () => api.renewSessionClaim(seat.root, "cohort", item, { now: T0 }),
      () => api.releaseSessionClaim(seat.root, "cohort", item),
      () => api.markSessionClaim(seat.root, "cohort", item, { now: T0 }),
      () => api.markSessionDeferral(seat.root, "cohort", item, { until: T0, now: T0 }),
    ];
    for (const step of steps) assert.equal(word(await step()), "ok", name);
    assert.deepEqual(
      (await api.sweepSessionInbox(seat.root, { now: T0 })).reopened.map((x) => x.id),
      [name],
    );
    assert.deepEqual(readFileSync(path), Buffer.from(body), name);
    assert.equal(statSync(path).ino, inode);
  }
});

eachFace("a token tells one claim from the next", async (api, seat) => {
  seat.put(FILE);
  const claim = await api.markSessionClaim(seat.root, "cohort", ID, { now: T0, token: true });
  assert.deepEqual(Object.keys(claim), ["ok", "id", "service", "file", "path", "token"]);
  assert.match(claim.token, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(parseSessionMarkers(seat.read(`${FILE}.dispatched`)).claimToken, claim.token);

  const calls = {
    reply: (token) => api.markSessionReplied(seat.root, "cohort", ID, { token }),
    renew: (token) => api.renewSessionClaim(seat.root, "cohort", ID, { token }),
    defer: (token) => api.markSessionDeferral(seat.root, "cohort", ID, { until: T0, token }),
    done: (token) => api.markSessionDone(seat.root, "cohort", ID, { token }),
    release: (token) => api.releaseSessionClaim(seat.root, "cohort", ID, { token }),
  };
  const before = seat.image();
  for (const [name, call] of Object.entries(calls)) {
    assert.equal(word(await call("another")), "claim-lost", name);
    assert.equal(word(await call("")), "claim-lost", name);
  }
  assert.equal(word(await api.markSessionDone(seat.root, "cohort", { id: "m1", token: "another" })), "claim-lost", "with the item too");
  assert.deepEqual(seat.image(), before);
  assert.equal(word(await calls.renew(claim.token)), "ok");
  assert.equal(word(await calls.renew(undefined)), "ok", "who shows no token is not asked");
  assert.equal(word(await calls.renew(null)), "ok");
  assert.equal(parseSessionMarkers(seat.read(`${FILE}.dispatched`)).claimToken, claim.token, "a renewed claim is the same claim");

  assert.equal(word(await calls.release(claim.token)), "ok");
  const next = await api.markSessionClaim(seat.root, "cohort", ID, { token: true });
  assert.notEqual(next.token, claim.token);
  assert.equal(word(await calls.reply(claim.token)), "claim-lost", "the claim is somebody else's by now");
  assert.equal(word(await calls.reply(next.token)), "ok");

  seat.put("plain.yaml");
  const plain = await api.markSessionClaim(seat.root, "cohort", { id: "plain" }, { token: false });
  assert.deepEqual(Object.keys(plain), ["ok", "id", "service", "file", "path"]);
  assert.equal(
    word(await api.markSessionReplied(seat.root, "cohort", { id: "plain" }, { token: "t" })),
    "claim-lost",
    "a claim without a token is not this one",
  );
});

eachFace("a file name spares the scan, may be an older one, and is never a path", async (api, seat) => {
  seat.put(FILE);
  seat.put(`${STAMP}m10.yaml`);
  const item = { id: "m1", file: FILE };
  assert.equal(word(await api.markSessionClaim(seat.root, "cohort", item, { now: T0 })), "ok");
  assert.equal(word(await api.markSessionReplied(seat.root, "cohort", item, { now: T0 })), "ok", "the name of the item before its claim");
  assert.equal(word(await api.markSessionDone(seat.root, "cohort", { file: `${FILE}.dispatched` }, { now: T0 })), "ok", "without an id");
  assert.deepEqual(seat.ls(), [`${STAMP}m10.yaml`, `${FILE}.processed`].sort());
  const before = seat.image();
  for (const file of [
    `../cohort/${STAMP}m10.yaml`,
    `/${STAMP}m10.yaml`,
    seat.path(`${STAMP}m10.yaml`),
    `${STAMP}m10`,
    `${STAMP}m10.yaml\0`,
    "",
    ".hidden.yaml",
    5,
  ]) {
    assert.equal(word(await api.markSessionClaim(seat.root, "cohort", { id: "m10", file })), "invalid-argument", String(file));
  }
  assert.equal(
    word(await api.markSessionClaim(seat.root, "cohort", { id: "m1", file: `${STAMP}other.yaml` })),
    "invalid-argument",
    "the name of another item",
  );
  assert.equal(word(await api.markSessionClaim(seat.root, "cohort", { id: "gone", file: "gone.yaml" })), "not-claimable");
  assert.deepEqual(seat.image(), before);
  assert.equal(word(await api.markSessionClaim(seat.root, "cohort", { id: "m10", file: null })), "ok", "null is no name");
});

eachFace("an id is exact before it is a part, and never a pattern", async (api, seat) => {
  for (const id of ["m1", "m10", "m11"]) seat.put(`${STAMP}${id}.yaml`);
  assert.equal(word(await api.markSessionClaim(seat.root, "cohort", { id: "m" })), "not-claimable", "three items have an m");
  for (const id of ["m.", "*", ".*", "1", "11", "", "../cohort/m1", "\0", undefined, null, 1, {}, ["m1"]]) {
    assert.equal(word(await api.markSessionClaim(seat.root, "cohort", { id })), "not-claimable", String(id));
  }
  assert.equal(seat.ls().length, 3);
  const { message } = await api.markSessionClaim(seat.root, "cohort", { id: "1" });
  assert.match(message, /near it: m1/);
  assert.equal((await api.markSessionClaim(seat.root, "cohort", { id: "m1" })).path, seat.path(`${FILE}.dispatched`));
  seat.put(`${STAMP}cohort-abc123.yaml`);
  assert.equal(
    (await api.markSessionClaim(seat.root, "cohort", { id: "abc123" })).path,
    seat.path(`${STAMP}cohort-abc123.yaml.dispatched`),
    "a whole part of an id",
  );
  assert.equal(word(await api.markSessionDone(seat.root, "cohort", { id: "abc123" })), "not-found", "past the SDK the id is exact");
});

eachFace("of several files with one id a call takes the one it can use", async (api, seat) => {
  seat.put("2026-01-01T00-00-00-000Z-m1.yaml.processed");
  seat.put("2026-01-03T00-00-00-000Z-m1.yaml");
  seat.put("2026-01-02T00-00-00-000Z-m1.yaml");
  assert.equal((await CALLS.claim(api, seat.root)).path, seat.path("2026-01-02T00-00-00-000Z-m1.yaml.dispatched"), "the oldest");
  assert.equal(
    (await CALLS.reply(api, seat.root)).path,
    seat.path("2026-01-02T00-00-00-000Z-m1.yaml.dispatched"),
    "a new one cannot be replied to",
  );
});

eachFace("a claim freshens the time of the file, so that no sweep takes it for an orphan", async (api, seat) => {
  utimesSync(seat.put(FILE), new Date(T0 - 1e9), new Date(T0 - 1e9));
  const { path } = await api.markSessionClaim(seat.root, "cohort", ID, { now: T0 });
  assert.ok(statSync(path).mtimeMs >= T0);
});

eachFace("a claim can be somebody's by name, and then no sweep gives it back", async (api, seat) => {
  seat.put(FILE);
  await api.markSessionClaim(seat.root, "cohort", ID, { now: T0, claimedBy: 'the "daemon"\n' });
  assert.equal(parseSessionMarkers(seat.read(`${FILE}.dispatched`)).claimedBy, 'the "daemon"\n');
  assert.deepEqual((await api.sweepSessionInbox(seat.root, { now: T0 + 1e12, sessionLive: true })).reopened, []);
  assert.equal(word(await api.renewSessionClaim(seat.root, "cohort", ID, { now: T0 + 5 })), "ok");
  assert.equal(parseSessionMarkers(seat.read(`${FILE}.dispatched`)).claimedBy, 'the "daemon"\n');
});

eachFace("of a reason, what is missing is empty and what is null gets no line", async (api, seat) => {
  for (const [id, reason, expected] of [
    ["a", undefined, ""],
    ["b", null, null],
    ["c", "why\nnot", "why\nnot"],
    ["d", "\ud800", "\ufffd"],
  ]) {
    seat.put(`${id}.yaml`);
    const { path } = await api.markSessionDeferral(seat.root, "cohort", { id }, { until: T0, reason });
    assert.equal(parseSessionMarkers(readFileSync(path, "utf8")).deferredReason, expected, id);
  }
});
