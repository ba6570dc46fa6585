// `seatkit inbox next` and `seatkit inbox watch`: the work as it comes.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { command } from "../command.mjs";
import { EXIT, Failure, usage } from "../failure.mjs";
import { spelled } from "../text.mjs";
import { momentOf, spanOf } from "../time.mjs";
import { attemptsOf } from "./marks.mjs";
import { ROOT, SERVICE, rootOf, serviceOf } from "./root.mjs";
import { skipped } from "./skipped.mjs";

/** Exit codes of a worker, as sysexits.h has them: done, and try again later. */
const DONE = 0;
const TRY_AGAIN = 75;

const numberOf = (signal) => 128 + constants.signals[signal];
/** The signal that ended a program, where a shell says so by its exit code. */
const signalOf = (code) => Object.keys(constants.signals).find((signal) => numberOf(signal) === code);

/** What asks this command to end: an `AbortSignal`, whose reason is the signal's name. */
function stops() {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stop.abort(signal));
  return stop.signal;
}

/** Runs a worker on the item, which stands on its stdin; its exit code, or the signal that ended it. */
async function work(program, { id, service, path, text }, stop) {
  const env = { ...process.env, SEATKIT_ID: id, SEATKIT_SERVICE: service, SEATKIT_FILE: path };
  const worker = spawn("/bin/sh", ["-c", program], { stdio: ["pipe", "inherit", "inherit"], env });
  const pass = () => worker.kill(stop.reason);
  stop.addEventListener("abort", pass);
  // A worker that does not read its item is no failure.
  worker.stdin.on("error", () => {});
  worker.stdin.end(text);
  try {
    const [code, signal] = await once(worker, "close");
    return signal ?? signalOf(code) ?? code;
  } finally {
    stop.removeEventListener("abort", pass);
  }
}

/** Keeps the claim while `working`: no sweep takes an item from a worker that takes its time. */
async function kept(api, root, item, every, output, working) {
  const renewing = setInterval(async () => {
    const answer = await api.renewSessionClaim(root, item.service, item);
    if (answer.ok || answer.error === "busy") return;
    clearInterval(renewing);
    output.note(`the claim on ${item.id} could not be renewed: ${answer.message}`);
  }, every);
  try {
    return await working;
  } finally {
    clearInterval(renewing);
  }
}

/** What becomes of the item by the worker's end. */
async function settle(api, root, item, ended, stop, { retry, "max-attempts": most }) {
  const { service } = item;
  if (ended === DONE) {
    const replied = await api.markSessionReplied(root, service, item);
    return replied.ok ? ["done", await api.markSessionDone(root, service, item)] : ["replied to", replied];
  }
  if (ended === TRY_AGAIN || stop.aborted) return ["released", await api.releaseSessionClaim(root, service, item)];
  const reason = typeof ended === "string" ? `the worker was ended by ${ended}` : `the worker exited with ${ended}`;
  const retryAt = retry === undefined ? null : momentOf(retry, Date.now());
  const answer = await api.failInboxItem(root, service, item, { reason, retryAt, maxAttempts: attemptsOf(most) ?? null });
  return [answer.state === "dead" ? "given up" : "deferred after a failure", answer];
}

const BETWEEN = "5m";

/** The options as they are meant; one that would come to nothing is a slip. */
function meant(values) {
  const needs = (option, other) => {
    if (values[option] !== undefined && values[other] === undefined) throw usage(`--${option} goes with --${other}`);
  };
  needs("timeout", "wait");
  for (const option of ["retry", "max-attempts", "renew"]) needs(option, "exec");
  const span = (option, usual) => {
    const millis = spanOf(values[option] ?? usual);
    if (millis === undefined) throw usage(`--${option} takes a span such as ${usual}, not ${JSON.stringify(values[option])}`);
    return millis;
  };
  if (values.retry !== undefined) momentOf(values.retry, Date.now());
  attemptsOf(values["max-attempts"]);
  const renew = span("renew", BETWEEN);
  // The longest wait that a timer knows.
  if (!(renew > 0 && renew < 2 ** 31)) throw usage(`--renew takes a span of up to 24 days, not ${JSON.stringify(values.renew)}`);
  return { timeoutMs: values.timeout === undefined ? null : span("timeout", "30s"), renew };
}

export const next = command({
  name: "next",
  summary: "Claim the oldest new item; with --exec, work on it too.",
  options: {
    ...ROOT,
    ...SERVICE,
    wait: { type: "boolean", help: "wait until there is one" },
    timeout: { type: "string", value: "SPAN", help: "with --wait: the longest wait" },
    exec: {
      type: "string",
      value: "CMD",
      help: "run CMD with the item on stdin: 0 replies and finishes, 75 releases, anything else fails it",
    },
    retry: { type: "string", value: "TIME", help: "with --exec: when to try again what failed; given up where missing" },
    "max-attempts": { type: "string", value: "N", help: "with --exec: give up what was claimed so often" },
    renew: {
      type: "string",
      value: "SPAN",
      help: `with --exec: how often the claim is renewed while CMD runs; ${BETWEEN} where not given`,
    },
  },
  notes: [
    "SEATKIT_ID, SEATKIT_SERVICE and SEATKIT_FILE are in the environment of CMD. Exit code 3: there is nothing.",
    "A signal (INT, TERM, HUP) is passed on to CMD, and the item is released where CMD does not finish it; exit code 128 and its number.",
  ],
  examples: ["seatkit inbox next", "seatkit inbox next --wait --exec 'claude -p \"$(cat)\"' --retry 10m --max-attempts 3"],
  async run(context) {
    const { output, values } = context;
    const { timeoutMs, renew } = meant(values);
    const api = await import("seatkit/inbox-claims/promises");
    const root = rootOf(context);
    const stop = stops();
    const asked = { service: serviceOf(context) ?? null, wait: values.wait ?? false, timeoutMs, signal: stop };
    let item;
    try {
      item = await api.claimNextItem(root, asked);
    } catch (error) {
      if (!stop.aborted) throw error;
      return numberOf(stop.reason);
    }
    const passed = item.skipped ?? [];
    if (!item.ok) {
      skipped(passed, output);
      throw Failure.of(item);
    }
    if (values.exec === undefined) {
      const { id, service, path, token } = item;
      output.answer(item, [`claimed ${spelled(id)} in ${spelled(service)}: ${spelled(path)}`, `token ${token}`]);
      return skipped(passed, output);
    }
    let ended;
    try {
      ended = stop.aborted ? stop.reason : await kept(api, root, item, renew, output, work(values.exec, item, stop));
    } catch (error) {
      // It never ran.
      await api.releaseSessionClaim(root, item.service, item);
      throw error;
    }
    const [what, answer] = await settle(api, root, item, ended, stop, values);
    if (!answer.ok) throw Failure.of(answer);
    output.answer({ ok: true, id: item.id, service: item.service, ended, outcome: what, path: answer.path }, [
      `${what}: ${spelled(item.id)} in ${spelled(item.service)}`,
    ]);
    skipped(passed, output);
    if (stop.aborted) return numberOf(stop.reason);
    return ended === DONE ? EXIT.ok : EXIT.refused;
  },
});

export const watch = command({
  name: "watch",
  summary: "Print a line whenever something changed in the inbox.",
  options: { ...ROOT, ...SERVICE },
  examples: ["seatkit inbox watch | while read -r line; do seatkit inbox list; done"],
  async run(context) {
    const { output } = context;
    const { listInbox, watchInbox } = await import("seatkit/inbox-claims/promises");
    const [root, service] = [rootOf(context), serviceOf(context) ?? null];
    const stop = stops();
    try {
      for await (const _ of watchInbox(root, { service, signal: stop })) {
        const { items, failed = [] } = await listInbox(root, { service });
        const counts = {};
        for (const { state } of items) counts[state] = (counts[state] ?? 0) + 1;
        const told = Object.entries(counts)
          .map(([state, number]) => `${number} ${state}`)
          .join(", ");
        output.answer({ ok: failed.length === 0, now: Date.now(), counts, failed }, [told || "no items"]);
        skipped(failed, output);
      }
    } catch (error) {
      if (!stop.aborted) throw error;
    }
  },
});
