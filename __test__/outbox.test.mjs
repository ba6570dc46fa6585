// The recipe of examples/outbox.mjs, its workers killed at any moment: every question gets one answer.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { listInbox, sweepSessionInbox } from "seatkit/inbox-claims";
import { Seat } from "./inbox-seat.mjs";

const ITEMS = 40;

test("of workers that are killed all the time, one answer comes of each question", async (t) => {
  const seat = new Seat(t);
  for (let index = 0; index < ITEMS; index++)
    seat.put(`m${index}.yaml`, `id: m${index}\nsender: Sam\ncontent: question ${index}\n`, "mail");
  const sent = join(seat.root, "sent");
  appendFileSync(sent, "");
  const program = `
    import { appendFileSync } from "node:fs";
    import { outbox } from ${JSON.stringify(new URL("../examples/outbox.mjs", import.meta.url).href)};
    const answer = async ({ content }) => "re: " + content + " by " + process.pid;
    const send = async (id, { content }) => appendFileSync(process.argv[2], id + " " + content + "\\n");
    process.send("up");
    await outbox(process.argv[1], { answer, send, staleMs: 0 });`;
  let kills = 0;
  const worker = (life) =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, ["--input-type=module", "-e", program, seat.root, sent], {
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      });
      child.once("message", () => life !== undefined && setTimeout(() => child.kill("SIGKILL"), life));
      child.once("exit", (code, signal) => {
        kills += signal === "SIGKILL" ? 1 : 0;
        resolve();
      });
    });
  const open = () => listInbox(seat.root).items.filter(({ state }) => state !== "processed");
  const unanswered = () => open().filter(({ markers }) => markers.repliedAt === null);
  for (let round = 0; unanswered().length > 0 || round === 0; round++) {
    assert.ok(round < 200, `still open: ${JSON.stringify(unanswered())}`);
    // Each lives longer than the one before, so that in the end something gets done.
    await worker(round < 30 ? 2 + round : undefined);
  }
  // Those that were killed between the mark and the end.
  sweepSessionInbox(seat.root, { sessionLive: true, retireMs: 0 });
  assert.deepEqual(open(), []);
  const ids = Array.from({ length: ITEMS }, (_, index) => `m${index}`).sort();
  const listed = listInbox(seat.root).items;
  for (const service of ["mail", "outbox"]) {
    assert.deepEqual(
      listed
        .filter((item) => item.service === service)
        .map(({ id }) => id)
        .sort(),
      ids,
      service,
    );
  }
  const lines = readFileSync(sent, "utf8").split("\n").filter(Boolean);
  const answers = new Map(lines.map((line) => [line.slice(0, line.indexOf(" ")), line]));
  assert.deepEqual([...answers.keys()].sort(), ids, "each was sent");
  assert.equal(new Set(lines).size, ITEMS, "and never two answers of one id: a repeated send is the same");
  assert.ok(kills > 0);
});
