// The list: what it says of each item, aligned and harmless whatever the items hold.

import { test } from "node:test";
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { markSessionClaim } from "seatkit/inbox-claims";
import { SEATKIT, document, seatkit } from "./cli-seat.mjs";
import { CLAIM, ITEM, MINUTE, Seat } from "./inbox-seat.mjs";

const iso = (millis) => new Date(millis).toISOString();
const rows = (seat, ...more) => {
  const { status, stdout, stderr } = seatkit(["inbox", "list", "--root", seat.root, ...more]);
  assert.deepEqual([status, stderr], [0, ""]);
  const lines = stdout.split("\n");
  assert.equal(lines.pop(), "");
  const total = lines.pop();
  return { header: lines.shift(), lines, total, stdout };
};

/** The columns that a text takes, as Node's own line editor counts them. */
const columns = (() => {
  const editor = createInterface({ input: new PassThrough(), output: new PassThrough(), prompt: "" });
  editor.close();
  return (text) => {
    editor.line = text;
    editor.cursor = text.length;
    return editor.getCursorPos().cols;
  };
})();

test("what happens next, and when", (t) => {
  const seat = new Seat(t);
  const now = Date.now();
  // Half a minute each way, for a process takes a while to start.
  const ago = (minutes) => iso(now - minutes * MINUTE + 30_000);
  const ahead = (minutes) => iso(now + minutes * MINUTE - 30_000);
  const claim = (by, at) => `claimed_by: "${by}"\nclaimed_at: "${at}"\n`;
  const expected = {
    "a-new.yaml": ["", "waits for a claim"],
    "b-claimed.yaml.dispatched": [claim("session", ago(8)), "reopens in 13 min"],
    "c-stale.yaml.dispatched": [claim("session", ago(60)), "due now"],
    "d-replied.yaml.dispatched": [`${claim("session", ago(90))}replied_at: "${ago(57)}"\n`, "retires in 4 min"],
    "e-deferred.yaml.deferred": [
      `deferred_until: "${ahead(600)}"\ndeferred_reason: "waiting\\non finance"\n`,
      "reopens in 10 h: waiting on finance",
    ],
    "f-deferred.yaml.deferred": [`deferred_until: "${ahead(5000)}"\n`, "reopens in 4 days"],
    "g-due.yaml.deferred": [`deferred_until: "${ago(1)}"\ndeferred_reason: "later"\n`, "due now: later"],
    "h-daemon.yaml.deferred": ["", "the daemon's own"],
    "i-daemon.yaml.dispatched": ["", "the daemon's own, reopens in 30 min"],
    "j-somebody.yaml.dispatched": [claim("Olivia \\u001b[31m", ago(600)), "kept by Olivia \\u{1b}[31m"],
    "k-done.yaml.processed": [claim("session", ago(600)), ""],
  };
  for (const [file, [end]] of Object.entries(expected)) utimesSync(seat.put(file, `id: 1\n${end}`), now / 1000 - 30, now / 1000 - 30);
  const { header, lines, total } = rows(seat);
  const next = header.indexOf("NEXT");
  assert.deepEqual(
    lines.map((line) => line.slice(next)),
    Object.values(expected).map(([, fate]) => fate),
  );
  assert.equal(total, "11 items: 1 new, 5 claimed, 4 deferred, 1 processed; 2 due now");
});

test("the age is the delivery's, by the delivery time in its name, else by the file's", (t) => {
  const seat = new Seat(t);
  const now = Date.now();
  const expected = {};
  for (const [label, millis] of [
    ["5m", 5.5 * MINUTE],
    ["3h", 3.5 * 60 * MINUTE],
    ["4d", 4.5 * 1440 * MINUTE],
    ["0s", -60 * MINUTE],
  ]) {
    const delivered = iso(now - millis).replace(/[:.]/g, "-");
    seat.put(`${delivered}-by-name-${label}.yaml`);
    const path = seat.put(`by-time-${label}.yaml`);
    utimesSync(path, (now - millis) / 1000, (now - millis) / 1000);
    expected[`by-name-${label}`] = expected[`by-time-${label}`] = label;
  }
  const { header, lines } = rows(seat);
  const [id, age, next] = ["ID", "AGE", "NEXT"].map((title) => header.indexOf(title));
  for (const line of lines) assert.equal(line.slice(age, next).trim(), expected[line.slice(id, age).split(" ")[0]], line);
});

test("sender and subject are read from an item's own top-level lines, as YAML has them", (t) => {
  const seat = new Seat(t);
  const said = {
    'sender: "Olivia \\"O\\" Chen"\nsubject: plain # a comment\n': ['Olivia "O" Chen', "plain"],
    "subject: 'it''s'\nsender: ~\n": ["", "it's"],
    "sender:\nsubject: |\n  first line\n  second\n": ["", "  first line"],
    "content: |\n  sender: forged\n  subject: forged\nx: 1\n": [null, null],
    'sender: "unfinished\nsubject: [a, b]\n': ["unfinished", "[a, b]"],
    "\ufeffsender: bom\r\nsubject: crlf\r\n": ["bom", "crlf"],
    "sender: first\nsender: second\n": ["first", null],
    "SENDER: no\n sender: no\nsenders: no\nsender:no\n": [null, null],
    [`x: ${"y".repeat(5000)}\nsender: too far down\n`]: [null, null],
    [`sender: ${"z".repeat(5000)}\n`]: [null, null],
    "": [null, null],
  };
  const bodies = Object.entries(said);
  for (const [index, [body]] of bodies.entries()) seat.put(`m${String(index).padStart(2, "0")}.yaml`, body);
  const { items } = document(["inbox", "list", "--root", seat.root]);
  assert.deepEqual(
    items.map(({ sender, subject }) => [sender, subject]),
    bodies.map(([, expected]) => expected),
  );
});

test("columns stand in line whatever their cells hold", (t) => {
  const seat = new Seat(t);
  const texts = [
    "plain",
    "山田 太郎",
    "한국어 제목",
    "e\u0301clair et a\u0308",
    "🦀🦀",
    "ｆｕｌｌ",
    "ｶﾀｶﾅ",
    "x".repeat(300),
    "長".repeat(300),
    "",
    "tab\\tin",
    "ไทย",
    "\u200d\u200c",
  ];
  for (const [index, text] of texts.entries()) {
    seat.put(`${index === 3 ? "日本" : "m"}${index}.yaml`, `sender: "${text}"\nsubject: "${text}"\n`, index % 2 ? "cohort" : "サービス");
  }
  const { header, lines } = rows(seat);
  assert.equal(lines.length, texts.length);
  const next = header.indexOf("NEXT");
  for (const line of lines) {
    const [before, fate] = [line.slice(0, line.indexOf("waits for a claim")), "waits for a claim"];
    assert.ok(line.endsWith(fate), line);
    assert.equal(columns(before), next, line);
    assert.ok(columns(line) < 160, "no cell fills the screen");
  }
});

test("nothing that an item or a name holds reaches the terminal but letters", (t) => {
  const seat = new Seat(t);
  const evil = [
    "\u001b[31mred\u001b[0m",
    "\u001b]0;title\u0007",
    "\u009b2J",
    "a\u0000b",
    "back\b\b\bspace",
    "cr\rlf",
    "\u202egnp.exe",
    "\u2066x\u2069",
    "\u2028\u2029",
    "\u{e0041}tag",
    "\u007f",
    "\ud800 alone",
  ];
  for (const [index, text] of evil.entries()) {
    const name = text.includes("\0") || text.includes("\ud800") ? `m${index}` : `${text.replaceAll("/", "")}${index}`;
    seat.put(`${name}.yaml`, `sender: ${JSON.stringify(text)}\nsubject: ${text}\n`);
  }
  seat.put("\u001b[2Jlines\nin a name.yaml", `sender: "two\\nlines"\nsubject: x\n`, "\u001b[5m");
  seat.put(
    "raw.yaml",
    Buffer.concat([Buffer.from("sender: "), Buffer.from([0xff, 0xfe, 0x80, 0x1b, 0x5b, 0x32, 0x4a, 0xc3]), Buffer.from("\n")]),
  );
  seat.put("by.yaml.dispatched", 'x: 1\nclaimed_by: "a\\u001b[31m\\u202e"\n');
  seat.put("why.yaml.deferred", 'x: 1\ndeferred_until: "2999-01-01T00:00:00.000Z"\ndeferred_reason: "a\\u001b[31m\\u202e\\u009b"\n');
  const unsafe = /[^\P{Cc}\n]|[\u200b\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]|\p{Cs}/u;
  const { lines, stdout } = rows(seat);
  assert.equal(lines.length, evil.length + 4, "one line an item");
  assert.doesNotMatch(stdout, unsafe);
  assert.ok(
    lines.some((line) => line.includes("\\u{1b}[2Jlines\\nin a name")),
    "a name is spelled out",
  );
  assert.ok(
    lines.some((line) => line.includes("  red  ")),
    "a text is what is left of it",
  );
  const json = seatkit(["inbox", "list", "--json", "--root", seat.root]).stdout;
  assert.doesNotMatch(json, unsafe);
  assert.ok(
    JSON.parse(json).items.some((item) => item.sender === evil[0]),
    "and a document says the very text",
  );
  const claim = seatkit(["inbox", "claim", "lines", "--root", seat.root]);
  assert.doesNotMatch(claim.stdout, unsafe);
  assert.doesNotMatch(seatkit(["inbox", "claim", "lines", "--root", seat.root]).stderr, unsafe);
  assert.doesNotMatch(seatkit(["inbox", "find", "nothing\u001b[2J\u009b", "--root", seat.root]).stderr, unsafe);
  assert.doesNotMatch(seatkit(["inbox", "\u001b[2J"]).stderr, unsafe);
});

test("an item that moves, hangs or is no item at the second look is listed all the same", (t) => {
  const seat = new Seat(t);
  symlinkSync("/etc/passwd", seat.path("link.yaml"));
  execFileSync("mkfifo", [seat.path("pipe.yaml")]);
  seat.put("m1.yaml", Buffer.alloc(100_000, "["));
  const { lines, total } = rows(seat);
  assert.deepEqual([lines.length, total], [1, "1 item: 1 new"]);
});

test("--state and --service narrow the list", (t) => {
  const seat = new Seat(t);
  for (const ending of ["", ".dispatched", ".deferred", ".processed"])
    seat.put(`m1.yaml${ending}`, ITEM + (ending === ".dispatched" ? CLAIM : ""));
  seat.put("m2.yaml", ITEM, "other");
  const states = (...more) =>
    document(["inbox", "list", "--root", seat.root, ...more])
      .items.map((item) => `${item.service} ${item.state}`)
      .sort();
  assert.deepEqual(states("--state", "new"), ["cohort new", "other new"]);
  assert.deepEqual(states("--state", "new,processed", "--state", "claimed", "--service", "cohort"), [
    "cohort claimed",
    "cohort new",
    "cohort processed",
  ]);
  assert.deepEqual(states("--service", "other"), ["other new"]);
  assert.deepEqual(states("--service", "none"), []);
  assert.equal(rows(seat, "--state", "deferred").total, "1 item: 1 deferred");
});

test("colour is for terminals: a pipe gets none", (t) => {
  const seat = new Seat(t);
  seat.put("m1.yaml");
  const escapes = (env) => seatkit(["inbox", "list", "--root", seat.root], { env }).stdout.includes("\u001b");
  assert.equal(escapes({}), false);
  assert.equal(escapes({ FORCE_COLOR: "3", TERM: "xterm-256color" }), false);
});

/** The frames of a watch whose output is a pipe; each ends with an empty line, or is one document. */
async function frames(args, count, then) {
  const child = spawn(process.execPath, [SEATKIT, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const separator = args.includes("--json") ? "\n" : "\n\n";
  let text = "";
  let seen = 0;
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    text += chunk;
    while (text.split(separator).length > seen + 1) {
      seen++;
      if (seen <= count) then(seen, text.split(separator)[seen - 1]);
      if (seen === count) child.kill("SIGINT");
    }
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  assert.equal(seen >= count, true);
  return child.exitCode ?? child.signalCode;
}

test("--watch shows what changed, and ends cleanly at Ctrl-C", async (t) => {
  const seat = new Seat(t);
  seat.put("m1.yaml");
  const shown = [];
  const exit = await frames(["inbox", "list", "--watch", "--interval", "0.1s", "--root", seat.root], 3, (number, frame) => {
    if (number === 1) markSessionClaim(seat.root, "cohort", { id: "m1" });
    shown.push(frame);
  });
  assert.equal(exit, 0);
  assert.match(shown[0], /\nnew .* waits for a claim\n1 item: 1 new$/);
  assert.match(shown[2], /\nclaimed .* reopens in 20 min\n1 item: 1 claimed$/);
});

test("--watch --json is one document a line", async (t) => {
  const seat = new Seat(t);
  seat.put("m1.yaml");
  const documents = [];
  assert.equal(
    await frames(["inbox", "list", "--watch", "--json", "--interval", "0.1s", "--root", seat.root], 2, (_, line) =>
      documents.push(JSON.parse(line)),
    ),
    0,
  );
  assert.deepEqual(
    documents.map((document) => document.counts.new),
    [1, 1],
  );
});

test("a watched root that goes away ends the watch, and says so", async (t) => {
  const seat = new Seat(t);
  writeFileSync(seat.path("m1.yaml"), ITEM);
  const { status, stderr } = await new Promise((resolve) => {
    const child = spawn(process.execPath, [SEATKIT, "inbox", "list", "--watch", "--interval", "0.1s", "--root", seat.root]);
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
    child.stdout.once("data", () => execFileSync("mv", [seat.root, `${seat.root}-gone`]));
    t.after(() => execFileSync("rm", ["-rf", `${seat.root}-gone`]));
    child.on("close", (status) => resolve({ status, stderr }));
  });
  assert.equal(status, 3);
  assert.match(stderr, /^seatkit: there is no folder /);
});
