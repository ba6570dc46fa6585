// Waiting for something to happen in an inbox, by what the runtime tells of its folders.
"use strict";

const { readdirSync, statfsSync, watch } = require("node:fs");
const { dirname, join } = require("node:path");

/** A burst of changes is over when none came for so long, in milliseconds; the longest burst lasts ten times that. */
const QUIET_MS = 10;
/** How often to look where nothing is told. */
const LOOK_MS = 2_000;
/** File systems that tell of no change that another machine made (statfs(2)): NFS, SMB, CIFS, FUSE, 9p, Ceph. */
const SILENT = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x01021997, 0x00c36400]);

/** What the folders of an inbox tell: a hint to look, never a fact. */
class Hints {
  #folders = new Map();
  #inbox;
  #service;
  #changed = true;
  #wake = () => {};
  #poll;

  constructor(root, service) {
    this.#inbox = join(root, "state", "inbox");
    this.#service = service;
    this.#look();
  }

  /** Watches every folder there is to watch; one that was not there before may hold items already. */
  #look() {
    const wanted = new Set();
    let above = this.#inbox;
    for (let depth = 0; depth < 3; depth++, above = dirname(above)) wanted.add(above);
    for (const service of this.#services()) wanted.add(join(this.#inbox, service));
    for (const [folder, watcher] of this.#folders) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.#folders.delete(folder);
    }
    for (const folder of wanted) this.#watch(folder);
  }

  #services() {
    if (this.#service != null) return [this.#service];
    try {
      return readdirSync(this.#inbox, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name);
    } catch {
      return [];
    }
  }

  #watch(folder) {
    if (this.#folders.has(folder)) return;
    try {
      if (SILENT.has(statfsSync(folder).type)) this.#lookNowAndThen();
      const watcher = watch(folder, () => this.#tell(folder));
      watcher.on("error", () => this.#lost(folder));
      this.#folders.set(folder, watcher);
      this.#tell(folder);
    } catch (error) {
      // One that is not there yet is told of by the folder above it.
      if (error.code !== "ENOENT" && error.code !== "ENOTDIR") this.#lookNowAndThen();
    }
  }

  #lost(folder) {
    this.#folders.get(folder)?.close();
    this.#folders.delete(folder);
    this.#lookNowAndThen();
    this.#tell(folder);
  }

  #lookNowAndThen() {
    this.#poll ??= setInterval(() => this.#tell(this.#inbox), LOOK_MS);
  }

  #tell(folder) {
    // Folders come and go in the inbox and above it only.
    if (this.#inbox.startsWith(folder)) queueMicrotask(() => this.#folders && this.#look());
    this.#changed = true;
    this.#wake();
  }

  /** Resolves once something changed since the last time, or after `mostMs`; a burst counts as one. */
  async changed(signal, mostMs) {
    signal?.throwIfAborted();
    if (!this.#changed) await this.#next(signal, mostMs);
    const ends = Date.now() + 10 * QUIET_MS;
    do {
      this.#changed = false;
      await this.#next(signal, QUIET_MS);
    } while (this.#changed && Date.now() < ends);
    this.#changed = false;
    signal?.throwIfAborted();
  }

  #next(signal, mostMs) {
    return new Promise((resolve) => {
      const timer = mostMs === undefined ? undefined : setTimeout(done, mostMs);
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

  close() {
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders = undefined;
    clearInterval(this.#poll);
  }
}

/** One value at once, and one after each burst of changes. */
exports.watchInbox = async function* watchInbox(root, options = undefined) {
  const { service, signal } = checked(options, ["service", "signal"]);
  if (typeof root !== "string") throw new TypeError("root must be a string");
  signal?.throwIfAborted();
  const hints = new Hints(root, service);
  try {
    // A look that is taken after the folders are watched misses nothing.
    hints.fresh();
    for (;;) {
      yield;
      await hints.changed(signal);
    }
  } finally {
    hints.close();
  }
};

/** Calls `claim` until it has something, or nothing came for `timeoutMs`. */
exports.untilClaimed = async function untilClaimed(root, claim, { service, signal, timeoutMs }) {
  signal?.throwIfAborted();
  const ends = timeoutMs === undefined ? Infinity : Date.now() + timeoutMs;
  const hints = new Hints(root, service);
  try {
    for (;;) {
      hints.fresh();
      const answer = await claim();
      const left = ends - Date.now();
      if (answer.ok || left <= 0) return answer;
      // Nothing is told when another process lets go of an item.
      const held = answer.skipped?.some(({ error }) => error === "busy");
      const most = Math.min(left, held ? 250 : Infinity);
      await hints.changed(signal, most === Infinity ? undefined : most);
    }
  } finally {
    hints.close();
  }
};

/** The options, none of which may be unknown. */
function checked(options, names) {
  const given = options ?? {};
  if (typeof given !== "object") throw new TypeError("options must be an object");
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new TypeError(`options.${unknown} is not an option`);
  const { signal, timeoutMs, service } = given;
  if (signal != null && typeof signal.throwIfAborted !== "function") throw new TypeError("signal must be an AbortSignal");
  if (timeoutMs != null && !(timeoutMs >= 0)) throw new TypeError("timeoutMs must be a number of milliseconds, zero or more");
  if (service != null && typeof service !== "string") throw new TypeError("service must be a string");
  return { ...given, timeoutMs: timeoutMs ?? undefined, signal: signal ?? undefined };
}
exports.checked = checked;
