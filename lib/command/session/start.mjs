// `seatkit session start`

import { basename, resolve } from "node:path";
import { command } from "../command.mjs";
import { Failure, usage } from "../failure.mjs";
import { spelled } from "../text.mjs";

const SIZE = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/;

function sizeOf(text) {
  const [, columns, rows] = SIZE.exec(text) ?? [];
  if (columns === undefined) throw usage(`--size takes COLUMNSxROWS such as 200x50, not ${JSON.stringify(text)}`);
  return { columns: Number(columns), rows: Number(rows) };
}

/** Variables as they were given: `NAME=VALUE`, or `NAME` as this process has it, so that no list of processes shows it. */
function envOf(given, unset, own) {
  const env = {};
  for (const text of given) {
    const at = text.indexOf("=");
    const name = at < 0 ? text : text.slice(0, at);
    if (at < 0 && own[name] === undefined) throw usage(`--env ${JSON.stringify(name)}: there is no such variable here`);
    env[name] = at < 0 ? own[name] : text.slice(at + 1);
  }
  for (const name of unset) env[name] = null;
  return env;
}

/** The multiplexer of a path or a word; `undefined` where the first that is there will do. */
async function muxOf(given) {
  if (given === undefined) return undefined;
  if (given.includes("/")) {
    const kind = ["tmux", "screen"].find((kind) => basename(given).startsWith(kind));
    if (!kind) throw usage(`--mux takes tmux, screen or the path of one, not ${JSON.stringify(given)}`);
    return { kind, bin: given };
  }
  if (given !== "tmux" && given !== "screen") throw usage(`--mux takes tmux, screen or the path of one, not ${JSON.stringify(given)}`);
  const { existsSync } = await import("node:fs");
  const { muxCandidates } = await import("seatkit/mux");
  const bin = muxCandidates()[given].find((path) => existsSync(path));
  if (!bin) throw new Failure("mux-missing", `${given} was not found`);
  return { kind: given, bin };
}

export const start = command({
  name: "start",
  summary: "Start a session, and prove that its program lives.",
  args: ["NAME", "PROGRAM"],
  rest: "ARGUMENT",
  options: {
    record: { type: "string", value: "FILE", help: "where the run is put on record; needed" },
    "exit-file": { type: "string", value: "FILE", help: "where its exit code is recorded; RECORD.exit where not given" },
    cwd: { type: "string", value: "DIR", help: "its working folder; this one where not given" },
    prompt: { type: "string", value: "TEXT", help: "a last argument, after --" },
    env: { type: "string", value: "NAME[=VALUE]", multiple: true, help: "set a variable; without a value, as it is here" },
    unset: { type: "string", value: "NAME", multiple: true, help: "take a variable out" },
    mux: { type: "string", value: "MUX", help: "tmux, screen or the path of one; the first that is there where not given" },
    socket: { type: "string", value: "SOCKET", help: "tmux: a server's name or path; screen: its folder of sockets" },
    config: { type: "string", value: "FILE", help: "the configuration of a server that this starts" },
    size: { type: "string", value: "COLUMNSxROWS", help: "how large it is while nobody looks; tmux only" },
    "stop-signal": { type: "string", value: "SIGNAL", help: "what asks it to end; SIGTERM where not given" },
  },
  notes: ["Put -- before PROGRAM, so that its options are its own. Refused while the run on record lives (exit code 1)."],
  examples: ["seatkit session start maestro-olivia --record ~/seat/session.json -- claude --resume"],
  async run({ args: { NAME: muxName, PROGRAM: claudeBin, rest }, values, output, env }) {
    if (values.record === undefined) throw usage("--record is needed: a run is known by its record");
    const { startSession } = await import("seatkit/session");
    const started = startSession({
      muxName,
      claudeBin,
      claudeArgs: rest,
      cwd: resolve(values.cwd ?? "."),
      prompt: values.prompt,
      env: envOf(values.env ?? [], values.unset ?? [], env),
      mux: await muxOf(values.mux),
      socket: values.socket,
      config: values.config,
      size: values.size === undefined ? undefined : sizeOf(values.size),
      recordFile: resolve(values.record),
      exitFile: values["exit-file"] === undefined ? undefined : resolve(values["exit-file"]),
      stopSignal: values["stop-signal"],
    });
    const answer = await output.during("starting", started);
    if (!answer.ok) throw Failure.of(answer);
    const { record } = answer.session;
    output.answer({ ok: true, record }, [
      `started ${spelled(record.name)} under ${record.kind}: run ${record.run}`,
      record.process === null ? "it has ended already: see seatkit session wait" : `process ${record.process.pid}`,
    ]);
  },
});
