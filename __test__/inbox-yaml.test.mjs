// What is delivered is read back equal by the parsers that people use, new and claimed: js-yaml, yaml and PyYAML.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import test from "node:test";
import * as jsYaml from "js-yaml";
import { parse } from "yaml";
import { claimNextItem, deliverInboxItem, listInbox } from "seatkit/inbox-claims";
import { Seat, T0 } from "./inbox-seat.mjs";

/** Words that some parser takes for something else. */
const WORDS =
  "y Y yes No NO on Off true True FALSE null Null NULL ~ nan NaN .nan .inf -.INF Infinity 0 -0 007 0o7 0x1f 0b1 1_000 1e3 1. .5 +1 " +
  "190:20:30 12:30 2026-09-08 2026-09-08T10:00:00Z = << - ? : a: # | |- > % @ ` ! !!str &a *a ' \" '' \"a\" { } {} [ ] [] , --- ... \\ \\n " +
  "claimed_by __proto__ constructor toString é 💌";

/** The same of texts with white space, controls and breaks in them, or of many characters. */
const TEXTS = [
  [
    "- a",
    "? a",
    "a: b",
    ": a",
    " #a",
    "a #b",
    "%YAML 1.2",
    "--- a",
    "",
    " ",
    " a",
    "a ",
    "\t",
    "\ta",
    "a\t",
    "\n",
    "a\n",
    "\na",
    "a\nb",
    "a\nb\n",
  ],
  [
    "a\n\nb\n\n",
    "a\r\nb",
    "\r",
    "a\n  b\n c",
    "  a\nb",
    "a\n \nb",
    "\0",
    "\u0007",
    "\u001b",
    "\u007f",
    "\u0085",
    "\u00a0",
    "\u2028",
    "\u2029",
  ],
  ["\ufeff", "\ufffe", "\uffff", 'claimed_by: "session"', 'replied_at: "x"\n', "x".repeat(121), "x ".repeat(600), "é".repeat(100)],
  ["a: b\n".repeat(50)],
];
const ODD = [...WORDS.split(" "), ...TEXTS.flat()];

/** Numbers below `most`, the same ones each time. */
function* numbers(most) {
  for (let state = 12345; ;) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    yield Math.floor((state / 0x80000000) * most);
  }
}

function generate() {
  const random = numbers(1 << 16);
  const below = (most) => random.next().value % most;
  const text = () => (below(3) > 0 ? ODD[below(ODD.length)] : ODD[below(ODD.length)] + ODD[below(ODD.length)]);
  const scalars = [() => null, () => true, () => false, () => below(100) - 50, () => 2 ** 53 - 1, () => 1e21, () => -1.5e-7, () => 0.1];
  const value = (depth) => {
    const kind = below(depth > 2 ? 6 : 9);
    if (kind < 5) return text();
    if (kind === 5) return scalars[below(scalars.length)]();
    if (kind === 6) return Array.from({ length: below(4) }, () => value(depth + 1));
    return Object.fromEntries(Array.from({ length: below(4) }, () => [text(), value(depth + 1)]));
  };
  // Each odd text is a key and a value once, and the rest are put together by chance.
  const plain = ODD.filter((key) => key !== "claimed_by").map((key) =>
    Object.fromEntries([
      [key, key],
      ["inside", Object.fromEntries([[key, [key]]])],
    ]),
  );
  const free = (key) => key === "claimed_by" || key === "id";
  const mixed = Array.from({ length: 150 }, () =>
    Object.fromEntries(Array.from({ length: 1 + below(5) }, () => [text(), value(0)]).filter(([key]) => !free(key))),
  );
  return [...plain, ...mixed];
}

const PYTHON = `
import json, sys, yaml
for path in json.load(sys.stdin):
    print(json.dumps(yaml.safe_load(open(path, encoding="utf-8", newline=""))))
`;
const hasPyYaml = spawnSync("python3", ["-c", "import yaml"]).status === 0;

function byPython(paths) {
  const { stdout, stderr } = spawnSync("python3", ["-c", PYTHON], { input: JSON.stringify(paths), encoding: "utf8", maxBuffer: 1 << 28 });
  assert.equal(stderr, "");
  return stdout.trimEnd().split("\n").map(JSON.parse);
}

const PARSERS = {
  "js-yaml": (paths) => paths.map((path) => jsYaml.load(readFileSync(path, "utf8"))),
  yaml: (paths) => paths.map((path) => parse(readFileSync(path, "utf8"))),
  "yaml as 1.1": (paths) => paths.map((path) => parse(readFileSync(path, "utf8"), { version: "1.1" })),
  ...(hasPyYaml ? { PyYAML: byPython } : {}),
};

for (const [name, read] of Object.entries(PARSERS)) {
  test(`whatever is delivered is read back equal by ${name}, new and claimed`, (t) => {
    const seat = new Seat(t);
    const items = generate();
    const now = T0;
    const paths = items.map((item, index) => {
      const { ok, path, message } = deliverInboxItem(seat.root, "cohort", item, { id: `m${index}`, now: now + index, durable: false });
      assert.ok(ok, `${JSON.stringify(item)}: ${message}`);
      return path;
    });
    const own = ({ id: _, service: __, timestamp: ___, ...said }) => said;
    read(paths).forEach((item, index) => assert.deepEqual(own({ ...item }), items[index], readFileSync(paths[index], "utf8")));
    for (const [index, item] of items.entries()) {
      const claim = claimNextItem(seat.root, { now });
      assert.deepEqual([claim.ok, claim.id, own({ ...claim.item })], [true, `m${index}`, item]);
    }
    const claimed = listInbox(seat.root).items.map(({ path }) => path);
    assert.equal(claimed.length, items.length);
    read(claimed).forEach((item, index) => {
      const { claimed_by: by, claimed_at: at, claim_token: token, ...said } = own({ ...item });
      assert.deepEqual([by, typeof at, typeof token, said], ["session", "string", "string", items[index]]);
    });
  });
}

test("PyYAML is here to be asked", { skip: !hasPyYaml && "python3 or its yaml is not here" }, () => {});
