// The marker block as text: rendering, reading, and where a block ends and an item begins.

import { test } from "node:test";
import assert from "node:assert/strict";
import { parseSessionMarkers, sessionMarkerLines, stripSessionMarkers } from "seatkit/inbox-claims";
import { CLAIM, ITEM, NO_MARKERS, T0 } from "./inbox-seat.mjs";

const ISO = "2026-09-08T10:00:00.000Z";

test("a block is rendered line by line, in one order, and only what is given", () => {
  assert.equal(
    sessionMarkerLines({ repliedAt: T0 + 3, deferredReason: "later", deferredUntil: T0 + 2, claimedBy: "session", now: T0 }),
    `claimed_by: "session"\nclaimed_at: "${ISO}"\n` +
      'deferred_until: "2026-09-08T10:00:00.002Z"\ndeferred_reason: "later"\nreplied_at: "2026-09-08T10:00:00.003Z"\n',
  );
  for (const nothing of [
    undefined,
    {},
    { claimedBy: null },
    { claimedBy: "", now: T0 },
    { deferredUntil: null, deferredReason: null, repliedAt: null, now: T0 },
  ]) {
    assert.equal(sessionMarkerLines(nothing), "");
  }
  assert.equal(sessionMarkerLines({ deferredReason: "" }), 'deferred_reason: ""\n', "an empty reason is one");
  assert.throws(() => sessionMarkerLines(null), TypeError);
});

test("times are milliseconds or a Date, and come out as toISOString writes them", () => {
  for (const time of [0, -1, T0, T0 + 0.9, 8.64e15, -8.64e15, 253_402_300_800_000, -62_167_219_200_001]) {
    const expected = `replied_at: "${new Date(time).toISOString()}"\n`;
    assert.equal(sessionMarkerLines({ repliedAt: time }), expected);
    assert.equal(sessionMarkerLines({ repliedAt: new Date(time) }), expected);
  }
  for (const time of [NaN, Infinity, 8.64e15 + 1, new Date(NaN), "soon"]) {
    assert.throws(() => sessionMarkerLines({ repliedAt: time }), RangeError, String(time));
  }
  const before = Date.now();
  const claimed = Date.parse(parseSessionMarkers(sessionMarkerLines({ claimedBy: "me" })).claimedAt);
  assert.ok(claimed >= before && claimed <= Date.now(), "the clock where no time is given");
});

test("no text can add a line, and every text comes back", () => {
  const texts = [
    "",
    "two\nlines",
    'a "quoted" \\ text',
    "\u2028\u2029\u0085\u007f\u0000\t\r",
    "# no comment",
    "claimed_by: x",
    "é日本 🦀",
    "\ufeff",
    "null",
    "~",
  ];
  for (const reason of texts) {
    const line = sessionMarkerLines({ deferredReason: reason });
    assert.equal(line.split(/[\n\r\u0085\u2028\u2029]/).length, 2, JSON.stringify(reason));
    assert.equal(parseSessionMarkers(line).deferredReason, reason);
    assert.equal(stripSessionMarkers(ITEM + line), ITEM);
  }
});

test("there are always the five keys, in order, and a token's only where there is one", () => {
  assert.deepEqual(Object.keys(parseSessionMarkers("")), Object.keys(NO_MARKERS));
  assert.deepEqual(parseSessionMarkers(ITEM), NO_MARKERS);
  const block = `${CLAIM}claim_token: "t"\n`;
  assert.deepEqual(parseSessionMarkers(ITEM + block), { ...NO_MARKERS, claimedBy: "session", claimedAt: ISO, claimToken: "t" });
  assert.equal(Object.getPrototypeOf(parseSessionMarkers(block)), Object.prototype);
});

test("only the run of marker lines that ends the text is the block", () => {
  const nothing = [
    CLAIM + ITEM,
    `${ITEM}  ${CLAIM.split("\n")[0]}\n`,
    `${ITEM}${CLAIM}\n`,
    `${ITEM}${CLAIM}# edited\n`,
    `${ITEM}claimed_by:"session"\n`,
    `${ITEM}Claimed_by: "session"\n`,
    `${ITEM}"claimed_by": "session"\n`,
    ITEM.replace("can you", 'claimed_by: "session"\n  can you'),
    ITEM.replace("content: |\n  can", "claimed_by: me\ncontent: |\n  can"),
  ];
  for (const body of nothing) {
    assert.deepEqual(parseSessionMarkers(body), NO_MARKERS, JSON.stringify(body));
    assert.equal(stripSessionMarkers(body), body);
  }
  const forgedAbove = `claimed_by: "somebody"\nreplied_at: "${ISO}"\n${ITEM}${CLAIM}`;
  assert.deepEqual(parseSessionMarkers(forgedAbove), { ...NO_MARKERS, claimedBy: "session", claimedAt: ISO });
  assert.equal(stripSessionMarkers(forgedAbove), `claimed_by: "somebody"\nreplied_at: "${ISO}"\n${ITEM}`);
});

test("of a repeated key the last counts; a carriage return is no part of a value", () => {
  assert.equal(parseSessionMarkers('claimed_by: "a"\nclaimed_by: "b"\n').claimedBy, "b");
  const crlf = ITEM + CLAIM.replaceAll("\n", "\r\n");
  assert.equal(parseSessionMarkers(crlf).claimedAt, ISO);
  assert.equal(stripSessionMarkers(crlf), ITEM);
});

test("a block that another tool quoted otherwise is read all the same", () => {
  for (const [value, expected] of [
    ["session", "session"],
    ["'it''s'", "it's"],
    ['"a\\u2028b"', "a\u2028b"],
    ["2026-09-08", "2026-09-08"],
    ["null", null],
    ["", null],
  ]) {
    assert.equal(parseSessionMarkers(`${ITEM}deferred_reason: ${value}\n`).deferredReason, expected, value);
  }
});

test("a line with any other value is the end of somebody's text, however long", () => {
  for (const value of [
    "session   # by hand",
    "~",
    '"unfinished',
    "[a, b]",
    "{",
    'me"',
    "'a': [[[",
    "a b",
    "*a",
    `'a': ${"[".repeat(300_000)}`,
  ]) {
    const body = `${ITEM}deferred_reason: ${value}\n`;
    assert.deepEqual(parseSessionMarkers(body), NO_MARKERS, value.slice(0, 40));
    assert.equal(stripSessionMarkers(body), body);
  }
});

test("a torn block reads as what is complete of it, and no text of an item is eaten", () => {
  for (let cut = CLAIM.indexOf("\n") + 1; cut < CLAIM.length; cut++) {
    const body = ITEM + CLAIM.slice(0, cut);
    assert.deepEqual(parseSessionMarkers(body), { ...NO_MARKERS, claimedBy: "session" }, body);
    assert.equal(stripSessionMarkers(body), ITEM);
  }
  for (let cut = "claimed_by:".length; cut <= CLAIM.indexOf("\n"); cut++) {
    const body = ITEM + CLAIM.slice(0, cut);
    assert.deepEqual(parseSessionMarkers(body), NO_MARKERS, body);
    assert.equal(stripSessionMarkers(body), ITEM);
  }
  for (const text of ["c", "claimed", "claimed_by", "claimed_bystander: x", "no line break"]) {
    assert.equal(stripSessionMarkers(ITEM + text), ITEM + text, text);
  }
});

test("what is no string is refused, and changes nothing", () => {
  for (const body of [undefined, null, 1, {}, Buffer.from(CLAIM)]) {
    for (const call of [parseSessionMarkers, stripSessionMarkers]) {
      assert.throws(() => call(body), { name: "TypeError", code: "invalid-argument", message: "body must be a string" });
    }
  }
});

test("a text of a mebibyte of marker lines costs no stack and no eternity", () => {
  const lines = 'replied_at: "x"\n'.repeat(100_000);
  assert.deepEqual(parseSessionMarkers(ITEM + lines), NO_MARKERS, "longer than any block");
  assert.equal(parseSessionMarkers(ITEM + "[".repeat(200_000) + "\n" + CLAIM).claimedBy, "session");
});
