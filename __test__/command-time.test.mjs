// A time of day that a person writes is the next one on the wall, also where the clocks are set.

import assert from "node:assert/strict";
import test from "node:test";
import { momentOf } from "../lib/command/time.mjs";

function inZone(t, zone) {
  const before = process.env.TZ;
  process.env.TZ = zone;
  t.after(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });
  return (text, now) => new Date(momentOf(text, Date.parse(now))).toISOString();
}

test("where an hour comes twice, the one that is still to come is meant", (t) => {
  const moment = inZone(t, "Europe/Berlin");
  assert.equal(moment("02:30", "2026-10-24T12:00Z"), "2026-10-25T00:30:00.000Z");
  assert.equal(moment("02:30", "2026-10-25T00:10Z"), "2026-10-25T00:30:00.000Z");
  assert.equal(moment("02:30", "2026-10-25T00:30Z"), "2026-10-25T01:30:00.000Z");
  assert.equal(moment("02:30", "2026-10-25T01:29Z"), "2026-10-25T01:30:00.000Z");
  assert.equal(moment("02:30", "2026-10-25T01:40Z"), "2026-10-26T01:30:00.000Z");
  assert.equal(moment("2026-10-25T02:30", "2026-10-24T12:00Z"), "2026-10-25T00:30:00.000Z");
  assert.equal(moment("2026-10-25 02:30", "2026-10-25T00:40Z"), "2026-10-25T01:30:00.000Z");
  assert.equal(moment("2026-10-25T02:30+02:00", "2026-10-25T00:40Z"), "2026-10-25T00:30:00.000Z");
});

test("where half an hour comes twice, likewise", (t) => {
  const moment = inZone(t, "Australia/Lord_Howe");
  assert.equal(moment("01:45", "2026-04-04T14:40Z"), "2026-04-04T14:45:00.000Z");
  assert.equal(moment("01:45", "2026-04-04T14:50Z"), "2026-04-04T15:15:00.000Z");
});

test("where two hours come twice, likewise", (t) => {
  const moment = inZone(t, "Antarctica/Troll");
  assert.equal(moment("01:30", "2026-10-24T23:00Z"), "2026-10-24T23:30:00.000Z");
  assert.equal(moment("01:30", "2026-10-25T00:10Z"), "2026-10-25T01:30:00.000Z");
});

test("where a day begins later or has its last hour twice, likewise", (t) => {
  const moment = inZone(t, "Africa/Cairo");
  assert.equal(moment("00:30", "2026-04-23T12:00Z"), "2026-04-23T22:30:00.000Z");
  assert.equal(moment("00:30", "2026-04-23T22:10Z"), "2026-04-24T21:30:00.000Z");
  assert.equal(moment("2026-04-24", "2026-03-01T00:00Z"), "2026-04-23T22:00:00.000Z");
  assert.equal(moment("23:30", "2026-10-29T12:00Z"), "2026-10-29T20:30:00.000Z");
  assert.equal(moment("23:30", "2026-10-29T20:40Z"), "2026-10-29T21:30:00.000Z");
  assert.equal(moment("23:30", "2026-10-29T21:40Z"), "2026-10-30T21:30:00.000Z");
});

test("a day that a zone leaves out is the one after it", (t) => {
  const moment = inZone(t, "Pacific/Apia");
  assert.equal(moment("12:00", "2011-12-30T09:00Z"), "2011-12-30T22:00:00.000Z");
});

test("where an hour is left out, its times come as much later, on that day once", (t) => {
  const moment = inZone(t, "Europe/Berlin");
  assert.equal(moment("02:30", "2026-03-29T00:30Z"), "2026-03-29T01:30:00.000Z");
  assert.equal(moment("02:30", "2026-03-29T01:10Z"), "2026-03-30T00:30:00.000Z");
});

test("the next day may have 23 or 25 hours", (t) => {
  const moment = inZone(t, "Europe/Berlin");
  assert.equal(moment("17:30", "2026-03-28T17:00Z"), "2026-03-29T15:30:00.000Z");
  assert.equal(moment("17:30", "2026-10-24T16:00Z"), "2026-10-25T16:30:00.000Z");
});
