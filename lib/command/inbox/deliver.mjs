// `seatkit inbox deliver` and `seatkit inbox archive`: what comes in, and what goes away.

import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { command } from "../command.mjs";
import { Failure, usage } from "../failure.mjs";
import { spelled } from "../text.mjs";
import { age, spanOf } from "../time.mjs";
import { ROOT, SERVICE, rootOf, serviceOf } from "./root.mjs";
import { skipped } from "./skipped.mjs";

/** The item of `--field name=value`, of a file, or of stdin. */
function itemOf({ field, file }) {
  if (field !== undefined && file !== undefined) throw usage("--field and --file do not go together");
  if (field === undefined) {
    const bytes = readFileSync(file === undefined || file === "-" ? 0 : file);
    if (!isUtf8(bytes)) throw new Failure("invalid-argument", "the item is not UTF-8");
    return bytes.toString();
  }
  return Object.fromEntries(
    field.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw usage(`--field takes NAME=VALUE, not ${JSON.stringify(pair)}`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

export const deliver = command({
  name: "deliver",
  summary: "Deliver an item: the text of stdin or a file, or fields.",
  options: {
    ...ROOT,
    ...SERVICE,
    id: { type: "string", value: "ID", help: "its id: one that is there already is not delivered again" },
    file: { type: "string", value: "FILE", help: "the item as YAML; stdin where neither this nor --field is given" },
    field: { type: "string", short: "f", multiple: true, value: "NAME=VALUE", help: "a field of the item; several make it up" },
  },
  examples: [
    "seatkit inbox deliver --service cohort --id m1 --field sender=Olivia --field content='the deck, please'",
    "seatkit inbox deliver --service cohort < item.yaml",
  ],
  async run(context) {
    const { output, values, now } = context;
    const { deliverInboxItem } = await import("seatkit/inbox-claims");
    const service = serviceOf(context);
    if (service === undefined) throw usage("--service is missing: whose item is it?");
    const answer = deliverInboxItem(rootOf(context), service, itemOf(values), {
      now,
      ...(values.id === undefined ? {} : { id: values.id }),
    });
    if (!answer.ok) throw Failure.of(answer);
    const { id, path, created, state } = answer;
    const told = created ? `delivered ${spelled(id)} to ${spelled(service)}` : `${spelled(id)} is there already, and is ${state}`;
    output.answer(answer, [`${told}: ${spelled(path)}`]);
  },
});

export const archive = command({
  name: "archive",
  summary: "Move items that have been processed for long out of the way.",
  options: {
    ...ROOT,
    "older-than": { type: "string", value: "SPAN", help: "those processed longer ago than this; 7d where not given" },
    "dry-run": { type: "boolean", help: "say what would be moved, and move nothing" },
  },
  examples: ["seatkit inbox archive --older-than 30d"],
  async run(context) {
    const { output, values, now } = context;
    const span = values["older-than"] ?? "7d";
    const olderThanMs = spanOf(span);
    if (olderThanMs === undefined) throw usage(`--older-than takes a span such as 7d, not ${JSON.stringify(span)}`);
    const { archiveProcessed } = await import("seatkit/inbox-claims/promises");
    const root = rootOf(context);
    const dryRun = values["dry-run"] ?? false;
    const archiving = archiveProcessed(root, { olderThanMs, now, dryRun });
    const { archived, failed = [] } = await output.during("archiving", archiving);
    const would = dryRun ? "would be " : "";
    const total = `${archived.length} item${archived.length === 1 ? "" : "s"} processed more than ${age(olderThanMs)} ago ${would}archived`;
    output.answer({ ok: failed.length === 0, dryRun, archived, failed }, [total]);
    return skipped(failed, output);
  },
});
