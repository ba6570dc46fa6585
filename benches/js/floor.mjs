// The floor: the bare system calls of a job, measured by a program of its own (benches/floor.rs).

import { spawn, spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const project = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Builds the program; its path, or `null` where there is no cargo. */
function build() {
  const args = ["bench", "--no-run", "--bench", "floor", "--message-format", "json"];
  const { status, error, stdout } = spawnSync("cargo", args, {
    cwd: join(project),
    encoding: "utf8",
    maxBuffer: 1 << 26,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (error) return null;
  const built = stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
    .find((message) => message.target?.name === "floor" && message.executable);
  if (status !== 0 || !built) throw new Error("benches/floor.rs does not build");
  return built.executable;
}

/** Starts the program: `time(job)` answers with milliseconds. `null` where it cannot be built. */
export function startFloor() {
  const program = build();
  if (!program) return null;
  const child = spawn(program, { stdio: ["pipe", "pipe", "inherit"] });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async time(job) {
      child.stdin.write(`${job}\n`);
      const { value, done } = await answers.next();
      if (done) throw new Error(`the floor of "${job}" cannot be measured`);
      return Number(value) / 1e6;
    },
    stop: () => child.stdin.end(),
  };
}
