// `seatkit session list`

import { command } from "../command.mjs";
import { table } from "../table.mjs";
import { spelled } from "../text.mjs";
import { age } from "../time.mjs";

const STATE_COLOUR = { running: "green", suspended: "yellow", ended: "red", left: "dim" };

const shown = (place) => (place === null ? "-" : [place.sessionName, place.paneId].join(" "));

/** A run as its row has it: by its record where that is its own, else by its processes alone. */
async function rowOf({ run, name, recordFile, processes }, now) {
  const { adoptSession } = await import("seatkit/session");
  const adopted = recordFile === null ? { ok: false } : await adoptSession(recordFile);
  const session = adopted.ok && adopted.session.record.run === run ? adopted.session : null;
  const row = { run, name, recordFile, processes };
  if (!session) return { ...row, pid: processes[0].pid, age: null, where: null, state: "left" };
  const { record } = session;
  let where = null;
  try {
    where = await session.where();
  } catch (error) {
    row.failed = { error: error.code, message: error.message };
  }
  // What lives on after the agent's end is what it left.
  const state = session.state() === "ended" ? "left" : session.state();
  const pid = state === "left" ? processes[0].pid : record.process.pid;
  return { ...row, pid, age: now - record.started, where, state };
}

export const list = command({
  name: "list",
  summary: "Show every run of this user that still has processes, with or without a record.",
  notes: [
    'A run is "left" where its agent has ended, or its record is gone, and something of it lives on: `seatkit session stop RUN` ends it.',
  ],
  examples: ["seatkit session list", "seatkit session list --json"],
  async run({ output, now }) {
    const { listRuns } = await import("seatkit/session");
    const rows = await output.during(
      "looking",
      listRuns().then((runs) => Promise.all(runs.map((run) => rowOf(run, now)))),
    );
    const columns = [
      { title: "NAME", cell: ({ name }) => spelled(name ?? "-"), least: 8 },
      { title: "RUN", cell: ({ run }) => run, least: 8 },
      { title: "PID", cell: ({ pid }) => String(pid) },
      { title: "AGE", cell: ({ age: millis }) => (millis === null ? "-" : age(millis)) },
      { title: "WHERE", cell: ({ where }) => spelled(shown(where)), least: 5 },
      { title: "STATE", cell: ({ state }) => state, paint: (text, { state }) => output.colour(STATE_COLOUR[state], text) },
    ];
    const total = `${rows.length === 0 ? "no" : rows.length} run${rows.length === 1 ? "" : "s"}`;
    output.answer({ ok: rows.every(({ failed }) => !failed), runs: rows }, [
      ...(rows.length > 0 ? table(columns, rows, output) : []),
      total,
    ]);
    for (const { run, failed } of rows) if (failed) output.note(`${run}: ${failed.message}`);
    return rows.some(({ failed }) => failed) ? 1 : undefined;
  },
});
