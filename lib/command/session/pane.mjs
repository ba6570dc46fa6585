// `seatkit session where`, `send` and `read`: what shows a session.

import { command } from "../command.mjs";
import { Failure, usage } from "../failure.mjs";
import { spelled } from "../text.mjs";
import { RECORD_NOTE, sessionOf } from "./held.mjs";

export const where = command({
  name: "where",
  summary: "Print where a session is shown now, wherever it was moved.",
  args: ["RECORD"],
  notes: [RECORD_NOTE, "Exit code 3: no pane shows it."],
  examples: ["seatkit session where ~/seat/session.json"],
  async run({ args: { RECORD: given }, output }) {
    const session = await sessionOf(given);
    const place = await session.where();
    if (place === null) throw new Failure("no-pane", `run ${session.record.run} is shown in no pane (it is ${session.state()})`);
    output.answer({ ok: true, place }, [
      `session ${place.sessionId}, ${spelled(place.sessionName)}`,
      ...(place.windowId === null ? [] : [`window  ${place.windowId}`]),
      `pane    ${place.paneId}`,
    ]);
  },
});

async function stdin() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

export const send = command({
  name: "send",
  summary: "Type a text into a session's pane as it is, and then Enter.",
  args: ["RECORD", "TEXT"],
  options: { "no-enter": { type: "boolean", help: "without Enter" } },
  notes: [RECORD_NOTE, "A TEXT of - is read from stdin."],
  examples: ["seatkit session send ~/seat/session.json 'how far are you?'"],
  async run({ args: { RECORD: given, TEXT: text }, values, output }) {
    const session = await sessionOf(given);
    await session.send(text === "-" ? await stdin() : text, { enter: !values["no-enter"] });
    output.answer({ ok: true, run: session.record.run }, []);
  },
});

export const read = command({
  name: "read",
  summary: "Print what a session's pane shows.",
  args: ["RECORD"],
  options: { lines: { type: "string", value: "N", help: "its last N lines, with what has scrolled away" } },
  notes: [RECORD_NOTE],
  examples: ["seatkit session read ~/seat/session.json --lines 20"],
  async run({ args: { RECORD: given }, values: { lines }, output }) {
    if (lines !== undefined && !/^\d{1,9}$/.test(lines)) throw usage(`--lines takes a number, not ${JSON.stringify(lines)}`);
    const session = await sessionOf(given);
    const text = await session.read({ lines: lines === undefined ? null : Number(lines) });
    output.answer({ ok: true, run: session.record.run, text }, text === "" ? [] : text.split("\n"));
  },
});
