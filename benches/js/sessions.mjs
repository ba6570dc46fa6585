// What it costs to know when a session has ended: told by the kernel, or asked for once a second as launchers do.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startSession } from "seatkit/session";

const BIN = "/usr/bin/tmux";
const EVERY = 1000;

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** A server of this benchmark's own, with `count` sessions in it, and its end. */
async function started(count) {
  const folder = mkdtempSync(join(tmpdir(), "seatkit-bench-"));
  const socket = join(folder, "s");
  const all = [];
  for (let number = 0; number < count; number++) {
    const launch = { muxName: `s${number}`, cwd: folder, claudeBin: "/bin/sh", claudeArgs: ["-c", "exec sleep 600"] };
    const own = { mux: { kind: "tmux", bin: BIN }, socket, config: "/dev/null", recordFile: join(folder, `${number}.json`) };
    const { session, message } = await startSession({ ...launch, ...own });
    if (!session) throw new Error(message);
    all.push(session);
  }
  const has = (name) =>
    new Promise((resolve) => spawn(BIN, ["-S", socket, "has-session", "-t", `=${name}:`], { stdio: "ignore" }).once("exit", resolve));
  const end = async () => {
    for (const session of all) await session.stop({ graceMs: 1000 });
    rmSync(folder, { recursive: true });
  };
  return { all, has, end };
}

async function endOf() {
  const { all, has, end } = await started(1);
  const [session] = all;
  const ended = session.ended().then(() => performance.now());
  const polled = (async () => {
    while ((await has("s0")) === 0) await sleep(EVERY);
    return performance.now();
  })();
  await sleep(Math.random() * EVERY);
  const killed = performance.now();
  process.kill(session.record.process.pid, "SIGKILL");
  const times = { native: (await ended) - killed, javascript: (await polled) - killed };
  await end();
  return times;
}

/** How many milliseconds of the processor this process takes of each second while `work` is done. */
async function cost(work) {
  const before = process.cpuUsage();
  const began = performance.now();
  await work(began);
  const { user, system } = process.cpuUsage(before);
  // Microseconds of a millisecond are milliseconds of a second.
  return (user + system) / (performance.now() - began);
}

async function waits() {
  const { all, has, end } = await started(100);
  const ends = all.map((session) => session.ended());
  await sleep(500);
  const native = await cost(() => sleep(5000));
  const javascript = await cost(async (began) => {
    for (let second = 1; second <= 3; second++) {
      await Promise.all(all.map((_, number) => has(`s${number}`)));
      await sleep(Math.max(0, began + second * EVERY - performance.now()));
    }
  });
  await end();
  await Promise.all(ends);
  return { native, javascript };
}

const row = (medians, rounds) => ({ medians, rounds, ratio: (a, b) => medians[a] / medians[b] });

/** The rows; none where there is no tmux. */
export function sessions({ quick, say }) {
  if (!existsSync(BIN)) return say("no sessions, for there is no tmux") ?? [];
  return [
    {
      name: "from an agent's end to its outcome, beside asking once a second",
      async measure() {
        const rounds = [];
        for (let round = 0; round < (quick ? 5 : 21); round++) rounds.push(await endOf());
        const of = (way) => median(rounds.map((times) => times[way]));
        return row({ native: of("native"), javascript: of("javascript") }, rounds.length);
      },
    },
    {
      name: "100 waits, their time of each second (not tmux's own)",
      async measure() {
        return row(await waits(), 1);
      },
    },
  ];
}
