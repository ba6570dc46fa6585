// Waiting for something to happen in an inbox, by what the runtime tells of its folders.
"use strict";

const { readdirSync, statSync, statfsSync, watch } = require("node:fs");
const { basename, join } = require("node:path");
const { listInbox } = require("./native");

/** A burst of changes is over when none came for so long, in milliseconds; the longest burst lasts ten times that. */
const QUIET_MS = 10;
/** How often to look where nothing is told. */
const LOOK_MS = 2_000;
/** How often to look whether another process let go of an item, which nothing tells. */
const BUSY_MS = 250;
/** The longest rest between two tries where the last one came to nothing but refusals. */
const REST_MS = 1_000;
/** The longest wait that a timer knows. */
const TIMER_MS = 2 ** 31 - 1;
/** File systems that tell of no change that another machine made (statfs(2)): NFS, SMB, CIFS, FUSE, 9p, Ceph. */
const SILENT = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x01021997, 0x00c36400]);
/** Deno begins to watch some time after it said so. */
const SETTLE_MS = process.versions.deno === undefined ? 0 : 200;

/** What a folder is: one that was removed and made again has the same name and may have the same number. */
function identityOf(folder) {
  const { dev, ino, birthtimeNs } = statSync(folder, { bigint: true });
  return `${dev}:${ino}:${birthtimeNs}`;
}

/** What the folders of an inbox tell: a hint to look, never a fact. */
class Hints {
  #watched = new Map();
  #root;
  #inbox;
  #above;
  #service;
  #changed = true;
  #wake = () => {};
  #looking = false;
  #closed = false;
  #poll;
  #settled;

  constructor(root, service) {
    this.#root = root;
    this.#inbox = join(root, "state", "inbox");
    // In the folders above only the way to the inbox matters, or to the one service.
    this.#above = new Map([
      [root, "state"],
      [join(root, "state"), "inbox"],
      [this.#inbox, service],
    ]);
    this.#service = service;
    this.#look();
  }

  /** Watches every folder there is to watch; one that was not there before may hold items already. */
  #look() {
    const wanted = new Set(this.#above.keys());
    for (const service of this.#services()) wanted.add(join(this.#inbox, service));
    for (const folder of this.#watched.keys()) if (!wanted.has(folder)) this.#forget(folder);
    const told = [...wanted].map((folder) => this.#watch(folder));
    if (told.includes(false)) {
      this.#poll ??= setInterval(() => this.#tell(this.#inbox), LOOK_MS);
    } else {
      clearInterval(this.#poll);
      this.#poll = undefined;
    }
  }

  #services() {
    if (this.#service != null) return [this.#service];
    try {
      return readdirSync(this.#inbox, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
        .map(({ name }) => name);
    } catch {
      return [];
    }
  }

  /** Whether all changes of a folder are told, or of its appearance by the folder above it. */
  #watch(folder) {
    try {
      // Before it is watched: of two folders that had the name one after the other, the later one is watched.
      const identity = identityOf(folder);
      const known = this.#watched.get(folder);
      if (known?.identity === identity) return known.tells;
      this.#forget(folder);
      const watcher = watch(folder, (_, name) => this.#hear(folder, name));
      watcher.on("error", () => this.#lose(folder));
      const tells = !SILENT.has(statfsSync(folder).type);
      this.#watched.set(folder, { watcher, identity, tells });
      this.#tell(folder);
      if (SETTLE_MS > 0) this.#settled = setTimeout(() => this.#tell(folder), SETTLE_MS);
      return tells;
    } catch (error) {
      this.#forget(folder);
      return folder !== this.#root && (error.code === "ENOENT" || error.code === "ENOTDIR");
    }
  }

  #forget(folder) {
    this.#watched.get(folder)?.watcher.close();
    this.#watched.delete(folder);
  }

  /** Something happened to `name` in a folder, or to the folder itself: that it is gone is told by its own name. */
  #hear(folder, name) {
    const below = this.#above.get(folder);
    if (name != null && below !== undefined && name !== below && name !== basename(folder)) return;
    const self = name == null || name === basename(folder);
    // What begins with a dot is no item and no service: a delivery that is not done yet.
    if (!self && name.startsWith(".")) return;
    if (self) this.#watched.get(folder).identity = undefined;
    this.#tell(folder);
  }

  /** Looked for again when the next look is due, not at once: what fails now would fail then. */
  #lose(folder) {
    this.#forget(folder);
    this.#poll ??= setInterval(() => this.#tell(this.#inbox), LOOK_MS);
    this.#awake();
  }

  #tell(folder) {
    // Folders come and go in the inbox and above it, and where one that was watched may be another one now.
    const may = this.#watched.get(folder);
    if (this.#above.has(folder) || may?.identity === undefined) this.#lookSoon();
    this.#awake();
  }

  #lookSoon() {
    if (this.#looking) return;
    this.#looking = true;
    queueMicrotask(() => {
      this.#looking = false;
      if (!this.#closed) this.#look();
    });
  }

  #awake() {
    this.#changed = true;
    this.#wake();
  }

  /** Resolves once something changed since the last time, or after `mostMs`. */
  async changed(signal, mostMs = Infinity) {
    signal?.throwIfAborted();
    if (!this.#changed) await this.#next(signal, mostMs);
    this.#changed = false;
    signal?.throwIfAborted();
  }

  /** The same once the burst of changes is over. */
  async changedAll(signal) {
    await this.changed(signal);
    const ends = performance.now() + 10 * QUIET_MS;
    do {
      this.#changed = false;
      await this.#next(signal, QUIET_MS);
    } while (this.#changed && performance.now() < ends);
    this.#changed = false;
    signal?.throwIfAborted();
  }

  /** Resolves when something is told, when it is over, or after `mostMs`. */
  #next(signal, mostMs) {
    return new Promise((resolve) => {
      if (this.#closed || signal?.aborted) return resolve();
      const timer = mostMs === Infinity ? undefined : setTimeout(done, Math.min(mostMs, TIMER_MS));
      this.#wake = done;
      signal?.addEventListener("abort", done);
      function done() {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      }
    });
  }

  /** Forgets what was told so far: whoever asks is about to look. */
  fresh() {
    this.#changed = false;
  }

  get closed() {
    return this.#closed;
  }

  close() {
    this.#closed = true;
    for (const { watcher } of this.#watched.values()) watcher.close();
    this.#watched.clear();
    clearInterval(this.#poll);
    clearTimeout(this.#settled);
    this.#wake();
  }
}

/** One value at once, and one after each burst of changes. */
exports.watchInbox = function watchInbox(root, options = undefined) {
  let hints;
  async function* values() {
    const given = options ?? {};
    if (typeof given !== "object") throw new TypeError("options must be an object");
    const unknown = Object.keys(given).find((name) => name !== "service" && name !== "signal");
    if (unknown !== undefined) throw new TypeError(`options.${unknown} is not an option`);
    const { service, signal } = checked(root, given);
    signal?.throwIfAborted();
    hints = new Hints(root, service);
    try {
      // A look that is taken after the folders are watched misses nothing.
      hints.fresh();
      while (!hints.closed) {
        yield;
        await hints.changedAll(signal);
      }
    } finally {
      hints.close();
    }
  }
  const generator = values();
  const end = generator.return;
  // A generator that waits would not hear of its end before the next change.
  generator.return = function (value) {
    hints?.close();
    return end.call(this, value);
  };
  return generator;
};

/** Calls `claim` until it has something, or nothing came for `timeoutMs`. */
exports.untilClaimed = async function untilClaimed(root, claim, { service, signal, timeoutMs = Infinity }) {
  signal?.throwIfAborted();
  const ends = performance.now() + timeoutMs;
  const hints = new Hints(root, service);
  let rest = 0;
  try {
    for (;;) {
      hints.fresh();
      const began = performance.now();
      const answer = await claim();
      const tried = performance.now();
      if (answer.ok || tried >= ends) return answer;
      const skipped = answer.skipped ?? [];
      const held = skipped.some(({ error }) => error === "busy");
      await hints.changed(signal, Math.min(ends - tried, held ? BUSY_MS : Infinity));
      // A try that fails may touch the item, which is told as a change: then the next one is not made at once. Nor does
      // a large folder that others work in take all of the time.
      const woke = performance.now();
      const isEcho = skipped.length > 0 && woke - tried < BUSY_MS;
      rest = isEcho ? Math.min(2 * rest + QUIET_MS, REST_MS) : 0;
      const until = Math.min(ends, Math.max(woke + rest, 2 * tried - began));
      for (let left; (left = until - performance.now()) > 0;) await hints.changed(signal, left);
    }
  } finally {
    hints.close();
  }
};

/** The options that are not the addon's. */
function checked(root, { service, signal, timeoutMs, wait }) {
  if (signal != null && typeof signal.throwIfAborted !== "function") throw new TypeError("signal must be an AbortSignal");
  if (timeoutMs != null && !(typeof timeoutMs === "number" && timeoutMs >= 0)) {
    throw new TypeError("timeoutMs must be a number of milliseconds, zero or more");
  }
  if (wait != null && typeof wait !== "boolean") throw new TypeError("wait must be a boolean");
  if (typeof root !== "string") throw new TypeError("root must be a string");
  // What a service may be is said in one place; in no folder nothing is looked for.
  listInbox("/dev/null", { service: service ?? null });
  return { service: service ?? undefined, signal: signal ?? undefined, timeoutMs: timeoutMs ?? undefined, wait: wait ?? false };
}
exports.checked = checked;
