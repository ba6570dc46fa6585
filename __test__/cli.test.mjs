// The command: a day's inbox by command alone, exit codes and documents for scripts, help for people.

import { test } from "node:test";
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { parseSessionMarkers } from "seatkit/inbox-claims";
import { SEATKIT, document, seatkit } from "./cli-seat.mjs";
import { CLAIM, ITEM, MINUTE, STAMP, Seat } from "./inbox-seat.mjs";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

test("a day's inbox by command alone", (t) => {
  const seat = new Seat(t);
  const at = (...args) => seatkit(["inbox", ...args], { env: { SEATKIT_ROOT: seat.root } });
  const says = (args, pattern) => {
    const { status, stdout, stderr } = at(...args);
    const told = args[0] === "sweep" ? /^seatkit: --session-live was not given: .*\n$/ : /^$/;
    assert.equal(status, 0, args.join(" "));
    assert.match(stderr, told);
    assert.match(stdout, pattern);
    return stdout;
  };
  for (const id of ["deck", "invoice", "lunch", "outage"]) seat.put(`${STAMP}${id}.yaml`, ITEM);

  says(["list"], /^STATE .*\n(new .* waits for a claim\n){4}4 items: 4 new\n$/);
  const path = says(["find", "deck"], /deck\.yaml\n$/).trimEnd();
  assert.equal(readFileSync(path, "utf8"), ITEM);

  const [, token] = /^token (\S+)$/m.exec(says(["claim", "deck", "--with-token"], /^claimed deck in cohort: .*\.dispatched\n/));
  says(["renew", "deck", "--token", token], /^renewed the claim on deck in cohort: /);
  says(["reply", "deck", "--token", token], /^noted the reply to deck in cohort: /);
  says(["done", "deck"], /^finished deck in cohort: .*\.processed\n$/);

  says(
    ["defer", "invoice", "--until", "30m", "--reason", "waiting on finance"],
    /^deferred invoice in cohort, to come back in 30 min: .*\.deferred\n$/,
  );
  says(["claim", "lunch"], /^claimed lunch/);
  says(["release", "lunch", "--service", "cohort"], /^released lunch in cohort: .*lunch\.yaml\n$/);
  says(["claim", "outage"], /^claimed outage/);
  says(["list"], /\ndeferred .* reopens in 30 min: waiting on finance\n(.*\n)*claimed .* reopens in 20 min\n/);
  says(["list", "--state", "processed"], /^STATE .*\nprocessed  deck .*\n1 item: 1 processed\n$/);

  says(["sweep"], /^2 items in flight: 0 moved\n$/);
  seat.put(`${STAMP}old.yaml.dispatched`, ITEM + CLAIM.replace(/2026-09-08T10/, "2020-01-01T00"));
  says(["list"], /\nclaimed +old .* due now\n(.*\n)*5 items: 1 new, 2 claimed, 1 deferred, 1 processed; 1 due now\n$/);
  says(
    ["sweep", "--dry-run"],
    /^would be reopened  old  cohort  claimed more than 20 min ago, and not answered\n3 items in flight: 1 would be moved\n$/,
  );
  says(["sweep"], /^reopened  old  cohort  claimed more than 20 min ago, and not answered\n3 items in flight: 1 moved\n$/);
  assert.equal(seat.read(`${STAMP}old.yaml`), ITEM);
});

test("a script has the same day with --json, and keys that stay", (t) => {
  const seat = new Seat(t);
  const at = (...args) => document(["inbox", ...args, "--root", seat.root]);
  const path = (ending) => seat.path(`${STAMP}m1.yaml${ending}`);
  seat.put(`${STAMP}m1.yaml`);
  assert.deepEqual(at("find", "m1"), {
    status: 0,
    ok: true,
    id: "m1",
    service: "cohort",
    state: "new",
    file: `${STAMP}m1.yaml`,
    path: path(""),
  });
  const claim = at("claim", "m1", "--with-token");
  assert.deepEqual(claim, { status: 0, ok: true, service: "cohort", path: path(".dispatched"), token: claim.token });
  assert.equal(claim.token.length, 36);
  assert.deepEqual(at("claim", "m1").error, "not-claimable");
  for (const call of ["renew", "reply"])
    assert.deepEqual(at(call, "m1", "--token", claim.token), { status: 0, ok: true, service: "cohort", path: path(".dispatched") });
  assert.deepEqual(at("done", "m1"), { status: 0, ok: true, service: "cohort", path: path(".processed") });
  seat.put(`${STAMP}m2.yaml`);
  assert.equal(at("defer", "m2", "--until", "2026-09-08T12:00Z").status, 0);
  assert.deepEqual(at("sweep", "--dry-run"), {
    status: 0,
    ok: true,
    dryRun: true,
    reopened: [{ id: "m2", service: "cohort", reason: "deferral-due", path: seat.path(`${STAMP}m2.yaml`) }],
    scanned: 1,
    failed: [],
  });
  assert.deepEqual(Object.keys(at("sweep")), ["status", "ok", "dryRun", "reopened", "scanned", "failed"]);
  const before = Date.now();
  const list = at("list");
  assert.deepEqual(Object.keys(list), ["status", "ok", "root", "now", "items", "counts", "failed"]);
  assert.deepEqual([list.ok, list.root, list.counts], [true, seat.root, { new: 1, claimed: 0, deferred: 0, processed: 1, dead: 0 }]);
  assert.ok(list.now >= before && list.now <= Date.now());
  for (const item of list.items)
    assert.deepEqual(Object.keys(item), [
      "id",
      "service",
      "state",
      "file",
      "path",
      "markers",
      "attempts",
      "next",
      "sender",
      "subject",
      "deliveredAt",
    ]);
  assert.deepEqual(
    list.items.map(({ id, sender, subject, deliveredAt }) => [id, sender, subject, deliveredAt]),
    [
      ["m1", "Olivia Chen", null, Date.parse("2026-09-08T09:59:00.000Z")],
      ["m2", "Olivia Chen", null, Date.parse("2026-09-08T09:59:00.000Z")],
    ],
  );
});

test("every exit code, each with its word, and nothing changed", (t) => {
  const seat = new Seat(t);
  seat.put("claimed.yaml.dispatched", ITEM + CLAIM);
  seat.put("replied.yaml.dispatched", `${ITEM}${CLAIM}replied_at: "2026-09-08T10:00:00.000Z"\n`);
  seat.put("new.yaml");
  seat.put("taken.yaml");
  seat.put("taken.yaml.dispatched", ITEM + CLAIM);
  seat.put("list.yaml", "- a\n");
  seat.put("twice.yaml");
  seat.put("twice.yaml", ITEM, "other");
  seat.put(`${"x".repeat(245)}.yaml`);
  const before = [seat.image(), seat.image("other")];
  const rows = [
    [1, "not-claimable", "inbox", "claim", "claimed"],
    [1, "not-in-flight", "inbox", "done", "new"],
    [1, "already-replied", "inbox", "release", "replied"],
    [1, "claim-lost", "inbox", "reply", "claimed", "--token", "another"],
    [1, "conflict", "inbox", "claim", "taken", "--service", "cohort"],
    [1, "unstampable", "inbox", "claim", "list"],
    [2, "usage", "inbox", "claim"],
    [2, "usage", "inbox", "claim", "new", "old"],
    [2, "usage", "inbox", "claim", "new", "--with-tokens"],
    [2, "usage", "inbox", "claim", "new", "--service"],
    [2, "usage", "inbox", "claim", "new", "--service", "a/b"],
    [2, "usage", "inbox", "defer", "new"],
    [2, "usage", "inbox", "defer", "new", "--until", "soon"],
    [2, "usage", "inbox", "list", "--state", "dispatched"],
    [2, "usage", "inbox", "list", "--interval", "1s"],
    [2, "usage", "inbox", "list", "--watch", "--interval", "0s"],
    [2, "usage", "inbox", "open", "new"],
    [2, "usage", "mail"],
    [2, "usage", "--frobnicate"],
    [3, "not-found", "inbox", "claim", "ghost"],
    [3, "not-found", "inbox", "claim", ""],
    [3, "not-found", "inbox", "find", "ghost"],
    [3, "not-found", "inbox", "done", "new", "--service", "ghosts"],
    [3, "ambiguous", "inbox", "claim", "twice"],
    [3, "ambiguous", "inbox", "find", "e"],
    [3, "not-found", "inbox", "fail", "xxx"],
    [3, "not-found", "inbox", "reopen", "new", "--from", "dead"],
    [1, "not-claimed", "inbox", "fail", "new"],
    [2, "usage", "inbox", "reopen", "new"],
    [2, "usage", "inbox", "fail", "new", "--max-attempts", "0"],
    [2, "usage", "inbox", "deliver"],
    [2, "invalid-argument", "inbox", "deliver", "--service", "cohort", "--id", "../x", "--field", "a=b"],
    [3, "empty", "inbox", "next", "--service", "ghosts"],
    [3, "not-found", "inbox", "list", "--root", join(seat.root, "nowhere")],
    [3, "not-found", "inbox", "sweep", "--root", seat.path("new.yaml")],
    [4, "io", "inbox", "claim", `${"x".repeat(245)}`],
    [4, "io", "inbox", "list", "--root", `/${"x".repeat(5000)}`],
  ];
  for (const [exit, word, ...args] of rows) {
    const { status, stdout, stderr } = seatkit([...args, "--json"], { env: { SEATKIT_ROOT: seat.root } });
    const answer = JSON.parse(stdout);
    assert.deepEqual([status, answer.ok, answer.error], [exit, false, word], args.join(" "));
    assert.deepEqual(Object.keys(answer), ["ok", "error", ...(word === "io" ? ["code"] : []), "message"]);
    assert.ok(stderr.startsWith("seatkit: ") && stderr.endsWith("\n"), stderr);
    assert.equal(stderr.trimEnd().split("\n").length, 1, "one line, no trace");
  }
  assert.deepEqual([seat.image(), seat.image("other")], before);
  const plain = seatkit(["inbox", "claim", "claimed"], { env: { SEATKIT_ROOT: seat.root } });
  assert.deepEqual([plain.status, plain.stdout], [1, ""], "without --json nothing is on stdout");
  assert.match(plain.stderr, /^seatkit: .*claimed\.yaml\.dispatched is claimed\n$/);
});

test("what a sweep cannot handle is on stderr and in the exit code; the rest is swept", (t) => {
  const seat = new Seat(t);
  seat.put("bad.yaml.dispatched", ITEM + CLAIM);
  seat.put("bad.yaml");
  seat.put("good.yaml.dispatched", ITEM + CLAIM);
  const args = ["inbox", "sweep", "--root", seat.root];
  const dry = document([...args, "--dry-run"]);
  assert.deepEqual([dry.status, dry.ok, dry.failed.map((failure) => failure.error)], [1, false, ["conflict"]]);
  const { status, stdout, stderr } = seatkit(args);
  assert.equal(status, 1);
  assert.match(stdout, /^reopened  good  cohort  .*\n2 items in flight: 1 moved, 1 failed\n$/);
  assert.match(stderr, /^seatkit: --session-live was not given.*\nseatkit: cohort\/bad\.yaml\.dispatched: conflict: .*bad\.yaml exists\n$/);
});

test("the daemon's items are swept only for a session that lives", (t) => {
  const seat = new Seat(t);
  spawnSync("touch", ["-t", "202001010000", seat.put("lost.yaml.dispatched")]);
  const sweep = (...more) => document(["inbox", "sweep", "--dry-run", "--root", seat.root, ...more]).reopened.map((item) => item.reason);
  assert.deepEqual(sweep(), []);
  assert.deepEqual(sweep("--session-live"), ["daemon-orphan"]);
});

test("the root is the option's, else SEATKIT_ROOT's, else the working folder", (t) => {
  const [a, b] = [new Seat(t), new Seat(t)];
  a.put("in-a.yaml");
  b.put("in-b.yaml");
  const ids = (args, options) => document(["inbox", "list", ...args], options).items.map((item) => item.id);
  assert.deepEqual(ids([], { cwd: a.root }), ["in-a"]);
  assert.deepEqual(ids([], { cwd: a.root, env: { SEATKIT_ROOT: b.root } }), ["in-b"]);
  assert.deepEqual(ids(["--root", "."], { cwd: a.root, env: { SEATKIT_ROOT: b.root } }), ["in-a"]);
  assert.deepEqual(ids([`--root=${relative(a.root, b.root)}`], { cwd: a.root }), ["in-b"]);
  assert.deepEqual(ids([], { cwd: a.root, env: { SEATKIT_ROOT: "" } }), ["in-a"]);
});

test("a seat without an inbox is empty, and it is said", (t) => {
  const seat = new Seat(t);
  rmSync(join(seat.root, "state"), { recursive: true });
  const { status, stdout, stderr } = seatkit(["inbox", "list", "--root", seat.root]);
  assert.deepEqual([status, stdout], [0, "no items\n"]);
  assert.match(stderr, /has no inbox/);
  assert.deepEqual(document(["inbox", "list", "--root", seat.root]).items, []);
});

test("--until takes spans, times of day and dates, and nothing else", (t) => {
  const seat = new Seat(t);
  const until = (text, env) => {
    seat.put("m1.yaml");
    const before = Date.now();
    const { status, path } = document(["inbox", "defer", "m1", "--until", text, "--root", seat.root], { env });
    const after = Date.now();
    if (status !== 0) return status;
    const moment = Date.parse(parseSessionMarkers(readFileSync(path, "utf8")).deferredUntil);
    rmSync(path);
    return { moment, before, after };
  };
  for (const [text, millis] of [
    ["90s", 90_000],
    ["1.5h", 90 * MINUTE],
    ["1d", 1440 * MINUTE],
    ["1w1h30m", 10_170 * MINUTE],
  ]) {
    const { moment, before, after } = until(text);
    assert.ok(moment >= before + millis && moment <= after + millis, text);
  }
  const utc = { TZ: "UTC" };
  const berlin = { TZ: "Europe/Berlin" };
  for (const [text, env, expected] of [
    ["2026-09-08T12:00Z", berlin, "2026-09-08T12:00:00.000Z"],
    ["2026-09-08T12:00:30.5+02:00", utc, "2026-09-08T10:00:30.500Z"],
    ["2026-09-08 12:00", berlin, "2026-09-08T10:00:00.000Z"],
    ["2026-09-08", berlin, "2026-09-07T22:00:00.000Z"],
    ["2024-02-29", utc, "2024-02-29T00:00:00.000Z"],
    ["1788868800000", utc, "2026-09-08T12:00:00.000Z"],
  ]) {
    assert.equal(new Date(until(text, env).moment).toISOString(), expected, text);
  }
  for (const text of ["17:30", "0:05"]) {
    const { moment, before } = until(text, utc);
    const [hours, minutes] = text.split(":").map(Number);
    const at = new Date(moment);
    assert.deepEqual([at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()], [hours, minutes, 0]);
    assert.ok(moment > before && moment <= before + 1441 * MINUTE, "the next one");
  }
  for (const text of ["", "30", "30 m", "-5m", "25:00", "2026-02-30", "2026-09-08T25:00Z", "Tue Sep 8 2026"]) {
    assert.equal(until(text), 2, text);
  }
});

test("a reason and an id are taken as they are", (t) => {
  const seat = new Seat(t);
  const id = "-$(id) é\u001b[31m";
  const reason = 'a "b"\n\\c \u001b[2J';
  seat.put(`${id}.yaml`);
  const run = (...args) => seatkit(["inbox", ...args, "--root", seat.root, "--", id]);
  assert.deepEqual(run("defer", "--until=1d", "--reason", reason), {
    status: 0,
    stdout: `deferred -$(id) é\\u{1b}[31m in cohort, to come back in 24 h: ${seat.path("-$(id) é\\u{1b}[31m.yaml.deferred")}\n`,
    stderr: "",
  });
  assert.equal(parseSessionMarkers(seat.read(`${id}.yaml.deferred`)).deferredReason, reason);
  assert.equal(run("find").stdout, `${seat.path(`${id}.yaml.deferred`)}\n`, "a program gets the very path");
});

test("help on every level: usage, an example, the exit codes", () => {
  const levels = [
    [],
    ["inbox"],
    ["tmux"],
    ["screen"],
    ...["list", "find", "claim", "defer", "reply", "done", "release", "renew", "sweep"].map((name) => ["inbox", name]),
    ["tmux", "resolve"],
    ["tmux", "where"],
    ["screen", "list"],
  ];
  for (const level of levels) {
    const path = ["seatkit", ...level].join(" ");
    const { status, stdout, stderr } = seatkit([...level, "--help"]);
    assert.deepEqual([status, stderr], [0, ""]);
    assert.ok(stdout.startsWith(`usage: ${path} `), stdout);
    assert.match(stdout, /\nexample:\n {2}\S/);
    assert.match(stdout, /\nexit codes:\n {2}0 {2}/);
  }
  for (const level of [[], ["inbox"], ["inbox", "defer"]]) {
    const { stdout } = seatkit([...level, "--help"]);
    assert.equal(seatkit([...level, "-h"]).stdout, stdout);
    assert.equal(seatkit(["help", ...level]).stdout, stdout);
  }
  for (const group of [[], ["inbox"], ["tmux"], ["screen"]]) {
    const { status, stdout, stderr } = seatkit(group);
    assert.deepEqual([status, stdout], [2, ""], "a group by itself does nothing");
    assert.equal(stderr, seatkit([...group, "--help"]).stdout);
  }
  assert.deepEqual(seatkit(["--version"]), { status: 0, stdout: `${version}\n`, stderr: "" });
  assert.deepEqual(seatkit(["-V"]), seatkit(["--version"]));
});

test("the link that an install makes is the command", (t) => {
  const seat = new Seat(t);
  const bin = join(seat.root, "node_modules", ".bin");
  mkdirSync(bin, { recursive: true });
  const { bin: bins } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const link = join(bin, Object.keys(bins)[0]);
  assert.equal(basename(link), "seatkit");
  symlinkSync(new URL(`../${bins.seatkit}`, import.meta.url).pathname, link);
  const { status, stdout } = spawnSync(link, ["inbox", "list"], { cwd: seat.root, encoding: "utf8" });
  assert.deepEqual([status, stdout], [0, "no items\n"]);
});

test("a reader that goes away ends nothing but the output", async (t) => {
  const seat = new Seat(t);
  for (let number = 0; number < 600; number++) seat.put(`m${number}.yaml`);
  const ended = async (args) => {
    const child = spawn(process.execPath, [SEATKIT, ...args, "--root", seat.root], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.destroy();
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
    const [code, signal] = await once(child, "close");
    return { code: code ?? signal, stderr };
  };
  assert.deepEqual(await ended(["inbox", "list", "--json"]), { code: 0, stderr: "" });
  assert.deepEqual(await ended(["inbox", "claim", "m7"]), { code: 0, stderr: "" });
  assert.ok(seat.ls().includes("m7.yaml.dispatched"));
  const refused = await ended(["inbox", "claim", "m7", "--json", "--service", "cohort"]);
  assert.equal(refused.code, 1);
  assert.deepEqual(await ended(["inbox", "list", "--watch", "--interval", "0.1s"]), { code: 0, stderr: "" });
});
