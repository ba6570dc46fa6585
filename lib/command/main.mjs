// The command `seatkit`: finds what was meant, runs it, and turns whatever comes of it into an exit code.

import { readFileSync } from "node:fs";
import { commandHelp, groupHelp, read } from "./command.mjs";
import { EXIT, Failure, usage } from "./failure.mjs";
import { Output } from "./output.mjs";
import { completion } from "./completion.mjs";
import { inbox } from "./inbox/inbox.mjs";
import { screen } from "./screen.mjs";
import { session } from "./session/session.mjs";
import { tmux } from "./tmux.mjs";

const SEATKIT = {
  name: "seatkit",
  summary: "The inbox of an agent's seat, and the terminal sessions it runs in.",
  commands: [inbox, session, tmux, screen],
  examples: [
    "seatkit inbox list --root ~/seat",
    "seatkit inbox claim cohort-m1",
    "seatkit inbox defer cohort-m2 --until 30m --reason 'waiting on finance'",
    "seatkit session start maestro-olivia --record ~/seat/session.json -- claude",
    "seatkit tmux resolve maestro-olivia",
  ],
};

SEATKIT.commands.push(completion(SEATKIT));

const version = () => JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;

/** What `argv` names: a group or a command, its path, and the arguments after it. */
function find(argv) {
  let found = SEATKIT;
  const path = ["seatkit"];
  const rest = [...argv];
  while (found.commands && rest.length > 0 && !rest[0].startsWith("-")) {
    const name = rest.shift();
    const next = found.commands.find((command) => command.name === name);
    if (!next) {
      const known = found.commands.map((command) => command.name).join(", ");
      throw usage(`${path.join(" ")} has no command ${JSON.stringify(name)}; there are ${known}`);
    }
    found = next;
    path.push(name);
  }
  return { found, path, rest };
}

function helpOf({ found, path }) {
  return `${found.commands ? groupHelp(found, path) : commandHelp(found, path)}\n`;
}

/** Runs what a group's own arguments ask for: help, the version, or nothing that there is. */
function runGroup(target, output) {
  const [option, ...rest] = target.rest;
  if (option === undefined) {
    output.stderr.write(helpOf(target));
    return EXIT.usage;
  }
  if (rest.length === 0 && (option === "--help" || option === "-h")) {
    output.stdout.write(helpOf(target));
    return EXIT.ok;
  }
  if (rest.length === 0 && target.found === SEATKIT && (option === "--version" || option === "-V")) {
    output.stdout.write(`${version()}\n`);
    return EXIT.ok;
  }
  throw usage(`${target.path.join(" ")} takes a command first, then options: see ${target.path.join(" ")} --help`);
}

async function run(argv, output) {
  const asked = argv[0] === "help";
  const target = find(asked ? argv.slice(1) : argv);
  if (asked) target.rest.unshift("--help");
  if (target.found.commands) return runGroup(target, output);
  const { values, args } = read(target.found, target.path, target.rest);
  if (values.help) {
    output.stdout.write(helpOf(target));
    return EXIT.ok;
  }
  return (await target.found.run({ values, args, output, env: process.env, now: Date.now() })) ?? EXIT.ok;
}

// On macOS the runtime may say the second.
const CLOSED = ["EPIPE", "ECONNRESET"];

/** A reader that went away wants no more: the work is done, so the exit code stays what it was. */
function bearClosedPipes() {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error) => {
      if (!CLOSED.includes(error.code)) process.exitCode = EXIT.io;
      // Not before the command has said its exit code.
      setImmediate(() => process.exit());
    });
  }
}

/** Runs the command line; the exit code is left in `process.exitCode`. */
export async function main(argv) {
  bearClosedPipes();
  const end = argv.indexOf("--");
  const json = argv.slice(0, end < 0 ? argv.length : end).includes("--json");
  const output = new Output(process, { json });
  try {
    process.exitCode = await run(argv, output);
  } catch (thrown) {
    const failure = Failure.from(thrown);
    process.exitCode = failure.exit;
    if (json) output.answer(failure.document, []);
    output.note(failure.message);
    if (failure.trace) output.stderr.write(`${failure.trace}\n`);
  }
}
