// One session by what it is: started, followed, ended and adopted.
"use strict";

const native = require("./native");

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
    // The addon says what is wrong with the rest, and with what is no object.
    const { signal, ...rest } = options ?? {};
    if (signal != null && typeof signal.throwIfAborted !== "function") throw new TypeError("options.signal must be an AbortSignal");
    signal?.throwIfAborted();
    const { id, outcome } = native.sessionEnded(this.#held, typeof options === "object" ? rest : options, process.env);
    const letGo = () => native.letGoOfWait(id);
    signal?.addEventListener("abort", letGo, { once: true });
    try {
      const ended = await outcome;
      if (!ended) signal?.throwIfAborted();
      return ended;
    } finally {
      signal?.removeEventListener("abort", letGo);
      letGo();
    }
  }

  async stop(options = undefined) {
    const { record, ...stopped } = await native.stopSession(this.#held, options, process.env);
    this.#held = { ...this.#held, record };
    return stopped;
  }

  async send(text, options = undefined) {
    await native.sendToSession(this.#held, text, options, process.env);
  }

  async read(options = undefined) {
    return native.readSession(this.#held, options, process.env);
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
