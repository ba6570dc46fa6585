// Compares the inbox with a plain JavaScript one on ordinary inputs: a generated population in two
// folders, the same calls on both, the same answers and the same bytes after each.
//
// Ordinary means what both promise the same about: items are YAML, end in a newline and hold no line
// that looks like a marker, an id stands for one file and is given whole, an item is replied to once
// and not deferred after it, times that are not `garbage` are ISO 8601 and no clock is set back far.

import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { haveBaseline, loadBaseline } from "./references.mjs";
import { Rng } from "./rng.mjs";

const seatkit = createRequire(import.meta.url)("seatkit");

const T0 = Date.parse("2026-09-08T10:00:00.000Z");
const MINUTE = 60_000;
const SUFFIXES = { new: ".yaml", claimed: ".yaml.dispatched", deferred: ".yaml.deferred", processed: ".yaml.processed" };
const deliveryTime = (time) => new Date(time).toISOString().replace(/[:.]/g, "-");

class Population {
  constructor(rng) {
    this.rng = rng;
    this.services = ["cohort", "mail", "slack"].slice(0, 1 + rng.below(3));
    this.files = rng.times(rng.below(9), (i) => this.item(i));
  }

  item(number) {
    const { rng } = this;
    const id = `${rng.pick(["m", "cohort-", "a.b_", "x"])}${number}${rng.pick(["", "0", "-z"])}`;
    const stem = rng.chance(0.8) ? `${deliveryTime(T0 - rng.below(1e8))}-${id}` : id;
    const state = rng.pick(["new", "new", "claimed", "claimed", "deferred", "processed"]);
    return {
      id,
      service: rng.pick(this.services),
      name: `${stem}${SUFFIXES[state]}`,
      body: this.body(id) + this.block(state),
      // Whole seconds, which every file system keeps.
      mtime: (T0 - rng.pick([0, 1, 10, 29, 31, 60, 1000]) * MINUTE) / 1000 - rng.below(3),
    };
  }

  body(id) {
    const { rng } = this;
    const lines = rng.times(rng.below(4), () =>
      rng.pick([
        `content: |\n  claimed_by: "session"\n  replied_at: later`,
        "subject: 'é 日本 🦀'",
        "  - indented",
        "",
        'note: "claimed_by: x"',
        "# comment",
        "a: b\r",
        "x_replied_at: 1",
      ]),
    );
    return [`id: "${id}"`, ...lines, ""].join("\n");
  }

  time(near = T0) {
    return near + this.rng.pick([0, 1, -1, 5, 19, 20, 21, 29, 30, 31, 59, 60, 61, -19]) * MINUTE + this.rng.pick([0, 0, 1, -1, 0.5]);
  }

  block(state) {
    const { rng } = this;
    const at = () => (rng.chance(0.1) ? "garbage" : new Date(Math.min(T0, this.time(T0 - 30 * MINUTE))).toISOString());
    const line = (key, value) => `${key}: ${JSON.stringify(value)}\n`;
    if (state === "claimed" && rng.chance(0.7)) {
      const claim = line("claimed_by", rng.pick(["session", "session", "daemon"])) + line("claimed_at", at());
      return rng.chance(0.3) ? claim + line("replied_at", at()) : claim;
    }
    if (state === "deferred" && rng.chance(0.8)) {
      return line("deferred_until", new Date(this.time()).toISOString()) + line("deferred_reason", this.reason());
    }
    return "";
  }

  reason() {
    return this.rng.pick(["", "later", 'two\nlines "and" more: #', "é 🦀 日本", "a\\b\t"]);
  }

  plant(root) {
    for (const service of this.services) mkdirSync(join(root, "state/inbox", service), { recursive: true });
    for (const { service, name, body, mtime } of this.files) {
      const path = join(root, "state/inbox", service, name);
      writeFileSync(path, body);
      utimesSync(path, mtime, mtime);
    }
  }

  /** One call, as a function of an inbox and its root. */
  call(now) {
    const { rng } = this;
    const known = this.files.length > 0 && rng.chance(0.9) ? rng.pick(this.files) : { id: "ghost", service: this.services[0] };
    const id = known.id;
    const service = rng.chance(0.95) ? known.service : rng.pick([...this.services, "elsewhere"]);
    const at = rng.chance(0.1) ? new Date(now) : now;
    const reason = this.reason();
    const until = this.time(now);
    const live = rng.chance(0.5);
    return rng
      .weighted([
        [3, () => ["findInboxFile", (inbox, root) => inbox.findInboxFile(root, id, rng.chance(0.5) ? { service } : undefined)]],
        [4, () => ["markSessionClaim", (inbox, root) => inbox.markSessionClaim(root, service, { id }, { now: at })]],
        [3, () => ["markSessionDeferral", (inbox, root) => inbox.markSessionDeferral(root, service, { id }, { until, reason, now: at })]],
        [3, () => ["markSessionReplied", (inbox, root) => inbox.markSessionReplied(root, service, { id }, { now: at })]],
        [3, () => ["sweepSessionInbox", (inbox, root) => inbox.sweepSessionInbox(root, { now, sessionLive: live })]],
        [
          2,
          () => [
            "sweepSessionInboxForDaemon",
            (inbox, root) =>
              inbox.sweepSessionInboxForDaemon(root, {
                now,
                readState: (given) => {
                  if (given !== root) throw new Error("another root");
                  return { frontDoor: live ? "session" : "daemon", sessionLive: true };
                },
              }),
          ],
        ],
      ])
      .concat({ id, service });
  }
}

/** Everything in a folder: names and bytes. */
function contents(root) {
  return Object.fromEntries(
    readdirSync(join(root, "state/inbox"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
      .sort()
      .map((path) => [path.slice(root.length), readFileSync(path, "latin1")]),
  );
}

/** An answer, without the root in it and without what only seatkit adds. */
function plain(answer, root) {
  if (answer === null || typeof answer !== "object") return answer;
  const { message, code, path, reopened, id, service, state, file, sessionLive, ...rest } = answer;
  return {
    ...(sessionLive !== undefined && { sessionLive }),
    ...rest,
    ...(state && { service, state, file }),
    ...(path !== undefined && { path: path.replace(root, "") }),
    ...(reopened && { reopened: reopened.map(({ id, service, reason }) => ({ id, service, reason })) }),
  };
}

/** Whether the item stands replied. */
function replied(inbox, root, id, service) {
  const found = inbox.findInboxFile(root, id, { service });
  return found !== null && inbox.parseSessionMarkers(readFileSync(found.path, "utf8")).repliedAt !== null;
}

/** Compares `rounds` populations; the answer holds the differences. */
export async function compareInboxes({ seed, rounds, first = 0, most = 3 }) {
  const baseline = await loadBaseline();
  const differences = [];
  const counts = {};
  for (let round = first; round < first + rounds && differences.length < most; round++) {
    const rng = new Rng(seed, round);
    const population = new Population(rng);
    const roots = [baseline, seatkit].map(() => mkdtempSync(join(tmpdir(), "seatkit-parity-")));
    try {
      for (const root of roots) population.plant(root);
      const history = [];
      let [now, latest] = [T0, T0];
      for (let step = rng.below(12); step >= 0; step--) {
        // Set back less than the shortest limit: what is further in the future than that is due in seatkit.
        now = Math.max(population.time(now), latest - 19 * MINUTE);
        latest = Math.max(latest, now);
        const [name, call, about] = population.call(now);
        if (["markSessionDeferral", "markSessionReplied"].includes(name) && replied(baseline, roots[0], about.id, about.service)) continue;
        // The same random choices for both.
        const state = rng.state;
        const [expected, answer] = [baseline, seatkit].map((inbox, i) => {
          rng.state = state;
          return plain(call(inbox, roots[i]), roots[i]);
        });
        history.push({ name, now, ...about });
        counts[`${name} ${JSON.stringify(expected?.error ?? expected?.reopened?.[0]?.reason ?? Boolean(expected?.ok ?? expected))}`] ??= 0;
        counts[`${name} ${JSON.stringify(expected?.error ?? expected?.reopened?.[0]?.reason ?? Boolean(expected?.ok ?? expected))}`]++;
        const before = contents(roots[0]);
        const after = contents(roots[1]);
        if (JSON.stringify([expected, before]) !== JSON.stringify([answer, after])) {
          differences.push({ round, history, baseline: [expected, before], seatkit: [answer, after] });
          break;
        }
        for (const body of Object.values(after)) {
          const text = Buffer.from(body, "latin1").toString("utf8");
          const [a, b] = [baseline, seatkit].map((inbox) =>
            JSON.stringify([inbox.parseSessionMarkers(text), inbox.stripSessionMarkers(text)]),
          );
          if (a !== b) differences.push({ round, history, body: text, baseline: a, seatkit: b });
        }
      }
    } finally {
      for (const root of roots) rmSync(root, { recursive: true });
    }
  }
  return { differences, counts };
}

const LAST = 8.64e15;

/** Compares the times written for `count` moments of the whole range of a `Date`, and beyond it. */
export async function compareTimes({ seed, count }) {
  const baseline = await loadBaseline();
  const rng = new Rng(seed);
  const edges = [
    0,
    -0,
    LAST,
    -LAST,
    LAST + 1,
    -LAST - 1,
    NaN,
    Infinity,
    -Infinity,
    0.5,
    -0.5,
    -1,
    999.999,
    -62198755200000,
    -62198755200001,
    253402300799999,
    253402300800000,
    -62167219200000,
    -62167219200001,
  ];
  const differences = [];
  for (let i = 0; i < count && differences.length < 3; i++) {
    const wide = (rng.next() / 2 ** 32 - 0.5) * 2 * (rng.chance(0.01) ? LAST * 1.01 : rng.chance(0.5) ? LAST : 1e14);
    const time = i < edges.length ? edges[i] : rng.chance(0.5) ? Math.trunc(wide) : wide;
    const given = rng.chance(0.2) ? new Date(time) : time;
    const lines = rng.pick([{ claimedBy: "session", now: given }, { deferredUntil: given }, { repliedAt: given }]);
    const [a, b] = [baseline, seatkit].map((inbox) => {
      try {
        return inbox.sessionMarkerLines(lines);
      } catch (error) {
        return error.name;
      }
    });
    if (a !== b) differences.push({ time, lines, baseline: a, seatkit: b });
  }
  return { differences };
}

/** Compares and reports; whether there was no difference. */
export async function report({ seed, rounds, times = 100_000 }) {
  if (!haveBaseline) {
    console.log("parity: no plain JavaScript inbox in ../shared to compare with");
    return true;
  }
  const started = Date.now();
  const { differences, counts } = await compareInboxes({ seed, rounds });
  differences.push(...(await compareTimes({ seed, count: times })).differences);
  for (const difference of differences) console.error(JSON.stringify(difference, null, 2));
  for (const [what, count] of Object.entries(counts).sort()) console.log(`  ${what.padEnd(48)}${String(count).padStart(8)}`);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(
    `parity: seed ${seed}, ${rounds} inboxes and ${times} times in ${seconds} s, ${differences.length === 0 ? "no difference" : "DIFFERENT"}`,
  );
  return differences.length === 0;
}
