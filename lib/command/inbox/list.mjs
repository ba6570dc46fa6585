// `seatkit inbox list`: what is in the inbox, and what happens to it next.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { command } from "../command.mjs";
import { Failure, usage } from "../failure.mjs";
import { table } from "../table.mjs";
import { fit, prose, spelled } from "../text.mjs";
import { age, ahead, spanOf } from "../time.mjs";
import { watch } from "../watch.mjs";
import { describe } from "./item-text.mjs";
import { skipped } from "./skipped.mjs";
import { ROOT, SERVICE, rootOf, serviceOf } from "./root.mjs";

const COLOURS = { new: "green", claimed: "yellow", deferred: "cyan", processed: "dim", dead: "red" };
const STATES = Object.keys(COLOURS);

const isDue = ({ next }, now) => next != null && next.at <= now;

/** What happens next to an item, and when. */
function fate(item, now) {
  const { state, next, markers } = item;
  if (item.error !== undefined) return prose(item.message);
  if (state === "new") return "waits for a claim";
  if (state === "processed") return item.archived ? "archived" : "";
  if (state === "dead") return fit(["given up", prose(markers.failedReason ?? "")].filter(Boolean).join(": "), 48);
  if (next === null) return markers.claimedBy === null ? "the daemon's own" : `kept by ${spelled(markers.claimedBy)}`;
  const verb = { "replied-retired": "retires", "attempts-exhausted": "is given up" }[next.reason] ?? "reopens";
  const when = isDue(item, now) ? "due now" : `${verb} in ${ahead(next.at - now)}`;
  if (next.reason === "daemon-orphan") return `the daemon's own, ${when}`;
  const why = prose(markers.deferredReason ?? markers.failedReason ?? "");
  return next.reason === "deferral-due" && why !== "" ? `${when}: ${fit(why, 40)}` : when;
}

const countOf = (items) => Object.fromEntries(STATES.map((state) => [state, items.filter((item) => item.state === state).length]));

function total(items, now) {
  if (items.length === 0) return "no items";
  const states = Object.entries(countOf(items))
    .filter(([, number]) => number > 0)
    .map(([state, number]) => `${number} ${state}`);
  const due = items.filter((item) => isDue(item, now)).length;
  const archived = items.filter((item) => item.archived).length;
  const more = [due > 0 && `${due} due now`, archived > 0 && `${archived} archived`].filter(Boolean).map((text) => `; ${text}`);
  return `${items.length} item${items.length === 1 ? "" : "s"}: ${states.join(", ")}${more.join("")}`;
}

function lines(items, now, output) {
  const columns = [
    { title: "STATE", cell: ({ state }) => state, paint: (text, { state }) => output.colour(COLOURS[state], text) },
    { title: "ID", cell: ({ id }) => spelled(id) },
    { title: "SERVICE", cell: ({ service }) => spelled(service) },
    { title: "SENDER", cell: ({ sender }) => prose(sender ?? ""), most: 24, least: 10 },
    { title: "SUBJECT", cell: ({ subject }) => prose(subject ?? ""), most: 48, least: 10 },
    { title: "AGE", cell: ({ deliveredAt }) => (deliveredAt === null ? "" : age(now - deliveredAt)) },
    { title: "NEXT", cell: (item) => fate(item, now), paint: (text, item) => (isDue(item, now) ? output.colour("red", text) : text) },
  ];
  return items.length === 0 ? [] : table(columns, items, output);
}

/** The states that were asked for; all of them where none was. */
function statesOf({ state = [] }) {
  const states = state.flatMap((list) => list.split(","));
  const unknown = states.find((name) => !STATES.includes(name));
  if (unknown !== undefined) throw usage(`--state takes ${STATES.join(", ")}, not ${JSON.stringify(unknown)}`);
  return states.length > 0 ? states : STATES;
}

function intervalOf({ interval, watch }) {
  if (interval === undefined) return 2000;
  if (!watch) throw usage("--interval goes with --watch");
  const millis = spanOf(interval) ?? NaN;
  // The longest wait that a timer knows.
  if (!(millis >= 100 && millis < 2 ** 31))
    throw usage(`--interval takes a span of 100 ms to 24 days such as 0.5s or 1m, not ${JSON.stringify(interval)}`);
  return millis;
}

export const list = command({
  name: "list",
  summary: "Show every item: its state, what it is, and what happens to it next.",
  options: {
    ...ROOT,
    ...SERVICE,
    state: { type: "string", multiple: true, value: "STATE", help: `only ${STATES.join(", ")}; several with commas` },
    archived: { type: "boolean", help: "what was archived, too" },
    watch: { type: "boolean", short: "w", help: "show it again and again, until Ctrl-C" },
    interval: { type: "string", value: "SPAN", help: "how often to, 2s where not given" },
  },
  notes: ["NEXT is what a sweep will do if nobody else does anything, with a session alive."],
  examples: ["seatkit inbox list --root ~/seat --state new,claimed", "seatkit inbox list --watch"],
  async run(context) {
    const { output, values } = context;
    const { listInbox } = await import("seatkit/inbox-claims");
    const root = rootOf(context);
    const service = serviceOf(context) ?? null;
    const states = statesOf(values);
    const interval = intervalOf(values);
    const archive = join(root, "state", "inbox-archive", "/");
    const frame = () => {
      const now = Date.now();
      const { items: listed, failed = [] } = listInbox(rootOf(context), {
        service,
        state: states,
        next: { now, sessionLive: true },
        archived: values.archived ?? false,
      });
      // Of an inbox that cannot be read nothing is known.
      const whole = failed.find(({ service }) => service === null);
      if (whole) throw Failure.of(whole);
      const items = listed.map((item) => ({
        ...item,
        ...describe(item),
        ...(item.path.startsWith(archive) ? { archived: true } : {}),
      }));
      return {
        failed,
        document: { ok: failed.length === 0, root, now, items, counts: countOf(items), failed },
        lines: lines(items, now, output),
        last: total(items, now),
      };
    };
    if (values.watch) return watch(frame, interval, output);
    const { document, lines: rows, last, failed } = frame();
    if (document.items.length === 0 && !existsSync(join(root, "state", "inbox"))) output.note(`${root} has no inbox (no state/inbox) yet`);
    output.answer(document, [...rows, last]);
    return skipped(failed, output);
  },
});
