// One session by what it is: started, followed, ended and adopted.
"use strict";

const native = require("./native");

/** Options with no other key than their own; the addon says what is wrong with a value. */
function known(options, names) {
  const given = options ?? {};
  if (typeof given !== "object") throw new TypeError("options must be an object");
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new TypeError(`options.${unknown} is not an option`);
  return given;
}

/** A session as the addon holds it, its record in JSON. */
class Session {
  #held;

  constructor(held) {
    this.#held = held;
  }

  get record() {
    return JSON.parse(this.#held.record);
  }

  get recordFile() {
    return this.#held.file;
  }

  state() {
    return native.sessionState(this.#held);
  }

  async where() {
    return native.sessionPlace(this.#held, process.env);
  }

  async ended(options = undefined) {
    const { timeoutMs, signal } = known(options, ["timeoutMs", "signal"]);
    if (signal != null && typeof signal.throwIfAborted !== "function") throw new TypeError("options.signal must be an AbortSignal");
    signal?.throwIfAborted();
    const { id, outcome } = native.sessionEnded(this.#held, timeoutMs, process.env);
    const cancel = () => native.cancelWait(id);
    signal?.addEventListener("abort", cancel, { once: true });
    const ended = await outcome;
    signal?.removeEventListener("abort", cancel);
    if (!ended) signal?.throwIfAborted();
    return ended;
  }

  async stop(options = undefined) {
    const { record, ...stopped } = await native.stopSession(this.#held, options, process.env);
    this.#held = { ...this.#held, record };
    return stopped;
  }

  async send(text, options = undefined) {
    const { enter } = known(options, ["enter"]);
    await native.sendToSession(this.#held, text, enter, process.env);
  }

  async read(options = undefined) {
    const { lines } = known(options, ["lines"]);
    return native.readSession(this.#held, lines, process.env);
  }
}

const found = ({ session, ...rest }) => (session ? { ok: true, session: new Session(session) } : rest);

exports.startSession = async function startSession(options) {
  return found(await native.startSession(options, process.env));
};
exports.adoptSession = async function adoptSession(recordFile) {
  return found(await native.adoptSession(recordFile, process.env));
};
exports.listRuns = async function listRuns() {
  return native.listRuns();
};
exports.stopRun = async function stopRun(run, options = undefined) {
  return native.stopRun(run, options, process.env);
};
