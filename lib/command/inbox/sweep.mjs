// `seatkit inbox sweep`: what was given back or retired, and why.

import { command } from "../command.mjs";
import { table } from "../table.mjs";
import { spelled } from "../text.mjs";
import { attemptsOf } from "./marks.mjs";
import { ROOT, rootOf } from "./root.mjs";
import { skipped } from "./skipped.mjs";

const WHY = {
  "claim-stale": "claimed more than 20 min ago, and not answered",
  "deferral-due": "its time has come",
  "replied-retired": "answered more than 60 min ago",
  "daemon-orphan": "dispatched by the daemon more than 30 min ago, and left",
  "attempts-exhausted": "claimed as often as it may be, and never finished",
};

const count = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;

export const sweep = command({
  name: "sweep",
  summary: "Give back what is stale, due or lost, and retire what was answered long ago.",
  options: {
    ...ROOT,
    "dry-run": { type: "boolean", help: "say what would be done, and do nothing" },
    "session-live": { type: "boolean", help: "a session is at work here: give back too what the daemon lost" },
    owner: { type: "string", multiple: true, value: "NAME", help: "give back this owner's claims too, beside those of session" },
    "max-attempts": { type: "string", value: "N", help: "give up what was claimed so often" },
  },
  examples: ["seatkit inbox sweep --dry-run"],
  async run(context) {
    const { output, values, now } = context;
    const { sweepSessionInbox } = await import("seatkit/inbox-claims");
    const dryRun = values["dry-run"] ?? false;
    const {
      reopened,
      scanned,
      failed = [],
    } = sweepSessionInbox(rootOf(context), {
      now,
      dryRun,
      sessionLive: values["session-live"] ?? false,
      owners: values.owner ?? [],
      maxAttempts: attemptsOf(values["max-attempts"]) ?? null,
    });
    const would = dryRun ? "would be " : "";
    const columns = [
      { cell: ({ reason }) => `${would}${{ "replied-retired": "retired", "attempts-exhausted": "given up" }[reason] ?? "reopened"}` },
      { cell: ({ id }) => spelled(id) },
      { cell: ({ service }) => spelled(service) },
      { cell: ({ reason }) => WHY[reason] },
    ];
    const total = `${count(scanned, "item")} in flight: ${reopened.length} ${would}moved${failed.length > 0 ? `, ${failed.length} failed` : ""}`;
    output.answer({ ok: failed.length === 0, dryRun, reopened, scanned, failed }, [...table(columns, reopened, output), total]);
    if (values["session-live"] === undefined && scanned > 0) {
      output.note("--session-live was not given: what the daemon dispatched and lost stays where it is");
    }
    return skipped(failed, output);
  },
});
