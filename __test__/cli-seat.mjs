// The command as a person or a script runs it: the real executable, in a process of its own.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { cleanEnv } from "./mux-sandbox.mjs";

export const SEATKIT = fileURLToPath(new URL("../lib/command/seatkit.mjs", import.meta.url));

/** Runs `seatkit ...args`; `env` is added to an environment without a seat, colours or multiplexers. */
export function seatkit(args, { env = {}, ...options } = {}) {
  const { SEATKIT_ROOT: _r, NO_COLOR: _n, FORCE_COLOR: _f, ...rest } = cleanEnv();
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [SEATKIT, ...args], {
    encoding: "utf8",
    env: { ...rest, ...env },
    maxBuffer: 1 << 28,
    ...options,
  });
  return { status: status ?? signal, stdout, stderr };
}

/** The one document of `seatkit ...args --json`, with the exit code. */
export function document(args, options) {
  const { status, stdout } = seatkit([...args, "--json"], options);
  const [line, end, ...more] = stdout.split("\n");
  if (end !== "" || more.length > 0) throw new Error(`not one line: ${JSON.stringify(stdout)}`);
  return { status, ...JSON.parse(line) };
}
