// What a command is, how its arguments are read, and the help that is made of it.

import { parseArgs } from "node:util";
import { EXIT_HELP, usage } from "./failure.mjs";

const HELP = { help: { type: "boolean", short: "h", help: "show this help" } };
const JSON_OPTION = { json: { type: "boolean", help: "answer with one JSON document" } };

/**
 * A command: `{ name, summary, args?, rest?, options?, notes?, examples, run }`. `args` are the names of its
 * positional arguments, all of them needed; any number of others is taken where `rest` names them. An option is one of `parseArgs`, with its `help`, and the
 * name of its `value` where it takes one.
 */
export function command(fields) {
  return { args: [], notes: [], ...fields, options: { ...fields.options, ...JSON_OPTION, ...HELP } };
}

/** Reads the arguments of a command: `{ values, args }`. */
export function read(command, path, argv) {
  const options = Object.fromEntries(Object.entries(command.options).map(([name, { help, value, ...option }]) => [name, option]));
  const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true, strict: true });
  if (values.help) return { values, args: {} };
  const most = command.rest ? Infinity : command.args.length;
  if (positionals.length < command.args.length || positionals.length > most) {
    const missing = command.args.slice(positionals.length);
    const extra = positionals.slice(command.args.length);
    const what = missing.length > 0 ? `${missing.join(" and ")} is missing` : `unexpected argument ${JSON.stringify(extra[0])}`;
    throw usage(`${what}: ${synopsis(command, path)}`);
  }
  const args = Object.fromEntries(command.args.map((name, index) => [name, positionals[index]]));
  return { values, args: { ...args, rest: positionals.slice(command.args.length) } };
}

const synopsis = ({ args, rest }, path) => [...path, ...args, ...(rest ? [`[${rest}]…`] : []), "[OPTION]…"].join(" ");

const columns = (rows) => {
  const first = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(first)}  ${right}`).join("\n");
};

/** The help of one command. */
export function commandHelp(command, path) {
  const options = Object.entries(command.options).map(([name, { short, value, help }]) => [
    `${short ? `-${short}, ` : "    "}--${name}${value ? ` ${value}` : ""}`,
    help,
  ]);
  return [
    `usage: ${synopsis(command, path)}`,
    [command.summary, ...command.notes].join("\n"),
    `options:\n${columns(options)}`,
    `example:\n${command.examples.map((example) => `  ${example}`).join("\n")}`,
    EXIT_HELP,
  ].join("\n\n");
}

/** The help of a group: `{ name, summary, commands, examples }`. */
export function groupHelp(group, path) {
  return [
    `usage: ${path.join(" ")} COMMAND [ARGUMENT]… [OPTION]…`,
    group.summary,
    `commands:\n${columns(group.commands.map(({ name, summary }) => [name, summary]))}`,
    `example:\n${group.examples.map((example) => `  ${example}`).join("\n")}`,
    `\`${path.join(" ")} COMMAND --help\` says more of each.`,
    EXIT_HELP,
  ].join("\n\n");
}
