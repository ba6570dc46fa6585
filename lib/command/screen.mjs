// `seatkit screen`.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { command } from "./command.mjs";
import { Failure } from "./failure.mjs";
import { table } from "./table.mjs";
import { spelled } from "./text.mjs";

const list = command({
  name: "list",
  summary: "Show every session of screen, and whether it lives.",
  examples: ["seatkit screen list"],
  async run({ output }) {
    const { classifyScreenRun, muxCandidates, parseScreenSessions } = await import("seatkit/mux");
    const bin = muxCandidates().screen.find((path) => existsSync(path));
    if (!bin) throw new Failure("not-found", "screen is not installed");
    // Its exit code says nothing: with sessions it is 1 on one system and 0 on another.
    const run = spawnSync(bin, ["-ls"], { encoding: "utf8", timeout: 10_000 });
    if (run.error) throw new Failure("io", `could not run ${bin} -ls: ${run.error.message}`, run.error.code);
    if (classifyScreenRun(run) === "unknown") {
      throw new Failure("screen-unavailable", `screen could not look: ${`${run.stdout}${run.stderr}`.trim() || `status ${run.status}`}`);
    }
    const sessions = parseScreenSessions(run.stdout);
    const columns = [
      { title: "PID", cell: ({ pid }) => String(pid) },
      { title: "NAME", cell: ({ name }) => spelled(name) },
      { title: "STATE", cell: ({ state }) => spelled(state) },
      { title: "LIVE", cell: ({ live }) => (live ? "yes" : "no"), paint: (text, { live }) => output.colour(live ? "green" : "red", text) },
    ];
    const live = sessions.filter((session) => session.live).length;
    const total = `${sessions.length === 0 ? "no" : sessions.length} session${sessions.length === 1 ? "" : "s"}${sessions.length > 0 ? `: ${live} live` : ""}`;
    output.answer({ ok: true, sessions }, [...(sessions.length > 0 ? table(columns, sessions, output) : []), total]);
  },
});

export const screen = {
  name: "screen",
  summary: "See the sessions of screen.",
  commands: [list],
  examples: ["seatkit screen list"],
};
