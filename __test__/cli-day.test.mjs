// A day's work by the command alone.

import assert from "node:assert/strict";
import test from "node:test";
import { document, seatkit } from "./cli-seat.mjs";
import { STAMP, Seat } from "./inbox-seat.mjs";

test("an item is delivered by its fields, from stdin, once", (t) => {
  const seat = new Seat(t);
  const run = (args, input) => document(["inbox", "deliver", "--service", "cohort", "--root", seat.root, ...args], { input });
  assert.deepEqual(pick(run(["--id", "m1", "--field", "sender=Sam", "--field", "content=lunch: Thursday?"])), [0, "m1", true]);
  assert.deepEqual(pick(run(["--id", "m1", "--field", "sender=Sam"])), [0, "m1", false]);
  assert.deepEqual(pick(run(["--id", "m2"], "subject: by hand\n")), [0, "m2", true]);
  assert.match(seat.read(seat.ls().find((file) => file.includes("m1"))), /^content: "?lunch: Thursday\?"?$/m);
  assert.equal(run(["--id", "../m3", "--field", "a=b"]).status, 2);
  assert.equal(seat.ls().length, 2);

  function pick({ status, id, created }) {
    return [status, id, created];
  }
});

test("the next item is worked on by a command, whose exit code decides", (t) => {
  const seat = new Seat(t);
  for (const id of ["1", "2", "3"]) seat.put(`2026-09-08T09-59-0${id}-000Z-m${id}.yaml`, `id: m${id}\n`);
  const next = (exec) => seatkit(["inbox", "next", "--root", seat.root, "--exec", exec]);
  assert.equal(next('test "$(cat)" = "id: $SEATKIT_ID"').status, 0);
  assert.deepEqual(seat.ls()[0], "2026-09-08T09-59-01-000Z-m1.yaml.processed");
  next("exit 75");
  assert.ok(seat.ls().includes("2026-09-08T09-59-02-000Z-m2.yaml"), "given back");
  next("exit 1");
  assert.ok(seat.ls().includes("2026-09-08T09-59-02-000Z-m2.yaml.dead"), "given up");
  assert.equal(next("true").status, 0);
  assert.equal(next("true").status, 3, "nothing is left");
});

test("what failed is tried again, given up, brought back and put away", (t) => {
  const seat = new Seat(t);
  seat.put(`${STAMP}m1.yaml`);
  const run = (...args) => seatkit(["inbox", ...args, "--root", seat.root]).status;
  assert.equal(run("claim", "m1"), 0);
  assert.equal(run("fail", "m1", "--reason", "red", "--retry", "1h"), 0);
  assert.deepEqual(seat.ls(), [`${STAMP}m1.yaml.deferred`]);
  assert.equal(run("reopen", "m1", "--from", "deferred"), 0);
  assert.equal(run("claim", "m1"), 0);
  assert.equal(run("fail", "m1"), 0);
  assert.deepEqual(seat.ls(), [`${STAMP}m1.yaml.dead`]);
  assert.equal(run("reopen", "m1", "--from", "dead"), 0);
  assert.equal(run("claim", "m1"), 0);
  assert.equal(run("done", "m1"), 0);
  assert.equal(run("archive", "--older-than", "0s"), 0);
  assert.deepEqual(seat.ls(), []);
  assert.match(seatkit(["inbox", "list", "--archived", "--root", seat.root]).stdout, /m1/);
});
