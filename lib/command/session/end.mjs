// `seatkit session wait` and `seatkit session stop`

import { command } from "../command.mjs";
import { table } from "../table.mjs";
import { spelled } from "../text.mjs";
import { RECORD_NOTE, heldBy, millisOf, sessionOf } from "./held.mjs";

/** As timeout(1) and shells have them: not ended in time, unknown, ended by SIGTERM. */
const TIMED_OUT = 124;
const UNKNOWN = 125;
const TERMINATED = 128 + 15;

function exitOf(outcome) {
  if (outcome === null) return TIMED_OUT;
  const codes = { exited: outcome.code, signalled: 128 + outcome.signal, stopped: TERMINATED, unknown: UNKNOWN };
  return codes[outcome.kind];
}

function told(outcome) {
  if (outcome === null) return "it has not ended";
  const words = {
    exited: `exited with ${outcome.code}`,
    signalled: `ended by signal ${outcome.signal}`,
    stopped: "stopped, as it was asked to",
    unknown: "ended, and nobody recorded how",
  };
  return words[outcome.kind];
}

export const wait = command({
  name: "wait",
  summary: "Wait until a session has ended, and exit with its own code.",
  args: ["RECORD"],
  options: { timeout: { type: "string", value: "SPAN", help: "the longest wait" } },
  notes: [
    RECORD_NOTE,
    "Exit code: the agent's own; 128 and the number of the signal that ended it; 143 where it was stopped;",
    "124 where it has not ended in time; 125 where it ended and nobody recorded how.",
  ],
  examples: ["seatkit session wait ~/seat/session.json; echo $?"],
  async run({ args: { RECORD: given }, values, output }) {
    const timeoutMs = millisOf("timeout", values.timeout) ?? null;
    const session = await sessionOf(given);
    const outcome = await output.during(`waiting for ${spelled(session.record.name)}`, session.ended({ timeoutMs }));
    output.answer({ ok: outcome !== null, run: session.record.run, outcome }, [told(outcome)]);
    return exitOf(outcome);
  },
});

const rows = (ended, left) => [
  ...ended.map(({ pid, command, by }) => ({ pid, command, what: by === "itself" ? "ended" : `ended by ${by}` })),
  ...left.map(({ pid, command }) => ({ pid, command, what: "left" })),
];

export const stop = command({
  name: "stop",
  summary: "End a session and all that is its own; name what it left for others.",
  args: ["RECORD"],
  options: {
    grace: { type: "string", value: "SPAN", help: "how long it may take to end by itself; 10s where not given" },
    everything: { type: "boolean", help: "end what it left for others too, but nothing of another run" },
    signal: { type: "string", value: "SIGNAL", help: "what asks it to end; what is on record where not given" },
  },
  notes: [RECORD_NOTE],
  examples: ["seatkit session stop ~/seat/session.json --grace 30s"],
  async run({ args: { RECORD: given }, values, output }) {
    const graceMs = millisOf("grace", values.grace);
    const { session, run } = await heldBy(given);
    const { stopRun } = await import("seatkit/session");
    const stopping = session
      ? session.stop({ graceMs, everything: values.everything, stopSignal: values.signal })
      : stopRun(run, { graceMs });
    const { outcome = null, ended, left } = await output.during("stopping", stopping);
    const columns = [
      { title: "PID", cell: ({ pid }) => String(pid) },
      { title: "", cell: ({ what }) => what },
      { title: "COMMAND", cell: ({ command }) => spelled(command), least: 10 },
    ];
    const lines = rows(ended, left);
    output.answer({ ok: true, run, outcome, ended, left }, [
      ...(lines.length > 0 ? table(columns, lines, output) : []),
      outcome ? told(outcome) : `${ended.length} ended`,
    ]);
  },
});
