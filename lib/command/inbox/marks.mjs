// The commands on one item: find, claim, defer, reply, done, release, renew, fail, reopen.

import { command } from "../command.mjs";
import { Failure, usage } from "../failure.mjs";
import { spelled } from "../text.mjs";
import { ahead, momentOf } from "../time.mjs";
import { ROOT, SERVICE, rootOf, serviceOf } from "./root.mjs";

const TOKEN = {
  token: { type: "string", value: "TOKEN", help: "what claim --with-token gave: refused as claim-lost where the claim is another by now" },
};
const library = () => import("seatkit/inbox-claims");

/** Why nothing answers to an id: nothing has it, or too much. */
function nothing({ listInbox }, root, id, service) {
  const like =
    id === ""
      ? []
      : listInbox(root, { service: service ?? null }).items.filter(({ file }) => file.replace(/\.yaml(?:\.\w+)?$/, "").includes(id));
  const where = service === undefined ? "" : ` of service ${service}`;
  if (like.length < 2) return new Failure("not-found", `no item ${JSON.stringify(id)} in the inbox${where} of ${root}`);
  const names = like.slice(0, 5).map((item) => `${item.id} in ${item.service}`);
  if (like.length > names.length) names.push(`${like.length - names.length} more`);
  return new Failure("ambiguous", `${JSON.stringify(id)} means more than one item: ${names.join(", ")}; give the whole id, or --service`);
}

/** Runs a mark of the library on the item that was meant, and tells what became of it. */
async function mark(context, call, say) {
  const {
    args: { ID: id },
    output,
  } = context;
  const api = await library();
  const root = rootOf(context);
  const given = serviceOf(context);
  const service = given ?? api.findInboxFile(root, id)?.service;
  if (service === undefined) throw nothing(api, root, id);
  const answer = call(api, root, service, { id });
  if (!answer.ok) {
    const absent = answer.error.startsWith("not-") && api.findInboxFile(root, id, { service }) === null;
    throw absent ? nothing(api, root, id, given) : Failure.of(answer);
  }
  const { ok, path, id: _, service: __, file, ...rest } = answer;
  const lines = [
    `${say(`${spelled(id)} in ${spelled(service)}`, rest)}: ${spelled(path)}`,
    ...(rest.token === undefined ? [] : [`token ${rest.token}`]),
  ];
  output.answer({ ok, service, path, ...rest }, lines);
}

const shown = ({ token }) => (token === undefined ? {} : { token });

export const find = command({
  name: "find",
  summary: "Print the path of an item's file.",
  args: ["ID"],
  notes: ["ID is the item's id, or a part of its file's name that no other has."],
  options: { ...ROOT, ...SERVICE, archived: { type: "boolean", help: "in the archive, too" } },
  examples: ['cat "$(seatkit inbox find cohort-m1)"'],
  async run(context) {
    const {
      args: { ID: id },
      output,
    } = context;
    const api = await library();
    const root = rootOf(context);
    const service = serviceOf(context);
    const found = api.findInboxFile(root, id, { service: service ?? null, archived: context.values.archived ?? false });
    if (!found) throw nothing(api, root, id, service);
    // A program gets the very name.
    output.answer({ ok: true, ...found }, [output.stdout.isTTY ? spelled(found.path) : found.path]);
  },
});

export const claim = command({
  name: "claim",
  summary: "Claim a new item: of any number of claims one wins.",
  args: ["ID"],
  options: {
    ...ROOT,
    ...SERVICE,
    "with-token": { type: "boolean", help: "give the claim a token, and print it, for later commands to show" },
  },
  examples: ["seatkit inbox claim cohort-m1", "seatkit inbox claim cohort-m1 --with-token --json"],
  run: (context) =>
    mark(
      context,
      (api, root, service, item) =>
        api.markSessionClaim(root, service, item, { now: context.now, token: context.values["with-token"] ?? false }),
      (item) => `claimed ${item}`,
    ),
});

export const defer = command({
  name: "defer",
  summary: "Park a new or claimed item until a time.",
  args: ["ID"],
  options: {
    ...ROOT,
    ...SERVICE,
    until: { type: "string", value: "TIME", help: "a span (90s, 30m, 2h, 1d, 1h30m), a time of day (17:30) or a date (2026-09-08T12:00Z)" },
    reason: { type: "string", value: "TEXT", help: "why" },
    ...TOKEN,
  },
  examples: ["seatkit inbox defer cohort-m2 --until 30m --reason 'waiting on finance'"],
  run(context) {
    const {
      now,
      values: { until, reason },
    } = context;
    if (until === undefined) throw usage("--until is missing: when is the item to come back?");
    const moment = momentOf(until, now);
    const when = moment > now ? `in ${ahead(moment - now)}` : "at once";
    return mark(
      context,
      (api, root, service, item) =>
        api.markSessionDeferral(root, service, item, {
          now,
          until: moment,
          ...(reason === undefined ? {} : { reason }),
          ...shown(context.values),
        }),
      (item) => `deferred ${item}, to come back ${when}`,
    );
  },
});

/** A mark that takes nothing but the item and a token. */
const simple = (name, summary, example, method, say) =>
  command({
    name,
    summary,
    args: ["ID"],
    options: { ...ROOT, ...SERVICE, ...TOKEN },
    examples: [example],
    run: (context) =>
      mark(
        context,
        (api, root, service, item) => api[method](root, service, item, { now: context.now, ...shown(context.values) }),
        (item) => `${say} ${item}`,
      ),
  });

export const reply = simple(
  "reply",
  "Note that a claimed item was answered: it is never given back.",
  "seatkit inbox reply cohort-m1",
  "markSessionReplied",
  "noted the reply to",
);
export const done = simple("done", "Finish a claimed item.", "seatkit inbox done cohort-m1", "markSessionDone", "finished");
export const release = simple(
  "release",
  "Give a claimed item back at once.",
  "seatkit inbox release cohort-m1",
  "releaseSessionClaim",
  "released",
);
export const renew = simple(
  "renew",
  "Keep a claim for another twenty minutes.",
  'seatkit inbox renew cohort-m1 --token "$token"',
  "renewSessionClaim",
  "renewed the claim on",
);

export const fail = command({
  name: "fail",
  summary: "Say that the work on a claimed item failed: it is tried again, or given up.",
  args: ["ID"],
  options: {
    ...ROOT,
    ...SERVICE,
    reason: { type: "string", value: "TEXT", help: "what went wrong" },
    retry: { type: "string", value: "TIME", help: "when to try again, as defer's --until; given up where missing" },
    "max-attempts": { type: "string", value: "N", help: "give up an item that was claimed so often" },
    ...TOKEN,
  },
  examples: ["seatkit inbox fail cohort-m1 --reason 'the build is red' --retry 10m --max-attempts 5"],
  run(context) {
    const { now, values } = context;
    const maxAttempts = attemptsOf(values["max-attempts"]);
    const retryAt = values.retry === undefined ? undefined : momentOf(values.retry, now);
    const options = {
      now,
      reason: values.reason ?? "",
      ...(retryAt === undefined ? {} : { retryAt }),
      ...(maxAttempts === undefined ? {} : { maxAttempts }),
      ...shown(values),
    };
    return mark(
      context,
      (api, root, service, item) => api.failInboxItem(root, service, item, options),
      (item, { state }) =>
        state === "dead" ? `gave up ${item}` : `deferred ${item} after a failure, to come back in ${ahead(retryAt - now)}`,
    );
  },
});

export const reopen = command({
  name: "reopen",
  summary: "Give a deferred or dead item back at once.",
  args: ["ID"],
  options: { ...ROOT, ...SERVICE, from: { type: "string", value: "STATE", help: "deferred or dead: the state that it is taken from" } },
  examples: ["seatkit inbox reopen cohort-m2 --from dead"],
  run(context) {
    const { from } = context.values;
    if (from !== "deferred" && from !== "dead") throw usage("--from takes deferred or dead");
    return mark(
      context,
      (api, root, service, item) => api.reopenInboxItem(root, service, item, { from }),
      (item) => `reopened ${item}`,
    );
  },
});

/** A number of attempts. */
export function attemptsOf(text) {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!(Number.isInteger(number) && number > 0)) throw usage(`--max-attempts takes a whole number, not ${JSON.stringify(text)}`);
  return number;
}
