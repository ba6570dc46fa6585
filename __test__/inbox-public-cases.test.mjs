// What other people's file systems, editors, users and clocks did to inboxes like this one, by their reports.

import assert from "node:assert/strict";
import { appendFileSync, chmodSync, chownSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CLAIM, ITEM, MINUTE, STAMP, T0, eachFace, items, word } from "./inbox-seat.mjs";

// Nobody's numbers on any system.
const [OWNER, OTHER, GROUP] = [54_321, 54_322, 54_323];

/** Does something as a user who is root's friend in nothing; whoever is not root does it as what he is. */
async function asOther(seat, act, mode = 0o2775) {
  if (process.getuid() !== 0) return act(false);
  chmodSync(seat.root, mode);
  const [group, groups] = [process.getegid(), process.getgroups()];
  process.setgroups([]);
  process.setegid(GROUP);
  process.seteuid(OTHER);
  try {
    await act(true);
  } finally {
    process.seteuid(0);
    process.setegid(group);
    process.setgroups(groups);
  }
}

const CALLS = ["markSessionReplied", "markSessionDone", "releaseSessionClaim", "renewSessionClaim", "failInboxItem"];

// td-cli PR#59
eachFace("a part of an id is not the item: a call for m1 never lands on m10", async (api, seat) => {
  seat.put(`${STAMP}m1.yaml.processed`);
  seat.put(`${STAMP}m10.yaml.dispatched`, ITEM + CLAIM);
  const before = seat.image();
  for (const call of CALLS) {
    const { ok, message } = await api[call](seat.root, "cohort", { id: "m1" }, { now: T0 });
    assert.equal(ok, false, call);
    assert.match(message, /near it: m10$/, call);
  }
  assert.deepEqual(seat.image(), before);
});

// mymove PR#6665
eachFace("what was processed under a name is not claimed again under it", async (api, seat) => {
  seat.put(`${STAMP}m1.yaml.processed`);
  seat.put(`${STAMP}m1.yaml`);
  assert.equal(word(await api.markSessionClaim(seat.root, "cohort", { id: "m1" }, { now: T0 })), "conflict");
  assert.deepEqual(
    (await api.claimNextItem(seat.root, { now: T0 })).skipped.map(({ error }) => error),
    ["conflict"],
  );
});

eachFace("of two items with one id, the token's is meant", async (api, seat) => {
  const claims = [];
  for (const day of ["07", "08"]) {
    seat.put(`2026-09-${day}T09-59-00-000Z-m.yaml`);
    claims.push(await api.markSessionClaim(seat.root, "cohort", { id: "m" }, { now: T0, token: true }));
  }
  const [first, second] = claims;
  assert.equal((await api.markSessionReplied(seat.root, "cohort", { id: "m" }, { token: second.token, now: T0 })).path, second.path);
  assert.equal((await api.markSessionReplied(seat.root, "cohort", { id: "m" }, { token: first.token, now: T0 })).path, first.path);
  assert.equal(word(await api.markSessionDone(seat.root, "cohort", { id: "m" }, { token: "gone", now: T0 })), "claim-lost");
});

eachFace("a line that is added to an item in flight neither strands it nor is lost", async (api, seat) => {
  for (const added of ["draft: thanks\n", "# a note\n", "\n\n", "draft: no line end"]) {
    for (const token of [false, true]) {
      seat.put("m1.yaml");
      const claim = await api.markSessionClaim(seat.root, "cohort", { id: "m1" }, { now: T0, token });
      appendFileSync(claim.path, added);
      assert.equal((await items(api, seat.root))[0].markers.claimedBy, "session", added);
      assert.equal(word(await api.renewSessionClaim(seat.root, "cohort", claim, { now: T0 })), "ok", added);
      const { reopened } = await api.sweepSessionInbox(seat.root, { now: T0 + 21 * MINUTE });
      assert.deepEqual([reopened.map(({ reason }) => reason), seat.read("m1.yaml")], [["claim-stale"], ITEM + added]);
    }
    seat.put("m1.yaml");
    const parked = await api.markSessionDeferral(seat.root, "cohort", { id: "m1" }, { until: T0 + MINUTE, reason: "r", now: T0 });
    appendFileSync(parked.path, added);
    await api.sweepSessionInbox(seat.root, { now: T0 + 2 * MINUTE });
    assert.equal(seat.read("m1.yaml"), ITEM + added);
  }
});

eachFace("an editor that puts a new file in place keeps the claim", async (api, seat) => {
  seat.put("m1.yaml");
  const claim = await api.markSessionClaim(seat.root, "cohort", { id: "m1" }, { now: T0, token: true });
  writeFileSync(seat.path(".sed1234"), seat.read("m1.yaml.dispatched").replace("deck", "slides"));
  renameSync(seat.path(".sed1234"), claim.path);
  assert.equal(word(await api.markSessionReplied(seat.root, "cohort", claim, { now: T0 })), "ok");
  assert.deepEqual(
    (await items(api, seat.root)).map(({ id, state }) => [id, state]),
    [["m1", "claimed"]],
  );
});

eachFace("the last line of somebody's text is not a block, whatever it looks like", async (api, seat) => {
  for (const body of [
    'content: "please fill in:\n\nclaimed_by: me"\n',
    'content: "please fill in:\n\nclaimed_by: "',
    "content: 'x\n\nclaimed_by: [a'\n",
  ]) {
    seat.put("m1.yaml", body);
    const claim = await api.markSessionClaim(seat.root, "cohort", { id: "m1" }, { now: T0 });
    assert.ok(claim.ok, body);
    await api.releaseSessionClaim(seat.root, "cohort", claim);
    assert.equal(seat.read("m1.yaml"), body);
  }
});

eachFace("nothing is refused for its size, its line ends, its byte order mark or its depth", async (api, seat) => {
  const bodies = {
    mark: "\ufeffid: 1\n",
    crlf: "id: 1\r\nx: 1\r\n",
    separator: "id: 1\nx: a\u2028b\n",
    large: `---\nid: 1\nx: |\n${"  yyyyyyyyyyyyyyy\n".repeat(70_000)}`,
    brackets: `id: 1\nx: [${"[],".repeat(200_000)}]\n`,
    deep: `id: 1\nx: ${"[".repeat(100_000)}${"]".repeat(100_000)}\n`,
    aliases: `---\nbase: &a ${"x".repeat(250_000)}\nlist: [${"*a, ".repeat(50_000)}1]\n`,
  };
  for (const [name, body] of Object.entries(bodies)) {
    seat.put(`${name}.yaml`, body);
    const next = await api.claimNextItem(seat.root, { now: T0 });
    assert.deepEqual([next.id, next.text], [name, body]);
  }
});

// paperless-ng#462
eachFace("an item that is still empty is somebody's at work on it", async (api, seat) => {
  seat.put("m1.yaml", "");
  assert.equal(word(await api.markSessionClaim(seat.root, "cohort", { id: "m1" }, { now: T0 })), "busy");
  assert.equal(seat.read("m1.yaml"), "");
});

// lua-tinyyaml#22
eachFace("what no block can follow says so wherever it is met", async (api, seat) => {
  seat.put("m1.yaml", "id: 1\n...\n");
  const [item] = await items(api, seat.root);
  assert.deepEqual([item.error, item.message.length > 0], ["unstampable", true]);
  assert.deepEqual(
    (await api.claimNextItem(seat.root, { now: T0 })).skipped.map(({ error }) => error),
    ["unstampable"],
  );
});

// rsync#357, logrotate PR#407
eachFace("a snapshot by hard links is named, and a service that is a link likewise", async (api, seat) => {
  linkSync(seat.put("m1.yaml.dispatched", ITEM + CLAIM), join(seat.root, "snapshot"));
  symlinkSync(seat.folder(), seat.folder("alias"));
  const { failed } = await api.sweepSessionInbox(seat.root, { now: T0 + 60 * MINUTE });
  assert.deepEqual(failed.map(({ service, error }) => [service, error]).sort(), [
    ["alias", "linked"],
    ["cohort", "linked"],
  ]);
  assert.deepEqual(
    (await api.listInbox(seat.root)).items.map(({ error }) => error),
    ["linked"],
  );
});

// librefang#5114
eachFace("what a clock that was ahead wrote comes back all the same", async (api, seat) => {
  seat.put("m1.yaml");
  await api.markSessionClaim(seat.root, "cohort", { id: "m1" }, { now: T0 + 10 * 365 * 1440 * MINUTE });
  assert.deepEqual(
    (await api.sweepSessionInbox(seat.root, { now: T0 })).reopened.map(({ reason }) => reason),
    ["claim-stale"],
  );
});

eachFace("a deferral comes back at its time in every usual form of one", async (api, seat) => {
  const zone = new Date(2027, 2, 1, 9).getTime();
  for (const [text, at] of [
    ["2027-03-01T09:00:00Z", Date.UTC(2027, 2, 1, 9)],
    ["Mon, 01 Mar 2027 09:00:00 +0100", Date.UTC(2027, 2, 1, 8)],
    ["2027-03-01T09:00:00+0100", Date.UTC(2027, 2, 1, 8)],
    ["2027-03-01T09:00:00+01:00", Date.UTC(2027, 2, 1, 8)],
    ["2027-03-01T09:00", zone],
    ["2027-03-01 09:00", zone],
    ["2027-03-01", Date.UTC(2027, 2, 1)],
  ]) {
    rmSync(seat.folder(), { recursive: true });
    seat.put("m1.yaml.deferred", `id: 1\ndeferred_until: "${text}"\n`);
    const [{ next }] = await items(api, seat.root, { next: { now: T0 } });
    assert.equal(next.at, at, text);
    const sweep = async (now) => (await api.sweepSessionInbox(seat.root, { now })).reopened.length;
    assert.deepEqual([await sweep(at - 1000), await sweep(at + 1000)], [0, 1], text);
  }
});

// nextcloud#29514, ClickHouse#90027
eachFace("one folder that may not be read hides nothing else", async (api, seat) => {
  seat.put("m1.yaml");
  seat.put("root.yaml");
  chmodSync(seat.path("root.yaml"), 0o600);
  mkdirSync(seat.folder("lost+found"));
  chmodSync(seat.folder("lost+found"), 0);
  await asOther(seat, async (isOther) => {
    const { items: listed, failed } = await api.listInbox(seat.root);
    assert.deepEqual(
      listed.map(({ id, code }) => [id, code]),
      [
        ["m1", undefined],
        ["root", isOther ? "EACCES" : undefined],
      ],
    );
    assert.deepEqual(
      failed.map(({ service, error, code }) => [service, error, code]),
      [["lost+found", "io", "EACCES"]],
    );
    assert.equal(await api.findInboxFile(seat.root, "nobody"), null);
    assert.equal(await api.findInboxFile(seat.root, "nobody", { service: "lost+found" }), null);
    assert.equal((await api.findInboxFile(seat.root, "m1")).id, "m1");
    const { failed: unswept } = await api.sweepSessionInbox(seat.root, { now: T0 });
    assert.deepEqual(
      unswept.map(({ service }) => service),
      ["lost+found"],
    );
  });
  // Else it could not be taken away.
  chmodSync(seat.folder("lost+found"), 0o700);
});

// Path-Tiny#174
eachFace("whoever may write an item and does not own it can do everything with it", async (api, seat, t) => {
  if (process.getuid() !== 0) return t.skip("only root can give an item to somebody else");
  for (const path of [seat.folder(), join(seat.root, "state", "inbox"), join(seat.root, "state"), seat.root]) {
    chownSync(path, OWNER, GROUP);
    chmodSync(path, 0o2770);
  }
  chownSync(seat.put("m1.yaml"), OWNER, GROUP);
  chmodSync(seat.path("m1.yaml"), 0o664);
  await asOther(seat, async () => {
    const call = async (name, options) => word(await api[name](seat.root, "cohort", { id: "m1" }, options));
    for (const [name, options] of [
      ["markSessionClaim", { now: T0 }],
      ["renewSessionClaim", { now: T0 }],
      ["releaseSessionClaim"],
      ["markSessionDeferral", { now: T0, until: T0 + MINUTE, reason: "later" }],
      ["reopenInboxItem", { from: "deferred" }],
      ["markSessionClaim", { now: T0 }],
      ["failInboxItem", { now: T0, reason: "no answer" }],
      ["reopenInboxItem", { from: "dead" }],
      ["markSessionClaim", { now: T0 }],
    ]) {
      assert.equal(await call(name, options), "ok", name);
    }
    const { reopened, failed } = await api.sweepSessionInbox(seat.root, { now: T0 + 21 * MINUTE });
    assert.deepEqual([reopened.map(({ reason }) => reason), failed], [["claim-stale"], undefined]);
    assert.equal(seat.read("m1.yaml"), ITEM);
    for (const name of ["markSessionClaim", "markSessionReplied", "markSessionDone"]) {
      assert.equal(await call(name, { now: T0 }), "ok", name);
    }
    assert.deepEqual((await api.archiveProcessed(seat.root, { olderThanMs: 1000, now: Date.now() + 60 * MINUTE })).archived.length, 1);
  });
});

eachFace("a root that may be entered and not read holds an inbox as any other", async (api, seat) => {
  seat.put("m1.yaml");
  for (const path of [seat.folder(), seat.path("m1.yaml")]) chmodSync(path, 0o777);
  chmodSync(join(seat.root, "state"), 0o711);
  await asOther(
    seat,
    async () => {
      assert.deepEqual(
        (await items(api, seat.root)).map(({ id }) => id),
        ["m1"],
      );
      const claim = await api.markSessionClaim(seat.root, "cohort", { id: "m1" }, { now: T0 });
      assert.equal(word(claim), "ok");
      assert.equal(word(await api.markSessionReplied(seat.root, "cohort", claim, { now: T0 })), "ok");
    },
    0o711,
  );
});
