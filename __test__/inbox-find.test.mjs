// Finding one item, and listing all of them.

import assert from "node:assert/strict";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { CLAIM, ITEM, NO_MARKERS, STAMP, T0, eachFace, items } from "./inbox-seat.mjs";

const ENDINGS = { new: "", claimed: ".dispatched", deferred: ".deferred", processed: ".processed" };

eachFace("the ending of a name is the state, and the id is the stem without its delivery time", async (api, seat) => {
  for (const [state, ending] of Object.entries(ENDINGS)) {
    const file = `${STAMP}${state}.yaml${ending}`;
    const path = seat.put(file);
    const found = await api.findInboxFile(seat.root, state);
    assert.deepEqual(found, { id: state, service: "cohort", state, file, path });
    assert.deepEqual(Object.keys(found), ["id", "service", "state", "file", "path"]);
    assert.deepEqual(
      (await items(api, seat.root, { state })).map((item) => item.id),
      [state],
    );
  }
  for (const stem of ["no-time", "2026-09-08-m2", "2026-09-08T09-59-00-00xZ-m3"]) {
    seat.put(`${stem}.yaml`);
    assert.equal((await items(api, seat.root)).filter((item) => item.id === stem).length, 1);
  }
});

eachFace("everything else in a folder is foreign", async (api, seat) => {
  for (const file of [
    ".yaml",
    ".a.yaml",
    "a.yml",
    "a.YAML",
    "a.yaml~",
    "a.yaml.bak",
    "a.yaml.dispatched.tmp",
    "a.yaml.dispatched.dispatched",
    "a",
  ])
    seat.put(file);
  mkdirSync(seat.path("folder.yaml"));
  writeFileSync(join(seat.root, "state", "inbox", "stray.yaml"), ITEM);
  assert.deepEqual(await items(api, seat.root), []);
  for (const id of ["a", "folder", "stray", ".yaml", "yaml"]) assert.equal(await api.findInboxFile(seat.root, id), null, id);
});

eachFace("an exact id beats a part of a stem, and a part must be the only one", async (api, seat) => {
  for (const id of ["m1", "m10", "m11"]) seat.put(`${STAMP}${id}.yaml`);
  const file = async (id, options) => (await api.findInboxFile(seat.root, id, options))?.file ?? null;
  assert.equal(await file("m1"), `${STAMP}m1.yaml`);
  assert.equal(await file("11"), `${STAMP}m11.yaml`);
  assert.equal(await file("m"), null, "a guess");
  assert.equal(await file("09-59"), null);
  seat.put("x11.yaml", ITEM, "other");
  assert.equal(await file("11"), null, "unique among all services");
  assert.equal(await file("11", { service: "cohort" }), `${STAMP}m11.yaml`);
});

eachFace("of one id the most alive is found, then the oldest; in two services none", async (api, seat) => {
  const found = async (options) => (await api.findInboxFile(seat.root, "m1", options))?.file ?? null;
  for (const [day, ending] of [
    ["04", ".processed"],
    ["03", ".deferred"],
    ["02", ".dispatched"],
    ["07", ""],
    ["06", ""],
  ]) {
    const file = `2026-09-${day}T00-00-00-000Z-m1.yaml${ending}`;
    seat.put(file);
    assert.equal(await found(), file);
  }
  seat.put("m1.yaml.processed", ITEM, "other");
  assert.equal(await found(), null, "the caller would act on a guess");
  assert.equal(await found({ service: "other" }), "m1.yaml.processed");
});

eachFace("what selects nothing is null and no error", async (api, seat) => {
  seat.put("m1.yaml");
  for (const id of ["nope", "", "m1.yaml", "../cohort/m1", "m1\0", "*", undefined, null, 1, {}, ["m1"], Symbol("m1")]) {
    assert.equal(await api.findInboxFile(seat.root, id), null, String(id));
  }
  for (const service of ["nope", "../inbox/cohort", ".", "a/b", 5, {}])
    assert.equal(await api.findInboxFile(seat.root, "m1", { service }), null, String(service));
  for (const root of ["/nowhere/at/all", "", seat.folder(), seat.path("m1.yaml")]) {
    assert.equal(await api.findInboxFile(root, "m1"), null);
    assert.deepEqual(await items(api, root), []);
  }
  for (const options of [undefined, null, {}, { service: undefined }, { service: null }, { service: "" }]) {
    assert.equal((await api.findInboxFile(seat.root, "m1", options)).file, "m1.yaml");
  }
});

eachFace("invalid arguments throw, and say which", async (api, seat) => {
  const error = (call, message) => assert.rejects(async () => call(), { name: "TypeError", code: "invalid-argument", message });
  for (const root of [undefined, null, 5, {}]) {
    await error(() => api.findInboxFile(root, "m1"), "root must be a string");
    await error(() => items(api, root), "root must be a string");
  }
  await error(() => items(api, seat.root, { service: 5 }), "options.service must be a string");
  for (const service of ["", ".", "..", "a/b"])
    await error(() => items(api, seat.root, { service }), /^service must be one plain folder name/);
  await error(() => items(api, seat.root, { state: 5 }), /^options\.state must be/);
  await error(
    () => items(api, seat.root, { state: "dispatched" }),
    /^state: "dispatched" is not one of new, claimed, deferred, processed, dead$/,
  );
  const tooLong = `/${"x".repeat(5000)}`;
  await assert.rejects(async () => api.findInboxFile(tooLong, "m1"), { name: "Error", code: "ENAMETOOLONG" });
  const { failed } = await api.listInbox(tooLong);
  assert.deepEqual(
    failed.map(({ message, ...rest }) => rest),
    [{ service: null, file: null, error: "io", code: "ENAMETOOLONG" }],
  );
  await error(() => items(api, seat.root, { sate: "new" }), "options.sate is not an option");
});

eachFace("a listing has every item with its markers, by service and name", async (api, seat) => {
  seat.put(`${STAMP}m1.yaml.dispatched`, `${ITEM}${CLAIM}claim_token: "t"\n`);
  seat.put("a.yaml");
  seat.put("z.yaml.deferred", `${ITEM}deferred_until: "x"\ndeferred_reason: "y"`, "another");
  const listed = await items(api, seat.root);
  assert.deepEqual(
    listed.map(({ attempts, ...item }) => item),
    [
      {
        id: "z",
        service: "another",
        state: "deferred",
        file: "z.yaml.deferred",
        path: seat.path("z.yaml.deferred", "another"),
        markers: { ...NO_MARKERS, deferredUntil: "x" },
      },
      {
        id: "m1",
        service: "cohort",
        state: "claimed",
        file: `${STAMP}m1.yaml.dispatched`,
        path: seat.path(`${STAMP}m1.yaml.dispatched`),
        markers: { ...NO_MARKERS, claimedBy: "session", claimedAt: new Date(T0).toISOString(), claimToken: "t" },
      },
      { id: "a", service: "cohort", state: "new", file: "a.yaml", path: seat.path("a.yaml"), markers: NO_MARKERS },
    ],
  );
  assert.deepEqual(Object.keys(listed[0]), ["id", "service", "state", "file", "path", "markers", "attempts"]);
  const ids = async (options) => (await items(api, seat.root, options)).map((item) => item.id);
  assert.deepEqual(await ids({ service: "cohort" }), ["m1", "a"]);
  assert.deepEqual(await ids({ service: "cohort", state: "new" }), ["a"]);
  assert.deepEqual(await ids({ service: "none" }), []);
  assert.deepEqual(await ids({ service: null, state: null }), ["z", "m1", "a"]);
});

eachFace("a listing says on demand what a sweep will do, to the very millisecond", async (api, seat) => {
  const iso = (millis) => new Date(millis).toISOString();
  const files = {
    "claimed.yaml.dispatched": ["claim-stale", CLAIM],
    "torn.yaml.dispatched": ["claim-stale", 'claimed_by: "session"\n'],
    "replied.yaml.dispatched": ["replied-retired", `${CLAIM}replied_at: "${iso(T0)}"\n`],
    "deferred.yaml.deferred": ["deferral-due", `deferred_until: "${iso(T0 + 1e10)}"\n`],
    "orphan.yaml.dispatched": ["daemon-orphan", ""],
    "somebody.yaml.dispatched": [null, 'claimed_by: "somebody"\n'],
    "daemon.yaml.deferred": [null, ""],
    "new.yaml": [null, CLAIM],
    "done.yaml.processed": [null, CLAIM],
  };
  for (const [file, [, end]] of Object.entries(files)) utimesSync(seat.put(file, ITEM + end), T0 / 1000 + 0.0005, T0 / 1000 + 0.0005);
  const plain = await items(api, seat.root);
  const listed = await items(api, seat.root, { next: { sessionLive: true } });
  assert.deepEqual(
    listed.map(({ next, ...item }) => item),
    plain,
  );
  const usual = await items(api, seat.root, { next: true });
  assert.equal(usual.find((item) => item.id === "orphan").next, null, "what the sweep that was asked for does");
  for (const off of [false, null, undefined]) assert.deepEqual(await items(api, seat.root, { next: off }), plain);
  for (const { file, next } of listed) {
    const [reason] = files[file];
    assert.equal(next?.reason ?? null, reason, file);
    if (next === null) continue;
    assert.deepEqual(Object.keys(next), ["reason", "at"]);
    const sweep = async (now) =>
      (await api.sweepSessionInbox(seat.root, { now, sessionLive: true, dryRun: true })).reopened.map(
        (item) => `${item.id} ${item.reason}`,
      );
    const moved = `${file.split(".")[0]} ${reason}`;
    assert.ok((await sweep(next.at)).includes(moved), file);
    assert.ok(!(await sweep(next.at - 1)).includes(moved), file);
  }
});

eachFace("a path is the root as path.join has it, and an answer's names work in the next call", async (api, seat) => {
  seat.put("m1.yaml");
  const here = relative(process.cwd(), seat.root);
  for (const root of [seat.root, `${seat.root}/`, `${seat.root}//.`, join(seat.root, "x", ".."), here, `./${here}`]) {
    const { path, file } = await api.findInboxFile(root, "m1");
    assert.equal(path, join(root, "state", "inbox", "cohort", "m1.yaml"));
    const claim = await api.markSessionClaim(root, "cohort", { id: "m1", file });
    assert.equal(claim.path, `${path}.dispatched`);
    assert.equal((await api.releaseSessionClaim(root, "cohort", { id: "m1" })).path, path);
  }
});

eachFace("an item of any name and size is found and listed", async (api, seat) => {
  const names = ["é日本 🦀", "a b", "-rf", "$(id)", "new\nline", "\u001b[31mred", "%2e", "x".repeat(200)];
  for (const name of names) seat.put(`${name}.yaml`);
  seat.put("big.yaml.dispatched", Buffer.concat([Buffer.alloc(3 << 20, "x"), Buffer.from(`\n${CLAIM}`)]));
  for (const name of names) assert.equal((await api.findInboxFile(seat.root, name)).path, seat.path(`${name}.yaml`), name);
  const listed = await items(api, seat.root);
  assert.deepEqual(listed.map((item) => item.id).sort(), [...names, "big"].sort());
  assert.equal(listed.find((item) => item.id === "big").markers.claimedBy, "session");
});
