// `seatkit inbox sweep`: what was given back or retired, and why.

import { command } from "../command.mjs";
import { EXIT, Failure } from "../failure.mjs";
import { table } from "../table.mjs";
import { spelled } from "../text.mjs";
import { ROOT, rootOf } from "./root.mjs";

const WHY = {
  "claim-stale": "claimed more than 20 min ago, and not answered",
  "deferral-due": "its time has come",
  "replied-retired": "answered more than 60 min ago",
  "daemon-orphan": "dispatched by the daemon more than 30 min ago, and left",
};

const count = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;

export const sweep = command({
  name: "sweep",
  summary: "Give back what is stale, due or lost, and retire what was answered long ago.",
  options: {
    ...ROOT,
    "dry-run": { type: "boolean", help: "say what would be done, and do nothing" },
    "session-live": { type: "boolean", help: "a session is at work here: give back too what the daemon lost" },
  },
  examples: ["seatkit inbox sweep --dry-run"],
  async run(context) {
    const { output, values, now } = context;
    const { sweepSessionInbox } = await import("seatkit/inbox-claims");
    const dryRun = values["dry-run"] ?? false;
    const { reopened, scanned, failed = [] } = sweepSessionInbox(rootOf(context), { now, dryRun, sessionLive: values["session-live"] ?? false });
    const would = dryRun ? "would be " : "";
    const columns = [
      { cell: ({ reason }) => `${would}${reason === "replied-retired" ? "retired" : "reopened"}` },
      { cell: ({ id }) => spelled(id) },
      { cell: ({ service }) => spelled(service) },
      { cell: ({ reason }) => WHY[reason] },
    ];
    const total = `${count(scanned, "item")} in flight: ${reopened.length} ${would}moved${failed.length > 0 ? `, ${failed.length} failed` : ""}`;
    output.answer({ ok: failed.length === 0, dryRun, reopened, scanned, failed }, [...table(columns, reopened, output), total]);
    for (const { service, file, error, message } of failed) {
      output.note(`${[service ?? "the inbox", file].filter((part) => part !== null).join("/")}: ${error}: ${message}`);
    }
    if (failed.length === 0) return EXIT.ok;
    return Math.max(...failed.map((failure) => Failure.of(failure).exit));
  },
});
