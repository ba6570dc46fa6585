// `seatkit inbox next` and `seatkit inbox watch`: the work as it comes.

import { spawn } from "node:child_process";
import { once } from "node:events";
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

/** Runs a worker on the item, which stands on its stdin; its exit code, or the signal that ended it. */
async function work(program, { id, service, path, text }) {
  const env = { ...process.env, SEATKIT_ID: id, SEATKIT_SERVICE: service, SEATKIT_FILE: path };
  const worker = spawn("/bin/sh", ["-c", program], { stdio: ["pipe", "inherit", "inherit"], env });
  // A worker that does not read its item is no failure.
  worker.stdin.on("error", () => {});
  worker.stdin.end(text);
  const [code, signal] = await once(worker, "close");
  return signal ?? code;
}

/** What becomes of the item by the worker's end. */
async function settle(api, root, item, ended, { retry, "max-attempts": most }) {
  const { service } = item;
  if (ended === DONE) {
    const replied = await api.markSessionReplied(root, service, item);
    return replied.ok ? ["done", await api.markSessionDone(root, service, item)] : ["replied to", replied];
  }
  if (ended === TRY_AGAIN) return ["released", await api.releaseSessionClaim(root, service, item)];
  const reason = typeof ended === "string" ? `the worker was ended by ${ended}` : `the worker exited with ${ended}`;
  const retryAt = retry === undefined ? null : momentOf(retry, Date.now());
  const answer = await api.failInboxItem(root, service, item, { reason, retryAt, maxAttempts: attemptsOf(most) ?? null });
  return [answer.state === "dead" ? "given up" : "deferred after a failure", answer];
}

export const next = command({
  name: "next",
  summary: "Claim the oldest new item; with --exec, work on it too.",
  options: {
    ...ROOT,
    ...SERVICE,
    wait: { type: "boolean", help: "wait until there is one" },
    timeout: { type: "string", value: "SPAN", help: "the longest wait" },
    exec: {
      type: "string",
      value: "CMD",
      help: "run CMD with the item on stdin: 0 replies and finishes, 75 releases, anything else fails it",
    },
    retry: { type: "string", value: "TIME", help: "with --exec: when to try again what failed; given up where missing" },
    "max-attempts": { type: "string", value: "N", help: "with --exec: give up what was claimed so often" },
  },
  notes: ["SEATKIT_ID, SEATKIT_SERVICE and SEATKIT_FILE are in the environment of CMD. Exit code 3: there is nothing."],
  examples: ["seatkit inbox next", "seatkit inbox next --wait --exec 'claude -p \"$(cat)\"' --retry 10m --max-attempts 3"],
  async run(context) {
    const { output, values } = context;
    const api = await import("seatkit/inbox-claims/promises");
    const root = rootOf(context);
    const timeoutMs = values.timeout === undefined ? null : spanOf(values.timeout);
    if (timeoutMs === undefined) throw usage(`--timeout takes a span such as 30s, not ${JSON.stringify(values.timeout)}`);
    if (values.retry !== undefined) momentOf(values.retry, Date.now());
    attemptsOf(values["max-attempts"]);
    const claim = { service: serviceOf(context) ?? null, ...(values.wait ? { wait: true, timeoutMs } : {}) };
    const item = await api.claimNextItem(root, claim);
    const passed = item.skipped ?? [];
    if (!item.ok) {
      skipped(passed, output);
      throw new Failure("not-found", item.message);
    }
    if (values.exec === undefined) {
      const { id, service, path, token } = item;
      output.answer(item, [`claimed ${spelled(id)} in ${spelled(service)}: ${spelled(path)}`, `token ${token}`]);
      return skipped(passed, output);
    }
    const ended = await work(values.exec, item);
    const [what, answer] = await settle(api, root, item, ended, values);
    if (!answer.ok) throw Failure.of(answer);
    output.answer({ ok: true, id: item.id, service: item.service, ended, outcome: what, path: answer.path }, [
      `${what}: ${spelled(item.id)} in ${spelled(item.service)}`,
    ]);
    skipped(passed, output);
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
    const end = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => end.abort());
    try {
      for await (const _ of watchInbox(root, { service, signal: end.signal })) {
        const { items, failed = [] } = await listInbox(root, { service });
        const counts = {};
        for (const { state } of items) counts[state] = (counts[state] ?? 0) + 1;
        const told = Object.entries(counts)
          .map(([state, number]) => `${number} ${state}`)
          .join(", ");
        output.answer({ ok: failed.length === 0, now: Date.now(), counts, failed }, [told || "no items"]);
      }
    } catch (error) {
      if (!end.signal.aborted) throw error;
    }
  },
});
